#include "collective/nccl/log_reader.hpp"

#include <charconv>
#include <cstddef>

namespace gpucoop::collective::nccl {

namespace {

constexpr std::string_view kMark = "gpucoop communicator ";
constexpr std::size_t kLongestLine = 4096;
constexpr std::size_t kMostWays = 65536;
constexpr std::size_t kMostWarnings = 32;

/// Reads the front of a line piece by piece; every step gives whether it was there.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool skip(std::string_view word) {
    if (text_.substr(0, word.size()) != word) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool number(unsigned& value) {
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{}) return false;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return true;
  }
  bool skip_to(std::string_view word) {
    const auto at = text_.find(word);
    if (at == std::string_view::npos) return false;
    text_.remove_prefix(at + word.size());
    return true;
  }
  [[nodiscard]] std::string_view rest() const { return text_; }

 private:
  std::string_view text_;
};

struct Connection {
  unsigned from = 0;
  unsigned to = 0;
  std::string_view by;
};

/// `Channel 00/0 : 0[0] -> 1[1] [send] via NET/Socket/0`, and `0[0] <- 1[1]` of some versions.
bool read_connection(std::string_view line, Connection& found) {
  Cursor c(line);
  unsigned left = 0;
  unsigned right = 0;
  if (!c.skip_to("Channel ") || !c.skip_to(" : ") || !c.number(left) || !c.skip("[") || !c.skip_to("] ")) return false;
  const bool forward = c.skip("-> ");
  if (!forward && !c.skip("<- ")) return false;
  if (!c.number(right) || !c.skip("[") || !c.skip_to(" via ") || c.rest().empty()) return false;
  found = forward ? Connection{left, right, c.rest()} : Connection{right, left, c.rest()};
  return true;
}

}  // namespace

std::string transport_kind(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  const auto first = text.find('/');
  if (first == std::string_view::npos) return std::string(text);
  const std::string_view kind = text.substr(0, first);
  if (kind == "SHM") return std::string(text);
  auto second = text.find_first_of("/(", first + 1);
  std::string name(text.substr(0, second));
  if (kind == "NET" && text.find("/GDRDMA") != std::string_view::npos) name += "/GDRDMA";
  if (kind == "P2P" && text.find("/CE") != std::string_view::npos) name += "/CE";
  return name;
}

std::string LogReader::mark(std::uint64_t number) { return std::string(kMark) + std::to_string(number) + "\n"; }

void LogReader::take(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (rest_.size() + part.size() <= kLongestLine)
      rest_ += part;
    else
      overlong_ = true;
    if (end == std::string_view::npos) return;
    if (!overlong_) take_line(rest_);
    rest_.clear();
    overlong_ = false;
    bytes.remove_prefix(end + 1);
  }
}

void LogReader::take_line(std::string_view line) {
  if (line.substr(0, kMark.size()) == kMark) {
    std::uint64_t number = 0;
    const std::string_view digits = line.substr(kMark.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    communicator_ = number;
    return;
  }
  constexpr std::string_view warn = "NCCL WARN ";
  if (const auto at = line.find(warn); at != std::string_view::npos) {
    if (warnings_.size() == kMostWarnings) warnings_.erase(warnings_.begin());
    warnings_.emplace_back(line.substr(at + warn.size()));
    return;
  }
  // Written once the buffers for multicast are there; `NVLS multicast support` alone is no more than an offer.
  if (line.find("NCCL INFO NVLS comm ") != std::string_view::npos) {
    if (multicast_.size() < kMostWays) multicast_.insert(communicator_);
    return;
  }
  Connection found;
  if (!read_connection(line, found)) return;
  if (ways_.size() >= kMostWays) return;
  ++ways_[Way{communicator_, found.from, found.to, transport_kind(found.by)}];
}

std::map<unsigned, std::string> LogReader::transports(std::uint64_t number, unsigned rank) const {
  std::map<unsigned, std::string> by_peer;
  for (const auto& [way, lines] : ways_) {
    if (way.communicator != number || (way.from != rank && way.to != rank)) continue;
    std::string& text = by_peer[way.from == rank ? way.to : way.from];
    if (text.empty())
      text = way.by;
    else if (("," + text + ",").find("," + way.by + ",") == std::string::npos)
      text += "," + way.by;
  }
  return by_peer;
}

}  // namespace gpucoop::collective::nccl
