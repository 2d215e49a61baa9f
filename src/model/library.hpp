#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/known.hpp"
#include "model/vendor.hpp"
#include "model/warning.hpp"

namespace gpucoop {

/// What a library is to the question of working together. By its soname, else by its file's name.
enum class LibraryKind : std::uint8_t { rccl, nccl, oneccl, ggml_hip, ggml_cuda, torch, other };
/// `rccl`, `nccl`, `oneccl`, `ggml-hip`, `ggml-cuda`, `torch`, `other`.
[[nodiscard]] std::string_view to_string(LibraryKind kind);

/// How device code is stored. `kpack`: split off into archives beside the library. `compressed`: at least one bundle or
/// entry is. `none`: the library carries no device code.
enum class Packaging : std::uint8_t { none, fatbin, compressed, kpack };
/// `none`, `fatbin`, `compressed`, `kpack`.
[[nodiscard]] std::string_view to_string(Packaging packaging);

/// What device code was built for: a processor's own instructions (`gfx1201`, `sm_90`), a family of processors
/// (`gfx11-generic`), NVIDIA's intermediate code that the driver compiles (`compute_90`), or SPIR-V.
enum class CodeForm : std::uint8_t { native, generic, ptx, spirv };
/// `native`, `generic`, `ptx`, `spirv`.
[[nodiscard]] std::string_view to_string(CodeForm form);

/// A feature of an AMD target. `any`: the code runs with it on or off, or the processor has no such switch.
enum class TargetFeature : std::uint8_t { any, off, on };
/// `any`, `off`, `on`.
[[nodiscard]] std::string_view to_string(TargetFeature feature);

/// All device code of a library for one target.
struct CodeTarget {
  Vendor vendor = Vendor::other;
  CodeForm form = CodeForm::native;
  /// As its tools write it: `gfx90a:sramecc+:xnack-`, `gfx11-generic`, `sm_90a`, `compute_90`.
  std::string name;
  std::string processor;  ///< AMD: the name without features; else empty
  TargetFeature sramecc = TargetFeature::any;
  TargetFeature xnack = TargetFeature::any;
  unsigned capability = 0;  ///< NVIDIA: 90 is compute capability 9.0; else 0
  char variant = 0;         ///< NVIDIA: `a` (this capability only), `f` (its family), or 0
  std::string
      ptx_version;  ///< NVIDIA PTX: the highest PTX ISA version, `8.8`; empty where there is none or it is unread

  std::uint64_t code_objects = 0;
  std::uint64_t unread = 0;  ///< of these, how many's kernels could not be listed (damaged, or no list in the format)
  std::uint64_t bytes = 0;   ///< uncompressed where the container says it
  /// AMD: kernels in the code objects that could be read. Zero where there is no such list (NVIDIA).
  std::uint64_t kernels = 0;
  std::uint64_t hostcall_kernels = 0;  ///< of these, how many declare `hidden_hostcall_buffer`
  bool generic_kernel = false;         ///< an `ncclDevKernel_Generic…` is among the kernels
  bool generic_hostcall = false;       ///< and declares the buffer
  /// Other kernels that declare it and are used without a debugging switch (not `ncclDevKernelDebug_…`).
  std::uint64_t other_hostcall = 0;
  std::vector<std::string> hostcall_names;  ///< the first of them by name, at most `kMaxNames`

  static constexpr std::size_t kMaxNames = 64;
};

/// An archive that a library of packaging `kpack` names.
struct KpackFile {
  std::string path;
  bool found = false;  ///< false: looked for, for a processor that was asked about, and not there
  std::string target;  ///< the target that the path was formed with; empty where the path has no place for it
};

/// What one collective library (or a library that uses one) carries. Nothing here was executed to learn it.
struct Library {
  std::string path;  ///< as it was given
  LibraryKind kind = LibraryKind::other;
  Vendor vendor = Vendor::other;
  std::string soname;          ///< empty where it has none
  Known<std::string> version;  ///< `2.28.9+cuda13.0`: of the collective code inside, whatever the library is
  std::string version_of;      ///< whose version it is: `RCCL`, `NCCL`, `oneCCL`; empty where unknown
  std::string sha256;          ///< 64 hexadecimal digits as `sha256sum` prints them; empty where not asked for
  std::uint64_t size = 0;      ///< bytes
  Packaging packaging = Packaging::none;
  /// False where some of the device code could not be read: then a target that is not listed may still be there.
  bool complete = true;
  std::vector<CodeTarget> targets;  ///< by vendor, then name as people count (`gfx906` before `gfx1030`)

  /// Packaging `kpack`: where archives are looked for, with `@GFXARCH@` in the place of the target.
  std::vector<std::string> kpack_patterns;
  std::vector<KpackFile> kpacks;
  std::vector<std::string> plugins;  ///< names of plugin files beside the library
  std::vector<Warning> warnings;     ///< codes `library.…`; `where` is file and offset

  static constexpr std::size_t kMaxTargets = 256;
  static constexpr std::size_t kMaxWarnings = 32;
};

}  // namespace gpucoop
