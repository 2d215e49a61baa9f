#pragma once

#include <string>
#include <vector>

#include "model/report.hpp"

namespace gpucoop {

/// One entry of the rules as a list names it.
struct RuleName {
  std::string kind;  ///< `mode`, `engine`, `engine-mode`, `gate`, `fact`, `remedy`, `log-cause`, …
  std::string id;
  std::string title;
};

/// What one set of GPUs of the host makes of a requirement.
struct NeedHere {
  Tri established = Tri::unknown;
  Tri expected = Tri::unknown;  ///< where it is not established
};

/// One requirement in words.
struct Need {
  std::string text;
  std::vector<std::string> ids;  ///< the facts and gates that it names
  std::vector<NeedHere> here;    ///< one for each set of the host; empty without a host
  std::vector<Need> inside;      ///< what the gates that it names need in turn
};

/// How a mode or gate stands for one set of GPUs.
struct StandingHere {
  std::vector<Address> set;
  std::string state;     ///< mode: `yes`, `degraded`, `no`, `unknown`; gate: `open`, `closed`, `unknown`
  std::string expected;  ///< the same words where the state is `unknown`; empty where nothing is expected
  std::string why;
  std::vector<Fact> evidence;  ///< the decisive facts, most decisive first
};

/// Everything that `explain ID` says. Parts that do not fit the kind of entry are empty.
struct Explanation {
  RuleName name;
  std::string meaning;
  std::string about;        ///< of a fact: what one such fact is about and what values it has
  std::string established;  ///< of a fact: how it is read or measured
  std::string expected;     ///< of a fact: what is expected while nobody has established it
  std::vector<Need> needs;
  std::vector<Need> prefers;
  std::vector<std::string> flags;     ///< of an engine's mode: what turns it on
  std::vector<Advice> advice;         ///< of an engine's mode (all of it, whether it holds here or not), or itself
  std::vector<std::string> patterns;  ///< of a log cause
  std::string next;                   ///< of a log cause: what to do
  std::vector<RuleName> used_by;
  std::vector<Remedy> remedies;  ///< of a remedy: itself
  std::string source;

  bool with_host = false;  ///< the rest is about a host
  std::vector<StandingHere> standing;
  std::vector<Fact> facts;            ///< of a fact: every one of the host
  std::vector<LogFinding> log;        ///< of a log cause: where the host's kernel log names it
  std::vector<Remedy> remedies_here;  ///< with the GPUs and ports of the host filled in
};

}  // namespace gpucoop
