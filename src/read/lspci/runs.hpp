#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/recording.hpp"
#include "read/lspci/device_text.hpp"
#include "read/lspci/header.hpp"
#include "read/tally.hpp"

namespace gpucoop {

/// One run of lspci with the line that it begins at.
struct Run {
  Recording recording;
  std::uint32_t line = 0;
};

/// Collects the devices of a text into runs: a run ends where a command begins another one or where an address comes
/// again.
class Runs {
 public:
  Runs(std::string file, Tally& tally) : file_(std::move(file)), tally_(&tally) {}

  /// A command line: what follows is another run. `filtered`: it shows a part of the devices.
  void begin_run(bool filtered);
  /// Announces a device before its lines are read; begins a run where the address is not new.
  /// The address of a -P path is completed from the bridges read before; nullopt where these do not tell it.
  std::optional<Address> begin_device(const HeaderStart& start, std::uint32_t line);
  void begin_device(const Address& address, std::uint32_t line);
  /// Takes the finished device that was announced last.
  void add(PciDevice device, std::vector<Disagreement> disagreements, const DeviceEvidence& evidence);
  [[nodiscard]] std::vector<Run> finish();

  /// More devices than any host has: the rest of the input is not kept.
  [[nodiscard]] bool full() const { return devices_ >= kMostDevices; }

 private:
  static constexpr std::size_t kMostDevices = 131072;

  void end_run();
  void judge_drivers();
  void judge_paths();
  [[nodiscard]] bool rejoin_duplicate();

  std::string file_;
  Tally* tally_;
  std::vector<Run> done_;
  Recording run_;
  std::vector<DeviceEvidence> evidence_;
  std::unordered_set<std::uint64_t> addresses_;
  std::unordered_map<std::string, std::size_t> by_path_;  ///< -P paths: index into the run's devices
  std::optional<std::uint64_t> last_;
  std::string path_;
  std::optional<Address> parent_;
  std::optional<std::uint32_t> group_;
  std::uint32_t first_line_ = 0;
  std::size_t devices_ = 0;
  bool filtered_ = false;
  bool any_path_ = false;
  bool repeats_last_ = false;  ///< the run began because the device before came again at once
};

}  // namespace gpucoop
