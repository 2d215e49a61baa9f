#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/library.hpp"

namespace gpucoop {

/// Whether a library carries code that a GPU can run. `unknown`: part of the library could not be read, or the answer
/// hangs on a feature of the GPU (xnack, sramecc) that is not stated.
enum class Carries : std::uint8_t { no, unknown, ptx_only, yes };
/// `no`, `unknown`, `ptx-only`, `yes`.
[[nodiscard]] std::string_view to_string(Carries carries);

/// Whether the kernels that the GPU would run declare a hostcall buffer, hence need PCIe atomics.
enum class HostcallNeed : std::uint8_t { free, unknown, needs };
/// `free`, `unknown`, `needs`.
[[nodiscard]] std::string_view to_string(HostcallNeed need);

/// A GPU as far as matching goes.
struct GpuTarget {
  Vendor vendor = Vendor::other;
  std::string processor;  ///< AMD: `gfx1201`
  /// AMD: `any` where it is not known which way the GPU is set (or it has no such switch).
  TargetFeature sramecc = TargetFeature::any;
  TargetFeature xnack = TargetFeature::any;
  unsigned capability = 0;  ///< NVIDIA: 90 for 9.0
};
/// From `gfx1201` or `gfx90a:sramecc+:xnack-`, with or without `amdgcn-amd-amdhsa--` before it. Nothing where the text
/// is no such name.
[[nodiscard]] std::optional<GpuTarget> amd_gpu(std::string_view target);
/// From KFD's gfx_target_version: 120001 is gfx1201, 90010 is gfx90a.
[[nodiscard]] std::optional<GpuTarget> amd_gpu(std::uint32_t gfx_target_version);
/// From a compute capability: 9, 0.
[[nodiscard]] GpuTarget nvidia_gpu(unsigned major, unsigned minor);

/// The targets whose code this GPU would be given: those made for its processor, else those made for its family.
/// Pointers into `library.targets`.
[[nodiscard]] std::vector<const CodeTarget*> matching(const Library& library, const GpuTarget& gpu);

[[nodiscard]] Carries carries(const Library& library, const GpuTarget& gpu);

/// For RCCL its `ncclDevKernel_Generic…` kernels decide; where these are free of it but others that need no debugging
/// switch are not, it is `unknown`. For other libraries: `needs` where every kernel declares the buffer, `unknown`
/// where some do (which of them are used is not in the file). `unknown` too where the library carries no code for the
/// GPU or its kernels could not be listed. NVIDIA has no such gate: `free`.
[[nodiscard]] HostcallNeed hostcall(const Library& library, const GpuTarget& gpu);

/// Packaging `kpack`: the archives in which the GPU's code should be and none of which is there; empty where one was
/// found or none is needed.
[[nodiscard]] std::vector<std::string> missing_kpacks(const Library& library, const GpuTarget& gpu);

}  // namespace gpucoop
