#include "judge/cost_words.hpp"

#include <fmt/core.h>

#include <vector>

#include "judge/cost_traffic.hpp"
#include "judge/words.hpp"

namespace gpucoop {

namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;
constexpr double kTooClose = 0.1;   // of one GPU's step: less than such estimates are good for
constexpr double kSlowUs = 30;      // a small operation that holds up small batches
constexpr double kTooSlowUs = 100;  // … and any decoding
constexpr unsigned kSmallBatch = 4;

std::string ms(double value) {
  return value < 0.995  ? fmt::format("{:.2f} ms", value)
         : value < 99.5 ? fmt::format("{:.1f} ms", value)
                        : fmt::format("{:.0f} ms", value);
}

std::string gib(double bytes) { return fmt::format("{:.1f} GiB", bytes / kGib); }

/// How many GPUs of those there are the heads can be spread over.
std::string possible_splits(unsigned heads, std::size_t gpus) {
  std::vector<std::string> counts;
  for (std::size_t n = 2; n < gpus; ++n) {
    if (heads % n == 0) counts.push_back(std::to_string(n));
  }
  if (counts.empty()) return "of these GPUs no smaller number would do either";
  return fmt::format("over {} of them they can", list_of(counts, 8));
}

std::string does_not_fit(const CostEstimate& e, const Workload& work, const SetMemory& memory) {
  const auto n = static_cast<unsigned>(e.set.size());
  const auto needed = bytes_needed(work, {}, 1);
  auto why = needed.is_known()
                 ? fmt::format(
                       "the model does not fit on one GPU (it needs about {}, the GPU has {}), so there is no "
                       "step of one GPU to compare with",
                       gib(needed.value()), gib(memory.most_bytes.value()))
                 : fmt::format(
                       "the model does not fit on one GPU (its weights alone are more than the {} there), so "
                       "there is no step of one GPU to compare with",
                       gib(memory.most_bytes.value()));
  if (e.fits_set.is(true)) why += fmt::format("; it is expected to fit on the {} together", n);
  if (e.fits_set.is(false)) {
    const auto each = bytes_needed(work, e.mode, n);
    why += each.is_known() ? fmt::format("; nor is it expected to fit this way (about {} on each, where {} are)",
                                         gib(each.value()), gib(memory.least_bytes.value()))
                           : std::string("; nor is it expected to fit this way");
  }
  return why;
}

std::string missing(const CostEstimate& e, const Workload& work, const SetMemory& memory) {
  std::vector<std::string> what;
  if (!e.alpha_us.is_known()) what.emplace_back("how long a small operation takes");
  if (!e.beta_gbytes_per_s.is_known()) what.emplace_back("the rate between the GPUs");
  if (!memory.least_gbytes_per_s.is_known()) what.emplace_back("how fast these GPUs read their memory");
  if (!memory.most_bytes.is_known()) what.emplace_back("how much memory these GPUs have");
  if (work.model.parameters_billion == 0) what.emplace_back("how many weights the model has (parameters=)");
  if (work.model.experts != 0 && work.model.active_billion == 0) {
    what.emplace_back("how many weights a token uses (active=)");
  }
  if (!cache_bytes(work.model, 1).is_known())
    what.emplace_back("how large the model's cache is (kv_heads= and head_dim=)");
  if (what.empty()) return "not everything that the comparison needs is known";
  return "not known: " + list_of(what, 8);
}

std::string both_steps(const CostEstimate& e) {
  return fmt::format("a decode step is expected to take {}, {} of it communication, against {} on one GPU",
                     ms(e.step_ms.value()), ms(e.decode_ms.value()), ms(e.one_gpu_ms.value()));
}

/// For modes that work on all GPUs at once.
Opinion compared(const CostEstimate& e, const Workload& work, const SetMemory& memory, const std::string& observed) {
  if (!e.step_ms.is_known() || !e.one_gpu_ms.is_known() || !e.fits_one_gpu.is_known()) {
    return {Tri::unknown, missing(e, work, memory)};
  }
  const auto why = both_steps(e);
  const double gain = 1 - e.step_ms.value() / e.one_gpu_ms.value();
  if (gain < -kTooClose) return {Tri::no, why};
  const double alpha = e.alpha_us.value();
  const bool holds_up = alpha > kTooSlowUs || (alpha > kSlowUs && e.batch <= kSmallBatch);
  if (holds_up) {
    auto slow = fmt::format("a small operation takes {:.0f} us, and each one holds up the whole step", alpha);
    if (!observed.empty()) slow += ": " + observed;
    return {Tri::no, slow + fmt::format("; by bytes and latency alone it would be {} against {}", ms(e.step_ms.value()),
                                        ms(e.one_gpu_ms.value()))};
  }
  if (gain < kTooClose) return {Tri::unknown, why + ": too close for an estimate"};
  if (alpha > kSlowUs) {
    return {Tri::unknown,
            why + fmt::format("; but a small operation of {:.0f} us holds up more than this counts", alpha)};
  }
  if (!e.splits_evenly.is_known() && !e.splits_evenly.is_absent()) {
    return {Tri::unknown, why + "; whether the attention heads can be spread evenly is not known (heads=)"};
  }
  return {Tri::yes, why};
}

}  // namespace

Opinion against_one_gpu(const CostEstimate& e, const Workload& work, const SetMemory& memory,
                        const std::string& observed) {
  if (e.splits_evenly.is(false)) {
    return {Tri::no, fmt::format("{} attention heads cannot be spread evenly over {} GPUs; {}", work.model.heads,
                                 e.set.size(), possible_splits(work.model.heads, e.set.size()))};
  }
  if (e.mode == "prefill-decode" && e.fits_one_gpu.is(false)) {
    return {Tri::no, "each of the two engines needs a GPU that holds the whole model, and none does"};
  }
  if (e.fits_one_gpu.is(false)) return {Tri::unknown, does_not_fit(e, work, memory)};
  if (e.mode == "pipeline" || e.mode == "layer-split") {
    return {Tri::no,
            "the GPUs take turns, so that a step is no shorter than on one GPU; it is for models that do not fit on "
            "one"};
  }
  if (e.mode == "prefill-decode") {
    return {Tri::no, "decoding stays on one GPU; what is gained is that prompts do not delay it"};
  }
  return compared(e, work, memory, observed);
}

}  // namespace gpucoop
