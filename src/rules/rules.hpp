#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/fact.hpp"
#include "model/holder.hpp"
#include "model/report.hpp"

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
  chip,  ///< GPU whose generation is told by its id (keep last: the loader ends its list of kinds here)
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
  std::string gfx;                           ///< of a chip of AMD's: its instruction set, `gfx1201`
  std::optional<double> compute_capability;  ///< of a chip of NVIDIA's
  std::optional<bool> fabric;                ///< of a chip: false where no card with it has NVLink, xGMI, …
  std::string source;                        ///< where the claim comes from
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
[[nodiscard]] std::string_view to_string(FactType type);  ///< `bool`, `number`, `text`

/// How a fact's value is compared. Unknown facts give unknown, except that `is_known` is never false.
enum class Operator : std::uint8_t {
  is,
  is_not,
  at_least,
  below,
  is_known,   ///< any known value: the fact has been established one way or the other
  is_absent,  ///< the hardware or the source says that there is no such thing
};
[[nodiscard]] std::string_view to_string(Operator op);  ///< the key of the rules file: `is`, `at_least`, …

/// `fact OP value`, or (with `gate` set instead of `fact`) a gate that must be open.
struct Condition {
  std::string fact;
  std::string gate;
  Operator op = Operator::is;
  FactValue value = true;
  /// A better fact that replaces this condition: where it is known for the same subject, this condition is false.
  std::string unless_known;
  std::string holds;  ///< what to say where this is what makes a requirement true; may be empty
};

/// One requirement or preference. It is looked at for every subject of the finest kind that its conditions name:
/// for each GPU, for each ordered pair, or once for the set.
struct Clause {
  std::vector<Condition> any_of;
  std::vector<Condition> unless;     ///< does not apply where one of these is known to be true
  std::vector<std::string> vendors;  ///< applies only to sets of these vendors; empty: to all
  std::string why;                   ///< what it means where it is false; `{gpu}`, `{hop}`, … are filled in
  std::string open;                  ///< added to `why` while it is only expected to be false; may be empty
  std::vector<std::string> remedies;
};

/// What is expected of a fact that nobody has established. The first entry that fits the set decides.
struct Expectation {
  std::vector<std::string> vendors;  ///< empty: all
  std::optional<Condition> when;     ///< applies only where this is known to be true
  std::string gate;                  ///< the outcome of this gate is what is expected …
  bool value = true;                 ///< … or, without a gate, this
};

/// One entry of rules/facts.toml: the catalogue of everything that can be known.
struct FactRule {
  std::string id;
  SubjectKind subject = SubjectKind::host;
  FactType type = FactType::boolean;
  Tier tier = Tier::static_;
  std::string title;                  ///< of a bool fact: a statement, so that "whether " + title is a question
  std::string meaning;                ///< in words for somebody who is new to it
  std::string established;            ///< how it is read or measured, and what would make it readable
  std::vector<Expectation> expected;  ///< only for bool facts
  std::vector<std::string> settle;    ///< remedies that would make it known, the first that applies is named
  std::string floor_unless;           ///< the number is a lower bound unless this bool fact is true
  bool asked = false;                 ///< drivers know a static fact as well: what results of probes say of it counts
  std::string source;
};

/// A named condition that several modes share, with its own explanation (`atomics`, `hostcall`, …).
struct GateRule {
  std::string id;
  std::string title;
  std::string meaning;
  std::vector<Clause> require;
  std::string source;
};

/// A command that a person can run to settle what no reading can.
struct SettledBy {
  std::vector<std::string> vendors;  ///< empty: all
  std::string command;               ///< `{count}` is the number of GPUs of the set
};

struct ModeRule {
  std::string id;
  std::string title;
  std::string meaning;
  std::vector<Clause> require;  ///< any false: no; any unknown: unknown
  std::vector<Clause> prefer;   ///< any false: degraded
  std::string unproven;         ///< the sentence part for a mode that nothing stands against but no probe has shown
  std::vector<SettledBy> settled_by;
  std::string source;
};

/// A program or framework that shares work between GPUs.
struct EngineRule {
  std::string id;
  std::string title;
  std::string meaning;
  std::string source;
};

/// A flag or variable, and when it is advisable. Conditions are looked at for the set, for each GPU and for each pair:
/// one for which all of `when` and one of `any_of` is known to be true, and none of `unless` is, is enough.
struct AdviceRule {
  std::string id;
  Advice::Kind kind = Advice::Kind::set;
  std::string text;  ///< `{count}` is the number of GPUs of the set
  std::vector<std::string> vendors;
  std::vector<Condition> when;
  std::vector<Condition> any_of;
  std::vector<Condition> unless;
  std::string why;
  std::string otherwise;  ///< what is seen without it; may be empty
  std::string source;
};

