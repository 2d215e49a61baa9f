#include <algorithm>
#include <array>

#include "rank/checked.hpp"
#include "rank/steps.hpp"

namespace gpucoop::rank {
namespace {

using collective::Communicator;
using runtime::Done;
using runtime::Failure;
using runtime::Outcome;

constexpr std::array kInGroups = {Collective::all_reduce, Collective::broadcast, Collective::all_gather,
                                  Collective::reduce_scatter, Collective::send_recv};

/// What a group is tried with, alone.
Outcome<> try_group(StepRun& run, unsigned index, Communicator& communicator, collective::DataType type) {
  const auto& step = run.step();
  const std::vector<std::uint64_t> sizes = step.sizes.empty() ? std::vector<std::uint64_t>{4, 64U << 10U} : step.sizes;
  auto& space = run.session().workspace();
  unsigned op = 0;
  for (const auto collective : kInGroups) {
    for (const std::uint64_t size : sizes) {
      for (std::uint32_t round = 0; round < std::max(1U, step.rounds); ++round) {
        Job job =
            job_of(collective, size, type, collective::ReduceOp::sum, communicator.size(), communicator.rank(), round);
        job.seed = static_cast<std::uint32_t>(step.seed) + index * 31 + op;
        auto outcome = run_checked(run, space, communicator, job, {index, round, op});
        if (outcome.ok()) continue;
        return Failure{outcome.failure().state, step.groups[index].name + ": " + outcome.failure().text};
      }
      ++op;
    }
  }
  return Done{};
}

/// One of two communicators that are at work at the same time.
struct Lane {
  Communicator* communicator;
  runtime::Stream* stream;
  Workspace* space;
  Job job;
};

Outcome<> finish_lane(StepRun& run, Lane& lane, const std::string& name) {
  run.waiting();
  auto outcome = lane.communicator->settle(*lane.stream, run.deadline());
  note_ways(run, *lane.communicator);
  if (!outcome.ok()) return outcome;
  run.beat();
  return judge(run, *lane.space, *lane.stream, lane.job, "all_reduce in " + name + " beside another one");
}

Outcome<> concurrent_round(StepRun& run, std::array<Lane, 2>& lanes) {
  for (auto& lane : lanes) {
    auto started = prepare(run, *lane.space, *lane.stream, lane.job, false);
    if (!started.ok()) return started;
  }
  // Several of each, taken in turn, so that they are really at work at the same time.
  constexpr unsigned kEach = 4;
  for (unsigned i = 0; i < kEach; ++i) {
    for (auto& lane : lanes) {
      auto outcome = enqueue(*run.session().tools().library, *lane.communicator, lane.job, lane.space->send(),
                             lane.space->receive(), *lane.stream, run.deadline());
      if (!outcome.ok()) return outcome;
    }
  }
  for (auto& lane : lanes) {
    auto fetched = lane.space->fetch(run.session().device(), *lane.stream, lane.job);
    if (!fetched.ok()) return fetched;
  }
  auto first = finish_lane(run, lanes[0], "set");
  return first.ok() ? finish_lane(run, lanes[1], "second") : first;
}

}  // namespace

Outcome<> ccl_subgroups(StepRun& run) {
  const auto type = type_of(run.step());
  if (!type.ok()) return type.failure();
  const auto& groups = run.step().groups;
  for (unsigned i = 0; i < groups.size(); ++i) {
    const auto& ranks = groups[i].ranks;
    const bool member = std::find(ranks.begin(), ranks.end(), run.session().rank()) != ranks.end();
    if (member && ranks.size() > 1) {
      run.show({i, 0, 0});
      auto communicator = join(run, groups[i]);
      if (!communicator.ok()) return communicator.failure();
      auto outcome = try_group(run, i, *communicator.value(), type.value());
      if (!outcome.ok()) return outcome;
    }
    auto met = run.meet("subgroups", run.step().ranks);
    if (!met.ok()) return met;
  }
  return Done{};
}

Outcome<> ccl_concurrent(StepRun& run) {
  const auto type = type_of(run.step());
  if (!type.ok()) return type.failure();
  auto& session = run.session();
  auto second_stream = session.device().make_stream();
  if (!second_stream.ok()) return second_stream.failure();
  std::array<Lane, 2> lanes = {Lane{nullptr, &session.stream(), &session.workspace(), {}},
                               Lane{nullptr, second_stream.value().get(), &session.second_workspace(), {}}};
  for (unsigned i = 0; i < 2; ++i) {
    auto communicator = i == 0 ? join(run, run.set()) : join_second(run);
    if (!communicator.ok()) return communicator.failure();
    lanes[i].communicator = communicator.value();
  }
  const auto& sizes = run.step().sizes;
  const std::array<std::uint64_t, 2> bytes = {sizes.empty() ? 1U << 20U : sizes.front(),
                                              sizes.empty() ? 4096 : sizes.back()};
  for (std::uint32_t round = 0; round < std::max(1U, run.step().rounds); ++round) {
    auto outcome = run.begin("all_reduce", {0, round, 0});
    for (unsigned i = 0; i < 2; ++i) {
      auto& lane = lanes[i];
      lane.job = job_of(Collective::all_reduce, bytes[i], type.value(), collective::ReduceOp::sum,
                        lane.communicator->size(), lane.communicator->rank(), round);
      lane.job.seed = static_cast<std::uint32_t>(run.step().seed) + i;
    }
    run.result().bytes = std::max(bytes[0], bytes[1]);
    if (outcome.ok()) outcome = concurrent_round(run, lanes);
    // A rank that is ahead would else begin one communicator's next operations while others still need the other's:
    // that is alternation, which ccl.switching tries.
    if (outcome.ok()) outcome = run.meet("concurrent", run.step().ranks);
    if (!outcome.ok()) return outcome;
  }
  return Done{};
}

}  // namespace gpucoop::rank
