#include "wire/board.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <limits>
#include <utility>

#include "base/descriptor.hpp"
#include "wire/board_layout.hpp"

namespace gpucoop::wire {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMagic = 0x31647261'6f625047;
constexpr std::uint32_t kComersMask = 0xff;

/// The state of a meeting that has been met once more.
std::uint32_t met(std::uint32_t state) { return (state & ~kComersMask) + kComersMask + 1; }

Error failed(const char* what) {
  return {ExitCode::internal, std::string(what) + ": " + std::strerror(errno), "",
          "look at the limits of memory and open files"};
}

std::uint64_t page_bytes() { return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)); }

std::uint64_t arena_offset() {
  const auto page = page_bytes();
  return (sizeof(BoardPage) + page - 1) / page * page;
}

/// A moment of sleep until `word` is no longer `seen`; other processes are woken as well.
void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t seen, Clock::time_point deadline) {
  // Not for longer than this: whoever was to wake us may have died just before it did.
  constexpr std::chrono::nanoseconds kMost = std::chrono::milliseconds(20);
  const auto left = std::clamp<std::chrono::nanoseconds>(deadline - Clock::now(), std::chrono::nanoseconds(1), kMost);
  const struct timespec time { 0, static_cast<long>(left.count()) };
  ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, &time, nullptr, 0);
}

void wake_all(const std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

/// The entry of `key`; taken where it is new. Null where all are taken.
template <class Table>
typename Table::value_type* find(Table& table, std::uint64_t key) {
  if (key == std::numeric_limits<std::uint64_t>::max()) return nullptr;
  const auto wanted = key + 1;
  auto at = (wanted * 0x9E3779B97F4A7C15U) >> 32U;
  for (std::size_t tries = 0; tries < table.size(); ++tries, ++at) {
    auto& entry = table[at % table.size()];
    std::uint64_t found = entry.key.load(std::memory_order_acquire);
    if (found == 0 && entry.key.compare_exchange_strong(found, wanted, std::memory_order_acq_rel)) return &entry;
    if (found == wanted) return &entry;
  }
  return nullptr;
}

class MappedBoard final : public Board {
 public:
  MappedBoard(Descriptor file, void* memory, std::uint64_t bytes)
      : file_(std::move(file)), memory_(memory), bytes_(bytes), page_(static_cast<BoardPage*>(memory)) {}
  ~MappedBoard() override { ::munmap(memory_, bytes_); }
  MappedBoard(const MappedBoard&) = delete;
  MappedBoard& operator=(const MappedBoard&) = delete;

  [[nodiscard]] int fd() const override { return file_.get(); }
  [[nodiscard]] unsigned ranks() const override { return page_->head.ranks; }
  [[nodiscard]] Progress& progress(unsigned rank) override {
    return page_->progress[std::min<std::size_t>(rank, kMostRanks - 1)].progress;
  }

  [[nodiscard]] bool meet(std::uint64_t key, unsigned count, Clock::time_point deadline) override {
    auto* const meeting = find(page_->meetings, key);
    if (meeting == nullptr || count == 0 || count > kMostRanks) return false;
    auto& state = meeting->state;
    auto seen = state.load(std::memory_order_acquire);
    bool last = false;
    // The last one comes and opens in one step: nobody can die between the two.
    do last = (seen & kComersMask) + 1 >= count;
    while (!state.compare_exchange_weak(seen, last ? met(seen) : seen + 1, std::memory_order_acq_rel));
    if (last) {
      wake_all(state);
      return true;
    }
    const auto opened = met(seen);
    for (;;) {
      auto now = state.load(std::memory_order_acquire);
      if (met(now) != opened) return true;
      if (Clock::now() < deadline) {
        sleep_while(state, now, deadline);
      } else if (state.compare_exchange_strong(now, now - 1, std::memory_order_acq_rel)) {
        return false;
      }
    }
  }

  bool give(std::uint64_t key, std::string_view bytes) override {
    if (bytes.size() > kMostGift) return false;
    auto* const gift = find(page_->gifts, key);
    if (gift == nullptr || gift->length.load(std::memory_order_acquire) != 0) return false;
    std::copy(bytes.begin(), bytes.end(), gift->bytes.begin());
    gift->length.store(static_cast<std::uint32_t>(bytes.size()) + 1, std::memory_order_release);
    wake_all(gift->length);
    return true;
  }

  [[nodiscard]] bool take(std::uint64_t key, std::string& bytes, Clock::time_point deadline) override {
    auto* const gift = find(page_->gifts, key);
    if (gift == nullptr) return false;
    for (;;) {
      const auto length = gift->length.load(std::memory_order_acquire);
      if (length != 0) {
        bytes.assign(gift->bytes.data(), std::min<std::size_t>(length - 1, kMostGift));
        return true;
      }
      if (Clock::now() >= deadline) return false;
      sleep_while(gift->length, 0, deadline);
    }
  }

  [[nodiscard]] std::byte* arena() override { return static_cast<std::byte*>(memory_) + arena_offset(); }
  [[nodiscard]] std::uint64_t arena_bytes() const override { return page_->head.arena_bytes; }

 private:
  Descriptor file_;
  void* memory_;
  std::uint64_t bytes_;
  BoardPage* page_;
};

Result<std::unique_ptr<Board>> map(Descriptor file, std::uint64_t bytes) {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.get(), 0);
  if (memory == MAP_FAILED) return failed("the memory that ranks share cannot be mapped");
  return std::unique_ptr<Board>(std::make_unique<MappedBoard>(std::move(file), memory, bytes));
}

}  // namespace

Result<std::unique_ptr<Board>> Board::create(unsigned ranks, std::uint64_t arena_bytes) {
  constexpr std::uint64_t kMostArena = std::uint64_t{1} << 40U;
  if (ranks == 0 || ranks > kMostRanks || arena_bytes > kMostArena) {
    return Error{ExitCode::usage, "a team has 1 to " + std::to_string(kMostRanks) + " ranks and at most 1 TiB", "", ""};
  }
  Descriptor file(::memfd_create("gpucoop-board", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return failed("the memory that ranks share cannot be made");
  const auto bytes = arena_offset() + arena_bytes;
  struct rlimit limit {};
  // Beyond this limit the kernel would end us with a signal.
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes) {
    return Error{ExitCode::internal, "the memory that ranks share is larger than the limit of file sizes allows", "",
                 "raise it with `ulimit -f unlimited`"};
  }
  if (::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
    return failed("the memory that ranks share cannot be made");
  // A rank that cut the file would end all others with SIGBUS.
  ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  const BoardHead head{kMagic, ranks, 0, arena_bytes};
  if (::pwrite(file.get(), &head, sizeof head, 0) != static_cast<ssize_t>(sizeof head)) {
    return failed("the memory that ranks share cannot be written");
  }
  return map(std::move(file), bytes);
}

Result<std::unique_ptr<Board>> Board::attach(int fd) {
  Descriptor file(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return failed("there is no board of a team");
  BoardHead head{};
  const bool read = ::pread(file.get(), &head, sizeof head, 0) == static_cast<ssize_t>(sizeof head);
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (!read || head.magic != kMagic || head.ranks == 0 || head.ranks > kMostRanks || bytes < arena_offset() ||
      bytes - arena_offset() != head.arena_bytes) {
    return Error{ExitCode::bad_input, "the descriptor is no board of a team", std::to_string(fd), ""};
  }
  return map(std::move(file), bytes);
}

}  // namespace gpucoop::wire
