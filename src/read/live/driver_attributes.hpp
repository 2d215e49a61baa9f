#pragma once

#include <vector>

#include "model/recording.hpp"
#include "read/live/folder.hpp"
#include "read/live/reports.hpp"

namespace gpucoop {

/// The DRM device nodes of a GPU: N of `/dev/dri/renderDN` and of `/dev/dri/cardN`.
struct DeviceNodes {
  static constexpr Topic kTopic = Topic::device_nodes;
  Address address;
  std::vector<std::uint32_t> render;
  std::vector<std::uint32_t> cards;

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.address, self.render, self.cards);
  }
};

/// What amdgpu states about a GPU's memory, in bytes. Reading it touches no hardware
/// (drivers/gpu/drm/amd/amdgpu/amdgpu_vram_mgr.c).
struct DriverAttributes {
  static constexpr Topic kTopic = Topic::driver_attributes;
  Address address;
  Known<std::uint64_t> vram;
  Known<std::uint64_t> visible_vram;  ///< as much of it as the processor reaches
  Known<std::uint64_t> used_vram;

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.address, self.vram, self.visible_vram, self.used_vram);
  }
};

/// Reports the nodes of GPUs and the memory of those with amdgpu. A sleeping one's driver is not asked: its memory is
/// `asleep`.
void read_driver_attributes(const Folder& sys, const std::vector<Address>& gpus, Reports& reports);

/// Writes both into the device they are about.
void apply_driver_attributes(const DriverAttributes& attributes, Recording& recording);
void apply_device_nodes(const DeviceNodes& nodes, Recording& recording);

}  // namespace gpucoop
