#include "codeobj/kpack_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "codeobj/amd_target.hpp"

namespace gpucoop::codeobj {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 512;
constexpr std::size_t kMaxListed = 20'000;

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const auto end = list.find(':');
    if (end != 0) parts.emplace_back(list.substr(0, end));
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return parts;
}

/// Where the runtime looks: beside the library, links followed.
std::string resolved(const std::string& library, const std::string& path) {
  if (fs::path(path).is_absolute()) return path;
  const auto joined = fs::path(library).parent_path() / path;
  std::error_code error;
  const auto real = fs::weakly_canonical(joined, error);
  return error ? joined.lexically_normal().string() : real.string();
}

/// What the placeholder stands for in the files that are there.
std::vector<std::string> targets_there(const std::string& pattern) {
  std::vector<std::string> targets;
  const fs::path path(pattern);
  const auto name = path.filename().string();
  const auto at = name.find(kKpackPlaceholder);
  if (at == std::string::npos) return targets;
  const auto before = name.substr(0, at);
  const auto after = name.substr(at + kKpackPlaceholder.size());
  std::error_code error;
  std::size_t listed = 0;
  for (fs::directory_iterator it(path.parent_path(), error), end; !error && it != end && ++listed < kMaxListed;
       it.increment(error)) {
    const auto file = it->path().filename().string();
    if (file.size() <= before.size() + after.size() || !file.starts_with(before) || !file.ends_with(after)) continue;
    targets.push_back(file.substr(before.size(), file.size() - before.size() - after.size()));
  }
  std::ranges::sort(targets);
  return targets;
}

class Finder {
 public:
  Finder(const KpackReference& reference, Library& library, Collector& collector)
      : reference_(reference), library_(library), collector_(collector) {}

  void look(const std::string& path, const std::string& target) {
    if (library_.kpacks.size() >= kMaxFiles || !seen_.insert(path).second) return;
    std::error_code error;
    const bool found = fs::exists(path, error);
    library_.kpacks.push_back({path, found, target});
    if (!found) return;
    FileSource file;
    if (const auto failed = file.open(path)) {
      collector_.damaged({path, 0}, failed->what);
      return;
    }
    read_kpack(file, path, reference_.name, collector_);
  }

 private:
  const KpackReference& reference_;
  Library& library_;
  Collector& collector_;
  std::set<std::string> seen_;
};

}  // namespace

std::string expand(const std::string& pattern, std::string_view target) {
  auto path = pattern;
  for (auto at = path.find(kKpackPlaceholder); at != std::string::npos; at = path.find(kKpackPlaceholder, at)) {
    path.replace(at, kKpackPlaceholder.size(), target);
    at += target.size();
  }
  return path;
}

void read_kpack_files(const KpackReference& reference, const InspectOptions& options, Library& library,
                      Collector& collector) {
  Finder finder(reference, library, collector);
  for (const auto& path : split(options.kpack_path.empty() ? options.kpack_path_prefix : options.kpack_path)) {
    library.kpack_patterns.push_back(path);
    finder.look(path, "");
  }
  if (!options.kpack_path.empty()) return;
  for (const auto& path : reference.paths) {
    const auto pattern = resolved(library.path, path);
    library.kpack_patterns.push_back(pattern);
    if (pattern.find(kKpackPlaceholder) == std::string::npos) {
      finder.look(pattern, "");
      continue;
    }
    for (const auto& target : targets_there(pattern)) finder.look(expand(pattern, target), target);
    for (const auto& target : options.amd_targets) {
      if (const auto known = parse_amd_target(target)) finder.look(expand(pattern, known->processor), known->processor);
    }
  }
}

}  // namespace gpucoop::codeobj
