#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/recording.hpp"

namespace gpucoop::recording_file {

/// Where in the document a value is: a list of steps upwards, which lives on the stack of the reading.
struct At {
  const At* up = nullptr;
  std::string_view key;
  std::size_t index = 0;

  /// As a JSON pointer: `/devices/3/address`.
  [[nodiscard]] std::string pointer() const;
};

/// The document is no JSON from the byte `at` on: an error with the line.
[[nodiscard]] Error not_json(
    const std::string& name, std::string_view bytes, std::size_t at, std::string what,
    std::string next = "copy the recording again, whole, or make it again with `gpucoop record -o FILE`");

/// What is wrong with a recording while it is read: the first error, and what was left out, counted.
class Problems {
 public:
  explicit Problems(std::string name) : name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  /// An error at a place; `next` may be empty.
  [[nodiscard]] Error error(std::string what, const At& at, std::string next = {}) const;
  /// Ends the reading, unless something has before.
  void fail(std::string what, const At& at);
  [[nodiscard]] const Status& failed() const { return failed_; }

  void unknown_key(const At& at) { unknown_.add(at); }
  void damaged(const At& at) { damaged_.add(at); }
  /// A warning for each kind of thing that was left out. `writer`: the program that made the recording.
  [[nodiscard]] std::vector<Warning> warnings(const std::string& writer) const;

 private:
  struct LeftOut {
    std::size_t count = 0;
    std::string first;
    void add(const At& at);
  };
  void warn(std::vector<Warning>& to, const char* code, const LeftOut& things, const std::string& what) const;

  std::string name_;
  Status failed_;
  LeftOut unknown_;
  LeftOut damaged_;
};

}  // namespace gpucoop::recording_file
