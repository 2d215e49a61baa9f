#include "read/config/capabilities.hpp"

#include <bitset>
#include <optional>

namespace gpucoop {
namespace {

using Offset = Known<std::uint16_t>;

constexpr std::size_t kStatus = 0x06;
constexpr unsigned kStatusCapabilityList = 0x10;
constexpr std::size_t kHeaderType = 0x0e;
constexpr unsigned kHeaderTypeMask = 0x7f;
constexpr unsigned kCardBus = 2;
constexpr std::size_t kListPointer = 0x34;
constexpr std::size_t kCardBusListPointer = 0x14;
constexpr std::size_t kHeaderSize = 0x40;
constexpr std::size_t kExtendedStart = 0x100;

/// How a walk ended: at the end of the list (absent), or where it could not go on (unknown with the reason).
Offset walk_classic(const ConfigSpace& space, Capabilities& found) {
  const auto status = space.u16(kStatus);
  if (!status) return Offset::unknown(space.why_missing(kStatus, 2));
  if ((*status & kStatusCapabilityList) == 0) return Offset::absent();
  const auto header = space.u8(kHeaderType);
  if (!header) return Offset::unknown(space.why_missing(kHeaderType));
  const std::size_t pointer = (*header & kHeaderTypeMask) == kCardBus ? kCardBusListPointer : kListPointer;
  const auto first = space.u8(pointer);
  if (!first) return Offset::unknown(space.why_missing(pointer));

  std::bitset<kExtendedStart / 4> seen;
  std::size_t at = *first & 0xfcU;
  while (at != 0) {
    if (at < kHeaderSize || seen[at / 4]) return Offset::unknown(Reason::damaged);
    seen.set(at / 4);
    const auto entry = space.u16(at);
    if (!entry) return Offset::unknown(space.why_missing(at, 2));
    const unsigned id = *entry & 0xffU;
    if (id == 0xff) return Offset::unknown(Reason::damaged);
    Offset* slot = nullptr;
    switch (static_cast<CapabilityId>(id)) {
      case CapabilityId::power_management: slot = &found.power_management; break;
      case CapabilityId::subsystem: slot = &found.subsystem; break;
      case CapabilityId::express: slot = &found.express; break;
    }
    if (slot != nullptr && !slot->is_known()) *slot = static_cast<std::uint16_t>(at);
    at = *entry >> 8 & 0xfcU;
  }
  return Offset::absent();
}

Offset walk_extended(const ConfigSpace& space, Capabilities& found) {
  std::bitset<ConfigSpace::kSize / 4> seen;
  std::size_t at = kExtendedStart;
  while (at != 0) {
    if (at < kExtendedStart || seen[at / 4]) return Offset::unknown(Reason::damaged);
    seen.set(at / 4);
    const auto entry = space.u32(at);
    if (!entry) return Offset::unknown(space.why_missing(at, 4));
    if (*entry == 0) return Offset::absent();
    // At the start: the host bridge does not let one see the extended space. Later: the list is broken.
    if (*entry == 0xffffffff) {
      return Offset::unknown(at == kExtendedStart ? Reason::not_in_input : Reason::damaged);
    }
    Offset* slot = nullptr;
    switch (static_cast<ExtendedId>(*entry & 0xffffU)) {
      case ExtendedId::aer: slot = &found.aer; break;
      case ExtendedId::acs: slot = &found.acs; break;
      case ExtendedId::ari: slot = &found.ari; break;
      case ExtendedId::sriov: slot = &found.sriov; break;
      case ExtendedId::resizable_bar: slot = &found.resizable_bar; break;
    }
    if (slot != nullptr && !slot->is_known()) *slot = static_cast<std::uint16_t>(at);
    at = *entry >> 20 & 0xffcU;
  }
  return Offset::absent();
}

void settle(const Offset& end, std::initializer_list<Offset*> slots) {
  for (auto* slot : slots) {
    if (!slot->is_known()) *slot = end;
  }
}

}  // namespace

Capabilities find_capabilities(const ConfigSpace& space) {
  Capabilities found;
  settle(walk_classic(space, found), {&found.power_management, &found.subsystem, &found.express});
  // Only PCI Express functions (and PCI-X 2.0, which has none of these capabilities) have an extended space.
  const auto end = found.express.is_absent() ? Offset::absent() : walk_extended(space, found);
  settle(end, {&found.aer, &found.acs, &found.ari, &found.sriov, &found.resizable_bar});
  return found;
}

}  // namespace gpucoop
