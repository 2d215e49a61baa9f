#include "render/json_engine.hpp"

namespace gpucoop::json {

Value advice(const Advice& a) {
  return {{"kind", to_string(a.kind)}, {"text", a.text}, {"why", a.why}, {"otherwise", text(a.otherwise)}};
}

Value expected(ModeState state, const Known<ModeState>& expected) {
  const ModeState word = state == ModeState::unknown ? expected.value_or(ModeState::unknown) : ModeState::unknown;
  return word == ModeState::unknown ? Value(nullptr) : Value(to_string(word));
}

Value engine(const EngineVerdict& way) {
  Value list = Value::array();
  for (const Advice& a : way.advice) list.push_back(advice(a));
  return {{"id", way.id},
          {"engine", way.engine},
          {"mode", way.mode},
          {"title", way.title},
          {"set", addresses(way.set)},
          {"state", to_string(way.state)},
          {"expected", expected(way.state, way.expected)},
          {"why", way.why},
          {"decided_by", way.decided_by},
          {"settled_by", known(way.settled_by)},
          {"remedies", way.remedies},
          {"flags", way.flags},
          {"advice", std::move(list)}};
}

Value best_subset(const std::optional<BestSubset>& best) {
  if (!best) return nullptr;
  return {{"gpus", addresses(best->gpus)},
          {"state", to_string(best->state)},
          {"expected", expected(best->state, best->expected)},
          {"why", best->why}};
}

Value requirement(const RequirementVerdict& v) {
  return {{"mode", v.requirement.mode},
          {"engine", text(v.requirement.engine)},
          {"at_least", v.requirement.at_least ? Value(*v.requirement.at_least) : Value(nullptr)},
          {"set", addresses(v.set)},
          {"state", to_string(v.state)},
          {"expected", expected(v.state, v.expected)},
          {"accepted", v.accepted},
          {"exit_code", static_cast<int>(v.exit_code)},
          {"why", v.why}};
}

}  // namespace gpucoop::json
