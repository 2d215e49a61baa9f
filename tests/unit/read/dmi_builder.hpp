#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpucoop::test {

/// A raw SMBIOS structure table.
class DmiBuilder {
 public:
  /// A structure of `type` with the bytes after its header and its strings.
  DmiBuilder& add(std::uint8_t type, const std::vector<std::uint8_t>& body, const std::vector<std::string>& strings) {
    bytes_.push_back(type);
    bytes_.push_back(static_cast<std::uint8_t>(body.size() + 4));
    bytes_.insert(bytes_.end(), {0x01, 0x00});
    bytes_.insert(bytes_.end(), body.begin(), body.end());
    for (const auto& string : strings) {
      bytes_.insert(bytes_.end(), string.begin(), string.end());
      bytes_.push_back(0);
    }
    if (strings.empty()) bytes_.push_back(0);
    bytes_.push_back(0);
    return *this;
  }
  /// A slot as version 2.6 has it, with address; `usage` 4 is in use, 3 available.
  DmiBuilder& slot(const std::string& name, std::uint8_t type, std::uint8_t width, std::uint8_t usage, std::uint8_t id,
                   std::uint8_t bus, std::uint8_t devfn) {
    return add(9, {1, type, width, usage, 4, id, 0, 0x0c, 0x01, 0, 0, bus, devfn}, {name});
  }
  DmiBuilder& end() { return add(127, {}, {}); }

  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  [[nodiscard]] std::string text() const { return {bytes_.begin(), bytes_.end()}; }

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace gpucoop::test
