#include <algorithm>

#include "rank/peer_target.hpp"
#include "rank/steps.hpp"

namespace gpucoop::rank {
namespace {

using runtime::Device;
using runtime::Done;
using runtime::Failure;
using runtime::Outcome;
using runtime::Pattern;
using runtime::Range;
using runtime::Stream;

constexpr std::uint32_t kLeastRounds = 3;
constexpr const char* kEngine = "copy-engine";
constexpr const char* kKernel = "kernel";

/// Data that are stale or reordered show in small moves; of larger ones it matters that all of it arrives, and
/// comparing takes long.
constexpr std::uint64_t kOnce = std::uint64_t{4} << 20U;
std::uint32_t rounds_of(const wire::Step& step, std::uint64_t bytes) {
  return bytes > kOnce ? std::max(1U, step.rounds) : std::max(kLeastRounds, step.rounds);
}

/// What one move between two devices needs; every round has data of its own.
struct Move {
  std::string op;  ///< by what the data are moved
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;
  std::uint32_t seed = 0;
  std::uint32_t round = 0;

  [[nodiscard]] Range range() const { return {offset, bytes}; }
  [[nodiscard]] Pattern data() const { return {seed, round}; }
  [[nodiscard]] Pattern before() const { return {~seed, round}; }
};

std::vector<std::string> ways_of(const wire::Step& step) {
  if (!step.op.empty()) return {step.op};
  return {kEngine, kKernel};
}

std::string text(const Move& move) {
  return std::to_string(move.bytes) + " bytes by " + (move.op == kKernel ? "a kernel" : "the copy engine");
}

/// Calls `one` for every size, offset, way and round.
template <class One>
Outcome<> each_move(StepRun& run, const One& one) {
  std::uint32_t index = 0;
  for (const std::uint64_t bytes : peer_sizes(run.step())) {
    run.result().bytes = bytes;
    for (const std::uint64_t offset : PeerTarget::offsets(bytes)) {
      for (const auto& way : ways_of(run.step())) {
        ++index;
        for (std::uint32_t round = 1; round <= rounds_of(run.step(), bytes); ++round) {
          auto begun = run.begin(way, {0, round, index});
          if (!begun.ok()) return begun;
          auto moved = one(Move{way, bytes, offset, static_cast<std::uint32_t>(run.step().seed) + index, round});
          if (!moved.ok()) return moved;
        }
      }
    }
  }
  return Done{};
}

/// `source` is on the device that writes. Enqueued only.
Outcome<> write(Device& by, PeerTarget& source, PeerTarget& target, const Move& move) {
  if (move.op == kKernel) return by.store(source.stream(), target.buffer(), move.range(), move.data());
  auto stored = by.store(source.stream(), source.buffer(), move.range(), move.data());
  if (!stored.ok()) return stored;
  return by.copy(source.stream(), target.buffer(), move.offset, source.buffer(), move.range());
}

Outcome<> write_one_way(StepRun& run, Device& by, PeerTarget& source, PeerTarget& target, const Move& move) {
  auto outcome = target.poison(run, move.range(), move.before());
  if (outcome.ok()) outcome = write(by, source, target, move);
  if (outcome.ok()) outcome = run.settle(source.stream());
  if (outcome.ok()) {
    outcome = target.examine(run, move.range(), move.data(), move.before(), "a write of " + text(move), move.op);
  }
  if (!outcome.ok() || move.op == kKernel) return outcome;
  run.waiting();
  auto kept = by.verify(source.stream(), source.buffer(), move.range(), move.data(), move.before(), run.deadline());
  if (!kept.ok()) return kept.failure();
  return run.judge(kept.value(), "the source of a write of " + text(move));
}

/// Both at once. What arrives has its seed turned one way and the other, so that no data can be taken for the other's.
Outcome<> write_both_ways(StepRun& run, const Pair& pair, PeerTarget& at_a, PeerTarget& at_b, const Move& move) {
  Move back = move;
  back.seed ^= 0x55555555U;
  auto outcome = at_b.poison(run, move.range(), move.before());
  if (outcome.ok()) outcome = at_a.poison(run, back.range(), back.before());
  // By kernels: a copy's source would be the other one's target.
  if (outcome.ok()) outcome = pair.a->store(at_a.stream(), at_b.buffer(), move.range(), move.data());
  if (outcome.ok()) outcome = pair.b->store(at_b.stream(), at_a.buffer(), back.range(), back.data());
  if (outcome.ok()) outcome = run.settle(at_a.stream());
  if (outcome.ok()) outcome = run.settle(at_b.stream());
  const std::string what = std::to_string(move.bytes) + " bytes, both directions at once";
  if (outcome.ok()) outcome = at_b.examine(run, move.range(), move.data(), move.before(), what, move.op);
  if (outcome.ok()) outcome = at_a.examine(run, back.range(), back.data(), back.before(), what, move.op);
  return outcome;
}

/// The owner writes, and the reader gets it into memory of its own.
Outcome<> read_one_way(StepRun& run, Device& by, PeerTarget& own, PeerTarget& peer, const Move& move) {
  auto outcome = own.poison(run, move.range(), move.before());
  if (outcome.ok()) outcome = peer.owner().store(peer.stream(), peer.buffer(), move.range(), move.data());
  if (outcome.ok()) outcome = run.settle(peer.stream());
  if (!outcome.ok()) return outcome;
  outcome = move.op == kKernel ? by.load(own.stream(), own.buffer(), move.offset, peer.buffer(), move.range())
                               : by.copy(own.stream(), own.buffer(), move.offset, peer.buffer(), move.range());
  if (outcome.ok()) outcome = run.settle(own.stream());
  if (outcome.ok()) {
    outcome = own.examine(run, move.range(), move.data(), move.before(), "a read of " + text(move), move.op);
  }
  if (!outcome.ok()) return outcome;
  run.waiting();
  auto kept =
      peer.owner().verify(peer.stream(), peer.buffer(), move.range(), move.data(), move.before(), run.deadline());
  if (!kept.ok()) return kept.failure();
  return run.judge(kept.value(), "the source of a read of " + text(move));
}

/// The rate of `once`, which moves so many bytes. The data were checked before.
template <class Once>
Outcome<> time_moves(StepRun& run, Device& device, Stream& stream, std::uint64_t bytes, const Once& once) {
  std::vector<double> rates;
  constexpr unsigned kCopies = 4;
  const std::uint32_t samples = std::max(3U, run.step().repetitions);
  for (std::uint32_t i = 0; i < samples + run.step().warmups; ++i) {
    run.waiting();
    auto seconds = device.timed(stream, kCopies, once, run.deadline());
    if (!seconds.ok()) return seconds.failure();
    run.beat();
    if (i < run.step().warmups || seconds.value() <= 0) continue;
    rates.push_back(kCopies * static_cast<double>(bytes) / seconds.value() / 1e9);
  }
  run.result().bytes = bytes;
  run.result().gbytes_per_s = median(rates);
  return Done{};
}

struct Targets {
  Pair pair;
  PeerTarget at_a;
  PeerTarget at_b;
};

Outcome<Targets> make_targets(const Pair& pair, std::uint64_t bytes) {
  auto at_a = PeerTarget::make(*pair.a, bytes);
  if (!at_a.ok()) return at_a.failure();
  auto at_b = PeerTarget::make(*pair.b, bytes);
  if (!at_b.ok()) return at_b.failure();
  return Targets{pair, std::move(at_a).value(), std::move(at_b).value()};
}

std::uint64_t largest(const wire::Step& step) {
  const auto sizes = peer_sizes(step);
  return *std::max_element(sizes.begin(), sizes.end());
}

/// The pair of the step with access both ways, and room for the largest size; none where this rank only lends.
Outcome<Targets> open_targets(StepRun& run) {
  const auto pair = open_pair(run);
  if (!pair.ok()) return pair.failure();
  if (pair.value().lends) {
    auto begun = run.begin(run.step().op);
    if (!begun.ok()) return begun.failure();
    return Targets{pair.value(), {}, {}};
  }
  auto enabled = enable_both(pair.value());
  if (!enabled.ok()) return enabled.failure();
  return make_targets(pair.value(), largest(run.step()));
}

/// What is timed where a step is to be: the last of its sizes.
Move timed_move(const wire::Step& step) {
  return {ways_of(step).front(), peer_sizes(step).back(), PeerTarget::kGuard, static_cast<std::uint32_t>(step.seed), 1};
}

Outcome<> time_writes(StepRun& run, Targets& at, const Move& move) {
  return time_moves(run, *at.pair.a, at.at_a.stream(), move.bytes, [&] {
    if (move.op == kKernel) return at.pair.a->store(at.at_a.stream(), at.at_b.buffer(), move.range(), move.data());
    return at.pair.a->copy(at.at_a.stream(), at.at_b.buffer(), move.offset, at.at_a.buffer(), move.range());
  });
}

}  // namespace

Outcome<> p2p_access(StepRun& run) {
  auto begun = run.begin(run.step().op);
  if (!begun.ok()) return begun;
  const auto pair = open_pair(run);
  if (!pair.ok()) return pair.failure();
  if (pair.value().lends) return Done{};
  run.waiting();
  std::string why;
  auto granted = pair.value().a->can_access(*pair.value().b, why);
  if (!granted.ok()) return granted.failure();
  auto& answers = run.result().answers;
  answers.emplace_back("p2p.access", granted.value() ? "true" : "false");
  if (!granted.value()) return Failure{ProbeState::refused, why};
  auto atomics = pair.value().a->has_native_atomics(*pair.value().b);
  if (atomics.ok()) answers.emplace_back("p2p.native_atomics", atomics.value() ? "true" : "false");
  return Done{};
}

Outcome<> p2p_write(StepRun& run) {
  auto targets = open_targets(run);
  if (!targets.ok()) return targets.failure();
  auto& at = targets.value();
  if (at.pair.lends) return Done{};
  auto outcome = each_move(run, [&](const Move& move) {
    auto moved = write_one_way(run, *at.pair.a, at.at_a, at.at_b, move);
    if (!moved.ok() || move.offset != PeerTarget::kGuard || move.bytes > kOnce) return moved;
    return write_both_ways(run, at.pair, at.at_a, at.at_b, move);
  });
  return outcome.ok() && run.step().repetitions > 1 ? time_writes(run, at, timed_move(run.step())) : outcome;
}

Outcome<> p2p_read(StepRun& run) {
  auto targets = open_targets(run);
  if (!targets.ok()) return targets.failure();
  auto& at = targets.value();
  if (at.pair.lends) return Done{};
  auto outcome =
      each_move(run, [&](const Move& move) { return read_one_way(run, *at.pair.a, at.at_a, at.at_b, move); });
  if (!outcome.ok() || run.step().repetitions < 2) return outcome;
  const Move move = timed_move(run.step());
  return time_moves(run, *at.pair.a, at.at_a.stream(), move.bytes, [&] {
    return move.op == kKernel
               ? at.pair.a->load(at.at_a.stream(), at.at_a.buffer(), move.offset, at.at_b.buffer(), move.range())
               : at.pair.a->copy(at.at_a.stream(), at.at_a.buffer(), move.offset, at.at_b.buffer(), move.range());
  });
}

Outcome<> p2p_rate(StepRun& run) {
  const auto pair = open_pair(run);
  if (!pair.ok()) return pair.failure();
  const std::string op = run.step().op.empty() ? kEngine : run.step().op;
  auto outcome = run.begin(op);
  if (!outcome.ok() || pair.value().lends) return outcome;
  outcome = enable_both(pair.value());
  if (!outcome.ok()) return outcome;
  const std::uint64_t bytes = run.step().sizes.empty() ? 32U << 20U : peer_sizes(run.step()).back();
  run.result().bytes = bytes;
  auto targets = make_targets(pair.value(), bytes);
  if (!targets.ok()) return targets.failure();
  auto& at = targets.value();
  const Move move{op, bytes, PeerTarget::kGuard, static_cast<std::uint32_t>(run.step().seed), 1};
  // The data first: a rate of wrong data is none.
  outcome = write_one_way(run, *at.pair.a, at.at_a, at.at_b, move);
  if (!outcome.ok()) return outcome;
  return time_writes(run, at, move);
}

Outcome<> peer_copy(StepRun& run) {
  const auto pair = open_pair(run);
  if (!pair.ok()) return pair.failure();
  if (pair.value().lends) return run.begin(run.step().op);
  // With `access` the driver is asked for peer access first; without, the runtime takes whichever way it wants.
  if (run.step().op == "access") {
    auto enabled = enable_both(pair.value());
    if (!enabled.ok()) return enabled;
  }
  auto targets = make_targets(pair.value(), largest(run.step()));
  if (!targets.ok()) return targets.failure();
  auto& at = targets.value();
  auto& a = *at.pair.a;
  std::uint32_t index = 0;
  for (const std::uint64_t bytes : peer_sizes(run.step())) {
    run.result().bytes = bytes;
    ++index;
    for (std::uint32_t round = 1; round <= rounds_of(run.step(), bytes); ++round) {
      auto outcome = run.begin(run.step().op, {0, round, index});
      if (!outcome.ok()) return outcome;
      const Move move{kEngine, bytes, PeerTarget::kGuard, static_cast<std::uint32_t>(run.step().seed) + index, round};
      outcome = at.at_b.poison(run, move.range(), move.before());
      // The source is written over right behind the copy, and nobody waits between: what arrives must be the old data.
      if (outcome.ok()) outcome = write(a, at.at_a, at.at_b, move);
      if (outcome.ok()) outcome = a.store(at.at_a.stream(), at.at_a.buffer(), move.range(), move.before());
      if (outcome.ok()) outcome = run.settle(at.at_a.stream());
      if (outcome.ok()) {
        outcome = at.at_b.examine(run, move.range(), move.data(), move.before(),
                                  "the runtime's copy of " + std::to_string(bytes) + " bytes", run.step().op);
      }
      if (!outcome.ok()) return outcome;
    }
  }
  return Done{};
}

}  // namespace gpucoop::rank
