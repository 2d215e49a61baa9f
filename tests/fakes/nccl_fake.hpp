#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fake.hpp"

// A simulated NCCL 2.28.9 whose ranks meet in shared memory, over the simulated CUDA. GPUCOOP_FAKE_NCCL: a
// comma-separated list of
//   load-hang load-crash  when it is loaded
//   version-old           2.17.1
//   id-hang               ncclGetUniqueId never comes back
//   init-hang             init is in progress for ever
//   init-block            init never comes back, although it was asked to
//   init-crash init-refuse (two ranks on one GPU)
//   op-hang               operations never end on the stream
//   op-refuse             operations give an error at once
//   op-late-error         operations never end on the stream, and an asynchronous error tells why
//   op-crash
//   crossed               an operation that is put on a stream while one of another communicator of the process has not
//                         ended never ends
//   abort-hang            ncclCommAbort never comes back
//   wrong-data            every result has one wrong element; wrong-large: only those of 1 MiB and more
//   slow-largest          those of 128 MiB and more take 2 seconds
//   spam                  GPUCOOP_FAKE_NCCL_SPAM MiB of log at the first operation
// With GPUCOOP_FAKE_NCCL_RANK=N only rank N does so.
namespace fake::nccl {

struct Communicator;

bool told(std::string_view word, int rank);

constexpr int kMostRanks = 8;
constexpr std::size_t kSlot = std::size_t{1} << 20U;
constexpr std::size_t kMail = std::size_t{64} << 10U;

struct Mailbox {
  std::atomic<std::uint32_t> full;
  std::uint32_t bytes;
  unsigned char data[kMail];
};

/// What the ranks of a communicator share.
struct Shared {
  std::atomic<int> joined;
  std::atomic<int> arrived;
  std::atomic<int> connected;
  std::atomic<std::uint32_t> turn;
  unsigned char slots[kMostRanks][kSlot];
  Mailbox mail[kMostRanks][kMostRanks];
};

/// Something of a communicator that runs on a stream. Point-to-point operations of a group are in one of them.
struct Letter {
  bool sending;
  int peer;
  unsigned char* at;
  std::size_t bytes;
};

struct Communicator {
  int size = 0;
  int rank = 0;
  bool blocking = true;
  std::atomic<int> state{0};
  std::atomic<int> polls_left{0};
  std::atomic<bool> given_up{false};
  bool connected = false;
  bool connecting = false;  // to all others, at the first collective operation
  Shared* shared = nullptr;
};

/// False once the communicator was given up.
bool meet(Communicator& c);
void reduce_into(unsigned char* to, Communicator& c, std::size_t bytes, int type, int op);
std::size_t size_of(int type);

void all_reduce(Communicator& c, const void* send, void* receive, std::size_t count, int type, int op, int root);
void broadcast(Communicator& c, const void* send, void* receive, std::size_t count, int type, int root);
void all_gather(Communicator& c, const void* send, void* receive, std::size_t count, int type);
void reduce_scatter(Communicator& c, const void* send, void* receive, std::size_t count, int type, int op);
void exchange(Communicator& c, std::vector<Letter> letters);

}  // namespace fake::nccl
