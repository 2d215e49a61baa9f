#include "codeobj/match.hpp"

#include <algorithm>
#include <array>

#include "codeobj/amd_target.hpp"
#include "codeobj/kpack_files.hpp"

namespace gpucoop {
namespace {

constexpr std::array kStates{TargetFeature::off, TargetFeature::on};

/// Whether code that asks for `code` may run where the switch stands at `gpu`; not known is not excluded.
bool compatible(TargetFeature code, TargetFeature gpu) {
  return code == TargetFeature::any || gpu == TargetFeature::any || code == gpu;
}

/// Processors of systems on a chip: NVIDIA keeps no binary compatibility between them and the others ("CUDA C++
/// Programming Guide": binary compatibility).
bool is_embedded(unsigned capability) {
  constexpr std::array kEmbedded{32U, 53U, 62U, 72U, 87U, 88U};
  return std::ranges::find(kEmbedded, capability) != kEmbedded.end();
}

/// Native code runs on its capability and later minor ones of the same major one.
Tri runs_native(const CodeTarget& code, unsigned capability) {
  if (code.capability == capability) return Tri::yes;
  if (code.variant == 'a' || code.capability / 10 != capability / 10 || code.capability > capability) return Tri::no;
  return is_embedded(code.capability) || is_embedded(capability) ? Tri::unknown : Tri::yes;
}

bool runs_ptx(const CodeTarget& code, unsigned capability) {
  if (code.variant == 'a') return code.capability == capability;
  if (code.variant == 'f' && code.capability / 10 != capability / 10) return false;
  return code.capability <= capability;
}

std::vector<const CodeTarget*> of_processor(const Library& library, const GpuTarget& gpu, CodeForm form) {
  std::vector<const CodeTarget*> found;
  for (const auto& t : library.targets) {
    if (t.vendor != Vendor::amd || t.form != form) continue;
    const bool same =
        form == CodeForm::generic ? codeobj::is_member(t.processor, gpu.processor) : t.processor == gpu.processor;
    if (same && compatible(t.sramecc, gpu.sramecc) && compatible(t.xnack, gpu.xnack)) found.push_back(&t);
  }
  return found;
}

/// Over the states that the switches may be in: yes where there is code for each, no where for none.
Tri covers(const Library& library, const GpuTarget& gpu) {
  if (gpu.sramecc == TargetFeature::any || gpu.xnack == TargetFeature::any) {
    const auto open = gpu.sramecc == TargetFeature::any ? &GpuTarget::sramecc : &GpuTarget::xnack;
    std::array<Tri, 2> answers{};
    for (std::size_t i = 0; i < kStates.size(); ++i) {
      auto set = gpu;
      set.*open = kStates[i];
      answers[i] = covers(library, set);
    }
    return answers[0] == answers[1] ? answers[0] : Tri::unknown;
  }
  return tri(!of_processor(library, gpu, CodeForm::native).empty() ||
             !of_processor(library, gpu, CodeForm::generic).empty());
}

bool has_spirv(const Library& library) {
  return std::ranges::any_of(library.targets,
                             [](const CodeTarget& t) { return t.vendor == Vendor::amd && t.form == CodeForm::spirv; });
}

HostcallNeed need_of(const CodeTarget& target, LibraryKind kind) {
  if (kind == LibraryKind::rccl && target.generic_hostcall) return HostcallNeed::needs;
  if (target.unread > 0 || target.code_objects == 0) return HostcallNeed::unknown;
  if (kind == LibraryKind::rccl) {
    if (target.other_hostcall == 0) return HostcallNeed::free;
    return target.generic_kernel ? HostcallNeed::unknown : HostcallNeed::needs;
  }
  if (target.hostcall_kernels == 0) return HostcallNeed::free;
  return target.hostcall_kernels == target.kernels ? HostcallNeed::needs : HostcallNeed::unknown;
}

}  // namespace

std::string_view to_string(Carries carries) {
  switch (carries) {
    case Carries::no: return "no";
    case Carries::ptx_only: return "ptx-only";
    case Carries::yes: return "yes";
    case Carries::unknown: break;
  }
  return "unknown";
}

std::string_view to_string(HostcallNeed need) {
  switch (need) {
    case HostcallNeed::free: return "free";
    case HostcallNeed::needs: return "needs";
    case HostcallNeed::unknown: break;
  }
  return "unknown";
}

std::optional<GpuTarget> amd_gpu(std::string_view target) {
  const auto parsed = codeobj::parse_amd_target(target);
  if (!parsed || codeobj::is_generic(parsed->processor)) return std::nullopt;
  return GpuTarget{Vendor::amd, parsed->processor, parsed->sramecc, parsed->xnack, 0};
}

std::optional<GpuTarget> amd_gpu(std::uint32_t gfx_target_version) {
  const auto major = gfx_target_version / 10000;
  const auto minor = gfx_target_version / 100 % 100;
  const auto stepping = gfx_target_version % 100;
  if (major == 0 || major > 99 || minor > 15 || stepping > 15) return std::nullopt;
  constexpr std::string_view kDigits = "0123456789abcdef";
  return amd_gpu("gfx" + std::to_string(major) + kDigits[minor] + kDigits[stepping]);
}

GpuTarget nvidia_gpu(unsigned major, unsigned minor) {
  GpuTarget gpu;
  gpu.vendor = Vendor::nvidia;
  gpu.capability = major * 10 + minor;
  return gpu;
}

std::vector<const CodeTarget*> matching(const Library& library, const GpuTarget& gpu) {
  if (gpu.vendor == Vendor::amd) {
    auto found = of_processor(library, gpu, CodeForm::native);
    return found.empty() ? of_processor(library, gpu, CodeForm::generic) : found;
  }
  std::vector<const CodeTarget*> native;
  std::vector<const CodeTarget*> ptx;
  if (gpu.vendor != Vendor::nvidia) return native;
  for (const auto& t : library.targets) {
    if (t.vendor != Vendor::nvidia) continue;
    if (t.form == CodeForm::native && runs_native(t, gpu.capability) == Tri::yes) native.push_back(&t);
    if (t.form == CodeForm::ptx && runs_ptx(t, gpu.capability)) ptx.push_back(&t);
  }
  return native.empty() ? ptx : native;
}

Carries carries(const Library& library, const GpuTarget& gpu) {
  const auto absent = library.complete ? Carries::no : Carries::unknown;
  if (gpu.vendor == Vendor::amd) {
    const auto covered = covers(library, gpu);
    if (covered == Tri::yes) return Carries::yes;
    if (covered == Tri::unknown || has_spirv(library)) return Carries::unknown;
    return absent;
  }
  if (gpu.vendor != Vendor::nvidia) return Carries::unknown;
  const auto found = matching(library, gpu);
  if (!found.empty()) return found.front()->form == CodeForm::ptx ? Carries::ptx_only : Carries::yes;
  const bool unsure = std::ranges::any_of(library.targets, [&](const CodeTarget& t) {
    return t.vendor == Vendor::nvidia && t.form == CodeForm::native && runs_native(t, gpu.capability) == Tri::unknown;
  });
  return unsure ? Carries::unknown : absent;
}

HostcallNeed hostcall(const Library& library, const GpuTarget& gpu) {
  if (gpu.vendor == Vendor::nvidia) return HostcallNeed::free;
  const auto found = matching(library, gpu);
  if (found.empty()) return HostcallNeed::unknown;
  const auto first = need_of(*found.front(), library.kind);
  const bool agreed =
      std::ranges::all_of(found, [&](const CodeTarget* t) { return need_of(*t, library.kind) == first; });
  if (!agreed) return HostcallNeed::unknown;
  // What could not be read may hold the kernel that declares it.
  return first == HostcallNeed::free && !library.complete ? HostcallNeed::unknown : first;
}

std::vector<std::string> missing_kpacks(const Library& library, const GpuTarget& gpu) {
  std::vector<std::string> missing;
  if (library.packaging != Packaging::kpack || gpu.vendor != Vendor::amd || !matching(library, gpu).empty())
    return missing;
  for (const auto& pattern : library.kpack_patterns) {
    auto path = codeobj::expand(pattern, gpu.processor);
    const bool found =
        std::ranges::any_of(library.kpacks, [&](const KpackFile& f) { return f.found && f.path == path; });
    if (!found) missing.push_back(std::move(path));
  }
  return missing;
}

}  // namespace gpucoop
