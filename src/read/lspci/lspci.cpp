#include "read/lspci/lspci.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "read/host/host_line.hpp"
#include "read/log/log_reader.hpp"
#include "read/log/prefix.hpp"
#include "read/lspci/command.hpp"
#include "read/lspci/device_text.hpp"
#include "read/lspci/header.hpp"
#include "read/lspci/lines.hpp"
#include "read/lspci/runs.hpp"
#include "read/tally.hpp"
#include "read/text.hpp"
#include "read/tree/tree.hpp"

namespace gpucoop {
namespace {

/// Reads a text line by line: each line is a tree's, a device line, a row of bytes, a device's detail, or something
/// else, which is offered to the readers of kernel logs and host words.
class TextReader {
 public:
  TextReader(const std::string& file, const Rules& rules)
      : file_(file), log_(rules), device_(tally_), runs_(file, tally_) {}

  Result<std::vector<Recording>> read(std::string_view bytes);

 private:
  enum class State : std::uint8_t {
    outside,    ///< no device's lines
    header,     ///< in a device line that the next line may continue
    inside,     ///< in a device's lines
    suspended,  ///< a sentence stands between; a device's own label takes the device up again
    headless,   ///< below a device line without an address
  };

  void take(const Line& line);
  bool take_special(const Line& line, std::string_view text);
  bool take_header(std::string_view text, const Line& line);
  void take_detail(const Line& line);
  void take_other(const Line& line);
  void open_device(const Address& address, std::uint32_t line);
  void end_header();
  void close(bool cut);
  [[nodiscard]] bool goes_on(const Line& line) const;
  [[nodiscard]] bool log_line_continues(const Line& line) const;
  void end_log_line();
  void add_trees(std::vector<Run>& parts);
  void add_rest(std::vector<Recording>& parts);
  [[nodiscard]] Error nothing_recognised() const;

  std::string file_;
  Tally tally_;
  TreeParser trees_;
  LogReader log_;
  HostReading host_;
  DeviceText device_;
  Runs runs_;

  State state_ = State::outside;
  Address address_;
  std::string header_;
  std::uint32_t header_line_ = 0;
  std::size_t header_columns_ = 0;
  unsigned header_parts_ = 0;
  bool header_flowed_ = false;
  std::optional<Address> announced_;  ///< by `lspci -s`, for lines whose device line was filtered away
  bool blank_ = true;                 ///< the line before was empty
  bool verbose_without_links_ = false;
  bool any_links_ = false;
  std::uint32_t verbose_line_ = 0;
  static constexpr std::size_t kLongestLogLine = 1000;
  static constexpr unsigned kMostHeaderParts = 4;
  std::string log_line_;  ///< a line that is nobody's, held until it is known whether the next one continues it
  std::uint32_t log_line_number_ = 0;
  std::size_t log_columns_ = 0;
  bool log_flowed_ = false;
  std::vector<Warning> tree_warnings_;
};

Result<std::vector<Recording>> TextReader::read(std::string_view bytes) {
  Lines lines(bytes);
  Line line;
  bool cut = false;
  while (lines.next(line)) {
    take(line);
    cut = line.cut && !line.text.empty();
  }
  close(cut);
  end_log_line();

  auto runs = runs_.finish();
  add_trees(runs);
  std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.line < b.line; });
  std::vector<Recording> parts;
  parts.reserve(runs.size() + 1);
  for (auto& run : runs) parts.push_back(std::move(run.recording));
  add_rest(parts);
  if (parts.empty()) return nothing_recognised();
  return parts;
}

Error TextReader::nothing_recognised() const {
  Error e{ExitCode::bad_input, "no PCI device, no tree, no kernel-log line was recognised", file_,
          "take a list with `sudo lspci -D -nnvvvxxxx > host.txt` and give that file"};
  // What was recognised says best what is missing.
  const auto warnings = tally_.finish(file_);
  if (!warnings.empty()) {
    e.what += ": " + warnings.front().text;
    e.where = warnings.front().where;
  }
  return e;
}

void TextReader::take(const Line& line) {
  const Place place{0, line.number};
  const bool tree = trees_.take(line.body, place);
  if (line.text.empty()) {
    blank_ = true;
    end_log_line();
    return;
  }
  if (tree) {
    close(false);
    end_log_line();
  } else if (take_special(line, line.text)) {
    end_log_line();
  } else {
    const auto text = without_list_marks(line.text);
    if (text.size() == line.text.size() || text.empty() || !take_special(line, text)) take_other(line);
  }
  blank_ = false;
}

