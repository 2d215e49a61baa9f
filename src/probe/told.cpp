#include "probe/told.hpp"

#include <algorithm>
#include <utility>

namespace gpucoop::probe {

std::string how_it_stands(const std::vector<Trace>& traces, const std::string& rung, const std::vector<Address>& gpus) {
  const ProbeRun* failed = nullptr;
  const ProbeRun* refused = nullptr;
  const ProbeRun* skipped = nullptr;
  for (const auto& trace : traces) {
    if (trace.planned.rung->id != rung || !trace.run.variant.empty()) continue;
    const bool about = std::any_of(trace.planned.gpus.begin(), trace.planned.gpus.end(), [&](const Address& gpu) {
      return std::find(gpus.begin(), gpus.end(), gpu) != gpus.end();
    });
    if (!about || trace.run.state == ProbeState::passed) continue;
    (trace.run.state == ProbeState::skipped   ? skipped
     : trace.run.state == ProbeState::refused ? refused
                                              : failed) = &trace.run;
  }
  if (failed != nullptr) return "did not pass";
  if (refused != nullptr) return "was refused";
  return skipped != nullptr ? "was skipped" : "was not shown here";
}

void tell_crossed(std::vector<Trace>& traces, std::size_t at) {
  auto& run = traces[at].run;
  const auto& sequence = traces[at].planned.step.sequence;
  const auto passed = [&](wire::Sync sync) {
    return std::any_of(traces.begin(), traces.end(), [&](const Trace& trace) {
      return trace.planned.rung->id == "ccl.switching" && trace.planned.step.sequence == sequence &&
             trace.planned.step.sync == sync && trace.run.state == ProbeState::passed && trace.run.variant.empty();
    });
  };
  if (passed(wire::Sync::stream)) {
    run.findings.push_back(
        "crossed communicators disturb each other unless each rank waits for its own operation "
        "before the next: engines do not");
  } else if (passed(wire::Sync::rendezvous)) {
    run.findings.push_back(
        "crossed communicators disturb each other: each works alone, and in turn only where all "
        "ranks meet in between, which engines do not do (state of the library that is kept for the "
        "process instead of the communicator)");
  }
}

void add_cure(std::vector<Trace>& traces, std::size_t devices, const std::string& cure, std::vector<Fact>& facts) {
  const auto of_allreduce = std::find_if(facts.begin(), facts.end(), [&](const Fact& fact) {
    return fact.id == "ccl.allreduce" && fact.subject.of.size() == devices;
  });
  if (of_allreduce == facts.end()) return;
  Fact with{"ccl.works_with", of_allreduce->subject, Known<FactValue>::absent(), Tier::probed, {}, {}};
  if (of_allreduce->value.is(FactValue(true))) {
    with.evidence = "it works without any: " + of_allreduce->evidence;
    facts.push_back(std::move(with));
    return;
  }
  if (cure.empty()) return;
  with.value = FactValue(cure);
  with.evidence = "the first setting with which it passed, in fresh processes";
  Fact does{"ccl.with_setting", with.subject, FactValue(true), Tier::probed, "it passed with " + cure, {}};
  for (auto& trace : traces) {
    if (trace.planned.rung->id != "ccl.allreduce" || trace.run.variant != cure) continue;
    if (trace.run.state == ProbeState::passed) trace.run.facts = {reference(with), reference(does)};
  }
  facts.push_back(std::move(with));
  facts.push_back(std::move(does));
}

}  // namespace gpucoop::probe
