#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpucoop {

enum class Style { plain, bold, dim, good, warning, bad };

/// Lines of text of a given width, with or without colour. Everything that is put on it is escaped, and no line
/// is wider than the page (down to 40 columns).
class Page {
 public:
  Page(std::size_t columns, bool color) : columns_(columns < 40 ? 40 : columns), color_(color) {}

  /// One cell of a row: its texts are wrapped at `width` columns.
  struct Cell {
    std::string text;
    std::size_t width = 0;
    Style style = Style::plain;
    std::vector<std::string> below = {};  ///< further texts, each on lines of its own
  };

  [[nodiscard]] std::size_t width() const { return columns_; }

  void blank();
  void heading(std::string_view text);
  /// Wrapped at the page's width, every line indented by `indent`, those after the first by `hanging` more.
  void paragraph(std::size_t indent, std::string_view text, Style style = Style::plain, std::size_t hanging = 0);
  /// `lead` in `style` at `indent`, then `text` wrapped from column `at` on; on the next line where the lead is longer.
  void item(std::size_t indent, std::string_view lead, Style style, std::size_t at, std::string_view text);
  /// Cells side by side, two blanks apart, as many lines as the longest needs.
  void row(std::size_t indent, const std::vector<Cell>& cells);

  /// One line as it is, cut at the page's width.
  void verbatim(std::string_view line);

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void append(Style style, std::string_view text);

  std::size_t columns_;
  bool color_;
  std::string text_;
};

/// Breaks escaped text at blanks, and inside a word only where it is wider than `width`. At least one line.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace gpucoop
