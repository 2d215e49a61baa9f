#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/report.hpp"

namespace gpucoop {

/// How a value differs between two readings. Only `changed` says that the host changed: what became known or is no
/// longer known may have been so all along.
enum class ChangeKind : std::uint8_t { changed, now_known, no_longer_known };
/// `changed`, `now-known`, `no-longer-known`
[[nodiscard]] std::string_view to_string(ChangeKind kind);

/// One value of a GPU, pair or host. `what` is the id of a fact where one says the same, else a dotted name that no
/// fact has: `way.chipset`, `host.board`.
struct ValueChange {
  std::string what;
  ChangeKind kind = ChangeKind::changed;
  Known<FactValue> before;
  Known<FactValue> after;
};

/// A bridge that is on only one of the two ways between a GPU and the processor.
struct WayBridge {
  Address address;
  std::string name;  ///< empty: not known
  bool chipset = false;
  bool blocks_atomics = false;
};

/// One card in both readings, or in one.
struct GpuChange {
  std::optional<Address> before;
  std::optional<Address> after;
  std::size_t number = 0;  ///< the card's place among those of the reading that has it (the later of both), from 0
  Known<std::string> name;
  Vendor vendor = Vendor::other;
  Known<std::uint16_t> vendor_id;
  Known<std::uint16_t> device_id;
  std::vector<WayBridge> left;    ///< bridges of the earlier way alone
  std::vector<WayBridge> joined;  ///< bridges of the later way alone
  std::vector<Address> blocking;  ///< bridges that keep AtomicOps from the processor now
  std::vector<ValueChange> changes;

  [[nodiscard]] bool moved() const { return before && after && !(*before == *after); }
};

/// Two GPUs that both readings have.
struct PairChange {
  Address before_a, before_b;
  Address after_a, after_b;
  std::vector<ValueChange> changes;
};

/// What became of the judgement of a mode, or of an engine's way to put it to work.
struct VerdictChange {
  struct Outcome {
    ModeState state = ModeState::unknown;
    Known<ModeState> expected;
    std::string why;
  };
  std::string id;
  std::string title;
  std::vector<Address> before_set;
  std::vector<Address> after_set;
  std::optional<Outcome> before;  ///< none: not judged there
  std::optional<Outcome> after;
};

/// A fact that both readings are about.
struct FactChange {
  Subject before;
  Subject after;
  ValueChange value;
  bool decides = false;  ///< a mode or engine rests on it
};

/// One of the two readings.
struct DiffSide {
  std::string file;
  std::string taken_at;
  std::string fingerprint;
  std::size_t gpus = 0;  ///< that can compute
  enum class Simulated : std::uint8_t {
    no,
    faults,  ///< what ranks of real GPUs did with injected faults
    devices  ///< there were no GPUs
  };
  Simulated simulated = Simulated::no;
};

/// What differs between two reports, most important first within each list. Empty lists: nothing.
struct Diff {
  DiffSide before;
  DiffSide after;
  std::vector<VerdictChange> modes;
  std::vector<VerdictChange> engines;
  std::vector<GpuChange> gpus;
  std::vector<PairChange> pairs;
  std::vector<ValueChange> host;
  std::vector<FactChange> facts;

  [[nodiscard]] bool empty() const {
    return modes.empty() && engines.empty() && gpus.empty() && pairs.empty() && host.empty() && facts.empty();
  }
};

}  // namespace gpucoop
