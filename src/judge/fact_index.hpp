#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/fact.hpp"

namespace gpucoop {

/// What a condition is looked at for: a GPU, an ordered pair, or (with no address) the whole set or the host.
struct Focus {
  std::array<Address, 2> of{};
  std::size_t size = 0;

  [[nodiscard]] const Address* begin() const { return of.data(); }
  [[nodiscard]] const Address* end() const { return of.data() + size; }
  friend auto operator<=>(const Focus&, const Focus&) = default;
};
[[nodiscard]] inline Focus focus_on(const Address& gpu) { return Focus{{gpu, Address{}}, 1}; }
[[nodiscard]] inline Focus focus_on(const Address& a, const Address& b) { return Focus{{a, b}, 2}; }

/// Finds facts by id and subject. Refers to `facts`, which must outlive it.
class FactIndex {
 public:
  explicit FactIndex(const std::vector<Fact>& facts);
  /// `fact` must outlive the index and stay where it is.
  void add(const Fact& fact);

  /// The fact of that id about `of` (a GPU, a library for a GPU, a pair), about the host where `of` is empty, or null.
  [[nodiscard]] const Fact* find(std::string_view id, const Focus& of) const;
  /// The fact of that id about exactly this set, whatever the order of its members, or null.
  [[nodiscard]] const Fact* find(std::string_view id, const std::vector<Address>& set) const;
  /// The GPUs that any fact is about, in the order of the facts.
  [[nodiscard]] const std::vector<Address>& gpus() const { return gpus_; }

 private:
  std::unordered_multimap<std::size_t, const Fact*> by_subject_;
  std::vector<Address> gpus_;
};

}  // namespace gpucoop
