#include "rank/step_run.hpp"

#include <algorithm>
#include <cstring>

#include "rank/pattern_bytes.hpp"
#include "runtime/verify.hpp"

namespace gpucoop::rank {
namespace {

using runtime::Done;
using runtime::Failure;
using runtime::Outcome;
using Doing = wire::Progress::Doing;

constexpr std::chrono::milliseconds kLimit{60000};  ///< where a step names none
constexpr std::chrono::milliseconds kSpin{100000};  ///< of an injected kernel: longer than the deadline of any step

}  // namespace

StepRun::StepRun(Session& session, const wire::Step& step, wire::StepResult& result)
    : session_(session),
      step_(step),
      result_(result),
      deadline_(std::chrono::steady_clock::now() +
                (step.limit_ms == 0 ? kLimit : std::chrono::milliseconds(step.limit_ms))),
      progress_(session.board().progress(session.rank())) {
  show({});
  progress_.step.store(step.id, std::memory_order_relaxed);
  progress_.doing.store(static_cast<std::uint32_t>(Doing::working), std::memory_order_relaxed);
}

void StepRun::show(const At& at) {
  progress_.group.store(at.group, std::memory_order_relaxed);
  progress_.round.store(at.round, std::memory_order_relaxed);
  progress_.op.store(at.op, std::memory_order_relaxed);
}

Outcome<> StepRun::begin(std::string_view op, const At& at, std::string_view group) {
  show(at);
  working();
  beat();
  auto outcome = session_.injector().before(step_.rung, op, group);
  if (!outcome.ok() || !session_.injector().spins(step_.rung, op, group)) return outcome;
  return session_.device().spin(session_.stream(), kSpin);
}

void StepRun::waiting() {
  progress_.doing.store(static_cast<std::uint32_t>(Doing::waiting), std::memory_order_relaxed);
}

void StepRun::working() {
  progress_.doing.store(static_cast<std::uint32_t>(Doing::working), std::memory_order_relaxed);
}

void StepRun::beat() { progress_.beats.fetch_add(1, std::memory_order_relaxed); }

Outcome<> StepRun::settle(runtime::Stream& stream) {
  waiting();
  auto waited = stream.wait(deadline_);
  if (waited.ok()) beat();
  return waited;
}

Outcome<> StepRun::meet(std::string_view what, const std::vector<unsigned>& ranks) {
  if (ranks.size() < 2) return Done{};
  waiting();
  const auto key = board_key(what, step_.id, ranks.front());
  if (!session_.board().meet(key, static_cast<unsigned>(ranks.size()), deadline_)) {
    return Failure{ProbeState::hung, "the other ranks did not come to the meeting between operations"};
  }
  beat();
  return Done{};
}

bool StepRun::spoils(std::string_view op) const { return session_.injector().spoils(step_.rung, op); }

runtime::Mismatch StepRun::compare(const std::uint32_t* words, std::uint64_t count, const runtime::Pattern& expected,
                                   const runtime::Pattern& before) {
  // What is right is found quickly; only what is not is looked at word by word.
  std::vector<std::uint32_t> right(std::min(count, kPieceWords));
  for (std::uint64_t first = 0; first < count; first += kPieceWords) {
    const std::uint64_t now = std::min(kPieceWords, count - first);
    fill_words(expected, first, now, right.data());
    if (std::memcmp(words + first, right.data(), now * 4) != 0) {
      return runtime::compare(words, count, expected, before);
    }
    beat();
  }
  runtime::Mismatch all_right;
  all_right.checked = count;
  return all_right;
}

Outcome<> StepRun::judge(const runtime::Mismatch& mismatch, const std::string& what) {
  result_.checked_words += mismatch.checked;
  if (mismatch.wrong == 0 && mismatch.guard == 0) return Done{};
  result_.wrong_words += mismatch.wrong + mismatch.guard;
  result_.wrong_how = runtime::describe(mismatch);
  return Failure{ProbeState::wrong_data, what + ": " + std::to_string(mismatch.wrong + mismatch.guard) + " of " +
                                             std::to_string(mismatch.checked) + " words are wrong"};
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace gpucoop::rank
