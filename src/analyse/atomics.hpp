#pragma once

#include <vector>

#include "analyse/chain.hpp"
#include "model/topology.hpp"

namespace gpucoop {

/// What the atomics judgement needs to know about one GPU.
struct AtomicsCase {
  const Chain* chain = nullptr;
  Vendor vendor = Vendor::other;
  bool integrated = false;
  bool virtual_function = false;
  bool lost = false;
  Tri virtualized = Tri::unknown;
  Tri driver = Tri::unknown;  ///< what the driver said
  /// amdgpu is bound to it, and its ids are those of a GPU inside a processor. Being on the root bus is not enough: a
  /// hypervisor puts cards there too.
  bool amdgpu_on_processor = false;
};

/// The rule of `pci_enable_atomic_ops_to_root` (Linux drivers/pci/pci.c) for 32- and 64-bit operations: the first root
/// port upwards must complete both sizes (its Routing bit does not matter), every switch port between must route,
/// no upstream port may block egress; other bridges are skipped. Registers that an old capability does not have count
/// as clear. One hop that surely blocks decides; else one unknown register leaves the path unknown.
/// A virtual machine, an integrated GPU and a virtual function are never *yes* by their chain.
[[nodiscard]] AtomicsJudgement judge_atomics(const AtomicsCase& gpu);

/// Findings about a discrete AMD GPU: path, driver and Requester Enable that do not fit together, with likely causes.
[[nodiscard]] std::vector<Warning> atomics_findings(const AtomicsCase& gpu, const AtomicsJudgement& judgement,
                                                    const HostReading& host);

}  // namespace gpucoop
