// Memory with its lies, and streams.
#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "cuda_fake.hpp"

namespace fake::cuda {

std::mutex& memory_mutex() {
  static auto* mutex = new std::mutex;  // outlives worker threads
  return *mutex;
}

std::map<std::uint64_t, Block>& all_blocks() {
  static auto* blocks = new std::map<std::uint64_t, Block>;
  return *blocks;
}

Block* block_of(std::uint64_t address) {
  auto& all = all_blocks();
  auto next = all.upper_bound(address);
  if (next == all.begin()) return nullptr;
  Block& block = std::prev(next)->second;
  return address < block.start + block.bytes ? &block : nullptr;
}

void write_memory(int device, std::uint64_t address, const void* from, std::size_t bytes) {
  auto* to = reinterpret_cast<unsigned char*>(address);
  Block* block = nullptr;
  {
    const std::lock_guard lock(memory_mutex());
    block = block_of(address);
  }
  const bool peer = block != nullptr && (block->imported || (block->device >= 0 && block->device != device));
  if (peer && told("peer-lost")) return;
  if (peer && told("peer-ones")) {
    std::memset(to, 0xFF, bytes);
    return;
  }
  if (peer && told("peer-mirror")) {
    const std::lock_guard lock(memory_mutex());
    if (block->mirror.empty())
      block->mirror.assign(reinterpret_cast<unsigned char*>(block->start),
                           reinterpret_cast<unsigned char*>(block->start) + block->bytes);
    std::memcpy(block->mirror.data() + (address - block->start), from, bytes);
    return;
  }
  if (peer && told("peer-stale")) {
    const std::lock_guard lock(memory_mutex());
    if (!block->late.empty())
      std::memcpy(reinterpret_cast<void*>(block->late_at), block->late.data(), block->late.size());
    const auto* start = static_cast<const unsigned char*>(from);
    block->late.assign(start, start + bytes);
    block->late_at = address;
    return;
  }
  if (bytes == 4 && address % 4 == 0) {
    std::uint32_t word;
    std::memcpy(&word, from, 4);
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(to), word, __ATOMIC_SEQ_CST);
    return;
  }
  std::memcpy(to, from, bytes);
}

void read_memory(int device, std::uint64_t address, void* to, std::size_t bytes) {
  {
    const std::lock_guard lock(memory_mutex());
    const Block* block = block_of(address);
    const bool peer = block != nullptr && (block->imported || (block->device >= 0 && block->device != device));
    if (peer && !block->mirror.empty()) {
      std::memcpy(to, block->mirror.data() + (address - block->start), bytes);
      return;
    }
  }
  const auto* from = reinterpret_cast<const unsigned char*>(address);
  if (bytes == 4 && address % 4 == 0) {
    const std::uint32_t word = __atomic_load_n(reinterpret_cast<const std::uint32_t*>(from), __ATOMIC_SEQ_CST);
    std::memcpy(to, &word, 4);
    return;
  }
  std::memcpy(to, from, bytes);
}

namespace {

struct AllStreams {
  std::mutex mutex;
  std::set<Stream*> streams;
};
AllStreams& all_streams() {
  static auto* all = new AllStreams;
  return *all;
}

}  // namespace

void finish_streams(int device) {
  for (;;) {
    {
      auto& all = all_streams();
      const std::lock_guard lock(all.mutex);
      if (std::all_of(all.streams.begin(), all.streams.end(),
                      [device](Stream* stream) { return stream->device != device || stream->idle(); }))
        return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

Stream::Stream(int of) : device(of) {
  {
    auto& all = all_streams();
    const std::lock_guard lock(all.mutex);
    all.streams.insert(this);
  }
  worker = std::thread([this] {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return stop || !queue.empty(); });
      if (queue.empty()) return;
      Task task = std::move(queue.front());
      queue.pop_front();
      busy = true;
      lock.unlock();
      task();
      lock.lock();
      busy = false;
    }
  });
}

Stream::~Stream() {
  {
    auto& all = all_streams();
    const std::lock_guard lock(all.mutex);
    all.streams.erase(this);
  }
  {
    const std::lock_guard lock(mutex);
    stop = true;
  }
  changed.notify_all();
  worker.join();
}

void Stream::put(Task task) {
  const std::lock_guard lock(mutex);
  if (capturing) {
    captured.push_back(std::move(task));
    return;
  }
  queue.push_back(std::move(task));
  changed.notify_all();
}

bool Stream::idle() {
  const std::lock_guard lock(mutex);
  return queue.empty() && !busy;
}

}  // namespace fake::cuda
