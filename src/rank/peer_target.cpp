#include "rank/peer_target.hpp"

#include <algorithm>

#include "runtime/verify.hpp"

namespace gpucoop::rank {
namespace {

using runtime::Failure;
using runtime::Mismatch;
using runtime::Outcome;
using runtime::Pattern;
using runtime::Range;

/// Beside a small range there is so much room that it can lie elsewhere.
constexpr std::uint64_t kSlack = std::uint64_t{1} << 20U;
constexpr std::uint64_t kSmall = std::uint64_t{4} << 20U;

Mismatch as_guard(const Mismatch& mismatch) {
  Mismatch out;
  out.guard = mismatch.wrong;
  return out;
}

}  // namespace

std::vector<std::uint64_t> PeerTarget::offsets(std::uint64_t bytes) {
  if (bytes > kSmall) return {kGuard};
  return {kGuard, kGuard + kSlack / 2 + 4, kGuard + kSlack};
}

Outcome<PeerTarget> PeerTarget::make(runtime::Device& owner, std::uint64_t bytes) {
  PeerTarget out;
  out.owner_ = &owner;
  const std::uint64_t total = bytes + kSlack + 2 * kGuard;
  auto stream = owner.make_stream();
  if (!stream.ok()) return stream.failure();
  out.stream_ = std::move(stream).value();
  auto buffer = owner.allocate(total);
  if (!buffer.ok()) return buffer.failure();
  out.buffer_ = std::move(buffer).value();
  auto image = owner.allocate_host(total);
  if (!image.ok()) return image.failure();
  out.image_ = std::move(image).value();
  return out;
}

PeerTarget::Part PeerTarget::left(Range range, const Pattern& before) {
  return {{range.offset - kGuard, kGuard}, {before.seed ^ 0x1EF71EF7U, before.round}};
}

PeerTarget::Part PeerTarget::right(Range range, const Pattern& before) {
  return {{range.offset + range.bytes, kGuard}, {before.seed ^ 0x416B416BU, before.round}};
}

Outcome<> PeerTarget::poison(StepRun& run, Range range, const Pattern& before) {
  for (const auto& part : {left(range, before), Part{range, before}, right(range, before)}) {
    auto stored = owner_->store(*stream_, *buffer_, part.range, part.before);
    if (!stored.ok()) return stored;
  }
  return run.settle(*stream_);
}

Outcome<> PeerTarget::examine(StepRun& run, Range range, const Pattern& expected, const Pattern& before,
                              const std::string& what, const std::string& op) {
  const Part l = left(range, before);
  const Part r = right(range, before);
  if (run.spoils(op)) {
    auto spoiled = owner_->store(*stream_, *buffer_, {range.offset, 4}, before);
    if (!spoiled.ok()) return spoiled;
  }
  run.waiting();
  auto body = owner_->verify(*stream_, *buffer_, range, expected, before, run.deadline());
  if (!body.ok()) return body.failure();
  Mismatch found = body.value();
  for (const auto& guard : {l, r}) {
    auto kept = owner_->verify(*stream_, *buffer_, guard.range, guard.before, guard.before, run.deadline());
    if (!kept.ok()) return kept.failure();
    found = runtime::joined(found, as_guard(kept.value()));
  }
  auto judged = run.judge(found, what + ", as its owner reads it");
  if (!judged.ok()) return judged;
  const Range all{l.range.offset, range.bytes + 2 * kGuard};
  auto copied = owner_->copy(*stream_, *image_, 0, *buffer_, all);
  if (copied.ok()) copied = run.settle(*stream_);
  if (!copied.ok()) return copied;
  const auto* const words = static_cast<const std::uint32_t*>(image_->pointer());
  const std::uint64_t guard_words = kGuard / 4;
  const std::uint64_t body_words = range.bytes / 4;
  found = run.compare(words + guard_words, body_words, expected, before);
  found = runtime::joined(found, runtime::compare_guard(words, guard_words, l.before));
  found = runtime::joined(found, runtime::compare_guard(words + guard_words + body_words, guard_words, r.before));
  return run.judge(found, what + ", copied to the host by its owner");
}

std::vector<std::uint64_t> peer_sizes(const wire::Step& step) {
  std::vector<std::uint64_t> out = step.sizes;
  if (out.empty()) out = {4, 4096, (1U << 20U) + 4, 16U << 20U};
  for (auto& size : out) size = std::max<std::uint64_t>(4, (size + 3) / 4 * 4);
  return out;
}

Outcome<Pair> open_pair(StepRun& run) {
  const auto& ranks = run.step().ranks;
  if (ranks.size() != 2 || ranks[0] == ranks[1]) {
    return Failure{ProbeState::skipped, "this rung is for two different devices"};
  }
  Pair out;
  if (run.session().rank() != ranks[0]) {
    out.lends = true;
    return out;
  }
  out.a = &run.session().device();
  auto peer = run.session().peer(ranks[1], run.deadline());
  if (!peer.ok()) return peer.failure();
  out.b = peer.value();
  return out;
}

Outcome<> enable_both(const Pair& pair) {
  auto enabled = pair.a->enable_access(*pair.b);
  return enabled.ok() ? pair.b->enable_access(*pair.a) : enabled;
}

}  // namespace gpucoop::rank
