#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "runtime/runtime.hpp"

namespace smoke {

using gpucoop::runtime::Deadline;
using gpucoop::runtime::Outcome;

inline Deadline in(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

/// One line for each check, and how many failed.
class Report {
 public:
  explicit Report(std::string section) : section_(std::move(section)) {}

  void line(const char* word, const std::string& what, const std::string& text) const {
    std::printf("%-5s %-6s %-34s %s\n", word, section_.c_str(), what.c_str(), text.c_str());
    std::fflush(stdout);
  }
  bool check(bool good, const std::string& what, const std::string& text = {}) {
    line(good ? "ok" : "FAIL", what, text);
    if (!good) ++failed_;
    return good;
  }
  template <class T>
  bool check(const Outcome<T>& outcome, const std::string& what, const std::string& text = {}) {
    if (outcome.ok()) return check(true, what, text);
    return check(false, what,
                 fmt::format("{}: {}", gpucoop::to_string(outcome.failure().state), outcome.failure().text));
  }
  void note(const std::string& what, const std::string& text) const { line("-", what, text); }
  [[nodiscard]] int failed() const { return failed_; }

 private:
  std::string section_;
  int failed_ = 0;
};

}  // namespace smoke
