#include "read/lspci/device_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "read/config/decode.hpp"
#include "read/overlay.hpp"
#include "read/text.hpp"

namespace gpucoop {
namespace {

constexpr std::array<std::string_view, 24> kDeviceLabels{"!!! Unknown header type",
                                                         "BIST",
                                                         "BridgeCtl:",
                                                         "Bus:",
                                                         "Capabilities:",
                                                         "Device tree node:",
                                                         "DeviceName:",
                                                         "Expansion ROM at",
                                                         "I/O behind bridge:",
                                                         "I/O ports at",
                                                         "IOMMU group:",
                                                         "Interrupt:",
                                                         "Kernel driver in use:",
                                                         "Kernel modules:",
                                                         "Latency:",
                                                         "Memory at",
                                                         "Memory behind bridge:",
                                                         "NUMA node:",
                                                         "Physical Slot:",
                                                         "Prefetchable memory behind bridge:",
                                                         "Region ",
                                                         "Secondary status:",
                                                         "Subsystem:",
                                                         "Memory window"};
// Labels that some capabilities use as well.
constexpr std::array<std::string_view, 3> kEarlyLabels{"Control:", "Flags:", "Status:"};

/// What follows `label` in `text`; nullopt where it does not begin with it.
std::optional<std::string_view> after(std::string_view text, std::string_view label) {
  if (!starts_with(text, label)) return std::nullopt;
  return trim(text.substr(label.size()));
}

/// The decimal number after `key` anywhere in `text`.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t length = 0;
  return parse_decimal_prefix(trim(text.substr(at + key.size())), length);
}

std::string without_control(std::string_view s) {
  constexpr std::size_t kMost = 256;
  return std::string(s.substr(0, kMost));
}

/// `f0000000-f02fffff [size=3M]`; a closed window reads `None`, `[disabled]` or has its limit below its base.
bool is_open_window(std::string_view text) {
  if (text.find("[disabled]") != std::string_view::npos) return false;
  const auto base = text.substr(0, text.find('-'));
  if (base.empty() || text.size() < 2 * base.size() + 1) return false;
  const auto limit = text.substr(base.size() + 1, base.size());
  const auto is_hex = [](char c) { return hex_value(c) >= 0; };
  // Of one length and lower case, so that they compare as numbers do.
  return std::all_of(base.begin(), base.end(), is_hex) && std::all_of(limit.begin(), limit.end(), is_hex) &&
         base < limit;
}

bool is_zero_address(std::string_view s) {
  std::size_t digits = 0;
  while (digits < s.size() && hex_value(s[digits]) >= 0) {
    if (s[digits] != '0') return false;
    ++digits;
  }
  return digits != 0;
}

}  // namespace

void DeviceText::begin(const Address& address, std::string_view rest, std::uint32_t line) {
  device_ = PciDevice{};
  device_.address = address;
  device_.places.push_back(Place{0, line});
  registers_.begin(device_, *tally_);
  if (evidence_.hex) space_.clear();
  first_row_ = 0;
  evidence_ = DeviceEvidence{};
  open_ = Open::nothing;
  bus_fields_ = 0;
  next_bar_ = 0;
  no_capabilities_ = false;
  revision_ff_ = !rest.empty() && read_header_rest(rest, device_);
}

bool DeviceText::is_device_line(std::string_view text, bool first) const {
  if (text.empty()) return false;
  for (const auto label : kDeviceLabels) {
    if (label.front() == text.front() && starts_with(text, label)) return true;
  }
  if (!first && registers_.current() != Capability::none) return false;
  for (const auto label : kEarlyLabels) {
    if (starts_with(text, label)) return true;
  }
  return false;
}

