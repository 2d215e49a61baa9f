#include <algorithm>

#include "rank/peer_target.hpp"
#include "rank/steps.hpp"

namespace gpucoop::rank {
namespace {

using runtime::Done;
using runtime::Failure;
using runtime::Outcome;
using runtime::Pattern;
using runtime::Range;

/// What the two processes tell each other, in the order of these. Each goes one way once in a step.
enum class Note : std::uint64_t { handle = 1, written, stored, read };

/// `+` and bytes, or `-` and why the other one need not wait.
void tell(StepRun& run, Note note, std::uint32_t round, const std::string& text) {
  const auto key = board_key("ipc", run.step().id, static_cast<std::uint64_t>(note) << 32U | round);
  run.session().board().give(key, text.substr(0, 1000));
}

void tell(StepRun& run, Note note, std::uint32_t round, const Outcome<>& outcome) {
  tell(run, note, round, outcome.ok() ? "+" : "-" + outcome.failure().text);
}

Outcome<std::string> hear(StepRun& run, Note note, std::uint32_t round) {
  const auto key = board_key("ipc", run.step().id, static_cast<std::uint64_t>(note) << 32U | round);
  std::string text;
  run.waiting();
  if (!run.session().board().take(key, text, run.deadline())) {
    return Failure{ProbeState::hung, "the other process did not answer"};
  }
  run.beat();
  if (text.rfind('+', 0) == 0) return text.substr(1);
  return Failure{ProbeState::failed, "the other process failed: " + text.substr(std::min<std::size_t>(1, text.size()))};
}

struct Round {
  Range range;
  std::uint32_t number;
  std::uint32_t seed;

  [[nodiscard]] Pattern written() const { return {seed, number}; }
  [[nodiscard]] Pattern stored() const { return {seed ^ 0x0F0F0F0FU, number}; }
  [[nodiscard]] Pattern before() const { return {~seed, number}; }
};

std::vector<Round> rounds_of(const wire::Step& step) {
  std::vector<Round> out;
  for (const std::uint64_t bytes : peer_sizes(step)) {
    for (std::uint32_t i = 0; i < std::max(3U, step.rounds); ++i) {
      const auto number = static_cast<std::uint32_t>(out.size()) + 1;
      out.push_back({{PeerTarget::kGuard, bytes}, number, static_cast<std::uint32_t>(step.seed)});
    }
  }
  return out;
}

/// The second rank has the memory: it looks at what the other one wrote, and writes what the other one reads.
Outcome<> own(StepRun& run, PeerTarget& target, const Round& round) {
  auto heard = hear(run, Note::written, round.number);
  if (!heard.ok()) return heard.failure();
  auto outcome = target.examine(run, round.range, round.written(), round.before(),
                                std::to_string(round.range.bytes) + " bytes that another process wrote", "");
  if (outcome.ok()) {
    outcome = target.owner().store(target.stream(), target.buffer(), round.range, round.stored());
    if (outcome.ok()) outcome = run.settle(target.stream());
  }
  tell(run, Note::stored, round.number, outcome);
  if (!outcome.ok()) return outcome;
  heard = hear(run, Note::read, round.number);
  if (!heard.ok()) return heard.failure();
  return Done{};
}

Outcome<> reach(StepRun& run, runtime::Buffer& there, PeerTarget& here, const Round& round) {
  auto& device = run.session().device();
  auto outcome = device.store(here.stream(), there, round.range, round.written());
  if (outcome.ok()) outcome = run.settle(here.stream());
  tell(run, Note::written, round.number, outcome);
  if (!outcome.ok()) return outcome;
  auto heard = hear(run, Note::stored, round.number);
  if (!heard.ok()) return heard.failure();
  outcome = here.poison(run, round.range, round.before());
  if (outcome.ok()) outcome = device.load(here.stream(), here.buffer(), round.range.offset, there, round.range);
  if (outcome.ok()) outcome = run.settle(here.stream());
  if (outcome.ok()) {
    outcome = here.examine(run, round.range, round.stored(), round.before(),
                           std::to_string(round.range.bytes) + " bytes read out of another process's memory", "");
  }
  tell(run, Note::read, round.number, outcome);
  return outcome;
}

/// For each round the memory is poisoned before the other process is let at it, and so the handle is told again.
Outcome<> own_all(StepRun& run, PeerTarget& target, const std::vector<Round>& rounds) {
  auto handle = target.owner().export_buffer(target.buffer());
  for (const auto& round : rounds) {
    auto outcome = run.begin(run.step().op, {0, round.number, 0});
    run.result().bytes = round.range.bytes;
    if (outcome.ok() && !handle.ok()) outcome = handle.failure();
    if (outcome.ok()) outcome = target.poison(run, round.range, round.before());
    tell(run, Note::handle, round.number, outcome.ok() ? "+" + handle.value() : "-" + outcome.failure().text);
    if (outcome.ok()) outcome = own(run, target, round);
    if (!outcome.ok()) return outcome;
  }
  return Done{};
}

Outcome<> reach_all(StepRun& run, PeerTarget& here, const std::vector<Round>& rounds) {
  std::unique_ptr<runtime::Buffer> there;
  for (const auto& round : rounds) {
    auto outcome = run.begin(run.step().op, {0, round.number, 0});
    run.result().bytes = round.range.bytes;
    if (outcome.ok()) {
      auto handle = hear(run, Note::handle, round.number);
      if (!handle.ok()) return handle.failure();
      if (there == nullptr) {
        auto opened = run.session().device().import_buffer(handle.value(), here.buffer().bytes());
        if (opened.ok()) {
          there = std::move(opened).value();
        } else {
          outcome = opened.failure();
        }
      }
    }
    if (!outcome.ok()) {
      tell(run, Note::written, round.number, outcome);
      return outcome;
    }
    outcome = reach(run, *there, here, round);
    if (!outcome.ok()) return outcome;
  }
  return Done{};
}

}  // namespace

Outcome<> p2p_ipc(StepRun& run) {
  const auto& ranks = run.step().ranks;
  if (ranks.size() != 2 || ranks[0] == ranks[1]) {
    return Failure{ProbeState::skipped, "this rung is for two different devices"};
  }
  const auto sizes = peer_sizes(run.step());
  auto target = PeerTarget::make(run.session().device(), *std::max_element(sizes.begin(), sizes.end()));
  if (!target.ok()) return target.failure();
  const auto rounds = rounds_of(run.step());
  return run.session().rank() == ranks[1] ? own_all(run, target.value(), rounds)
                                          : reach_all(run, target.value(), rounds);
}

}  // namespace gpucoop::rank
