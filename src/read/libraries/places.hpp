#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "read/libraries/file_tree.hpp"

namespace gpucoop {

/// Folders of a Python environment (pip, conda, or a folder of packages) in which its packages keep the libraries that
/// are looked for.
struct PythonPlaces {
  bool conda = false;
  std::vector<std::string> folders;
};
[[nodiscard]] PythonPlaces python_places(const FileTree& tree, const std::string& environment);
/// Those of the system's own Python.
[[nodiscard]] std::vector<std::string> system_python_places(const FileTree& tree);
/// Folders that the loader looks into where its cache does not say, and those below them that ggml keeps its parts in.
[[nodiscard]] std::vector<std::string> system_places(const FileTree& tree);
/// /opt/rocm*, /opt/intel/oneapi.
[[nodiscard]] std::vector<std::string> vendor_places(const FileTree& tree);
/// The entries of LD_LIBRARY_PATH that are absolute.
[[nodiscard]] std::vector<std::string> path_entries(std::string_view list);

}  // namespace gpucoop
