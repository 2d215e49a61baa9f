#include "collective_library.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "probe/privilege.hpp"
#include "read/libraries/find.hpp"
#include "trusted_path.hpp"

namespace gpucoop {
namespace {

namespace fs = std::filesystem;

/// How the names of a backend's libraries begin; null: it has none that could be chosen.
const char* name_for(const std::string& backend) { return backend == "cuda" ? "libnccl.so" : nullptr; }

bool ranks_are_root() { return probe::current_privilege().kind == probe::Privilege::Kind::root; }

Result<ChosenLibrary> named(const std::string& path) {
  std::error_code error;
  const auto real = fs::canonical(path, error);
  if (error || !fs::is_regular_file(real, error)) {
    return Error{ExitCode::no_such_input, "is no library that could be loaded", path, ""};
  }
  fs::path culprit;
  if (ranks_are_root() && !is_trusted(real, culprit)) {
    return Error{ExitCode::permission, "may be changed by others, so that root does not load " + path, culprit.string(),
                 "probe as an ordinary user, or take the right to write from all but root"};
  }
  return ChosenLibrary{real.string(), {}};
}

}  // namespace

Result<ChosenLibrary> choose_collective_library(const ProbeOptions& options, const std::string& backend) {
  const char* name = name_for(backend);
  if (name == nullptr) return ChosenLibrary{};
  if (options.library) return named(*options.library);
  LibrarySearch search;
  take_environment(search);
  search.environments = options.environments;
  const bool root = ranks_are_root();
  // What the loader is told by variables does not count for root's ranks.
  if (root) search.library_path = search.preload = {};
  const auto found = find_libraries(search, true);
  if (!found) return found.error();
  ChosenLibrary chosen;
  for (const auto& entry : found.value().libraries) {
    if (fs::path(entry.path).filename().string().rfind(name, 0) != 0) continue;
    std::error_code error;
    const auto real = fs::canonical(entry.file, error);
    if (error) continue;
    fs::path culprit;
    if (!root || is_trusted(real, culprit)) {
      chosen.file = real.string();
      break;
    }
    chosen.warnings.push_back({"probe.library-passed-over",
                               "Others may change " + culprit.string() + ", so that root does not load it.",
                               entry.path});
  }
  return chosen;
}

}  // namespace gpucoop