/// A device line, a row of bytes or a device's detail.
bool TextReader::take_special(const Line& line, std::string_view text) {
  const bool open = state_ == State::inside || state_ == State::header || state_ == State::suspended;
  if (hex_value(text.front()) >= 0 || to_lower(text.front()) == 'i' || to_lower(text.front()) == 'g') {
    if (take_header(text, line)) return true;
    if (const auto row = parse_hex_row(text)) {
      if (!open) {
        if (state_ != State::headless)
          tally_.add("input.orphan-lines", "bytes without a device line above them", line.number);
        return true;
      }
      if (state_ == State::header) end_header();
      state_ = State::inside;
      device_.row(*row, line.number);
      return true;
    }
  }
  const bool device_line = device_.is_device_line(text, state_ == State::header);
  const auto colon = text.substr(0, 14).find(':');
  const bool register_line =
      colon != std::string_view::npos && register_label(text.substr(0, colon)) != RegisterLabel::none;
  if (!device_line && !register_line) return false;
  if (!open && announced_ && !runs_.full()) {
    open_device(*announced_, line.number);
    device_.begin(address_, {}, line.number);
    state_ = State::inside;
  }
  switch (state_) {
    case State::headless: return true;
    case State::outside:
      if (register_line) {
        tally_.add("input.orphan-lines", "register lines without a device line above them are left out", line.number);
        return true;
      }
      return false;
    case State::suspended:
      if (register_line) {
        tally_.add("input.orphan-lines", "register lines without a device line above them are left out", line.number);
        return true;
      }
      break;
    case State::header: end_header(); break;
    case State::inside: break;
  }
  state_ = State::inside;
  if (device_line)
    device_.device_line(text, line.number, line.cut);
  else
    device_.other_line(text, line.number, line.cut);
  return true;
}

bool TextReader::take_header(std::string_view text, const Line& line) {
  const auto start = parse_header_start(text);
  if (!start) return false;
  close(false);
  announced_.reset();
  if (runs_.full()) {
    tally_.add("input.too-many-devices", "more devices than any host has; the rest is left out", line.number);
    state_ = State::headless;
    return true;
  }
  const auto address = runs_.begin_device(*start, line.number);
  if (!address) {
    tally_.add("input.header-without-address",
               "a device line gives a path without bus numbers (lspci -P); take the list with -PP", line.number);
    state_ = State::headless;
    return true;
  }
  address_ = *address;
  header_.assign(start->rest);
  header_line_ = line.number;
  header_columns_ = line.text.size();
  header_flowed_ = line.flowed;
  header_parts_ = 1;
  state_ = State::header;
  return true;
}

void TextReader::open_device(const Address& address, std::uint32_t line) {
  announced_.reset();
  address_ = address;
  runs_.begin_device(address, line);
}

void TextReader::end_header() {
  device_.begin(address_, header_, header_line_);
  state_ = State::inside;
}

void TextReader::close(bool cut) {
  if (state_ == State::header) end_header();
  if (state_ == State::inside || state_ == State::suspended) {
    std::vector<Disagreement> disagreements;
    DeviceEvidence evidence;
    auto device = device_.finish(cut && state_ == State::inside, disagreements, evidence);
    if (evidence.cut && evidence.verbose) {
      tally_.add("input.truncated", "the text ends inside a device's lines", device.places.front().line);
    }
    any_links_ = any_links_ || evidence.links || evidence.hex;
    if (evidence.verbose && !verbose_without_links_ && !device.access_denied && !device.lost) {
      verbose_without_links_ = true;
      verbose_line_ = device.places.front().line;
    }
    runs_.add(std::move(device), std::move(disagreements), evidence);
  }
  state_ = State::outside;
}

/// Whether a line that is no label and no row can belong to the device above.
bool TextReader::goes_on(const Line& line) const {
  if (!blank_ || is_blank(line.body.front())) return true;
  // In a text with an empty line after each, a register's further words stand alone.
  const auto first = line.text.substr(0, line.text.find(' '));
  return line.text.front() == '['
             ? !is_digit(trim(line.text.substr(1)).empty() ? '0' : trim(line.text.substr(1)).front())
             : first.size() > 2 && (first.back() == '+' || first.back() == '-');
}

