#include "analyse/fact_list.hpp"

namespace gpucoop {

void FactList::add(std::string id, Subject subject, Known<FactValue> value, std::string evidence,
                   std::vector<Address> at, Tier tier) {
  facts_.push_back({std::move(id), std::move(subject), std::move(value), tier, std::move(evidence), std::move(at)});
}

std::string FactList::cite(const PciDevice& device) const {
  if (device.places.empty()) return {};
  const auto place = to_string(recording_, device.places.front());
  return place.empty() ? std::string{} : " (" + place + ")";
}

Known<FactValue> fact_value(Tri value, Reason reason) {
  if (value == Tri::unknown) return Known<FactValue>::unknown(reason);
  return FactValue(value == Tri::yes);
}

Known<FactValue> fact_text(std::string_view text) { return FactValue(std::string(text)); }

}  // namespace gpucoop
