#include <algorithm>
#include <map>
#include <unordered_map>

#include "read/host/host_line.hpp"
#include "read/tally.hpp"
#include "read/text.hpp"
#include "read/xml/document.hpp"
#include "read/xml/hwloc_fabric.hpp"
#include "read/xml/xml.hpp"

namespace gpucoop {
namespace {

/// What an object hands down to those inside it.
struct Scope {
  Known<int> numa_node;
  Known<int> package;
  Known<Address> parent;  ///< absent directly below a host bridge
  Known<std::uint8_t> root_bus;
  std::optional<Address> device;  ///< the PCI function around OS devices
};

/// The only bit of an hwloc bitmap (`0x00000303,,0x1`: words of 32 bits, the highest first); nullopt where there is
/// another number of bits.
std::optional<int> only_bit(std::string_view bitmap) {
  if (bitmap.empty() || bitmap.size() > 4096) return std::nullopt;
  const auto words = static_cast<int>(std::count(bitmap.begin(), bitmap.end(), ',')) + 1;
  std::optional<int> bit;
  for (int word = words - 1; word >= 0; --word) {
    const std::string_view text = next_part(bitmap, ',');
    if (text.empty()) continue;
    const auto value = parse_hex_number(text);
    if (!value) return std::nullopt;
    for (int i = 0; i < 32; ++i) {
      if (((*value >> i) & 1U) == 0) continue;
      if (bit) return std::nullopt;
      bit = word * 32 + i;
    }
  }
  return bit;
}

/// `0604 [8086:2030] [8086:0000] 04 00`: class, ids, subsystem ids, revision; version 3 adds the interface.
void read_pci_type(std::string_view text, PciDevice& device) {
  if (const auto value = parse_hex(text, 0, 4)) device.class_code = static_cast<std::uint16_t>(*value);
  const auto pair = [&](Known<std::uint16_t>& vendor, Known<std::uint16_t>& id) {
    const std::size_t at = text.find('[');
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + 1);
    const auto v = parse_hex(text, 0, 4);
    const auto d = parse_hex(text, 5, 4);
    if (!v || !d || text.substr(4, 1) != ":") return;
    vendor = static_cast<std::uint16_t>(*v);
    id = static_cast<std::uint16_t>(*d);
  };
  pair(device.vendor_id, device.device_id);
  pair(device.subsystem_vendor_id, device.subsystem_device_id);
  const std::size_t end = text.find("] ");
  if (end == std::string_view::npos) return;
  if (const auto value = parse_hex(text, end + 2, 2)) device.revision = static_cast<std::uint8_t>(*value);
}

struct BridgeBuses {
  std::uint32_t domain = 0;
  std::uint8_t secondary = 0;
  std::uint8_t subordinate = 0;
};

/// `0000:[2b-3b]`
std::optional<BridgeBuses> read_bridge_buses(std::string_view text) {
  const std::size_t colon = text.find(":[");
  if (colon == std::string_view::npos || text.size() != colon + 8 || text[colon + 4] != '-' || text.back() != ']') {
    return std::nullopt;
  }
  const auto domain = parse_hex_number(text.substr(0, colon));
  const auto first = parse_hex(text, colon + 2, 2);
  const auto last = parse_hex(text, colon + 5, 2);
  if (!domain || !first || !last) return std::nullopt;
  return BridgeBuses{*domain, static_cast<std::uint8_t>(*first), static_cast<std::uint8_t>(*last)};
}

class HwlocReader {
 public:
  HwlocReader(const std::string& name, const XmlDocument& document) : document_(document) {
    recording_.sources.push_back({name, SourceKind::hwloc_xml});
  }

