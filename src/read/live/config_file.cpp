#include "read/live/config_file.hpp"

#include <algorithm>
#include <array>
#include <bitset>

#include "read/config/capabilities.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kHeaderSize = 64;
constexpr std::size_t kClassic = 256;
constexpr std::size_t kWord = 4;

void read_part(const Descriptor& file, ConfigSpace& space, std::size_t offset, std::size_t count) {
  std::array<std::uint8_t, kHeaderSize> bytes{};
  const auto part = std::span(bytes).first(count);
  space.put(offset, part.first(read_at(file, offset, part)));
}

/// How much of a capability is decoded, its header included; 0: nothing.
std::size_t decoded_length(CapabilityId id) {
  switch (id) {
    case CapabilityId::power_management: return 0x08;
    case CapabilityId::subsystem: return 0x08;
    case CapabilityId::express: return 0;  // depends on the type of port
  }
  return 0;
}

std::size_t decoded_length(ExtendedId id) {
  switch (id) {
    case ExtendedId::aer: return 0;  // two registers far apart
    case ExtendedId::acs: return 0x08;
    case ExtendedId::ari: return 0x08;
    case ExtendedId::sriov: return 0x1c;
    case ExtendedId::resizable_bar: return 0x34;
  }
  return 0;
}

constexpr std::size_t kStatus = 0x06;
constexpr std::size_t kBaseClass = 0x0b;
constexpr std::size_t kHeaderType = 0x0e;
enum HeaderType : std::uint8_t { kEndpoint = 0, kBridge = 1, kCardBus = 2 };

/// Like `is_display_or_accelerator`.
bool may_be_gpu(const ConfigSpace& space) {
  constexpr std::uint8_t kDisplay = 0x03;
  constexpr std::uint8_t kAccelerator = 0x12;
  const auto base = space.u8(kBaseClass).value_or(0);
  return base == kDisplay || base == kAccelerator;
}

/// Gives the header's type.
unsigned read_header(const Descriptor& file, bool bars, ConfigSpace& space) {
  constexpr std::size_t kStart = 0x10;
  constexpr std::size_t kBuses = 0x18;
  constexpr std::size_t kSubsystem = 0x2c;
  constexpr std::size_t kListPointer = 0x34;
  read_part(file, space, 0, kStart);
  const unsigned type = space.u8(kHeaderType).value_or(0) & 0x7fU;
  if (type > kBridge || bars || may_be_gpu(space)) {
    read_part(file, space, kStart, kHeaderSize - kStart);
    return type;
  }
  read_part(file, space, type == kBridge ? kBuses : kSubsystem, kWord);
  read_part(file, space, kListPointer, kWord);
  return type;
}

/// Of Express functions other than ports, the registers of slots and of root ports mean nothing.
void read_express(const Descriptor& file, ConfigSpace& space, std::size_t at) {
  constexpr std::size_t kFlags = 0x02;
  constexpr std::size_t kSlot = 0x14;
  constexpr std::size_t kSecond = 0x24;
  constexpr std::size_t kEnd = 0x34;
  constexpr unsigned kSlotImplemented = 0x100;
  if (at + kEnd > kClassic) {
    read_part(file, space, at + kWord, kClassic - at - kWord);
    return;
  }
  const unsigned flags = space.u16(at + kFlags).value_or(0);
  const bool slot = (flags & kSlotImplemented) != 0;
  read_part(file, space, at + kWord, (slot ? kSecond : kSlot) - kWord);
  if ((flags & 0xfU) >= 2) read_part(file, space, at + kSecond, kEnd - kSecond);
}

/// The header and, where its status says that there are some, the capabilities.
void read_classic(const Descriptor& file, bool bars, ConfigSpace& space) {
  constexpr unsigned kHasCapabilities = 0x10;
  const bool card_bus = read_header(file, bars, space) == kCardBus;
  if ((space.u16(kStatus).value_or(0) & kHasCapabilities) == 0) return;
  if (card_bus) read_part(file, space, kHeaderSize, kHeaderSize);
  std::bitset<kClassic / kWord> seen;
  std::size_t at = space.u8(card_bus ? 0x14 : 0x34).value_or(0) & 0xfcU;
  while (at >= kHeaderSize && !seen[at / kWord]) {
    seen.set(at / kWord);
    read_part(file, space, at, kWord);
    const auto entry = space.u16(at);
    // A reading that may go no further ends where the header ends.
    if (!entry) read_part(file, space, kHeaderSize - kWord, kWord);
    if (!entry || (*entry & 0xffU) == 0xff) return;
    const auto id = static_cast<CapabilityId>(*entry & 0xffU);
    if (id == CapabilityId::express) {
      read_express(file, space, at);
    } else if (const auto length = std::min(decoded_length(id), kClassic - at); length > kWord) {
      read_part(file, space, at + kWord, length - kWord);
    }
    at = *entry >> 8 & 0xfcU;
  }
}

void read_extended(const Descriptor& file, ConfigSpace& space) {
  std::bitset<ConfigSpace::kSize / kWord> seen;
  for (std::size_t at = kClassic; at >= kClassic && !seen[at / kWord];) {
    seen.set(at / kWord);
    read_part(file, space, at, kWord);
    const auto header = space.u32(at);
    // A reading that may go no further ends where the classic space ends.
    if (!header && at == kClassic) read_part(file, space, kClassic - kWord, kWord);
    if (!header || *header == 0 || *header == 0xffffffff) return;
    const auto id = static_cast<ExtendedId>(*header & 0xffffU);
    if (id == ExtendedId::aer) {
      for (const std::size_t status : {0x04U, 0x10U}) read_part(file, space, at + status, kWord);
    } else if (const auto length = decoded_length(id)) {
      read_part(file, space, at + kWord, length - kWord);
    }
    at = *header >> 20 & 0xffcU;
  }
}

}  // namespace

void read_config_file(const Descriptor& file, const ConfigAccess& access, ConfigSpace& space) {
  space.clear();
  if (!file) return;
  if (access.all) {
    std::array<std::uint8_t, ConfigSpace::kSize> bytes;  // NOLINT: not cleared, there may be thousands of functions
    space.assign(std::span(bytes).first(read_at(file, 0, bytes)));
    return;
  }
  read_classic(file, access.bars, space);
  if (find_capabilities(space).express.is_known()) read_extended(file, space);
}

}  // namespace gpucoop
