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
    case CapabilityId::express: return 0x34;
  }
  return 0;
}

std::size_t decoded_length(ExtendedId id) {
  switch (id) {
    case ExtendedId::aer: return 0x14;
    case ExtendedId::acs: return 0x08;
    case ExtendedId::ari: return 0x08;
    case ExtendedId::sriov: return 0x1c;
    case ExtendedId::resizable_bar: return 0x34;
  }
  return 0;
}

/// The header and, where its status says that there are some, the capabilities.
void read_classic(const Descriptor& file, ConfigSpace& space) {
  constexpr std::size_t kStatus = 0x06;
  constexpr unsigned kHasCapabilities = 0x10;
  constexpr std::size_t kHeaderType = 0x0e;
  constexpr unsigned kCardBus = 2;
  read_part(file, space, 0, kHeaderSize);
  if ((space.u16(kStatus).value_or(0) & kHasCapabilities) == 0) return;
  const bool card_bus = (space.u8(kHeaderType).value_or(0) & 0x7fU) == kCardBus;
  if (card_bus) read_part(file, space, kHeaderSize, kHeaderSize);
  std::bitset<kClassic / kWord> seen;
  std::size_t at = space.u8(card_bus ? 0x14 : 0x34).value_or(0) & 0xfcU;
  while (at >= kHeaderSize && !seen[at / kWord]) {
    seen.set(at / kWord);
    read_part(file, space, at, kWord);
    const auto entry = space.u16(at);
    if (!entry || (*entry & 0xffU) == 0xff) return;
    const auto length = std::min(decoded_length(static_cast<CapabilityId>(*entry & 0xffU)), kClassic - at);
    if (length > kWord) read_part(file, space, at + kWord, length - kWord);
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
    if (const auto length = decoded_length(static_cast<ExtendedId>(*header & 0xffffU))) {
      read_part(file, space, at + kWord, length - kWord);
    }
    at = *header >> 20 & 0xffcU;
  }
}

}  // namespace

void read_config_file(const Descriptor& file, ConfigSpace& space) {
  space.clear();
  if (!file) return;
  read_classic(file, space);
  if (find_capabilities(space).express.is_known()) read_extended(file, space);
}

}  // namespace gpucoop
