#include <optional>
#include <set>
#include <utility>

#include "read/text.hpp"
#include "read/tree/tree.hpp"
#include "read/tree/tree_line.hpp"

namespace gpucoop {
namespace {

/// Lines that are no part of a tree but may stand between its lines: wrapped names.
constexpr unsigned kGap = 4;
/// The nearest column of a branch inside another is 8 further right (`+-01.0--+-`): a smaller slip is no other branch.
constexpr std::ptrdiff_t kMostSlip = 6;
constexpr std::size_t kMostProblems = 16;
/// A bus label further right stands behind a bridge.
constexpr std::size_t kRootColumn = 8;

/// What the children of a bus or bridge inherit.
struct Context {
  bool top = false;  ///< above all roots: the children are root buses
  std::uint32_t domain = 0;
  std::optional<std::uint8_t> bus;  ///< none: the bridge's secondary bus is not printed
  std::optional<Address> parent;
  bool root_known = false;
  std::uint8_t root_bus = 0;
};

struct Branch {
  std::ptrdiff_t column = 0;
  Context context;
};

/// `1002:699f` into the device's ids.
bool take_ids(std::string_view text, PciDevice& device) {
  if (text.size() != 9 || text[4] != ':') return false;
  const auto vendor = parse_hex(text, 0, 4);
  const auto id = parse_hex(text, 5, 4);
  if (!vendor || !id) return false;
  device.vendor_id = static_cast<std::uint16_t>(*vendor);
  device.device_id = static_cast<std::uint16_t>(*id);
  return true;
}

/// Name and ids of -v, -nn and -n. Remarks that people write behind a branch are no names.
void take_text(std::string_view text, PciDevice& device) {
  if (const std::size_t remark = text.find("//"); remark != std::string_view::npos) text = text.substr(0, remark);
  text = trim(text);
  if (text.empty() || !(is_alpha(text.front()) || is_digit(text.front()))) return;
  if (take_ids(text, device)) return;
  if (text.size() > 12 && text.back() == ']' && text[text.size() - 11] == '[' &&
      take_ids(text.substr(text.size() - 10, 9), device)) {
    text = trim(text.substr(0, text.size() - 11));
  }
  device.name = std::string(text.substr(0, 300));
}

/// Root bus 00 of every known host begins with its host bridge or root port 00.0. A tree made from a dump of some
/// devices (`lspci -F`) looks complete and lacks it.
bool plausible_roots(const Tree& tree) {
  std::set<std::uint32_t> begun;
  std::set<std::uint32_t> needed;
  for (const PciDevice& device : tree.devices) {
    if (!device.stated_parent.is_absent() || device.address.bus != 0) continue;
    needed.insert(device.address.domain);
    if (device.address.device == 0) begun.insert(device.address.domain);
  }
  return needed == begun;
}

/// Tab stops every 8 columns, as `unexpand` and editors write them.
std::string expand_tabs(std::string_view line) {
  std::string result;
  for (const char c : line.substr(0, 2048)) {
    if (c == '\t') {
      result.append(8 - result.size() % 8, ' ');
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

struct TreeParser::State {
  std::vector<Tree> trees;
  std::vector<Branch> open;  ///< unclosed branches, left to right
  std::set<Address> seen;    ///< of the last tree
  std::size_t leaves = 0;    ///< devices of the last tree that would carry a name
  std::size_t named = 0;
  unsigned gap = kGap + 1;      ///< lines since the last tree line
  std::uint32_t skip_line = 0;  ///< last line left out
  std::string skip_text;

  Tree& tree() { return trees.back(); }
  [[nodiscard]] bool active() const { return !trees.empty() && gap <= kGap; }

  void begin(Place place, bool whole) {
    close();
    trees.emplace_back();
    tree().whole = whole;
    tree().first = place;
  }

  /// Ends the last tree: what needs all of its lines.
  void close() {
    if (!trees.empty()) {
      Tree& t = tree();
      if (!open.empty() || !plausible_roots(t)) t.whole = false;
      // Without -v no line carries a name: the few texts there are remarks.
      t.has_names = named * 2 > leaves;
      if (!t.has_names) {
        for (PciDevice& device : t.devices) device.name = {};
      }
    }
    open.clear();
    seen.clear();
    leaves = named = 0;
    skip_line = 0;
  }

  void skip(Place place, const std::string& text) {
    if (!active()) begin(place, false);
    Tree& t = tree();
    t.whole = false;
    const bool run = skip_line != 0 && place.line <= skip_line + 1 && text == skip_text;
    skip_line = place.line;
    if (run || t.problems.size() >= kMostProblems) return;
    skip_text = text;
    t.problems.push_back({place, text});
  }

  /// The open branch that a continuation line belongs to, or nullopt.
  std::optional<std::size_t> find_branch(const TreeLine& line) {
    const auto column = static_cast<std::ptrdiff_t>(*line.nodes.front().branch);
    std::size_t next = 0;
    bool pipes_fit = true;
    for (const std::size_t pipe : line.pipes) {
      while (next < open.size() && open[next].column < static_cast<std::ptrdiff_t>(pipe)) ++next;
      if (next == open.size() || open[next].column != static_cast<std::ptrdiff_t>(pipe)) pipes_fit = false;
    }
    if (pipes_fit) {
      for (std::size_t i = 0; i < open.size(); ++i) {
        if (open[i].column == column) return i;
      }
    }
    // Every open branch shows as a pipe left of the deepest one, so their number alone names the branch; the slip
    // must be one for all.
    const std::size_t depth = line.pipes.size();
    if (open.size() != depth + 1) return std::nullopt;
    const std::ptrdiff_t slip = column - open[depth].column;
    // A text that has lost its indentation begins at the first mark.
    const bool unindented = depth == 0 ? column == 0 : line.pipes.front() == 0;
    if (slip > kMostSlip || (slip < -kMostSlip && !unindented)) return std::nullopt;
    for (std::size_t i = 0; i < depth; ++i) {
      if (static_cast<std::ptrdiff_t>(line.pipes[i]) - open[i].column != slip) return std::nullopt;
    }
    for (Branch& branch : open) branch.column += slip;
    return depth;
  }

  void add_device(const TreeNode& node, const Context& context, const TreeLine& line, bool last_node, Place place) {
    PciDevice device;
    device.address = {context.domain, *context.bus, node.device, node.function};
    device.places.push_back(place);
    if (node.kind == TreeNode::Kind::device) {
      device.stated_parent = context.parent ? Known<Address>(*context.parent) : Known<Address>::absent();
      if (context.root_known) device.stated_root_bus = context.root_bus;
    }
    if (node.range && node.secondary != 0) {
      device.buses = BusNumbers{*context.bus, node.secondary, node.subordinate};
    }
    if (last_node && !node.bridge) {
      ++leaves;
      if (line.blanks >= 2) take_text(line.text, device);
      if (device.name.is_known() || device.vendor_id.is_known()) ++named;
    }
    if (!seen.insert(device.address).second) {
      skip(place, to_string(device.address) + " stands twice in this tree; the first is kept");
      return;
    }
    tree().devices.push_back(std::move(device));
  }

  void walk(const TreeLine& line, Context context, bool continued, Place place) {
    for (std::size_t i = 0; i < line.nodes.size(); ++i) {
      const TreeNode& node = line.nodes[i];
      if (node.branch && !(continued && i == 0) && !node.last) {
        open.push_back({static_cast<std::ptrdiff_t>(*node.branch), context});
      }
      if (node.kind == TreeNode::Kind::root) {
        if (context.top) {
          context = {};
          context.root_known = true;
          context.root_bus = node.bus;
          context.domain = node.domain;
        } else if (node.domain_printed) {
          context.domain = node.domain;
        }
        context.bus = node.bus;
        continue;
      }
      if (node.kind == TreeNode::Kind::filtered) {
        context = {};
        context.domain = node.domain;
        context.bus = node.bus;
      }
      if (context.top || !context.bus) {
        skip(place, "a device of this tree line has no bus number");
        return;
      }
      add_device(node, context, line, i + 1 == line.nodes.size(), place);
      context.parent = Address{context.domain, *context.bus, node.device, node.function};
      context.bus.reset();
      if (node.range && node.secondary != 0) context.bus = node.secondary;
    }
    if (line.cut) skip(place, "this tree line is cut");
  }

  void root_line(const TreeLine& line, bool whole, Place place) {
    begin(place, whole);
    gap = 0;
    Context top;
    top.top = true;
    walk(line, top, false, place);
  }

  void continuation(const TreeLine& line, Place place) {
    const TreeNode& first = line.nodes.front();
    const auto index = active() ? find_branch(line) : std::nullopt;
    if (!index) {
      if (first.kind == TreeNode::Kind::root && line.pipes.empty() && *first.branch < kRootColumn) {
        root_line(line, false, place);
      } else {
        skip(place, active() && !tree().devices.empty()
                        ? "this tree line fits no open branch and is left out"
                        : "the begin of this tree is missing; lines without their root are left out");
        gap = 0;
      }
      return;
    }
    gap = 0;
    if (*index + 1 < open.size()) {
      tree().whole = false;
      open.resize(*index + 1);
    }
    Context context = open[*index].context;
    if (first.last) open.pop_back();
    walk(line, context, true, place);
  }

  /// The BARs that newer versions print below a device (-tvv).
  [[nodiscard]] bool bar_line(std::string_view line) const {
    if (!active()) return false;
    std::vector<std::size_t> pipes;
    std::size_t end = 0;
    if (!tree_prefix(line, pipes, end) || end == 0) return false;
    const std::string_view rest = line.substr(end);
    return rest.substr(0, 10) == "Memory at " || rest.substr(0, 13) == "I/O ports at " ||
           rest.substr(0, 10) == "[virtual] ";
  }
};

TreeParser::TreeParser() : state_(std::make_unique<State>()) {}
TreeParser::~TreeParser() = default;
TreeParser::TreeParser(TreeParser&&) noexcept = default;
TreeParser& TreeParser::operator=(TreeParser&&) noexcept = default;

bool TreeParser::take(std::string_view line, Place place) {
  State& s = *state_;
  std::string expanded;
  if (s.active() && line.find_first_not_of(" |") < line.size() && line[line.find_first_not_of(" |")] == '\t') {
    expanded = expand_tabs(line);
    line = expanded;
  }
  const auto split = split_tree_line(line);
  if (!split || split->nodes.empty()) {
    if (s.bar_line(line)) {
      s.gap = 0;
      return true;
    }
    if (s.gap <= kGap) ++s.gap;
    return false;
  }
  if (split->begins) {
    s.root_line(*split, split->nodes.front().kind == TreeNode::Kind::root, place);
  } else {
    s.continuation(*split, place);
  }
  return true;
}

std::vector<Tree> TreeParser::finish() {
  state_->close();
  std::vector<Tree> trees = std::move(state_->trees);
  *state_ = State{};
  return trees;
}

}  // namespace gpucoop
