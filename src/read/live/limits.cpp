#include "read/live/limits.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "read/live/device_values.hpp"
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
  if (roots.of_this_host) {
    host.shm_bytes = size_of(roots.dev + "/shm");
    host.superuser = ::geteuid() == 0;
  }
  const auto proc = roots.open(roots.proc);
  host.memlock_bytes = converted<std::uint64_t>(proc.folder("self").text("limits"), locked_memory);
  const auto kernel = proc.folder("sys/kernel");
  if (!kernel.ok()) return;
  host.yama_ptrace_scope = kernel.folder("yama").text("ptrace_scope").and_then([](std::string_view scope) {
    const auto value = parse_decimal(scope);
    return value && *value <= 3 ? Known<unsigned>(static_cast<unsigned>(*value))
                                : Known<unsigned>::unknown(Reason::damaged);
  });
}

}  // namespace gpucoop