  Recording read() {
    read_infos(document_.root(), nullptr);
    const bool complete = walk_elements(document_.root(), Scope{}, [this](pugi::xml_node node, const Scope& scope) {
      return std::string_view(node.name()) == "object" ? object(node, scope) : std::nullopt;
    });
    if (!complete) warn("input.too-deep", "objects nested too deeply are left out", document_.root());
    for (auto& [address, device] : devices_) recording_.devices.push_back(std::move(device));
    read_hwloc_fabric(
        document_,
        [this](const HwlocObject& o) -> std::optional<Address> {
          const auto found = objects_.find(key(o.type, o.index, o.os_index));
          if (found == objects_.end()) return std::nullopt;
          return found->second;
        },
        recording_);
    recording_.lists_devices = saw_io_;
    // hwloc keeps only the device classes that it finds important unless it was asked for all I/O objects. Host
    // bridges (class 0600) are never among those, so that one of them shows that nothing was left out.
    if (saw_host_bridge_device_) recording_.listing_complete = true;
    for (Warning& warning : tally_.finish(recording_.sources.front().file)) {
      recording_.warnings.push_back(std::move(warning));
    }
    return std::move(recording_);
  }

 private:
  static std::string key(std::string_view type, std::string_view index, bool os_index) {
    std::string result(type);
    result += os_index ? '#' : ':';
    result += index;
    return result;
  }

  void warn(const char* code, const char* text, pugi::xml_node node) { tally_.add(code, text, document_.line(node)); }

  /// `device`: the PCI function that the information is about, or null: the host.
  void read_infos(pugi::xml_node node, PciDevice* device) {
    std::string vendor;
    std::string model;
    std::string board_vendor;
    std::string board;
    for (const pugi::xml_node info : node.children("info")) {
      const std::string_view name = info.attribute("name").value();
      const std::string_view value = std::string_view(info.attribute("value").value()).substr(0, 200);
      if (value.empty()) continue;
      if (device != nullptr) {
        if (name == "PCIVendor") vendor = value;
        if (name == "PCIDevice") model = value;
        if (name == "PCISlot") device->physical_slot = std::string(value);
        continue;
      }
      HostReading& host = recording_.host;
      if (name == "OSRelease") {
        host.kernel = std::string(value);
      } else if (name == "DMIBoardVendor") {
        board_vendor = value;
      } else if (name == "DMIBoardName") {
        board = value;
      } else if (name == "CPUVendor") {
        host.cpu_vendor = std::string(value);
      } else if (name == "CPUFamilyNumber") {
        take_number(value, host.cpu_family);
      } else if (name == "CPUModelNumber") {
        take_number(value, host.cpu_model);
      }
      if ((name == "DMISysVendor" || name == "DMIProductName") && names_virtual_machine(value)) host.hypervisor = true;
    }
    if (!board.empty()) {
      const bool repeated = board_vendor.empty() || starts_with(board, board_vendor);
      recording_.host.board = repeated ? board : board_vendor + ' ' + board;
    }
    if (device != nullptr && !model.empty()) device->name = vendor.empty() ? model : vendor + ' ' + model;
  }

  static void take_number(std::string_view text, Known<unsigned>& field) {
    if (const auto value = parse_decimal(text); value && *value < 0x10000) field = static_cast<unsigned>(*value);
  }

  std::optional<Scope> object(pugi::xml_node node, const Scope& outer) {
    const std::string_view type = node.attribute("type").value();
    if (type == "Bridge") return bridge(node, outer);
    if (type == "PCIDev") return pci_device(node, outer);
    if (type == "OSDev") {
      if (outer.device) remember(node, type, *outer.device);
      return outer;
    }
    Scope scope = outer;
    // Memory objects are siblings of the I/O objects since version 2, parents of them in version 1; the node set is
    // right for both. Several nodes near one device (HBM beside DDR) leave its node open.
    if (const auto attribute = node.attribute("nodeset")) {
      const auto only = only_bit(attribute.value());
      scope.numa_node = only ? Known<int>(*only) : Known<int>::unknown(Reason::not_derivable);
    }
    if (type == "Package" || type == "Socket") {
      if (const auto index = parse_decimal(node.attribute("os_index").value()); index && *index < 0x10000) {
        scope.package = static_cast<int>(*index);
      }
    }
    if (type == "Machine" || type == "Package" || type == "Socket") read_infos(node, nullptr);
    return scope;
  }

