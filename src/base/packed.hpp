#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/address.hpp"
#include "base/known.hpp"

// Values as bytes, for the same build to read back. A struct that is packed has one list of its members for both ways:
//   template <class A, class T> void fields(A& archive, T& self) { archive(self.x, self.y); }
// as a static member or beside the struct; T is const for the packer.
namespace gpucoop::packed {

template <class T, class A>
concept HasOwnFields = requires(A& archive, T& value) {
  std::remove_const_t<T>::fields(archive, value);
};

/// Writes values one after the other.
class Packer {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  void number(std::uint64_t v) {
    for (; v >= 0x80; v >>= 7) bytes_ += static_cast<char>(v | 0x80);
    bytes_ += static_cast<char>(v);
  }
  void put(const std::string& text) {
    number(text.size());
    bytes_ += text;
  }
  void put(double v) { number(std::bit_cast<std::uint64_t>(v)); }
  void put(const Address& a) { (*this)(a.domain, a.bus, a.device, a.function); }
  template <class A, class B>
  void put(const std::pair<A, B>& pair) {
    put(pair.first);
    put(pair.second);
  }
  template <class T>
  void put(const std::vector<T>& list) {
    number(list.size());
    for (const auto& entry : list) put(entry);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class... T>
  void put(const std::variant<T...>& value) {
    number(value.index());
    std::visit([this](const auto& v) { this->put(v); }, value);
  }
  template <class T>
  void put(const Known<T>& value) {
    number(value.is_known() ? 0 : value.is_absent() ? 1 : 2 + static_cast<std::uint64_t>(value.reason()));
    if (value.is_known()) put(value.value());
  }
  template <class T>
  void put(const T& value) {
    if constexpr (HasOwnFields<const T, Packer>) {
      T::fields(*this, value);
    } else if constexpr (std::is_class_v<T>) {
      fields(*this, value);
    } else {
      number(static_cast<std::uint64_t>(value));
    }
  }

  std::string bytes_;
};

/// Reads them back. Bytes that end too early give empty values.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}
  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }

 private:
  std::uint64_t number() {
    std::uint64_t v = 0;
    for (unsigned shift = 0; !rest_.empty() && shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      v |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) break;
    }
    return v;
  }
  void get(std::string& text) {
    text.assign(rest_.substr(0, number()));
    rest_.remove_prefix(text.size());
  }
  void get(double& v) { v = std::bit_cast<double>(number()); }
  void get(Address& a) { (*this)(a.domain, a.bus, a.device, a.function); }
  template <class A, class B>
  void get(std::pair<A, B>& pair) {
    get(pair.first);
    get(pair.second);
  }
  template <class T>
  void get(std::vector<T>& list) {
    const auto count = number();
    list.reserve(std::min<std::size_t>(count, rest_.size()));
    for (std::uint64_t i = 0; i < count && !rest_.empty(); ++i) get(list.emplace_back());
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool there = false;
    get(there);
    if (there) get(value.emplace());
  }
  template <class... T>
  void get(std::variant<T...>& value) {
    const auto index = std::min<std::uint64_t>(number(), sizeof...(T) - 1);
    std::uint64_t i = 0;
    ((i++ == index ? get(value.template emplace<T>()) : void()), ...);
  }
  template <class T>
  void get(Known<T>& value) {
    const auto state = number();
    if (state > 1) {
      value = Known<T>::unknown(static_cast<Reason>(state - 2));
    } else if (state == 1) {
      value = Known<T>::absent();
    } else {
      T known{};
      get(known);
      value = std::move(known);
    }
  }
  template <class T>
  void get(T& value) {
    if constexpr (HasOwnFields<T, Unpacker>) {
      T::fields(*this, value);
    } else if constexpr (std::is_class_v<T>) {
      fields(*this, value);
    } else {
      value = static_cast<T>(number());
    }
  }

  std::string_view rest_;
};

}  // namespace gpucoop::packed
