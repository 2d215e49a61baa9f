#include "read/detect.hpp"

#include <algorithm>
#include <optional>

#include "read/text.hpp"

namespace gpucoop {
namespace {

constexpr const char* kNext = "take a list with `sudo lspci -D -nnvvvxxxx > host.txt` and give that file";

Error bad(const std::string& name, std::string what, std::string next = kNext) {
  return Error{ExitCode::bad_input, std::move(what), name, std::move(next)};
}

bool is_space(char c) { return is_blank(c) || c == '\n' || c == '\r'; }

bool is_binary(std::string_view bytes) {
  if (bytes.find('\0') != std::string_view::npos) return true;
  // Text has few control characters; a compressed or executable file is full of them.
  const auto head = bytes.substr(0, 65536);
  const auto control = std::count_if(head.begin(), head.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\x1b' && c != '\b';
  });
  return static_cast<std::size_t>(control) * 20 > head.size();
}

bool starts_with_element(std::string_view s, std::string_view name) {
  if (!starts_with(s, name)) return false;
  return s.size() == name.size() || is_space(s[name.size()]) || s[name.size()] == '>' || s[name.size()] == '/';
}

/// What a text whose first character is `<` is, or nullopt where that is no XML document.
std::optional<Result<InputKind>> detect_xml(const std::string& name, std::string_view s) {
  bool declared = false;
  for (;;) {
    while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
    std::string_view end;
    if (starts_with(s, "<?xml")) {
      end = "?>";
      declared = true;
    } else if (starts_with(s, "<!--")) {
      end = "-->";
    } else if (starts_with(s, "<!DOCTYPE")) {
      end = ">";
      declared = true;
    } else {
      break;
    }
    const auto at = s.find(end);
    if (at == std::string_view::npos) return std::nullopt;
    s.remove_prefix(at + end.size());
  }
  if (starts_with_element(s, "<topology")) return InputKind::hwloc_xml;
  if (starts_with_element(s, "<system")) return InputKind::nccl_xml;
  if (!declared || starts_with(s, "<html")) return std::nullopt;
  return bad(name, "this XML is neither an hwloc topology nor one of NCCL or RCCL",
             "make one with `lstopo --of xml`, or with NCCL_TOPO_DUMP_FILE=topology.xml");
}

/// `{` or `{ "key"`: a JSON object. Markup such as `{code}` goes on otherwise.
bool is_json_object(std::string_view s) {
  if (!starts_with(s, "{")) return false;
  s.remove_prefix(1);
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  return s.empty() || s.front() == '"' || s.front() == '}';
}

/// The begin of a line that opens a document inside prose.
std::size_t line_with(std::string_view bytes, std::string_view element) {
  for (std::size_t at = bytes.find(element); at != std::string_view::npos; at = bytes.find(element, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && is_blank(bytes[begin - 1])) --begin;
    if ((begin == 0 || bytes[begin - 1] == '\n') && starts_with_element(bytes.substr(at), element)) return at;
  }
  return std::string_view::npos;
}

}  // namespace

Result<InputKind> detect(const std::string& name, std::string_view bytes) {
  const bool blank = std::all_of(bytes.begin(), bytes.end(), is_space);
  if (blank) return bad(name, "the input is empty");
  if (starts_with(bytes, "\xff\xfe") || starts_with(bytes, "\xfe\xff")) {
    return bad(name, "the input is UTF-16 text", "convert it with `iconv -f UTF-16 -t UTF-8`");
  }
  if (is_binary(bytes)) return bad(name, "the input is binary data, no text");
  auto s = bytes;
  if (starts_with(s, "\xef\xbb\xbf")) s.remove_prefix(3);
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  if (is_json_object(s)) return InputKind::recording;
  if (!s.empty() && s.front() == '<') {
    if (auto kind = detect_xml(name, s)) return *kind;
  }
  // A document pasted below a sentence; lists of devices have no such lines.
  const auto topology = line_with(bytes, "<topology");
  const auto system = line_with(bytes, "<system");
  if (topology != std::string_view::npos && topology < system) return InputKind::hwloc_xml;
  if (system != std::string_view::npos) return InputKind::nccl_xml;
  return InputKind::text;
}

}  // namespace gpucoop
