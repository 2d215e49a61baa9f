#include <algorithm>
#include <map>

#include "read/tally.hpp"
#include "read/text.hpp"
#include "read/xml/document.hpp"
#include "read/xml/xml.hpp"

namespace gpucoop {
namespace {

/// The largest NVLink domain has 576 GPUs.
constexpr std::size_t kMostSwitched = 1024;

/// What an element hands down to those inside it.
struct Scope {
  Known<int> numa_node;
  std::optional<Address> device;  ///< the innermost `<pci>` around
};

/// `0x030200`: class, sub-class and interface. Shorter texts hold class and sub-class only.
std::optional<std::uint16_t> read_class(std::string_view text) {
  const auto value = parse_hex_number(text);
  if (!value) return std::nullopt;
  if (starts_with(text, "0x")) text.remove_prefix(2);
  return static_cast<std::uint16_t>(text.size() > 4 ? *value >> 8 : *value);
}

bool is_gpu_class(std::uint16_t code) { return (code >> 8) == 0x03 || (code >> 8) == 0x12; }
bool is_bridge_class(std::uint16_t code) { return code == 0x0604; }
/// NVSwitch: PCI bridge, other (0x0680).
bool is_switch_class(std::uint16_t code) { return code == 0x0680; }

/// Links as the GPUs' elements state them, gathered before they are joined.
struct StatedLinks {
  unsigned count = 0;
  Place place;
};

class NcclReader {
 public:
  NcclReader(const std::string& name, const XmlDocument& document) : document_(document) {
    recording_.sources.push_back({name, SourceKind::nccl_xml});
  }

  Recording read() {
    const bool complete = walk_elements(
        document_.root(), Scope{}, [this](pugi::xml_node node, const Scope& scope) { return element(node, scope); });
    if (!complete) warn("input.too-deep", "elements nested too deeply are left out", document_.root());
    join();
    for (auto& [address, device] : devices_) recording_.devices.push_back(std::move(device));
    // The libraries write the GPUs and network cards that one job sees, so that the listing never is complete.
    recording_.lists_devices = true;
    for (Warning& warning : tally_.finish(recording_.sources.front().file)) {
      recording_.warnings.push_back(std::move(warning));
    }
    return std::move(recording_);
  }

 private:
  void warn(const char* code, const char* text, pugi::xml_node node) { tally_.add(code, text, document_.line(node)); }

  std::optional<Scope> element(pugi::xml_node node, const Scope& outer) {
    const std::string_view name = node.name();
    if (name == "cpu") return cpu(node);
    if (name == "pci") return pci(node, outer);
    if (name == "gpu" && outer.device) gpu(node, *outer.device);
    return std::nullopt;
  }

  Scope cpu(pugi::xml_node node) {
    Scope scope;
    // -1 stands for a node that the kernel does not know.
    if (const auto value = parse_decimal(node.attribute("numaid").value()); value && *value < 0x10000) {
      scope.numa_node = static_cast<int>(*value);
    }
    HostReading& host = recording_.host;
    const std::string_view vendor = node.attribute("vendor").value();
    if (!vendor.empty() && vendor.size() <= 24 && !host.cpu_vendor.is_known()) host.cpu_vendor = std::string(vendor);
    const auto family = parse_decimal(node.attribute("familyid").value());
    const auto model = parse_decimal(node.attribute("modelid").value());
    if (family && *family < 0x1000 && !host.cpu_family.is_known()) {
      // Base family in the low and extended family in the high bits (NCCL src/graph/xml.cc): AMD family 19h is 0xaf.
      const auto f = static_cast<unsigned>(*family);
      host.cpu_family = (f & 0xf) == 0xf ? 0xf + (f >> 4) : f & 0xf;
    }
    if (model && *model < 0x1000 && !host.cpu_model.is_known()) host.cpu_model = static_cast<unsigned>(*model);
    return scope;
  }

  std::optional<Scope> pci(pugi::xml_node node, const Scope& outer) {
    const auto address = parse_address(node.attribute("busid").value());
    if (!address) {
      warn("input.damaged", "a PCI element without a readable address is left out", node);
      return Scope{outer.numa_node, std::nullopt};
    }
    PciDevice device;
    device.address = *address;
    device.places.push_back(document_.place(node));
    device.numa_node = outer.numa_node;
    // Only levels between two elements are known to exist or not; what is above the first one is not said.
    if (outer.device) device.stated_parent = *outer.device;
    device.parent_skips_levels = true;
    take_id(node, "vendor", device.vendor_id);
    take_id(node, "device", device.device_id);
    take_id(node, "subsystem_vendor", device.subsystem_vendor_id);
    take_id(node, "subsystem_device", device.subsystem_device_id);
    if (const auto code = read_class(node.attribute("class").value())) {
      device.class_code = *code;
      if (is_bridge_class(*code)) device.header_type = std::uint8_t{1};
    }
    read_link(node, device);
    if (!devices_.emplace(*address, std::move(device)).second) {
      warn("input.duplicate-address", "an address stands twice in this file; the first is kept", node);
      return std::nullopt;
    }
    return Scope{outer.numa_node, address};
  }

  static void take_id(pugi::xml_node node, const char* name, Known<std::uint16_t>& field) {
    const auto value = parse_hex_number(node.attribute(name).value());
    // 0x0000 stands for ids that the library could not read.
    if (value && *value != 0 && *value <= 0xffff) field = static_cast<std::uint16_t>(*value);
  }

