#pragma once

#include <string>
#include <vector>

#include "analyse/chain.hpp"

namespace gpucoop {

/// Whether a port sends peer requests or completions up to the root (ACS control: Request Redirect or Completion
/// Redirect). No ACS capability: no redirect.
[[nodiscard]] Known<bool> redirects(const PciDevice& port);

/// The same for all ports that look down on the way between two functions: below their last common step, each side.
/// One port that redirects decides. `evidence` names the ports.
struct Redirect {
  Known<bool> value;
  std::string evidence;
  std::vector<Address> at;  ///< the ports that redirect
};
[[nodiscard]] Redirect redirect_between(const Chain& a, const Chain& b, std::size_t shared);

}  // namespace gpucoop
