// The kernels by their names, on the processor.
#include <atomic>
#include <chrono>

#include "cuda_fake.hpp"
#include "runtime/pattern.hpp"

namespace fake::cuda {

namespace {

using gpucoop::runtime::Pattern;

template <class T>
T take(void** parameters, int index) {
  T value;
  std::memcpy(&value, parameters[index], sizeof value);
  return value;
}

std::uint64_t nanoseconds() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

Task dispatch(int device, void** p) {
  return [device, to = take<std::uint64_t>(p, 0), value = take<std::uint32_t>(p, 1)] {
    if (told("dispatch-hang")) hang();
    const std::uint32_t stored = told("dispatch-wrong") ? value ^ 1U : value;
    write_memory(device, to, &stored, 4);
  };
}

Task store(int device, void** p) {
  return [device, to = take<std::uint64_t>(p, 0), words = take<std::uint64_t>(p, 1),
          pattern = Pattern{take<std::uint32_t>(p, 2), take<std::uint32_t>(p, 3)}] {
    std::vector<std::uint32_t> all(words);
    for (std::uint64_t i = 0; i < words; ++i) all[i] = pattern.word(i);
    write_memory(device, to, all.data(), words * 4);
  };
}

Task load(int device, void** p) {
  return [device, to = take<std::uint64_t>(p, 0), from = take<std::uint64_t>(p, 1), words = take<std::uint64_t>(p, 2)] {
    std::vector<std::uint32_t> all(words);
    read_memory(device, from, all.data(), words * 4);
    write_memory(device, to, all.data(), words * 4);
  };
}

struct Verdict {
  std::uint64_t checked, wrong, lost, stale, shifted, ones, zero, first;
};

Task verify(int device, void** p) {
  return [device, from = take<std::uint64_t>(p, 0), words = take<std::uint64_t>(p, 1),
          now = Pattern{take<std::uint32_t>(p, 2), take<std::uint32_t>(p, 3)},
          old = Pattern{take<std::uint32_t>(p, 4), take<std::uint32_t>(p, 5)}, result = take<std::uint64_t>(p, 6)] {
    std::vector<std::uint32_t> all(words);
    read_memory(device, from, all.data(), words * 4);
    Verdict v{};
    read_memory(device, result, &v, sizeof v);
    for (std::uint64_t i = 0; i < words; ++i) {
      ++v.checked;
      const std::uint32_t found = all[i];
      if (found == now.word(i)) continue;
      ++v.wrong;
      v.first = std::min(v.first, (i << 32U) | found);
      if (found == ~0U) {
        ++v.ones;
      } else if (found == 0) {
        ++v.zero;
      } else if (found == old.word(i)) {
        ++v.lost;
      } else {
        bool stale = false;
        for (std::uint32_t k = 1; k <= 3; ++k) stale = stale || found == Pattern{now.seed, now.round - k}.word(i);
        bool shifted = false;
        for (std::uint64_t k = 1; k <= 16 && !stale; ++k)
          shifted = shifted || found == now.word(i + k) || found == now.word(i - k);
        v.stale += stale ? 1 : 0;
        v.shifted += shifted ? 1 : 0;
      }
    }
    write_memory(device, result, &v, sizeof v);
  };
}

Task handshake(int device, void** p) {
  return [device, own = take<std::uint64_t>(p, 0), other = take<std::uint64_t>(p, 1), side = take<std::uint32_t>(p, 2),
          rounds = take<std::uint32_t>(p, 3), limit = take<std::uint64_t>(p, 4), result = take<std::uint64_t>(p, 5)] {
    const std::uint64_t begin = nanoseconds();
    std::uint32_t came = 0;
    std::uint64_t wrong = 0;
    const auto write = [&](std::uint32_t round) {
      std::uint32_t payload[16];
      for (std::uint64_t j = 0; j < 16; ++j) payload[j] = Pattern{0x6A5D39E1U + side, round}.word(j);
      write_memory(device, other + 64, payload, sizeof payload);
      std::atomic_thread_fence(std::memory_order_seq_cst);
      write_memory(device, other, &round, 4);
    };
    const auto wait = [&](std::uint32_t round) {
      std::uint32_t flag = 0;
      for (;;) {
        read_memory(device, own, &flag, 4);
        if (flag == round) break;
        if (nanoseconds() - begin > limit) return false;
        std::this_thread::yield();
      }
      std::uint32_t payload[16];
      read_memory(device, own + 64, payload, sizeof payload);
      for (std::uint64_t j = 0; j < 16; ++j)
        wrong += payload[j] != Pattern{0x6A5D39E1U + (side ^ 1U), round}.word(j) ? 1 : 0;
      return true;
    };
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      if (side == 0) write(round);
      if (!wait(round)) break;
      if (side != 0) write(round);
      came = round;
    }
    struct {
      std::uint32_t rounds, unused;
      std::uint64_t wrong, nanoseconds;
    } end{came, 0, wrong, nanoseconds() - begin};
    write_memory(device, result, &end, sizeof end);
  };
}

Task count(int device, void** p) {
  return [device, at = take<std::uint64_t>(p, 0), times = take<std::uint32_t>(p, 1)] {
    bool lossy = false;
    {
      const std::lock_guard lock(memory_mutex());
      const Block* block = block_of(at);
      lossy = told("atomics-lost") && block != nullptr && block->device >= 0 && block->device != device;
    }
    auto* word = reinterpret_cast<std::uint32_t*>(at);
    for (std::uint32_t i = 0; i < (lossy ? times / 2 : times); ++i) __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
  };
}

Task spin(int, void** p) {
  return [duration = take<std::uint64_t>(p, 0)] { std::this_thread::sleep_for(std::chrono::nanoseconds(duration)); };
}

}  // namespace

Task kernel_task(const char* name, int device, void** parameters) {
  const std::string_view n = name;
  if (n == "gpucoop_dispatch") return dispatch(device, parameters);
  if (n == "gpucoop_store") return store(device, parameters);
  if (n == "gpucoop_load") return load(device, parameters);
  if (n == "gpucoop_verify") return verify(device, parameters);
  if (n == "gpucoop_handshake") return handshake(device, parameters);
  if (n == "gpucoop_count") return count(device, parameters);
  if (n == "gpucoop_spin") return spin(device, parameters);
  return nullptr;
}

}  // namespace fake::cuda
