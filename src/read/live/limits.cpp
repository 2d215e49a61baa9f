#include "read/live/limits.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "read/text.hpp"

namespace gpucoop {
namespace {

Known<std::uint64_t> size_of(const std::string& folder) {
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0) return {};
  return std::uint64_t{status.f_frsize} * status.f_blocks;
}

/// The soft limit of `Max locked memory   8388608   8388608   bytes`.
Known<std::uint64_t> locked_memory(std::string_view limits) {
  constexpr std::string_view kName = "Max locked memory";
  const auto at = limits.find(kName);
  if (at == std::string_view::npos) return {};
  auto value = limits.substr(at + kName.size());
  value = trim(value.substr(0, value.find('\n')));
  value = value.substr(0, value.find(' '));
  if (value == "unlimited") return Known<std::uint64_t>::absent();
  const auto bytes = parse_decimal(value);
  return bytes ? Known<std::uint64_t>(*bytes) : Known<std::uint64_t>::unknown(Reason::damaged);
}

}  // namespace

void read_limits(const Roots& roots, HostReading& host) {
  if (roots.of_this_host) host.shm_bytes = size_of(roots.dev + "/shm");
  const auto proc = roots.open(roots.proc);
  const auto limits = proc.folder("self").text("limits");
  if (limits.is_known()) {
    host.memlock_bytes = locked_memory(limits.value());
  } else if (limits.is_unknown()) {
    host.memlock_bytes = Known<std::uint64_t>::unknown(limits.reason());
  }
  const auto kernel = proc.folder("sys/kernel");
  if (!kernel.ok()) return;
  const auto scope = kernel.folder("yama").text("ptrace_scope");
  if (scope.is_absent()) {
    host.yama_ptrace_scope = Known<unsigned>::absent();
  } else if (scope.is_unknown()) {
    host.yama_ptrace_scope = Known<unsigned>::unknown(scope.reason());
  } else if (const auto value = parse_decimal(scope.value()); value && *value <= 3) {
    host.yama_ptrace_scope = static_cast<unsigned>(*value);
  } else {
    host.yama_ptrace_scope = Known<unsigned>::unknown(Reason::damaged);
  }
}

}  // namespace gpucoop
