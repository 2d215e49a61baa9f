#include "analyse/library_facts.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "analyse/library_answer.hpp"
#include "base/list.hpp"

namespace gpucoop {
namespace {

std::string_view library_of(Vendor vendor) {
  switch (vendor) {
    case Vendor::amd: return "RCCL";
    case Vendor::nvidia: return "NCCL";
    case Vendor::intel: return "oneCCL";
    case Vendor::other: break;
  }
  return "collective library";
}

Known<FactValue> code_value(const LibraryAnswer& answer, const InstalledLibrary& installed) {
  if (answer.code == "yes" || answer.code == "ptx-only") return FactValue(true);
  if (answer.code == "no") return FactValue(false);
  return Known<FactValue>::unknown(installed.library.complete ? Reason::not_derivable : Reason::damaged);
}

std::string code_evidence(const LibraryAnswer& answer, const InstalledLibrary& installed) {
  const auto library = library_words(installed);
  if (answer.code == "no") return library + " has no code for this GPU: " + answer.why;
  if (answer.code == "unknown") return library + ": " + answer.why;
  std::string text = library + " has code for ";
  for (std::size_t i = 0; i < answer.targets.size(); ++i) text += (i == 0 ? "" : ", ") + answer.targets[i];
  return text + (answer.why.empty() ? "" : ", and " + answer.why);
}

Known<FactValue> hostcall_value(const LibraryAnswer& answer, const InstalledLibrary& installed) {
  if (answer.needs_atomics != Tri::unknown) return FactValue(answer.needs_atomics == Tri::yes);
  return Known<FactValue>::unknown(installed.library.complete ? Reason::not_derivable : Reason::damaged);
}

std::string hostcall_evidence(const LibraryAnswer& answer, const InstalledLibrary& installed) {
  const auto library = library_words(installed);
  const auto* count = answer.hostcall_kernels.get();
  if (count == nullptr) return library + ": no kernels for this GPU to look at";
  auto text =
      fmt::format("{}: {} of {} kernels for this GPU declare hidden_hostcall_buffer", library, *count, answer.kernels);
  if (*count > 0 && answer.needs_atomics == Tri::no) text += ", and only debugging switches use them";
  if (answer.needs_atomics == Tri::unknown) text += ", and some kernels could not be read";
  return text;
}

bool differ(const LibraryAnswer& a, const LibraryAnswer& b) {
  return a.code != b.code || a.needs_atomics != b.needs_atomics;
}

/// In words: `has no code for it`, `needs PCIe atomics`.
std::string standing(const LibraryAnswer& answer) {
  if (answer.code == "no") return "has no code for it";
  if (answer.code == "unknown") return "may or may not have code for it";
  if (answer.needs_atomics == Tri::yes) return "needs PCIe atomics";
  return answer.needs_atomics == Tri::no ? "needs no PCIe atomics" : "may or may not need PCIe atomics";
}

class LibraryFacts {
 public:
  LibraryFacts(const std::vector<InstalledLibrary>& libraries, Topology& topology)
      : libraries_(libraries), topology_(topology), targets_(gpu_targets(topology.facts)) {}

  void run() {
    for (const auto& gpu : topology_.gpus) {
      if (gpu.compute && (gpu.vendor == Vendor::amd || gpu.vendor == Vendor::nvidia)) judge(gpu);
    }
    for (const auto& [text, gpus] : differences_) {
      const auto of = list_in_words(gpus, [](const Address& gpu) { return short_form(gpu); });
      topology_.warnings.push_back({"library.differ", "For " + of + ", " + text, to_string(gpus.front())});
    }
  }

 private:
  void judge(const Gpu& gpu) {
    const auto found = targets_.find(gpu.address);
    const auto* target = found == targets_.end() ? nullptr : &found->second;
    const InstalledLibrary* counts = nullptr;
    LibraryAnswer answer;
    for (const auto& installed : libraries_) {
      if (!serves(installed, gpu.vendor)) continue;
      auto own = answer_for(installed, gpu.address, gpu.vendor, target);
      if (counts == nullptr) {
        counts = &installed;
        answer = std::move(own);
      } else if (counts->found_by != FoundBy::given && differ(answer, own)) {
        note_difference(gpu, *counts, answer, installed, own);
        break;
      }
    }
    if (counts == nullptr) return none(gpu);
    add(gpu, "library.code_object", code_value(answer, *counts), code_evidence(answer, *counts));
    if (gpu.vendor != Vendor::amd) return;
    add(gpu, "library.hostcall", hostcall_value(answer, *counts), hostcall_evidence(answer, *counts));
  }

  void none(const Gpu& gpu) {
    const auto nothing = Known<FactValue>::unknown(Reason::not_inspected);
    const auto why = fmt::format(
        "no {} was found: not among the loader's libraries, not in a Python environment, not "
        "in the vendor's folder",
        library_of(gpu.vendor));
    add(gpu, "library.code_object", nothing, why);
    if (gpu.vendor == Vendor::amd) add(gpu, "library.hostcall", nothing, why);
  }

  void add(const Gpu& gpu, const char* id, Known<FactValue> value, std::string evidence) {
    topology_.facts.push_back(
        {id, {SubjectKind::library, {gpu.address}}, std::move(value), Tier::queried, std::move(evidence)});
  }

  void note_difference(const Gpu& gpu, const InstalledLibrary& first, const LibraryAnswer& first_answer,
                       const InstalledLibrary& other, const LibraryAnswer& other_answer) {
    differences_[fmt::format("{} counts, since PyTorch's engines load it first: it {}. {} {}. To judge with that one, "
                             "name it with --library.",
                             library_words(first), standing(first_answer), library_words(other),
                             standing(other_answer))]
        .push_back(gpu.address);
  }

  const std::vector<InstalledLibrary>& libraries_;
  Topology& topology_;
  std::map<Address, GpuTarget> targets_;
  std::map<std::string, std::vector<Address>> differences_;
};

}  // namespace

void add_library_facts(const Recording& recording, Topology& topology) {
  if (const auto* libraries = recording.libraries.get()) LibraryFacts(*libraries, topology).run();
}

Inspection inspection_of(std::vector<InspectedLibrary> libraries, const Topology& topology) {
  Inspection inspection;
  inspection.live = topology.host.live;
  const auto targets = gpu_targets(topology.facts);
  for (const auto& gpu : topology.gpus) {
    if (!gpu.compute) continue;
    const auto found = targets.find(gpu.address);
    const auto* target = found == targets.end() ? nullptr : &found->second;
    inspection.gpus.push_back(
        {gpu.address, gpu.name, gpu.vendor, target == nullptr ? "" : target_name(*target), gpu.atomics.state});
    for (auto& library : libraries) {
      const auto& installed = library.installed;
      const auto vendor = installed.library.vendor;
      if (vendor != gpu.vendor && vendor != Vendor::other) continue;
      library.answers.push_back(answer_for(installed, gpu.address, gpu.vendor, target));
    }
  }
  inspection.libraries = std::move(libraries);
  return inspection;
}

}  // namespace gpucoop
