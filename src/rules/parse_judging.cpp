#include <utility>

#include "rules/parser.hpp"

namespace gpucoop::rules_file {

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
  r.asked = e.boolean("asked").value_or(false);
  if (r.asked && r.tier != Tier::static_)
    e.fail_at("asked", "'asked' is for static facts: the others are asked for anyway");
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
  r.settled_by = settled_by(e);
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

}  // namespace gpucoop::rules_file
