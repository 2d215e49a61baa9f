#include <algorithm>

#include "render/text_parts.hpp"
#include "render/words.hpp"

namespace gpucoop::text {
namespace {

constexpr std::size_t kAt = 27;
constexpr std::size_t kEvidence = 6;  ///< facts that --verbose names for a mode; JSON has them all

/// An expected yes says in its state all there is to say: that nothing stands against it and nothing proves it.
std::string reason(const ModeVerdict& mode) {
  const bool plain = mode.state == ModeState::unknown && mode.expected.is(ModeState::yes);
  return plain ? std::string() : mode.why;
}

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
      return words::state(*g.first) == words::state(mode) && reason(*g.first) == reason(mode);
    });
    if (it == groups.end()) {
      groups.push_back({&mode, {mode.id}});
    } else {
      it->ids.push_back(mode.id);
    }
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return hopeful(*a.first) && !hopeful(*b.first); });
  return groups;
}

void put_heading(Page& page, const Report& report, const std::vector<Address>& set) {
  page.blank();
  page.heading("What they can do together" +
               (report.judgement.sets.size() > 1 ? ": " + words::list(set, 4) : std::string()));
}

void put_set(Page& page, const Report& report, const std::vector<Address>& set) {
  const auto groups = grouped(report, set);
  const ModeVerdict* said = main_mode(report, set);  // by the headline
  const bool alone = set.size() == 1 && (groups.size() == 1 || (said != nullptr && said->state == ModeState::no));
  if (said == nullptr || alone) return;
  put_heading(page, report, set);
  for (const Group& group : groups) {
    page.item(2, words::state(*group.first), words::style(*group.first), kAt, words::list(group.ids, 99));
    const std::string why = reason(*group.first);
    if (why.empty()) continue;
    page.paragraph(6, why == said->why ? "For the reason above." : words::sentence(why));
  }
}

void put_evidence(Page& page, const FactsByName& facts, const ModeVerdict& mode) {
  page.item(2, mode.id, Style::bold, kAt, words::state(mode));
  if (!mode.title.empty()) page.paragraph(6, words::sentence(mode.title), Style::dim);
  if (!mode.why.empty()) page.paragraph(6, words::sentence(mode.why));
  put_deciding(page, facts, mode.decided_by);
  if (mode.state == ModeState::unknown && mode.settled_by.is_known()) {
    page.paragraph(6, "proven by: " + mode.settled_by.value(), Style::plain, 2);
  }
}

/// The remedies of the modes that the headlines are about come first; the others only where there are few.
std::vector<const Remedy*> ordered(const Report& report) {
  std::vector<const Remedy*> first;
  std::vector<const Remedy*> others;
  for (const Remedy& remedy : report.judgement.remedies) {
    // What only an engine's own way would need stands with that engine.
    const auto& modes = report.judgement.modes;
    if (std::none_of(modes.begin(), modes.end(), [&](const ModeVerdict& m) {
          return std::find(m.remedies.begin(), m.remedies.end(), remedy.id) != m.remedies.end();
        })) {
      continue;
    }
    const bool main = std::any_of(report.judgement.sets.begin(), report.judgement.sets.end(), [&](const GpuSet& set) {
      const ModeVerdict* mode = main_mode(report, set.gpus);
      return mode != nullptr &&
             std::find(mode->remedies.begin(), mode->remedies.end(), remedy.id) != mode->remedies.end();
    });
    (main ? first : others).push_back(&remedy);
  }
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

/// What would prove the mode of the headline, and where that one is not to be hoped for, the best that is left.
void put_proof(Page& page, const Report& report) {
  std::vector<const ModeVerdict*> wanted;
  for (const GpuSet& set : report.judgement.sets) {
    const ModeVerdict* main = main_mode(report, set.gpus);
    if (main == nullptr || set.gpus.size() < 2) continue;
    wanted.push_back(main);
    if (hopeful(*main)) continue;
    const auto& modes = report.judgement.modes;
    const auto left = std::find_if(modes.begin(), modes.end(), [&](const ModeVerdict& m) {
      return m.set == set.gpus && hopeful(m) && m.id != "data-parallel";
    });
    if (left != modes.end()) wanted.push_back(&*left);
  }
  bool headed = false;
  for (const ModeVerdict* mode : wanted) {
    if (mode->state != ModeState::unknown || !mode->settled_by.is_known()) continue;
    if (says(report.judgement.remedies, mode->settled_by.value())) continue;
    if (!headed) {
      page.blank();
      page.heading("What would prove it");
      headed = true;
    }
    put_command(page, mode->id, mode->settled_by.value());
  }
}

}  // namespace

