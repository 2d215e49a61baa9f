#pragma once

#include <string>

namespace gpucoop {

/// Something that a person should know about an input or a reading. `code` is stable and dotted
/// (`input.truncated`), `where` is `file:line` or an address and may be empty.
struct Warning {
  std::string code;
  std::string text;
  std::string where;
};

}  // namespace gpucoop
