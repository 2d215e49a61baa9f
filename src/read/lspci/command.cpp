#include "read/lspci/command.hpp"

#include "read/text.hpp"

namespace gpucoop {

std::optional<LspciCommand> parse_lspci_command(std::string_view text) {
  constexpr std::string_view kName = "lspci";
  constexpr std::size_t kLongest = 400;
  text = text.substr(0, kLongest);
  const auto at = text.find(kName);
  if (at == std::string_view::npos) return std::nullopt;
  if (at > 0 && (is_alpha(text[at - 1]) || is_digit(text[at - 1]) || text[at - 1] == '_')) return std::nullopt;
  auto rest = text.substr(at + kName.size());
  if (!rest.empty() && (is_alpha(rest.front()) || is_digit(rest.front()) || rest.front() == '_' || rest.front() == ':'))
    return std::nullopt;
  LspciCommand command;
  for (const std::string_view part : {"grep", "head", "tail", "awk", "sed ", " -d", "less -p"}) {
    if (rest.find(part) != std::string_view::npos) command.filtered = true;
  }
  for (std::size_t pos = rest.find(" -"); pos != std::string_view::npos; pos = rest.find(" -", pos + 2)) {
    std::size_t end = pos + 2;
    while (end < rest.size() && is_alpha(rest[end])) ++end;
    // `-s` alone or at the end of a cluster (`-nnvvs 01:00.0`).
    if (end == pos + 2 || rest[end - 1] != 's') continue;
    command.filtered = true;
    const auto value = trim(rest.substr(end));
    std::size_t length = 0;
    if (const auto address = parse_address_prefix(value, length)) command.address = address;
  }
  return command;
}

std::optional<Address> address_alone(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  constexpr std::string_view kMarks = "#=-*_`:[]<>() \t";
  if (text.size() > kLongest) return std::nullopt;
  const auto begin = text.find_first_not_of(kMarks);
  if (begin == std::string_view::npos) return std::nullopt;
  const auto end = text.find_last_not_of(kMarks);
  return parse_address(text.substr(begin, end + 1 - begin));
}

bool is_boundary(std::string_view text) {
  if (text.empty()) return false;
  if (starts_with(text, "```") || starts_with(text, "~~~")) return true;
  if ((text.front() == '$' || text.front() == '#') && (text.size() == 1 || text[1] == ' ' || text[1] == '#'))
    return true;
  constexpr std::size_t kLongestPrompt = 80;
  const auto head = text.substr(0, kLongestPrompt);
  for (std::size_t at = head.find_first_of("#$"); at != std::string_view::npos; at = head.find_first_of("#$", at + 1)) {
    if (at == 0 || (at + 1 < text.size() && text[at + 1] != ' ')) continue;
    if (head[at - 1] == ']' || head[at - 1] == '~' || head.substr(0, at).find('@') != std::string_view::npos)
      return true;
  }
  return false;
}

std::string_view without_list_marks(std::string_view text) {
  for (int depth = 0; depth < 4 && !text.empty(); ++depth) {
    const auto before = text.size();
    while (!text.empty() && (text.front() == '*' || text.front() == '`' || text.front() == '_')) text.remove_prefix(1);
    if (text.size() > 1 && (text[0] == '-' || text[0] == '+') && text[1] == ' ') text.remove_prefix(2);
    std::size_t digits = 0;
    while (digits < text.size() && digits < 6 && is_digit(text[digits])) ++digits;
    if (digits > 0 && digits + 1 < text.size() && (text[digits] == '.' || text[digits] == ')') &&
        text[digits + 1] == ' ') {
      text.remove_prefix(digits + 2);
    }
    // `cat -n`
    if (digits > 0 && digits < text.size() && text[digits] == '\t') text.remove_prefix(digits + 1);
    text = trim(text);
    if (text.size() == before) break;
  }
  return text;
}

}  // namespace gpucoop
