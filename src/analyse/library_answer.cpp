#include "analyse/library_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gpucoop {
namespace {

/// `gfx906, gfx908 and 3 more`
std::string target_list(const Library& library, Vendor vendor) {
  constexpr std::size_t kMost = 6;
  std::string text;
  std::size_t count = 0;
  for (const auto& target : library.targets) {
    if (target.vendor != vendor) continue;
    if (++count <= kMost) text += (count == 1 ? "" : ", ") + target.name;
  }
  if (count > kMost) text += fmt::format(" and {} more", count - kMost);
  return text.empty() ? std::string("no GPU of this vendor") : text;
}

std::string why_not(const Library& library, const GpuTarget& target, Vendor vendor) {
  const auto name = target_name(target);
  if (library.packaging == Packaging::kpack) return fmt::format("no archive beside it holds code for {}", name);
  return fmt::format("its code is for {}", target_list(library, vendor));
}

std::string why_unknown(const Library& library, const GpuTarget& target) {
  const auto name = target_name(target);
  if (!library.complete) return fmt::format("part of it could not be read, and what was read has no code for {}", name);
  return fmt::format("it has code for {} with certain settings of xnack or sramecc, and those of the GPU are not known",
                     name);
}

}  // namespace

std::map<Address, GpuTarget> gpu_targets(const std::vector<Fact>& facts) {
  std::map<Address, GpuTarget> targets;
  for (const auto& fact : facts) {
    const auto* value = fact.value.get();
    if (value == nullptr || fact.subject.of.size() != 1) continue;
    if (const auto* gfx = std::get_if<std::string>(value); gfx != nullptr && fact.id == "gpu.gfx") {
      if (const auto target = amd_gpu(std::string_view(*gfx))) targets.insert_or_assign(fact.subject.of[0], *target);
    }
    const auto* capability = std::get_if<double>(value);
    if (capability == nullptr || fact.id != "gpu.compute_capability") continue;
    constexpr double kMost = 1000;
    const auto tenths = std::lround(10 * std::clamp(*capability, 0.0, kMost));
    targets.insert_or_assign(fact.subject.of[0],
                             nvidia_gpu(static_cast<unsigned>(tenths / 10), static_cast<unsigned>(tenths % 10)));
  }
  return targets;
}

std::string target_name(const GpuTarget& target) {
  return target.vendor == Vendor::nvidia ? fmt::format("sm_{}", target.capability) : target.processor;
}

std::string_view found_words(FoundBy by) {
  switch (by) {
    case FoundBy::given: return "as given";
    case FoundBy::preload: return "preloaded";
    case FoundBy::environment: return "of a Python environment";
    case FoundBy::library_path: return "in LD_LIBRARY_PATH";
    case FoundBy::loader_cache: return "in the loader's cache";
    case FoundBy::system_python: return "of the system's Python";
    case FoundBy::system_folder: return "in a system folder";
    case FoundBy::vendor_folder: break;
  }
  return "in the vendor's folder";
}

std::string library_words(const InstalledLibrary& installed) {
  const auto& library = installed.library;
  std::string inside;
  if (!library.version_of.empty()) inside = library.version_of;
  if (library.version.is_known()) inside += (inside.empty() ? "" : " ") + library.version.value();
  inside += (inside.empty() ? "" : ", ") + std::string(found_words(installed.found_by));
  return (installed.file.empty() ? std::string("the library") : installed.file) + " (" + inside + ")";
}

LibraryAnswer answer_for(const InstalledLibrary& installed, const Address& gpu, Vendor vendor,
                         const GpuTarget* target) {
  const auto& library = installed.library;
  LibraryAnswer answer;
  answer.gpu = gpu;
  answer.hostcall_kernels = Known<std::uint64_t>::absent();
  if (vendor != Vendor::amd) answer.needs_atomics = Tri::no;
  if (vendor == Vendor::intel) {
    answer.why = "the device code of Intel's libraries is not listed";
    return answer;
  }
  if (target == nullptr) {
    answer.why = "which processor the GPU has is not known";
    if (vendor == Vendor::amd) answer.hostcall_kernels = Known<std::uint64_t>::unknown(Reason::not_derivable);
    return answer;
  }
  const auto code = carries(library, *target);
  answer.code = to_string(code);
  if (code == Carries::no) answer.why = why_not(library, *target, vendor);
  if (code == Carries::unknown) answer.why = why_unknown(library, *target);
  if (code == Carries::ptx_only) answer.why = "the driver compiles it when it is loaded";
  const auto given = matching(library, *target);
  std::uint64_t hostcalls = 0;
  for (const auto* part : given) {
    answer.targets.push_back(part->name);
    answer.kernels += part->kernels;
    hostcalls += part->hostcall_kernels;
    answer.hostcall_names.insert(answer.hostcall_names.end(), part->hostcall_names.begin(), part->hostcall_names.end());
  }
  if (vendor != Vendor::amd) return answer;
  const auto need = hostcall(library, *target);
  answer.needs_atomics = need == HostcallNeed::needs ? Tri::yes : need == HostcallNeed::free ? Tri::no : Tri::unknown;
  answer.hostcall_kernels =
      given.empty() ? Known<std::uint64_t>::unknown(Reason::not_derivable) : Known<std::uint64_t>(hostcalls);
  return answer;
}

}  // namespace gpucoop
