#include "read/log/log_reader.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "read/log/prefix.hpp"
#include "read/text.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kMostText = 300;
constexpr unsigned kMostOfOneKind = 16;
/// No kernel line is longer than the kernel's own record (LOG_LINE_MAX 1024) and its prefix.
constexpr std::size_t kMostLine = 2048;

bool hex(char c) { return hex_value(c) >= 0; }
bool word(char c) { return is_alpha(c) || is_digit(c) || c == '_' || c == '-'; }

struct Found {
  Address address;
  std::size_t begin = 0;
};

/// A PCI address that begins at `pos`: with its domain, or without it where the text before says that it is one.
std::optional<Address> address_at(std::string_view text, std::size_t pos) {
  std::size_t length = 0;
  if (const auto a = parse_address_prefix(text.substr(pos), length)) {
    const bool with_domain = text[pos + 2] != ':';
    const std::string_view before = text.substr(0, pos);
    const auto ends = [&](std::string_view s) {
      return before.size() >= s.size() && before.substr(before.size() - s.size()) == s;
    };
    if (with_domain || ends("device=") || ends("device [")) return a;
    return std::nullopt;
  }
  // The NVIDIA driver prints no function: `Xid (PCI:0000:03:00): 79`.
  const std::string_view rest = text.substr(pos, 11);
  if (rest.size() == 11 && rest[10] == ')') {
    return parse_address(std::string(rest.substr(0, 10)) + ".0");
  }
  return std::nullopt;
}

/// The first PCI address of a line: the device that a driver speaks about stands first.
std::optional<Found> first_address(std::string_view text) {
  for (std::size_t i = 0; i + 7 <= text.size(); ++i) {
    if (!hex(text[i]) || (i > 0 && word(text[i - 1]))) continue;
    if (const auto a = address_at(text, i)) return Found{*a, i};
  }
  return std::nullopt;
}

/// `device 1002:699f` as printed with `%x:%x`.
std::optional<std::pair<std::uint16_t, std::uint16_t>> device_ids(std::string_view text) {
  const std::size_t at = text.find("device ");
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(at + 7);
  std::uint16_t values[2] = {0, 0};
  for (int part = 0; part < 2; ++part) {
    std::size_t n = 0;
    unsigned value = 0;
    while (n < rest.size() && n < 5 && hex(rest[n])) {
      value = value * 16 + static_cast<unsigned>(hex_value(rest[n++]));
    }
    if (n == 0 || n > 4 || (part == 0 && (n >= rest.size() || rest[n] != ':'))) return std::nullopt;
    values[part] = static_cast<std::uint16_t>(value);
    rest.remove_prefix(std::min(rest.size(), n + (part == 0 ? 1u : 0u)));
  }
  if (!rest.empty() && (word(rest[0]) || rest[0] == ':' || rest[0] == '.')) return std::nullopt;
  return std::pair{values[0], values[1]};
}

/// Takes the names and numbers of processes out: `pid=1234, name=python3, ` and ` process python3 pid 1234 …`.
std::string without_processes(std::string_view text) {
  std::string result(text.substr(0, kMostText));
  for (const std::string_view key : {std::string_view("pid="), std::string_view("name="), std::string_view("comm=")}) {
    for (std::size_t at = result.find(key); at != std::string::npos; at = result.find(key)) {
      std::size_t end = result.find(", ", at);
      end = end == std::string::npos ? result.size() : end + 2;
      result.erase(at, end - at);
    }
  }
  for (const std::string_view key :
       {std::string_view(" process "), std::string_view(" Process "), std::string_view(" thread ")}) {
    if (const std::size_t at = result.find(key); at != std::string::npos) result.resize(at);
  }
  // `Timedout job: … in python3 [260404]`, `GPU HANG: ecode …, in Xorg [1234]`
  for (const std::string_view key : {std::string_view("Timedout job: "), std::string_view("GPU HANG: ")}) {
    const std::size_t event = result.find(key);
    if (event == std::string::npos) continue;
    if (const std::size_t at = result.find(" in ", event); at != std::string::npos) result.resize(at);
  }
  result.erase(std::remove_if(result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }), result.end());
  while (!result.empty() && (result.back() == ' ' || result.back() == ',')) result.pop_back();
  return result;
}

