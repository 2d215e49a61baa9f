#include "probe/privilege.hpp"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace gpucoop::probe {
namespace {

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }
bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// Variables that choose what code is loaded: those of the loader (man ld.so) and of glibc, the plugins and profilers
/// of NCCL and RCCL, the tools and drivers of CUDA, ROCm, Level Zero, oneCCL with its libfabric, OpenCL and hwloc.
bool chooses_code(std::string_view name) {
  constexpr std::array<std::string_view, 12> kNames = {
      "GCONV_PATH",        "GLIBC_TUNABLES",  "CUDA_INJECTION64_PATH", "CUDA_MPS_PIPE_DIRECTORY",
      "HSA_TOOLS_LIB",     "ROCP_TOOL_LIB",   "ZE_ENABLE_ALT_DRIVERS", "FI_PROVIDER_PATH",
      "OCL_ICD_FILENAMES", "OCL_ICD_VENDORS", "HWLOC_PLUGINS_PATH",    "ROCPROFILER_REGISTER_LIBRARY"};
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return true;
  if (starts_with(name, "LD_")) return true;
  const bool collective = starts_with(name, "NCCL_") || starts_with(name, "RCCL_");
  return (collective && (ends_with(name, "_PLUGIN") || ends_with(name, "_PLUGIN_PATH"))) || name == "NCCL_CONF_FILE" ||
         starts_with(name, "CCL_ROOT") || name == "I_MPI_ROOT" || name == "CCL_MPI_LIBRARY_PATH" ||
         name == "CCL_OFI_LIBRARY_PATH" || name == "HIP_PATH" || name == "ROCM_PATH";
}

std::optional<std::string> value_of(const std::vector<std::string>& environment, std::string_view name) {
  for (const auto& variable : environment) {
    if (starts_with(variable, name) && variable.size() > name.size() && variable[name.size()] == '=') {
      return variable.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> number_of(const std::vector<std::string>& environment, std::string_view name) {
  const auto text = value_of(environment, name);
  if (!text) return std::nullopt;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  constexpr auto kNobodyAtAll = static_cast<std::uint32_t>(-1);
  if (error != std::errc() || end != text->data() + text->size() || value == kNobodyAtAll) return std::nullopt;
  return value;
}

void look_up(RankUser& user) {
  constexpr std::size_t kRoom = 16384;
  std::vector<char> room(kRoom);
  struct passwd entry {};
  struct passwd* found = nullptr;
  if (::getpwuid_r(user.user, &entry, room.data(), room.size(), &found) != 0 || found == nullptr) return;
  user.name = entry.pw_name;
  user.home = entry.pw_dir;
  constexpr int kMostGroups = 1024;
  std::array<gid_t, kMostGroups> groups{};
  int count = kMostGroups;
  if (::getgrouplist(entry.pw_name, user.group, groups.data(), &count) < 0) return;
  user.groups.assign(groups.begin(), groups.begin() + count);
}

}  // namespace

Privilege privilege_of(std::uint32_t effective, const std::vector<std::string>& environment) {
  Privilege privilege;
  if (effective != 0) return privilege;
  privilege.kind = Privilege::Kind::root;
  const auto user = number_of(environment, "SUDO_UID");
  const auto group = number_of(environment, "SUDO_GID");
  if (!user || !group || *user == 0) return privilege;
  privilege.kind = Privilege::Kind::sudo;
  privilege.user.user = *user;
  privilege.user.group = *group;
  privilege.user.groups = {*group};
  look_up(privilege.user);
  return privilege;
}

Privilege current_privilege() { return privilege_of(::geteuid(), current_environment()); }

std::vector<std::string> current_environment() {
  std::vector<std::string> variables;
  for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  return variables;
}

RankEnvironment rank_environment(const std::vector<std::string>& inherited, const Privilege& privilege,
                                 const std::vector<std::string>& unset,
                                 const std::vector<std::pair<std::string, std::string>>& set) {
  RankEnvironment result;
  std::map<std::string, std::string> variables;
  std::set<std::string> stripped;
  for (const auto& variable : inherited) {
    const auto equals = variable.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    auto name = variable.substr(0, equals);
    if (privilege.kind == Privilege::Kind::root && chooses_code(name)) {
      stripped.insert(name);
    } else {
      variables.emplace(std::move(name), variable.substr(equals + 1));
    }
  }
  if (privilege.kind == Privilege::Kind::sudo) {
    if (!privilege.user.home.empty()) variables["HOME"] = privilege.user.home;
    if (!privilege.user.name.empty()) variables["USER"] = variables["LOGNAME"] = privilege.user.name;
  }
  for (const auto& name : unset) variables.erase(name);
  for (const auto& [name, value] : set) variables[name] = value;
  for (const auto& [name, value] : variables) result.variables.push_back(name + "=" + value);
  result.stripped.assign(stripped.begin(), stripped.end());
  return result;
}

bool take_on(const Privilege& privilege) {
  if (privilege.kind != Privilege::Kind::sudo) return true;
  const auto& user = privilege.user;
  const std::vector<gid_t> groups(user.groups.begin(), user.groups.end());
  if (::setgroups(groups.size(), groups.data()) != 0) return false;
  if (::setresgid(user.group, user.group, user.group) != 0) return false;
  if (::setresuid(user.user, user.user, user.user) != 0) return false;
  return user.user == 0 || ::setuid(0) != 0;  // the way back is closed
}

}  // namespace gpucoop::probe
