#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/pci.hpp"

namespace gpucoop {

/// A part of a tree line after its prefix, left to right.
struct TreeNode {
  enum class Kind : std::uint8_t {
    root,     ///< `[0000:00]` or `[00]`: a bus of its own, not the secondary bus of the bridge before it
    device,   ///< `01.1`
    filtered  ///< `0000:00:01.1`, the begin of a tree that was asked for with -s
  };
  Kind kind = Kind::device;
  std::uint32_t domain = 0;     ///< root, filtered
  bool domain_printed = false;  ///< root
  std::uint8_t bus = 0;         ///< root, filtered
  std::uint8_t device = 0;
  std::uint8_t function = 0;
  bool bridge = false;  ///< device, filtered: something is or could be behind it
  bool range = false;   ///< device, filtered: `[01-03]` is printed
  std::uint8_t secondary = 0;
  std::uint8_t subordinate = 0;
  /// Column of the `+` or `\` before this node; none where it is an only child.
  std::optional<std::size_t> branch;
  bool last = false;  ///< `\`: the branch ends with this node
};

/// One line of a tree taken apart.
struct TreeLine {
  std::vector<std::size_t> pipes;  ///< columns of the `|` before the first node
  std::vector<TreeNode> nodes;
  std::string_view text;   ///< what follows the last node, trimmed
  std::size_t blanks = 0;  ///< how many blanks stand before it
  bool begins = false;     ///< the first line of a tree
  bool cut = false;        ///< ends inside a node
};

/// Takes a line apart where its characters are those of a tree line; nullopt where they are not.
[[nodiscard]] std::optional<TreeLine> split_tree_line(std::string_view line);

/// True where the line begins with blanks and `|` as a tree's continuation lines do; `pipes` are their columns.
[[nodiscard]] bool tree_prefix(std::string_view line, std::vector<std::size_t>& pipes, std::size_t& end);

}  // namespace gpucoop
