#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/pci.hpp"
#include "read/tally.hpp"

namespace gpucoop {

/// The capability that the words being read belong to.
enum class Capability : std::uint8_t {
  none,  ///< before the first one: the device's own lines
  express,
  power_management,
  acs,
  aer,
  resizable_bar,
  sriov,
  ari,
  other,
};

/// Labels that lspci prints before a register's words. `other`: known, but nothing of it is kept.
enum class RegisterLabel : std::uint8_t {
  none,
  dev_cap,
  dev_ctl,
  dev_sta,
  lnk_cap,
  lnk_ctl,
  lnk_sta,
  slt_cap,
  slt_sta,
  dev_cap2,
  dev_ctl2,
  lnk_cap2,
  lnk_ctl2,
  atomic_cap,
  atomic_ctl,
  acs_cap,
  acs_ctl,
  ue_sta,
  ce_sta,
  pm_status,
  iov_ctl,
  ari_cap,
  other,
};
/// `none` for any other word. `label` is without the colon.
[[nodiscard]] RegisterLabel register_label(std::string_view label);

/// What is collected of one device's capabilities.
struct RegisterValues {
  PciExpress express;
  Acs acs;
  AerStatus aer;
  SrIov sriov;
};
/// Takes `name+` or `name-` after `label` into `values`; nothing happens where it is no flag of that register.
void take_register_flag(RegisterLabel label, std::string_view name, bool value, RegisterValues& values);

/// Reads the words that lspci prints for registers. Keyed on the labels (`LnkSta:`), not on lines: a word belongs to
/// the label before it, however the text is wrapped, joined or indented. The first value of a field stays, and words
/// that mean nothing here are passed over, so that a sentence between the lines changes nothing.
/// Forms: pciutils ls-caps.c and ls-ecaps.c, 3.4 to 3.14.
class RegisterText {
 public:
  /// Begins a device. Both must outlive the reading of it.
  void begin(PciDevice& device, Tally& tally);
  /// Begins a capability: the text after `Capabilities: `, for example `[58] Express (v2) Root Port (Slot+), MSI 00`.
  void capability(std::string_view text, std::uint32_t line);
  /// Reads the words of a line. `cut`: the input ends with it, so that its last word may be half a word.
  void words(std::string_view text, std::uint32_t line, bool cut);
  /// Gives the device what was read, and the reasons for what was not. `cut`: the input ends inside this device.
  /// `no_capabilities`: the device itself says that it has none.
  void end(bool cut, bool no_capabilities);

  [[nodiscard]] Capability current() const { return capability_; }
  [[nodiscard]] bool any_capability() const { return any_capability_; }
  /// True where register lines were printed, as by `-vv`.
  [[nodiscard]] bool any_register() const { return seen_ != 0; }

 private:
  /// What the next word is the value of.
  enum class Expect : std::uint8_t {
    nothing,
    speed,
    width,
    payload,
    read_request,
    speed_range,
    slot_number,
    slot_power,
    power_state,
    bar_index,
    bar_size,
    bar_supported,
    total_vfs,
    num_vfs,
    vf_offset,
    vf_stride,
    vf_device_id,
    next_function,
  };

  void word(std::string_view w);
  void begin_label(RegisterLabel label);
  void keyword(std::string_view w);
  void value(std::string_view w);
  void link_value(std::string_view w);
  void bar_value(std::string_view w);
  void vf_value(std::string_view w);
  void express_type(std::string_view text);
  void damaged(std::string_view text);
  void end_express(bool cut);
  void end_extended(bool cut, bool no_capabilities);
  [[nodiscard]] std::optional<Reason> missing(bool absent, Reason other, bool cut) const;
  [[nodiscard]] bool has(Capability c) const { return (has_ >> static_cast<unsigned>(c) & 1U) != 0; }
  [[nodiscard]] bool seen(RegisterLabel label) const { return (seen_ >> static_cast<unsigned>(label) & 1U) != 0; }

  PciDevice* device_ = nullptr;
  Tally* tally_ = nullptr;
  RegisterValues values_;
  Capability capability_ = Capability::none;
  RegisterLabel label_ = RegisterLabel::none;
  Expect expect_ = Expect::nothing;
  bool repeated_label_ = false;
  bool any_capability_ = false;
  bool any_extended_ = false;
  bool has_express_ = false;
  bool type_open_ = false;
  std::uint32_t seen_ = 0;
  std::uint32_t has_ = 0;        ///< by Capability
  std::uint64_t undecoded_ = 0;  ///< extended capabilities that this lspci prints as `#15`, by id
  std::uint32_t line_ = 0;
  std::string type_text_;
};

}  // namespace gpucoop
