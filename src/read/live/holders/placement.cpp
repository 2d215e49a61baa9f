#include "read/live/holders/placement.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "read/text.hpp"

namespace gpucoop {
namespace {

constexpr std::string_view kService = ".service";
constexpr std::string_view kScope = ".scope";

bool ends_with(std::string_view s, std::string_view end) {
  return s.size() > end.size() && s.substr(s.size() - end.size()) == end;
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const auto part = next_part(path, '/');
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

/// An id of a container: 64 hexadecimal digits.
bool is_id(std::string_view s) {
  constexpr std::size_t kDigits = 64;
  return s.size() == kDigits && std::all_of(s.begin(), s.end(), [](char c) { return hex_value(c) >= 0; });
}

std::string shortened(std::string_view runtime, std::string_view id) {
  constexpr std::size_t kShort = 12;
  std::string text(runtime);
  if (!id.empty()) text += " " + std::string(is_id(id) ? id.substr(0, kShort) : id);
  return text;
}

struct Pattern {
  std::string_view prefix;
  std::string_view runtime;
};

/// The container that a group's name is made for, or nothing. `above`: the name of the group that it is in.
std::string container_of(std::string_view above, std::string_view part) {
  constexpr std::array<Pattern, 5> kScopes = {{{"docker-", "docker"},
                                               {"libpod-", "podman"},
                                               {"cri-containerd-", "containerd"},
                                               {"crio-", "cri-o"},
                                               {"containerd-", "containerd"}}};
  const auto name = ends_with(part, kScope) ? part.substr(0, part.size() - kScope.size()) : part;
  for (const auto& pattern : kScopes) {
    if (starts_with(name, pattern.prefix) && is_id(name.substr(pattern.prefix.size()))) {
      return shortened(pattern.runtime, name.substr(pattern.prefix.size()));
    }
  }
  constexpr std::string_view kLxc = "lxc.payload.";
  if (starts_with(name, kLxc)) return shortened("lxc", name.substr(kLxc.size()));
  if (above == "lxc") return shortened("lxc", name);
  constexpr std::string_view kNspawn = "systemd-nspawn@";
  if (starts_with(name, kNspawn) && ends_with(name, kService)) {
    return shortened("nspawn", name.substr(kNspawn.size(), name.size() - kNspawn.size() - kService.size()));
  }
  if (is_id(name)) {
    return shortened(above == "docker"                                             ? "docker"
                     : starts_with(above, "kubepods") || starts_with(above, "pod") ? "kubernetes"
                                                                                   : "container",
                     name);
  }
  return {};
}

bool is_session(std::string_view scope) { return starts_with(scope, "session-") || scope == "init.scope"; }

}  // namespace

Placement parse_placement(std::string_view text) {
  std::string unit;
  std::string container;
  bool user_manager = false;
  while (!text.empty()) {
    const auto line = next_part(text, '\n');
    // hierarchy:controllers:path; systemd's own hierarchy has none, or is called name=systemd.
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const bool systemd = controllers.empty() || controllers == "name=systemd";
    std::string_view above;
    std::string inside;
    bool user = false;
    for (const auto part : parts_of(line.substr(second + 1))) {
      const auto found = container_of(above, part);
      user = user || starts_with(part, "user@");
      if (!found.empty()) {
        container = found;
        inside.clear();
        user_manager = user_manager || user;
      } else if (ends_with(part, kService) || (ends_with(part, kScope) && inside.empty() && !is_session(part))) {
        inside = std::string(part);
      }
      above = part;
    }
    if (!systemd || inside.empty()) continue;
    unit = inside;
    user_manager = user;
  }
  Placement placement{Known<std::string>::absent(), user_manager, Known<std::string>::absent()};
  if (!unit.empty()) placement.unit = unit;
  if (!container.empty()) placement.container = container;
  return placement;
}

}  // namespace gpucoop
