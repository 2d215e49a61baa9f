#include "read/report/node.hpp"

#include <cmath>

namespace gpucoop::report_file {
namespace {

constexpr std::size_t kMostText = 16384;
constexpr std::size_t kMostLabel = 200;
constexpr double kMostNumber = 1e18;

}  // namespace

Node Node::at(std::string_view key) const {
  if (!json_->is_object()) fail("has to be an object");
  const auto found = json_->find(key);
  if (found == json_->end()) fail("`" + std::string(key) + "` is missing");
  return Node(*found, pointer_ + "/" + std::string(key));
}

std::optional<Node> Node::find(std::string_view key) const {
  if (!json_->is_object()) fail("has to be an object");
  const auto found = json_->find(key);
  if (found == json_->end() || found->is_null()) return std::nullopt;
  return Node(*found, pointer_ + "/" + std::string(key));
}

void Node::check_list(std::size_t most) const {
  if (!json_->is_array()) fail("has to be a list");
  if (json_->size() > most) fail("is longer than in any report");
}

bool Node::boolean() const {
  if (!json_->is_boolean()) fail("has to be true or false");
  return json_->get<bool>();
}

double Node::number() const {
  if (!json_->is_number()) fail("has to be a number");
  const auto value = json_->get<double>();
  if (!std::isfinite(value) || std::abs(value) >= kMostNumber) fail("is larger than anything that is measured");
  return value;
}

double Node::amount() const {
  const auto value = number();
  if (value < 0) fail("has to be a number from 0");
  return value;
}

std::uint64_t Node::whole() const {
  if (!json_->is_number_unsigned()) fail("has to be a whole number from 0");
  return json_->get<std::uint64_t>();
}

unsigned Node::small_whole() const {
  const auto value = whole();
  if (value > 0x7fffffffU) fail("is larger than anything that is counted here");
  return static_cast<unsigned>(value);
}

std::string Node::text() const {
  if (!json_->is_string()) fail("has to be text");
  const auto& value = json_->get_ref<const std::string&>();
  if (value.size() > kMostText) fail("is longer than any text of a report");
  return value;
}

std::string Node::label() const {
  auto value = text();
  if (value.size() > kMostLabel) fail("is longer than any name");
  return value;
}

Address Node::address() const {
  const auto value = parse_device(text());
  if (!value) fail("has to be a PCI address such as 0000:0b:00.0");
  return *value;
}

std::vector<Address> Node::addresses() const {
  std::vector<Address> result;
  each([&](const Node& entry) { result.push_back(entry.address()); });
  return result;
}

std::vector<std::string> Node::texts() const {
  std::vector<std::string> result;
  each([&](const Node& entry) { result.push_back(entry.text()); });
  return result;
}

std::string Node::text_or_empty(std::string_view key) const {
  const auto node = find(key);
  return node ? node->text() : std::string();
}

std::string Node::label_or_empty(std::string_view key) const {
  const auto node = find(key);
  return node ? node->label() : std::string();
}

Known<std::string> Node::known_text(std::string_view key) const {
  const auto node = find(key);
  return node ? Known<std::string>(node->text()) : Known<std::string>();
}

Known<double> Node::known_amount(std::string_view key) const {
  const auto node = find(key);
  return node ? Known<double>(node->amount()) : Known<double>();
}

Known<std::uint64_t> Node::known_whole(std::string_view key) const {
  const auto node = find(key);
  return node ? Known<std::uint64_t>(node->whole()) : Known<std::uint64_t>();
}

Known<bool> Node::known_boolean(std::string_view key) const {
  const auto node = find(key);
  return node ? Known<bool>(node->boolean()) : Known<bool>();
}

}  // namespace gpucoop::report_file
