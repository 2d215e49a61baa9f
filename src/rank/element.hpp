#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "collective/collective.hpp"
#include "collective/half.hpp"

namespace gpucoop::rank {

/// The largest integer up to which a type holds every one, so that sums of small ones are exact whatever their order.
[[nodiscard]] constexpr std::int64_t largest_integer(collective::DataType type) {
  switch (type) {
    case collective::DataType::int8: return 127;
    case collective::DataType::uint8: return 255;
    case collective::DataType::bfloat16: return 256;
    case collective::DataType::float16: return 2048;
    default: return std::int64_t{1} << 24U;
  }
}

[[nodiscard]] constexpr bool is_floating(collective::DataType type) {
  switch (type) {
    case collective::DataType::float16:
    case collective::DataType::bfloat16:
    case collective::DataType::float32:
    case collective::DataType::float64: return true;
    default: return false;
  }
}

/// The distance from 1 to the next value of a floating type.
[[nodiscard]] constexpr double spacing(collective::DataType type) {
  switch (type) {
    case collective::DataType::bfloat16: return 0x1p-7;
    case collective::DataType::float16: return 0x1p-10;
    case collective::DataType::float32: return 0x1p-23;
    default: return 0x1p-52;
  }
}

namespace detail {
template <class T, class F>
void encode_as(std::uint64_t count, std::byte* out, const F& value) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const T element = static_cast<T>(value(i));
    std::memcpy(out + i * sizeof(T), &element, sizeof(T));
  }
}
}  // namespace detail

/// Writes `value(i)`, an integer, as element `i`, for `count` elements.
template <class F>
void encode_each(collective::DataType type, std::uint64_t count, std::byte* out, const F& value) {
  using collective::DataType;
  switch (type) {
    case DataType::int8: return detail::encode_as<std::int8_t>(count, out, value);
    case DataType::uint8: return detail::encode_as<std::uint8_t>(count, out, value);
    case DataType::int32: return detail::encode_as<std::int32_t>(count, out, value);
    case DataType::uint32: return detail::encode_as<std::uint32_t>(count, out, value);
    case DataType::int64: return detail::encode_as<std::int64_t>(count, out, value);
    case DataType::uint64: return detail::encode_as<std::uint64_t>(count, out, value);
    case DataType::float32: return detail::encode_as<float>(count, out, value);
    case DataType::float64: return detail::encode_as<double>(count, out, value);
    case DataType::float16:
      return detail::encode_as<std::uint16_t>(
          count, out, [&](std::uint64_t i) { return collective::to_float16(static_cast<float>(value(i))); });
    case DataType::bfloat16:
      return detail::encode_as<std::uint16_t>(
          count, out, [&](std::uint64_t i) { return collective::to_bfloat16(static_cast<float>(value(i))); });
  }
}

/// An element of a floating type.
[[nodiscard]] inline double to_double(collective::DataType type, const std::byte* element) {
  const auto read = [&](auto value) {
    std::memcpy(&value, element, sizeof value);
    return value;
  };
  switch (type) {
    case collective::DataType::float16: return collective::from_float16(read(std::uint16_t{}));
    case collective::DataType::bfloat16: return collective::from_bfloat16(read(std::uint16_t{}));
    case collective::DataType::float32: return read(float{});
    default: return read(double{});
  }
}

}  // namespace gpucoop::rank
