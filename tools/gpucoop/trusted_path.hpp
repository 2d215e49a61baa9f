#pragma once

#include <filesystem>

namespace gpucoop {

/// Whether nobody but root and the user of this process can change a file: neither it, nor a folder above it. As root,
/// root alone may. `path` is canonical; `culprit` is then what others may change.
[[nodiscard]] bool is_trusted(const std::filesystem::path& path, std::filesystem::path& culprit);

}  // namespace gpucoop
