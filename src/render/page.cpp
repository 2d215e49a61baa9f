#include "render/page.hpp"

#include <algorithm>

#include "render/escape.hpp"

namespace gpucoop {
namespace {

std::string_view code(Style style) {
  switch (style) {
    case Style::plain: return "";
    case Style::bold: return "\x1b[1m";
    case Style::dim: return "\x1b[2m";
    case Style::good: return "\x1b[32m";
    case Style::warning: return "\x1b[33m";
    case Style::bad: return "\x1b[1;31m";
  }
  return "";
}

/// The longest prefix of `word` that fits, at least one character so that there is always progress.
std::size_t fitting(std::string_view word, std::size_t width) {
  std::size_t end = 0;
  while (end < word.size()) {
    std::size_t next = end + 1;
    while (next < word.size() && (static_cast<unsigned char>(word[next]) & 0xc0U) == 0x80) ++next;
    if (end != 0 && columns(word.substr(0, next)) > width) break;
    end = next;
  }
  return end;
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 1);
  std::vector<std::string> lines(1);
  std::size_t used = 0;
  while (!text.empty()) {
    const auto start = text.find_first_not_of(' ');
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    std::string_view word = text.substr(0, std::min(text.find(' '), text.size()));
    text.remove_prefix(word.size());
    std::size_t size = columns(word);
    if (used != 0 && used + 1 + size > width) {
      lines.emplace_back();
      used = 0;
    }
    while (size > width) {
      const std::size_t take = fitting(word, width);
      lines.back() = std::string(word.substr(0, take));
      lines.emplace_back();
      word.remove_prefix(take);
      size = columns(word);
    }
    if (used != 0) {
      lines.back() += ' ';
      ++used;
    }
    lines.back().append(word);
    used += size;
  }
  if (lines.size() > 1 && lines.back().empty()) lines.pop_back();
  return lines;
}

void Page::append(Style style, std::string_view text) {
  if (text.empty()) return;
  const std::string_view begin = color_ ? code(style) : "";
  text_ += begin;
  text_ += text;
  if (!begin.empty()) text_ += "\x1b[0m";
}

void Page::blank() { text_ += '\n'; }

void Page::heading(std::string_view text) {
  append(Style::bold, shorten(escape(text), columns_));
  text_ += '\n';
}

void Page::paragraph(std::size_t indent, std::string_view text, Style style, std::size_t hanging) {
  const std::string safe = wrap(escape(text), std::string::npos).front();  // one line, single blanks
  std::string_view rest = safe;
  std::size_t margin = std::min(indent, columns_ / 2);
  // The first line may be wider than the others, so it is wrapped on its own.
  const std::string first = wrap(rest, columns_ - margin).front();
  text_.append(margin, ' ');
  append(style, first);
  text_ += '\n';
  rest.remove_prefix(first.size());
  if (rest.empty()) return;
  margin = std::min(indent + hanging, columns_ / 2);
  for (const std::string& line : wrap(rest, columns_ - margin)) {
    text_.append(margin, ' ');
    append(style, line);
    text_ += '\n';
  }
}

void Page::item(std::size_t indent, std::string_view lead, Style style, std::size_t at, std::string_view text) {
  at = std::min(at, columns_ / 2);
  const std::string safe_lead = shorten(escape(lead), columns_ - indent);
  const auto lines = wrap(escape(text), columns_ - at);
  text_.append(indent, ' ');
  append(style, safe_lead);
  std::size_t used = indent + columns(safe_lead);
  bool fresh = true;
  for (const std::string& line : lines) {
    if (line.empty()) continue;
    if (!fresh || used >= at) {
      text_ += '\n';
      used = 0;
    }
    text_.append(at - used, ' ');
    text_ += line;
    fresh = false;
  }
  text_ += '\n';
}

void Page::row(std::size_t indent, const std::vector<Cell>& cells) {
  std::vector<std::vector<std::string>> wrapped;
  std::size_t height = 1;
  for (const Cell& cell : cells) {
    wrapped.push_back(wrap(escape(cell.text), cell.width));
    for (const std::string& text : cell.below) {
      const auto lines = wrap(escape(text), cell.width);
      wrapped.back().insert(wrapped.back().end(), lines.begin(), lines.end());
    }
    height = std::max(height, wrapped.back().size());
  }
  for (std::size_t i = 0; i < height; ++i) {
    std::size_t pending = indent;  // blanks are written only before text, so that no line ends in one
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string line = i < wrapped[c].size() ? wrapped[c][i] : std::string();
      if (!line.empty()) {
        text_.append(pending, ' ');
        append(cells[c].style, line);
        pending = 0;
      }
      pending += cells[c].width - std::min(columns(line), cells[c].width) + 2;
    }
    text_ += '\n';
  }
}

void Page::verbatim(std::string_view line) {
  text_ += shorten(escape(line), columns_);
  while (text_.back() == ' ') text_.pop_back();
  text_ += '\n';
}

}  // namespace gpucoop
