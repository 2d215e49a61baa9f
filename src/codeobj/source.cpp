#include "codeobj/source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace gpucoop::codeobj {

FileSource::~FileSource() {
  if (file_ >= 0) ::close(file_);
}

Status FileSource::open(const std::string& path) {
  // Without waiting: a named pipe has nobody at its other end.
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file_ < 0) {
    const int number = errno;
    const auto code = number == ENOENT || number == ENOTDIR ? ExitCode::no_such_input
                      : number == EACCES || number == EPERM ? ExitCode::permission
                                                            : ExitCode::bad_input;
    return Error{code, std::string("cannot open: ") + std::strerror(number), path, ""};
  }
  struct stat about {};
  if (::fstat(file_, &about) != 0 || !S_ISREG(about.st_mode)) {
    return Error{ExitCode::bad_input, "not a regular file", path, "name a library, for example librccl.so.1"};
  }
  size_ = static_cast<std::uint64_t>(about.st_size);
  return {};
}

std::size_t FileSource::read_file(std::uint64_t at, std::span<std::uint8_t> into) const {
  std::size_t have = 0;
  while (have < into.size()) {
    const auto n = ::pread(file_, into.data() + have, into.size() - have, static_cast<off_t>(at + have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  return have;
}

bool FileSource::read(std::uint64_t at, std::span<std::uint8_t> into) {
  if (!within(at, into.size(), size_)) return false;
  if (into.size() > near_.size()) return read_file(at, into) == into.size();
  if (at < near_at_ || !within(at - near_at_, into.size(), near_size_)) {
    near_at_ = at;
    near_size_ = read_file(at, near_);
  }
  if (into.size() > near_size_) return false;
  std::copy_n(near_.begin() + static_cast<std::ptrdiff_t>(at - near_at_), into.size(), into.begin());
  return true;
}

bool MemorySource::read(std::uint64_t at, std::span<std::uint8_t> into) {
  if (!within(at, into.size(), bytes_.size())) return false;
  std::ranges::copy(bytes_.subspan(at, into.size()), into.begin());
  return true;
}

RangeSource::RangeSource(Source& source, std::uint64_t from, std::uint64_t size)
    : source_(source),
      from_(std::min(from, source.size())),
      size_(std::min(size, source.size() - std::min(from, source.size()))) {}

bool RangeSource::read(std::uint64_t at, std::span<std::uint8_t> into) {
  return within(at, into.size(), size_) && source_.read(from_ + at, into);
}

std::optional<Bytes> piece(Source& source, std::uint64_t at, std::uint64_t size, std::uint64_t limit) {
  if (size > limit || !within(at, size, source.size())) return std::nullopt;
  Bytes bytes(size);
  if (!source.read(at, bytes)) return std::nullopt;
  return bytes;
}

std::optional<std::uint64_t> find_first(Source& source, std::uint64_t from, std::uint64_t to,
                                        std::span<const std::string_view> words) {
  constexpr std::size_t kFirstWindow = 4096;
  constexpr std::size_t kLargestWindow = std::size_t{1} << 20;
  to = std::min(to, source.size());
  std::size_t longest = 1;
  for (const auto word : words) longest = std::max(longest, word.size());
  Bytes window;
  // What is looked for is mostly close by, so the windows begin small.
  for (std::size_t size = kFirstWindow; from < to; size = std::min(size * 4, kLargestWindow)) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(size, to - from));
    window.resize(n);
    if (!source.read(from, window)) return std::nullopt;
    std::size_t first = n;
    for (const auto word : words) {
      const auto* hit = ::memmem(window.data(), std::min(n, first + word.size() - 1), word.data(), word.size());
      if (hit != nullptr) {
        first = std::min(first, static_cast<std::size_t>(static_cast<const std::uint8_t*>(hit) - window.data()));
      }
    }
    if (from + n == to) return first < n ? std::optional(from + first) : std::nullopt;
    // A word that the window's end cuts off is whole in the next one, and may begin before this one.
    const auto sure = n - (longest - 1);
    if (first < sure) return from + first;
    from += sure;
  }
  return std::nullopt;
}

}  // namespace gpucoop::codeobj
