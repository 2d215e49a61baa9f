#include "analyse/isolation.hpp"

#include <utility>

namespace gpucoop {
namespace {

struct Ports {
  std::vector<Address> redirecting;
  std::string open;
  bool unseen = false;
};

void append(std::string& list, const Address& a) {
  if (!list.empty()) list += ", ";
  list += short_form(a);
}

void collect(const Chain& chain, std::size_t shared, Ports& ports) {
  for (std::size_t i = shared; i < chain.steps.size(); ++i) {
    const auto& step = chain.steps[i];
    ports.unseen = ports.unseen || (step.gap_above && i > 0);
    if (i + 1 == chain.steps.size()) break;
    if (step.facing == Facing::up || step.facing == Facing::other) continue;
    const auto redirect = step.device == nullptr ? Known<bool>{} : redirects(*step.device);
    if (redirect.is(true)) {
      ports.redirecting.push_back(step.address);
    } else if (!redirect.is_known()) {
      append(ports.open, step.address);
    }
  }
}

}  // namespace

Known<bool> redirects(const PciDevice& port) {
  if (port.acs.is_absent()) return false;
  const auto* acs = port.acs.get();
  if (acs == nullptr) return Known<bool>::unknown(port.acs.reason());
  const auto either = tri(acs->control.request_redirect) || tri(acs->control.completion_redirect);
  if (either == Tri::unknown) return Known<bool>::unknown(Reason::not_in_input);
  return either == Tri::yes;
}

Redirect redirect_between(const Chain& a, const Chain& b, std::size_t shared) {
  Ports ports;
  collect(a, shared, ports);
  collect(b, shared, ports);
  if (shared == 0) ports.unseen = ports.unseen || !a.reaches_root() || !b.reaches_root();
  if (!ports.redirecting.empty()) {
    std::string names;
    for (const auto& port : ports.redirecting) append(names, port);
    return {true, "ACS request or completion redirect is on at " + names, std::move(ports.redirecting)};
  }
  if (!ports.open.empty()) {
    return {Known<bool>::unknown(Reason::not_in_input), "ACS control was not read for " + ports.open, {}};
  }
  if (ports.unseen) {
    return {Known<bool>::unknown(Reason::not_in_input), "not all ports between the two were read", {}};
  }
  return {false, "no port between the two has ACS redirect on", {}};
}

}  // namespace gpucoop
