#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/fact.hpp"
#include "model/pci.hpp"
#include "model/recording.hpp"

namespace gpucoop {

/// Collects facts in a uniform way. Every fact is emitted, an unknown one with its reason.
class FactList {
 public:
  explicit FactList(const Recording& recording) : recording_(recording) {}

  /// `at`: the ports that decide the value.
  void add(std::string id, Subject subject, Known<FactValue> value, std::string evidence, std::vector<Address> at = {},
           Tier tier = Tier::static_);

  [[nodiscard]] std::vector<Fact> take() { return std::move(facts_); }
  /// ` (file:line)` of where a device was read, or nothing.
  [[nodiscard]] std::string cite(const PciDevice& device) const;

 private:
  const Recording& recording_;
  std::vector<Fact> facts_;
};

/// The same state with the value as a fact's.
template <class T>
[[nodiscard]] Known<FactValue> fact_value(const Known<T>& value) {
  if (value.is_absent()) return Known<FactValue>::absent();
  if (value.is_unknown()) return Known<FactValue>::unknown(value.reason());
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
    return FactValue(value.value());
  } else {
    return FactValue(static_cast<double>(value.value()));
  }
}
[[nodiscard]] Known<FactValue> fact_value(Tri value, Reason reason);
[[nodiscard]] Known<FactValue> fact_text(std::string_view text);

}  // namespace gpucoop
