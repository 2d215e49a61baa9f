#include <cmath>
#include <variant>

#include "base/version.hpp"
#include "render/json_cost.hpp"
#include "render/json_engine.hpp"
#include "render/json_fact.hpp"
#include "render/json_gpu.hpp"
#include "render/json_probe.hpp"
#include "render/json_value.hpp"
#include "render/render.hpp"
#include "render/verdict.hpp"

namespace gpucoop {
namespace json {

Value number(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!std::isfinite(value)) return nullptr;
  if (std::abs(value) < kExact && value == std::trunc(value)) return static_cast<std::int64_t>(value);
  return std::abs(value) < 1e12 ? Value(std::round(value * 1000) / 1000) : Value(value);
}

Value number(const Known<double>& value) { return value.is_known() ? number(value.value()) : Value(nullptr); }

Value speed(const Known<LinkSpeed>& value) {
  return value.is_known() ? number(gigatransfers(value.value())) : Value(nullptr);
}

Value addresses(const std::vector<Address>& of) {
  Value list = Value::array();
  for (const Address& a : of) list.push_back(to_string(a));
  return list;
}

Value text(const std::string& value) { return value.empty() ? Value(nullptr) : Value(value); }

}  // namespace json

namespace {

using json::Value;

Value sources(const Topology& topology) {
  Value list = Value::array();
  for (const Source& s : topology.sources) list.push_back({{"file", s.file}, {"kind", to_string(s.kind)}});
  return list;
}

Value host(const Topology& topology) {
  const HostSummary& h = topology.host;
  return {{"source", to_string(h.source)},
          {"live", h.live},
          {"label", json::known(h.label)},
          {"virtualized", to_string(h.virtualized)},
          {"board", json::known(h.board)},
          {"kernel", json::known(h.kernel)},
          {"iommu", json::known(h.iommu)},
          {"fingerprint", json::text(h.fingerprint)},
          {"lists_devices", topology.lists_devices},
          {"listing_complete", json::known(topology.listing_complete)},
          {"holders_complete", json::known(topology.holders_complete)}};
}

Value link(const Link& l) {
  return {{"upper", to_string(l.upper)},
          {"lower", to_string(l.lower)},
          {"speed_gts", json::speed(l.speed)},
          {"width", json::known(l.width)},
          {"max_speed_gts", json::speed(l.max_speed)},
          {"max_width", json::known(l.max_width)},
          {"gbytes_per_s", json::number(l.gbytes_per_s)},
          {"ceiling_gbytes_per_s", json::number(l.ceiling_gbytes_per_s)},
          {"state", to_string(l.state)},
          {"why", l.why},
          {"on_card", l.on_card},
          {"gpus", json::addresses(l.gpus)}};
}

Value fabric(const Known<Fabric>& f) {
  if (!f.is_known()) return nullptr;
  return {{"kind", to_string(f.value().kind)},
          {"links", json::known(f.value().links)},
          {"gbytes_per_s", json::number(f.value().gbytes_per_s)}};
}

Value pair(const Pair& p, const json::PeerFacts& peer) {
  return {{"a", to_string(p.a)},
          {"b", to_string(p.b)},
          {"path", to_string(p.path)},
          {"fabric", fabric(p.fabric)},
          {"ceiling_gbytes_per_s", json::number(p.ceiling_gbytes_per_s)},
          {"acs_redirect", json::known(p.acs_redirect)},
          {"p2p",
           {{"expected", to_string(p.peer)},
            {"why", p.peer_why},
            {"a_to_b", peer.direction(p.a, p.b)},
            {"b_to_a", peer.direction(p.b, p.a)}}}};
}

Value mode(const ModeVerdict& m) {
  return {{"id", m.id},
          {"title", m.title},
          {"set", json::addresses(m.set)},
          {"state", to_string(m.state)},
          {"expected", json::expected(m.state, m.expected)},
          {"why", m.why},
          {"decided_by", m.decided_by},
          {"settled_by", json::known(m.settled_by)},
          {"remedies", m.remedies},
          {"best_subset", json::best_subset(m.best)}};
}

template <class List, class Make>
Value each(const List& list, Make make) {
  Value result = Value::array();
  for (const auto& item : list) result.push_back(make(item));
  return result;
}

Value warning(const Warning& w) { return {{"code", w.code}, {"text", w.text}, {"where", w.where}}; }

Value document_of(const Report& report) {
  const Topology& t = report.topology;
  const Judgement& j = report.judgement;
  Value facts = each(t.facts, json::fact);
  for (const Fact& f : j.facts) facts.push_back(json::fact(f));
  Value warnings = each(t.warnings, warning);
  for (const Warning& w : j.warnings) warnings.push_back(warning(w));
  Value sets = each(j.sets, [](const GpuSet& s) { return Value{{"gpus", json::addresses(s.gpus)}, {"why", s.why}}; });
  Value document;
  document["schema"] = "gpucoop.report/1";
  document["tool"] = {{"name", "gpucoop"}, {"version", kVersion}};
  document["taken_at"] = report.taken_at;
  document["simulated"] = report.simulated;
  document["sources"] = sources(t);
  document["host"] = host(t);
  document["gpus"] = each(t.gpus, json::gpu);
  document["links"] = each(t.links, link);
  const json::PeerFacts peer(t.facts);
  document["pairs"] = each(t.pairs, [&](const Pair& p) { return pair(p, peer); });
  document["facts"] = std::move(facts);
  document["sets"] = std::move(sets);
  document["modes"] = each(j.modes, mode);
  document["engines"] = each(j.engines, json::engine);
  document["costs"] = each(j.costs, json::cost);
  document["remedies"] = each(j.remedies, json::remedy);
  document["measured_at"] = json::text(report.measured_at);
  document["probes"] = each(report.probes, json::probe);
  document["log"] = each(t.log, json::log_finding);
  document["warnings"] = std::move(warnings);
  return document;
}

// ASCII only: nothing in it can act on a terminal, whatever a device or a file is called.
std::string printed(const Value& document) {
  return document.dump(2, ' ', true, Value::error_handler_t::replace) + "\n";
}

}  // namespace

std::string render_json(const Report& report) { return printed(document_of(report)); }

std::string render_verdict_json(const Report& report, const Verdict& verdict) {
  Value document = document_of(report);
  document["requirements"] = each(verdict.requirements, json::requirement);
  document["exit_code"] = static_cast<int>(verdict.exit_code);
  return printed(document);
}

}  // namespace gpucoop
