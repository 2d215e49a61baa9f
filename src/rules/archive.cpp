#include "rules/archive.hpp"

#include <type_traits>

#include "base/packed.hpp"

namespace gpucoop {

// One list of fields a struct, for both directions: T is const for the writer.
template <class A, class T>
static void fields(A& archive, T& e) {
  using R = std::remove_const_t<T>;
  if constexpr (std::is_same_v<R, Condition>) {
    archive(e.fact, e.gate, e.op, e.value, e.unless_known, e.holds);
  } else if constexpr (std::is_same_v<R, Clause>) {
    archive(e.any_of, e.unless, e.vendors, e.why, e.open, e.remedies);
  } else if constexpr (std::is_same_v<R, Expectation>) {
    archive(e.vendors, e.when, e.gate, e.value);
  } else if constexpr (std::is_same_v<R, FactRule>) {
    archive(e.id, e.subject, e.type, e.tier, e.title, e.meaning, e.established, e.expected, e.settle, e.floor_unless,
            e.asked, e.source);
  } else if constexpr (std::is_same_v<R, GateRule>) {
    archive(e.id, e.title, e.meaning, e.require, e.source);
  } else if constexpr (std::is_same_v<R, SettledBy>) {
    archive(e.vendors, e.command);
  } else if constexpr (std::is_same_v<R, ModeRule>) {
    archive(e.id, e.title, e.meaning, e.require, e.prefer, e.unproven, e.settled_by, e.source);
  } else if constexpr (std::is_same_v<R, EngineRule>) {
    archive(e.id, e.title, e.meaning, e.source);
  } else if constexpr (std::is_same_v<R, AdviceRule>) {
    archive(e.id, e.kind, e.text, e.vendors, e.when, e.any_of, e.unless, e.why, e.otherwise, e.source);
  } else if constexpr (std::is_same_v<R, EngineModeRule>) {
    archive(e.id, e.engine, e.mode, e.title, e.meaning, e.vendors, e.builds_on, e.require, e.prefer, e.unproven,
            e.settled_by, e.flags, e.advice, e.source);
  } else if constexpr (std::is_same_v<R, ModelRule>) {
    archive(e.id, e.title, e.hidden, e.layers, e.heads, e.kv_heads, e.head_dim, e.kv_values, e.kv_layers, e.window,
            e.vocabulary, e.experts, e.experts_per_token, e.moe_layers, e.parameters_billion, e.active_billion,
            e.bytes_per_weight, e.source);
  } else if constexpr (std::is_same_v<R, StackRule>) {
    archive(e.id, e.title, e.vendors, e.modes, e.fabric, e.alpha_us, e.observed, e.source);
  } else if constexpr (std::is_same_v<R, CardRule>) {
    archive(e.title, e.vendor, e.devices, e.memory_gbytes_per_s, e.memory_gib, e.source);
  } else if constexpr (std::is_same_v<R, RemedyRule>) {
    archive(e.id, e.title, e.text, e.command, e.when, e.unless, e.changes, e.cost, e.risk, e.source);
  } else if constexpr (std::is_same_v<R, LogCause>) {
    archive(e.id, e.patterns, e.title, e.meaning, e.next, e.sets_fact, e.sets_value, e.source);
  } else if constexpr (std::is_same_v<R, DeviceRule>) {
    archive(e.kind, e.vendor, e.first_device, e.last_device, e.title, e.name_contains, e.gfx, e.compute_capability,
            e.fabric, e.source);
  } else if constexpr (std::is_same_v<R, HolderRule>) {
    archive(e.use, e.title, e.names, e.source);
  } else if constexpr (std::is_same_v<R, VariantRule>) {
    archive(e.id, e.title, e.libraries, e.set, e.control, e.meaning, e.cost, e.source);
  } else {
    static_assert(std::is_same_v<R, Rules>);
    archive(e.facts, e.gates, e.modes, e.engines, e.engine_modes, e.advice, e.models, e.stacks, e.cards, e.remedies,
            e.log_causes, e.devices, e.holders, e.variants);
  }
}

std::string write_archive(const Rules& rules) {
  packed::Packer packer;
  packer(rules);
  return packer.take();
}

Rules read_archive(std::string_view bytes) {
  Rules rules;
  packed::Unpacker unpacker(bytes);
  unpacker(rules);
  return rules;
}

}  // namespace gpucoop
