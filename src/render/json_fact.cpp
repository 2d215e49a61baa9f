#include "render/json_fact.hpp"

namespace gpucoop::json {

namespace {

Value value_of(const Fact& fact) {
  const FactValue* value = fact.value.get();
  if (value == nullptr) return nullptr;
  if (const bool* b = std::get_if<bool>(value)) return *b;
  if (const double* d = std::get_if<double>(value)) return number(*d);
  return std::get<std::string>(*value);
}

}  // namespace

Value fact(const Fact& f) {
  return {{"id", f.id},
          {"subject", {{"kind", to_string(f.subject.kind)}, {"of", addresses(f.subject.of)}}},
          {"status", f.value.is_known()    ? "known"
                     : f.value.is_absent() ? "absent"
                                           : "unknown"},
          {"value", value_of(f)},
          {"reason", f.value.is_unknown() ? Value(to_string(f.value.reason())) : Value(nullptr)},
          {"tier", to_string(f.tier)},
          {"evidence", f.evidence}};
}

Value remedy(const Remedy& r) {
  return {{"id", r.id}, {"text", r.text}, {"changes", r.changes}, {"cost", r.cost}, {"risk", r.risk}};
}

Value log_finding(const LogFinding& f) {
  return {{"cause", f.cause},
          {"title", f.title},
          {"device", f.device.is_known() ? Value(to_string(f.device.value())) : Value(nullptr)},
          {"lines", f.lines},
          {"text", f.text},
          {"where", text(f.where)}};
}

}  // namespace gpucoop::json
