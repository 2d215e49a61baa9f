#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "render/explain.hpp"
#include "render/page.hpp"
#include "render/words.hpp"

namespace gpucoop {

namespace {

constexpr std::size_t kAt = 27;

void put_part(Page& page, std::string_view heading, const std::string& text) {
  if (text.empty()) return;
  page.blank();
  page.heading(heading);
  page.paragraph(2, words::sentence(text));
}

std::string standing_word(const NeedHere& here) {
  if (here.established == Tri::yes) return "holds";
  if (here.established == Tri::no) return "does not hold";
  if (here.expected == Tri::yes) return "not shown, expected to hold";
  return here.expected == Tri::no ? "not shown, expected not to hold" : "not known";
}

void put_need(Page& page, const Need& need, std::size_t indent) {
  std::vector<std::string> here;
  for (const auto& one : need.here) {
    const auto word = standing_word(one);
    if (std::find(here.begin(), here.end(), word) == here.end()) here.push_back(word);
  }
  page.paragraph(indent, "- " + need.text + (here.empty() ? "" : ": " + words::list(here)), Style::plain, 2);
  for (const auto& inside : need.inside) put_need(page, inside, std::min<std::size_t>(indent + 2, 12));
}

void put_needs(Page& page, std::string_view heading, const std::vector<Need>& needs) {
  if (needs.empty()) return;
  page.blank();
  page.heading(heading);
  for (const auto& need : needs) put_need(page, need, 2);
}

std::string value_of(const Fact& fact) {
  if (fact.value.is_absent()) return "there is none";
  if (fact.value.is_unknown()) return "not known (" + std::string(to_string(fact.value.reason())) + ")";
  const auto& value = fact.value.value();
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "yes" : "no";
  if (const auto* number = std::get_if<double>(&value)) {
    if (fact.id.rfind("bar.", 0) == 0) return words::bytes(static_cast<std::uint64_t>(*number));
    auto text = std::to_string(*number);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  }
  return std::get<std::string>(value);
}

std::string subject_of(const Fact& fact) {
  return fact.subject.of.empty() ? std::string(to_string(fact.subject.kind)) : words::list(fact.subject.of, 4);
}

std::string fact_words(const Fact& fact) {
  return value_of(fact) + (fact.evidence.empty() ? "" : "; " + fact.evidence);
}

/// Facts of one id. Subjects with the same words stand together, a pair with both its directions once.
void put_facts(Page& page, const std::vector<Fact>& facts) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  std::vector<std::string> texts;
  std::map<std::vector<Address>, std::size_t> pairs;
  for (const auto& fact : facts) {
    if (fact.subject.kind == SubjectKind::pair) pairs.emplace(fact.subject.of, texts.size());
    texts.push_back(fact_words(fact));
  }
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const auto& fact = facts[i];
    const auto& text = texts[i];
    auto of = fact.subject.of;
    std::reverse(of.begin(), of.end());
    const auto back = pairs.find(of);
    const bool mirrored = back != pairs.end() && texts[back->second] == text;
    if (mirrored && back->second < i) continue;
    std::string subject = subject_of(fact);
    if (fact.subject.kind == SubjectKind::pair) {
      subject = short_form(fact.subject.of.front()) + (mirrored ? " - " : " to ") + short_form(fact.subject.of.back());
    }
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == text; });
    if (group == groups.end()) group = groups.insert(groups.end(), {text, {}});
    group->second.push_back(subject);
  }
  for (const auto& [text, subjects] : groups) {
    if (subjects.size() == 1) {
      page.item(2, subjects.front(), Style::bold, kAt, text);
      continue;
    }
    page.paragraph(2, words::list(subjects, 12), Style::bold);
    page.paragraph(4, text);
  }
}

void put_decisive(Page& page, const Fact& fact) {
  page.item(2, fact.id, Style::bold, kAt, subject_of(fact) + ": " + fact_words(fact));
}

void put_standing(Page& page, const StandingHere& here) {
  auto state = here.state;
  if (!here.expected.empty()) state += ", expected " + here.expected;
  page.item(2, here.set.empty() ? "no usable GPU" : words::list(here.set, 4), Style::bold, kAt, state);
  if (!here.why.empty()) page.paragraph(4, words::sentence(here.why));
  for (const auto& fact : here.evidence) put_decisive(page, fact);
}

void put_remedy(Page& page, const Remedy& remedy, std::size_t number) {
  page.item(2, std::to_string(number) + ".", Style::bold, 5, words::sentence(remedy.text));
  page.paragraph(5, "Cost: " + words::sentence(remedy.cost) + " Risk: " + words::sentence(remedy.risk), Style::dim);
}

void put_remedies(Page& page, std::string_view heading, const std::vector<Remedy>& remedies) {
  if (remedies.empty()) return;
  page.blank();
  page.heading(heading);
  std::size_t number = 0;
  for (const auto& remedy : remedies) put_remedy(page, remedy, ++number);
}

