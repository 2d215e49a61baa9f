#include "model/topology.hpp"

#include <algorithm>

namespace gpucoop {

std::string_view to_string(Vendor vendor) {
  switch (vendor) {
    case Vendor::amd: return "amd";
    case Vendor::nvidia: return "nvidia";
    case Vendor::intel: return "intel";
    case Vendor::other: return "other";
  }
  return "other";
}

std::string_view to_string(Role role) {
  switch (role) {
    case Role::root_port: return "root-port";
    case Role::switch_upstream: return "switch-upstream";
    case Role::switch_downstream: return "switch-downstream";
    case Role::endpoint: return "endpoint";
    case Role::integrated_endpoint: return "integrated-endpoint";
    case Role::bridge: return "bridge";
    case Role::unknown: return "unknown";
  }
  return "unknown";
}

std::string_view to_string(LinkState state) {
  switch (state) {
    case LinkState::full: return "full";
    case LinkState::idle: return "idle";
    case LinkState::downgraded: return "downgraded";
    case LinkState::unknown: return "unknown";
  }
  return "unknown";
}

std::string_view to_string(PairPath path) {
  switch (path) {
    case PairPath::same_card: return "same-card";
    case PairPath::switch_: return "switch";
    case PairPath::switches: return "switches";
    case PairPath::host_bridge: return "host-bridge";
    case PairPath::numa_node: return "numa-node";
    case PairPath::socket: return "socket";
    case PairPath::unknown: return "unknown";
  }
  return "unknown";
}

std::string_view to_string(PeerExpectation e) {
  switch (e) {
    case PeerExpectation::likely: return "likely";
    case PeerExpectation::slower: return "slower";
    case PeerExpectation::not_expected: return "not-expected";
    case PeerExpectation::unknown: return "unknown";
  }
  return "unknown";
}

const Gpu* find_gpu(const Topology& topology, const Address& a) {
  const auto it =
      std::find_if(topology.gpus.begin(), topology.gpus.end(), [&](const Gpu& g) { return g.address == a; });
  return it == topology.gpus.end() ? nullptr : &*it;
}

}  // namespace gpucoop