  /// Speed and width of the link above the element. The library takes the best that both ends can do, and for
  /// NVIDIA GPUs since 2.30 what the driver says is trained (NCCL src/graph/xml.cc).
  void read_link(pugi::xml_node node, PciDevice& device) {
    PciExpress express;
    const std::string_view speed = trim(node.attribute("link_speed").value());
    std::size_t length = 0;
    if (const auto rate = parse_fixed_prefix(speed, length)) {
      if (const auto known = speed_from_gigatransfers(*rate)) {
        express.speed = *known;
      } else {
        express.speed = Known<LinkSpeed>::unknown(Reason::damaged);
        warn("input.impossible-link", "a link speed or width that cannot be is left out", node);
      }
    }
    const auto width = parse_decimal(node.attribute("link_width").value());
    // 0 and 255 are what sysfs gives for a width that is not known.
    if (width && *width != 0 && *width != 255) {
      if (*width < 64 && is_link_width(static_cast<unsigned>(*width))) {
        express.width = static_cast<std::uint8_t>(*width);
      } else {
        express.width = Known<std::uint8_t>::unknown(Reason::damaged);
        warn("input.impossible-link", "a link speed or width that cannot be is left out", node);
      }
    }
    const bool stated = express.speed.is_known() || express.width.is_known();
    const bool damaged = express.speed.reason() == Reason::damaged || express.width.reason() == Reason::damaged;
    if (stated || damaged) device.express = express;
  }

  void gpu(pugi::xml_node node, const Address& address) {
    PciDevice& device = devices_.at(address);
    // Only RCCL writes the architecture as `gcn`; without it the element is NCCL's. RCCL writes both attributes.
    if (!device.vendor_id.is_known()) {
      if (node.attribute("gcn") || node.child("xgmi")) {
        device.vendor_id = std::uint16_t{0x1002};
      } else if (node.attribute("sm")) {
        device.vendor_id = std::uint16_t{0x10de};
      }
    }
    for (const pugi::xml_node link : node.children()) {
      const std::string_view name = link.name();
      if (name == "nvlink") {
        stated_link(link, address, FabricLink::Kind::nvlink);
      } else if (name == "xgmi") {
        stated_link(link, address, FabricLink::Kind::xgmi);
      }
    }
  }

  void stated_link(pugi::xml_node node, const Address& from, FabricLink::Kind kind) {
    const auto count = parse_decimal(node.attribute("count").value());
    const unsigned links = count && *count <= 64 ? static_cast<unsigned>(*count) : 0;
    const auto target_class = read_class(node.attribute("tclass").value());
    StatedLinks* stated = nullptr;
    if (target_class && is_switch_class(*target_class)) {
      // Inside a guest the switches have no address; the library knows only one of them either way.
      stated = &to_switches_[from];
    } else {
      const auto target = parse_address(node.attribute("target").value());
      if (!target || (target_class && !is_gpu_class(*target_class))) return;
      stated = &direct_[{from, *target, kind}];
    }
    stated->count += links;
    if (stated->place.line == 0) stated->place = document_.place(node);
  }

  void join() {
    for (const auto& [key, stated] : direct_) {
      if (devices_.count(key.to) == 0 || key.from == key.to) continue;
      add_link(key.from, key.to, key.kind, stated, false);
    }
    if (to_switches_.size() > kMostSwitched) {
      warn("input.too-many-gpus", "more GPUs than switches can join; their links are left out", document_.root());
      return;
    }
    for (const auto& [a, of_a] : to_switches_) {
      for (const auto& [b, of_b] : to_switches_) {
        if (a == b || direct_.count({a, b, FabricLink::Kind::nvlink}) != 0) continue;
        add_link(a, b, FabricLink::Kind::nvlink, {std::min(of_a.count, of_b.count), of_a.place}, true);
      }
    }
  }

  void add_link(const Address& a, const Address& b, FabricLink::Kind kind, const StatedLinks& stated,
                bool over_switch) {
    FabricLink link{a, b, kind, {}, {}, stated.place, over_switch};
    if (stated.count != 0) link.links = stated.count;
    recording_.fabric.push_back(link);
  }

  struct Direction {
    Address from;
    Address to;
    FabricLink::Kind kind;
    friend auto operator<=>(const Direction&, const Direction&) = default;
  };

  const XmlDocument& document_;
  Recording recording_;
  Tally tally_;
  std::map<Address, PciDevice> devices_;
  std::map<Direction, StatedLinks> direct_;
  std::map<Address, StatedLinks> to_switches_;
};

}  // namespace

Result<Recording> read_nccl_xml(const std::string& name, std::string_view bytes) {
  const auto document = XmlDocument::parse(name, bytes);
  if (!document) return document.error();
  const pugi::xml_node root = document.value().root();
  if (std::string_view(root.name()) == "graphs") {
    return Error{ExitCode::bad_input, "a file of communication graphs, which say nothing about the machine",
                 document.value().where(root), "save the topology with NCCL_TOPO_DUMP_FILE"};
  }
  if (std::string_view(root.name()) != "system") {
    return Error{ExitCode::bad_input, "an XML file whose first element is no NCCL or RCCL topology",
                 document.value().where(root), "save one with NCCL_TOPO_DUMP_FILE"};
  }
  return NcclReader(name, document.value()).read();
}

}  // namespace gpucoop
