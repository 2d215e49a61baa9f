#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/holder.hpp"
#include "model/host.hpp"
#include "model/installed_library.hpp"
#include "model/pci.hpp"
#include "model/probe.hpp"
#include "model/warning.hpp"

namespace gpucoop {

enum class SourceKind : std::uint8_t {
  live,
  lspci_text,
  lspci_hex,
  lspci_tree,
  recording,
  hwloc_xml,
  nccl_xml,
  kernel_log,
};
/// The word of the report contract: `lspci-text`, `hwloc-xml`, …
[[nodiscard]] std::string_view to_string(SourceKind kind);

struct Source {
  std::string file;  ///< as given by the user; `-` is standard input
  SourceKind kind = SourceKind::lspci_text;
};

/// One kernel-log line that the catalogue of causes knows.
struct LogLine {
  std::string cause;  ///< id of the log cause in rules/
  std::string text;   ///< the line without its timestamp, as read
  Known<Address> device;
  Place place;
};

/// A direct GPU-to-GPU fabric, one direction as stated.
struct FabricLink {
  enum class Kind : std::uint8_t { nvlink, xgmi, xelink };
  Address a;
  Address b;
  Kind kind = Kind::nvlink;
  Known<unsigned> links;       ///< how many links make it up
  Known<double> gbytes_per_s;  ///< one direction, all links together
  Place place;
  bool over_switch = false;  ///< through a fabric switch, whose links to other switches the source may not show
};
[[nodiscard]] std::string_view to_string(FabricLink::Kind kind);

/// A link between two GPUs as the AMD driver lists it (KFD topology, `io_links` and `p2p_links` of a node), in the
/// direction stated. Its flags for atomics say nothing about the launch gate (see PciDevice::driver_atomics).
struct DriverLink {
  enum class Kind : std::uint8_t { pcie, xgmi, other };
  Address from;
  Address to;
  Kind kind = Kind::other;
  Known<unsigned> weight;  ///< XGMI 15 a hop, PCI Express 40 below one processor
  Known<bool> peer_dma;    ///< false: the driver flags the link as one without peer-to-peer DMA
};
[[nodiscard]] std::string_view to_string(DriverLink::Kind kind);

/// Two sources (or two places of one) state different values. The device keeps `kept`, or where it is `open` neither.
struct Disagreement {
  Address device;
  std::string field;  ///< register or attribute, for example `LnkSta width`
  std::string kept;
  std::string other;
  Place kept_place;
  Place other_place;
  bool open = false;  ///< equally good sources, and a gate hangs on it: the device's value is unknown
};

/// What was read, nothing concluded. Live reading and replay fill the same type.
/// Devices are sorted by address and unique.
struct Recording {
  std::vector<Source> sources;
  std::string taken_at;  ///< RFC 3339, UTC: when the host was read. Empty: the source does not say.
  HostReading host;
  std::vector<PciDevice> devices;
  std::vector<FabricLink> fabric;
  std::vector<DriverLink> driver_links;
  std::vector<LogLine> log;
  std::vector<Holder> holders;  ///< of the running host only: a recording file never has them
  /// Every process that uses a GPU is among `holders`. False: some processes could not be looked into. Unknown where
  /// nobody has looked.
  Known<bool> holders_complete;
  /// GPUs whose driver itself lists every process that computes on them, whatever /proc hides, so that nobody but
  /// `holders` does: AMD's, by KFD's list, with next to nothing of their memory in use or asleep.
  std::vector<Address> listed_by_driver;
  /// The collective libraries that the host has, in the order in which they would be loaded. Empty: it has none.
  /// Unknown: nobody has looked for them.
  Known<std::vector<InstalledLibrary>> libraries;
  Measurements measured;  ///< results of probes on this host that were put into the recording
  std::vector<Disagreement> disagreements;
  std::vector<Warning> warnings;
  bool live = false;
  /// Read from a kernel by gpucoop itself: here, from a copy, or for the recording that this comes from.
  bool direct = false;
  /// The input is of a kind that lists PCI devices at all (a kernel log or an hwloc XML without I/O does not).
  bool lists_devices = false;
  /// A source lists every PCI device of the host: true only where it can be seen (a whole tree, a list that
  /// starts at the host bridge and has no gap, live). Unknown for excerpts.
  Known<bool> listing_complete;
};

/// The device at `a`, or null. Valid until the recording changes.
[[nodiscard]] const PciDevice* find_device(const Recording& recording, const Address& a);
[[nodiscard]] PciDevice* find_device(Recording& recording, const Address& a);
/// `file:line`, or `file` where there is no line. "" where there is nothing to look at beside the device that is
/// spoken of: the host itself, and a recording of it, which says the same.
[[nodiscard]] std::string to_string(const Recording& recording, const Place& place);

}  // namespace gpucoop