/// One way in which an engine puts a mode to work: the row of a table of engines, modes and vendors.
struct EngineModeRule {
  std::string id;      ///< `vllm.tensor`
  std::string engine;  ///< id of an EngineRule
  std::string mode;    ///< the mode that it is one way of
  std::string title;
  std::string meaning;
  std::vector<std::string> vendors;    ///< empty: all
  std::vector<std::string> builds_on;  ///< modes whose clauses hold for it as well
  std::vector<Clause> require;
  std::vector<Clause> prefer;
  std::string unproven;               ///< empty: its mode's
  std::vector<SettledBy> settled_by;  ///< empty: its mode's
  std::vector<std::string> flags;     ///< what turns it on; `{count}` is filled in
  std::vector<std::string> advice;    ///< ids
  std::string source;
};

/// A model's shape, for the cost estimate.
struct ModelRule {
  std::string id;
  std::string title;
  unsigned hidden = 0;
  unsigned layers = 0;
  unsigned heads = 0;
  unsigned kv_heads = 0;  ///< 0: one cache that every GPU of a tensor group keeps whole (MLA)
  unsigned head_dim = 0;
  unsigned kv_values = 0;  ///< values that a growing layer keeps for a token; 0: 2 × kv_heads × head_dim
  unsigned kv_layers = 0;  ///< layers whose cache grows with the prompt; 0: all
  unsigned window = 0;     ///< tokens that the other layers keep; 0: none
  unsigned vocabulary = 0;
  unsigned experts = 0;  ///< 0: a dense model
  unsigned experts_per_token = 0;
  unsigned moe_layers = 0;        ///< layers with experts
  double parameters_billion = 0;  ///< all weights
  double active_billion = 0;      ///< weights that one token uses; equal to all of a dense model
  double bytes_per_weight = 2;    ///< as it is usually served
  std::string source;
};

/// What a small operation takes with one kind of software over one kind of link, where nothing was measured.
struct StackRule {
  std::string id;
  std::string title;
  std::vector<std::string> vendors;  ///< empty: all
  std::vector<std::string> modes;    ///< ids of the modes that use it
  bool fabric = false;               ///< over NVLink, xGMI or Xe Link; else over PCI Express
  double alpha_us = 0;
  std::string observed;  ///< what it came to in whole decode steps, where somebody published it; may be empty
  std::string source;
};

/// What a GPU's memory can do, by device id.
struct CardRule {
  std::string title;
  std::uint16_t vendor = 0;
  std::vector<std::uint16_t> devices;
  double memory_gbytes_per_s = 0;
  double memory_gib = 0;
  std::string source;
};

struct RemedyRule {
  std::string id;
  std::string title;
  std::string text;
  std::string command;               ///< where it is one command: what to run
  std::vector<Condition> when;       ///< offered only for GPUs for which all of these are true …
  std::vector<Condition> unless;     ///< … and none of these is
  std::vector<std::string> changes;  ///< fact ids
  std::string cost;
  std::string risk;
  std::string source;
};

/// One entry of rules/holders.toml: programs that use GPUs for something other than computing.
struct HolderRule {
  HolderClass use = HolderClass::display;
  std::string title;
  std::vector<std::string> names;  ///< the kernel keeps the first 15 characters of a process' name
  std::string source;
};

/// One entry of rules/variants.toml: settings under which a failed collective is tried again in fresh processes.
struct VariantRule {
  std::string id;
  std::string title;                   ///< what it changes, in short
  std::vector<std::string> libraries;  ///< `nccl`, `rccl`, `oneccl`, `host`
  std::vector<std::string> set;        ///< `NCCL_P2P_DISABLE=1`
  bool control = false;  ///< the most careful one: where it fails as well, no other variant says what is at fault
  std::string meaning;
  std::string cost;
  std::string source;
};

/// The loaded and validated catalogue.
struct Rules {
  std::vector<FactRule> facts;
  std::vector<GateRule> gates;
  std::vector<ModeRule> modes;
  std::vector<EngineRule> engines;
  std::vector<EngineModeRule> engine_modes;
  std::vector<AdviceRule> advice;
  std::vector<ModelRule> models;
  std::vector<StackRule> stacks;
  std::vector<CardRule> cards;
  std::vector<RemedyRule> remedies;
  std::vector<LogCause> log_causes;
  std::vector<DeviceRule> devices;
  std::vector<HolderRule> holders;
  std::vector<VariantRule> variants;
};

/// The rules that ship with the program, compiled in at build time. Costs no parsing.
[[nodiscard]] const Rules& builtin_rules();

/// The entry of that id, or null.
[[nodiscard]] const FactRule* find_fact_rule(const Rules& rules, std::string_view id);
[[nodiscard]] const GateRule* find_gate(const Rules& rules, std::string_view id);
[[nodiscard]] const ModeRule* find_mode(const Rules& rules, std::string_view id);
[[nodiscard]] const RemedyRule* find_remedy(const Rules& rules, std::string_view id);
[[nodiscard]] const EngineRule* find_engine(const Rules& rules, std::string_view id);
[[nodiscard]] const EngineModeRule* find_engine_mode(const Rules& rules, std::string_view id);
[[nodiscard]] const ModelRule* find_model(const Rules& rules, std::string_view id);

/// What a process of that name (as the kernel keeps it) uses a GPU for: `compute` where no entry has it.
[[nodiscard]] HolderClass holder_class(const Rules& rules, std::string_view process);

}  // namespace gpucoop
