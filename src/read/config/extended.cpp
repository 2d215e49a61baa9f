#include "read/config/extended.hpp"

#include "read/config/register.hpp"

namespace gpucoop {
namespace {

AcsBits acs_bits(const Register& reg) {
  AcsBits bits;
  bits.source_validation = reg.bit(0x01);
  bits.translation_blocking = reg.bit(0x02);
  bits.request_redirect = reg.bit(0x04);
  bits.completion_redirect = reg.bit(0x08);
  bits.upstream_forwarding = reg.bit(0x10);
  bits.egress_control = reg.bit(0x20);
  bits.direct_translated = reg.bit(0x40);
  return bits;
}

constexpr unsigned kSmallestBar = 20;   ///< 1 MiB is size code 0
constexpr unsigned kLargestBar = 63;    ///< code 43
constexpr unsigned kSizesInFirst = 28;  ///< sizes up to 128 TiB are in the capability register, the others in control

void add_supported(std::uint32_t capability, std::uint32_t control, std::vector<std::uint64_t>& sizes) {
  const std::uint64_t codes = static_cast<std::uint64_t>(capability >> 4) | static_cast<std::uint64_t>(control >> 16)
                                                                                << kSizesInFirst;
  for (unsigned code = 0; code + kSmallestBar <= kLargestBar; ++code) {
    if ((codes >> code & 1U) != 0) sizes.push_back(std::uint64_t{1} << (code + kSmallestBar));
  }
}

}  // namespace

Acs decode_acs(const ConfigSpace& space, std::uint16_t at) {
  // The egress vector size is not all ones in any switch, so all ones is a failed read.
  return {acs_bits(Register::read16(space, at + 4U).not_all_ones(0xffff)),
          acs_bits(Register::read16(space, at + 6U).not_all_ones(0xffff))};
}

AerStatus decode_aer(const ConfigSpace& space, std::uint16_t at) {
  return {Register::read32(space, at + 0x04U).not_all_ones(0xffffffff).value<std::uint32_t>(),
          Register::read32(space, at + 0x10U).not_all_ones(0xffffffff).value<std::uint32_t>()};
}

SrIov decode_sriov(const ConfigSpace& space, std::uint16_t at) {
  const auto word = [&](std::size_t offset) { return Register::read16(space, at + offset).value<std::uint16_t>(); };
  SrIov s;
  s.enabled = Register::read16(space, at + 0x08U).not_all_ones(0xffff).bit(0x1);
  s.total_vfs = word(0x0e);
  s.num_vfs = word(0x10);
  s.vf_offset = word(0x14);
  s.vf_stride = word(0x16);
  s.vf_device_id = word(0x1a);
  return s;
}

Known<std::uint8_t> decode_ari_next_function(const ConfigSpace& space, std::uint16_t at) {
  return Register::read8(space, at + 5U).value<std::uint8_t>();
}

std::vector<ResizableBar> decode_resizable_bars(const ConfigSpace& space, std::uint16_t at) {
  constexpr std::size_t kFirst = 4;
  constexpr std::size_t kEntry = 8;
  constexpr std::uint32_t kMostBars = 6;
  std::vector<ResizableBar> bars;
  const auto first = Register::read32(space, at + kFirst + 4).not_all_ones(0xffffffff);
  if (!first.is_known()) return bars;
  const std::uint32_t count = first.bits() >> 5 & 0x7;
  if (count > kMostBars) return bars;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t entry = at + kFirst + kEntry * i;
    const auto capability = Register::read32(space, entry).not_all_ones(0xffffffff);
    const auto control = Register::read32(space, entry + 4).not_all_ones(0xffffffff);
    if (!capability.is_known() || !control.is_known() || (control.bits() & 0x7) >= kMostBars) continue;
    ResizableBar bar;
    bar.index = static_cast<std::uint8_t>(control.bits() & 0x7);
    const unsigned exponent = (control.bits() >> 8 & 0x3f) + kSmallestBar;
    bar.size = exponent <= kLargestBar ? Known<std::uint64_t>(std::uint64_t{1} << exponent)
                                       : Known<std::uint64_t>::unknown(Reason::damaged);
    add_supported(capability.bits(), control.bits(), bar.supported);
    bars.push_back(std::move(bar));
  }
  return bars;
}

}  // namespace gpucoop
