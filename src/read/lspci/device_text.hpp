#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/recording.hpp"
#include "read/config/config_space.hpp"
#include "read/lspci/header.hpp"
#include "read/lspci/registers.hpp"
#include "read/tally.hpp"

namespace gpucoop {

/// What kinds of lines one device had; decides what its silence means.
struct DeviceEvidence {
  bool text = false;     ///< any decoded line below the header
  bool hex = false;      ///< any row of bytes
  bool verbose = false;  ///< `Control:` or `Flags:`: all that lspci knows was asked for
  bool driver = false;   ///< a driver or modules line
  bool modules = false;
  bool links = false;  ///< register lines, as by -vv
  bool cut = false;
  bool window = false;  ///< a bridge with an open memory window: it has room for what is below it
};

/// Reads the lines below one device line, decoded text and bytes, in any mixture.
class DeviceText {
 public:
  explicit DeviceText(Tally& tally) : tally_(&tally) {}

  /// Begins a device; `rest` is its line from the class on, empty where only the address is known.
  void begin(const Address& address, std::string_view rest, std::uint32_t line);
  [[nodiscard]] PciDevice& device() { return device_; }

  /// True where the line begins with a label that only a device's lines have (`Capabilities:`, `Region 0:`, …).
  /// `first`: the device's lines begin here.
  [[nodiscard]] bool is_device_line(std::string_view text, bool first) const;
  /// Reads a line for which that holds.
  void device_line(std::string_view text, std::uint32_t line, bool cut);
  /// Reads any other line: the rest of a wrapped one, or the words of a register.
  void other_line(std::string_view text, std::uint32_t line, bool cut);
  void row(const HexRow& row, std::uint32_t line);
  /// No word may continue what was read so far.
  void interrupt() { open_ = Open::nothing; }

  /// The finished device. Values that text and bytes state differently are added to `disagreements`.
  PciDevice finish(bool cut, std::vector<Disagreement>& disagreements, DeviceEvidence& evidence);

 private:
  /// The device line that a wrapped line may continue.
  enum class Open : std::uint8_t { nothing, subsystem, modules, bus, bar, flags, denied };

  void subsystem(std::string_view text);
  void modules(std::string_view text);
  void bus(std::string_view text);
  void flags(std::string_view text);
  void region(std::string_view text, std::uint8_t index);
  void bar_words(std::string_view text);
  void capabilities(std::string_view text, std::uint32_t line);
  void warn_of_gaps();
  void take_hex(std::vector<Disagreement>& disagreements);

  Tally* tally_;
  PciDevice device_;
  RegisterText registers_;
  ConfigSpace space_{Reason::no_root};
  std::uint32_t first_row_ = 0;
  DeviceEvidence evidence_;
  Open open_ = Open::nothing;
  BusNumbers buses_;
  unsigned bus_fields_ = 0;
  std::uint8_t next_bar_ = 0;
  bool no_capabilities_ = false;
  bool revision_ff_ = false;
};

}  // namespace gpucoop
