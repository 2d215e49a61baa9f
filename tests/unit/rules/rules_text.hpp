#pragma once

#include <string>

namespace gpucoop::test {

/// A small valid catalogue that tests break in one place. Every entry starts at a line that its comment tells.
inline const std::string kSmallRules = R"([[fact]]
id = "a.read"
subject = "gpu"
type = "bool"
tier = "static"
title = "A was read"
meaning = "m"
established = "e"
settle = ["fix"]
source = "s"

[[fact]]
id = "a.size"
subject = "set"
type = "number"
tier = "static"
title = "size"
meaning = "m"
established = "e"
source = "s"

[[fact]]
id = "a.tried"
subject = "set"
type = "bool"
tier = "probed"
title = "A was tried"
meaning = "m"
established = "e"
expected = [{ gate = "readable" }]
source = "s"

[[gate]]
id = "readable"
title = "t"
meaning = "m"
source = "s"
require = [{ any_of = [{ fact = "a.read", is = true }], why = "{gpu} is not readable", remedies = ["fix"] }]

[[mode]]
id = "together"
title = "t"
meaning = "m"
unproven = "it was not tried"
source = "s"
require = [
  { any_of = [{ gate = "readable" }] },
  { any_of = [{ fact = "a.tried", is = true }], why = "it does not work" },
]

[[remedy]]
id = "fix"
title = "t"
text = "Fix {gpu}"
changes = ["a.read"]
cost = "c"
risk = "r"
source = "s"
)";

/// `text` with the first `from` replaced by `to`; the text itself where there is no `from`, so that the test fails.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace gpucoop::test
