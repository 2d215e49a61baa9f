#include <algorithm>
#include <set>

#include "rank/steps.hpp"
#include "rank/workspace.hpp"

namespace gpucoop::rank {
namespace {

using collective::Communicator;
using runtime::Done;
using runtime::Failure;
using runtime::Outcome;

void tell_library(StepRun& run, const Communicator& communicator) {
  const auto info = run.session().tools().library->info();
  run.result().library_name = info.name;
  run.result().library_version = info.version;
  std::set<std::string> ways;
  for (const auto& way : communicator.transports()) {
    if (!way.empty()) ways.insert(way);
  }
  for (const auto& way : ways) run.result().transport += (run.result().transport.empty() ? "" : ", ") + way;
}

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
  run.waiting();
  auto communicator = run.session().communicators().get(run.set(), run.step().id, run.deadline());
  if (!communicator.ok()) return communicator.failure();
  auto& ends = *communicator.value();
  tell_library(run, ends);
  Workspace space;
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
  run.waiting();
  auto communicator = run.session().communicators().get(run.set(), run.step().id, run.deadline());
  if (!communicator.ok()) return communicator.failure();
  tell_library(run, *communicator.value());
  return Done{};
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
  run.waiting();
  auto communicator = run.session().communicators().get(run.set(), run.step().id, run.deadline());
  if (!communicator.ok()) return communicator.failure();
  auto& ends = *communicator.value();
  tell_library(run, ends);
  Workspace space;
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
