#include "runtime/host/kernels.hpp"

#include <algorithm>

#include "runtime/patience.hpp"

namespace gpucoop::runtime::host {
namespace {

constexpr std::uint64_t kPayload = 64;  ///< bytes from the flag to the payload
constexpr std::uint64_t kMostWords = 240;
constexpr std::uint32_t kSeed = 0x48535348;

std::uint32_t* words_at(std::byte* memory, std::uint64_t offset) {
  return static_cast<std::uint32_t*>(static_cast<void*>(memory + offset));
}

bool wait_for(std::uint32_t* flag, std::uint32_t value, Patience& patience, const std::atomic<bool>& stop) {
  const std::atomic_ref<std::uint32_t> seen(*flag);
  while (seen.load(std::memory_order_acquire) != value) {
    if (stop.load(std::memory_order_relaxed) || !patience.wait()) return false;
  }
  return true;
}

}  // namespace

void store_pattern(std::uint32_t* to, std::uint64_t words, const Pattern& pattern) {
  for (std::uint64_t i = 0; i < words; ++i) to[i] = pattern.word(i);
}

void count_up(std::uint32_t* counter, std::uint32_t times) {
  const std::atomic_ref<std::uint32_t> shared(*counter);
  for (std::uint32_t i = 0; i < times; ++i) shared.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t payload_words(std::uint64_t bytes) {
  return bytes <= kPayload ? 0 : std::min(kMostWords, (bytes - kPayload) / 4);
}

HandshakeEnd shake_hands(std::byte* own, std::byte* other, std::uint64_t words, const Handshake& what,
                         const std::atomic<bool>& stop) {
  HandshakeEnd end;
  const auto began = std::chrono::steady_clock::now();
  const Deadline deadline = began + what.limit;
  auto* const mine = words_at(own, kPayload);
  auto* const theirs = words_at(other, kPayload);
  const std::atomic_ref<std::uint32_t> to_other(*words_at(other, 0));
  const auto write = [&](std::uint32_t round) {
    store_pattern(theirs, words, Pattern{kSeed + what.side, round});
    to_other.store(round, std::memory_order_release);
  };
  for (std::uint32_t round = 1; round <= what.rounds; ++round) {
    if (what.side == 0) write(round);
    Patience patience(deadline);
    if (!wait_for(words_at(own, 0), round, patience, stop)) break;
    const Pattern expected{kSeed + 1 - what.side, round};
    for (std::uint64_t i = 0; i < words; ++i) {
      if (mine[i] != expected.word(i)) ++end.wrong_payload;
    }
    if (what.side != 0) write(round);
    ++end.rounds;
  }
  end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return end;
}

}  // namespace gpucoop::runtime::host
