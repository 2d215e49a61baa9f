#include "probe/journal_lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/list.hpp"

// A line is words with single blanks between them:
//   begin 812-9913-1 boot=1f0c… pid=812 started=9913 at=2026-11-30T12:00:00Z rung=p2p.write
//   of=0000:0b:00.0,0000:0c:00.0 end 812-9913-1 state=passed at=2026-11-30T12:00:01Z .
// Nothing that is written holds a blank; the point shows that nothing was cut when power or space went. Any other line
// is left alone.

namespace gpucoop::probe {
namespace {

constexpr std::size_t kMostLine = 4096;
constexpr std::string_view kEnd = " .";

std::string_view next_word(std::string_view& rest, char end) {
  const auto at = rest.find(end);
  const auto word = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return word;
}

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

template <class T>
bool to_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// Calls `take` with every device; false where something is none.
template <class Take>
bool each_device(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const auto device = parse_device(next_word(text, ','));
    if (!device) return false;
    take(*device);
  }
  return true;
}

/// A line as it stands in the text that it was read from.
struct LineWords {
  bool begins = false;
  std::string_view id, boot, at, rung, of, state;
  std::int32_t pid = 0;
  std::uint64_t started = 0;
};

/// None where the line is not whole. The last of several words of one name counts.
std::optional<LineWords> words_of(std::string_view line) {
  if (line.size() > kMostLine || line.size() < kEnd.size()) return std::nullopt;
  if (line.substr(line.size() - kEnd.size()) != kEnd) return std::nullopt;
  line.remove_suffix(kEnd.size());
  LineWords words;
  const auto kind = next_word(line, ' ');
  words.begins = kind == "begin";
  if (!words.begins && kind != "end") return std::nullopt;
  words.id = next_word(line, ' ');
  std::string_view pid, started;
  const std::array<std::pair<std::string_view, std::string_view*>, 7> names{{{"boot", &words.boot},
                                                                             {"pid", &pid},
                                                                             {"started", &started},
                                                                             {"at", &words.at},
                                                                             {"rung", &words.rung},
                                                                             {"of", &words.of},
                                                                             {"state", &words.state}}};
  while (!line.empty()) {
    auto value = next_word(line, ' ');
    const auto name = next_word(value, '=');
    const auto found = std::find_if(names.begin(), names.end(), [&](const auto& known) { return known.first == name; });
    if (found != names.end()) *found->second = value;
  }
  const bool whole = words.begins ? is_word(words.boot) && is_word(words.rung) && to_number(pid, words.pid) &&
                                        to_number(started, words.started) && each_device(words.of, [](Address) {})
                                  : is_word(words.state);
  if (!whole || !is_word(words.id) || !is_word(words.at)) return std::nullopt;
  return words;
}

/// Of a line that begins something.
JournalEntry entry_of(const LineWords& words) {
  JournalEntry entry;
  entry.id = std::string(words.id);
  entry.boot = std::string(words.boot);
  entry.pid = words.pid;
  entry.started = words.started;
  entry.at = std::string(words.at);
  entry.rung = std::string(words.rung);
  each_device(words.of, [&](Address device) { entry.of.push_back(device); });
  return entry;
}

}  // namespace

std::optional<JournalLine> parse_line(std::string_view text) {
  const auto line = words_of(text);
  if (!line) return std::nullopt;
  JournalLine parsed;
  parsed.begins = line->begins;
  parsed.state = std::string(line->state);
  parsed.entry = line->begins ? entry_of(*line) : JournalEntry{};
  parsed.entry.id = std::string(line->id);
  parsed.entry.at = std::string(line->at);
  return parsed;
}

std::string begin_line(const JournalEntry& entry) {
  std::string of;
  for (const auto& device : entry.of) of += (of.empty() ? "" : ",") + to_string(device);
  return "begin " + entry.id + " boot=" + entry.boot + " pid=" + std::to_string(entry.pid) +
         " started=" + std::to_string(entry.started) + " at=" + entry.at + " rung=" + entry.rung + " of=" + of +
         std::string(kEnd);
}

std::string end_line(const std::string& id, std::string_view state, const std::string& at) {
  return "end " + id + " state=" + std::string(state) + " at=" + at + std::string(kEnd);
}

std::string sentence(const Unfinished& unfinished) {
  const auto& entry = unfinished.entry;
  const auto of = list_in_words(entry.of, [](const Address& device) { return to_string(device); });
  const auto what = entry.rung + (of.empty() ? "" : " on " + of);
  switch (unfinished.why) {
    case Unfinished::Why::running:
      return what + " began at " + entry.at + " and is being probed now (pid " + std::to_string(entry.pid) + ")";
    case Unfinished::Why::host_down:
      return what + " had begun at " + entry.at + " and had not ended when the host went down";
    case Unfinished::Why::killed: break;
  }
  return what + " had begun at " + entry.at + " and had not ended when the probe (pid " + std::to_string(entry.pid) +
         ") was killed";
}

JournalReading parse_journal(std::string_view text, std::string_view boot,
                             bool (*alive)(std::int32_t pid, std::uint64_t started)) {
  JournalReading reading;
  std::vector<LineWords> begun;
  std::unordered_set<std::string_view> ended;
  while (!text.empty()) {
    const auto line = next_word(text, '\n');
    if (line.empty()) continue;
    const auto words = words_of(line);
    if (!words) {
      ++reading.damaged;
    } else if (words->begins) {
      begun.push_back(*words);
    } else {
      ended.insert(words->id);
    }
  }
  std::unordered_set<std::string_view> told;
  for (const auto& words : begun) {
    if (ended.count(words.id) != 0 || !told.insert(words.id).second) continue;
    const auto why = words.boot != boot                ? Unfinished::Why::host_down
                     : alive(words.pid, words.started) ? Unfinished::Why::running
                                                       : Unfinished::Why::killed;
    reading.unfinished.push_back({entry_of(words), why});
  }
  return reading;
}

}  // namespace gpucoop::probe