void DeviceText::device_line(std::string_view text, std::uint32_t line, bool cut) {
  evidence_.text = true;
  open_ = Open::nothing;
  if (const auto v = after(text, "Capabilities:")) return capabilities(*v, line);
  // The virtual functions' own regions are listed inside the SR-IOV capability.
  const bool inside = registers_.current() == Capability::sriov;
  if (starts_with(text, "Region ") && text.size() > 8 && text[8] == ':') {
    if (!inside && text[7] >= '0' && text[7] <= '5') {
      region(trim(text.substr(9)), static_cast<std::uint8_t>(text[7] - '0'));
    }
  } else if (starts_with(text, "Memory at") || starts_with(text, "I/O ports at")) {
    if (!inside && next_bar_ < 6) region(text, next_bar_);
  } else if (const auto name = after(text, "Subsystem:")) {
    subsystem(*name);
    open_ = Open::subsystem;
  } else if (const auto driver = after(text, "Kernel driver in use:")) {
    evidence_.driver = true;
    if (!driver->empty() && !cut) device_.driver = without_control(*driver);
    if (cut) device_.driver = Known<std::string>::unknown(Reason::truncated);
  } else if (const auto list = after(text, "Kernel modules:")) {
    evidence_.driver = evidence_.modules = true;
    modules(*list);
    open_ = Open::modules;
  } else if (const auto numbers = after(text, "Bus:")) {
    bus(*numbers);
    open_ = Open::bus;
  } else if (const auto range = after(text, "Memory behind bridge:")) {
    evidence_.window = evidence_.window || is_open_window(*range);
  } else if (const auto more = after(text, "Prefetchable memory behind bridge:")) {
    evidence_.window = evidence_.window || is_open_window(*more);
  } else if (const auto slot = after(text, "Physical Slot:")) {
    if (!slot->empty()) device_.physical_slot = without_control(*slot);
  } else if (const auto label = after(text, "DeviceName:")) {
    if (!label->empty()) device_.slot_label = without_control(*label);
  } else if (const auto node = number_after(text, "NUMA node:"); node && *node < 65536) {
    device_.numa_node = static_cast<int>(*node);
  } else if (const auto group = number_after(text, "IOMMU group:"); group && *group < 0x1000000) {
    device_.iommu_group = static_cast<std::uint32_t>(*group);
  } else if (starts_with(text, "!!! Unknown header type 7f")) {
    device_.lost = true;
  } else if (const auto words = after(text, "Flags:")) {
    evidence_.verbose = true;
    flags(*words);
    open_ = Open::flags;
  } else if (starts_with(text, "Control:")) {
    evidence_.verbose = true;
  } else if (starts_with(text, "Status: Cap-")) {
    no_capabilities_ = true;
  }
}

void DeviceText::other_line(std::string_view text, std::uint32_t line, bool cut) {
  switch (open_) {
    case Open::subsystem:
      if (!device_.subsystem_vendor_id.is_known()) subsystem(text);
      open_ = Open::nothing;
      return;
    case Open::modules: modules(text); return;
    case Open::bus: bus(text); return;
    case Open::bar: bar_words(text); return;
    case Open::flags: flags(text); return;
    case Open::denied:
      if (starts_with(text, "denied>")) device_.access_denied = true;
      open_ = Open::nothing;
      return;
    case Open::nothing: break;
  }
  evidence_.text = true;
  registers_.words(text, line, cut);
}

void DeviceText::row(const HexRow& row, std::uint32_t line) {
  evidence_.hex = true;
  open_ = Open::nothing;
  if (first_row_ == 0) first_row_ = line;
  switch (row.state) {
    case HexRow::State::repaired:
      tally_->add("input.repaired-row", "bytes of a configuration-space row that were glued or torn are put right",
                  line);
      break;
    case HexRow::State::damaged:
      tally_->add("input.damaged", "a configuration-space row has bytes that cannot be placed; they are left out",
                  line);
      break;
    case HexRow::State::bad_offset:
      tally_->add("input.damaged", "a configuration-space row has an impossible offset; it is left out", line);
      break;
    case HexRow::State::whole:
    case HexRow::State::short_: break;
  }
  space_.add(row);
}

void DeviceText::subsystem(std::string_view text) {
  if (const auto ids = last_ids(text)) {
    device_.subsystem_vendor_id = ids->vendor;
    device_.subsystem_device_id = ids->device;
    text = trim(text.substr(0, ids->begin));
  } else if (text.size() == 9 && text[4] == ':') {
    const auto vendor = parse_hex(text, 0, 4);
    const auto id = parse_hex(text, 5, 4);
    if (vendor && id) {
      device_.subsystem_vendor_id = static_cast<std::uint16_t>(*vendor);
      device_.subsystem_device_id = static_cast<std::uint16_t>(*id);
      return;
    }
  }
  if (text.empty()) return;
  auto name = device_.subsystem_name.value_or("");
  if (!name.empty()) name += ' ';
  device_.subsystem_name = name + without_control(text);
}

void DeviceText::modules(std::string_view text) {
  constexpr std::size_t kMost = 16;
  std::size_t pos = 0;
  while (pos < text.size() && device_.modules.size() < kMost) {
    auto comma = text.find(',', pos);
    if (comma == std::string_view::npos) comma = text.size();
    const auto name = trim(text.substr(pos, comma - pos));
    if (name.find(' ') != std::string_view::npos) {
      open_ = Open::nothing;  // a sentence, no module
      return;
    }
    if (!name.empty()) device_.modules.push_back(without_control(name));
    pos = comma + 1;
  }
  open_ = !text.empty() && text.back() == ',' ? Open::modules : Open::nothing;
}

void DeviceText::bus(std::string_view text) {
  const auto take = [&](std::string_view key, std::uint8_t& field, unsigned mask) {
    const auto at = text.find(key);
    if (at == std::string_view::npos) return;
    if (const auto value = parse_hex(text, at + key.size(), 2)) {
      field = static_cast<std::uint8_t>(*value);
      bus_fields_ |= mask;
    }
  };
  take("primary=", buses_.primary, 1);
  take("secondary=", buses_.secondary, 2);
  take("subordinate=", buses_.subordinate, 4);
  if (bus_fields_ == 7) {
    device_.buses = buses_;
    device_.header_type = std::uint8_t{1};
    open_ = Open::nothing;
  }
}

