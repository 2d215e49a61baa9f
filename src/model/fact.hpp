#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/address.hpp"
#include "base/known.hpp"

namespace gpucoop {

/// How good the evidence is. A static fact can prove *no*; only a probed one can prove *yes*.
enum class Tier : std::uint8_t { static_, queried, probed };
[[nodiscard]] std::string_view to_string(Tier tier);  ///< `static`, `queried`, `probed`

enum class SubjectKind : std::uint8_t { host, gpu, port, link, pair, set, library };
[[nodiscard]] std::string_view to_string(SubjectKind kind);

/// What a fact is about. `of`: none for the host; one GPU or port; two for a link (upper, lower) and for a pair
/// (first, second: a pair fact holds for that direction); the members for a set.
struct Subject {
  SubjectKind kind = SubjectKind::host;
  std::vector<Address> of;
  friend bool operator==(const Subject&, const Subject&) = default;
};

using FactValue = std::variant<bool, double, std::string>;

/// One addressable fact: `atomics.path@0000:0b:00.0`.
struct Fact {
  std::string id;
  Subject subject;
  Known<FactValue> value;
  Tier tier = Tier::static_;
  std::string evidence;  ///< what a person can check: `06:09.0 DevCap2 bit 6 = 0 (host.txt:120)`
  /// The ports that decide the value: the hops that block, the upper end of the slowest link, the port that redirects.
  std::vector<Address> at = {};
};

/// `atomics.path@0000:0b:00.0`; the members of a pair or set are joined by `,`; no `@` for the host.
[[nodiscard]] std::string reference(const Fact& fact);
/// The fact of that id and subject, or null.
[[nodiscard]] const Fact* find_fact(const std::vector<Fact>& facts, std::string_view id, const Subject& subject);

}  // namespace gpucoop
