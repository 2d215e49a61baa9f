#include "probe/plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "read/recording/probe_words.hpp"
#include "rules/rules.hpp"

using namespace gpucoop;
using namespace gpucoop::probe;

namespace {

Wish wish(unsigned devices, const std::string& backend = "host") {
  Wish w;
  for (unsigned i = 0; i < devices; ++i) w.devices.push_back(simulated_device(static_cast<std::uint16_t>(i)));
  w.backend = backend;
  return w;
}

std::map<std::string, unsigned> steps_of(const std::vector<Planned>& plan, bool skipped = false) {
  std::map<std::string, unsigned> counts;
  for (const auto& planned : plan) {
    if (planned.skip.empty() != skipped) ++counts[planned.rung->id];
  }
  return counts;
}

}  // namespace

TEST_CASE("every rung establishes a fact that the catalogue has, of the right subject") {
  for (const auto& rung : ladder()) {
    CAPTURE(rung.id);
    const auto* fact = find_fact_rule(builtin_rules(), rung.id);
    REQUIRE(fact != nullptr);
    CHECK(fact->tier != Tier::static_);
    const bool each = fact->subject == SubjectKind::gpu;
    CHECK(each == (rung.who == Who::each));
    CHECK((fact->subject == SubjectKind::pair) == (rung.who == Who::pairs));
    for (const auto& need : rung.needs) {
      REQUIRE(find_rung(need) != nullptr);
      CHECK(find_rung(need) < &rung);
    }
    CHECK_FALSE(rung.what.empty());
  }
}

TEST_CASE("a recording can keep every name that the ladder uses") {
  const auto kept = [](const std::string& text) {
    return text.empty() || recording_file::admitted_probe_words(text) == text;
  };
  for (const auto& rung : ladder()) {
    CHECK_MESSAGE(kept(rung.id), rung.id);
    for (const auto& trial : rung.trials) {
      CHECK_MESSAGE(kept(trial.op), trial.op);
      CHECK_MESSAGE(kept(trial.dtype), trial.dtype);
      CHECK_MESSAGE(kept(trial.reduce), trial.reduce);
    }
  }
  for (const auto& variant : builtin_rules().variants) {
    for (const auto& setting : variant.set) CHECK_MESSAGE(kept(setting), setting);
  }
}

TEST_CASE("the default tries every pair one way and the other, and the set as a whole") {
  const auto counts = steps_of(make_plan(wish(4)));
  CHECK(counts.at("gpu.dispatch") == 4);
  CHECK(counts.at("p2p.handshake") == 12);
  CHECK(counts.at("p2p.write") == 24);  // by copy engine and by kernel
  CHECK(counts.at("ccl.init") == 1);
  CHECK(counts.at("ccl.allreduce") == 2);
  CHECK(counts.at("ccl.subgroups") == 3);
  CHECK(counts.at("ccl.switching") == 9);
  CHECK(counts.count("ccl.soak") == 0);
}

TEST_CASE("what cannot be tried is in the plan with its reason") {
  const auto plan = make_plan(wish(2, "cuda"));
  const auto why = [&](const std::string& rung) {
    const auto found = std::find_if(plan.begin(), plan.end(), [&](const Planned& p) { return p.rung->id == rung; });
    return found == plan.end() ? std::string("not there") : found->skip;
  };
  CHECK(why("hostcall.dispatch") == "only AMD's runtime has host calls");
  CHECK(why("ccl.switching") == "no groups cross with tp=2: that takes 4 GPUs or more");
  CHECK(why("ccl.subgroups").empty());
  const auto alone = make_plan(wish(1));
  CHECK(steps_of(alone).count("ccl.init") == 0);
  CHECK(steps_of(alone, true).at("ccl.init") == 1);
  CHECK(steps_of(alone).count("p2p.write") == 0);
}

TEST_CASE("an area brings what it stands on") {
  auto some = wish(4);
  some.areas = {Area::groups};
  some.layout = parse_layout("tp=2,pp=2").value();
  const auto counts = steps_of(make_plan(some));
  CHECK(counts.at("gpu.dispatch") == 4);
  CHECK(counts.at("ccl.init") == 1);
  CHECK(counts.at("ccl.subgroups") == 2);
  CHECK(counts.at("ccl.switching") == 3);  // no replicas and no experts: one sequence
  CHECK(counts.count("p2p.write") == 0);
  CHECK(counts.count("ccl.broadcast") == 0);
  CHECK(counts.at("ccl.allgatherv") == 1);
}

TEST_CASE("only steps without any waiting in between speak for the crossed groups") {
  for (const auto& planned : make_plan(wish(4))) {
    if (planned.rung->id != "ccl.switching") continue;
    CHECK(planned.counts == (planned.step.sync == wire::Sync::none));
    CHECK(planned.on_demand == !planned.counts);
    CHECK(planned.step.rounds >= 1000);
    CHECK(planned.step.sizes.size() == 3);
    CHECK(planned.step.groups.size() == 5);
  }
}

TEST_CASE("a rank gives up before it is given up, but not in collectives") {
  auto hasty = wish(2);
  hasty.timeout = std::chrono::milliseconds(400);
  for (const auto& planned : make_plan(hasty)) {
    CHECK(planned.deadline == std::chrono::milliseconds(400));
    CHECK(planned.step.limit_ms == (planned.rung->library ? 3400 : 300));
  }
  for (const auto& planned : make_plan(wish(2))) {
    const auto own = planned.deadline.count() + (planned.rung->library ? 3000 : -1500);
    CHECK(planned.step.limit_ms == own);
  }
}

TEST_CASE("sizes are told as people say them") {
  CHECK(sizes_in_words({}) == "");
  CHECK(sizes_in_words({4}) == "4 B");
  CHECK(sizes_in_words(collective_sizes()) == "4 B to 64 MiB");
  CHECK(sizes_in_words({10240}) == "10 KiB");
  CHECK(sizes_in_words({3, 4097}) == "3 B to 4 KiB");
}

TEST_CASE("a soak brings what it stands on, and has a deadline of its own") {
  auto w = wish(2);
  w.areas = {Area::dispatch};
  w.soak = std::chrono::seconds(60);
  w.timeout = std::chrono::milliseconds(1000);
  const auto plan = make_plan(w);
  const auto has = [&](const std::string& rung) {
    return std::any_of(plan.begin(), plan.end(), [&](const Planned& p) { return p.rung->id == rung; });
  };
  CHECK(has("ccl.init"));
  CHECK(has("ccl.allreduce"));
  CHECK_FALSE(has("ccl.broadcast"));
  REQUIRE(plan.back().rung->id == "ccl.soak");
  CHECK(plan.back().deadline == std::chrono::seconds(90));
  CHECK(plan.back().standstill == std::chrono::seconds(1));
  CHECK(plan.back().step.limit_ms == 80000);
}
