#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>

#include "rank/checked.hpp"
#include "rank/steps.hpp"
#include "rank/switch_program.hpp"
#include "runtime/patience.hpp"

namespace gpucoop::rank {
namespace {

using collective::Communicator;
using runtime::Done;
using runtime::Failure;
using runtime::Outcome;
using Clock = std::chrono::steady_clock;

/// Operations that a rank puts on its stream ahead of what has come to its end: without a host barrier there have to be
/// some, and their operands take memory.
std::size_t depth_for(std::uint64_t bytes) {
  constexpr std::uint64_t kMemory = std::uint64_t{32} << 20U;
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(kMemory / std::max<std::uint64_t>(1, bytes), 4, 32));
}

/// Large, then smaller ones: what large operations leave behind is what disturbs small ones, and large ones take long.
std::uint64_t bytes_of_round(const wire::Step& step, std::uint32_t round) {
  if (step.sizes.empty()) return 4096;
  auto sizes = step.sizes;
  std::sort(sizes.begin(), sizes.end());
  constexpr std::uint32_t kCycle = 8;
  const std::uint32_t place = round % kCycle;
  if (place == 0 || sizes.size() == 1) return sizes.back();
  return sizes[(place - 1) % (sizes.size() - 1)];
}

/// One operation that was put on the stream.
struct Issued {
  Job job;
  At at;
  std::string group;
  std::uint32_t number = 0;  ///< counts up from 1: what the stream's mark is once it has ended
  Workspace* space = nullptr;
};

/// All rounds of one step on one stream.
class Switching {
 public:
  Switching(StepRun& run, collective::DataType type) : run_(run), type_(type) {}

  Outcome<> start();
  Outcome<> round(std::uint32_t round);
  Outcome<> finish();

 private:
  Outcome<> place(const SwitchOp& op, const At& at);
  Outcome<> issue(const Job& job, const At& at);
  /// Waits until at most `most` operations have not ended, and checks those that have.
  Outcome<> retire(std::size_t most);
  Outcome<> wait_for_first();
  Outcome<> check_first();
  [[nodiscard]] std::uint32_t mark() const {
    return std::atomic_ref<std::uint32_t>(*static_cast<std::uint32_t*>(marks_->pointer()))
        .load(std::memory_order_acquire);
  }
  [[nodiscard]] Failure stuck() const;