FactsByName by_name(const Report& report) {
  FactsByName result;
  for (const auto* facts : {&report.topology.facts, &report.judgement.facts}) {
    for (const Fact& fact : *facts) result.emplace(reference(fact), &fact);
  }
  return result;
}

void put_deciding(Page& page, const FactsByName& facts, const std::vector<std::string>& decided_by) {
  for (std::size_t i = 0; i < decided_by.size(); ++i) {
    if (i == kEvidence && decided_by.size() > kEvidence + 1) {
      page.paragraph(6, "and by " + std::to_string(decided_by.size() - i) + " more facts of the same kinds");
      break;
    }
    const auto it = facts.find(decided_by[i]);
    const bool told = it != facts.end() && !it->second->evidence.empty();
    page.paragraph(6, "decided by " + decided_by[i] + (told ? ": " + it->second->evidence : std::string()),
                   Style::plain, 2);
  }
}

void put_remedy(Page& page, const Remedy& remedy, std::size_t number) {
  page.item(2, std::to_string(number) + ".", Style::bold, 5, words::sentence(remedy.text));
  std::string price;
  if (!remedy.cost.empty()) price += "Cost: " + remedy.cost;
  if (!remedy.risk.empty()) price += (price.empty() ? "Risk: " : ". Risk: ") + remedy.risk;
  if (!price.empty()) page.paragraph(5, words::sentence(price), Style::dim);
}

void put_command(Page& page, const std::string& lead, const std::string& command) {
  const auto remark = command.find(" # ");  // `command  # remark`
  page.item(2, lead, Style::bold, kAt, command.substr(0, remark));
  if (remark != std::string::npos) page.paragraph(kAt, "(" + command.substr(remark + 3) + ")", Style::dim);
}

bool says(const std::vector<Remedy>& remedies, std::string_view command) {
  const std::string_view first = command.substr(0, command.find(" && "));
  return std::any_of(remedies.begin(), remedies.end(),
                     [&](const Remedy& r) { return r.text.find(first) != std::string::npos; });
}

void put_modes(Page& page, const Report& report, bool verbose) {
  const FactsByName facts = verbose ? by_name(report) : FactsByName();
  for (const GpuSet& set : report.judgement.sets) {
    if (!verbose) {
      put_set(page, report, set.gpus);
      continue;
    }
    put_heading(page, report, set.gpus);
    for (const ModeVerdict& mode : report.judgement.modes) {
      if (mode.set == set.gpus) put_evidence(page, facts, mode);
    }
  }
}

void put_remedies(Page& page, const Report& report, bool verbose) {
  if (compute_gpus(report.topology).empty()) return;
  const auto remedies = ordered(report);
  if (!remedies.empty()) {
    page.blank();
    page.heading("What would change it");
  }
  for (std::size_t i = 0; i < remedies.size(); ++i) {
    if (!verbose && i == kRemedies) {
      page.paragraph(2, std::to_string(remedies.size() - i) + " more with --verbose.", Style::dim);
      break;
    }
    put_remedy(page, *remedies[i], i + 1);
  }
  put_proof(page, report);
}

}  // namespace gpucoop::text
