#include <algorithm>
#include <cstring>

#include "rank/peer_target.hpp"
#include "rank/steps.hpp"

namespace gpucoop::rank {
namespace {

using runtime::Buffer;
using runtime::Device;
using runtime::Done;
using runtime::Failure;
using runtime::Handshake;
using runtime::HandshakeEnd;
using runtime::Outcome;
using runtime::Stream;

constexpr std::uint64_t kBytes = 8192;
constexpr std::uint32_t kLeastRounds = 100;
constexpr std::chrono::milliseconds kLongest{3000};

Outcome<> clear(StepRun& run, Device& device, Stream& stream, Buffer& buffer) {
  auto zeros = device.allocate_host(buffer.bytes());
  if (!zeros.ok()) return zeros.failure();
  std::memset(zeros.value()->pointer(), 0, buffer.bytes());
  auto copied = device.copy(stream, buffer, 0, *zeros.value(), {0, buffer.bytes()});
  return copied.ok() ? run.settle(stream) : copied;
}

struct Side {
  Device* device;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<Buffer> memory;
};

Outcome<Side> make_side(StepRun& run, Device& device, bool with_memory) {
  Side out{&device, nullptr, nullptr};
  auto stream = device.make_stream();
  if (!stream.ok()) return stream.failure();
  out.stream = std::move(stream).value();
  if (!with_memory) return out;
  auto memory = device.allocate(kBytes);
  if (!memory.ok()) return memory.failure();
  out.memory = std::move(memory).value();
  auto cleared = clear(run, device, *out.stream, *out.memory);
  if (!cleared.ok()) return cleared.failure();
  return out;
}

Outcome<> judge_ends(StepRun& run, std::uint32_t rounds, const HandshakeEnd& a, const HandshakeEnd& b) {
  run.result().checked_words = rounds;
  if (a.wrong_payload + b.wrong_payload != 0) {
    run.result().wrong_words = a.wrong_payload + b.wrong_payload;
    return Failure{ProbeState::wrong_data,
                   std::to_string(run.result().wrong_words) + " words of the payload were not there when the flag was"};
  }
  const std::uint32_t least = std::min(a.rounds, b.rounds);
  if (least < rounds) {
    return Failure{ProbeState::hung, "the handshake stopped after " + std::to_string(least) + " of " +
                                         std::to_string(rounds) + " rounds"};
  }
  if (a.seconds > 0) run.result().latency_us = a.seconds / rounds / 2 * 1e6;
  return Done{};
}

/// Both sides at once, each on its device.
Outcome<> shake(StepRun& run, Side& a, Side& b, Buffer& at_a, Buffer& at_b) {
  const std::uint32_t rounds = std::max(kLeastRounds, run.step().rounds);
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(run.deadline() - std::chrono::steady_clock::now());
  const auto limit = std::clamp(left / 2, std::chrono::milliseconds(1), kLongest);
  auto end_a = a.device->handshake(*a.stream, at_a, at_b, Handshake{0, rounds, limit});
  if (!end_a.ok()) return end_a.failure();
  auto end_b = b.device->handshake(*b.stream, at_b, at_a, Handshake{1, rounds, limit});
  // The first side ends by its own clock, whatever became of the second.
  auto waited = run.settle(*a.stream);
  if (!end_b.ok()) return end_b.failure();
  if (waited.ok()) waited = run.settle(*b.stream);
  if (!waited.ok()) return waited;
  return judge_ends(run, rounds, end_a.value()(), end_b.value()());
}

Outcome<> spoiled(StepRun& run) {
  if (!run.spoils(run.step().op)) return Done{};
  run.result().wrong_words = 1;
  return Failure{ProbeState::wrong_data, "injected fault: a word of the payload was not there when the flag was"};
}

}  // namespace

Outcome<> p2p_handshake(StepRun& run) {
  const auto pair = open_pair(run);
  if (!pair.ok()) return pair.failure();
  auto outcome = run.begin(run.step().op);
  if (!outcome.ok() || pair.value().lends) return outcome;
  outcome = enable_both(pair.value());
  if (!outcome.ok()) return outcome;
  auto a = make_side(run, *pair.value().a, true);
  if (!a.ok()) return a.failure();
  auto b = make_side(run, *pair.value().b, true);
  if (!b.ok()) return b.failure();
  outcome = shake(run, a.value(), b.value(), *a.value().memory, *b.value().memory);
  return outcome.ok() ? spoiled(run) : outcome;
}

Outcome<> host_handshake(StepRun& run) {
  const auto pair = open_pair(run);
  if (!pair.ok()) return pair.failure();
  auto outcome = run.begin(run.step().op);
  if (!outcome.ok() || pair.value().lends) return outcome;
  auto a = make_side(run, *pair.value().a, false);
  if (!a.ok()) return a.failure();
  auto b = make_side(run, *pair.value().b, false);
  if (!b.ok()) return b.failure();
  auto memory = pair.value().a->allocate_host(kBytes);
  if (!memory.ok()) return memory.failure();
  std::memset(memory.value()->pointer(), 0, kBytes);
  outcome = shake(run, a.value(), b.value(), *memory.value(), *memory.value());
  return outcome.ok() ? spoiled(run) : outcome;
}

Outcome<> p2p_atomics(StepRun& run) {
  const auto pair = open_pair(run);
  if (!pair.ok()) return pair.failure();
  auto outcome = run.begin(run.step().op);
  if (!outcome.ok() || pair.value().lends) return outcome;
  auto native = pair.value().a->has_native_atomics(*pair.value().b);
  if (!native.ok()) return native.failure();
  if (!native.value()) {
    return Failure{ProbeState::refused, "the driver says that atomics on the peer's memory are not native"};
  }
  outcome = enable_both(pair.value());
  if (!outcome.ok()) return outcome;
  auto a = make_side(run, *pair.value().a, false);
  if (!a.ok()) return a.failure();
  auto b = make_side(run, *pair.value().b, true);
  if (!b.ok()) return b.failure();
  auto seen = pair.value().b->allocate_host(4);
  if (!seen.ok()) return seen.failure();
  constexpr std::uint32_t kTimes = 10000;
  constexpr std::uint64_t kOffset = 64;
  Buffer& counter = *b.value().memory;
  outcome = a.value().device->count(*a.value().stream, counter, kOffset, kTimes);
  if (outcome.ok()) outcome = b.value().device->count(*b.value().stream, counter, kOffset, kTimes);
  if (outcome.ok()) outcome = run.settle(*a.value().stream);
  if (outcome.ok()) outcome = run.settle(*b.value().stream);
  if (outcome.ok()) outcome = b.value().device->copy(*b.value().stream, *seen.value(), 0, counter, {kOffset, 4});
  if (outcome.ok()) outcome = run.settle(*b.value().stream);
  if (!outcome.ok()) return outcome;
  const std::uint32_t counted =
      *static_cast<const std::uint32_t*>(seen.value()->pointer()) - (run.spoils(run.step().op) ? 1U : 0U);
  run.result().checked_words = 1;
  if (counted == 2 * kTimes) return Done{};
  run.result().wrong_words = 1;
  return Failure{ProbeState::wrong_data, "both sides counted to " + std::to_string(kTimes) + ", and the sum is " +
                                             std::to_string(counted) + " instead of " + std::to_string(2 * kTimes)};
}

}  // namespace gpucoop::rank
