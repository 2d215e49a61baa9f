#pragma once

#include <string>

#include "model/requirement.hpp"

namespace gpucoop {

/// JUnit XML: one test suite for the host, one test case for each requirement. Only what is met passes: an unknown is a
/// failure, since nothing was shown; what hung is an error. Well-formed whatever the texts hold.
[[nodiscard]] std::string render_junit(const Report& report, const Verdict& verdict);

}  // namespace gpucoop
