#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rank/steps.hpp"
#include "rank/workspace.hpp"

namespace gpucoop::rank {
namespace {

using collective::Communicator;
using runtime::Done;
using runtime::Failure;
using runtime::Outcome;

constexpr std::array kTimed = {Collective::all_reduce, Collective::reduce,    Collective::broadcast,
                               Collective::all_gather, Collective::send_recv, Collective::reduce_scatter,
                               Collective::all_to_all};

/// What of the bytes that an operation handles goes over the link of each rank (nccl-tests doc/PERFORMANCE.md).
double bus_factor(Collective collective, unsigned size) {
  const double n = size;
  switch (collective) {
    case Collective::all_reduce: return 2 * (n - 1) / n;
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::all_to_all: return (n - 1) / n;
    default: return 1;
  }
}

struct Timing {
  std::uint64_t bytes = 0;
  double seconds = 0;  ///< of one operation
};

/// Once with checked values, then timed.
Outcome<Timing> time_one(StepRun& run, Communicator& communicator, const Job& job) {
  auto& session = run.session();
  Workspace space;
  auto outcome = run_checked(run, space, communicator, job, {});
  if (!outcome.ok()) return outcome.failure();
  Timing out;
  out.bytes = std::max(job.sent(), job.received()) * collective::bytes_of(job.type);
  constexpr std::uint64_t kSmall = 1U << 20U;
  const unsigned each = out.bytes <= kSmall ? 20 : 5;
  const auto once = [&] {
    return enqueue(*session.tools().library, communicator, job, space.send(), space.receive(), session.stream(),
                   run.deadline());
  };
  std::vector<double> samples;
  const std::uint32_t wanted = std::max(3U, run.step().repetitions);
  const std::uint32_t warmups = std::max(1U, run.step().warmups);
  for (std::uint32_t i = 0; i < warmups + wanted; ++i) {
    auto met = run.meet("rates", run.step().ranks);
    if (!met.ok()) return met.failure();
    run.waiting();
    auto seconds = session.device().timed(session.stream(), each, once, run.deadline());
    if (!seconds.ok()) return seconds.failure();
    run.beat();
    if (i >= warmups) samples.push_back(seconds.value() / each);
  }
  out.seconds = median(samples);
  return out;
}

}  // namespace

Outcome<> ccl_rates(StepRun& run) {
  const auto type = type_of(run.step());
  if (!type.ok()) return type.failure();
  const std::string name = run.step().op.empty() ? "all_reduce" : run.step().op;
  const auto found = std::find_if(kTimed.begin(), kTimed.end(), [&](auto c) { return to_string(c) == name; });
  if (found == kTimed.end()) return Failure{ProbeState::skipped, "there is no rate of " + name};
  auto communicator = join(run, run.set());
  if (!communicator.ok()) return communicator.failure();
  auto& ends = *communicator.value();
  const bool latency = run.step().rung == "ccl.latency";
  std::vector<std::uint64_t> sizes = run.step().sizes;
  if (sizes.empty()) sizes = latency ? std::vector<std::uint64_t>{10U << 10U} : std::vector<std::uint64_t>{32U << 20U};
  auto& result = run.result();
  // Of 10 KiB, where it is among the sizes (what a decode step sends), or else of the least.
  constexpr std::uint64_t kDecode = 10U << 10U;
  Timing least;
  Timing most;
  for (const std::uint64_t size : sizes) {
    Job job = job_of(*found, size, type.value(), collective::ReduceOp::sum, ends.size(), ends.rank(), 0);
    job.seed = static_cast<std::uint32_t>(run.step().seed);
    auto timing = time_one(run, ends, job);
    if (!timing.ok()) return timing.failure();
    const auto& t = timing.value();
    const bool better = least.bytes == 0 || t.bytes == kDecode || (least.bytes != kDecode && t.bytes < least.bytes);
    if (better) least = t;
    if (t.bytes >= most.bytes) most = t;
    result.answers.emplace_back(fmt::format("{} of {} bytes", name, t.bytes),
                                fmt::format("{:.2f} us", t.seconds * 1e6));
  }
  result.latency_us = least.seconds * 1e6;
  if (most.seconds > 0) {
    const double rate = static_cast<double>(most.bytes) / most.seconds / 1e9;
    result.gbytes_per_s = rate;
    result.bus_gbytes_per_s = rate * bus_factor(*found, ends.size());
  }
  return Done{};
}

}  // namespace gpucoop::rank
