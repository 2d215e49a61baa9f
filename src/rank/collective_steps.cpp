#include <algorithm>

#include "rank/checked.hpp"
#include "rank/steps.hpp"

namespace gpucoop::rank {
namespace {

using runtime::Done;
using runtime::Failure;
using runtime::Outcome;

std::vector<std::uint64_t> sizes_of(const wire::Step& step) {
  if (!step.sizes.empty()) return step.sizes;
  return {4, 10U << 10U, (64U << 10U) + 4, 1U << 20U};
}

/// Every size in every round, each with data of its own.
Outcome<> try_collective(StepRun& run, Collective collective) {
  const auto type = type_of(run.step());
  if (!type.ok()) return type.failure();
  const auto op = operator_of(run.step());
  if (!op.ok()) return op.failure();
  auto communicator = join(run, run.set());
  if (!communicator.ok()) return communicator.failure();
  auto& ends = *communicator.value();
  auto& space = run.session().workspace();
  const std::uint32_t rounds = std::max(1U, run.step().rounds);
  unsigned index = 0;
  for (const std::uint64_t size : sizes_of(run.step())) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      Job job = job_of(collective, size, type.value(), op.value(), ends.size(), ends.rank(), round);
      job.seed = static_cast<std::uint32_t>(run.step().seed) + index;
      auto outcome = run_checked(run, space, ends, job, {0, round, index});
      if (!outcome.ok()) return outcome;
    }
    ++index;
  }
  return Done{};
}

}  // namespace

Outcome<> ccl_init(StepRun& run) {
  auto outcome = run.begin("init");
  if (!outcome.ok()) return outcome;
  auto communicator = join(run, run.set());
  return communicator.ok() ? Outcome<>(Done{}) : communicator.failure();
}

Outcome<> ccl_all_reduce(StepRun& run) { return try_collective(run, Collective::all_reduce); }
Outcome<> ccl_reduce(StepRun& run) { return try_collective(run, Collective::reduce); }
Outcome<> ccl_broadcast(StepRun& run) { return try_collective(run, Collective::broadcast); }
Outcome<> ccl_all_gather(StepRun& run) { return try_collective(run, Collective::all_gather); }
Outcome<> ccl_reduce_scatter(StepRun& run) { return try_collective(run, Collective::reduce_scatter); }
Outcome<> ccl_send_recv(StepRun& run) { return try_collective(run, Collective::send_recv); }
Outcome<> ccl_all_to_all(StepRun& run) { return try_collective(run, Collective::all_to_all); }
Outcome<> ccl_all_gather_v(StepRun& run) { return try_collective(run, Collective::all_gather_v); }
Outcome<> ccl_reduce_scatter_v(StepRun& run) { return try_collective(run, Collective::reduce_scatter_v); }

Outcome<> ccl_barrier(StepRun& run) {
  auto communicator = join(run, run.set());
  if (!communicator.ok()) return communicator.failure();
  auto& ends = *communicator.value();
  auto& space = run.session().workspace();
  const std::uint32_t rounds = std::max(1U, run.step().rounds);
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    Job job = job_of(Collective::barrier, 4, collective::DataType::int32, collective::ReduceOp::sum, ends.size(),
                     ends.rank(), round);
    job.seed = static_cast<std::uint32_t>(run.step().seed);
    auto outcome = run_checked(run, space, ends, job, {0, round, 0});
    if (!outcome.ok()) return outcome;
    // Nobody may leave before all have entered: each says on the board in which round it is before it enters.
    for (const unsigned other : run.step().ranks) {
      const auto& progress = run.session().board().progress(other);
      if (progress.step.load(std::memory_order_relaxed) == run.step().id &&
          progress.round.load(std::memory_order_relaxed) < round) {
        return Failure{ProbeState::wrong_data,
                       "the barrier let a rank go before rank " + std::to_string(other) + " had come"};
      }
    }
  }
  return Done{};
}

}  // namespace gpucoop::rank
