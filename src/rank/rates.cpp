#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "rank/checked.hpp"
#include "rank/steps.hpp"

namespace gpucoop::rank {
namespace {

using collective::Communicator;
using runtime::Done;
using runtime::Failure;
using runtime::Outcome;
using Clock = std::chrono::steady_clock;

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
  double seconds = 0;   ///< of one operation
  double replayed = 0;  ///< of one within a graph; 0: not measured
};

constexpr std::uint64_t kSmall = 1U << 20U;

/// A number about the size with this index that all ranks take, since they wait for each other in each operation: what
/// the first rank says.
Outcome<unsigned> agree(StepRun& run, std::string_view what, unsigned index, unsigned own) {
  auto& session = run.session();
  const auto key = board_key(what, run.step().id, index);
  if (session.rank() == run.step().ranks.front()) {
    session.board().give(key, std::to_string(own));
    return own;
  }
  std::string said;
  if (!session.board().take(key, said, run.deadline())) {
    return Failure{ProbeState::hung, "the first rank does not say how often to repeat"};
  }
  return static_cast<unsigned>(std::strtoul(said.c_str(), nullptr, 10));
}

/// The median over samples of `each` calls, all ranks starting together, after the warm-up.
Outcome<double> median_of(StepRun& run, std::uint32_t samples, unsigned each, const std::function<Outcome<>()>& once) {
  std::vector<double> seconds;
  const std::uint32_t warmups = std::max(1U, run.step().warmups);
  for (std::uint32_t i = 0; i < warmups + samples; ++i) {
    auto met = run.meet("rates", run.step().ranks);
    if (!met.ok()) return met.failure();
    run.waiting();
    auto& session = run.session();
    auto taken = session.device().timed(session.stream(), each, once, run.deadline());
    if (!taken.ok()) return taken.failure();
    run.beat();
    if (i >= warmups) seconds.push_back(taken.value() / each);
  }
  return median(seconds);
}

/// Once with checked values, then timed.
Outcome<Timing> time_one(StepRun& run, Workspace& space, Communicator& communicator, const Job& job, unsigned index) {
  auto& session = run.session();
  auto outcome = run_checked(run, space, communicator, job, {});
  if (!outcome.ok()) return outcome.failure();
  Timing out;
  out.bytes = std::max(job.sent(), job.received()) * collective::bytes_of(job.type);
  const std::function<Outcome<>()> once = [&] {
    return enqueue(*session.tools().library, communicator, job, space.send(), space.receive(), session.stream(),
                   run.deadline());
  };
  // Over the slowest links one operation can take seconds: few tell its time, and each has to be seen to end.
  constexpr double kLong = 0.1;
  auto one = median_of(run, 1, 1, once);
  if (!one.ok()) return one.failure();
  auto slow = agree(run, "pace", index, one.value() > kLong ? 1 : 0);
  if (!slow.ok()) return slow.failure();
  if (slow.value() == 1) {
    auto taken = median_of(run, 3, 1, once);
    if (!taken.ok()) return taken.failure();
    out.seconds = taken.value();
    return out;
  }
  // Long enough that it does not matter how exactly the ranks start together.
  constexpr double kSample = 3e-3;
  constexpr unsigned kLeast = 5;
  constexpr unsigned kMost = 200;
  const auto began = Clock::now();
  constexpr std::uint32_t kTries = 3;
  auto first = median_of(run, kTries, kLeast, once);
  if (!first.ok()) return first.failure();
  // By the processor's clock as well, which counts what goes on in between: on a busy host that is most of it.
  const double calls = (kTries + std::max(1U, run.step().warmups)) * kLeast;
  const double slowest = std::max(first.value(), std::chrono::duration<double>(Clock::now() - began).count() / calls);
  const double wanted = kSample / std::max(slowest, 1e-9);
  auto each = agree(run, "repetitions", index, static_cast<unsigned>(std::clamp<double>(wanted, kLeast, kMost)));
  if (!each.ok()) return each.failure();
  auto taken = median_of(run, std::max(3U, run.step().repetitions), each.value(), once);
  if (!taken.ok()) return taken.failure();
  out.seconds = taken.value();
  // Engines replay graphs when they decode, which saves the processor's part of each call: nothing beside a long one.
  if (out.bytes > kSmall || each.value() == kLeast) return out;
  constexpr unsigned kInGraph = 20;
  auto graph = session.device().record(session.stream(), [&]() -> Outcome<> {
    for (unsigned i = 0; i < kInGraph; ++i) {
      if (auto put = once(); !put.ok()) return put;
    }
    return Done{};
  });
  if (!graph.ok()) return graph.failure().state == ProbeState::refused ? Outcome<Timing>(out) : graph.failure();
  constexpr std::uint32_t kSamples = 5;
  const unsigned replays = std::max(1U, each.value() / kInGraph);
  auto replayed =
      median_of(run, kSamples, replays, [&] { return session.device().replay(session.stream(), *graph.value()); });
  if (!replayed.ok()) return replayed.failure();
  out.replayed = replayed.value() / kInGraph;
  return out;
}

}  // namespace

Outcome<> ccl_rates(StepRun& run) {
  const auto type = type_of(run.step());
  if (!type.ok()) return type.failure();
  const std::string name = run.step().op.empty() ? "all_reduce" : run.step().op;
  const auto found = std::find_if(kTimed.begin(), kTimed.end(), [&](auto c) { return to_string(c) == name; });
  if (found == kTimed.end()) return Failure{ProbeState::skipped, "there is no rate of " + name};
  // A limit of calls would be measured as well.
  auto communicator = join_second(run);
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
  auto& space = run.session().workspace();
  unsigned index = 0;
  for (const std::uint64_t size : sizes) {
    Job job = job_of(*found, size, type.value(), collective::ReduceOp::sum, ends.size(), ends.rank(), 0);
    job.seed = static_cast<std::uint32_t>(run.step().seed);
    auto timing = time_one(run, space, ends, job, index++);
    if (!timing.ok()) return timing.failure();
    const auto& t = timing.value();
    const bool better = least.bytes == 0 || t.bytes == kDecode || (least.bytes != kDecode && t.bytes < least.bytes);
    if (better) least = t;
    if (t.bytes >= most.bytes) most = t;
    result.answers.emplace_back(fmt::format("{} of {} bytes", name, t.bytes),
                                fmt::format("{:.2f} us", t.seconds * 1e6));
    if (t.replayed > 0) {
      result.answers.emplace_back(fmt::format("{} of {} bytes, replayed from a graph", name, t.bytes),
                                  fmt::format("{:.2f} us", t.replayed * 1e6));
    }
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
