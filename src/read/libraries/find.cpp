#include "read/libraries/find.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "read/libraries/file_tree.hpp"
#include "read/libraries/loader_cache.hpp"
#include "read/libraries/names.hpp"
#include "read/libraries/places.hpp"
#include "read/text.hpp"

namespace gpucoop {
namespace {

constexpr const char* kCache = "/etc/ld.so.cache";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

class Finder {
 public:
  Finder(const LibrarySearch& search, bool only_collective)
      : search_(search), tree_(search.root), only_collective_(only_collective) {}

  Result<FoundLibraries> run() {
    if (!tree_.folder("/").ok()) return no_folder(search_.root);
    for (const auto& path : path_entries(search_.preload)) {
      if (wanted(name_of(path))) add(path, FoundBy::preload, "preloaded");
    }
    for (const auto& given : search_.environments) {
      const bool inside = search_.root != "/" && given.rfind('/', 0) != 0;
      const auto environment = (inside ? "/" : "") + given;
      if (!tree_.folder(environment).ok()) return no_folder(environment);
      if (!take_environment_of(environment)) {
        found_.warnings.push_back({"library.no-environment",
                                   "There is no Python environment: neither lib/python3*/site-packages nor a folder "
                                   "of packages with torch, nvidia or ROCm in it.",
                                   environment});
      }
    }
    for (const auto& active : {search_.virtual_env, search_.conda_prefix}) {
      if (!active.empty()) take_environment_of(active);
    }
    for (const auto& folder : path_entries(search_.library_path))
      scan(folder, FoundBy::library_path, "LD_LIBRARY_PATH");
    take_loader_cache();
    for (const auto& folder : system_python_places(tree_)) scan(folder, FoundBy::system_python, "the system's Python");
    for (const auto& folder : system_places(tree_)) scan(folder, FoundBy::system_folder, "a system folder");
    for (const auto& folder : vendor_places(tree_)) scan(folder, FoundBy::vendor_folder, "the vendor's folder");
    return std::move(found_);
  }

 private:
  static Error no_folder(const std::string& path) {
    return {ExitCode::no_such_input, "is no folder, or may not be opened", path, ""};
  }

  [[nodiscard]] bool wanted(std::string_view name) const {
    return only_collective_ ? is_collective_name(name) : is_library_name(name);
  }

  /// False where nothing in it looks like an environment.
  bool take_environment_of(const std::string& environment) {
    const auto places = python_places(tree_, environment);
    const auto how = (places.conda ? "conda: " : "pip: ") + environment;
    for (const auto& folder : places.folders) scan(folder, FoundBy::environment, how);
    return !places.folders.empty();
  }

  void take_loader_cache() {
    constexpr std::size_t kMost = std::size_t{64} << 20;
    const auto bytes = tree_.bytes(kCache, kMost);
    if (!bytes.is_known()) return;
    const auto& text = bytes.value();
    const auto entries = read_loader_cache(kCache, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    if (!entries) {
      found_.warnings.push_back({"library.loader-cache", "The loader's cache " + entries.error().what + ".", kCache});
      return;
    }
    for (const auto& entry : entries.value()) {
      if (wanted(entry.name)) add(entry.path, FoundBy::loader_cache, "ld.so.cache");
    }
  }

  void scan(const std::string& folder, FoundBy by, const std::string& how) {
    for (const auto& name : tree_.folder(folder).names()) {
      if (wanted(name)) add(folder + "/" + name, by, how);
    }
  }

  void add(const std::string& path, FoundBy by, const std::string& how) {
    constexpr std::size_t kMost = 256;
    auto file = tree_.file(path);
    if (!file) {
      if (tree_.folder(path.substr(0, path.rfind('/') + 1)).ok()) broken(path);
      return;
    }
    const auto [place, fresh] = places_.try_emplace(file->id, found_.libraries.size());
    if (!fresh) {
      auto& known = found_.libraries[place->second];
      const bool said = known.how == how || std::count(known.also.begin(), known.also.end(), how) > 0;
      if (!said) known.also.push_back(how);
    } else if (found_.libraries.size() < kMost) {
      found_.libraries.push_back({path, std::move(file->path), by, how, {}});
    } else {
      places_.erase(place);
    }
  }

  void broken(const std::string& path) {
    constexpr std::size_t kMost = 32;
    const auto same = [&](const Warning& w) { return w.where == path; };
    if (found_.warnings.size() >= kMost || std::any_of(found_.warnings.begin(), found_.warnings.end(), same)) {
      return;
    }
    found_.warnings.push_back(
        {"library.unreadable", "It is a link that leads nowhere, no regular file, or may not be read.", path});
  }

  const LibrarySearch& search_;
  FileTree tree_;
  bool only_collective_;
  FoundLibraries found_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> places_;
};

}  // namespace

void take_environment(LibrarySearch& search) {
  search.virtual_env = variable("VIRTUAL_ENV");
  search.conda_prefix = variable("CONDA_PREFIX");
  search.library_path = variable("LD_LIBRARY_PATH");
  search.preload = variable("LD_PRELOAD") + ":" + variable("VLLM_NCCL_SO_PATH");
  std::replace(search.preload.begin(), search.preload.end(), ' ', ':');
}

Result<FoundLibraries> find_libraries(const LibrarySearch& search, bool only_collective) {
  return Finder(search, only_collective).run();
}

}  // namespace gpucoop