void put_host(Page& page, const Explanation& e) {
  if (!e.standing.empty() || !e.facts.empty() || !e.log.empty()) {
    page.blank();
    page.heading("On this host");
  }
  for (const auto& here : e.standing) put_standing(page, here);
  put_facts(page, e.facts);
  for (const auto& finding : e.log) {
    page.item(2, finding.device.is_known() ? short_form(finding.device.value()) : "no device named", Style::bold, kAt,
              "\"" + finding.text + "\"" + (finding.where.empty() ? "" : " (" + finding.where + ")"));
  }
  const bool nothing = e.standing.empty() && e.facts.empty() && e.log.empty() && e.remedies_here.empty();
  if (nothing) {
    put_part(page, "On this host",
             e.name.kind == "fact" || e.name.kind == "log-cause" ? "nothing in the input says anything about it"
                                                                 : "it plays no part there");
  }
  put_remedies(page, "What would change it here", e.remedies_here);
}

void put_users(Page& page, const std::vector<RuleName>& users) {
  if (users.empty()) return;
  page.blank();
  page.heading("Used by");
  for (const auto& user : users) {
    page.item(2, user.kind + " " + user.id, Style::plain, kAt + 6, user.title);
  }
}

void put_flags(Page& page, const Explanation& e) {
  if (e.flags.empty()) return;
  page.blank();
  page.heading("What turns it on");
  for (const auto& flag : e.flags) page.paragraph(2, flag, Style::plain, 2);
}

void put_advice(Page& page, const std::vector<Advice>& advice, bool of_engine) {
  if (advice.empty()) return;
  page.blank();
  page.heading(of_engine ? "What to set or avoid, where it is called for" : "What to do");
  for (const auto& one : advice) {
    page.item(2, std::string(to_string(one.kind)), Style::bold, 8, one.text);
    page.paragraph(8, words::sentence(one.why));
    if (!one.otherwise.empty()) page.paragraph(8, "Else: " + one.otherwise, Style::dim);
  }
}

/// The kinds of entries as a list of ids heads them.
constexpr std::pair<std::string_view, std::string_view> kHeadings[] = {
    {"mode", "Modes"},
    {"engine", "Engines"},
    {"engine-mode", "Ways in which engines put modes to work"},
    {"advice", "Advice for engines"},
    {"gate", "Gates"},
    {"fact", "Facts"},
    {"remedy", "Remedies"},
    {"log-cause", "Causes in the kernel log"},
    {"model", "Models for the cost estimate"},
    {"stack", "Latencies for the cost estimate"},
    {"variant", "Settings for a second try"}};

std::string heading_of(std::string_view kind) {
  for (const auto& [name, heading] : kHeadings) {
    if (name == kind) return std::string(heading);
  }
  return std::string(kind);
}

}  // namespace

std::string render_explanation_text(const Explanation& e, const TextOptions& options) {
  Page page(options.columns, options.color);
  page.heading(e.name.id + " (" + e.name.kind + ")");
  if (!e.name.title.empty()) {
    // A flag or a variable is to be copied as it is.
    page.paragraph(2, e.name.kind == "advice" ? e.name.title : words::sentence(e.name.title), Style::bold);
  }
  if (e.with_host) put_host(page, e);
  put_part(page, "What it means", e.meaning);
  put_part(page, "About", e.about);
  put_part(page, "How it is established", e.established);
  put_part(page, "Expected while nobody has established it", e.expected);
  if (!e.patterns.empty()) {
    page.blank();
    page.heading("Lines of the kernel log");
    for (const auto& pattern : e.patterns) page.paragraph(2, pattern, Style::plain, 2);
  }
  put_needs(page, "What it needs", e.needs);
  put_needs(page, "What it is better with", e.prefers);
  put_flags(page, e);
  put_advice(page, e.advice, e.name.kind == "engine-mode");
  put_part(page, "What to do", e.next);
  if (e.name.kind == "remedy") {
    if (e.remedies_here.empty()) put_remedies(page, "What to do", e.remedies);
    put_part(page, "What it changes", words::list(e.remedies.front().changes, 99));
  } else if (e.remedies_here.empty()) {
    put_remedies(page, e.name.kind == "fact" ? "What would make it known or change it" : "What may change it",
                 e.remedies);
  }
  put_users(page, e.used_by);
  put_part(page, "Source", e.source);
  return page.take();
}

std::string render_rule_names_text(const std::vector<RuleName>& names, const TextOptions& options) {
  Page page(options.columns, options.color);
  page.paragraph(0,
                 "gpucoop explain ID says what one of these means; with --from FILE also how it stands on that host.");
  std::string kind;
  for (const auto& name : names) {
    if (name.kind != kind) {
      kind = name.kind;
      page.blank();
      page.heading(heading_of(kind));
    }
    page.item(2, name.id, Style::bold, kAt, name.title);
  }
  return page.take();
}

}  // namespace gpucoop