  std::optional<Scope> bridge(pugi::xml_node node, const Scope& outer) {
    saw_io_ = true;
    Scope scope = outer;
    scope.device.reset();
    const auto buses = read_bridge_buses(node.attribute("bridge_pci").value());
    const std::string_view kind = node.attribute("bridge_type").value();
    if (starts_with(kind, "0-")) {
      scope.parent = Known<Address>::absent();
      scope.root_bus = buses ? Known<std::uint8_t>(buses->secondary) : Known<std::uint8_t>();
      return scope;
    }
    const auto address = add(node, outer, [&](PciDevice& device) {
      device.header_type = std::uint8_t{1};
      if (buses) device.buses = BusNumbers{device.address.bus, buses->secondary, buses->subordinate};
    });
    scope.parent = address ? Known<Address>(*address) : Known<Address>();
    return scope;
  }

  std::optional<Scope> pci_device(pugi::xml_node node, const Scope& outer) {
    saw_io_ = true;
    Scope scope = outer;
    scope.device = add(node, outer, [](PciDevice& device) {
      device.header_type = std::uint8_t{0};
      device.buses = Known<BusNumbers>::absent();
    });
    if (scope.device) remember(node, "PCIDev", *scope.device);
    scope.parent = {};
    return scope;
  }

  void remember(pugi::xml_node node, std::string_view type, const Address& address) {
    const std::string_view gp = node.attribute("gp_index").value();
    const std::string_view os = node.attribute("os_index").value();
    if (!gp.empty()) objects_.emplace(key(type, gp, false), address);
    if (!os.empty()) objects_.emplace(key(type, os, true), address);
  }

  template <class Fill>
  std::optional<Address> add(pugi::xml_node node, const Scope& outer, Fill fill) {
    const std::string_view busid = node.attribute("pci_busid").value();
    const auto address = parse_address(busid);
    if (!address) {
      warn("input.damaged", "a PCI object without a readable address is left out", node);
      return std::nullopt;
    }
    PciDevice device;
    device.address = *address;
    device.places.push_back(document_.place(node));
    device.stated_parent = outer.parent;
    device.stated_root_bus = outer.root_bus;
    device.numa_node = outer.numa_node;
    device.package = outer.package;
    read_pci_type(node.attribute("pci_type").value(), device);
    if (device.class_code.is(0x0600)) saw_host_bridge_device_ = true;
    read_infos(node, &device);
    if (!device.name.is_known() && *node.attribute("name").value() != '\0') {
      device.name = std::string(std::string_view(node.attribute("name").value()).substr(0, 200));
    }
    read_rate(node, device);
    fill(device);
    if (!devices_.emplace(*address, std::move(device)).second) {
      warn("input.duplicate-address", "an address stands twice in this file; the first is kept", node);
      return std::nullopt;
    }
    return address;
  }

  void read_rate(pugi::xml_node node, PciDevice& device) {
    const std::string_view text = node.attribute("pci_link_speed").value();
    if (text.empty()) return;
    std::size_t length = 0;
    const auto rate = parse_fixed_prefix(text, length);
    // x32 at 128 GT/s is 484 GB/s.
    if (!rate || length != text.size() || *rate > 500) {
      device.stated_link_gbytes_per_s = Known<double>::unknown(Reason::damaged);
      warn("input.impossible-link", "a link rate that cannot be is left out", node);
      return;
    }
    if (*rate > 0) device.stated_link_gbytes_per_s = *rate;
  }

  const XmlDocument& document_;
  Recording recording_;
  Tally tally_;
  std::map<Address, PciDevice> devices_;
  std::unordered_map<std::string, Address> objects_;
  bool saw_io_ = false;
  bool saw_host_bridge_device_ = false;
};

}  // namespace

Result<Recording> read_hwloc_xml(const std::string& name, std::string_view bytes) {
  const auto document = XmlDocument::parse(name, bytes);
  if (!document) return document.error();
  if (std::string_view(document.value().root().name()) != "topology") {
    return Error{ExitCode::bad_input, "an XML file whose first element is no hwloc topology",
                 document.value().where(document.value().root()), "save one with `lstopo --whole-io host.xml`"};
  }
  return HwlocReader(name, document.value()).read();
}

}  // namespace gpucoop
