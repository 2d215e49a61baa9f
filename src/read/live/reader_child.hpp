#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gpucoop {

/// The child's end of the pipe.
class ChildOutput {
 public:
  ChildOutput(int fd, char* progress, std::size_t room) : fd_(fd), progress_(progress), room_(room) {}

  /// Says what is going to be read next, so that it is known where reading got stuck.
  void reading(std::string_view what);
  /// Hands a message over. Ends the child where nobody takes it any more.
  void send(std::string_view message);

 private:
  int fd_;
  char* progress_;
  std::size_t room_;
};

struct ChildLimits {
  std::chrono::milliseconds deadline{2000};
  std::size_t bytes = std::size_t{8} << 20;  ///< of all messages together
};

/// What a reader child handed over.
struct ChildReading {
  /// `too_much`: more bytes than the limit; `failed`: the child could not be started, or died.
  enum class End : std::uint8_t { finished, timeout, too_much, failed };
  std::vector<std::string> messages;  ///< whole ones in order, up to the end
  End end = End::failed;
  std::string last;         ///< what the child said last about what it reads
  std::uint32_t stuck = 0;  ///< its process number where it did not even end when it was killed, else 0
};

/// Runs `job` in a forked child, which goes on while this process does something else. The child keeps none of this
/// process' descriptors open, standard output among them, runs no exit handler, and dies with its parent. It is killed
/// when it is taken or the object goes; one that the kernel cannot end (it waits uninterruptibly inside a driver) is
/// left to init. The process that starts it must have one thread only.
class ReaderChild {
 public:
  /// The deadline counts from here.
  explicit ReaderChild(const std::function<void(ChildOutput&)>& job, const ChildLimits& limits = {});
  ReaderChild(const ReaderChild&) = delete;
  ReaderChild& operator=(const ReaderChild&) = delete;
  ~ReaderChild();

  /// What the child has handed over and hands over until it returns or the deadline passes; that it passed while
  /// nobody was listening loses nothing. Returns within the deadline and a quarter of a second, whatever the job does.
  /// Once only.
  [[nodiscard]] ChildReading take();

 private:
  struct Running;
  std::unique_ptr<Running> running_;  ///< null where it could not be started, and once it was taken
};

/// Starts the job and takes what comes of it.
[[nodiscard]] ChildReading read_in_child(const std::function<void(ChildOutput&)>& job, const ChildLimits& limits = {});

}  // namespace gpucoop
