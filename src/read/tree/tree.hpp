#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/recording.hpp"

namespace gpucoop {

/// A line of a tree that was left out, and why. A run of lines with one reason is one problem.
struct TreeProblem {
  Place place;  ///< the first line
  std::string text;
};

/// One tree of `lspci -t` (with or without names and ids).
struct Tree {
  /// In the order printed, each address once: address, name and ids where printed, `stated_parent` (absent on a
  /// root bus), `stated_root_bus`, and `buses` where the range behind a bridge is printed. Nothing else is known.
  std::vector<PciDevice> devices;
  /// Begins with a root, every branch is closed and no line was left out: it lists every device of the host.
  bool whole = false;
  bool has_names = false;
  Place first;  ///< its first line
  std::vector<TreeProblem> problems;
};

/// Reads the trees in a text, line by line. A line is placed by its column, with tolerance for continuation lines
/// that all slipped by one distance (mail, quoting); a line that fits no open branch is left out as a problem, never
/// given a guessed parent. Format: pciutils ls-tree.c (show_tree_dev, show_tree_bus, show_tree_bridge).
class TreeParser {
 public:
  TreeParser();
  ~TreeParser();
  TreeParser(TreeParser&&) noexcept;
  TreeParser& operator=(TreeParser&&) noexcept;

  /// Takes a line without quoting and line end; columns must be those of the text (leading blanks kept).
  /// True: it belongs to a tree, also where it was left out. Every other line must be given as well: some of them
  /// end a tree. Costs a few steps for a line that is none.
  [[nodiscard]] bool take(std::string_view line, Place place);
  /// The trees read so far, in order; the parser is as new afterwards.
  [[nodiscard]] std::vector<Tree> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpucoop
