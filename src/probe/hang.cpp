#include "probe/hang.hpp"

#include <algorithm>

namespace gpucoop::probe {
namespace {

using Doing = wire::Progress::Doing;

constexpr std::size_t kMostTold = 8;

std::string list(const std::vector<unsigned>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size() && i < kMostTold; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  }
  return ranks.size() > kMostTold ? text + ", …" : text;
}

bool has_begun(const wire::Step& step, const RankLook& look) {
  return look.step == step.id && look.doing != Doing::nothing;
}

/// By a signal, or by a debugger.
bool is_stopped(const RankLook& look) { return !look.gone && (look.state == 'T' || look.state == 't'); }

bool is_blocked(const RankLook& look) { return !look.gone && look.state == 'D'; }

bool waits(const wire::Step& step, const RankLook& look) {
  return !look.gone && has_begun(step, look) && look.doing == Doing::waiting && !is_stopped(look) && !is_blocked(look);
}

std::string place(const wire::Step& step, const RankLook& look) {
  std::string text;
  if (look.group < step.groups.size()) {
    const auto& group = step.groups[look.group];
    text = " in " + group.name + " (" + list(group.ranks) + ")";
  }
  text += " at round " + std::to_string(look.round);
  return look.op == 0 ? text : text + ", operation " + std::to_string(look.op);
}

std::string doing_words(const wire::Step& step, const RankLook& look) {
  if (look.gone) return "has gone";
  const auto where = has_begun(step, look) ? place(step, look) : " before it has begun";
  if (is_stopped(look)) return "is stopped (state T)" + where;
  if (is_blocked(look)) {
    return "is blocked in the kernel (state D" + (look.wchan.empty() ? "" : ", in " + look.wchan) + ")" + where;
  }
  if (!has_begun(step, look)) return "has not begun";
  switch (look.doing) {
    case Doing::waiting: return "waits" + where;
    case Doing::done: return "is done but has not answered";
    case Doing::nothing:
    case Doing::working: break;
  }
  const auto sleeps = "sleeps" + (look.wchan.empty() ? "" : " in the kernel (" + look.wchan + ")");
  return (look.moves ? "still works" : look.uses_processor ? "spins" : sleeps) + where;
}

std::string words(const wire::Step& step, const RankLook& look) {
  return "rank " + std::to_string(look.rank) + " " + doing_words(step, look);
}

std::vector<const RankLook*> unanswered(const std::vector<RankLook>& ranks) {
  std::vector<const RankLook*> stuck;
  for (const auto& look : ranks) {
    if (!look.answered) stuck.push_back(&look);
  }
  return stuck;
}

Hang kind_of(const wire::Step& step, const std::vector<const RankLook*>& stuck) {
  const auto any = [&](auto is) {
    return std::any_of(stuck.begin(), stuck.end(), [&](const auto* l) { return is(*l); });
  };
  if (any(is_stopped)) return Hang::stopped;
  if (any(is_blocked)) return Hang::blocked;
  if (any([](const RankLook& l) { return !l.gone && l.moves; })) return Hang::slow;
  const auto waiting =
      std::count_if(stuck.begin(), stuck.end(), [&](const RankLook* look) { return waits(step, *look); });
  if (waiting == static_cast<std::ptrdiff_t>(stuck.size())) return Hang::all_waiting;
  if (waiting != 0) return Hang::one_missing;
  return any([](const RankLook& l) { return l.uses_processor; }) ? Hang::spinning : Hang::idle;
}

std::string_view summary(Hang hang) {
  switch (hang) {
    case Hang::all_waiting: return "all wait";
    case Hang::one_missing: return "not all have come";
    case Hang::spinning: return "nobody waits";
    case Hang::blocked: return "not all have come";
    case Hang::stopped: return "not all have come";
    case Hang::slow: return "still going on";
    case Hang::idle: return "nobody waits or works";
    case Hang::none: break;
  }
  return "";
}

}  // namespace

std::string_view to_string(Hang hang) {
  switch (hang) {
    case Hang::none: return "none";
    case Hang::all_waiting: return "all-waiting";
    case Hang::one_missing: return "one-missing";
    case Hang::spinning: return "spinning";
    case Hang::blocked: return "blocked";
    case Hang::stopped: return "stopped";
    case Hang::slow: return "slow";
    case Hang::idle: return "idle";
  }
  return "none";
}

std::string doing_in_words(const wire::Step& step, const std::vector<RankLook>& ranks) {
  auto stuck = unanswered(ranks);
  std::stable_partition(stuck.begin(), stuck.end(), [&](const RankLook* look) { return !waits(step, *look); });
  std::string text;
  for (std::size_t i = 0; i < stuck.size() && i < kMostTold; ++i) {
    text += (i == 0 ? "" : "; ") + words(step, *stuck[i]);
  }
  if (stuck.size() > kMostTold) text += "; and " + std::to_string(stuck.size() - kMostTold) + " more";
  return text;
}

HangReport describe_hang(const wire::Step& step, const std::vector<RankLook>& ranks) {
  const auto stuck = unanswered(ranks);
  HangReport report;
  if (stuck.empty()) return report;
  report.kind = kind_of(step, stuck);
  report.text = std::string(summary(report.kind)) + ": " + doing_in_words(step, ranks);
  return report;
}

}  // namespace gpucoop::probe
