#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace gpucoop::codeobj {

/// A reading position in MessagePack bytes. Asking for another kind than what comes next gives nothing and moves
/// nothing. Counts are checked against the bytes that are left, so whoever loops over one ends.
class MsgPack {
 public:
  explicit MsgPack(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

  [[nodiscard]] std::optional<std::uint64_t> map();    ///< its pairs
  [[nodiscard]] std::optional<std::uint64_t> array();  ///< its elements
  /// Points into the bytes.
  [[nodiscard]] std::optional<std::string_view> text();
  /// A number that is not negative.
  [[nodiscard]] std::optional<std::uint64_t> number();
  /// Passes over the next value, whatever it holds. False where the bytes end in it or are no MessagePack.
  [[nodiscard]] bool skip();

 private:
  struct Head {
    enum class Kind : std::uint8_t { number, negative, text, array, map, other } kind = Kind::other;
    std::uint64_t value = 0;  ///< the number, the count, or the length of what follows
    std::size_t size = 0;     ///< bytes of the head itself
  };
  [[nodiscard]] std::optional<Head> head() const;
  [[nodiscard]] std::optional<std::uint64_t> big_endian(std::size_t at, std::size_t n) const;
  [[nodiscard]] std::optional<std::uint64_t> take(Head::Kind kind);

  std::span<const std::uint8_t> rest_;
};

}  // namespace gpucoop::codeobj
