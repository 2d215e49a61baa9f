#include "read/live/kernel_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "read/host/kmsg.hpp"
#include "read/log/log_reader.hpp"
#include "read/text.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;  ///< beyond the kernel's largest buffer
constexpr std::size_t kMostOfCopy = std::size_t{8} << 20;
/// A line that continues may be put together from many records; the matcher looks at no more than this.
constexpr std::size_t kMostLine = 2048;

class KernelLog {
 public:
  explicit KernelLog(const Rules& rules) : reader_(rules) {}

  void take(std::string_view text) {
    const auto record = parse_kmsg(text);
    if (!record) return;
    if (!seen_ ? record->sequence != 0 : record->sequence != last_ + 1) whole_ = false;
    seen_ = true;
    last_ = record->sequence;
    if (!record->continuation) flush();
    if (record->from_kernel && line_.size() < kMostLine) line_ += record->text;
  }

  void lost() { whole_ = false; }
  [[nodiscard]] bool whole() const { return seen_ && whole_; }
  [[nodiscard]] bool seen() const { return seen_; }

  [[nodiscard]] std::vector<LogLine> finish() {
    flush();
    return reader_.finish();
  }

 private:
  /// One record may hold several lines. A time tells the matcher that the whole line is the kernel's.
  void flush() {
    for (std::string_view rest = line_; !rest.empty();) {
      static_cast<void>(reader_.take("[0.0] " + std::string(next_part(rest, '\n')), Place{}));
    }
    line_.clear();
  }

  LogReader reader_;
  std::string line_;
  std::uint64_t last_ = 0;
  bool seen_ = false;
  bool whole_ = true;
};

/// Every read gives one record. EPIPE: records were overwritten meanwhile; the next read goes on behind them.
void read_device(const Descriptor& device, KernelLog& log) {
  std::array<char, 16384> record{};  // the kernel makes none longer than 8192
  for (std::size_t total = 0; total < kMostBytes;) {
    const auto got = ::read(device.get(), record.data(), record.size());
    if (got > 0) {
      total += static_cast<std::size_t>(got);
      log.take({record.data(), static_cast<std::size_t>(got)});
    } else if (got < 0 && errno == EPIPE) {
      log.lost();
      total += record.size();
    } else if (got == 0 || errno != EINTR) {
      return;
    }
  }
}

void read_copy(std::string_view text, KernelLog& log) {
  while (!text.empty()) {
    const auto record = next_part(text, '\n');
    if (!starts_with(record, " ")) log.take(record);
  }
}

Reason why_not(int error, const HostReading& host) {
  if (error == EPERM || error == EACCES) return Reason::no_root;
  return host.container.is_known() ? Reason::hidden_by_container : Reason::not_in_input;
}

/// None and `errno` where that fails.
Descriptor open_device(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  if (!S_ISCHR(status.st_mode)) {
    errno = ENOENT;
    return {};
  }
  return Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

}  // namespace

/// Without a log: `error` where the device could not be opened, else why the copy has none (unset: it has no such
/// file).
struct KernelLogReading::Outcome {
  std::optional<KernelLog> log;
  int error = 0;
  std::optional<Reason> reason;
};

std::unique_ptr<KernelLogReading::Outcome> KernelLogReading::read(const Roots& roots, const Rules& rules) {
  auto outcome = std::make_unique<Outcome>();
  if (roots.of_this_host) {
    const auto device = open_device(roots.dev + "/kmsg");
    if (device) {
      read_device(device, outcome->log.emplace(rules));
    } else {
      outcome->error = errno;
    }
    return outcome;
  }
  const auto text = roots.open(roots.dev).text("kmsg", kMostOfCopy);
  if (text.is_known()) {
    read_copy(text.value(), outcome->log.emplace(rules));
  } else if (text.is_unknown()) {
    outcome->reason = text.reason();
  }
  return outcome;
}

KernelLogReading::KernelLogReading(const Roots& roots, const Rules& rules) : path_(roots.dev + "/kmsg") {
  const auto start = [&](std::launch how) {
    outcome_ = std::async(how, [&roots, &rules] { return read(roots, rules); });
  };
  try {
    start(std::launch::async);
  } catch (const std::system_error&) {  // no more threads are to be had
    start(std::launch::deferred);
  }
}

KernelLogReading::~KernelLogReading() = default;

void KernelLogReading::add_to(Recording& recording) {
  const auto outcome = outcome_.get();
  auto& known = recording.host.kernel_log;
  if (!outcome->log) {
    if (outcome->error != 0) known = Known<bool>::unknown(why_not(outcome->error, recording.host));
    if (outcome->reason) known = Known<bool>::unknown(*outcome->reason);
    return;
  }
  auto& log = *outcome->log;
  if (!log.seen()) {
    known = Known<bool>::unknown(Reason::damaged);
    return;
  }
  const Place place{static_cast<std::uint16_t>(recording.sources.size()), 0};
  recording.sources.push_back({path_, SourceKind::kernel_log});
  known = log.whole();
  for (auto& line : log.finish()) {
    line.place = place;
    recording.log.push_back(std::move(line));
  }
  join_log_lines(recording);
}

}  // namespace gpucoop
