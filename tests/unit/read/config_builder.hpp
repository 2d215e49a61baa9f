#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "read/config/config_space.hpp"
#include "read/config/decode.hpp"

namespace gpucoop::test {

template <class T>
[[nodiscard]] bool is_unknown_for(const Known<T>& value, Reason reason) {
  return value.is_unknown() && value.reason() == reason;
}

/// Builds a configuration space register by register. Starts as an endpoint of a vendor without any capability.
class ConfigBuilder {
 public:
  explicit ConfigBuilder(std::size_t size = ConfigSpace::kSize) : bytes_(size) {
    u16(0x00, 0x1002).u16(0x02, 0x7551).u16(0x0a, 0x0300);
  }

  ConfigBuilder& u8(std::size_t at, unsigned v) { return put(at, v, 1); }
  ConfigBuilder& u16(std::size_t at, unsigned v) { return put(at, v, 2); }
  ConfigBuilder& u32(std::size_t at, std::uint32_t v) { return put(at, v, 4); }

  ConfigBuilder& bridge(unsigned primary, unsigned secondary, unsigned subordinate) {
    return u8(0x0e, 0x01).u16(0x0a, 0x0604).u8(0x18, primary).u8(0x19, secondary).u8(0x1a, subordinate);
  }
  /// The one capability of the classic list.
  ConfigBuilder& capability(std::size_t at, unsigned id, unsigned next = 0) {
    if (last_ == 0) u16(0x06, 0x10).u8(0x34, static_cast<unsigned>(at));
    last_ = at;
    return u8(at, id).u8(at + 1, next);
  }
  /// A PCI Express capability at 0x58; `kExpress + n` is its register n.
  ConfigBuilder& express(unsigned version, unsigned type, bool slot = false) {
    return capability(kExpress, 0x10).u16(kExpress + 2, version | type << 4 | (slot ? 0x100U : 0U));
  }
  ConfigBuilder& extended(std::size_t at, unsigned id, std::size_t next = 0, unsigned version = 1) {
    return u32(at, id | version << 16 | static_cast<std::uint32_t>(next << 20));
  }

  static constexpr std::size_t kExpress = 0x58;

  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  [[nodiscard]] ConfigSpace space() const {
    ConfigSpace s;
    s.assign(bytes_);
    return s;
  }
  /// Only the first `size` bytes, as a reading without the rights, or without extended space, gives them.
  [[nodiscard]] ConfigSpace space(std::size_t size) const {
    ConfigSpace s;
    s.assign(std::span(bytes_).first(size));
    return s;
  }
  /// All rows but those at the offsets in `missing`.
  [[nodiscard]] ConfigSpace space_without(const std::vector<std::size_t>& missing) const {
    ConfigSpace s;
    for (std::size_t at = 0; at < bytes_.size(); at += ConfigSpace::kRow) {
      bool skip = false;
      for (const auto m : missing) skip = skip || m == at;
      if (!skip) s.add(row(at));
    }
    return s;
  }
  [[nodiscard]] HexRow row(std::size_t at) const {
    HexRow r;
    r.offset = static_cast<std::uint16_t>(at);
    for (std::size_t i = 0; i < r.bytes.size(); ++i) r.bytes[i] = bytes_[at + i];
    r.present = 0xffff;
    return r;
  }
  [[nodiscard]] PciDevice decoded() const { return decoded(space()); }
  [[nodiscard]] static PciDevice decoded(const ConfigSpace& s) {
    PciDevice d;
    decode_config(s, d);
    return d;
  }

 private:
  ConfigBuilder& put(std::size_t at, std::uint32_t v, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) bytes_.at(at + i) = static_cast<std::uint8_t>(v >> (8 * i) & 0xff);
    return *this;
  }

  std::vector<std::uint8_t> bytes_;
  std::size_t last_ = 0;
};

}  // namespace gpucoop::test
