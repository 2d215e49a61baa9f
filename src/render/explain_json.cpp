#include "render/explain.hpp"
#include "render/json_engine.hpp"
#include "render/json_fact.hpp"
#include "render/json_value.hpp"

namespace gpucoop {

namespace {

using json::Value;

template <class T, class Make>
Value list(const std::vector<T>& items, Make make) {
  Value result = Value::array();
  for (const auto& item : items) result.push_back(make(item));
  return result;
}

Value name(const RuleName& n) { return {{"kind", n.kind}, {"id", n.id}, {"title", n.title}}; }

Value need(const Need& n) {
  Value here = list(n.here, [](const NeedHere& h) {
    return Value{{"established", to_string(h.established)}, {"expected", to_string(h.expected)}};
  });
  return {{"text", n.text}, {"ids", n.ids}, {"here", std::move(here)}, {"inside", list(n.inside, need)}};
}

Value standing(const StandingHere& s) {
  return {{"set", json::addresses(s.set)},
          {"state", s.state},
          {"expected", json::text(s.expected)},
          {"why", json::text(s.why)},
          {"evidence", list(s.evidence, json::fact)}};
}

// ASCII only: nothing in it can act on a terminal.
std::string document(const Value& value) { return value.dump(2, ' ', true, Value::error_handler_t::replace) + "\n"; }

}  // namespace

std::string render_explanation_json(const Explanation& e) {
  Value value;
  value["schema"] = "gpucoop.explanation/1";
  value["kind"] = e.name.kind;
  value["id"] = e.name.id;
  value["title"] = json::text(e.name.title);
  value["meaning"] = json::text(e.meaning);
  value["about"] = json::text(e.about);
  value["established"] = json::text(e.established);
  value["expected"] = json::text(e.expected);
  value["needs"] = list(e.needs, need);
  value["prefers"] = list(e.prefers, need);
  value["flags"] = e.flags;
  value["advice"] = list(e.advice, json::advice);
  value["patterns"] = e.patterns;
  value["next"] = json::text(e.next);
  value["used_by"] = list(e.used_by, name);
  value["remedies"] = list(e.remedies, json::remedy);
  value["source"] = json::text(e.source);
  value["here"] = nullptr;
  if (e.with_host) {
    value["here"] = {{"standing", list(e.standing, standing)},
                     {"facts", list(e.facts, json::fact)},
                     {"log", list(e.log, json::log_finding)},
                     {"remedies", list(e.remedies_here, json::remedy)}};
  }
  return document(value);
}

std::string render_rule_names_json(const std::vector<RuleName>& names) {
  return document({{"schema", "gpucoop.rules/1"}, {"rules", list(names, name)}});
}

}  // namespace gpucoop
