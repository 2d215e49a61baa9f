#include "render/inspect_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "render/words.hpp"

namespace gpucoop::words {
namespace {

std::string inside(const Library& library) {
  auto text = library.version_of;
  if (library.version.is_known()) text += (text.empty() ? "version " : " ") + library.version.value();
  return text;
}

/// AtomicOps are spoken of only where the library needs them.
bool same(const LibraryAnswer& a, const InspectedGpu& gpu, const LibraryAnswer& b, const InspectedGpu& other) {
  return gpu.vendor == other.vendor && gpu.target == other.target && a.code == b.code && a.why == b.why &&
         a.targets == b.targets && a.needs_atomics == b.needs_atomics &&
         (a.needs_atomics != Tri::yes || gpu.atomics == other.atomics);
}

}  // namespace

std::string library_name(const Library& library) {
  const auto version = inside(library);
  const auto with = [&](const char* name) {
    return std::string(name) + (version.empty() ? "" : " (" + version + " inside)");
  };
  switch (library.kind) {
    case LibraryKind::rccl: return version.empty() ? "RCCL" : version;
    case LibraryKind::nccl: return version.empty() ? "NCCL" : version;
    case LibraryKind::oneccl: return version.empty() ? "oneCCL" : version;
    case LibraryKind::ggml_hip: return with("ggml for AMD");
    case LibraryKind::ggml_cuda: return with("ggml for NVIDIA");
    case LibraryKind::torch: return with("PyTorch");
    case LibraryKind::other: break;
  }
  return version.empty() ? "no library that is known by name" : version;
}

std::vector<SameAnswer> grouped(const InspectedLibrary& library, const std::vector<InspectedGpu>& gpus) {
  std::vector<SameAnswer> groups;
  for (const auto& answer : library.answers) {
    const auto gpu = std::find_if(gpus.begin(), gpus.end(), [&](const auto& g) { return g.address == answer.gpu; });
    if (gpu == gpus.end()) continue;
    const auto group = std::find_if(groups.begin(), groups.end(),
                                    [&](const SameAnswer& g) { return same(*g.answer, *g.gpu, answer, *gpu); });
    if (group != groups.end()) {
      group->gpus.push_back(answer.gpu);
    } else {
      groups.push_back({{answer.gpu}, &answer, &*gpu});
    }
  }
  return groups;
}

std::string code(const LibraryAnswer& answer, const InspectedGpu& gpu) {
  if (answer.code == "no") return "has no code for it: " + answer.why;
  if (answer.code == "ptx-only") {
    return "has no code for it, but PTX (" + list(answer.targets) + "), which the driver compiles when it is loaded";
  }
  if (answer.code == "unknown") return "whether it has code for it is not known: " + answer.why;
  const bool exactly = answer.targets.size() == 1 && answer.targets.front() == gpu.target;
  return "has code for it" + (exactly || answer.targets.empty() ? "" : " (" + list(answer.targets) + ")");
}

std::string hostcall(const LibraryAnswer& answer, const InspectedGpu& gpu) {
  const auto* declaring = answer.hostcall_kernels.get();
  if (gpu.vendor != Vendor::amd || answer.code == "no" || declaring == nullptr) return {};
  const auto of = count(answer.kernels, "kernel");
  const auto some = fmt::format("{} of {} declare{} a hostcall buffer", *declaring, of, *declaring == 1 ? "s" : "");
  switch (answer.needs_atomics) {
    case Tri::no:
      return (*declaring == 0 ? "none of " + of + " declares a hostcall buffer" : some + " for debugging only") +
             ", so that it needs no PCIe atomics";
    case Tri::unknown:
      return some + ", and some kernels could not be read, so that nobody knows whether it needs PCIe atomics";
    case Tri::yes: break;
  }
  const auto text = some + ", so that it needs PCIe atomics, ";
  switch (gpu.atomics) {
    case Tri::yes: return text + "which reach the CPU from there";
    case Tri::no: return text + "which do not reach the CPU from there: its kernels are refused";
    case Tri::unknown: break;
  }
  return text + "and whether they reach the CPU from there is not known";
}

Style style(const LibraryAnswer& answer, const InspectedGpu& gpu) {
  if (answer.code == "no") return Style::bad;
  if (answer.needs_atomics == Tri::yes && gpu.atomics == Tri::no) return Style::bad;
  const bool open = answer.code == "unknown" || (gpu.vendor == Vendor::amd && answer.needs_atomics == Tri::unknown) ||
                    (answer.needs_atomics == Tri::yes && gpu.atomics == Tri::unknown);
  return open ? Style::warning : Style::good;
}

}  // namespace gpucoop::words
