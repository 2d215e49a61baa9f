#pragma once

#include <cstdint>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/recording.hpp"

namespace gpucoop {

/// A parsed XML file that can say on which line an element stands. No entity is expanded and no DTD is read.
class XmlDocument {
 public:
  /// Fails with `bad_input` and `file:line` where `bytes` are not well-formed, or larger than 64 MiB.
  [[nodiscard]] static Result<XmlDocument> parse(const std::string& name, std::string_view bytes);

  [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }
  [[nodiscard]] std::uint32_t line(pugi::xml_node node) const;
  [[nodiscard]] Place place(pugi::xml_node node) const { return {0, line(node)}; }
  [[nodiscard]] std::string where(pugi::xml_node node) const { return name_ + ':' + std::to_string(line(node)); }

 private:
  [[nodiscard]] std::uint32_t line_of(std::ptrdiff_t offset) const;

  std::string name_;
  pugi::xml_document document_;
  std::vector<std::size_t> line_begins_;
};

/// Elements nested deeper than this are no topology.
constexpr unsigned kMostDepth = 128;

/// Visits the element children of `root` and theirs in document order, without recursion. `enter(node, scope)` gives
/// the scope of the children, or nullopt where they are not to be visited. False: the file is nested too deeply, and
/// what is deeper was left out.
template <class Scope, class Enter>
bool walk_elements(pugi::xml_node root, Scope scope, Enter&& enter) {
  struct Item {
    pugi::xml_node node;
    std::size_t scope;
    unsigned depth;
  };
  std::vector<Scope> scopes{std::move(scope)};
  std::vector<Item> items;
  bool complete = true;
  const auto push_children = [&items](pugi::xml_node node, std::size_t index, unsigned depth) {
    for (pugi::xml_node c = node.last_child(); c; c = c.previous_sibling()) {
      if (c.type() == pugi::node_element) items.push_back({c, index, depth});
    }
  };
  push_children(root, 0, 1);
  while (!items.empty()) {
    const Item item = items.back();
    items.pop_back();
    // Scopes belong to ancestors only: those of finished branches are dropped.
    scopes.resize(item.scope + 1);
    std::optional<Scope> inner = enter(item.node, scopes.back());
    if (!inner || !item.node.first_child()) continue;
    if (item.depth >= kMostDepth) {
      complete = false;
      continue;
    }
    scopes.push_back(std::move(*inner));
    push_children(item.node, scopes.size() - 1, item.depth + 1);
  }
  return complete;
}

/// `0x10de`, `10de`: all of `s` as a hexadecimal number of at most 8 digits.
[[nodiscard]] std::optional<std::uint32_t> parse_hex_number(std::string_view s);

}  // namespace gpucoop
