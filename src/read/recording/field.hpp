#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/known.hpp"
#include "read/recording/form.hpp"

// How a struct of the model is described: a table with one row a member, from which the recording file is written,
// read and merged, and its schema is checked. A member without a row does not compile (`covers`).
namespace gpucoop::recording_file {

/// A member that the file has, under `key`.
template <class S, class M>
struct Field {
  using Type = M;
  static constexpr bool kRecorded = true;
  std::string_view key;
  M S::*member;
  Form form;
  /// Meaningful for texts: without it the whole entry means nothing. Addresses and plain numbers always are.
  bool needed;
};

/// A member that never gets into a file.
template <class S, class M>
struct LeftOut {
  using Type = M;
  static constexpr bool kRecorded = false;
  M S::*member;
};

template <class S, class M>
constexpr Field<S, M> row(std::string_view key, M S::*member, Form form = Form::plain) {
  return {key, member, form, false};
}
template <class S, class M>
constexpr Field<S, M> needed(std::string_view key, M S::*member, Form form = Form::plain) {
  return {key, member, form, true};
}
template <class S, class M>
constexpr LeftOut<S, M> left_out(M S::*member) {
  return {member};
}

/// Specialised for every struct of the model that the file has: `static constexpr auto rows = std::make_tuple(…)` in
/// the order of the members, and `name`, by which the schema knows it.
template <class S>
struct Table;

template <class S>
concept HasTable = requires {
  Table<S>::rows;
};

struct Anything {
  template <class T>
  operator T() const;  // NOLINT: implicit on purpose
};

/// How many members an aggregate has: the most values that it can be initialised with.
template <class S, class... A>
constexpr std::size_t member_count() {
  if constexpr (requires { S{std::declval<A>()..., Anything{}}; }) {
    return member_count<S, A..., Anything>();
  } else {
    return sizeof...(A);
  }
}

/// Every member has a row. (That no row stands twice is for a test.)
template <class S>
constexpr bool covers() {
  return member_count<S>() == std::tuple_size_v<std::remove_const_t<decltype(Table<S>::rows)>>;
}

/// Calls `f` with every row.
template <class S, class F>
constexpr void for_each_row(F&& f) {
  std::apply([&](const auto&... rows) { (f(rows), ...); }, Table<S>::rows);
}

template <class T>
struct IsKnown : std::false_type {};
template <class T>
struct IsKnown<Known<T>> : std::true_type {
  using Inside = T;
};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {
  using Inside = T;
};

}  // namespace gpucoop::recording_file
