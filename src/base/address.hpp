#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpucoop {

/// A PCI function: domain (segment; VMD uses 0x10000 and up), bus, device, function.
struct Address {
  std::uint32_t domain = 0;
  std::uint8_t bus = 0;
  std::uint8_t device = 0;    ///< 0..31
  std::uint8_t function = 0;  ///< 0..7

  friend auto operator<=>(const Address&, const Address&) = default;
};

/// Those of `all` that are not among `some`, in their order.
[[nodiscard]] std::vector<Address> without(const std::vector<Address>& all, const std::vector<Address>& some);

/// Stands for a simulated device in reports of simulated probes. No PCI function has such an address: its domain is one
/// that `parse_address` refuses.
[[nodiscard]] Address simulated_device(std::uint16_t number);
[[nodiscard]] bool is_simulated(const Address& a);

/// Domain-prefixed and lower case, at least four digits of domain: `0000:0b:00.0`, `10000:e1:00.0`; `host:0` for a
/// simulated device.
[[nodiscard]] std::string to_string(const Address& a);
/// `0b:00.0` where the domain is 0, else as `to_string`: for people.
[[nodiscard]] std::string short_form(const Address& a);
/// Accepts `0b:00.0` and `DDDD:0b:00.0` (4 to 8 domain digits, either case), nothing before or after.
[[nodiscard]] std::optional<Address> parse_address(std::string_view text);
/// An address as `to_string` writes it, that of a simulated device as well.
[[nodiscard]] std::optional<Address> parse_device(std::string_view text);
/// As `parse_address`, but reads an address at the start of `text` and gives how many characters it took
/// in `length`. The character after it must not continue a word.
[[nodiscard]] std::optional<Address> parse_address_prefix(std::string_view text, std::size_t& length);

}  // namespace gpucoop
