#include "read/live/config_file.hpp"

#include <array>
#include <bitset>

#include "read/config/capabilities.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kClassic = 256;
constexpr std::size_t kHeader = 4;

/// How much of an extended capability is decoded, its header included; 0: nothing.
std::size_t decoded_length(std::uint32_t header) {
  switch (static_cast<ExtendedId>(header & 0xffffU)) {
    case ExtendedId::aer: return 0x14;
    case ExtendedId::acs: return 0x08;
    case ExtendedId::ari: return 0x08;
    case ExtendedId::sriov: return 0x1c;
    case ExtendedId::resizable_bar: return 0x34;
  }
  return 0;
}

void read_part(const Descriptor& file, ConfigSpace& space, std::size_t offset, std::size_t count) {
  std::array<std::uint8_t, 64> bytes{};
  const auto part = std::span(bytes).first(count);
  space.put(offset, part.first(read_at(file, offset, part)));
}

void read_extended(const Descriptor& file, ConfigSpace& space) {
  std::bitset<ConfigSpace::kSize / 4> seen;
  for (std::size_t at = kClassic; at >= kClassic && !seen[at / 4];) {
    seen.set(at / 4);
    read_part(file, space, at, kHeader);
    const auto header = space.u32(at);
    if (!header || *header == 0 || *header == 0xffffffff) return;
    if (const auto length = decoded_length(*header)) read_part(file, space, at + kHeader, length - kHeader);
    at = *header >> 20 & 0xffcU;
  }
}

}  // namespace

void read_config_file(const Descriptor& file, ConfigSpace& space) {
  space.clear();
  if (!file) return;
  std::array<std::uint8_t, kClassic> bytes{};
  const auto got = read_at(file, 0, bytes);
  space.assign(std::span(bytes).first(got));
  if (got == kClassic && find_capabilities(space).express.is_known()) read_extended(file, space);
}

}  // namespace gpucoop
