#include "read/lspci/header.hpp"

#include "read/lspci/class_names.hpp"
#include "read/text.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kMaxPath = 33;  // as many components as buses can be nested in practice, and one

struct ClassInText {
  std::optional<std::uint16_t> code;
  std::size_t name_begin = 0;  ///< where vendor and device begin
  bool certain = false;        ///< a class that lspci prints, not any text before a colon
};

/// `VGA compatible controller [0300]: `, `VGA compatible controller: `, `0300: `, `Class 0300: `.
std::optional<ClassInText> split_class(std::string_view rest) {
  constexpr std::size_t kLongest = 80;
  const auto head = rest.substr(0, kLongest);
  ClassInText found;
  std::size_t first = 0;
  for (std::size_t colon = head.find(':'); colon != std::string_view::npos; colon = head.find(':', colon + 1)) {
    if (colon + 1 < rest.size() && !is_blank(rest[colon + 1])) continue;
    if (first == 0) first = colon + 1;
    auto name = head.substr(0, colon);
    if (starts_with(name, "Class ") && name.size() == 10) name.remove_prefix(6);
    if (name.size() == 4) found.code = parse_hex(name, 0, 4);
    if (name.size() > 7 && name.back() == ']' && name[name.size() - 6] == '[') {
      found.code = parse_hex(name, name.size() - 5, 4);
      name = trim(name.substr(0, name.size() - 6));
    }
    if (!found.code) found.code = class_from_name(name);
    found.certain = found.code.has_value();
    found.name_begin = colon + 1;
    if (found.certain) return found;
  }
  if (first == 0) return std::nullopt;
  found.name_begin = first;
  return found;
}

/// `IOMMU group 17 `, `IOMMU Group 17: `, `Group 17:  ` before an address; `pos` is moved behind it.
std::optional<std::uint32_t> skip_group(std::string_view text, std::size_t& pos) {
  const auto at = find_ignoring_case(text.substr(0, 16), "group");
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t p = at + 5;
  while (p < text.size() && (is_blank(text[p]) || text[p] == ':')) ++p;
  std::size_t digits = 0;
  const auto number = parse_decimal_prefix(text.substr(p), digits);
  if (!number || *number > 0xffffff) return std::nullopt;
  p += digits;
  while (p < text.size() && (is_blank(text[p]) || text[p] == ':')) ++p;
  pos = p;
  return static_cast<std::uint32_t>(*number);
}

/// `00.0` of a -P path.
bool parse_short(std::string_view s, HeaderStart& start, std::size_t& length) {
  const auto device = parse_hex(s, 0, 2);
  if (!device || *device > 31 || s.size() < 4 || s[2] != '.' || s[3] < '0' || s[3] > '7') return false;
  if (s.size() > 4 && s[4] != '/' && !is_blank(s[4])) return false;
  start.device = static_cast<std::uint8_t>(*device);
  start.function = static_cast<std::uint8_t>(s[3] - '0');
  length = 4;
  return true;
}

bool parse_path(std::string_view s, HeaderStart& start, std::size_t& length) {
  std::size_t n = 0;
  auto address = parse_address_prefix(s, n);
  if (!address) return false;
  start.address = address;
  std::size_t pos = n;
  for (std::size_t component = 1; pos < s.size() && s[pos] == '/'; ++component) {
    if (component == kMaxPath) return false;
    const std::size_t before = pos;
    const auto part = s.substr(pos + 1);
    if (auto next = parse_address_prefix(part, n)) {
      next->domain = address->domain;
      start.parent = start.address;
      start.address = next;
    } else if (parse_short(part, start, n)) {
      start.address.reset();
      start.parent.reset();
      start.short_parent = s.substr(0, before);
    } else {
      return false;
    }
    pos += n + 1;
    start.path = s.substr(0, pos);
  }
  length = pos;
  return true;
}

/// A group in parentheses that ends `text`, such as `(rev c3)`; removed from it.
std::string_view take_last_group(std::string_view& text) {
  text = trim(text);
  if (text.empty() || text.back() != ')') return {};
  const auto open = text.rfind('(');
  if (open == std::string_view::npos) return {};
  const auto group = text.substr(open + 1, text.size() - open - 2);
  if (!starts_with(group, "rev ") && !starts_with(group, "prog-if ")) return {};
  text = trim(text.substr(0, open));
  return group;
}

/// `Device 1022:14e8` and `Vendor Device 14e8`: what lspci prints for what its list of names lacks.
void ids_from_unnamed(std::string_view name, PciDevice& device) {
  constexpr std::string_view kWord = "Device ";
  const auto at = name.rfind(kWord);
  if (at == std::string_view::npos || (at != 0 && !is_blank(name[at - 1]))) return;
  const auto tail = name.substr(at + kWord.size());
  const auto first = parse_hex(tail, 0, 4);
  if (!first) return;
  if (tail.size() == 4 && at != 0) {
    device.device_id = static_cast<std::uint16_t>(*first);
    return;
  }
  if (tail.size() != 9 || tail[4] != ':') return;
  const auto second = parse_hex(tail, 5, 4);
  if (!second) return;
  device.vendor_id = static_cast<std::uint16_t>(*first);
  device.device_id = static_cast<std::uint16_t>(*second);
}

}  // namespace

