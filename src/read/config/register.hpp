#pragma once

#include <cstdint>

#include "base/known.hpp"
#include "read/config/config_space.hpp"

namespace gpucoop {

/// One register as read: its bits, or that the device does not have it, or why it is not known.
/// Every field taken from it inherits that state.
class Register {
 public:
  [[nodiscard]] static Register absent() { return {State::absent, 0, Reason::not_in_input}; }
  [[nodiscard]] static Register unknown(Reason reason) { return {State::unknown, 0, reason}; }

  [[nodiscard]] static Register read8(const ConfigSpace& space, std::size_t offset) {
    return of(space, offset, space.u8(offset));
  }
  [[nodiscard]] static Register read16(const ConfigSpace& space, std::size_t offset) {
    return of(space, offset, space.u16(offset));
  }
  [[nodiscard]] static Register read32(const ConfigSpace& space, std::size_t offset) {
    return of(space, offset, space.u32(offset));
  }
  /// For registers with reserved bits: all ones is what a failed read returns, never a value.
  [[nodiscard]] Register not_all_ones(std::uint32_t mask) const {
    return is_known() && (bits_ & mask) == mask ? unknown(Reason::damaged) : *this;
  }

  [[nodiscard]] bool is_known() const { return state_ == State::known; }
  /// Precondition: `is_known()`.
  [[nodiscard]] std::uint32_t bits() const { return bits_; }

  [[nodiscard]] Known<bool> bit(std::uint32_t mask) const {
    return as<bool>([mask](std::uint32_t v) { return Known<bool>((v & mask) != 0); });
  }
  /// What `decode(bits)` makes of a known register; it returns Known<T>.
  template <class T, class F>
  [[nodiscard]] Known<T> as(F decode) const {
    if (state_ == State::absent) return Known<T>::absent();
    if (state_ == State::unknown) return Known<T>::unknown(reason_);
    return decode(bits_);
  }
  /// The register as a number.
  template <class T>
  [[nodiscard]] Known<T> value() const {
    return as<T>([](std::uint32_t v) { return Known<T>(static_cast<T>(v)); });
  }

 private:
  enum class State : std::uint8_t { known, absent, unknown };
  Register(State state, std::uint32_t bits, Reason reason) : bits_(bits), state_(state), reason_(reason) {}

  template <class T>
  [[nodiscard]] static Register of(const ConfigSpace& space, std::size_t offset, const std::optional<T>& value) {
    if (value) return {State::known, *value, Reason::not_in_input};
    return unknown(space.why_missing(offset, sizeof(T)));
  }

  std::uint32_t bits_;
  State state_;
  Reason reason_;
};

}  // namespace gpucoop
