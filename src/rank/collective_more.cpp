#include <algorithm>
#include <cstring>

#include "rank/checked.hpp"
#include "rank/steps.hpp"

namespace gpucoop::rank {
namespace {

using collective::Communicator;
using collective::DataType;
using collective::ReduceOp;
using runtime::Done;
using runtime::Failure;
using runtime::Outcome;
using Clock = std::chrono::steady_clock;

Job all_reduce_job(StepRun& run, const Communicator& communicator, std::uint64_t bytes, DataType type,
                   std::uint32_t round) {
  Job job = job_of(Collective::all_reduce, bytes, type, ReduceOp::sum, communicator.size(), communicator.rank(), round);
  job.seed = static_cast<std::uint32_t>(run.step().seed);
  return job;
}

std::uint64_t first_size(const wire::Step& step, std::uint64_t otherwise) {
  return step.sizes.empty() ? otherwise : step.sizes.front();
}

/// An all-reduce that the last rank does not take part in, and what is left of the communicator then.
Outcome<> leave_one_alone(StepRun& run, Communicator& communicator, const wire::Group& group) {
  auto& session = run.session();
  auto& stream = session.stream();
  constexpr std::chrono::seconds kHung{1};
  constexpr std::chrono::seconds kFreed{5};
  auto& space = run.session().workspace();
  const Job job = all_reduce_job(run, communicator, 1U << 20U, DataType::float32, 0);
  // Once with everybody: libraries connect ranks at the first operation, and the call itself would wait there.
  auto outcome = run_checked(run, space, communicator, job, {});
  if (!outcome.ok()) return outcome;
  if (session.rank() != group.ranks.back()) {
    outcome = prepare(run, space, stream, job, false);
    if (outcome.ok()) {
      outcome =
          enqueue(*session.tools().library, communicator, job, space.send(), space.receive(), stream, run.deadline());
    }
    if (!outcome.ok()) return outcome;
    run.waiting();
    auto waited = communicator.settle(stream, Clock::now() + kHung);
    if (waited.ok()) {
      return Failure{ProbeState::wrong_data, "an all_reduce came to its end although a rank had not come"};
    }
  }
  // Nobody frees what a kernel of another rank still looks at.
  outcome = run.meet("left alone", group.ranks);
  if (!outcome.ok()) return outcome;
  auto given_up = communicator.give_up(Clock::now() + kFreed);
  if (!given_up.ok()) return given_up;
  run.beat();
  // It may well report an error now: that it ends is what counts.
  auto freed = stream.wait(Clock::now() + kFreed);
  if (!freed.ok() && freed.failure().state == ProbeState::hung) {
    return Failure{ProbeState::hung, "the stream did not come free after the communicator was given up"};
  }
  return Done{};
}

/// The largest of what the ranks say.
Outcome<std::int32_t> agree(StepRun& run, Communicator& communicator, runtime::Buffer& on_device,
                            runtime::Buffer& image, std::int32_t value) {
  auto& device = run.session().device();
  auto& stream = run.session().stream();
  std::memcpy(image.pointer(), &value, sizeof value);
  auto outcome = device.copy(stream, on_device, 0, image, {0, 4});
  if (outcome.ok()) {
    outcome = communicator.all_reduce({&on_device, 0}, {&on_device, 0}, 1, DataType::int32, ReduceOp::max, stream);
  }
  if (outcome.ok()) outcome = device.copy(stream, image, 0, on_device, {0, 4});
  if (outcome.ok()) outcome = run.settle(stream);
  if (!outcome.ok()) return outcome.failure();
  std::memcpy(&value, image.pointer(), sizeof value);
  return value;
}

}  // namespace

Outcome<> ccl_graph(StepRun& run) {
  const auto type = type_of(run.step());
  if (!type.ok()) return type.failure();
  auto outcome = run.begin("all_reduce");
  if (!outcome.ok()) return outcome;
  auto communicator = join(run, run.set());
  if (!communicator.ok()) return communicator.failure();
  auto& ends = *communicator.value();
  auto& session = run.session();
  auto& device = session.device();
  auto& stream = session.stream();
  auto& space = run.session().workspace();
  const std::uint64_t bytes = first_size(run.step(), 64U << 10U);
  run.result().bytes = bytes;
  Job job = all_reduce_job(run, ends, bytes, type.value(), 0);
  // Once without a graph: libraries set up their connections at the first operation.
  outcome = run_checked(run, space, ends, job, {});
  if (!outcome.ok()) return outcome;
  auto graph = device.record(stream, [&] {
    return enqueue(*session.tools().library, ends, job, space.send(), space.receive(), stream, run.deadline());
  });
  if (!graph.ok()) return graph.failure();
  for (std::uint32_t round = 2; round < 2 + std::max(3U, run.step().rounds); ++round) {
    outcome = run.begin("all_reduce", {0, round, 1});
    job.round = round;
    if (outcome.ok()) outcome = prepare(run, space, stream, job, false);
    if (outcome.ok()) outcome = device.replay(stream, *graph.value());
    if (outcome.ok()) outcome = space.fetch(device, stream, job);
    if (outcome.ok()) outcome = run.settle(stream);
    if (!outcome.ok()) return outcome;
    outcome = judge(run, space, stream, job, "a replayed all_reduce of " + std::to_string(bytes) + " bytes");
    if (!outcome.ok()) return outcome;
  }
  return Done{};
}

Outcome<> ccl_recovery(StepRun& run) {
  const auto& ranks = run.step().ranks;
  if (ranks.size() < 2) return Failure{ProbeState::skipped, "one rank alone cannot be left alone"};
  auto outcome = run.begin("all_reduce");
  if (!outcome.ok()) return outcome;
  const wire::Group broken{"given-up", ranks};
  auto communicator = join(run, broken);
  if (!communicator.ok()) return communicator.failure();
  outcome = leave_one_alone(run, *communicator.value(), broken);
  run.session().communicators().forget(broken);
  if (outcome.ok()) outcome = run.meet("recovery", ranks);
  if (outcome.ok()) outcome = run.begin("all_reduce", {0, 1, 0});
  if (!outcome.ok()) return outcome;
  auto next = join(run, {"after", ranks});
  if (!next.ok()) return next.failure();
  auto& space = run.session().workspace();
  return run_checked(run, space, *next.value(),
                     all_reduce_job(run, *next.value(), first_size(run.step(), 1U << 20U), DataType::float32, 1),
                     {0, 1, 0});
}

Outcome<> soak(StepRun& run) {
  const auto type = type_of(run.step());
  if (!type.ok()) return type.failure();
  const auto began = Clock::now();
  // Until 20 s before the limit, which leave a busy host time to end (probe/plan.cpp); of a shorter one until half of
  // it is over; or for so many rounds where the step names them.
  constexpr std::chrono::seconds kRoom(20);
  const auto limit = run.deadline() - began;
  const auto enough = began + (limit > kRoom ? limit - kRoom : limit / 2);
  const std::uint32_t most = run.step().rounds > 1 ? run.step().rounds : 0;
  const std::vector<std::uint64_t> sizes =
      run.step().sizes.empty() ? std::vector<std::uint64_t>{10U << 10U, 4, 1U << 20U} : run.step().sizes;
  auto communicator = join(run, run.set());
  if (!communicator.ok()) return communicator.failure();
  auto& ends = *communicator.value();
  auto on_device = run.session().device().allocate(4);
  if (!on_device.ok()) return on_device.failure();
  auto image = run.session().device().allocate_host(4);
  if (!image.ok()) return image.failure();
  auto& space = run.session().workspace();
  constexpr std::uint32_t kBetween = 32;  ///< rounds after which the ranks agree whether to go on
  for (std::uint32_t round = 0; most == 0 || round < most; ++round) {
    const Job job = all_reduce_job(run, ends, sizes[round % sizes.size()], type.value(), round);
    auto outcome = run_checked(run, space, ends, job, {0, round, 0});
    if (!outcome.ok()) return outcome;
    if (most != 0 || round % kBetween != kBetween - 1) continue;
    auto over = agree(run, ends, *on_device.value(), *image.value(), Clock::now() >= enough ? 1 : 0);
    if (!over.ok()) return over.failure();
    if (over.value() != 0) break;
  }
  return Done{};
}

}  // namespace gpucoop::rank
