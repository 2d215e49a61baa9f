#include <algorithm>
#include <array>

#include "rules/catalogue.hpp"
#include "rules/load.hpp"

namespace gpucoop {

const std::vector<std::string>& rule_placeholders() {
  static const std::vector<std::string> names = {"gpu",      "hop",   "pair",     "value",  "driver",
                                                 "how_many", "count", "left_out", "blocked"};
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

/// Parses one file into the catalogue.
class Parser {
 public:
  explicit Parser(Catalogue& catalogue) : catalogue_(catalogue) {}

  void fact(Entry& e);
  void gate(Entry& e);
  void mode(Entry& e);
  void remedy(Entry& e);
  void device(Entry& e);
  void log_cause(Entry& e);
  void holder(Entry& e);

 private:
  std::string id(Entry& e, const char* kind);
  void mention(Mention::Kind kind, const std::string& id, const Origin& origin) {
    catalogue_.mentions.push_back({kind, id, from_, origin, std::nullopt});
  }
  std::vector<std::string> ids(Entry& e, std::string_view key, Mention::Kind kind);
  std::vector<std::string> vendors(Entry& e);
  std::string template_text(Entry& e, std::string_view key, bool required);
  Condition condition(Entry& e);
  std::vector<Condition> conditions(Entry& e, std::string_view key);
  Clause clause(Entry& e);
  std::vector<Clause> clauses(Entry& e, std::string_view key);
  Expectation expectation(Entry& e);

  Catalogue& catalogue_;
  std::string from_;
};

std::string Parser::id(Entry& e, const char* kind) {
  auto id = e.text("id");
  if (!is_id(id)) {
    e.fail_at("id", "'" + id + "' is no id", "an id is made of lower-case words, digits, '-' and '.'");
  }
  e.rename(std::string(kind) + " '" + id + "'");
  catalogue_.definitions.push_back({id, kind, e.origin("id")});
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
  const auto& names = rule_placeholders();
  for (auto open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
    const auto close = text.find('}', open);
    if (close == std::string::npos) e.fail_at(key, "'{' without '}'");
    const auto name = text.substr(open + 1, close - open - 1);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      e.fail_at(key, "unknown placeholder '{" + name + "}'", "the placeholders are " + alternatives(names));
    }
  }
  return text;
}

/// The enumerator whose `to_string` the key holds; `last` is the last one.
template <class Enum>
Enum word_of(Entry& e, std::string_view key, Enum last) {
  std::vector<std::string> words;
  for (int i = 0; i <= static_cast<int>(last); ++i) words.emplace_back(to_string(static_cast<Enum>(i)));
  return static_cast<Enum>(e.one_of(key, words));
}

FactValue fact_value(Entry& e, std::string_view key) {
  const auto* node = e.node(key);
  if (const auto* b = node->as_boolean()) return b->get();
  if (const auto* i = node->as_integer()) return static_cast<double>(i->get());
  if (const auto* f = node->as_floating_point()) return f->get();
  if (const auto* s = node->as_string()) return s->get();
  e.fail_at(key, "'" + std::string(key) + "' must be true, false, a number or a text");
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

Expectation Parser::expectation(Entry& e) {
  Expectation x;
  x.vendors = vendors(e);
  x.gate = e.text_or_empty("gate");
  const auto value = e.boolean("value");
  if (x.gate.empty() == !value.has_value()) {
    fail(e.origin(), e.title() + ": an expectation names either a 'gate' or a 'value'");
  }
  if (!x.gate.empty()) mention(Mention::Kind::gate, x.gate, e.origin("gate"));
  x.value = value.value_or(true);
  if (e.has("when")) {
    const auto* when = e.node("when")->as_table();
    if (when == nullptr) e.fail_at("when", "'when' must be a table");
    Entry entry(*when, e.origin().file, e.title());
    x.when = condition(entry);
  }
  e.finish();
  return x;
}

void Parser::fact(Entry& e) {
  FactRule r;
  r.id = id(e, "fact");
  r.subject = word_of<SubjectKind>(e, "subject", SubjectKind::library);
  r.type = word_of<FactType>(e, "type", FactType::text);
  r.tier = word_of<Tier>(e, "tier", Tier::probed);
  r.title = e.text("title");
  r.meaning = e.text("meaning");
  r.established = e.text("established");
  for (auto& entry : e.entries("expected")) r.expected.push_back(expectation(entry));
  if (!r.expected.empty() && r.type != FactType::boolean) e.fail_at("expected", "only a bool fact can be expected");
  r.settle = ids(e, "settle", Mention::Kind::remedy);
  r.floor_unless = e.text_or_empty("floor_unless");
  if (!r.floor_unless.empty()) {
    if (r.type != FactType::number) e.fail_at("floor_unless", "only a number can be a lower bound");
    mention(Mention::Kind::fact, r.floor_unless, e.origin("floor_unless"));
  }
  r.source = e.text("source");
  e.finish();
  catalogue_.rules.facts.push_back(std::move(r));
}

void Parser::gate(Entry& e) {
  GateRule r;
  r.id = id(e, "gate");
  r.title = e.text("title");
  r.meaning = e.text("meaning");
  r.require = clauses(e, "require");
  if (r.require.empty()) e.fail_at("require", "a gate needs at least one 'require' clause");
  r.source = e.text("source");
  e.finish();
  catalogue_.rules.gates.push_back(std::move(r));
}

void Parser::mode(Entry& e) {
  ModeRule r;
  r.id = id(e, "mode");
  r.title = e.text("title");
  r.meaning = e.text("meaning");
  r.require = clauses(e, "require");
  if (r.require.empty()) e.fail_at("require", "a mode needs at least one 'require' clause");
  r.prefer = clauses(e, "prefer");
  r.unproven = template_text(e, "unproven", true);
  for (auto& entry : e.entries("settled_by")) {
    SettledBy s;
    s.vendors = vendors(entry);
    s.command = template_text(entry, "command", true);
    entry.finish();
    r.settled_by.push_back(std::move(s));
  }
  r.source = e.text("source");
  e.finish();
  catalogue_.rules.modes.push_back(std::move(r));
}

void Parser::remedy(Entry& e) {
  RemedyRule r;
  r.id = id(e, "remedy");
  r.title = e.text("title");
  r.text = template_text(e, "text", true);
  r.command = template_text(e, "command", false);
  r.when = conditions(e, "when");
  r.unless = conditions(e, "unless");
  r.changes = ids(e, "changes", Mention::Kind::fact);
  if (r.changes.empty()) e.fail_at("changes", "a remedy names the facts that it 'changes'");
  r.cost = e.text("cost");
  r.risk = e.text("risk");
  r.source = e.text("source");
  e.finish();
  catalogue_.rules.remedies.push_back(std::move(r));
}

void Parser::device(Entry& e) {
  DeviceRule r;
  r.kind = word_of<DeviceKind>(e, "kind", DeviceKind::multi_gpu_board);
  const auto number = [&e](std::string_view key) { return e.integer(key, 0, 0xffff); };
  const auto vendor = number("vendor");
  if (!vendor) e.fail_at("vendor", "'vendor' is missing");
  r.vendor = static_cast<std::uint16_t>(*vendor);
  if (e.has("device")) {
    if (e.has("first_device") || e.has("last_device")) {
      e.fail_at("device", "'device' stands alone, a range is 'first_device' and 'last_device'");
    }
    r.first_device = r.last_device = static_cast<std::uint16_t>(*number("device"));
  } else {
    r.first_device = static_cast<std::uint16_t>(number("first_device").value_or(0));
    r.last_device = static_cast<std::uint16_t>(number("last_device").value_or(0xffff));
  }
  if (r.first_device > r.last_device) e.fail_at("last_device", "the range of devices is empty");
  r.title = e.text("title");
  e.rename("device '" + r.title + "'");
  for (auto& [text, origin] : e.texts("name_contains")) r.name_contains.push_back(std::move(text));
  r.source = e.text("source");
  e.finish();
  catalogue_.rules.devices.push_back(std::move(r));
}

void Parser::log_cause(Entry& e) {
  LogCause r;
  r.id = id(e, "log-cause");
  for (auto& [text, origin] : e.texts("patterns")) {
    if (text.find_first_not_of("* ") == std::string::npos) {
      fail(origin, e.title() + ": the pattern '" + text + "' fits every line");
    }
    r.patterns.push_back(std::move(text));
  }
  if (r.patterns.empty()) e.fail_at("patterns", "a log cause needs 'patterns'");
  r.title = e.text("title");
  r.meaning = e.text("meaning");
  r.next = e.text("next");
  if (const auto fact = e.text_or_empty("sets_fact"); !fact.empty()) {
    const auto value = e.boolean("sets_value");
    if (!value) e.fail_at("sets_fact", "'sets_fact' needs 'sets_value'");
    Condition sets;
    sets.fact = fact;
    sets.value = *value;
    catalogue_.mentions.push_back({Mention::Kind::fact, fact, from_, e.origin("sets_fact"), sets});
    r.sets_fact = fact;
    r.sets_value = *value;
  }
  r.source = e.text("source");
  e.finish();
  catalogue_.rules.log_causes.push_back(std::move(r));
}

void Parser::holder(Entry& e) {
  HolderRule r;
  r.use = word_of<HolderClass>(e, "use", HolderClass::monitor);
  r.title = e.text("title");
  e.rename("holder '" + r.title + "'");
  for (auto& [text, origin] : e.texts("names")) r.names.push_back(std::move(text));
  if (r.names.empty()) e.fail_at("names", "a holder needs 'names'");
  r.source = e.text("source");
  e.finish();
  catalogue_.rules.holders.push_back(std::move(r));
}

}  // namespace

void parse_rules(const std::string& name, const toml::table& root, Catalogue& catalogue) {
  struct Kind {
    const char* key;
    void (Parser::*parse)(Entry&);
  };
  constexpr std::array kKinds = {Kind{"fact", &Parser::fact},     Kind{"gate", &Parser::gate},
                                 Kind{"mode", &Parser::mode},     Kind{"remedy", &Parser::remedy},
                                 Kind{"device", &Parser::device}, Kind{"log-cause", &Parser::log_cause},
                                 Kind{"holder", &Parser::holder}};
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
