#include "read/tree/tree_line.hpp"

#include "read/text.hpp"

namespace gpucoop {
namespace {

/// Reads the nodes of one line from left to right.
class Cursor {
 public:
  Cursor(std::string_view line, std::size_t pos) : line_(line), pos_(pos) {}

  [[nodiscard]] std::size_t pos() const { return pos_; }
  [[nodiscard]] std::string_view rest() const { return line_.substr(pos_); }
  [[nodiscard]] bool at_end() const { return pos_ >= line_.size(); }
  [[nodiscard]] char at(std::size_t ahead = 0) const {
    return pos_ + ahead < line_.size() ? line_[pos_ + ahead] : '\0';
  }
  bool eat(char c) {
    if (at() != c) return false;
    ++pos_;
    return true;
  }
  void skip(std::size_t n) { pos_ += n; }

  /// Hexadecimal digits, at least `least` and at most 8; 0 digits read where there are fewer.
  std::size_t hex(std::size_t least, std::size_t most, std::uint32_t& value) {
    value = 0;
    std::size_t n = 0;
    while (n < most) {
      const int d = hex_value(at(n));
      if (d < 0) break;
      value = (value << 4) | static_cast<std::uint32_t>(d);
      ++n;
    }
    if (n < least || hex_value(at(n)) >= 0) return 0;
    pos_ += n;
    return n;
  }

  /// `[0000:00]` or `[00]`.
  bool bus_label(TreeNode& node) {
    const std::size_t start = pos_;
    std::uint32_t value = 0;
    if (eat('[')) {
      std::size_t n = hex(2, 8, value);
      if (n >= 4 && eat(':')) {
        node.domain = value;
        node.domain_printed = true;
        n = hex(2, 2, value);
      }
      if (n == 2 && eat(']')) {
        node.kind = TreeNode::Kind::root;
        node.bus = static_cast<std::uint8_t>(value);
        return true;
      }
    }
    pos_ = start;
    return false;
  }

  /// `01.1`, and the range behind it.
  bool device(TreeNode& node) {
    const std::size_t start = pos_;
    std::uint32_t dev = 0;
    if (hex(2, 2, dev) == 2 && dev < 32 && eat('.')) {
      const int function = hex_value(at());
      if (function >= 0 && function < 8 && hex_value(at(1)) < 0) {
        ++pos_;
        node.device = static_cast<std::uint8_t>(dev);
        node.function = static_cast<std::uint8_t>(function);
        if (at() == '-') {
          node.bridge = true;
          range(node);
        }
        return true;
      }
    }
    pos_ = start;
    return false;
  }

 private:
  /// `-[01-03]-`, `-[04]-`, or only `-` where the secondary bus is 0.
  void range(TreeNode& node) {
    const std::size_t start = pos_;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    if (eat('-') && eat('[') && hex(2, 2, first) == 2) {
      last = first;
      if ((!eat('-') || hex(2, 2, last) == 2) && eat(']')) {
        node.range = true;
        node.secondary = static_cast<std::uint8_t>(first);
        node.subordinate = static_cast<std::uint8_t>(last);
        return;
      }
    }
    pos_ = start;
  }

  std::string_view line_;
  std::size_t pos_;
};

/// `0000:00:01.1-[01-03]-`: only a bridge begins a tree asked for with -s.
bool filtered_root(Cursor& cursor, TreeNode& node) {
  Cursor c = cursor;
  std::uint32_t domain = 0;
  std::uint32_t bus = 0;
  if (c.hex(4, 8, domain) == 0 || !c.eat(':') || c.hex(2, 2, bus) == 0 || !c.eat(':') || !c.device(node)) return false;
  if (!node.range || c.at() != '-') return false;
  node.kind = TreeNode::Kind::filtered;
  node.domain = domain;
  node.domain_printed = true;
  node.bus = static_cast<std::uint8_t>(bus);
  cursor = c;
  return true;
}

/// True where the rest of the line can be the begin of a node: the line was cut there.
bool cut_node(std::string_view rest) {
  return rest.size() < 16 && rest.find_first_not_of("0123456789abcdefABCDEF.[]:-+\\") == std::string_view::npos;
}

/// The nodes after the first one's marker. False: not a tree line.
bool nodes(Cursor& cursor, TreeNode node, TreeLine& line) {
  for (;;) {
    const bool known = node.kind == TreeNode::Kind::filtered || cursor.bus_label(node) || cursor.device(node);
    if (!known) {
      line.cut = true;
      return cut_node(cursor.rest());
    }
    const bool goes_on = node.kind == TreeNode::Kind::root || node.bridge;
    line.nodes.push_back(node);
    if (!goes_on) return cursor.at_end() || cursor.at() == ' ' || cursor.at() == '\t';
    while (cursor.eat('-')) {
    }
    if (cursor.at_end() || cursor.at() == ' ' || cursor.at() == '\t') return true;
    node = TreeNode{};
    if ((cursor.at() == '+' || cursor.at() == '\\') && cursor.at(1) == '-') {
      node.branch = cursor.pos();
      node.last = cursor.at() == '\\';
      cursor.skip(2);
    }
  }
}

}  // namespace

bool tree_prefix(std::string_view line, std::vector<std::size_t>& pipes, std::size_t& end) {
  // A tree deeper than lspci's own line buffer (1024) is no tree.
  for (end = 0; end < line.size() && end < 1024; ++end) {
    if (line[end] == '|') {
      pipes.push_back(end);
    } else if (line[end] != ' ') {
      return true;
    }
  }
  return false;
}

std::optional<TreeLine> split_tree_line(std::string_view line) {
  TreeLine result;
  std::size_t start = 0;
  // A signed mail writes `- -[0000:00]` for a line that begins with a dash (RFC 4880, 7.1).
  if (line.substr(0, 4) == "- -[" || line.substr(0, 5) == "- -+-") line.remove_prefix(2);
  if (!tree_prefix(line, result.pipes, start)) return std::nullopt;
  Cursor cursor(line, start);
  TreeNode node;
  if ((cursor.at() == '+' || cursor.at() == '\\') && cursor.at(1) == '-') {
    node.branch = start;
    node.last = cursor.at() == '\\';
    cursor.skip(2);
    if (hex_value(cursor.at()) < 0 && cursor.at() != '[') return std::nullopt;
  } else if (cursor.at() == '-' && cursor.at(1) == '[' && result.pipes.empty()) {
    cursor.skip(1);
    result.begins = true;
  } else if (cursor.at() == '-' && cursor.at(1) == '+' && cursor.at(2) == '-' && cursor.at(3) == '[') {
    node.branch = start + 1;
    cursor.skip(3);
    result.begins = true;
  } else if (result.pipes.empty() && filtered_root(cursor, node)) {
    result.begins = true;
  } else {
    return std::nullopt;
  }
  if (!nodes(cursor, node, result)) return std::nullopt;
  const std::string_view rest = line.substr(result.cut ? line.size() : cursor.pos());
  result.text = trim(rest);
  result.blanks = static_cast<std::size_t>(result.text.data() - rest.data());
  return result;
}

}  // namespace gpucoop
