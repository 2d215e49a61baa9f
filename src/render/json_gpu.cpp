#include "render/json_gpu.hpp"

#include <fmt/format.h>

namespace gpucoop::json {
namespace {

Value id(const Known<std::uint16_t>& value) {
  return value.is_known() ? Value(fmt::format("{:04x}", value.value())) : Value(nullptr);
}

// What the hop does now: the control register. Support is a capability register that could be read.
Value acs(const Known<Acs>& of) {
  if (!of.is_known()) {
    return {{"supported", of.is_absent() ? Value(false) : Value(nullptr)},
            {"source_validation", nullptr},
            {"translation_blocking", nullptr},
            {"request_redirect", nullptr},
            {"completion_redirect", nullptr},
            {"upstream_forwarding", nullptr},
            {"egress_control", nullptr},
            {"direct_translated", nullptr}};
  }
  const AcsBits& now = of.value().control;
  return {{"supported", true},
          {"source_validation", known(now.source_validation)},
          {"translation_blocking", known(now.translation_blocking)},
          {"request_redirect", known(now.request_redirect)},
          {"completion_redirect", known(now.completion_redirect)},
          {"upstream_forwarding", known(now.upstream_forwarding)},
          {"egress_control", known(now.egress_control)},
          {"direct_translated", known(now.direct_translated)}};
}

Value hop(const Hop& h) {
  return {{"address", to_string(h.address)},
          {"name", known(h.name)},
          {"role", h.role == Role::unknown ? Value(nullptr) : Value(to_string(h.role))},
          {"on_card", h.on_card},
          {"chipset", h.chipset},
          {"slot", known(h.slot)},
          {"atomics",
           {{"routing", known(h.atomic_routing)},
            {"completer32", known(h.atomic_completer32)},
            {"completer64", known(h.atomic_completer64)},
            {"requester_enabled", known(h.atomic_requester_enabled)},
            {"egress_blocked", known(h.atomic_egress_blocked)}}},
          {"link",
           {{"speed_gts", speed(h.speed)},
            {"width", known(h.width)},
            {"max_speed_gts", speed(h.max_speed)},
            {"max_width", known(h.max_width)}}},
          {"acs", acs(h.acs)}};
}

Value atomics(const AtomicsJudgement& a) {
  return {{"state", to_string(a.state)},       {"path", to_string(a.path)},
          {"driver", to_string(a.driver)},     {"requester_enabled", known(a.requester_enabled)},
          {"blocking", addresses(a.blocking)}, {"why", a.why}};
}

Value link(const LinkJudgement& l) {
  return {{"gbytes_per_s", number(l.gbytes_per_s)},
          {"ceiling_gbytes_per_s", number(l.ceiling_gbytes_per_s)},
          {"card_gbytes_per_s", number(l.card_gbytes_per_s)},
          {"speed_gts", speed(l.speed)},
          {"width", known(l.width)},
          {"at", l.at.is_known() ? Value(to_string(l.at.value())) : Value(nullptr)},
          {"state", to_string(l.state)},
          {"why", l.why}};
}

Value holder(const Holder& h) {
  return {{"pid", h.pid},
          {"process", text(h.process)},
          {"class", to_string(h.use)},
          {"user", known(h.user)},
          {"unit", known(h.unit)},
          {"container", known(h.container)},
          {"seconds", number(h.seconds)},
          {"memory_bytes", known(h.memory_bytes)},
          {"engine_seconds", number(h.engine_seconds)},
          {"evidence", h.evidence}};
}

}  // namespace

Value gpu(const Gpu& g) {
  Value chain = Value::array();
  for (const Hop& h : g.chain) chain.push_back(hop(h));
  Value holders = Value::array();
  for (const Holder& h : g.holders) holders.push_back(holder(h));
  return {{"address", to_string(g.address)},
          {"vendor", to_string(g.vendor)},
          {"name", known(g.name)},
          {"ids", {{"vendor", id(g.vendor_id)}, {"device", id(g.device_id)}}},
          {"driver", known(g.driver)},
          {"integrated", g.integrated},
          {"compute", g.compute},
          {"lost", g.lost},
          {"virtual_function", g.virtual_function},
          {"numa_node", known(g.numa_node)},
          {"package", known(g.package)},
          {"slot", known(g.slot)},
          {"power_state", known(g.power_state)},
          {"bar", g.bar_bytes.is_known() ? Value{{"bytes", g.bar_bytes.value()}} : Value(nullptr)},
          {"holders", std::move(holders)},
          {"chain_reaches_root", g.chain_reaches_root},
          {"chain", std::move(chain)},
          {"atomics", atomics(g.atomics)},
          {"link", link(g.link)}};
}

}  // namespace gpucoop::json
