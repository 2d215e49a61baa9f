#include "runtime/nvml/links.hpp"

#include <algorithm>

namespace gpucoop::runtime::nvml {

Known<std::uint32_t> links_between(const wire::NvmlGpu& a, const wire::NvmlGpu& b) {
  std::uint32_t direct = 0;
  bool told = true;
  const auto to_switches = [&](const wire::NvmlGpu& gpu) {
    std::uint32_t count = 0;
    for (const auto& link : gpu.links) {
      if (!link.active) continue;
      count += link.remote_kind.is("switch") ? 1U : 0U;
      told = told && (link.remote.is_known() || link.remote_kind.is_known());
    }
    return count;
  };
  const std::uint32_t switched = std::min(to_switches(a), to_switches(b));
  for (const auto& link : a.links) direct += link.active && link.remote.is(b.address) ? 1U : 0U;
  if (direct + switched == 0 && !told) return Known<std::uint32_t>::unknown(Reason::not_derivable);
  return direct != 0 ? direct : switched;
}

}  // namespace gpucoop::runtime::nvml
