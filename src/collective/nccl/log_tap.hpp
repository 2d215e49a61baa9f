#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "collective/nccl/log_reader.hpp"
#include "runtime/outcome.hpp"

namespace gpucoop::collective::nccl {

/// Reads the library's log as it is written, through a pipe that is the library's log file. One for the process, as the
/// library opens its log once, and for as long as it lives: a pipe that nobody reads would end it.
class LogTap {
 public:
  [[nodiscard]] static runtime::Outcome<LogTap*> instance();

  /// The name to give the library as that of its log file.
  [[nodiscard]] std::string file() const;
  /// From here on lines are of communicator `number`. Costs nothing where they were already.
  void begin(std::uint64_t number);
  /// What was read of all that has been written until now.
  [[nodiscard]] LogReader read();

 private:
  LogTap(int in, int out) : in_(in), out_(out) {}
  void drain();

  int in_;
  int out_;
  std::atomic<std::uint64_t> current_{0};
  std::mutex mutex_;
  LogReader reader_;
};

}  // namespace gpucoop::collective::nccl
