#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "fake.hpp"

// A simulated CUDA over host memory. GPUCOOP_FAKE_CUDA: a comma-separated list of
//   devices=N is GPUCOOP_FAKE_CUDA_DEVICES (2 without it), on buses from GPUCOOP_FAKE_CUDA_BUS (a0 without it) on
//   init-hang init-crash init-803 no-device enumerate-crash context-46 module-222
//   launch-719 dispatch-hang dispatch-wrong
//   peer-no       cuDeviceCanAccessPeer says no, and enabling gives 217
//   peer-ones     writes into a peer's memory arrive as all ones
//   peer-lost     writes into a peer's memory do not arrive
//   peer-stale    writes into a peer's memory arrive one write late
//   peer-mirror   writes into a peer's memory go to a private copy, which the writer reads back
//   ipc-refused   opening a memory handle gives 217
//   atomics-lost  additions in a peer's memory are not atomic
namespace fake::cuda {

inline bool told(std::string_view word) { return fake::told("GPUCOOP_FAKE_CUDA", word); }

struct Stream;

/// Memory that a device or the host has; addresses are the process's own.
struct Block {
  std::uint64_t start = 0;
  std::size_t bytes = 0;
  int device = -1;  // -1: host
  int fd = -1;      // of device memory, to be opened by other processes
  bool imported = false;
  std::vector<unsigned char> mirror;  // what writers of other devices see, where they are lied to
  std::vector<unsigned char> late;    // the latest such write, not yet arrived
  std::uint64_t late_at = 0;
};

std::mutex& memory_mutex();
/// The block around an address; null: none.
Block* block_of(std::uint64_t address);

/// As a device reaches memory: with all the lies for a peer's.
void write_memory(int device, std::uint64_t address, const void* from, std::size_t bytes);
void read_memory(int device, std::uint64_t address, void* to, std::size_t bytes);

using Task = std::function<void()>;

/// A worker that does tasks in order.
struct Stream {
  int device = 0;
  bool capturing = false;
  std::vector<Task> captured;
  std::deque<Task> queue;
  bool busy = false;
  bool stop = false;
  std::mutex mutex;
  std::condition_variable changed;
  std::thread worker;

  explicit Stream(int of);
  ~Stream();
  void put(Task task);
  bool idle();
};

/// Waits for all that is on streams of a device: what gives memory back does so, as in the real driver.
void finish_streams(int device);

/// Null: no such kernel.
Task kernel_task(const char* name, int device, void** parameters);

}  // namespace fake::cuda
