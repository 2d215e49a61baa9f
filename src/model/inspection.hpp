#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/address.hpp"
#include "base/known.hpp"
#include "model/installed_library.hpp"
#include "model/topology.hpp"

namespace gpucoop {

/// What one library is to one GPU.
struct LibraryAnswer {
  Address gpu;
  std::string code = "unknown";      ///< whether it carries the GPU's code: `yes`, `no`, `ptx-only`, `unknown`
  std::string why;                   ///< of what it is not a plain yes
  std::vector<std::string> targets;  ///< the targets whose code the GPU would be given
  std::uint64_t kernels = 0;         ///< of these; 0 also where the format has no list of kernels
  Known<std::uint64_t>
      hostcall_kernels;  ///< of these, how many declare a hostcall buffer; absent: not asked of this GPU
  std::vector<std::string> hostcall_names;
  Tri needs_atomics = Tri::unknown;  ///< whether its kernels need PCIe AtomicOps that reach the CPU
};

/// A GPU as far as libraries go.
struct InspectedGpu {
  Address address;
  Known<std::string> name;
  Vendor vendor = Vendor::other;
  std::string target;  ///< `gfx1201`, `sm_90`; empty where it is not known
  Tri atomics = Tri::unknown;
};

struct InspectedLibrary {
  InstalledLibrary installed;
  std::vector<std::string> also;  ///< other ways in which the same file was found
  std::vector<LibraryAnswer> answers;
};

/// What `gpucoop inspect` found.
struct Inspection {
  bool live = false;               ///< the GPUs are those of the running host
  std::vector<InspectedGpu> gpus;  ///< those that compute
  std::vector<InspectedLibrary> libraries;
  bool searched = false;               ///< no files were named: libraries were looked for
  std::vector<std::string> looked_in;  ///< for people: where
  std::vector<Warning> warnings;
};

}  // namespace gpucoop
