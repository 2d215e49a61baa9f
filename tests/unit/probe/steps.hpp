#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "probe/outcome.hpp"
#include "probe/run.hpp"

// Steps and how they end, without a process.
namespace gpucoop::probe::test {

inline Wish wish(unsigned devices, const std::string& backend = "host") {
  Wish w;
  for (unsigned i = 0; i < devices; ++i) w.devices.push_back(simulated_device(static_cast<std::uint16_t>(i)));
  w.backend = backend;
  return w;
}

/// The first step of that rung.
inline Planned step_of(const std::string& rung, unsigned devices = 2) {
  for (const auto& planned : make_plan(wish(devices))) {
    if (planned.rung->id == rung) return planned;
  }
  return {};
}

inline wire::StepResult answer(const Planned& planned, unsigned rank, ProbeState state = ProbeState::passed,
                               std::string reason = {}) {
  wire::StepResult result;
  result.id = planned.step.id;
  result.rank = rank;
  result.state = state;
  result.reason = std::move(reason);
  return result;
}

/// Every rank passes.
inline StepEnd good_end(const Planned& planned) {
  StepEnd end;
  for (const unsigned rank : planned.step.ranks) {
    end.results.push_back(answer(planned, rank));
    end.results.back().checked_words = 100;
    end.results.back().bytes = 64;
    RankEnd alive;
    alive.rank = rank;
    end.ranks.push_back(alive);
  }
  return end;
}

/// No rank answers.
inline StepEnd hung_end(const Planned& planned, Hang hang = Hang::all_waiting) {
  StepEnd end;
  end.timed_out = true;
  end.hang = hang;
  end.where_stuck = "all wait: rank 0 waits in set (ranks 0, 1) at round 3";
  for (const unsigned rank : planned.step.ranks) {
    RankEnd killed;
    killed.rank = rank;
    killed.how = RankEnd::How::killed;
    end.ranks.push_back(killed);
  }
  return end;
}

/// The ranks of a rung end as a script says; everything else passes.
class FakeTeam : public Team {
 public:
  using Script = std::function<StepEnd(const wire::Step&, const TeamSetup&)>;
  FakeTeam(Script script, TeamSetup setup) : script_(std::move(script)), setup_(std::move(setup)) {}
  StepEnd run(const wire::Step& step, const StepTime&, const std::function<bool()>& tick) override {
    StepEnd end = script_(step, setup_);
    if (!tick()) end.interrupted = true;
    if (end.timed_out) usable_ = false;
    return end;
  }
  [[nodiscard]] bool usable() const override { return usable_; }
  [[nodiscard]] std::vector<std::int32_t> processes() const override { return {4242, 4243}; }
  std::vector<RankEnd> end() override { return {}; }

 private:
  Script script_;
  TeamSetup setup_;
  bool usable_ = true;
};

}  // namespace gpucoop::probe::test
