#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/probe.hpp"
#include "probe/team.hpp"
#include "rules/rules.hpp"

// Settings under which a failed collective is tried again. Pure.
namespace gpucoop::probe {

/// The variants that the catalogue has for a library, the control first.
[[nodiscard]] std::vector<const VariantRule*> variants_for(const Rules& rules, const std::string& library);

/// `NCCL_P2P_DISABLE=1 NCCL_PROTO=Simple`
[[nodiscard]] std::string settings_in_words(const VariantRule& variant);
/// As an environment has them.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> settings_of(const VariantRule& variant);

/// A team with these settings in its environment, instead of what it has under the same names.
[[nodiscard]] TeamSetup with_settings(TeamSetup setup, const VariantRule& variant);

/// A second try under a variant, and how it ended.
struct Tried {
  const VariantRule* variant = nullptr;
  ProbeState state = ProbeState::skipped;
};

/// What second tries of one failure say.
struct Diagnosis {
  enum class Kind : std::uint8_t {
    none,          ///< nothing was tried
    cured,         ///< `cure` makes it work
    not_cured,     ///< the control was not tried or has none, and nothing helped
    inconclusive,  ///< the control failed as well: the fault lies elsewhere, and no setting is blamed or praised
  };
  Kind kind = Kind::none;
  const VariantRule* cure = nullptr;
  std::string finding;  ///< in words; empty where there is nothing to say
};

/// Whether there is need to try on: not after a control that failed, and not after a cure that is no control.
[[nodiscard]] bool goes_on(const std::vector<Tried>& tried);

/// The first variant that passed is the cure; the control only where no other one passed.
[[nodiscard]] Diagnosis diagnose(const std::vector<Tried>& tried);

}  // namespace gpucoop::probe
