#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gpucoop {

/// Why a value is not known. Printed in reports by `to_string`; the words are part of the contract.
enum class Reason : std::uint8_t {
  not_in_input,         ///< the input simply does not hold it (excerpt, `-v` without links, plain list)
  no_root,              ///< `Capabilities: <access denied>` or a short configuration-space read
  not_printed,          ///< this lspci is too old to print the register
  truncated,            ///< the line or the dump ends in the middle of it
  damaged,              ///< the text is there and cannot be a value (impossible width, glued bytes)
  device_lost,          ///< configuration space reads all ones: fallen off the bus or in D3cold
  vm,                   ///< a guest does not see the real chain
  asleep,               ///< reading would wake the device
  timeout,              ///< reading did not return in time
  hidden_by_container,  ///< the device cgroup or a namespace hides it
  disagreement,         ///< two sources state different values
  not_probed,           ///< only a probe can establish it and none has run
  not_inspected,        ///< only looking into the installed library can establish it
  not_derivable,        ///< one of the values that it follows from is unknown
};

/// The word of the report contract for a reason, for example `no-root`.
[[nodiscard]] std::string_view to_string(Reason reason);

/// A value that is *known*, *absent* (the hardware or the source says that there is no such thing)
/// or *unknown* with its reason. 0, false and "" never stand for unknown.
/// A default-constructed one is unknown because it is not in the input.
template <class T>
class Known {
 public:
  Known() = default;
  Known(T value) : value_(std::move(value)), state_(State::known) {}  // NOLINT: implicit on purpose

  [[nodiscard]] static Known absent() {
    Known k;
    k.state_ = State::absent;
    return k;
  }
  [[nodiscard]] static Known unknown(Reason reason) {
    Known k;
    k.reason_ = reason;
    return k;
  }

  [[nodiscard]] bool is_known() const { return state_ == State::known; }
  [[nodiscard]] bool is_absent() const { return state_ == State::absent; }
  [[nodiscard]] bool is_unknown() const { return state_ == State::unknown; }

  /// The value, or null where it is absent or unknown. Valid as long as this object.
  [[nodiscard]] const T* get() const { return is_known() ? &*value_ : nullptr; }
  /// Precondition: `is_known()`.
  [[nodiscard]] const T& value() const& { return *value_; }
  [[nodiscard]] T&& value() && { return *std::move(value_); }
  [[nodiscard]] T value_or(T other) const { return is_known() ? *value_ : std::move(other); }
  /// Meaningful only where `is_unknown()`.
  [[nodiscard]] Reason reason() const { return reason_; }

  /// What `f`, which gives a Known, makes of the value. Absent stays absent, and unknown keeps its reason.
  template <class F>
  [[nodiscard]] auto and_then(F f) const -> std::invoke_result_t<F, const T&> {
    using Result = std::invoke_result_t<F, const T&>;
    if (is_known()) return f(*value_);
    return is_absent() ? Result::absent() : Result::unknown(reason_);
  }

  /// True where the value is known and equal to `other`: unknown and absent are equal to nothing.
  [[nodiscard]] bool is(const T& other) const { return is_known() && *value_ == other; }

  friend bool operator==(const Known& a, const Known& b) {
    if (a.state_ != b.state_) return false;
    if (a.state_ == State::known) return *a.value_ == *b.value_;
    return a.state_ == State::absent || a.reason_ == b.reason_;
  }

 private:
  enum class State : std::uint8_t { unknown, absent, known };
  std::optional<T> value_;
  State state_ = State::unknown;
  Reason reason_ = Reason::not_in_input;
};

/// Three-valued logic (Kleene). Unknown is a value: it never becomes yes or no by itself.
enum class Tri : std::uint8_t { no, unknown, yes };

[[nodiscard]] constexpr Tri tri(bool b) { return b ? Tri::yes : Tri::no; }
[[nodiscard]] constexpr Tri operator&&(Tri a, Tri b) { return a < b ? a : b; }
[[nodiscard]] constexpr Tri operator||(Tri a, Tri b) { return a < b ? b : a; }
[[nodiscard]] constexpr Tri operator!(Tri a) {
  return a == Tri::yes ? Tri::no : a == Tri::no ? Tri::yes : Tri::unknown;
}
[[nodiscard]] inline Tri tri(const Known<bool>& k) { return k.is_known() ? tri(k.value()) : Tri::unknown; }
/// `yes`, `no` or `unknown`.
[[nodiscard]] std::string_view to_string(Tri t);

}  // namespace gpucoop
