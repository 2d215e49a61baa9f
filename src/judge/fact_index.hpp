#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <string>
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

/// The facts of one id by what they are about. Of several about the same the last counts.
class FactsOfId {
 public:
  /// About `of` (a GPU, a library for a GPU, a pair), about the host where `of` is empty, or null.
  [[nodiscard]] const Fact* find(const Focus& of) const;
  /// About exactly this set, whatever the order of its members, or null.
  [[nodiscard]] const Fact* find(const std::vector<Address>& set) const;

 private:
  friend class FactIndex;
  struct Entry {
    Focus of;
    const Fact* fact = nullptr;
  };
  void append(const Fact& fact);
  void sort();

  std::vector<Entry> entries_;  ///< sorted by what they are about
  bool sorted_ = true;
  std::vector<const Fact*> of_sets_;  ///< few, and their members may stand in any order
};

/// Finds facts by id and subject. Refers to `facts`, which must outlive it.
class FactIndex {
 public:
  explicit FactIndex(const std::vector<Fact>& facts);
  /// `fact` must outlive the index and stay where it is.
  void add(const Fact& fact);

  /// All facts of that id, or null where there is none yet. Stays valid, also when facts are added.
  [[nodiscard]] const FactsOfId* of_id(std::string_view id) const;
  /// The fact of that id about `of` (a GPU, a library for a GPU, a pair), about the host where `of` is empty, or null.
  [[nodiscard]] const Fact* find(std::string_view id, const Focus& of) const;
  /// The fact of that id about exactly this set, whatever the order of its members, or null.
  [[nodiscard]] const Fact* find(std::string_view id, const std::vector<Address>& set) const;
  /// The text that is known of it there, or null.
  [[nodiscard]] const std::string* text(std::string_view id, const Focus& of) const;
  /// The GPUs that any fact is about, in the order of the facts.
  [[nodiscard]] const std::vector<Address>& gpus() const { return gpus_; }

 private:
  FactsOfId& append(const Fact& fact);

  std::unordered_map<std::string_view, FactsOfId> ids_;
  std::vector<Address> gpus_;
};

}  // namespace gpucoop
