#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/installed_library.hpp"
#include "model/warning.hpp"

namespace gpucoop {

/// Where libraries are looked for.
struct LibrarySearch {
  std::string root = "/";                 ///< the folder that their users see as `/`
  std::vector<std::string> environments;  ///< of Python, paths below `root`

  // Variables of the process that would load them; empty where they are not set or nobody knows.
  std::string virtual_env;
  std::string conda_prefix;
  std::string library_path;
  std::string preload;  ///< of LD_PRELOAD, VLLM_NCCL_SO_PATH
};
/// `search` with what the variables of this process say.
void take_environment(LibrarySearch& search);

struct FoundLibrary {
  std::string path;  ///< as its users name it, below the root
  std::string file;  ///< to be opened from here
  FoundBy by = FoundBy::loader_cache;
  std::string how;                ///< the same for people: `ld.so.cache`, `pip: /venv`
  std::vector<std::string> also;  ///< other ways in which the same file was found
};

struct FoundLibraries {
  std::vector<FoundLibrary> libraries;  ///< each file once, in the order in which they would be loaded
  std::vector<Warning> warnings;        ///< what could not be looked through
};

/// The collective libraries, and those that use them, that programs below the root would load. `only_collective`: RCCL,
/// NCCL and oneCCL alone. Looks at names and links only. `no_such_input` where the root or an environment of
/// `environments` is no folder; an active environment that is gone is none.
[[nodiscard]] Result<FoundLibraries> find_libraries(const LibrarySearch& search, bool only_collective);

}  // namespace gpucoop
