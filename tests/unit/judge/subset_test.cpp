#include "judge/subset.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "judge/machine.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

const std::vector<std::string> kFour = {"03:00.0", "0b:00.0", "13:00.0", "1b:00.0"};

Machine four(const std::string& vendor) {
  Machine m;
  m.complete();
  for (const auto& gpu : kFour) {
    m.gpu(vendor, gpu);
    if (vendor == "amd") m.set(gpu, "atomics.state", true);
  }
  return m;
}

/// A fact of a part of the GPUs.
void about_part(Machine& m, const std::string& id, const std::vector<std::string>& gpus, bool value) {
  Fact fact;
  fact.id = id;
  fact.subject.kind = SubjectKind::set;
  for (const auto& gpu : gpus) fact.subject.of.push_back(at(gpu));
  fact.value = FactValue(value);
  fact.tier = Tier::probed;
  fact.evidence = "made up";
  m.facts.push_back(fact);
}

std::string best_of(const Judgement& judgement, const std::string& mode) {
  const auto& best = mode_of(judgement, mode).best;
  if (!best) return "none";
  std::string text;
  for (const auto& gpu : best->gpus) text += short_form(gpu) + " ";
  text += to_string(best->state);
  if (best->state == ModeState::unknown) text += "/" + std::string(to_string(best->expected.value()));
  return text;
}

}  // namespace

TEST_CASE("one GPU that cannot take part is left out, with the reason") {
  auto m = four("amd");
  m.set("13:00.0", "atomics.state", false, Tier::static_, {at("12:00.0")});
  const auto judgement = judge(m.facts, builtin_rules());
  CHECK(outcome(mode_of(judgement, "tensor")) == "unknown/no");
  CHECK(best_of(judgement, "tensor") == "03:00.0 0b:00.0 1b:00.0 unknown/yes");
  CHECK(mode_of(judgement, "tensor").best->why.find("13:00.0 cannot reach the CPU (blocked at 12:00.0)") !=
        std::string::npos);
  // Crossed groups take four.
  CHECK(best_of(judgement, "expert-dp") == "none");
  // What all can do has no better part.
  CHECK(best_of(judgement, "layer-split") == "none");
}

TEST_CASE("two GPUs of four that fail leave two, three leave none") {
  auto m = four("amd");
  for (const char* gpu : {"0b:00.0", "13:00.0"}) m.set(gpu, "atomics.state", false);
  CHECK(best_of(judge(m.facts, builtin_rules()), "tensor") == "03:00.0 1b:00.0 unknown/yes");
  m.set("03:00.0", "atomics.state", false);
  CHECK(best_of(judge(m.facts, builtin_rules()), "tensor") == "none");
}

TEST_CASE("the GPU in most of the failing pairs is left out") {
  auto m = four("nvidia");
  m.every_pair("p2p.expected", std::string("likely"));
  m.pair("0b:00.0", "03:00.0", "p2p.write", false, Tier::probed);
  m.pair("0b:00.0", "1b:00.0", "p2p.write", false, Tier::probed);
  const auto judgement = judge(m.facts, builtin_rules());
  CHECK(outcome(mode_of(judgement, "tensor-custom-allreduce")) == "no");
  CHECK(best_of(judgement, "tensor-custom-allreduce") == "03:00.0 13:00.0 1b:00.0 unknown/yes");
  CHECK(mode_of(judgement, "tensor-custom-allreduce").best->why.find("writes between 0b:00.0 to 03:00.0") !=
        std::string::npos);
}

TEST_CASE("where all together fail without a GPU to blame, a part that a probe has tried is named") {
  auto m = four("nvidia");
  m.probed("ccl.init", true).probed("ccl.allreduce", false);
  CHECK(best_of(judge(m.facts, builtin_rules()), "tensor") == "none");
  const std::vector<std::string> pair = {"13:00.0", "03:00.0"};
  about_part(m, "ccl.allreduce", pair, false);
  CHECK(best_of(judge(m.facts, builtin_rules()), "tensor") == "none");
  const std::vector<std::string> other = {"1b:00.0", "0b:00.0"};
  for (const char* id : {"ccl.init", "ccl.allreduce", "ccl.allgather"}) about_part(m, id, other, true);
  const auto judgement = judge(m.facts, builtin_rules());
  CHECK(best_of(judgement, "tensor") == "0b:00.0 1b:00.0 yes");
  CHECK(mode_of(judgement, "tensor").best->why == "all together do not");
}

TEST_CASE("a chosen set is judged whatever its GPUs are") {
  auto m = four("amd");
  m.set("13:00.0", "atomics.state", false).gpu("nvidia", "23:00.0");
  JudgeOptions options;
  options.gpus = std::vector<Address>{at("03:00.0"), at("1b:00.0")};
  auto judgement = judge(m.facts, builtin_rules(), options);
  REQUIRE(judgement.sets.size() == 1);
  CHECK(judgement.sets.front().gpus == *options.gpus);
  CHECK(outcome(mode_of(judgement, "tensor")) == "unknown/yes");
  CHECK(judgement.warnings.empty());

  options.gpus = std::vector<Address>{at("03:00.0"), at("23:00.0")};
  judgement = judge(m.facts, builtin_rules(), options);
  CHECK(outcome(mode_of(judgement, "tensor")) == "no");
  CHECK(mode_of(judgement, "tensor").why == "GPUs of different vendors have no collective library in common");
  CHECK(mode_of(judgement, "tensor").remedies == std::vector<std::string>{"one-vendor"});
  CHECK(outcome(mode_of(judgement, "layer-split")) == "unknown/yes");

  options.gpus = std::vector<Address>{at("03:00.0")};
  judgement = judge(m.facts, builtin_rules(), options);
  CHECK(outcome(mode_of(judgement, "tensor")) == "no");
}

TEST_CASE("GPUs of different models limit what cuts a model into equal parts") {
  auto m = four("nvidia");
  for (const auto& gpu : kFour) m.set(gpu, "gpu.device", std::string(gpu == "0b:00.0" ? "10de:2684" : "10de:2204"));
  auto judgement = judge(m.facts, builtin_rules());
  CHECK(outcome(mode_of(judgement, "tensor")) == "unknown/degraded");
  CHECK(mode_of(judgement, "tensor").why == "the GPUs are of different models: the smallest and slowest sets the pace");
  CHECK(outcome(mode_of(judgement, "layer-split")) == "unknown/yes");
  for (const auto& gpu : kFour) m.set(gpu, "gpu.device", std::string("10de:2204"));
  judgement = judge(m.facts, builtin_rules());
  CHECK(outcome(mode_of(judgement, "tensor")) == "unknown/yes");
}