void TextReader::take_other(const Line& line) {
  if (const auto command = parse_lspci_command(line.text)) {
    close(false);
    runs_.begin_run(command->filtered);
    announced_ = command->address;
    end_log_line();
    return;
  }
  if (const auto address = address_alone(line.text)) {
    close(false);
    announced_ = *address;
    end_log_line();
    return;
  }
  const bool boundary = is_boundary(line.text);
  if (state_ == State::header && header_parts_ < kMostHeaderParts && !boundary &&
      continues_header(header_, header_columns_, header_flowed_, blank_, line.text)) {
    if (line.text.front() != ']') header_ += ' ';
    header_ += line.text.substr(0, kLongestLogLine);
    header_columns_ = line.text.size();
    header_flowed_ = line.flowed;
    ++header_parts_;
    return;
  }
  if (state_ == State::header) end_header();
  if (boundary) {
    close(false);
    if (line.text.front() != '`') announced_.reset();
  } else if (!is_blank(line.body.front()) && is_header_without_address(line.text)) {
    close(false);
    tally_.add("input.header-without-address", "a device line has lost its address; the device is left out",
               line.number);
    state_ = State::headless;
    return;
  }
  take_detail(line);
}

void TextReader::take_detail(const Line& line) {
  if (state_ == State::inside && goes_on(line)) {
    // A kernel line between a device's lines begins with what no register word has.
    if (!strip_log_prefix(line.text).prefixed) {
      device_.other_line(line.text, line.number, line.cut);
      return;
    }
  }
  if (state_ == State::inside) state_ = State::suspended;
  if (log_line_continues(line)) {
    log_line_ += ' ';
    log_line_ += line.text.substr(0, kLongestLogLine);
    log_flowed_ = line.flowed;
    log_columns_ = line.text.size();
    return;
  }
  end_log_line();
  log_line_.assign(line.text.substr(0, kLongestLogLine));
  log_line_number_ = line.number;
  log_flowed_ = line.flowed;
  log_columns_ = line.text.size();
}

/// Whether a mailer has broken the line before and this is the rest of it.
bool TextReader::log_line_continues(const Line& line) const {
  if (log_line_.empty() || log_line_.size() > kLongestLogLine) return false;
  if (strip_log_prefix(line.text).prefixed) return false;
  if (log_flowed_) return true;
  constexpr std::size_t kNarrowest = 64;
  constexpr std::size_t kWidest = 80;
  const auto word = std::min(line.text.find(' '), line.text.size());
  return strip_log_prefix(log_line_).prefixed && log_columns_ <= kWidest && log_columns_ + 1 + word >= kNarrowest;
}

void TextReader::end_log_line() {
  if (log_line_.empty()) return;
  if (!log_.take(log_line_, Place{0, log_line_number_})) read_host_line(log_line_, host_);
  log_line_.clear();
}

void TextReader::add_trees(std::vector<Run>& parts) {
  for (auto& tree : trees_.finish()) {
    constexpr std::size_t kMost = 8;
    for (const auto& problem : tree.problems) {
      if (tree_warnings_.size() == kMost) break;
      tree_warnings_.push_back(Warning{"input.tree", problem.text, file_ + ":" + std::to_string(problem.place.line)});
    }
    if (tree.devices.empty()) continue;
    Recording part;
    part.sources.push_back(Source{file_, SourceKind::lspci_tree});
    part.devices = std::move(tree.devices);
    part.lists_devices = true;
    if (tree.whole) part.listing_complete = true;
    parts.push_back(Run{std::move(part), tree.first.line});
  }
}

void TextReader::add_rest(std::vector<Recording>& parts) {
  Recording rest;
  rest.log = log_.finish();
  rest.host = std::move(host_);
  if (verbose_without_links_ && !any_links_ && !tally_.has("input.access-denied")) {
    tally_.add(
        "input.no-link-lines",
        "the list has no link and capability registers: `lspci -v` was not enough, take `sudo lspci -D -nnvvvxxxx`",
        verbose_line_);
  }
  rest.warnings = tally_.finish(file_);
  rest.warnings.insert(rest.warnings.end(), tree_warnings_.begin(), tree_warnings_.end());
  if (parts.empty() && rest.log.empty()) return;
  rest.sources.push_back(Source{file_, parts.empty() ? SourceKind::kernel_log : parts.front().sources.front().kind});
  parts.insert(parts.begin(), std::move(rest));
}

}  // namespace

Result<std::vector<Recording>> read_lspci_text(const std::string& file, std::string_view bytes, const Rules& rules) {
  return TextReader(file, rules).read(bytes);
}

}  // namespace gpucoop
