#include "probe/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "probe/outcome.hpp"
#include "read/log/log_reader.hpp"

namespace gpucoop::probe {
namespace {

bool answered(const StepEnd& end, unsigned rank) {
  return std::any_of(end.results.begin(), end.results.end(), [&](const auto& result) { return result.rank == rank; });
}

std::string list(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  }
  return text;
}

/// The ranks whose processes were found in one of these states.
std::vector<std::string> in_state(const Planned& planned, const StepEnd& end, std::string_view states) {
  std::vector<std::string> names;
  for (const auto& rank : end.ranks) {
    if (!answered(end, rank.rank) && states.find(rank.state) != std::string_view::npos) {
      names.push_back(rank_in_words(planned, rank.rank));
    }
  }
  return names;
}

std::string are(const std::vector<std::string>& names) { return names.size() == 1 ? " is " : " are "; }

template <class F>
void each_line(std::string_view text, F&& take) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::vector<std::string> hang_findings(const Planned& planned, const StepEnd& end) {
  std::vector<std::string> findings;
  if (end.timed_out) {
    const auto blocked = in_state(planned, end, "D");
    const auto stopped = in_state(planned, end, "Tt");
    const auto spinning = in_state(planned, end, "R");
    const auto waiting = in_state(planned, end, "SI");
    const auto silent = blocked.size() + stopped.size() + spinning.size() + waiting.size();
    if (!blocked.empty()) {
      std::string where;
      for (const auto& rank : end.ranks) {
        if (rank.state == 'D' && !rank.wchan.empty() && where.empty()) where = " (in " + rank.wchan + ")";
      }
      findings.push_back("blocked in the kernel: " + list(blocked) + are(blocked) + "in an uninterruptible sleep" +
                         where + ", as a driver leaves it that waits for a GPU that does not answer");
    }
    if (!stopped.empty()) {
      findings.push_back("stopped: " + list(stopped) + are(stopped) +
                         "held by a signal (SIGSTOP, a debugger, a frozen container), which is no fault of the GPUs");
    }
    const bool some_answered = !end.results.empty();
    if (blocked.empty() && stopped.empty()) {
      if (some_answered && silent > 0) {
        std::vector<std::string> missing = spinning;
        missing.insert(missing.end(), waiting.begin(), waiting.end());
        findings.push_back("one part is missing: " + list(missing) + " did not finish what the others did");
      } else if (!spinning.empty() && waiting.empty()) {
        findings.push_back(
            "spinning: every rank is busy and none gets on, as kernels are that wait for data that never "
            "arrive");
      } else if (!spinning.empty()) {
        findings.push_back("spinning: " + list(spinning) + are(spinning) + "busy while the others wait");
      } else if (!waiting.empty()) {
        findings.push_back("all wait: every rank sleeps until another one does something");
      }
    }
  }
  std::vector<std::string> left;
  for (const auto& rank : end.ranks) {
    if (rank.how == RankEnd::How::unkillable) left.push_back(fmt::format("process {}", rank.pid));
  }
  if (!left.empty()) {
    findings.push_back("reported, not killed: " + list(left) +
                       " sleeps in the kernel and takes no signal; it ends when the driver lets it go, at the latest "
                       "with a restart of the host");
  }
  return findings;
}

std::vector<std::string> log_findings(const Planned& planned, const StepEnd& end, const std::vector<LogLine>& kernel,
                                      const Rules& rules) {
  std::vector<std::string> findings;
  std::set<std::string> told;
  const auto tell = [&](const LogLine& line, const std::string& where) {
    const auto cause = std::find_if(rules.log_causes.begin(), rules.log_causes.end(),
                                    [&](const LogCause& c) { return c.id == line.cause; });
    if (cause == rules.log_causes.end() || !told.insert(line.cause).second) return;
    findings.push_back(cause->title + ": \"" + line.text + "\" (" + where + "; gpucoop explain " + cause->id + ")");
  };
  for (const auto& rank : end.ranks) {
    LogReader reader(rules);
    each_line(rank.output, [&](std::string_view line) { static_cast<void>(reader.take(line, Place{})); });
    for (const auto& line : reader.finish()) tell(line, "written by " + rank_in_words(planned, rank.rank));
  }
  for (const auto& line : kernel) tell(line, "kernel log");
  return findings;
}

std::string last_words(const Planned& planned, const StepEnd& end) {
  for (const auto& rank : end.ranks) {
    std::string last;
    each_line(rank.output, [&](std::string_view line) {
      if (line.find_first_not_of(" \t\r") != std::string_view::npos) last = std::string(line);
    });
    constexpr std::size_t kMost = 200;
    if (last.size() > kMost) last = last.substr(0, kMost) + " [...]";
    if (!last.empty()) return "last line of " + rank_in_words(planned, rank.rank) + ": \"" + last + "\"";
  }
  return {};
}

}  // namespace gpucoop::probe
