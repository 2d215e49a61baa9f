#include "read/libraries/places.hpp"

#include <algorithm>

#include "read/text.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kMostVersions = 64;  ///< of Python or ROCm side by side

/// The folders in `path` whose name begins with `prefix`, with `below` behind each.
std::vector<std::string> each(const FileTree& tree, const std::string& path, std::string_view prefix,
                              std::string_view below) {
  std::vector<std::string> found;
  for (const auto& name : tree.folder(path).names()) {
    if (!starts_with(name, prefix)) continue;
    if (found.size() == kMostVersions) break;
    found.push_back(path + "/" + name + std::string(below));
  }
  return found;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// In a folder of packages: those that bring libraries.
void add_packages(const FileTree& tree, const std::string& site, std::vector<std::string>& folders) {
  for (const auto* package : {"torch/lib", "nvidia/nccl/lib", "llama_cpp/lib"}) {
    auto folder = site + "/" + package;
    if (tree.folder(folder).ok()) folders.push_back(std::move(folder));
  }
  append(folders, each(tree, site, "_rocm_sdk_libraries", "/lib"));
}

std::vector<std::string> sites_of(const FileTree& tree, const std::string& environment) {
  std::vector<std::string> sites;
  for (const auto* lib : {"/lib", "/lib64"}) {
    for (const auto& python : each(tree, environment + lib, "python3", "")) {
      sites.push_back(python + "/site-packages");
      sites.push_back(python + "/dist-packages");
    }
  }
  return sites;
}

}  // namespace

PythonPlaces python_places(const FileTree& tree, const std::string& environment) {
  PythonPlaces places;
  places.conda = tree.folder(environment + "/conda-meta").ok();
  add_packages(tree, environment, places.folders);
  for (const auto& site : sites_of(tree, environment)) add_packages(tree, site, places.folders);
  for (const auto* lib : {"/lib", "/lib64"}) {
    if (tree.folder(environment + lib).ok()) places.folders.push_back(environment + lib);
  }
  return places;
}

std::vector<std::string> system_python_places(const FileTree& tree) {
  std::vector<std::string> folders;
  for (const auto* prefix : {"/usr/local", "/usr"}) {
    for (const auto& site : sites_of(tree, prefix)) add_packages(tree, site, folders);
  }
  return folders;
}

std::vector<std::string> system_places(const FileTree& tree) {
  std::vector<std::string> folders;
  for (const std::string lib : {"/usr/local/lib", "/usr/local/lib64", "/usr/lib", "/usr/lib64", "/lib64"}) {
    for (const std::string& folder : {lib, lib + "/x86_64-linux-gnu", lib + "/aarch64-linux-gnu"}) {
      folders.push_back(folder);
      folders.push_back(folder + "/ggml");
      append(folders, each(tree, folder + "/ggml", "backends", ""));
    }
  }
  folders.emplace_back("/app");  // of the images that llama.cpp publishes
  return folders;
}

std::vector<std::string> vendor_places(const FileTree& tree) {
  std::vector<std::string> folders;
  for (const auto* lib : {"/lib", "/lib64"}) append(folders, each(tree, "/opt", "rocm", lib));
  append(folders, each(tree, "/opt/intel/oneapi/ccl", "", "/lib"));
  return folders;
}

std::vector<std::string> path_entries(std::string_view list) {
  constexpr std::size_t kMost = 1024;
  std::vector<std::string> entries;
  while (!list.empty() && entries.size() < kMost) {
    const auto end = std::min(list.find_first_of(":;"), list.size());
    if (end > 0 && list.front() == '/') entries.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return entries;
}

}  // namespace gpucoop
