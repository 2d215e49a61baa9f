#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/fact.hpp"

namespace gpucoop {

/// What a catalogue entry says a PCI device is.
enum class DeviceKind : std::uint8_t {
  card_switch_upstream,    ///< upstream port of the switch on a graphics card
  card_switch_downstream,  ///< downstream port of it; the link below is inside the card
  chipset_bridge,          ///< switch or root port of the board's chipset
  peer_host_bridge,        ///< host bridge that the kernel's p2pdma lets peer traffic through
  peer_host_bridge_same,   ///< the same, but only where both devices are below this one bridge
  display_only,            ///< management controller or emulated adapter: no compute
  hypervisor,              ///< its presence shows a virtual machine
  internal_bridge,         ///< bridge to functions inside the processor; no PCI Express link below it
  integrated_gpu,          ///< GPU inside the processor
  multi_gpu_board,         ///< GPU that is only sold on boards with several GPUs and a switch of their own
};
[[nodiscard]] std::string_view to_string(DeviceKind kind);

/// One entry of rules/devices.toml: matches by ids, or where the input has no ids by a part of the name.
struct DeviceRule {
  DeviceKind kind = DeviceKind::chipset_bridge;
  std::uint16_t vendor = 0;
  std::uint16_t first_device = 0;  ///< inclusive range of device ids; 0..0xffff: every device of the vendor
  std::uint16_t last_device = 0xffff;
  std::string title;
  std::vector<std::string> name_contains;
  std::string source;  ///< where the claim comes from
};

/// One entry of rules/log-causes.toml. In a pattern `*` matches any run of characters of the line.
struct LogCause {
  std::string id;
  std::vector<std::string> patterns;
  std::string title;
  std::string meaning;
  std::string next;
  std::optional<std::string> sets_fact;  ///< a bool fact of the device that the line establishes
  bool sets_value = false;
  std::string source;
};

enum class FactType : std::uint8_t { boolean, number, text };

/// One entry of rules/facts.toml: the catalogue of everything that can be known.
struct FactRule {
  std::string id;
  SubjectKind subject = SubjectKind::host;
  FactType type = FactType::boolean;
  Tier tier = Tier::static_;
  std::string title;
  std::string meaning;
  std::string established;                   ///< how it is read or measured, and what would make it readable
  std::optional<std::string> expected_from;  ///< gate whose outcome is expected of a fact not yet probed
  std::string source;
};

enum class Operator : std::uint8_t { is, is_not, at_least, below };

/// `fact OP value`, evaluated for every member (gpu facts), every ordered pair (pair facts) or once.
struct Condition {
  std::string fact;
  Operator op = Operator::is;
  FactValue value = true;
};

/// One requirement: at least one condition must hold for each subject it is about.
struct Clause {
  std::vector<Condition> any_of;
  std::vector<std::string> gates;    ///< alternatives to the conditions: a gate that must be open
  std::vector<std::string> vendors;  ///< applies only to sets of these vendors; empty: to all
  std::string why;                   ///< what it means where it is false; `{gpu}`, `{hop}`, … are filled in
  std::vector<std::string> remedies;
};

/// A named condition that several modes share, with its own explanation (`atomics`, `hostcall`, …).
struct GateRule {
  std::string id;
  std::string title;
  std::string meaning;
  std::vector<Clause> require;
  std::string source;
};

struct SettledBy {
  std::vector<std::string> vendors;  ///< empty: all
  std::string command;
};

struct ModeRule {
  std::string id;
  std::string title;
  std::string meaning;
  std::vector<Clause> require;  ///< any false: no; any unknown: unknown
  std::vector<Clause> hazard;   ///< any *true* condition: degraded
  std::vector<SettledBy> settled_by;
  std::string source;
};

struct RemedyRule {
  std::string id;
  std::string text;
  std::vector<std::string> changes;  ///< fact ids
  std::string cost;
  std::string risk;
  std::string source;
};

/// The loaded and validated catalogue.
struct Rules {
  std::vector<FactRule> facts;
  std::vector<GateRule> gates;
  std::vector<ModeRule> modes;
  std::vector<RemedyRule> remedies;
  std::vector<LogCause> log_causes;
  std::vector<DeviceRule> devices;
};

/// The rules that ship with the program, compiled in at build time. Costs no parsing.
[[nodiscard]] const Rules& builtin_rules();

}  // namespace gpucoop
