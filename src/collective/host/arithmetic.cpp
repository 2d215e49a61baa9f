#include "collective/host/arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "collective/half.hpp"

namespace gpucoop::collective::host {
namespace {

/// How values are stored, and the type that is reckoned in.
template <class Stored, class Reckoned>
struct Plain {
  using Bits = Stored;
  using Value = Reckoned;
  static Value load(Bits bits) { return static_cast<Value>(bits); }
  static Bits store(Value value) { return static_cast<Bits>(value); }
};
struct Half {
  using Bits = std::uint16_t;
  using Value = float;
  static Value load(Bits bits) { return from_float16(bits); }
  static Bits store(Value value) { return to_float16(value); }
};
struct Brain {
  using Bits = std::uint16_t;
  using Value = float;
  static Value load(Bits bits) { return from_bfloat16(bits); }
  static Bits store(Value value) { return to_bfloat16(value); }
};

// Sums and products of integers wrap, which only unsigned ones may.
struct Sum {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return a + b;
    }
  }
};
struct Product {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else {
      return a * b;
    }
  }
};
struct Most {
  template <class T>
  static T apply(T a, T b) {
    return std::max(a, b);
  }
};
struct Least {
  template <class T>
  static T apply(T a, T b) {
    return std::min(a, b);
  }
};

/// Elements that are reckoned at a time, in arrays of our own, which the compiler knows not to overlap.
constexpr std::uint64_t kBlock = 64;

template <class Form, class Op>
void combine_as(std::byte* out, const std::byte* a, const std::byte* b, std::uint64_t count) {
  using Bits = typename Form::Bits;
  std::array<Bits, kBlock> left{};
  std::array<Bits, kBlock> right{};
  for (std::uint64_t first = 0; first < count; first += kBlock) {
    const std::uint64_t offset = first * sizeof(Bits);
    const std::uint64_t bytes = std::min(kBlock, count - first) * sizeof(Bits);
    std::memcpy(left.data(), a + offset, bytes);
    std::memcpy(right.data(), b + offset, bytes);
    for (std::uint64_t i = 0; i < kBlock; ++i) {
      left[i] = Form::store(Op::apply(Form::load(left[i]), Form::load(right[i])));
    }
    std::memcpy(out + offset, left.data(), bytes);
  }
}

template <class Form>
void combine_form(std::byte* out, const std::byte* a, const std::byte* b, std::uint64_t count, ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::avg: return combine_as<Form, Sum>(out, a, b, count);
    case ReduceOp::prod: return combine_as<Form, Product>(out, a, b, count);
    case ReduceOp::max: return combine_as<Form, Most>(out, a, b, count);
    case ReduceOp::min: return combine_as<Form, Least>(out, a, b, count);
  }
}

template <class Form>
void divide(std::byte* values, std::uint64_t count, unsigned ranks) {
  using Bits = typename Form::Bits;
  for (std::uint64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, values + i * sizeof(Bits), sizeof(Bits));
    bits = Form::store(static_cast<typename Form::Value>(Form::load(bits) / static_cast<typename Form::Value>(ranks)));
    std::memcpy(values + i * sizeof(Bits), &bits, sizeof(Bits));
  }
}

/// Calls `f` with the form of a type.
template <class F>
void with_form(DataType type, const F& f) {
  switch (type) {
    case DataType::int8: return f(Plain<std::int8_t, std::int32_t>());
    case DataType::uint8: return f(Plain<std::uint8_t, std::uint32_t>());
    case DataType::int32: return f(Plain<std::int32_t, std::int32_t>());
    case DataType::uint32: return f(Plain<std::uint32_t, std::uint32_t>());
    case DataType::int64: return f(Plain<std::int64_t, std::int64_t>());
    case DataType::uint64: return f(Plain<std::uint64_t, std::uint64_t>());
    case DataType::float16: return f(Half());
    case DataType::float32: return f(Plain<float, float>());
    case DataType::float64: return f(Plain<double, double>());
    case DataType::bfloat16: return f(Brain());
  }
}

}  // namespace

void combine(std::byte* out, const std::byte* a, const std::byte* b, std::uint64_t count, DataType type, ReduceOp op) {
  with_form(type, [&](auto form) { combine_form<decltype(form)>(out, a, b, count, op); });
}

void finish(std::byte* values, std::uint64_t count, DataType type, ReduceOp op, unsigned ranks) {
  if (op != ReduceOp::avg) return;
  with_form(type, [&](auto form) { divide<decltype(form)>(values, count, ranks); });
}

}  // namespace gpucoop::collective::host
