#include <algorithm>

#include "render/text_parts.hpp"
#include "render/words.hpp"

namespace gpucoop::text {
namespace {

constexpr std::size_t kAt = 27;

/// Modes with the same outcome for the same reason.
struct Group {
  const ModeVerdict* first = nullptr;
  std::vector<std::string> ids;
};

std::vector<Group> grouped(const Report& report, const std::vector<Address>& set) {
  std::vector<Group> groups;
  for (const ModeVerdict& mode : report.judgement.modes) {
    if (mode.set != set) continue;
    const auto it = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return words::state(*g.first) == words::state(mode) && g.first->why == mode.why;
    });
    if (it == groups.end()) {
      groups.push_back({&mode, {mode.id}});
    } else {
      it->ids.push_back(mode.id);
    }
  }
  return groups;
}

void put_set(Page& page, const Report& report, const std::vector<Address>& set) {
  std::string explained;  // a reason that several groups share is printed once
  for (const Group& group : grouped(report, set)) {
    page.item(2, words::state(*group.first), words::style(*group.first), kAt, words::list(group.ids, 99));
    if (!group.first->why.empty() && group.first->why != explained) {
      page.paragraph(6, words::sentence(group.first->why));
      explained = group.first->why;
    }
  }
}

void put_evidence(Page& page, const Report& report, const ModeVerdict& mode) {
  page.item(2, mode.id, Style::bold, kAt, words::state(mode));
  if (!mode.title.empty()) page.paragraph(6, words::sentence(mode.title), Style::dim);
  if (!mode.why.empty()) page.paragraph(6, words::sentence(mode.why));
  for (const std::string& decided : mode.decided_by) {
    std::string line = decided;
    for (const Fact& fact : report.topology.facts) {
      if (reference(fact) == decided && !fact.evidence.empty()) {
        line += ": " + fact.evidence;
        break;
      }
    }
    page.paragraph(6, "decided by " + line, Style::plain, 2);
  }
}

/// What would settle the modes that are unknown: `command: modes`.
void put_settling(Page& page, const Report& report) {
  std::vector<std::pair<std::string, std::vector<std::string>>> commands;
  for (const ModeVerdict& mode : report.judgement.modes) {
    if (mode.state != ModeState::unknown || !mode.settled_by.is_known()) continue;
    const std::string& command = mode.settled_by.value();
    auto it = std::find_if(commands.begin(), commands.end(), [&](const auto& c) { return c.first == command; });
    if (it == commands.end()) it = commands.insert(commands.end(), {command, {}});
    if (std::find(it->second.begin(), it->second.end(), mode.id) == it->second.end()) it->second.push_back(mode.id);
  }
  if (commands.empty()) return;
  page.blank();
  page.heading("What would prove it");
  for (const auto& [command, ids] : commands) {
    page.paragraph(2, words::list(ids, 99) + ":");
    page.paragraph(6, command, Style::bold, 2);
  }
}

}  // namespace

void put_modes(Page& page, const Report& report, bool verbose) {
  for (const GpuSet& set : report.judgement.sets) {
    const bool any = std::any_of(report.judgement.modes.begin(), report.judgement.modes.end(),
                                 [&](const ModeVerdict& m) { return m.set == set.gpus; });
    if (!any) continue;
    page.blank();
    page.heading("What they can do together" +
                 (report.judgement.sets.size() > 1 ? ": " + words::list(set.gpus, 4) : std::string()));
    if (!verbose) {
      put_set(page, report, set.gpus);
      continue;
    }
    for (const ModeVerdict& mode : report.judgement.modes) {
      if (mode.set == set.gpus) put_evidence(page, report, mode);
    }
  }
}

void put_remedies(Page& page, const Report& report) {
  const auto& remedies = report.judgement.remedies;
  if (!remedies.empty()) {
    page.blank();
    page.heading("What would change it");
    std::size_t number = 0;
    for (const Remedy& remedy : remedies) {
      page.item(2, std::to_string(++number) + ".", Style::bold, 5, words::sentence(remedy.text));
      std::string price;
      if (!remedy.cost.empty()) price += "Cost: " + words::sentence(remedy.cost);
      if (!remedy.risk.empty()) price += (price.empty() ? "Risk: " : " Risk: ") + words::sentence(remedy.risk);
      if (!price.empty()) page.paragraph(5, price, Style::dim);
    }
  }
  put_settling(page, report);
}

}  // namespace gpucoop::text
