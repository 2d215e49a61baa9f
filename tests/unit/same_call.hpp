#pragma once

#include <cstddef>
#include <type_traits>

namespace gpucoop {

/// What a type looks like to the machine in a call: whatever a pointer points to, and whether a number is an
/// enumeration or signed. Types of a vendor's header that stand for one of ours are told by a specialisation.
template <class T>
struct Erased {
  using Type = std::conditional_t<std::is_pointer_v<T>, void*, T>;
};
template <class T>
requires std::is_enum_v<T> || std::is_integral_v<T>
struct Erased<T> {
  using Type = std::integral_constant<std::size_t, sizeof(T)>;
};

template <class T>
struct Shape;
template <class R, class... A>
struct Shape<R (*)(A...)> {
  using Type = typename Erased<R>::Type (*)(typename Erased<A>::Type...);
};
template <class A, class B>
constexpr bool same_call = std::is_same_v<typename Shape<A>::Type, typename Shape<B>::Type>;

}  // namespace gpucoop
