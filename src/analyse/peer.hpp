#pragma once

#include <string>

#include "analyse/pair_path.hpp"

namespace gpucoop {

/// Whether the host forwards peer traffic between root ports, by the rule of the kernel's p2pdma
/// (drivers/pci/p2pdma.c: AMD processors of family 17h on, listed host bridges).
enum class HostForwarding : std::uint8_t { yes, same_bridge_only, not_listed, unknown };
[[nodiscard]] HostForwarding host_forwarding(const HostView& host, const Chain& chain);

/// What is known of two GPUs when peer traffic is judged.
struct PeerCase {
  const GpuView* a = nullptr;
  const GpuView* b = nullptr;
  PairPath path = PairPath::unknown;
  bool fabric = false;
  Known<bool> redirect;
};

/// What the hardware and the kernel let one expect of direct peer traffic. `likely` never means that it works: only a
/// probe shows that.
struct PeerVerdict {
  PeerExpectation expectation = PeerExpectation::unknown;
  std::string why;
};
[[nodiscard]] PeerVerdict judge_peer(const HostView& host, const PeerCase& pair);

}  // namespace gpucoop
