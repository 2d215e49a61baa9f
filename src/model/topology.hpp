#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/fact.hpp"
#include "model/recording.hpp"
#include "model/vendor.hpp"

namespace gpucoop {

/// What a hop of a chain is. `unknown`: the port type is not in the input and cannot be told otherwise.
enum class Role : std::uint8_t {
  root_port,
  switch_upstream,
  switch_downstream,
  endpoint,
  integrated_endpoint,
  bridge,
  unknown
};
[[nodiscard]] std::string_view to_string(Role role);

/// One hop of a GPU's chain; the first is nearest to the root, the last is the GPU.
struct Hop {
  Address address;
  Known<std::string> name;
  Role role = Role::unknown;
  bool on_card = false;  ///< a bridge of the graphics card itself (AMD and Intel card switches, dual-GPU boards)
  bool chipset = false;  ///< a bridge of the board's chipset
  bool blocks_atomics = false;
  Known<bool> atomic_routing;
  Known<bool> atomic_completer32;
  Known<bool> atomic_completer64;
  Known<bool> atomic_requester_enabled;
  Known<bool> atomic_egress_blocked;
  Known<LinkSpeed> speed;  ///< this function's own Link Status and Link Capabilities
  Known<std::uint8_t> width;
  Known<LinkSpeed> max_speed;
  Known<std::uint8_t> max_width;
  Known<Acs> acs;
  Known<std::string> slot;
};

/// `full`: as good as both ends can do. `idle`: speed lowered at full width, no sign of a fault.
/// `downgraded`: width lost, or speed lowered for a reason that is no power saving.
enum class LinkState : std::uint8_t { full, idle, downgraded, unknown };
[[nodiscard]] std::string_view to_string(LinkState state);

/// One link, counted once, its two ends cross-checked. Rates in GB/s, one direction, after encoding.
struct Link {
  Address upper;  ///< the downstream-facing port
  Address lower;
  Known<LinkSpeed> speed;
  Known<std::uint8_t> width;
  Known<LinkSpeed> max_speed;  ///< the best that both ends can do
  Known<std::uint8_t> max_width;
  Known<double> gbytes_per_s;
  Known<double> ceiling_gbytes_per_s;
  LinkState state = LinkState::unknown;
  std::string why;
  bool on_card = false;
  std::vector<Address> gpus;  ///< the GPUs below it
};

/// The judgement about a GPU's PCI Express AtomicOps.
struct AtomicsJudgement {
  Tri state = Tri::unknown;   ///< the driver's if known, else the path's
  Tri path = Tri::unknown;    ///< our judgement of the chain, by port type
  Tri driver = Tri::unknown;  ///< what the driver decided (KFD link flags, kernel lines)
  Known<bool> requester_enabled;
  std::vector<Address> blocking;  ///< every hop that blocks
  std::string why;
};

/// What lies between a GPU and the root.
struct LinkJudgement {
  Known<double> gbytes_per_s;          ///< slowest link as trained now
  Known<double> ceiling_gbytes_per_s;  ///< the same with each link at the best both its ends can do
  Known<double> card_gbytes_per_s;     ///< what the card's own edge can do
  Known<LinkSpeed> speed;
  Known<std::uint8_t> width;
  Known<Address> at;  ///< upper end of the slowest link, the uppermost of equals
  LinkState state = LinkState::unknown;
  std::string why;
};

struct Gpu {
  Address address;
  Vendor vendor = Vendor::other;
  Known<std::string> name;
  Known<std::uint16_t> vendor_id;
  Known<std::uint16_t> device_id;
  Known<std::string> driver;
  bool integrated = false;
  bool compute = true;  ///< false: only a display (management controller, emulated adapter)
  bool lost = false;
  bool virtual_function = false;
  Known<int> numa_node;
  Known<int> package;
  Known<std::string> slot;
  std::string slot_claim;  ///< where `slot` is only what the firmware claims: by what it was matched, `by bus`
  Known<std::string> power_state;
  Known<std::uint64_t> bar_bytes;   ///< the largest memory BAR
  std::vector<Holder> holders;      ///< processes that use it, of a host that was read itself
  std::vector<Hop> chain;           ///< root first, the GPU last
  bool chain_reaches_root = false;  ///< the first hop is a root port or sits on a root bus
  AtomicsJudgement atomics;
  LinkJudgement link;
};

enum class PairPath : std::uint8_t { same_card, switch_, switches, host_bridge, numa_node, socket, unknown };
[[nodiscard]] std::string_view to_string(PairPath path);

/// What the hardware and the kernel let one expect of direct peer traffic; never "works".
enum class PeerExpectation : std::uint8_t { likely, slower, not_expected, unknown };
[[nodiscard]] std::string_view to_string(PeerExpectation e);

struct Fabric {
  FabricLink::Kind kind = FabricLink::Kind::nvlink;
  Known<unsigned> links;
  Known<double> gbytes_per_s;
};

struct Pair {
  Address a;
  Address b;
  PairPath path = PairPath::unknown;
  Known<Fabric> fabric;  ///< absent: a source that shows fabrics shows none here
  Known<double> ceiling_gbytes_per_s;
  Known<bool> acs_redirect;  ///< request or completion redirect on a downstream-facing port of the path
  PeerExpectation peer = PeerExpectation::unknown;
  std::string peer_why;
};

struct HostSummary {
  SourceKind source = SourceKind::lspci_text;
  bool live = false;
  Known<std::string> label;
  Tri virtualized = Tri::unknown;
  Known<std::string> board;
  Known<std::string> kernel;
  Known<std::string> container;  ///< that the reading was made in; absent: in none
  Known<bool> user_namespace;    ///< root of the reading is not root of the host
  Known<bool> superuser;         ///< the reading was made by user 0, who may still lack capabilities
  Known<std::string> iommu;      ///< `translating`, `passthrough`, `off`
  std::string fingerprint;       ///< of the PCI devices: equal for two readings of one unchanged host
};

/// What the kernel log says about one device, once for each cause.
struct LogFinding {
  std::string cause;      ///< id of the log cause in rules/
  std::string title;      ///< what it means, in short
  Known<Address> device;  ///< unknown where the line names none that is in the input
  std::size_t lines = 0;  ///< how many lines say so
  std::string text;       ///< the first of them
  std::string where;      ///< its `file:line`
};

/// The outcome of analyse: everything that follows from a recording alone.
struct Topology {
  HostSummary host;
  std::vector<Source> sources;
  std::vector<Gpu> gpus;
  std::vector<Link> links;
  std::vector<Pair> pairs;
  std::vector<Fact> facts;
  std::vector<LogFinding> log;
  std::vector<Warning> warnings;
  bool lists_devices = false;
  Known<bool> listing_complete;
  Known<bool> holders_complete;  ///< all processes that use a GPU are known; unknown where nobody has looked
};

/// The GPU at `a`, or null.
[[nodiscard]] const Gpu* find_gpu(const Topology& topology, const Address& a);

}  // namespace gpucoop
