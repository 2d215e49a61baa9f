#include "read/live/device.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "read/config/decode.hpp"
#include "read/live/config_file.hpp"
#include "read/live/device_path.hpp"
#include "read/live/device_values.hpp"
#include "read/text.hpp"

namespace gpucoop {
namespace {

template <class T>
Known<T> hex(const Folder& folder, const char* name, std::size_t digits, unsigned shift = 0) {
  return converted<T>(folder.text(name), [&](const std::string& text) {
    const auto value = parse_hex_attribute(text, digits);
    return value ? Known<T>(static_cast<T>(*value >> shift)) : Known<T>::unknown(Reason::damaged);
  });
}

void set_asleep(PciDevice& device) {
  constexpr auto kWhy = Reason::asleep;
  device.header_type = Known<std::uint8_t>::unknown(kWhy);
  device.buses = Known<BusNumbers>::unknown(kWhy);
  device.express = Known<PciExpress>::unknown(kWhy);
  device.acs = Known<Acs>::unknown(kWhy);
  device.aer = Known<AerStatus>::unknown(kWhy);
  device.sriov = Known<SrIov>::unknown(kWhy);
  device.ari_next_function = Known<std::uint8_t>::unknown(kWhy);
}

/// Fills what configuration space did not give: it lacks the ids of virtual functions, and everything of a sleeper.
void fill_identity(const Folder& folder, PciDevice& device) {
  const auto fill16 = [&](Known<std::uint16_t>& to, const char* name) {
    if (to.is_unknown()) to = hex<std::uint16_t>(folder, name, 4);
  };
  fill16(device.vendor_id, "vendor");
  fill16(device.device_id, "device");
  fill16(device.subsystem_vendor_id, "subsystem_vendor");
  fill16(device.subsystem_device_id, "subsystem_device");
  if (device.class_code.is_unknown()) device.class_code = read_class(folder);
  if (device.revision.is_unknown()) device.revision = hex<std::uint8_t>(folder, "revision", 2);
  if (device.subsystem_vendor_id.is(0) && device.subsystem_device_id.is(0)) {
    device.subsystem_vendor_id = Known<std::uint16_t>::absent();
    device.subsystem_device_id = Known<std::uint16_t>::absent();
  }
}

/// The kernel shows these attributes for PCI Express functions only, and Link Status of those without a link as 0.
void fill_link(const Folder& folder, PciDevice& device) {
  if (!device.express.is_unknown() || device.lost) return;
  const auto speed = [&](const char* name) { return converted<LinkSpeed>(folder.text(name), parse_speed_attribute); };
  const auto width = [&](const char* name) {
    return converted<std::uint8_t>(folder.text(name), parse_width_attribute);
  };
  auto express = PciExpress::unknown(device.express.reason());
  const auto known_or = [](auto& to, auto value) {
    if (value.is_known()) to = value;
  };
  known_or(express.max_speed, speed("max_link_speed"));
  // Unlike a link's own width, which is 0 while it is down, a capability of 0 lanes is none.
  if (const auto lanes = width("max_link_width"); !lanes.is(0)) known_or(express.max_width, lanes);
  known_or(express.speed, speed("current_link_speed"));
  known_or(express.width, width("current_link_width"));
  if (express.max_speed.is_known() || express.max_width.is_known() || express.speed.is_known() ||
      express.width.value_or(0) != 0) {
    device.express = express;
  }
}

/// `resourceN_resize` holds the sizes that Resizable BAR N can have, bit 0 for 1 MiB, and everyone may read it.
void fill_resizable(const Folder& folder, PciDevice& device) {
  if (!device.resizable_bars.empty() || !is_display_or_accelerator(device)) return;
  for (const auto& bar : device.bars) {
    if (!bar.memory.is(true)) continue;
    const auto sizes = hex<std::uint64_t>(folder, ("resource" + std::to_string(bar.index) + "_resize").c_str(), 16);
    if (!sizes.is_known()) continue;
    ResizableBar resizable;
    resizable.index = bar.index;
    resizable.size = bar.size;
    constexpr unsigned kMegabyte = 20;
    for (unsigned code = 0; code + kMegabyte < 64; ++code) {
      if ((sizes.value() >> code & 1U) != 0) resizable.supported.push_back(std::uint64_t{1} << (code + kMegabyte));
    }
    device.resizable_bars.push_back(std::move(resizable));
  }
}

/// The kernel's list of resources says more than registers that were not read.
void drop_unread(std::vector<Bar>& bars) {
  bars.erase(std::remove_if(bars.begin(), bars.end(), [](const Bar& bar) { return bar.memory.is_unknown(); }),
             bars.end());
}

/// Bridges, what may be a GPU, and what has no class or none that can be read.
bool may_stand_on_a_way(const Known<std::uint16_t>& class_code) {
  constexpr unsigned kOld = 0x00;
  constexpr unsigned kBridge = 0x06;
  constexpr unsigned kUnassigned = 0xff;
  const unsigned base = class_code.value_or(0) >> 8U;
  return base == kOld || base == kBridge || base == kUnassigned || is_display_or_accelerator(class_code);
}

template <class T>
Known<T> number(const Known<std::string>& text) {
  return converted<T>(text, [](const std::string& s) {
    const auto value = parse_decimal(s);
    constexpr std::uint64_t kMost = 1U << 24;
    return value && *value <= kMost ? Known<T>(static_cast<T>(*value)) : Known<T>::unknown(Reason::damaged);
  });
}

void read_surroundings(const Folder& folder, PciDevice& device) {
  device.driver = folder.link_name("driver");
  const auto node = folder.text("numa_node");
  device.numa_node = node.is("-1") ? Known<int>() : number<int>(node);
  const auto group = folder.link_name("iommu_group");
  device.iommu_group = group.is_absent() ? Known<std::uint32_t>::absent() : number<std::uint32_t>(group);
  const auto physical = folder.link_name("physfn");
  device.physical_function = Known<Address>::absent();
  if (!physical.is_absent()) {
    const auto address = parse_address(physical.value_or(""));
    device.physical_function = address ? Known<Address>(*address) : Known<Address>::unknown(Reason::damaged);
  }
  if (const auto label = folder.text("label"); label.is_known()) device.slot_label = label;
  if (const auto path = folder.folder("firmware_node").text("path"); path.is_known()) device.acpi_path = path;
}

/// The line `TOTAL_ERR_COR 3` of one of the files that drivers/pci/pcie/aer.c keeps. Absent: no such file.
Known<std::uint64_t> total_of(const Folder& folder, const char* file, std::string_view line) {
  return folder.text(file).and_then([&](std::string_view text) {
    const auto at = text.rfind(line);
    const auto number =
        at == std::string_view::npos ? std::nullopt : parse_decimal(trim(text.substr(at + line.size())));
    return number ? Known<std::uint64_t>(*number) : Known<std::uint64_t>::unknown(Reason::damaged);
  });
}

void read_error_counters(const Folder& folder, PciDevice& device) {
  AerCounters counters;
  counters.correctable = total_of(folder, "aer_dev_correctable", "TOTAL_ERR_COR");
  device.aer_counters = Known<AerCounters>::absent();
  if (counters.correctable.is_absent()) return;
  counters.non_fatal = total_of(folder, "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL");
  counters.fatal = total_of(folder, "aer_dev_fatal", "TOTAL_ERR_FATAL");
  device.aer_counters = counters;
}

}  // namespace

bool is_asleep(const Known<std::string>& runtime_status, const Known<std::string>& power_state) {
  return runtime_status.is("suspended") || runtime_status.is("suspending") || power_state.is("D3hot") ||
         power_state.is("D3cold");
}

bool any_display_or_accelerator(const std::vector<PciDevice>& devices) {
  return std::any_of(devices.begin(), devices.end(),
                     [](const PciDevice& device) { return is_display_or_accelerator(device); });
}

Known<std::uint16_t> read_class(const Folder& folder) { return hex<std::uint16_t>(folder, "class", 6, 8); }

bool is_display_or_accelerator(const Known<std::uint16_t>& class_code) {
  const unsigned base = class_code.value_or(0) >> 8U;
  return base == 0x03 || base == 0x12;
}

bool is_display_or_accelerator(const PciDevice& device) { return is_display_or_accelerator(device.class_code); }

PciDevice read_device(const Folder& folder, const Address& address) {
  PciDevice device;
  device.address = address;
  const auto runtime_status = folder.text("power/runtime_status");
  const auto power_state = folder.text("power_state");
  const auto resources = folder.text("resource");
  const bool asleep = is_asleep(runtime_status, power_state);
  const auto class_code = read_class(folder);
  const bool wanted = may_stand_on_a_way(class_code);
  if (!wanted) {
    device.class_code = class_code;
  } else if (asleep) {
    set_asleep(device);
  } else {
    ConfigSpace space(Reason::no_root);
    const auto file = folder.file("config");
    read_config_file(file, {file && !is_kernel_made(file), !resources.is_known()}, space);
    decode_config(space, device);
    if (resources.is_known()) drop_unread(device.bars);
  }
  // What has fallen off the bus keeps its identity in the kernel's memory.
  fill_identity(folder, device);
  if (wanted && !asleep) fill_link(folder, device);
  take_resources(resources.value_or(""), device.bars);
  if (!asleep) fill_resizable(folder, device);
  const bool remembered = power_state.is_known() && !power_state.is("unknown") && !power_state.is("error");
  if (remembered) device.power_state = power_state;
  if (asleep && !remembered) device.power_state = Known<std::string>::unknown(Reason::asleep);
  if (runtime_status.is_known()) device.runtime_status = runtime_status;
  read_surroundings(folder, device);
  read_error_counters(folder, device);
  return device;
}

}  // namespace gpucoop
