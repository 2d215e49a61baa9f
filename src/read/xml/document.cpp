#include "read/xml/document.hpp"

#include <algorithm>

#include "read/text.hpp"

namespace gpucoop {
namespace {

/// The largest topology file known is under 10 MiB; a file far beyond that is something else.
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

}  // namespace

Result<XmlDocument> XmlDocument::parse(const std::string& name, std::string_view bytes) {
  if (bytes.size() > kMostBytes) {
    return Error{ExitCode::bad_input, "an XML file of more than 64 MiB is no topology", name, ""};
  }
  XmlDocument result;
  result.name_ = name;
  result.line_begins_.push_back(0);
  for (std::size_t at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', at + 1)) {
    result.line_begins_.push_back(at + 1);
  }
  const pugi::xml_parse_result parsed = result.document_.load_buffer(bytes.data(), bytes.size());
  if (!parsed) {
    return Error{ExitCode::bad_input, std::string("XML that is not well-formed: ") + parsed.description(),
                 name + ':' + std::to_string(result.line_of(parsed.offset)),
                 "the file may be cut or edited; save it again"};
  }
  return result;
}

std::uint32_t XmlDocument::line_of(std::ptrdiff_t offset) const {
  const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0));
  const auto after = std::upper_bound(line_begins_.begin(), line_begins_.end(), at);
  return static_cast<std::uint32_t>(after - line_begins_.begin());
}

std::uint32_t XmlDocument::line(pugi::xml_node node) const { return line_of(node.offset_debug()); }

std::optional<std::uint32_t> parse_hex_number(std::string_view s) {
  if (starts_with(s, "0x") || starts_with(s, "0X")) s.remove_prefix(2);
  if (s.empty() || s.size() > 8) return std::nullopt;
  return parse_hex(s, 0, s.size());
}

}  // namespace gpucoop
