#pragma once

#include <future>
#include <memory>
#include <string>

#include "model/recording.hpp"
#include "read/live/roots.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// Reads the kernel log from `dev/kmsg` without waiting and keeps the lines that `rules` know, if the kernel itself
/// wrote them. `HostReading::kernel_log` is false where the kernel has overwritten the log's beginning, so that what is
/// missing from it says nothing. In a copy `kmsg` is a file that holds the records one after the other.
///
/// The kernel gives one record a read, which takes about as long as all devices do: it is read beside them, from the
/// construction on. Nothing may fork from then until `add_to` has returned. `roots` and `rules` must outlive this.
class KernelLogReading {
 public:
  KernelLogReading(const Roots& roots, const Rules& rules);
  ~KernelLogReading();
  KernelLogReading(const KernelLogReading&) = delete;
  KernelLogReading& operator=(const KernelLogReading&) = delete;

  /// Waits for the end of it. At most once, when what `recording` says of the host is complete.
  void add_to(Recording& recording);

 private:
  struct Outcome;
  static std::unique_ptr<Outcome> read(const Roots& roots, const Rules& rules);

  std::string path_;
  std::future<std::unique_ptr<Outcome>> outcome_;
};

}  // namespace gpucoop
