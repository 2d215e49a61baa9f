#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "model/library.hpp"

namespace gpucoop::codeobj {

/// Counts kernels and those that declare a hostcall buffer; keeps the first names of these.
class KernelTally {
 public:
  void add(std::string_view name, bool hostcall);
  /// Adds to what the target has.
  void add_to(CodeTarget& target) const;

 private:
  CodeTarget counts_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace gpucoop::codeobj
