#include "libraries.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "analyse/analyse.hpp"
#include "analyse/library_answer.hpp"
#include "codeobj/identity.hpp"
#include "codeobj/inspect.hpp"
#include "read/recording/recording.hpp"

namespace gpucoop {
namespace {

constexpr std::uint16_t kAmd = 0x1002;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

InspectOptions options_for(const Topology& topology, bool hash, bool this_host) {
  InspectOptions options;
  options.hash = hash;
  for (const auto& [gpu, target] : gpu_targets(topology.facts)) {
    auto& names = options.amd_targets;
    if (target.vendor != Vendor::amd || std::count(names.begin(), names.end(), target.processor) != 0) continue;
    names.push_back(target.processor);
  }
  if (this_host) {
    options.kpack_path = variable("ROCM_KPACK_PATH");
    options.kpack_path_prefix = variable("ROCM_KPACK_PATH_PREFIX");
  }
  return options;
}

/// One that is there and cannot be read: nothing of it is known, which is not the same as nothing in it.
Library unreadable(const std::string& path, const Error& error) {
  Library library;
  library.kind = codeobj::library_kind(name_of(path));
  library.vendor = codeobj::library_vendor(library.kind);
  library.complete = false;
  library.warnings.push_back({"library.unreadable", error.what, ""});
  return library;
}

bool in_doubt(const Topology& topology) {
  return std::any_of(topology.gpus.begin(), topology.gpus.end(), [](const Gpu& gpu) {
    return gpu.vendor == Vendor::amd && gpu.compute && !gpu.lost && gpu.atomics.state != Tri::yes;
  });
}

std::vector<InstalledLibrary> installed(std::vector<InspectedLibrary> libraries) {
  std::vector<InstalledLibrary> list;
  list.reserve(libraries.size());
  for (auto& library : libraries) list.push_back(std::move(library.installed));
  return list;
}

Status take_named(Recording& recording, const InputOptions& inputs, const Topology& topology, bool hash) {
  auto named = inspect_named(inputs.libraries, topology, hash);
  if (!named) return named.error();
  auto list = installed(std::move(named).value());
  if (const auto* known = recording.libraries.get()) list.insert(list.end(), known->begin(), known->end());
  recording.libraries = std::move(list);
  return std::nullopt;
}

Status take_found(Recording& recording, const InputOptions& inputs, const Topology& topology, bool hash) {
  LibrarySearch search;
  const bool copy = inputs.sysroot && std::filesystem::path(*inputs.sysroot).lexically_normal() != "/";
  if (copy) search.root = *inputs.sysroot;
  if (!copy) take_environment(search);
  auto found = inspect_found(search, true, topology, hash);
  if (!found) return found.error();
  recording.libraries = installed(std::move(found.value().libraries));
  return std::nullopt;
}

}  // namespace

Result<std::vector<InspectedLibrary>> inspect_named(const std::vector<std::string>& files, const Topology& topology,
                                                    bool hash) {
  const auto options = options_for(topology, hash, true);
  std::vector<InspectedLibrary> libraries;
  for (const auto& file : files) {
    auto library = inspect_library(file, options);
    if (!library) return library.error();
    InspectedLibrary inspected;
    inspected.installed = {name_of(file), "", FoundBy::given, std::move(library).value()};
    libraries.push_back(std::move(inspected));
  }
  return libraries;
}

Result<InspectedHost> inspect_found(const LibrarySearch& search, bool only_collective, const Topology& topology,
                                    bool hash) {
  auto found = find_libraries(search, only_collective);
  if (!found) return found.error();
  const bool this_host = search.root == "/";
  const auto options = options_for(topology, hash, this_host);
  InspectedHost host;
  host.warnings = std::move(found.value().warnings);
  for (auto& entry : found.value().libraries) {
    auto library = inspect_library(entry.file, options);
    InspectedLibrary inspected;
    inspected.installed = {name_of(entry.path), entry.how, entry.by,
                           library ? std::move(library).value() : unreadable(entry.file, library.error())};
    inspected.installed.library.path = this_host ? entry.path : entry.file;
    inspected.also = std::move(entry.also);
    host.libraries.push_back(std::move(inspected));
  }
  return host;
}

Status take_libraries(Recording& recording, const InputOptions& inputs, bool live, bool hash, const Rules& rules) {
  if (inputs.own_libraries) return std::nullopt;
  const bool amd = std::any_of(recording.devices.begin(), recording.devices.end(),
                               [](const PciDevice& device) { return device.vendor_id.is(kAmd); });
  if (inputs.libraries.empty() && (!live || (!inputs.inspect && !amd))) return std::nullopt;
  const auto topology = analyse(recording, rules);
  if (live && (inputs.inspect || (inputs.libraries.empty() && in_doubt(topology)))) {
    if (auto error = take_found(recording, inputs, topology, hash)) return error;
  }
  if (!inputs.libraries.empty()) {
    if (auto error = take_named(recording, inputs, topology, hash)) return error;
  }
  if (live) admit(recording, rules);
  return std::nullopt;
}

}  // namespace gpucoop
