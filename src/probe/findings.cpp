#include "probe/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/list.hpp"
#include "probe/outcome.hpp"
#include "read/log/log_reader.hpp"

namespace gpucoop::probe {
namespace {

std::string hang_in_words(Hang hang) {
  switch (hang) {
    case Hang::all_waiting: return "all wait for each other: each has begun and none can go on until another one does";
    case Hang::one_missing: return "some wait for one that does not come: look at what that one does";
    case Hang::spinning:
      return "nobody waits in a call, and processors are used: as with kernels that poll for data that "
             "never arrive";
    case Hang::blocked: return "blocked in the kernel: a driver waits for a GPU that does not answer";
    case Hang::stopped: return "stopped from outside (SIGSTOP, a debugger, a frozen container): no fault of the GPUs";
    case Hang::idle:
      return "nobody waits for others and nothing is computed: a call of the runtime or library does not "
             "come back";
    case Hang::slow: return "slow, not stuck: it was getting on when its time was over (--timeout gives it more)";
    case Hang::none: break;
  }
  return {};
}

template <class F>
void each_line(std::string_view text, F&& take) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::vector<std::string> hang_findings(const StepEnd& end) {
  std::vector<std::string> findings;
  if (end.timed_out) {
    auto meaning = hang_in_words(end.hang);
    if (!meaning.empty()) findings.push_back(std::move(meaning));
  }
  std::vector<std::string> left;
  for (const auto& rank : end.ranks) {
    if (rank.how == RankEnd::How::unkillable) left.push_back(fmt::format("process {}", rank.pid));
  }
  if (!left.empty()) {
    findings.push_back("reported, not killed: " + list_in_words(left) + (left.size() == 1 ? " sleeps" : " sleep") +
                       " in the kernel and takes no signal; it ends when the driver lets go, at the latest with a "
                       "restart of the host");
  }
  if (!end.trouble.empty()) findings.push_back(end.trouble);
  return findings;
}

std::vector<std::string> log_findings(const Planned& planned, const StepEnd& end, const std::vector<LogLine>& kernel,
                                      const Rules& rules, std::string_view reason) {
  std::vector<std::string> findings;
  std::set<std::string> told;
  const auto tell = [&](const LogLine& line, const std::string& where) {
    const auto cause = std::find_if(rules.log_causes.begin(), rules.log_causes.end(),
                                    [&](const LogCause& c) { return c.id == line.cause; });
    if (cause == rules.log_causes.end() || !told.insert(line.cause).second) return;
    // What the run itself says is not said again.
    const auto quoted = where.empty() ? std::string() : ": \"" + line.text + "\"";
    findings.push_back(cause->title + quoted + " (" + where + (where.empty() ? "" : "; ") + "gpucoop explain " +
                       cause->id + "). What to do: " + cause->next);
  };
  if (!reason.empty()) {
    LogReader reader(rules);
    static_cast<void>(reader.take(reason, Place{}));
    for (const auto& line : reader.finish()) tell(line, "");
  }
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
