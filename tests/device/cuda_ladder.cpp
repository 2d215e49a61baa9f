// Does every step that a probe would plan, on GPUs of this host, and prints what came of each. For people who change
// the backends: no guard, no journal, no verdict.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "probe/plan.hpp"
#include "probe/team.hpp"

namespace {

using namespace gpucoop;
using namespace gpucoop::probe;

struct Arguments {
  TeamSetup setup;
  std::uint64_t most = ~std::uint64_t{0};
  bool wide = false;
  std::string only;
  std::chrono::milliseconds deadline{0};  ///< 0: each step's own
};

Arguments parse(int count, char** words) {
  Arguments out;
  out.setup.backend = "cuda";
  out.setup.privilege = Privilege{};  // stand-ins are found through LD_LIBRARY_PATH, also by root
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = words[i];
    const std::string value = words[i + 1];
    if (name == "--rank") out.setup.executable = value;
    if (name == "--device") out.setup.devices.push_back(value);
    if (name == "--library") out.setup.arguments.insert(out.setup.arguments.end(), {"--library", value});
    if (name == "--most") out.most = std::strtoull(value.c_str(), nullptr, 10);
    if (name == "--wide") out.wide = value == "yes";
    if (name == "--only") out.only = value;
    if (name == "--inject") out.setup.arguments.insert(out.setup.arguments.end(), {"--inject", value});
    if (name == "--deadline") out.deadline = std::chrono::milliseconds(std::strtoull(value.c_str(), nullptr, 10));
  }
  return out;
}

/// `ccl.allreduce`, or all of a family: `p2p.`
bool wanted(const std::string& only, const std::string& rung) {
  if (only.empty() || only == rung) return true;
  return only.back() == '.' && rung.compare(0, only.size(), only) == 0;
}

void print(const Planned& planned, const StepEnd& end) {
  std::string text;
  const wire::StepResult* worst = nullptr;
  for (const auto& result : end.results)
    if (worst == nullptr || (worst->state == ProbeState::passed && result.state != ProbeState::passed)) worst = &result;
  std::string word = worst == nullptr ? "nothing" : std::string(to_string(worst->state));
  if (end.timed_out) word = "timed-out";
  if (worst != nullptr) {
    text += worst->reason.empty() ? "" : " " + worst->reason;
    text += worst->wrong_how.empty() ? "" : " " + worst->wrong_how;
    text += worst->transport.empty() ? "" : " " + worst->transport;
    if (worst->latency_us.is_known()) text += fmt::format(" {:.2f} us", worst->latency_us.value());
    if (worst->gbytes_per_s.is_known()) text += fmt::format(" {:.2f} GB/s", worst->gbytes_per_s.value());
    if (worst->bus_gbytes_per_s.is_known()) text += fmt::format(" bus {:.2f} GB/s", worst->bus_gbytes_per_s.value());
    for (const auto& [name, value] : worst->answers) text += fmt::format(" {}={}", name, value);
  }
  text += end.where_stuck.empty() ? "" : " " + end.where_stuck;
  for (const auto& rank : end.ranks)
    if (!rank.output.empty()) text += fmt::format(" [rank {} wrote: {}]", rank.rank, rank.output.substr(0, 300));
  std::string ranks;
  for (const unsigned rank : planned.step.ranks) ranks += std::to_string(rank) + " ";
  std::printf("%-10s %-18s %-16s %-6s %7.3f s%s\n", word.c_str(), planned.rung->id.c_str(), planned.step.op.c_str(),
              ranks.c_str(), end.seconds, text.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments = parse(argc, argv);
  Wish wish;
  wish.backend = arguments.setup.backend;
  wish.wide = arguments.wide;
  for (std::size_t i = 0; i < arguments.setup.devices.size(); ++i)
    wish.devices.push_back(simulated_device(static_cast<std::uint16_t>(i)));
  std::unique_ptr<Team> team;
  int failed = 0;
  for (Planned& planned : make_plan(wish)) {
    if (!planned.skip.empty() || planned.on_demand) continue;
    if (!wanted(arguments.only, planned.rung->id)) continue;
    auto& sizes = planned.step.sizes;
    for (auto& size : sizes) size = std::min(size, arguments.most);
    if (team == nullptr || !team->usable()) {
      StepEnd how;
      auto started = Team::start(arguments.setup, how);
      if (!started.ok()) {
        print(planned, how);
        std::printf("FAIL no team: %s\n", started.error().what.c_str());
        return 1;
      }
      std::printf("team started in %.3f s\n", how.seconds);
      team = std::move(started).value();
    }
    const auto deadline = arguments.deadline.count() > 0 ? arguments.deadline : planned.deadline;
    const auto end = team->run(planned.step, deadline, [] { return true; });
    print(planned, end);
    for (const auto& result : end.results) failed += result.state != ProbeState::passed ? 1 : 0;
    failed += end.timed_out ? 1 : 0;
  }
  std::printf("%s, %d failed\n", failed == 0 ? "all good" : "NOT all good", failed);
  return failed == 0 ? 0 : 1;
}
