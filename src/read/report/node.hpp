#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/address.hpp"
#include "base/known.hpp"
#include "read/report/words.hpp"

// Internal to the reader of reports: a value of the document that knows where it is.
namespace gpucoop::report_file {

using Json = nlohmann::json;

/// What is wrong with the document. Thrown inside the reader, caught by `with_document`.
struct Mistake {
  std::string what;
  std::string pointer;  ///< JSON pointer
  std::string next;     ///< empty: the usual
};

/// More GPUs, hops, verdicts or runs than any report has. What is compared with each other stays cheap below that.
constexpr std::size_t kMostParts = 4096;

class Node {
 public:
  explicit Node(const Json& json, std::string pointer = {}) : json_(&json), pointer_(std::move(pointer)) {}

  [[noreturn]] void fail(std::string what, std::string next = {}) const {
    throw Mistake{std::move(what), pointer_, std::move(next)};
  }
  [[nodiscard]] const std::string& pointer() const { return pointer_; }

  /// The value under a key of an object. `at`: a missing key is a mistake; `find`: missing and null are nothing.
  [[nodiscard]] Node at(std::string_view key) const;
  [[nodiscard]] std::optional<Node> find(std::string_view key) const;
  /// Calls `f` with every entry of a list, which has at most so many.
  template <class F>
  void each(F&& f, std::size_t most = 65536) const {
    check_list(most);
    for (std::size_t i = 0; i < json_->size(); ++i) f(Node((*json_)[i], pointer_ + "/" + std::to_string(i)));
  }

  [[nodiscard]] bool is_boolean() const { return json_->is_boolean(); }
  [[nodiscard]] bool is_number() const { return json_->is_number(); }
  [[nodiscard]] bool is_text() const { return json_->is_string(); }

  [[nodiscard]] bool boolean() const;
  [[nodiscard]] double number() const;         ///< finite and below 1e18 either way
  [[nodiscard]] std::uint64_t whole() const;   ///< no fraction, not negative
  [[nodiscard]] unsigned small_whole() const;  ///< below 2^31
  [[nodiscard]] double amount() const;         ///< a number from 0
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string label() const;  ///< a name, at most 200 bytes of text
  [[nodiscard]] Address address() const;    ///< that of a simulated device as well
  [[nodiscard]] std::vector<Address> addresses() const;
  [[nodiscard]] std::vector<std::string> texts() const;
  template <class E>
  [[nodiscard]] E word() const {
    const auto value = recording_file::from_word<E>(text());
    if (!value) fail("'" + text().substr(0, 40) + "' is no word that this version knows here");
    return *value;
  }

  // The same for a key that may be missing or null: then "" or unknown.
  [[nodiscard]] std::string text_or_empty(std::string_view key) const;
  [[nodiscard]] std::string label_or_empty(std::string_view key) const;
  [[nodiscard]] Known<std::string> known_text(std::string_view key) const;
  [[nodiscard]] Known<double> known_amount(std::string_view key) const;
  [[nodiscard]] Known<std::uint64_t> known_whole(std::string_view key) const;
  [[nodiscard]] Known<bool> known_boolean(std::string_view key) const;

 private:
  void check_list(std::size_t most) const;

  const Json* json_;
  std::string pointer_;
};

}  // namespace gpucoop::report_file