std::optional<IdsInText> last_ids(std::string_view text) {
  constexpr std::size_t kLength = 11;  // [vvvv:dddd]
  for (std::size_t close = text.rfind(']'); close != std::string_view::npos && close + 1 >= kLength;
       close = text.rfind(']', close - 1)) {
    const std::size_t open = close + 1 - kLength;
    if (text[open] != '[' || text[open + 5] != ':') continue;
    const auto vendor = parse_hex(text, open + 1, 4);
    const auto device = parse_hex(text, open + 6, 4);
    if (!vendor || !device) continue;
    return IdsInText{static_cast<std::uint16_t>(*vendor), static_cast<std::uint16_t>(*device), open};
  }
  return std::nullopt;
}

std::optional<HeaderStart> parse_header_start(std::string_view text) {
  HeaderStart start;
  std::size_t pos = 0;
  if (text.empty()) return std::nullopt;
  if (hex_value(text.front()) < 0) {
    start.iommu_group = skip_group(text, pos);
    if (!start.iommu_group) return std::nullopt;
  }
  std::size_t length = 0;
  if (!parse_path(text.substr(pos), start, length)) return std::nullopt;
  pos += length;
  if (pos >= text.size() || !is_blank(text[pos])) return std::nullopt;
  start.rest = trim(text.substr(pos));
  const auto found = split_class(start.rest);
  if (!found || (!found->certain && !last_ids(start.rest))) return std::nullopt;
  return start;
}

bool is_header_without_address(std::string_view text) {
  if (text.empty() || text.front() < 'A' || text.front() > 'Z') return false;
  const auto found = split_class(text);
  if (!found || !found->certain) return false;
  const auto name = trim(text.substr(found->name_begin));
  const auto word = name.substr(0, name.find(' '));
  // `Bridge: PM- B3-` is a register.
  return word.size() < name.size() && word.back() != '+' && word.back() != '-';
}

bool continues_header(std::string_view joined, std::size_t last_columns, bool flowed, bool apart,
                      std::string_view next) {
  if (next.empty()) return false;
  if (starts_with(next, "(rev ") || starts_with(next, "(prog-if ") || next.front() == ']') return true;
  const bool has_ids = last_ids(joined).has_value();
  if (next.front() == '[' && !has_ids && last_ids(next)) return true;
  if (apart && !last_ids(next)) return false;
  if (next.front() == '[' && !has_ids) return true;
  const auto open = joined.rfind('(');
  if (open != std::string_view::npos && joined.find(')', open) == std::string_view::npos &&
      (starts_with(joined.substr(open), "(rev") || starts_with(joined.substr(open), "(prog-if"))) {
    return true;
  }
  if (has_ids || joined.find("(rev ") != std::string_view::npos) {
    return flowed && !apart && joined.back() != ')' && joined.back() != ']';
  }
  if (flowed && !apart) return true;
  // Every printed class comes with ids (lspci -nn): without them the line is not over.
  const auto found = split_class(joined);
  if (found && found->name_begin >= 2 && joined.substr(0, found->name_begin - 1).back() == ']') return true;
  if (apart) return false;
  // A mailer breaks a line only where the next word would not have fitted.
  constexpr std::size_t kNarrowest = 71;
  constexpr std::size_t kWidest = 80;
  const auto word = next.find(' ') == std::string_view::npos ? next.size() : next.find(' ');
  return last_columns <= kWidest && last_columns + 1 + word >= kNarrowest;
}

bool read_header_rest(std::string_view rest, PciDevice& device) {
  // The end of emphasis or code.
  while (!rest.empty() && (rest.back() == '*' || rest.back() == '`')) rest.remove_suffix(1);
  const auto found = split_class(rest);
  if (!found) return false;
  if (found->code) device.class_code = *found->code;
  auto name = trim(rest.substr(found->name_begin));
  bool lost = false;
  for (int i = 0; i < 2; ++i) {
    const auto group = take_last_group(name);
    if (!starts_with(group, "rev ")) continue;
    if (const auto revision = parse_hex(group, 4, 2)) {
      lost = *revision == 0xff;
      if (!lost) device.revision = static_cast<std::uint8_t>(*revision);
    }
  }
  if (const auto ids = last_ids(name)) {
    device.vendor_id = ids->vendor;
    device.device_id = ids->device;
    name = trim(name.substr(0, ids->begin));
  } else if (name.size() == 9 && name[4] == ':') {
    const auto vendor = parse_hex(name, 0, 4);
    const auto id = parse_hex(name, 5, 4);
    if (vendor && id) {
      device.vendor_id = static_cast<std::uint16_t>(*vendor);
      device.device_id = static_cast<std::uint16_t>(*id);
      name = {};
    }
  } else {
    ids_from_unnamed(name, device);
    if (const auto group = name.rfind(" (rev "); group != std::string_view::npos) name = trim(name.substr(0, group));
  }
  if (!name.empty()) device.name = std::string(name);
  return lost;
}

}  // namespace gpucoop
