#include "read/lspci/registers.hpp"

#include <array>
#include <utility>

#include "read/text.hpp"

namespace gpucoop {
namespace {

using Label = RegisterLabel;

constexpr std::uint32_t bit(Capability c) { return 1U << static_cast<unsigned>(c); }

// The longer name first where one contains the other.
constexpr std::array<std::pair<std::string_view, PortType>, 10> kTypes{{
    {"Root Complex Integrated Endpoint", PortType::integrated_endpoint},
    {"Root Complex Event Collector", PortType::event_collector},
    {"PCI-Express to PCI/PCI-X Bridge", PortType::pcie_to_pci_bridge},
    {"PCI/PCI-X to PCI-Express Bridge", PortType::pci_to_pcie_bridge},
    {"PCI/PCI-X Bridge", PortType::pcie_to_pci_bridge},
    {"Legacy Endpoint", PortType::legacy_endpoint},
    {"Root Port", PortType::root_port},
    {"Upstream Port", PortType::switch_upstream},
    {"Downstream Port", PortType::switch_downstream},
    {"Endpoint", PortType::endpoint},
}};

Capability capability_from(std::string_view text) {
  if (starts_with(text, "Express")) return Capability::express;
  if (starts_with(text, "Power Management")) return Capability::power_management;
  if (starts_with(text, "Access Control")) return Capability::acs;
  if (starts_with(text, "Advanced Error")) return Capability::aer;
  if (starts_with(text, "Physical Resizable") || starts_with(text, "Resizable BAR")) return Capability::resizable_bar;
  if (starts_with(text, "Single Root I/O")) return Capability::sriov;
  if (starts_with(text, "Alternative Routing")) return Capability::ari;
  return Capability::other;
}

bool is_separator(char c) { return c == ' ' || c == '\t' || c == ',' || c == ';'; }

template <class T>
void set_once(Known<T>& field, Known<T> value) {
  if (!field.is_known()) field = std::move(value);
}

template <class T>
void explain(Known<T>& field, Reason reason) {
  if (field.is_unknown() && field.reason() == Reason::not_in_input) field = Known<T>::unknown(reason);
}

/// A word that is whole even if the input ends right after it.
bool is_whole_at_end(std::string_view w) {
  if (w.back() == '+' || w.back() == '-') return true;
  if (w.size() > 4 && w.substr(w.size() - 4) == "GT/s") return true;
  return w == "x0" || w == "x2" || w == "x4" || w == "x8" || w == "x12" || w == "x16" || w == "x32";
}

}  // namespace

void RegisterText::begin(PciDevice& device, Tally& tally) {
  *this = RegisterText{};
  device_ = &device;
  tally_ = &tally;
}

void RegisterText::damaged(std::string_view text) { tally_->add("input.damaged", text, line_); }

void RegisterText::capability(std::string_view text, std::uint32_t line) {
  line_ = line;
  any_capability_ = true;
  label_ = Label::none;
  expect_ = Expect::nothing;
  type_open_ = false;
  if (!text.empty() && text.front() == '[') {
    const auto close = text.find(']');
    if (close == std::string_view::npos) {
      capability_ = Capability::other;
      return;
    }
    // Classic capabilities lie below 100: two digits.
    any_extended_ = any_extended_ || text.find_first_of(" ]") >= 4;
    text = trim(text.substr(close + 1));
  }
  capability_ = capability_from(text);
  has_ |= bit(capability_);
  if (capability_ == Capability::express) {
    has_express_ = true;
    express_type(text.substr(7));
  }
  if (text.size() > 1 && text.front() == '#') {
    const auto id = parse_hex(text, 1, 2);
    if (id && *id < 64) undecoded_ |= std::uint64_t{1} << *id;
  }
}

void RegisterText::express_type(std::string_view text) {
  text = trim(text);
  auto& express = values_.express;
  if (starts_with(text, "(v")) {
    std::size_t digits = 0;
    const auto version = parse_decimal_prefix(text.substr(2), digits);
    if (version && *version < 16) {
      set_once(express.version, Known<std::uint8_t>(static_cast<std::uint8_t>(*version)));
    }
  }
  for (const auto& [name, type] : kTypes) {
    if (text.find(name) == std::string_view::npos) continue;
    set_once(express.type, Known<PortType>(type));
    break;
  }
  if (const auto slot = text.find("(Slot"); slot != std::string_view::npos && slot + 5 < text.size()) {
    if (text[slot + 5] == '+') set_once(express.slot_implemented, Known<bool>(true));
    if (text[slot + 5] == '-') set_once(express.slot_implemented, Known<bool>(false));
  }
  const bool port = express.type.is(PortType::root_port) || express.type.is(PortType::switch_downstream);
  type_open_ = !express.type.is_known() || (port && !express.slot_implemented.is_known());
  if (type_open_) type_text_.assign(text);
}

void RegisterText::words(std::string_view text, std::uint32_t line, bool cut) {
  line_ = line;
  if (type_open_) {
    // `Express (v2) Root` and `Port (Slot+), MSI 00` on the next line of a mail.
    type_open_ = false;
    if (text.find(':') == std::string_view::npos) {
      const std::string joined = type_text_ + ' ' + std::string(text);
      express_type(joined);
      type_open_ = false;
      return;
    }
  }
  std::size_t pos = 0;
  while (pos < text.size()) {
    while (pos < text.size() && is_separator(text[pos])) ++pos;
    const std::size_t begin = pos;
    while (pos < text.size() && !is_separator(text[pos])) ++pos;
    if (pos == begin) break;
    const auto w = text.substr(begin, pos - begin);
    if (cut && pos == text.size() && !is_whole_at_end(w)) break;
    word(w);
  }
}

void RegisterText::word(std::string_view w) {
  if (const auto colon = w.find(':'); colon != std::string_view::npos) {
    if (const auto label = register_label(w.substr(0, colon)); label != Label::none) {
      begin_label(label);
      if (colon + 1 < w.size()) word(w.substr(colon + 1));
      return;
    }
    if (label_ == Label::slt_sta && w == "Changed:") label_ = Label::other;
    if (capability_ == Capability::power_management && w == "Status:") return begin_label(Label::pm_status);
  }
  if (expect_ != Expect::nothing) {
    value(w);
    return;
  }
  if (w.size() > 1 && (w.back() == '+' || w.back() == '-')) {
    if (!repeated_label_) take_register_flag(label_, w.substr(0, w.size() - 1), w.back() == '+', values_);
    return;
  }
  keyword(w);
}

void RegisterText::begin_label(RegisterLabel label) {
  label_ = label;
  expect_ = label == Label::pm_status ? Expect::power_state : Expect::nothing;
  repeated_label_ = label != Label::other && seen(label);
  seen_ |= 1U << static_cast<unsigned>(label);
  if (label >= Label::dev_cap && label <= Label::atomic_ctl) has_express_ = true;
  if (label == Label::acs_cap || label == Label::acs_ctl) has_ |= bit(Capability::acs);
}

void RegisterText::keyword(std::string_view w) {
  if (repeated_label_) return;
  switch (label_) {
    case Label::lnk_cap:
    case Label::lnk_sta:
      if (w == "Speed") expect_ = Expect::speed;
      if (w == "Width") expect_ = Expect::width;
      return;
    case Label::lnk_ctl2:
      if (w == "Speed:") expect_ = Expect::speed;
      return;
    case Label::lnk_cap2:
      if (w == "Speeds:") expect_ = Expect::speed_range;
      return;
    case Label::dev_cap:
    case Label::dev_ctl:
      if (w == "MaxPayload") expect_ = Expect::payload;
      if (w == "MaxReadReq") expect_ = Expect::read_request;
      return;
    case Label::slt_cap:
      if (w == "Slot") expect_ = Expect::slot_number;
      if (w == "PowerLimit") expect_ = Expect::slot_power;
      return;
    case Label::ari_cap:
      if (w == "Next") expect_ = Expect::next_function;
      return;
    default: break;
  }
  if (capability_ == Capability::resizable_bar && w == "BAR") expect_ = Expect::bar_index;
  if (capability_ == Capability::resizable_bar && w == "size:") expect_ = Expect::bar_size;
  if (capability_ == Capability::resizable_bar && w == "supported:") expect_ = Expect::bar_supported;
  if (capability_ != Capability::sriov) return;
  if (w == "Total") expect_ = Expect::total_vfs;
  if (w == "Number") expect_ = Expect::num_vfs;
  if (w == "offset:") expect_ = Expect::vf_offset;
  if (w == "stride:") expect_ = Expect::vf_stride;
  if (w == "Device") expect_ = Expect::vf_device_id;
}

void RegisterText::value(std::string_view w) {
  switch (expect_) {
    case Expect::nothing: return;
    case Expect::speed:
    case Expect::width:
    case Expect::speed_range: link_value(w); return;
    case Expect::bar_index:
    case Expect::bar_size:
    case Expect::bar_supported: bar_value(w); return;
    case Expect::total_vfs:
    case Expect::num_vfs:
    case Expect::vf_offset:
    case Expect::vf_stride:
    case Expect::vf_device_id: vf_value(w); return;
    default: break;
  }
  if (expect_ == Expect::next_function && w == "Function:") return;
  const auto expected = std::exchange(expect_, Expect::nothing);
  std::size_t length = 0;
  const auto number = parse_decimal_prefix(w.front() == '#' ? w.substr(1) : w, length);
  auto& express = values_.express;
  switch (expected) {
    case Expect::payload:
    case Expect::read_request: {
      if (!number || *number < 128 || *number > 4096 || (*number & (*number - 1)) != 0) return;
      const auto bytes = Known<std::uint16_t>(static_cast<std::uint16_t>(*number));
      if (expected == Expect::read_request)
        set_once(express.max_read_request, bytes);
      else
        set_once(label_ == Label::dev_cap ? express.max_payload_supported : express.max_payload, bytes);
      return;
    }
    case Expect::slot_number:
      if (number && *number < 0x2000) {
        set_once(express.physical_slot_number, Known<std::uint16_t>(static_cast<std::uint16_t>(*number)));
      }
      return;
    case Expect::slot_power:
      if (const auto watts = parse_fixed_prefix(w, length); watts && *watts < 10000) {
        set_once(express.slot_power_limit_watts, Known<double>(*watts));
      }
      return;
    case Expect::power_state:
      if (w.size() == 2 && w[0] == 'D' && w[1] >= '0' && w[1] <= '3') {
        // The register knows one D3; a device that answers is in D3hot.
        set_once(device_->power_state, Known<std::string>(w == "D3" ? "D3hot" : std::string(w)));
      }
      return;
    case Expect::next_function:
      if (number && *number < 256) device_->ari_next_function = static_cast<std::uint8_t>(*number);
      return;
    default: return;
  }
}

void RegisterText::link_value(std::string_view w) {
  const auto expected = std::exchange(expect_, Expect::nothing);
  auto& express = values_.express;
  if (expected == Expect::width) {
    auto& field = label_ == Label::lnk_cap ? express.max_width : express.width;
    const auto lanes = w.front() == 'x' ? parse_decimal(w.substr(1, w.find('(') - 1)) : std::nullopt;
    if (lanes && *lanes <= 32 && (*lanes == 0 || is_link_width(static_cast<unsigned>(*lanes)))) {
      const bool down = *lanes == 0;
      if (down && label_ == Label::lnk_cap)
        explain(field, Reason::damaged);
      else
        set_once(field, Known<std::uint8_t>(static_cast<std::uint8_t>(*lanes)));
      return;
    }
    explain(field, Reason::damaged);
    damaged("a link width that no link can have is left out");
    return;
  }
  if (expected == Expect::speed_range) {
    if (const auto dash = w.find('-'); dash != std::string_view::npos) w = w.substr(dash + 1);
  }
  std::size_t length = 0;
  const auto number = parse_fixed_prefix(w, length);
  const auto unit = w.substr(number ? length : 0);
  const auto speed =
      number && (unit.empty() || starts_with(unit, "GT/s")) ? speed_from_gigatransfers(*number) : std::nullopt;
  if (expected == Expect::speed_range) {
    if (speed) express.max_speed = *speed;
    return;
  }
  auto& field = label_ == Label::lnk_cap   ? express.max_speed
                : label_ == Label::lnk_sta ? express.speed
                                           : express.target_speed;
  if (speed) {
    set_once(field, Known<LinkSpeed>(*speed));
  } else if (starts_with(w, "unknown") || starts_with(w, "Unknown")) {
    explain(field, Reason::not_printed);
  } else {
    explain(field, Reason::damaged);
    damaged("a link speed that no link can have is left out");
  }
}

void RegisterText::bar_value(std::string_view w) {
  auto& bars = device_->resizable_bars;
  if (expect_ == Expect::bar_supported) {
    constexpr std::size_t kMost = 64;
    const auto size = parse_size(w);
    if (!size || bars.empty()) {
      expect_ = Expect::nothing;
      keyword(w);
    } else if (bars.back().supported.size() < kMost) {
      bars.back().supported.push_back(*size);
    }
    return;
  }
  const auto expected = std::exchange(expect_, Expect::nothing);
  if (expected == Expect::bar_index) {
    const auto index = parse_decimal(w.substr(0, w.find(':')));
    if (!index || *index > 5 || bars.size() >= 6) return;
    for (const auto& bar : bars) {
      if (bar.index != *index) continue;
      capability_ = Capability::other;  // a second entry for one BAR: nothing after it can be trusted
      return;
    }
    ResizableBar bar;
    bar.index = static_cast<std::uint8_t>(*index);
    bars.push_back(std::move(bar));
    return;
  }
  if (const auto size = parse_size(w); size && !bars.empty()) set_once(bars.back().size, Known<std::uint64_t>(*size));
}

void RegisterText::vf_value(std::string_view w) {
  if (w == "of" || w == "VFs:" || w == "ID:") return;
  const auto expected = std::exchange(expect_, Expect::nothing);
  auto& sriov = values_.sriov;
  if (expected == Expect::vf_device_id) {
    if (const auto id = parse_hex(w, 0, 4)) sriov.vf_device_id = static_cast<std::uint16_t>(*id);
    return;
  }
  const auto number = parse_decimal(w);
  if (!number || *number > 0xffff) return;
  const auto value = Known<std::uint16_t>(static_cast<std::uint16_t>(*number));
  switch (expected) {
    case Expect::total_vfs: set_once(sriov.total_vfs, value); return;
    case Expect::num_vfs: set_once(sriov.num_vfs, value); return;
    case Expect::vf_offset: set_once(sriov.vf_offset, value); return;
    case Expect::vf_stride: set_once(sriov.vf_stride, value); return;
    default: return;
  }
}

}  // namespace gpucoop
