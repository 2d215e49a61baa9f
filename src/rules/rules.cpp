#include "rules/rules.hpp"

namespace gpucoop {

std::string_view to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::card_switch_upstream: return "card-switch-upstream";
    case DeviceKind::card_switch_downstream: return "card-switch-downstream";
    case DeviceKind::chipset_bridge: return "chipset-bridge";
    case DeviceKind::peer_host_bridge: return "peer-host-bridge";
    case DeviceKind::peer_host_bridge_same: return "peer-host-bridge-same";
    case DeviceKind::display_only: return "display-only";
    case DeviceKind::hypervisor: return "hypervisor";
    case DeviceKind::internal_bridge: return "internal-bridge";
    case DeviceKind::integrated_gpu: return "integrated-gpu";
    case DeviceKind::multi_gpu_board: return "multi-gpu-board";
    case DeviceKind::chip: return "chip";
  }
  return "chipset-bridge";
}

std::string_view to_string(FactType type) {
  switch (type) {
    case FactType::boolean: return "bool";
    case FactType::number: return "number";
    case FactType::text: return "text";
  }
  return "bool";
}

std::string_view to_string(Operator op) {
  switch (op) {
    case Operator::is: return "is";
    case Operator::is_not: return "is_not";
    case Operator::at_least: return "at_least";
    case Operator::below: return "below";
    case Operator::is_known: return "known";
    case Operator::is_absent: return "absent";
  }
  return "is";
}

namespace {

template <class T>
const T* find_by_id(const std::vector<T>& entries, std::string_view id) {
  for (const auto& entry : entries) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

}  // namespace

const FactRule* find_fact_rule(const Rules& rules, std::string_view id) { return find_by_id(rules.facts, id); }
const GateRule* find_gate(const Rules& rules, std::string_view id) { return find_by_id(rules.gates, id); }
const ModeRule* find_mode(const Rules& rules, std::string_view id) { return find_by_id(rules.modes, id); }
const RemedyRule* find_remedy(const Rules& rules, std::string_view id) { return find_by_id(rules.remedies, id); }
const EngineRule* find_engine(const Rules& rules, std::string_view id) { return find_by_id(rules.engines, id); }
const EngineModeRule* find_engine_mode(const Rules& rules, std::string_view id) {
  return find_by_id(rules.engine_modes, id);
}
const ModelRule* find_model(const Rules& rules, std::string_view id) { return find_by_id(rules.models, id); }

HolderClass holder_class(const Rules& rules, std::string_view process) {
  constexpr std::size_t kKept = 15;  // TASK_COMM_LEN
  for (const auto& rule : rules.holders) {
    for (const auto& name : rule.names) {
      if (std::string_view(name).substr(0, kKept) == process.substr(0, kKept)) return rule.use;
    }
  }
  return HolderClass::compute;
}

}  // namespace gpucoop
