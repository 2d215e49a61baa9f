#pragma once

#include <string>
#include <vector>

namespace gpucoop::collective::nccl {

/// A variable of the environment that was changed for the library.
struct Change {
  std::string name;
  std::string value;   ///< what it is now; empty: it was removed
  std::string before;  ///< what the user had set; empty: nothing
};

/// What keeps a probe of one host on that host and its library able to tell what it does. What the user has set stays,
/// except where the library could not be watched then: those changes have `before`. To be called before the library is
/// loaded and before there are threads. `log`: the file that the library writes its log to.
[[nodiscard]] std::vector<Change> apply_hygiene(const std::string& log);

}  // namespace gpucoop::collective::nccl
