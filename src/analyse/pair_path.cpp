#include "analyse/pair_path.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gpucoop {
namespace {

bool top_is(const Chain& chain, PortType type) {
  const auto* device = chain.steps.front().device;
  const auto* express = device == nullptr ? nullptr : device->express.get();
  return express != nullptr && express->type.is(type);
}

bool same_bus(const Address& a, const Address& b) { return a.domain == b.domain && a.bus == b.bus; }

bool one_device(const GpuView& a, const GpuView& b) {
  const auto& x = a.gpu.address;
  const auto& y = b.gpu.address;
  if (same_bus(x, y) && x.device == y.device) return true;
  const auto& pf_a = a.physical_function;
  const auto& pf_b = b.physical_function;
  return pf_a.is(y) || pf_b.is(x) || (pf_a.is_known() && pf_a == pf_b);
}

std::size_t shared_steps(const Chain& a, const Chain& b) {
  std::size_t n = 0;
  while (n + 1 < a.steps.size() && n + 1 < b.steps.size() && a.steps[n].address == b.steps[n].address) ++n;
  return n;
}

std::size_t switches_below(const Chain& chain, std::size_t shared) {
  std::size_t n = 0;
  for (std::size_t i = shared; i + 1 < chain.steps.size(); ++i) {
    const auto& step = chain.steps[i];
    if (step.facing == Facing::up && !step.on_card) ++n;
  }
  return n;
}

CommonPath below_common(const GpuView& a, const GpuView& b, std::size_t shared) {
  const auto& common = a.chain.steps[shared - 1];
  CommonPath result;
  result.shared = shared;
  if (common.on_card) {
    result.path = PairPath::same_card;
    result.why = fmt::format("both are on one card, below its switch {}", short_form(common.address));
    return result;
  }
  const auto more = switches_below(a.chain, shared) + switches_below(b.chain, shared);
  result.path = more == 0 ? PairPath::switch_ : PairPath::switches;
  result.why = more == 0 ? fmt::format("both are below {}", short_form(common.address))
                         : fmt::format("both are below {}, over more than one switch", short_form(common.address));
  return result;
}

bool at_the_host(const Chain& chain) { return chain.reaches_root() || chain.host_attached; }

CommonPath over_the_host(const GpuView& a, const GpuView& b) {
  CommonPath result;
  const auto& top_a = a.chain.steps.front().address;
  const auto& top_b = b.chain.steps.front().address;
  const bool root_ports = top_is(a.chain, PortType::root_port) && top_is(b.chain, PortType::root_port);
  if (same_bus(top_a, top_b) && ((a.chain.on_root_bus && b.chain.on_root_bus) || root_ports)) {
    result.path = PairPath::host_bridge;
    result.why = fmt::format("different ports of one root bus, {:04x}:{:02x}", top_a.domain, top_a.bus);
    return result;
  }
  if (same_bus(top_a, top_b) && top_is(a.chain, PortType::switch_downstream) &&
      top_is(b.chain, PortType::switch_downstream)) {
    result.path = PairPath::switch_;
    result.why = fmt::format("two downstream ports of one switch, on bus {:02x}", top_a.bus);
    return result;
  }
  const auto& node_a = a.gpu.numa_node;
  const auto& node_b = b.gpu.numa_node;
  const auto& package_a = a.gpu.package;
  const auto& package_b = b.gpu.package;
  const bool nodes = node_a.is_known() && node_b.is_known() && node_a.value() >= 0 && node_b.value() >= 0;
  const bool packages = package_a.is_known() && package_b.is_known();
  if (packages && package_a.value() != package_b.value()) {
    result.path = PairPath::socket;
    result.why = fmt::format("on different processors, package {} and {}", package_a.value(), package_b.value());
    return result;
  }
  if (nodes && node_a.value() != node_b.value()) {
    result.path = packages ? PairPath::numa_node : PairPath::socket;
    result.why = fmt::format("on NUMA nodes {} and {}{}", node_a.value(), node_b.value(),
                             packages ? " of one processor" : "; whether these are two processors was not read");
    return result;
  }
  if (at_the_host(a.chain) && at_the_host(b.chain) && (packages || nodes)) {
    result.path = PairPath::numa_node;
    result.why = nodes ? fmt::format("different root ports of NUMA node {}", node_a.value())
                       : fmt::format("different root ports of processor package {}", package_a.value());
    return result;
  }
  result.why = "the bridges above both, or where their root buses meet, were not read";
  return result;
}

}  // namespace

CommonPath common_path(const GpuView& a, const GpuView& b) {
  const auto shared = shared_steps(a.chain, b.chain);
  if (one_device(a, b)) return {PairPath::same_card, shared, "functions of one device"};
  if (shared > 0) return below_common(a, b, shared);
  return over_the_host(a, b);
}

}  // namespace gpucoop
