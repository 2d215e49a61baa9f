#include "read/host/dmi_slots.hpp"

#include <optional>
#include <string>

#include "base/bytes.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kHeader = 4;
constexpr std::uint8_t kSystemSlot = 9;
constexpr std::uint8_t kEndOfTable = 127;
constexpr std::size_t kMostSlots = 256;
constexpr std::size_t kMostName = 64;

/// One structure: its formatted area and its strings.
class Structure {
 public:
  Structure(std::span<const std::uint8_t> formatted, std::span<const std::uint8_t> strings)
      : formatted_(formatted), strings_(strings) {}

  [[nodiscard]] std::optional<std::uint8_t> u8(std::size_t at) const { return formatted_.u8(at); }
  [[nodiscard]] std::optional<std::uint16_t> u16(std::size_t at) const { return formatted_.u16(at); }
  /// The string whose number stands at `at`; numbers count from 1, 0 is none.
  [[nodiscard]] std::string text(std::size_t at) const {
    unsigned number = u8(at).value_or(0);
    if (number == 0) return {};
    std::string text;
    for (const auto byte : strings_) {
      if (byte == 0) {
        if (--number == 0) break;
      } else if (number == 1 && text.size() < kMostName) {
        text += byte < 0x20 || byte > 0x7e ? '?' : static_cast<char>(byte);
      }
    }
    const auto end = text.find_last_not_of(' ');
    const auto begin = text.find_first_not_of(' ');
    return end == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
  }

 private:
  ByteView formatted_;
  std::span<const std::uint8_t> strings_;
};

/// Lanes of a Slot Data Bus Width code; other codes (parallel buses, unknown) say nothing.
Known<std::uint8_t> lanes(std::uint8_t code) {
  switch (code) {
    case 0x08: return std::uint8_t{1};
    case 0x09: return std::uint8_t{2};
    case 0x0a: return std::uint8_t{4};
    case 0x0b: return std::uint8_t{8};
    case 0x0c: return std::uint8_t{12};
    case 0x0d: return std::uint8_t{16};
    case 0x0e: return std::uint8_t{32};
    default: return {};
  }
}

/// Generation that a Slot Type code stands for (DSP0134 table 47).
Known<std::uint8_t> generation_of(std::uint8_t type) {
  const auto in = [&](unsigned first, unsigned last) { return type >= first && type <= last; };
  if (in(0xa5, 0xaa)) return std::uint8_t{1};
  if (type == 0x1f || in(0xab, 0xb0)) return std::uint8_t{2};
  if (type == 0x20 || in(0xb1, 0xb6)) return std::uint8_t{3};
  if (type == 0x24 || in(0xb8, 0xbd)) return std::uint8_t{4};
  if (in(0xbe, 0xc3)) return std::uint8_t{5};
  return {};
}

Known<Address> address_of(const Structure& s) {
  const auto segment = s.u16(0x0d);
  const auto bus = s.u8(0x0f);
  const auto function = s.u8(0x10);
  if (!segment || !bus || !function) return Known<Address>::absent();
  if (*segment == 0xffff || (*bus == 0xff && *function == 0xff)) return Known<Address>::absent();
  Address address;
  address.domain = *segment;
  address.bus = *bus;
  address.device = static_cast<std::uint8_t>(*function >> 3);
  address.function = static_cast<std::uint8_t>(*function & 7U);
  return address;
}

FirmwareSlot slot_of(const Structure& s) {
  constexpr std::uint8_t kAvailable = 3;
  constexpr std::uint8_t kInUse = 4;
  constexpr std::size_t kPeerSize = 5;
  FirmwareSlot slot;
  slot.designation = s.text(0x04);
  if (const auto type = s.u8(0x05)) {
    slot.type = *type;
    slot.generation = generation_of(*type);
  }
  slot.width = lanes(s.u8(0x06).value_or(0));
  const unsigned usage = s.u8(0x07).value_or(0);
  if (usage == kInUse || usage == kAvailable) slot.in_use = usage == kInUse;
  if (const auto id = s.u16(0x09)) slot.slot_id = *id;
  slot.address = address_of(s);
  slot.physical_width = Known<std::uint8_t>::absent();
  const auto peers = s.u8(0x12);
  if (!peers) return slot;
  // Version 3.4 added what follows the list of peers, whose length is stated before it.
  const std::size_t after = 0x13 + *peers * kPeerSize;
  const auto information = s.u8(after);
  if (information && *information >= 1 && *information <= 7) slot.generation = *information;
  if (const auto width = s.u8(after + 1)) slot.physical_width = lanes(*width);
  return slot;
}

}  // namespace

DmiSlots read_dmi_slots(std::span<const std::uint8_t> table) {
  DmiSlots result;
  while (!table.empty()) {
    if (table.size() < kHeader || table[1] < kHeader || table[1] > table.size()) {
      result.damaged = true;
      break;
    }
    const auto type = table[0];
    const auto formatted = table.first(table[1]);
    auto rest = table.subspan(table[1]);
    // The strings end with an empty one; without strings there are two zeros.
    std::size_t end = 0;
    while (end + 1 < rest.size() && (rest[end] != 0 || rest[end + 1] != 0)) ++end;
    const bool whole = end + 1 < rest.size();
    if (type == kSystemSlot && result.slots.size() < kMostSlots) {
      result.slots.push_back(slot_of(Structure(formatted, rest.first(whole ? end + 1 : rest.size()))));
    }
    if (type == kEndOfTable) break;
    if (!whole) {
      result.damaged = true;
      break;
    }
    table = rest.subspan(end + 2);
  }
  return result;
}

}  // namespace gpucoop
