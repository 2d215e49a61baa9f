#include "probe/findings_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/list.hpp"
#include "read/log/log_reader.hpp"

namespace gpucoop::probe {
namespace {

/// Why the driver refuses, in words, and what would change it.
std::string_view why_refused(std::string_view status) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kWhy = {{
      {"chipset-not-supported",
       "it does not trust the processor's host bridge with it (chipset not supported): it allows it below one PCIe "
       "switch and over the host bridges that it knows"},
      {"gpu-not-supported",
       "the GPUs do not do it (GPU not supported): most GeForce cards over PCI Express, GPUs of different "
       "generations, and ones that are split by MIG; NVLink bridges or professional cards would"},
      {"topology-not-supported",
       "the GPUs are below different I/O hubs (topology not supported): put both into slots of one processor"},
      {"disabled-by-registry",
       "a setting of its module turns it off (disabled by registry key): look for NVreg_RegistryDwords in "
       "/etc/modprobe.d and in /proc/driver/nvidia/params"},
      {"not-supported", "it is not supported here, and the driver does not say why (virtual machines, vGPU, MIG)"},
  }};
  for (const auto& [word, why] : kWhy) {
    if (status == word) return why;
  }
  return {};
}

class Finder {
 public:
  Finder(const wire::NvmlState& state, const std::vector<Address>& gpus) : state_(state) {
    for (const auto& gpu : gpus) wanted_.push_back(to_string(gpu));
  }

  std::vector<Warning> run() {
    for (const auto& gpu : state_.gpus) {
      if (!is_wanted(gpu.address)) continue;
      use(gpu);
      health(gpu);
    }
    refusals();
    return std::move(findings_);
  }

 private:
  [[nodiscard]] bool is_wanted(const std::string& address) const {
    return std::find(wanted_.begin(), wanted_.end(), address) != wanted_.end();
  }
  void tell(const char* code, std::string text, const std::string& where) {
    findings_.push_back({code, std::move(text), where});
  }

  void use(const wire::NvmlGpu& gpu) {
    const auto& a = gpu.address;
    if (gpu.mig.is(true)) {
      tell("probe.mig",
           fmt::format("{} is in MIG mode: there is no direct traffic to other GPUs, and without instances no program "
                       "can use it at all. To have the whole GPU: sudo nvidia-smi -i {} -mig 0.",
                       a, a),
           a);
    }
    if (gpu.fabric.is_known() && gpu.fabric.value() != "completed") {
      tell("probe.fabric",
           fmt::format("The NVLink fabric of {} is not set up ({}): start the fabric manager of the driver's version "
                       "(sudo systemctl enable --now nvidia-fabricmanager) and look into /var/log/fabricmanager.log.",
                       a, gpu.fabric.value()),
           a);
    }
    if (gpu.compute_mode.is("prohibited")) {
      tell("probe.compute-mode",
           fmt::format("{} lets no program compute (compute mode prohibited): sudo nvidia-smi -i {} -c DEFAULT.", a, a),
           a);
    } else if (gpu.compute_mode.is("exclusive-process") || gpu.compute_mode.is("exclusive-thread")) {
      tell("probe.compute-mode",
           fmt::format("{} lets in one process at a time (compute mode {}): where several are to share it, sudo "
                       "nvidia-smi -i {} -c DEFAULT.",
                       a, gpu.compute_mode.value(), a),
           a);
    }
  }

  void health(const wire::NvmlGpu& gpu) {
    const auto& a = gpu.address;
    if (gpu.uncorrected_errors.value_or(0) != 0) {
      tell("probe.memory-errors",
           fmt::format("The memory of {} has had {} errors that could not be corrected since the driver was loaded: "
                       "nvidia-smi -q -d ECC,ROW_REMAPPER; reset the GPU when nobody uses it.",
                       a, gpu.uncorrected_errors.value()),
           a);
    }
    auto held = wire::clock_reason_words(gpu.clock_reasons.value_or(0));
    if (!held.empty()) {
      tell("probe.clocks",
           fmt::format("The clocks of {} are held down ({}), so that rates are lower than they could be.", a,
                       list_in_words(held)),
           a);
    }
  }

  /// The pairs that the driver refuses, together where it gives one reason.
  void refusals() {
    std::vector<std::pair<std::string, std::vector<std::string>>> refused;
    for (const auto& pair : state_.pairs) {
      if (!is_wanted(pair.from) || !is_wanted(pair.to) || pair.nvlink.is("ok")) continue;
      for (const auto& [what, status] : {std::pair("reads and writes", &pair.write), std::pair("reads", &pair.read)}) {
        if (!status->is_known() || why_refused(status->value()).empty()) continue;
        const auto why = std::string(what) + ": " + std::string(why_refused(status->value()));
        const auto same = std::find_if(refused.begin(), refused.end(), [&](const auto& r) { return r.first == why; });
        auto& pairs =
            same == refused.end() ? refused.emplace_back(why, std::vector<std::string>()).second : same->second;
        const auto back = pair.to + " - " + pair.from;
        if (std::find(pairs.begin(), pairs.end(), back) == pairs.end()) pairs.push_back(pair.from + " - " + pair.to);
        break;
      }
    }
    constexpr std::size_t kMost = 4;
    for (auto& [why, pairs] : refused) {
      const auto more = pairs.size() > kMost ? pairs.size() - kMost : 0;
      if (more != 0) pairs.resize(kMost);
      auto of = list_in_words(pairs);
      if (more != 0) of += fmt::format(" and {} more pairs", more);
      tell("probe.peer-refused", fmt::format("NVIDIA's driver refuses direct traffic of {}, {}.", of, why),
           pairs.front().substr(0, pairs.front().find(' ')));
    }
  }

  const wire::NvmlState& state_;
  std::vector<std::string> wanted_;
  std::vector<Warning> findings_;
};

}  // namespace

std::vector<Warning> driver_findings(const wire::NvmlState& state, const std::vector<Address>& gpus) {
  return Finder(state, gpus).run();
}

std::string meaning_of(std::string_view words, const Rules& rules) {
  LogReader reader(rules);
  if (!reader.take(words, Place{})) return {};
  const auto lines = reader.finish();
  const auto cause = std::find_if(rules.log_causes.begin(), rules.log_causes.end(),
                                  [&](const LogCause& c) { return !lines.empty() && c.id == lines.front().cause; });
  return cause == rules.log_causes.end() ? std::string() : cause->title + ": " + cause->next;
}

}  // namespace gpucoop::probe