void DeviceText::flags(std::string_view text) {
  if (const auto node = number_after(text, "NUMA node "); node && *node < 65536) {
    device_.numa_node = static_cast<int>(*node);
  }
  if (const auto group = number_after(text, "IOMMU group "); group && *group < 0x1000000) {
    device_.iommu_group = static_cast<std::uint32_t>(*group);
  }
}

void DeviceText::region(std::string_view text, std::uint8_t index) {
  for (const auto& bar : device_.bars) {
    if (bar.index == index) return;
  }
  Bar bar;
  bar.index = index;
  std::string_view at;
  if (const auto memory = text.find("Memory at"); memory != std::string_view::npos) {
    bar.memory = true;
    at = trim(text.substr(memory + 9));
  } else if (const auto io = text.find("I/O ports at"); io != std::string_view::npos) {
    bar.memory = false;
    bar.prefetchable = false;
    bar.is64bit = false;
    at = trim(text.substr(io + 12));
  }
  if (at.empty()) return;
  bar.assigned = !(at.front() == '<' || is_zero_address(at));
  device_.bars.push_back(bar);
  bar_words(text);
  open_ = device_.bars.back().size.is_known() ? Open::nothing : Open::bar;
  next_bar_ = static_cast<std::uint8_t>(index + (device_.bars.back().is64bit.is(true) ? 2 : 1));
}

void DeviceText::bar_words(std::string_view text) {
  auto& bar = device_.bars.back();
  const auto has = [&](std::string_view s) { return text.find(s) != std::string_view::npos; };
  if (has("64-bit")) bar.is64bit = true;
  if (has("32-bit") || has("low-1M")) bar.is64bit = false;
  if (has("non-prefetchable"))
    bar.prefetchable = false;
  else if (has("prefetchable"))
    bar.prefetchable = true;
  if (const auto at = text.find("[size="); at != std::string_view::npos) {
    const auto value = text.substr(at + 6);
    if (const auto close = value.find(']'); close != std::string_view::npos) {
      if (const auto size = parse_size(value.substr(0, close))) bar.size = *size;
    }
    open_ = Open::nothing;
  }
}

void DeviceText::capabilities(std::string_view text, std::uint32_t line) {
  if (starts_with(text, "<access")) {
    if (text.find("denied") != std::string_view::npos)
      device_.access_denied = true;
    else
      open_ = Open::denied;
    tally_->add("input.access-denied",
                "capabilities were not readable: take the list as root, `sudo lspci -D -nnvvvxxxx`", line);
    return;
  }
  registers_.capability(text, line);
}

/// Says where rows are missing between others, or at the end.
void DeviceText::warn_of_gaps() {
  bool gap = false;
  for (std::size_t at = 0; at < space_.extent() && !gap; at += ConfigSpace::kRow) {
    gap = !space_.has(at, 1) && space_.why_missing(at, 1) == Reason::not_in_input;
  }
  if (gap) {
    tally_->add("input.hex-gap", "rows of a configuration-space dump are missing; what they hold is not known from it",
                first_row_);
  }
  switch (space_.extent()) {
    case 64:    // lspci -x, or -xxx without root
    case 128:   // the same of a CardBus bridge
    case 256:   // -xxx
    case 4096:  // -xxxx
      break;
    default: tally_->add("input.truncated", "a configuration-space dump ends in the middle", first_row_);
  }
}

void DeviceText::take_hex(std::vector<Disagreement>& disagreements) {
  warn_of_gaps();
  PciDevice decoded;
  decoded.address = device_.address;
  decode_config(space_, decoded);
  decoded.places.push_back(Place{0, first_row_});
  overlay(decoded, std::move(device_), &disagreements);
  device_ = std::move(decoded);
  // The device line is where a reader looks first.
  std::reverse(device_.places.begin(), device_.places.end());
}

PciDevice DeviceText::finish(bool cut, std::vector<Disagreement>& disagreements, DeviceEvidence& evidence) {
  evidence_.cut = cut;
  evidence_.links = registers_.any_register();
  // All ones, unless the device has answered after all.
  if (revision_ff_ && !registers_.any_capability() && !evidence_.hex) device_.lost = true;
  registers_.end(cut, no_capabilities_);
  const bool known_endpoint = evidence_.verbose && !cut && !device_.lost && !device_.buses.is_known() &&
                              !(device_.class_code.is_known() && (device_.class_code.value() >> 8) == 0x06);
  if (known_endpoint) {
    device_.header_type = std::uint8_t{0};
    device_.buses = Known<BusNumbers>::absent();
  }
  if (evidence_.hex) take_hex(disagreements);
  evidence = evidence_;
  return std::move(device_);
}

}  // namespace gpucoop
