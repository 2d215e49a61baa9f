#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpucoop::probe {

/// Parts of the ladder that can be asked for alone.
enum class Area : std::uint8_t { dispatch, p2p, collective, groups, rates, soak };

/// Whom one step of a rung is about.
enum class Who : std::uint8_t {
  each,   ///< one GPU after the other
  pairs,  ///< every ordered pair: what holds from one GPU to the other need not hold back
  all,    ///< all GPUs together
};

/// One step's worth of a rung.
struct Trial {
  std::string op;
  std::vector<std::uint64_t> sizes;  ///< bytes, tried in this order
  std::string dtype;                 ///< empty: does not matter
  std::string reduce;                ///< empty: none
  bool wide = false;                 ///< only where everything is tried (`--all`)
};

/// A rung: what is tried, and what it takes. Its id is that of the fact that it establishes, whose title in the rules
/// says what it proves. A rung proves nothing but its own fact: a lower one never vouches for a higher one.
struct Rung {
  std::string id;
  Area area = Area::dispatch;
  Who who = Who::each;
  std::string what;                   ///< `a trivial kernel`: for plans and progress
  std::vector<std::string> needs;     ///< rungs that must have passed for these GPUs
  std::vector<std::string> backends;  ///< that have such a thing; empty: all
  bool library = false;               ///< needs the vendor's collective library
  unsigned least = 1;                 ///< so many GPUs
  std::chrono::seconds deadline{10};  ///< of one step
  std::vector<Trial> trials;
};

/// From the lowest rung up.
[[nodiscard]] const std::vector<Rung>& ladder();
[[nodiscard]] const Rung* find_rung(std::string_view id);

/// Not on the ladder: a trivial kernel on every GPU in fresh processes, after something has failed.
[[nodiscard]] const Rung& recovery();

/// Of the collectives: from one element to what a gradient bucket has, odd counts among them.
[[nodiscard]] const std::vector<std::uint64_t>& collective_sizes();

/// `4 B`, `64 KiB`, `4 B to 64 MiB`; "" for none.
[[nodiscard]] std::string sizes_in_words(const std::vector<std::uint64_t>& sizes);

}  // namespace gpucoop::probe
