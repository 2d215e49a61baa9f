#include "render/json_probe.hpp"

namespace gpucoop::json {
namespace {

constexpr std::string_view kPeer = "p2p.";

Value library(const ProbeRun& run) {
  if (run.library_name.empty()) return nullptr;
  return {{"name", run.library_name}, {"version", text(run.library_version)}};
}

}  // namespace

Value probe(const ProbeRun& run) {
  return {{"rung", run.rung},
          {"op", text(run.op)},
          {"gpus", run.gpus},
          {"ranks", run.ranks},
          {"backend", text(run.backend)},
          {"variant", text(run.variant)},
          {"state", to_string(run.state)},
          {"reason", text(run.reason)},
          {"bytes", known(run.bytes)},
          {"dtype", text(run.dtype)},
          {"wrong_words", known(run.wrong_words)},
          {"seconds", number(run.seconds)},
          {"deadline_s", number(run.deadline_s)},
          {"latency_us", number(run.latency_us)},
          {"gbytes_per_s", number(run.gbytes_per_s)},
          {"bus_gbytes_per_s", number(run.bus_gbytes_per_s)},
          {"transport", text(run.transport)},
          {"library", library(run)},
          {"simulated", run.simulated},
          {"findings", run.findings},
          {"facts", run.facts}};
}

PeerFacts::PeerFacts(const std::vector<Fact>& facts) {
  for (const Fact& fact : facts) {
    if (fact.subject.kind != SubjectKind::pair || fact.subject.of.size() != 2) continue;
    if (fact.id.compare(0, kPeer.size(), kPeer) != 0 || !fact.value.is_known()) continue;
    if (const bool* value = std::get_if<bool>(&fact.value.value())) {
      known_[{fact.subject.of[0], fact.subject.of[1]}][std::string_view(fact.id).substr(kPeer.size())] = *value;
    }
  }
}

Value PeerFacts::direction(const Address& a, const Address& b) const {
  Value result;
  const auto pair = known_.find({a, b});
  for (const char* what : {"access", "write", "read", "handshake", "ipc"}) {
    result[what] = nullptr;
    if (pair == known_.end()) continue;
    const auto value = pair->second.find(what);
    if (value != pair->second.end()) result[what] = value->second;
  }
  return result;
}

}  // namespace gpucoop::json
