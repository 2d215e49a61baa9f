#include <algorithm>
#include <array>

#include "rules/load.hpp"
#include "rules/parser.hpp"

namespace gpucoop {

const std::vector<std::string>& rule_placeholders() {
  static const std::vector<std::string> names = {"gpu",      "hop",   "pair", "value",    "driver",
                                                 "how_many", "count", "half", "left_out", "blocked"};
  return names;
}

namespace rules_file {

namespace {

const std::vector<std::string> kVendors = {"amd", "nvidia", "intel", "other"};

/// Lower-case words of letters, digits, `-` and `_`, joined by dots.
bool is_id(std::string_view id) {
  bool start = true;
  for (const char c : id) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!letter && (start || (c != '-' && c != '_' && c != '.'))) return false;
    start = c == '.';
  }
  return !start;
}

FactValue fact_value(Entry& e, std::string_view key) {
  const auto* node = e.node(key);
  if (const auto* b = node->as_boolean()) return b->get();
  if (const auto* i = node->as_integer()) return static_cast<double>(i->get());
  if (const auto* f = node->as_floating_point()) return f->get();
  if (const auto* s = node->as_string()) return s->get();
  e.fail_at(key, "'" + std::string(key) + "' must be true, false, a number or a text");
}

}  // namespace

std::string Parser::id(Entry& e, const char* kind) {
  auto id = e.text("id");
  if (!is_id(id)) {
    e.fail_at("id", "'" + id + "' is no id", "an id is made of lower-case words, digits, '-' and '.'");
  }
  e.rename(std::string(kind) + " '" + id + "'");
  catalogue_.definitions.push_back({id, kind, e.origin("id"), false});
  from_ = id;
  return id;
}

std::vector<std::string> Parser::ids(Entry& e, std::string_view key, Mention::Kind kind) {
  std::vector<std::string> list;
  for (auto& [text, origin] : e.texts(key)) {
    mention(kind, text, origin);
    list.push_back(std::move(text));
  }
  return list;
}

std::vector<std::string> Parser::vendors(Entry& e) {
  std::vector<std::string> list;
  for (auto& [text, origin] : e.texts("vendors")) {
    if (std::find(kVendors.begin(), kVendors.end(), text) == kVendors.end()) {
      fail(origin, e.title() + ": unknown vendor '" + text + "'", "a vendor is " + alternatives(kVendors));
    }
    list.push_back(std::move(text));
  }
  return list;
}

std::string Parser::template_text(Entry& e, std::string_view key, bool required) {
  auto text = required ? e.text(key) : e.text_or_empty(key);
  check_template(text, e.origin(key), e.title());
  return text;
}

void Parser::check_template(const std::string& text, const Origin& origin, const std::string& title) {
  const auto& names = rule_placeholders();
  for (auto open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
    const auto close = text.find('}', open);
    if (close == std::string::npos) fail(origin, title + ": '{' without '}'");
    const auto name = text.substr(open + 1, close - open - 1);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      fail(origin, title + ": unknown placeholder '{" + name + "}'", "the placeholders are " + alternatives(names));
    }
  }
}

Condition Parser::condition(Entry& e) {
  Condition c;
  c.fact = e.text_or_empty("fact");
  c.gate = e.text_or_empty("gate");
  if (c.fact.empty() == c.gate.empty()) {
    fail(e.origin(), e.title() + ": a condition names either a 'fact' or a 'gate'");
  }
  if (!c.gate.empty()) {
    mention(Mention::Kind::gate, c.gate, e.origin("gate"));
    e.finish();
    return c;
  }
  constexpr std::array kOperators = {Operator::is,    Operator::is_not,   Operator::at_least,
                                     Operator::below, Operator::is_known, Operator::is_absent};
  unsigned found = 0;
  for (const auto op : kOperators) {
    const auto key = to_string(op);
    if (e.node(key) == nullptr) continue;
    ++found;
    c.op = op;
    c.value = fact_value(e, key);
    if ((op == Operator::is_known || op == Operator::is_absent) && c.value != FactValue(true)) {
      e.fail_at(key, "'" + std::string(key) + "' can only be true");
    }
  }
  if (found != 1) {
    fail(e.origin(), e.title() + ": a condition on '" + c.fact + "' needs exactly one comparison",
         "the comparisons are is, is_not, at_least, below, known and absent");
  }
  c.holds = template_text(e, "holds", false);
  c.unless_known = e.text_or_empty("unless_known");
  if (!c.unless_known.empty()) {
    mention(Mention::Kind::fact, c.unless_known, e.origin("unless_known"));
  }
  catalogue_.mentions.push_back({Mention::Kind::fact, c.fact, from_, e.origin("fact"), c});
  e.finish();
  return c;
}

std::vector<Condition> Parser::conditions(Entry& e, std::string_view key) {
  std::vector<Condition> list;
  for (auto& entry : e.entries(key)) list.push_back(condition(entry));
  return list;
}

Clause Parser::clause(Entry& e) {
  Clause c;
  c.any_of = conditions(e, "any_of");
  if (c.any_of.empty()) fail(e.origin("any_of"), e.title() + ": a clause needs 'any_of' with at least one condition");
  c.unless = conditions(e, "unless");
  c.vendors = vendors(e);
  const bool only_gate = c.any_of.size() == 1 && !c.any_of.front().gate.empty();
  c.why = template_text(e, "why", !only_gate);
  c.open = template_text(e, "open", false);
  c.remedies = ids(e, "remedies", Mention::Kind::remedy);
  e.finish();
  return c;
}

std::vector<Clause> Parser::clauses(Entry& e, std::string_view key) {
  std::vector<Clause> list;
  for (auto& entry : e.entries(key)) list.push_back(clause(entry));
  return list;
}

std::vector<SettledBy> Parser::settled_by(Entry& e) {
  std::vector<SettledBy> list;
  for (auto& entry : e.entries("settled_by")) {
    SettledBy s;
    s.vendors = vendors(entry);
    s.command = template_text(entry, "command", true);
    entry.finish();
    list.push_back(std::move(s));
  }
  return list;
}

void parse_rules(const std::string& name, const toml::table& root, Catalogue& catalogue) {
  struct Kind {
    const char* key;
    void (Parser::*parse)(Entry&);
  };
  constexpr std::array kKinds = {
      Kind{"fact", &Parser::fact},     Kind{"gate", &Parser::gate},      Kind{"mode", &Parser::mode},
      Kind{"remedy", &Parser::remedy}, Kind{"engine", &Parser::engine},  Kind{"engine-mode", &Parser::engine_mode},
      Kind{"advice", &Parser::advice}, Kind{"model", &Parser::model},    Kind{"stack", &Parser::stack},
      Kind{"card", &Parser::card},     Kind{"device", &Parser::device},  Kind{"log-cause", &Parser::log_cause},
      Kind{"holder", &Parser::holder}, Kind{"variant", &Parser::variant}};
  Entry file(root, name, "rules file");
  Parser parser(catalogue);
  for (const auto& kind : kKinds) {
    for (auto& entry : file.entries(kind.key)) {
      entry.rename(kind.key);
      (parser.*kind.parse)(entry);
    }
  }
  file.finish();
}

}  // namespace rules_file

}  // namespace gpucoop