/// Where the part of a line begins that may be kept although no log prefix was recognised: the driver's name before
/// the address, or what matched. Anything before could be a prompt, a name, a sentence.
std::size_t safe_begin(std::string_view text, std::size_t match, const std::optional<Found>& device) {
  if (!device || device->begin > match) return match;
  std::size_t begin = device->begin;
  if (begin >= 2 && text[begin - 1] == ' ') {
    std::size_t name = begin - 1;
    while (name > 0 && word(text[name - 1])) --name;
    if (name == 0 || text[name - 1] == ' ') begin = name;
  }
  return begin;
}

std::vector<std::string_view> split_pattern(std::string_view pattern) {
  std::vector<std::string_view> pieces;
  while (!pattern.empty()) {
    const std::size_t star = pattern.find('*');
    if (star != 0) pieces.push_back(pattern.substr(0, star));
    if (star == std::string_view::npos) break;
    pattern.remove_prefix(star + 1);
  }
  return pieces;
}

/// Where the pieces stand in the text one after the other: the begin of the first.
std::optional<std::size_t> match_pieces(std::string_view text, const std::vector<std::string_view>& pieces) {
  std::optional<std::size_t> begin;
  std::size_t from = 0;
  for (const std::string_view piece : pieces) {
    const std::size_t at = text.find(piece, from);
    if (at == std::string_view::npos) return std::nullopt;
    if (!begin) begin = at;
    from = at + piece.size();
  }
  return begin;
}

}  // namespace

LogReader::LogReader(const Rules& rules) : rules_(&rules) {
  std::vector<std::string_view> longest;
  for (std::size_t cause = 0; cause < rules.log_causes.size(); ++cause) {
    for (const std::string& text : rules.log_causes[cause].patterns) {
      Pattern pattern{cause, split_pattern(text)};
      if (pattern.pieces.empty()) continue;
      longest.push_back(*std::max_element(pattern.pieces.begin(), pattern.pieces.end(),
                                          [](auto a, auto b) { return a.size() < b.size(); }));
      patterns_.push_back(std::move(pattern));
    }
  }
  needles_ = Needles(std::move(longest));
}

bool LogReader::take(std::string_view line, Place place) {
  line = line.substr(0, kMostLine);
  std::size_t from = 0;
  if (needles_.find(line, from) == Needles::npos) return false;
  const Pattern* best = nullptr;
  std::size_t match = 0;
  for (const Pattern& pattern : patterns_) {
    if (best != nullptr && pattern.cause >= best->cause) continue;
    if (const auto begin = match_pieces(line, pattern.pieces)) {
      best = &pattern;
      match = *begin;
    }
  }
  if (best == nullptr) return false;

  const LogText message = strip_log_prefix(line);
  const auto stripped = static_cast<std::size_t>(message.text.data() - line.data());
  const auto device = first_address(message.text);
  const std::size_t in_text = match > stripped ? match - stripped : 0;
  const std::size_t begin = message.prefixed ? 0 : safe_begin(message.text, in_text, device);

  const std::size_t cause = best->cause;
  const auto key = std::pair{cause, device ? std::optional<Address>(device->address) : std::nullopt};
  unsigned& kept = kept_[key];
  if (kept >= kMostOfOneKind) return true;
  ++kept;

  LogLine result;
  result.cause = rules_->log_causes[cause].id;
  result.text = without_processes(message.text.substr(begin));
  result.place = place;
  if (device) {
    result.device = device->address;
  } else if (!device_ids(message.text)) {
    result.device = Known<Address>::absent();
  }
  lines_.push_back(std::move(result));
  return true;
}

std::vector<LogLine> LogReader::finish() {
  kept_.clear();
  return std::exchange(lines_, {});
}

void join_log_lines(Recording& recording) {
  for (LogLine& line : recording.log) {
    if (!line.device.is_unknown()) continue;
    const auto ids = device_ids(line.text);
    const PciDevice* only = nullptr;
    std::size_t count = 0;
    for (const PciDevice& device : recording.devices) {
      if (ids && device.vendor_id.is(ids->first) && device.device_id.is(ids->second)) {
        only = &device;
        ++count;
      }
    }
    line.device = count == 1 ? Known<Address>(only->address) : Known<Address>::unknown(Reason::not_derivable);
  }
}

}  // namespace gpucoop
