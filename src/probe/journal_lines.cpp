#include "probe/journal_lines.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_set>

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

bool to_devices(std::string_view text, std::vector<Address>& devices) {
  while (!text.empty()) {
    const auto device = parse_device(next_word(text, ','));
    if (!device) return false;
    devices.push_back(*device);
  }
  return true;
}

std::string in_words(const std::vector<Address>& devices) {
  std::string text;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == devices.size() ? " and " : ", ") + to_string(devices[i]);
  }
  return text;
}

}  // namespace

std::optional<JournalLine> parse_line(std::string_view line) {
  if (line.size() > kMostLine || line.size() < kEnd.size()) return std::nullopt;
  if (line.substr(line.size() - kEnd.size()) != kEnd) return std::nullopt;
  line.remove_suffix(kEnd.size());
  JournalLine parsed;
  const auto kind = next_word(line, ' ');
  parsed.begins = kind == "begin";
  if (!parsed.begins && kind != "end") return std::nullopt;
  auto& entry = parsed.entry;
  entry.id = std::string(next_word(line, ' '));
  // The last of several of one name counts.
  const auto value_of = [line](std::string_view name) {
    std::string_view found;
    for (auto rest = line; !rest.empty();) {
      auto value = next_word(rest, ' ');
      if (next_word(value, '=') == name) found = value;
    }
    return found;
  };
  const auto take = [&](std::string_view name, std::string& to) {
    to = std::string(value_of(name));
    return is_word(to);
  };
  bool whole = is_word(entry.id);
  if (parsed.begins) {
    whole = whole && take("boot", entry.boot) && take("at", entry.at) && take("rung", entry.rung) &&
            to_number(value_of("pid"), entry.pid) && to_number(value_of("started"), entry.started) &&
            to_devices(value_of("of"), entry.of);
  } else {
    whole = whole && take("state", parsed.state) && take("at", entry.at);
  }
  if (!whole) return std::nullopt;
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
  const auto what = entry.rung + (entry.of.empty() ? "" : " on " + in_words(entry.of));
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
  std::vector<JournalEntry> begun;
  std::unordered_set<std::string> ended;
  while (!text.empty()) {
    const auto line = next_word(text, '\n');
    if (line.empty()) continue;
    auto parsed = parse_line(line);
    if (!parsed) {
      ++reading.damaged;
    } else if (parsed->begins) {
      begun.push_back(std::move(parsed->entry));
    } else {
      ended.insert(parsed->entry.id);
    }
  }
  std::unordered_set<std::string> told;
  for (auto& entry : begun) {
    if (ended.count(entry.id) != 0 || !told.insert(entry.id).second) continue;
    const auto why = entry.boot != boot                ? Unfinished::Why::host_down
                     : alive(entry.pid, entry.started) ? Unfinished::Why::running
                                                       : Unfinished::Why::killed;
    reading.unfinished.push_back({std::move(entry), why});
  }
  return reading;
}

}  // namespace gpucoop::probe
