#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "read/host/host_line.hpp"
#include "read/log/log_reader.hpp"

// Kernel-log lines and lines about the host: nothing unprintable or long comes out of them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpucoop;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  Recording recording;
  static LogReader reader(builtin_rules());
  std::uint32_t number = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    (void)reader.take(line, {0, ++number});
    (void)read_host_line(line, recording.host);
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : text.size());
  }
  recording.log = reader.finish();
  join_log_lines(recording);
  for (const LogLine& line : recording.log) {
    if (line.text.size() > 300 || line.cause.empty()) std::abort();
    for (const char c : line.text) {
      if (c < ' ' || c > '~') std::abort();
    }
  }
  if (recording.host.kernel.value_or("").size() > 64) std::abort();
  return 0;
}
