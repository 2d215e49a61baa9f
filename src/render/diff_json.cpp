#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/version.hpp"
#include "render/diff.hpp"
#include "render/json_value.hpp"

namespace gpucoop {
namespace {

using json::Value;

template <class List, class Make>
Value each(const List& list, Make make) {
  Value result = Value::array();
  for (const auto& item : list) result.push_back(make(item));
  return result;
}

Value value_of(const Known<FactValue>& known) {
  const FactValue* value = known.get();
  if (value == nullptr) return nullptr;
  if (const bool* b = std::get_if<bool>(value)) return *b;
  if (const double* d = std::get_if<double>(value)) return json::number(*d);
  return std::get<std::string>(*value);
}

Value change(const ValueChange& c) {
  return {{"what", c.what}, {"kind", to_string(c.kind)}, {"before", value_of(c.before)}, {"after", value_of(c.after)}};
}

Value side(const DiffSide& s) {
  return {{"file", s.file},
          {"taken_at", json::text(s.taken_at)},
          {"fingerprint", json::text(s.fingerprint)},
          {"gpus", s.gpus},
          {"simulated", s.simulated != DiffSide::Simulated::no}};
}

Value outcome(const std::optional<VerdictChange::Outcome>& o) {
  if (!o) return nullptr;
  const bool expects = o->expected.is_known() && o->expected.value() != ModeState::unknown;
  return {{"state", to_string(o->state)},
          {"expected", expects ? Value(to_string(o->expected.value())) : Value(nullptr)},
          {"why", o->why}};
}

Value verdict(const VerdictChange& v) {
  return {{"id", v.id},
          {"title", v.title},
          {"before_set", json::addresses(v.before_set)},
          {"after_set", json::addresses(v.after_set)},
          {"before", outcome(v.before)},
          {"after", outcome(v.after)}};
}

Value bridge(const WayBridge& b) {
  return {{"address", to_string(b.address)},
          {"name", json::text(b.name)},
          {"chipset", b.chipset},
          {"blocks_atomics", b.blocks_atomics}};
}

Value address(const std::optional<Address>& a) { return a ? Value(to_string(*a)) : Value(nullptr); }

std::string kind_of(const GpuChange& g) {
  if (!g.before) return "added";
  if (!g.after) return "removed";
  if (g.moved()) return "moved";
  const bool changed = !g.left.empty() || !g.joined.empty() ||
                       std::any_of(g.changes.begin(), g.changes.end(),
                                   [](const ValueChange& c) { return c.kind == ChangeKind::changed; });
  return changed ? "changed" : "known";
}

Value id(const Known<std::uint16_t>& value) {
  return value.is_known() ? Value(fmt::format("{:04x}", value.value())) : Value(nullptr);
}

Value gpu(const GpuChange& g) {
  return {{"change", kind_of(g)},
          {"before", address(g.before)},
          {"after", address(g.after)},
          {"number", g.number},
          {"vendor", to_string(g.vendor)},
          {"name", json::known(g.name)},
          {"ids", {{"vendor", id(g.vendor_id)}, {"device", id(g.device_id)}}},
          {"left", each(g.left, bridge)},
          {"joined", each(g.joined, bridge)},
          {"blocking", json::addresses(g.blocking)},
          {"changes", each(g.changes, change)}};
}

Value pair(const PairChange& p) {
  return {{"before", json::addresses({p.before_a, p.before_b})},
          {"after", json::addresses({p.after_a, p.after_b})},
          {"changes", each(p.changes, change)}};
}

Value subject(const Subject& s) { return {{"kind", to_string(s.kind)}, {"of", json::addresses(s.of)}}; }

Value fact(const FactChange& f) {
  return {{"id", f.value.what},
          {"kind", to_string(f.value.kind)},
          {"subject_before", subject(f.before)},
          {"subject_after", subject(f.after)},
          {"before", value_of(f.value.before)},
          {"after", value_of(f.value.after)},
          {"decides", f.decides}};
}

}  // namespace

std::string render_diff_json(const Diff& diff) {
  Value document;
  document["schema"] = "gpucoop.diff/1";
  document["tool"] = {{"name", "gpucoop"}, {"version", kVersion}};
  document["before"] = side(diff.before);
  document["after"] = side(diff.after);
  document["changed"] = !diff.empty();
  document["modes"] = each(diff.modes, verdict);
  document["engines"] = each(diff.engines, verdict);
  document["gpus"] = each(diff.gpus, gpu);
  document["pairs"] = each(diff.pairs, pair);
  document["host"] = each(diff.host, change);
  document["facts"] = each(diff.facts, fact);
  return document.dump(2, ' ', true, Value::error_handler_t::replace) + "\n";
}

}  // namespace gpucoop
