#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyse/gpu_view.hpp"
#include "model/host.hpp"

namespace gpucoop {

/// The slot of the firmware's table that a GPU's card is in. Firmware is often stale: a claim, with how it was matched.
struct FirmwareSlotMatch {
  enum class By : std::uint8_t { address, bus, number };
  const FirmwareSlot* slot = nullptr;
  By by = By::address;
  Address port;  ///< the port that the card is plugged into
};
[[nodiscard]] std::string_view to_string(FirmwareSlotMatch::By by);  ///< `by address`, `by bus`, `by slot number`

/// For each GPU the slot that states the address of the port that its card is plugged into or of a function of the
/// card; else the one whose bus is below that port; else the one that has its Physical Slot Number. None where several
/// slots fit equally well, and none for GPUs of different cards that come to the same slot.
[[nodiscard]] std::vector<std::optional<FirmwareSlotMatch>> match_firmware_slots(const HostReading& host,
                                                                                 const std::vector<GpuView>& views);

/// What the firmware says about the slot's lanes, where the link below it is narrower than the card; else empty.
[[nodiscard]] std::string width_words(const FirmwareSlotMatch& match, const GpuView& view);

}  // namespace gpucoop