  StepRun& run_;
  collective::DataType type_;
  std::vector<Communicator*> communicators_;  ///< as Step::groups; null: not in it
  std::unique_ptr<runtime::Buffer> marks_;
  bool marked_ = false;  ///< the backend can mark a stream
  std::uint32_t issued_ = 0;
  std::deque<Issued> pending_;
  std::vector<Workspace> spaces_;
};

Outcome<> Switching::start() {
  const auto& step = run_.step();
  auto& session = run_.session();
  const std::uint64_t largest = step.sizes.empty() ? 4096 : *std::max_element(step.sizes.begin(), step.sizes.end());
  spaces_.resize(depth_for(largest));
  // All ranks make them in the order of the list, so that nobody waits for one who waits for him.
  for (unsigned i = 0; i < step.groups.size(); ++i) {
    const auto& group = step.groups[i];
    communicators_.push_back(nullptr);
    const bool member = std::find(group.ranks.begin(), group.ranks.end(), session.rank()) != group.ranks.end();
    if (!member || group.ranks.size() < 2) continue;
    auto begun = run_.begin("init", {i, 0, 0});
    if (!begun.ok()) return begun;
    auto communicator = join(run_, group);
    if (!communicator.ok()) return communicator.failure();
    communicators_.back() = communicator.value();
  }
  auto marks = session.device().allocate_host(64);
  if (!marks.ok()) return marks.failure();
  marks_ = std::move(marks).value();
  std::memset(marks_->pointer(), 0, 64);
  auto marking = session.device().mark(session.stream(), *marks_, 0, 0);
  if (!marking.ok() && marking.failure().state != ProbeState::skipped) return marking;
  marked_ = marking.ok();
  return run_.meet("switching", step.ranks);
}

Outcome<> Switching::round(std::uint32_t round) {
  const auto& step = run_.step();
  const std::uint64_t bytes = bytes_of_round(step, round);
  const auto ops =
      switch_program(step, run_.session().rank(), std::max<std::uint64_t>(1, bytes / collective::bytes_of(type_)));
  if (!ops) return Failure{ProbeState::skipped, "there is no sequence " + step.sequence};
  for (unsigned i = 0; i < ops->size(); ++i) {
    auto placed = place((*ops)[i], {(*ops)[i].group, round, i});
    if (!placed.ok()) return placed;
  }
  return Done{};
}

Outcome<> Switching::finish() {
  auto outcome = retire(0);
  for (const auto* communicator : communicators_) {
    if (communicator != nullptr) note_ways(run_, *communicator);
  }
  return outcome;
}

Outcome<> Switching::place(const SwitchOp& op, const At& at) {
  const auto& step = run_.step();
  if (!op.idle) {
    auto outcome = issue(switch_job(step, op, run_.session().rank(), at.op, at.round, type_), at);
    if (outcome.ok() && step.sync != wire::Sync::none) outcome = retire(0);
    if (!outcome.ok()) return outcome;
  }
  return step.sync == wire::Sync::rendezvous ? run_.meet("rendezvous", step.ranks) : Outcome<>(Done{});
}

Outcome<> Switching::issue(const Job& job, const At& at) {
  auto outcome = retire(spaces_.size() - 1);
  if (!outcome.ok()) return outcome;
  auto& session = run_.session();
  auto& device = session.device();
  auto& stream = session.stream();
  outcome = run_.begin(to_string(job.collective), at, run_.step().groups[at.group].name);
  if (!outcome.ok()) return outcome;
  if (!pending_.empty()) run_.show(pending_.front().at);
  Issued issued{job, at, run_.step().groups[at.group].name, ++issued_, &spaces_[issued_ % spaces_.size()]};
  auto& space = *issued.space;
  outcome = prepare(run_, space, stream, job, false);
  if (outcome.ok()) {
    outcome = enqueue(*session.tools().library, *communicators_[at.group], job, space.send(), space.receive(), stream,
                      run_.deadline());
  }
  if (outcome.ok()) outcome = space.fetch(device, stream, job);
  if (outcome.ok() && marked_) outcome = device.mark(stream, *marks_, 0, issued.number);
  run_.result().bytes =
      std::max(run_.result().bytes, std::max(job.sent(), job.received()) * collective::bytes_of(job.type));
  pending_.push_back(std::move(issued));
  if (pending_.size() == 1) run_.show(pending_.front().at);
  return outcome;
}

Outcome<> Switching::retire(std::size_t most) {
  while (pending_.size() > most) {
    auto waited = wait_for_first();
    if (!waited.ok()) return waited;
    while (!pending_.empty() && (!marked_ || mark() >= pending_.front().number)) {
      auto checked = check_first();
      if (!checked.ok()) return checked;
    }
  }
  return Done{};
}

Outcome<> Switching::wait_for_first() {
  auto& stream = run_.session().stream();
  run_.show(pending_.front().at);
  run_.waiting();
  if (!marked_) {
    auto waited = stream.wait(run_.deadline());
    return !waited.ok() && waited.failure().state == ProbeState::hung ? Outcome<>(stuck()) : waited;
  }
  constexpr std::chrono::milliseconds kSlice{50};
  while (mark() < pending_.front().number) {
    if (Clock::now() >= run_.deadline()) return stuck();
    runtime::Patience patience(std::min(run_.deadline(), Clock::now() + kSlice));
    while (mark() < pending_.front().number && patience.wait()) {
    }
    if (mark() >= pending_.front().number) break;
    // An error would never let the mark come.
    auto state = stream.wait(Clock::now());
    if (!state.ok() && state.failure().state != ProbeState::hung) return state;
  }
  return Done{};
}

Outcome<> Switching::check_first() {
  const Issued first = std::move(pending_.front());
  pending_.pop_front();
  run_.beat();
  if (!pending_.empty()) run_.show(pending_.front().at);
  const std::string name(to_string(first.job.collective));
  return judge(run_, *first.space, run_.session().stream(), first.job,
               name + " in " + first.group + ", round " + std::to_string(first.at.round));
}

Failure Switching::stuck() const {
  const auto& first = pending_.front();
  return {ProbeState::hung, "waits in " + first.group + " at round " + std::to_string(first.at.round) + ", operation " +
                                std::to_string(first.at.op) + " (" + std::string(to_string(first.job.collective)) +
                                ")"};
}

}  // namespace

Outcome<> ccl_switching(StepRun& run) {
  const auto type = type_of(run.step());
  if (!type.ok()) return type.failure();
  if (run.step().groups.size() < 2) return Failure{ProbeState::skipped, "there are no groups to switch between"};
  Switching switching(run, type.value());
  auto outcome = switching.start();
  for (std::uint32_t round = 0; outcome.ok() && round < std::max(1U, run.step().rounds); ++round) {
    outcome = switching.round(round);
  }
  return outcome.ok() ? switching.finish() : outcome;
}

}  // namespace gpucoop::rank
