#include "probe/kernel_tail.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "read/host/kmsg.hpp"
#include "read/log/log_reader.hpp"

namespace gpucoop::probe {

KernelTail::KernelTail() : log_(::open("/dev/kmsg", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  if (log_ && ::lseek(log_.get(), 0, SEEK_END) < 0) log_.close();
}

std::vector<LogLine> KernelTail::take(const Rules& rules) {
  LogReader reader(rules);
  std::array<char, 16384> bytes{};  // the kernel makes none longer than 8192
  constexpr unsigned kMost = 20000;
  for (unsigned i = 0; log_ && i < kMost; ++i) {
    const auto got = ::read(log_.get(), bytes.data(), bytes.size());
    if (got < 0 && (errno == EPIPE || errno == EINTR)) continue;  // overwritten meanwhile: goes on behind it
    if (got <= 0) break;
    const auto record = parse_kmsg({bytes.data(), static_cast<std::size_t>(got)});
    if (record && record->from_kernel) static_cast<void>(reader.take(record->text, Place{}));
  }
  return reader.finish();
}

}  // namespace gpucoop::probe
