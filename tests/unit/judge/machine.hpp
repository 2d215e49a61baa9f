#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/address.hpp"
#include "model/report.hpp"

namespace gpucoop::test {

inline Address at(std::string_view text) { return parse_address(text).value(); }

/// Facts of a made-up host, spelled as short as a sentence about it.
class Machine {
 public:
  Machine& complete() { return host("host.listing_complete", true); }
  Machine& host(const std::string& id, FactValue value) {
    return put(id, {SubjectKind::host, {}}, std::move(value), Tier::static_);
  }

  /// A discrete GPU that answers, with its usual driver and a full-width link, and nothing said about AtomicOps.
  Machine& gpu(const std::string& vendor, const std::string& address) {
    const Subject of{SubjectKind::gpu, {at(address)}};
    put("gpu.vendor", of, vendor, Tier::static_);
    put("gpu.compute", of, true, Tier::static_);
    put("gpu.integrated", of, false, Tier::static_);
    put("gpu.present", of, true, Tier::static_);
    const std::string driver = vendor == "amd" ? "amdgpu" : vendor == "intel" ? "xe" : "nvidia";
    put("gpu.driver", of, driver, Tier::static_);
    put("gpu.driver_usable", of, true, Tier::static_);
    put("link.ceiling", of, 31.5, Tier::static_);
    put("link.state", of, std::string("full"), Tier::static_);
    return *this;
  }
  /// Sets a fact of a GPU, or replaces it.
  Machine& set(const std::string& address, const std::string& id, FactValue value, Tier tier = Tier::static_,
               std::vector<Address> ports = {}) {
    put(id, {SubjectKind::gpu, {at(address)}}, std::move(value), tier);
    facts.back().at = std::move(ports);
    return *this;
  }
  Machine& unknown(const std::string& address, const std::string& id, Reason reason) {
    put(id, {SubjectKind::gpu, {at(address)}}, true, Tier::static_);
    facts.back().value = Known<FactValue>::unknown(reason);
    return *this;
  }
  Machine& absent(const std::string& address, const std::string& id) {
    put(id, {SubjectKind::gpu, {at(address)}}, true, Tier::static_);
    facts.back().value = Known<FactValue>::absent();
    return *this;
  }
  Machine& library(const std::string& address, const std::string& id, bool value) {
    return put(id, {SubjectKind::library, {at(address)}}, value, Tier::queried);
  }
  /// For one direction.
  Machine& pair(const std::string& a, const std::string& b, const std::string& id, FactValue value,
                Tier tier = Tier::static_) {
    return put(id, {SubjectKind::pair, {at(a), at(b)}}, std::move(value), tier);
  }
  Machine& every_pair(const std::string& id, const FactValue& value, Tier tier = Tier::static_) {
    for (const auto& a : gpus()) {
      for (const auto& b : gpus()) {
        if (a != b) put(id, {SubjectKind::pair, {a, b}}, value, tier);
      }
    }
    return *this;
  }
  /// What a probe found about all GPUs together.
  Machine& probed(const std::string& id, bool value) {
    return put(id, {SubjectKind::set, gpus()}, value, Tier::probed);
  }
  Machine& every_gpu_probed(const std::string& id, bool value) {
    for (const auto& gpu : gpus()) put(id, {SubjectKind::gpu, {gpu}}, value, Tier::probed);
    return *this;
  }

  [[nodiscard]] std::vector<Address> gpus() const {
    std::vector<Address> list;
    for (const auto& f : facts) {
      if (f.id == "gpu.vendor") list.push_back(f.subject.of.front());
    }
    return list;
  }

  std::vector<Fact> facts;

 private:
  Machine& put(const std::string& id, const Subject& of, FactValue value, Tier tier) {
    std::erase_if(facts, [&](const Fact& f) { return f.id == id && f.subject == of; });
    Fact fact;
    fact.id = id;
    fact.subject = of;
    fact.value = std::move(value);
    fact.tier = tier;
    fact.evidence = "made up";
    facts.push_back(std::move(fact));
    return *this;
  }
};

/// `unknown/yes`, `no`, `unknown/null`: state and, where it is unknown, what is expected.
inline std::string outcome(const ModeVerdict& mode) {
  std::string text(to_string(mode.state));
  if (mode.state != ModeState::unknown) return text;
  return text + "/" + (mode.expected.is_known() ? std::string(to_string(mode.expected.value())) : "null");
}

inline const ModeVerdict& mode_of(const Judgement& judgement, std::string_view id) {
  for (const auto& mode : judgement.modes) {
    if (mode.id == id) return mode;
  }
  static const ModeVerdict none;
  return none;
}

}  // namespace gpucoop::test
