#include "probe/variants.hpp"

#include <algorithm>

namespace gpucoop::probe {
namespace {

bool failed(ProbeState state) {
  return state == ProbeState::failed || state == ProbeState::wrong_data || state == ProbeState::crashed ||
         state == ProbeState::hung || state == ProbeState::inconclusive;
}

}  // namespace

std::vector<const VariantRule*> variants_for(const Rules& rules, const std::string& library) {
  std::vector<const VariantRule*> found;
  for (const auto& variant : rules.variants) {
    const auto& libraries = variant.libraries;
    if (std::find(libraries.begin(), libraries.end(), library) != libraries.end()) found.push_back(&variant);
  }
  std::stable_partition(found.begin(), found.end(), [](const VariantRule* variant) { return variant->control; });
  return found;
}

std::string settings_in_words(const VariantRule& variant) {
  std::string text;
  for (const auto& setting : variant.set) text += (text.empty() ? "" : " ") + setting;
  return text;
}

std::vector<std::pair<std::string, std::string>> settings_of(const VariantRule& variant) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const auto& setting : variant.set) {
    const auto equal = setting.find('=');
    settings.emplace_back(setting.substr(0, equal), setting.substr(equal + 1));
  }
  return settings;
}

TeamSetup with_settings(TeamSetup setup, const VariantRule& variant) {
  auto& environment = setup.environment;
  for (const auto& setting : settings_of(variant)) {
    const auto same = [&](const auto& entry) { return entry.first == setting.first; };
    environment.erase(std::remove_if(environment.begin(), environment.end(), same), environment.end());
    environment.push_back(setting);
  }
  return setup;
}

bool goes_on(const std::vector<Tried>& tried) {
  return std::none_of(tried.begin(), tried.end(), [](const Tried& t) {
    return t.variant->control ? failed(t.state) : t.state == ProbeState::passed;
  });
}

Diagnosis diagnose(const std::vector<Tried>& tried) {
  Diagnosis diagnosis;
  const VariantRule* control_passed = nullptr;
  bool any = false;
  for (const auto& one : tried) {
    if (one.state == ProbeState::skipped) continue;
    any = true;
    if (one.variant->control && failed(one.state)) {
      diagnosis.kind = Diagnosis::Kind::inconclusive;
      diagnosis.finding = "it fails with the most careful settings as well (" + settings_in_words(*one.variant) +
                          "), so that no setting is to blame: look at the library, its version, the driver and the "
                          "processes' surroundings";
      return diagnosis;
    }
    if (one.state != ProbeState::passed) continue;
    if (one.variant->control) {
      control_passed = one.variant;
    } else if (diagnosis.cure == nullptr) {
      diagnosis.cure = one.variant;
    }
  }
  if (!any) return diagnosis;
  if (diagnosis.cure == nullptr) diagnosis.cure = control_passed;
  if (diagnosis.cure == nullptr) {
    diagnosis.kind = Diagnosis::Kind::not_cured;
    diagnosis.finding = "no other setting that was tried makes it work";
    return diagnosis;
  }
  diagnosis.kind = Diagnosis::Kind::cured;
  diagnosis.finding = "it works with " + settings_in_words(*diagnosis.cure) + " (" + diagnosis.cure->title +
                      "); what that costs: " + diagnosis.cure->cost;
  return diagnosis;
}

}  // namespace gpucoop::probe
