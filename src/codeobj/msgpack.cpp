#include "codeobj/msgpack.hpp"

namespace gpucoop::codeobj {

std::optional<std::uint64_t> MsgPack::big_endian(std::size_t at, std::size_t n) const {
  if (rest_.size() < at + n) return std::nullopt;
  std::uint64_t v = 0;
  for (std::size_t i = 0; i < n; ++i) v = v << 8 | rest_[at + i];
  return v;
}

std::optional<MsgPack::Head> MsgPack::head() const {
  using Kind = Head::Kind;
  if (rest_.empty()) return std::nullopt;
  const unsigned c = rest_[0];
  if (c < 0x80) return Head{Kind::number, c, 1};
  if (c < 0x90) return Head{Kind::map, c & 15, 1};
  if (c < 0xa0) return Head{Kind::array, c & 15, 1};
  if (c < 0xc0) return Head{Kind::text, c & 31, 1};
  if (c >= 0xe0) return Head{Kind::negative, 0, 1};
  const auto sized = [&](Kind kind, unsigned bytes, std::uint64_t more = 0) -> std::optional<Head> {
    const auto v = big_endian(1, bytes);
    if (!v) return std::nullopt;
    return Head{kind, *v + more, 1 + std::size_t{bytes}};
  };
  switch (c) {
    case 0xc0:  // nil, false, true
    case 0xc2:
    case 0xc3: return Head{Kind::other, 0, 1};
    case 0xc4:  // binary
    case 0xc5:
    case 0xc6: return sized(Kind::other, 1U << (c - 0xc4));
    case 0xc7:  // extension: its length, one byte of type
    case 0xc8:
    case 0xc9: return sized(Kind::other, 1U << (c - 0xc7), 1);
    case 0xca: return Head{Kind::other, 4, 1};
    case 0xcb: return Head{Kind::other, 8, 1};
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf: return sized(Kind::number, 1U << (c - 0xcc));
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: {
      const auto bytes = 1U << (c - 0xd0);
      auto found = sized(Kind::number, bytes);
      if (found && (found->value >> (8 * bytes - 1)) != 0) found->kind = Kind::negative;
      return found;
    }
    case 0xd4:  // extensions of fixed length
    case 0xd5:
    case 0xd6:
    case 0xd7:
    case 0xd8: return Head{Kind::other, 1 + (std::uint64_t{1} << (c - 0xd4)), 1};
    case 0xd9:
    case 0xda:
    case 0xdb: return sized(Kind::text, 1U << (c - 0xd9));
    case 0xdc:
    case 0xdd: return sized(Kind::array, 2U << (c - 0xdc));
    case 0xde:
    case 0xdf: return sized(Kind::map, 2U << (c - 0xde));
    default: return std::nullopt;
  }
}

std::optional<std::uint64_t> MsgPack::take(Head::Kind kind) {
  const auto found = head();
  if (!found || found->kind != kind || rest_.size() < found->size) return std::nullopt;
  // The least that an element or a pair takes: one byte, two bytes.
  const auto left = rest_.size() - found->size;
  if (kind == Head::Kind::array && found->value > left) return std::nullopt;
  if (kind == Head::Kind::map && found->value > left / 2) return std::nullopt;
  if (kind == Head::Kind::text && found->value > left) return std::nullopt;
  rest_ = rest_.subspan(found->size);
  return found->value;
}

std::optional<std::uint64_t> MsgPack::map() { return take(Head::Kind::map); }
std::optional<std::uint64_t> MsgPack::array() { return take(Head::Kind::array); }
std::optional<std::uint64_t> MsgPack::number() { return take(Head::Kind::number); }

std::optional<std::string_view> MsgPack::text() {
  const auto size = take(Head::Kind::text);
  if (!size) return std::nullopt;
  const auto bytes = rest_.first(*size);
  rest_ = rest_.subspan(*size);
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

bool MsgPack::skip() {
  for (std::uint64_t pending = 1; pending > 0; --pending) {
    const auto found = head();
    if (!found || rest_.size() < found->size) return false;
    const auto left = rest_.size() - found->size;
    std::uint64_t body = 0;
    switch (found->kind) {
      case Head::Kind::number:
      case Head::Kind::negative: break;
      case Head::Kind::text:
      case Head::Kind::other: body = found->value; break;
      case Head::Kind::array: pending += found->value; break;
      case Head::Kind::map: pending += 2 * found->value; break;
    }
    if (body > left || pending - 1 > left) return false;
    rest_ = rest_.subspan(found->size + body);
  }
  return true;
}

}  // namespace gpucoop::codeobj
