#include "judge/need_words.hpp"

#include <fmt/core.h>

#include "judge/words.hpp"

namespace gpucoop {

namespace {

std::string comparison_words(const Condition& c, const FactRule& rule) {
  const auto title = inside_sentence(rule.title);
  switch (c.op) {
    case Operator::is:
      if (const auto* b = std::get_if<bool>(&c.value)) return *b ? title : "it is not the case that " + title;
      return title + ": " + value_words(c.value);
    case Operator::is_not:
      if (const auto* b = std::get_if<bool>(&c.value)) return *b ? "it is not the case that " + title : title;
      return title + ": anything but " + value_words(c.value);
    case Operator::at_least: return title + ": at least " + value_words(c.value);
    case Operator::below: return title + ": less than " + value_words(c.value);
    case Operator::is_known: return "it is known whether " + title;
    case Operator::is_absent: return "there is no such thing as: " + title;
  }
  return title;
}

std::string condition_words(const Condition& c, const RuleIndex& rules) {
  if (!c.gate.empty()) return inside_sentence(rules.gate(c.gate).title) + " [" + c.gate + "]";
  auto text = comparison_words(c, rules.fact(c.fact)) + " [" + c.fact + "]";
  if (!c.unless_known.empty()) text += ", which counts only while " + c.unless_known + " is not known";
  return text;
}

std::string joined(const std::vector<Condition>& conditions, const RuleIndex& rules) {
  std::string text;
  for (const auto& c : conditions) text += (text.empty() ? "" : "; or ") + condition_words(c, rules);
  return text;
}

std::string vendor_words(const std::vector<std::string>& vendors) {
  std::vector<std::string> names;
  names.reserve(vendors.size());
  for (const auto& vendor : vendors) {
    const auto name = vendor_name(vendor);
    names.emplace_back(name.empty() ? "other vendors" : name);
  }
  return list_of(names);
}

std::string subject_words(Level level) {
  switch (level) {
    case Level::set: return {};
    case Level::gpu: return "each GPU: ";
    case Level::pair: return "each pair of GPUs, in both directions: ";
  }
  return {};
}

}  // namespace

std::string clause_words(const Clause& clause, const RuleIndex& rules) {
  auto text = subject_words(rules.level(clause)) + joined(clause.any_of, rules);
  if (!clause.vendors.empty()) text += "; only for " + vendor_words(clause.vendors);
  if (!clause.unless.empty()) text += "; not asked where " + joined(clause.unless, rules);
  return text;
}

std::string about_words(const FactRule& rule) {
  std::string text;
  switch (rule.subject) {
    case SubjectKind::host: text = "the host"; break;
    case SubjectKind::gpu: text = "each GPU"; break;
    case SubjectKind::port: text = "each port"; break;
    case SubjectKind::link: text = "each link"; break;
    case SubjectKind::pair: text = "each pair of GPUs, for each direction"; break;
    case SubjectKind::set: text = "each set of GPUs that is judged together"; break;
    case SubjectKind::library: text = "the installed collective library, for each GPU"; break;
  }
  switch (rule.type) {
    case FactType::boolean: text += "; yes or no"; break;
    case FactType::number: text += "; a number"; break;
    case FactType::text: text += "; a word"; break;
  }
  switch (rule.tier) {
    case Tier::static_: return text + "; read from the hardware's registers and the system (static)";
    case Tier::queried: return text + "; asked of a driver or a file (queried)";
    case Tier::probed: return text + "; only trying it shows it (probed)";
  }
  return text;
}

std::string expectation_words(const FactRule& rule, const RuleIndex& rules) {
  std::string text;
  for (const auto& e : rule.expected) {
    if (!text.empty()) text += "; else ";
    if (e.gate.empty()) {
      text += e.value ? "yes" : "no";
    } else {
      text += "yes where the gate '" + e.gate + "' is open, no where it is closed";
    }
    if (e.when) text += " where " + condition_words(*e.when, rules);
    if (!e.vendors.empty()) text += " (" + vendor_words(e.vendors) + ")";
  }
  return text;
}

}  // namespace gpucoop
