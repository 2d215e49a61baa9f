#pragma once

#include <map>
#include <string_view>
#include <utility>

#include "model/report.hpp"
#include "render/json_value.hpp"

namespace gpucoop::json {

/// One entry of `probes`.
[[nodiscard]] Value probe(const ProbeRun& run);

/// What is established about peer traffic, for the `p2p` of pairs: looked up once for all of them.
class PeerFacts {
 public:
  explicit PeerFacts(const std::vector<Fact>& facts);
  /// `access`, `write`, … in the direction from `a` to `b`: true, false, or null where nobody has tried.
  [[nodiscard]] Value direction(const Address& a, const Address& b) const;

 private:
  std::map<std::pair<Address, Address>, std::map<std::string_view, bool>> known_;
};

}  // namespace gpucoop::json
