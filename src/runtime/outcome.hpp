#pragma once

#include <string>
#include <utility>
#include <variant>

#include "model/probe.hpp"

namespace gpucoop::runtime {

/// Why an operation on a GPU or of a collective library gave nothing, in the vendor's own words.
struct Failure {
  /// `refused`: the vendor's software said no; `failed`: it tried and reported an error; `wrong_data`; `hung`: the
  /// deadline passed; `skipped`: there is no such thing here.
  ProbeState state = ProbeState::failed;
  std::string text;  ///< function, code and text: `cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory`
};

struct Done {};

/// A value, or a Failure.
template <class T = Done>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : v_(std::move(value)) {}            // NOLINT: implicit on purpose
  Outcome(Failure failure) : v_(std::move(failure)) {}  // NOLINT: implicit on purpose

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(v_); }
  explicit operator bool() const { return ok(); }
  /// Precondition: `ok()`.
  [[nodiscard]] T& value() & { return std::get<T>(v_); }
  [[nodiscard]] const T& value() const& { return std::get<T>(v_); }
  [[nodiscard]] T&& value() && { return std::get<T>(std::move(v_)); }
  /// Precondition: not `ok()`.
  [[nodiscard]] const Failure& failure() const { return std::get<Failure>(v_); }

 private:
  std::variant<T, Failure> v_;
};

}  // namespace gpucoop::runtime
