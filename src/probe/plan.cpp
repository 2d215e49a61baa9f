#include "probe/plan.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace gpucoop::probe {
namespace {

using std::chrono::milliseconds;

// A rank gives up by itself before it is given up, so that it can say why. Not in collectives: there it matters where
// each rank stands when nobody gets on, which the supervisor sees as long as nobody has left.
constexpr milliseconds kRankMargin{1500};
constexpr milliseconds kCollectiveMargin{3000};
constexpr std::uint32_t kRounds = 1000;
constexpr std::uint32_t kFewRounds = 300;  ///< with a wait in between, of simulated devices
const std::vector<std::uint64_t> kGroupSizes = {2048, 65536, 1048584};
const std::vector<std::uint64_t> kSimulatedGroupSizes = {2048, 65536, 262152};

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

class Planner {
 public:
  Planner(const Wish& wish, std::uint32_t first_id) : wish_(wish), next_id_(first_id) {}

  void add(const Rung& rung) {
    if (!wanted(rung)) return;
    std::vector<unsigned> everybody(wish_.devices.size());
    std::iota(everybody.begin(), everybody.end(), 0U);
    if (auto why = impossible(rung); !why.empty()) {
      skipped(rung, everybody, std::move(why));
      return;
    }
    if (rung.area == Area::groups) {
      add_groups(rung, everybody);
      return;
    }
    switch (rung.who) {
      case Who::each:
        for (const unsigned rank : everybody) add_trials(rung, {rank});
        break;
      case Who::pairs:
        for (const unsigned from : everybody) {
          for (const unsigned to : everybody) {
            if (from != to) add_trials(rung, {from, to});
          }
        }
        break;
      case Who::all: add_trials(rung, everybody); break;
    }
  }

  void add_trials(const Rung& rung, const std::vector<unsigned>& ranks) {
    for (const auto& trial : rung.trials) {
      if (trial.wide && !wish_.wide) continue;
      auto planned = start(rung, ranks);
      planned.step.op = trial.op;
      planned.step.sizes = trial.sizes;
      if (wish_.most_bytes > 0 && (rung.who != Who::all || rung.area == Area::rates)) {
        for (auto& size : planned.step.sizes) size = std::min(size, wish_.most_bytes);
        planned.step.sizes.erase(std::unique(planned.step.sizes.begin(), planned.step.sizes.end()),
                                 planned.step.sizes.end());
      }
      planned.step.dtype = trial.dtype;
      planned.step.reduce = trial.reduce;
      if (rung.area == Area::rates) {
        planned.step.warmups = 5;
        planned.step.repetitions = 20;
      } else if (rung.area == Area::p2p || rung.id == "host.copy_rate") {
        planned.step.warmups = 1;
        planned.step.repetitions = 5;
      }
      if (rung.area == Area::soak) {
        planned.standstill = planned.deadline;
        set_soak(planned, wish_.soak);
      }
      plan_.push_back(std::move(planned));
    }
  }

  [[nodiscard]] std::vector<Planned> take() { return std::move(plan_); }

 private:
  [[nodiscard]] bool wanted(const Rung& rung) const {
    if (rung.area == Area::soak) return wish_.soak.count() > 0;
    // An all-reduce has to work before it can go on and on.
    if (wish_.soak.count() > 0 && (rung.id == "ccl.init" || rung.id == "ccl.allreduce")) return true;
    if (wish_.areas.empty() || wish_.areas.count(rung.area) != 0) return true;
    // What a wanted rung stands on is tried as well: it could not be judged otherwise.
    if (rung.id == "gpu.dispatch") return true;
    // Crossed groups are what experts over replicas need, and so is the rest of what those need.
    const std::vector<std::string> for_groups = {"ccl.init",       "ccl.allreduce",     "ccl.allgather",
                                                 "ccl.allgatherv", "ccl.reducescatter", "ccl.reducescatterv"};
    if (wish_.areas.count(Area::groups) != 0 && contains(for_groups, rung.id)) return true;
    return wish_.areas.count(Area::rates) != 0 && (rung.id == "ccl.init" || rung.id == "ccl.allreduce");
  }

  [[nodiscard]] std::string impossible(const Rung& rung) const {
    if (!rung.backends.empty() && !contains(rung.backends, wish_.backend)) {
      return rung.id == "hostcall.dispatch" ? "only AMD's runtime has host calls"
                                            : "the " + wish_.backend + " runtime has no such thing";
    }
    if (wish_.devices.size() < rung.least) {
      return "it takes " + std::to_string(rung.least) + " GPUs";
    }
    return {};
  }

  void add_groups(const Rung& rung, const std::vector<unsigned>& everybody) {
    const auto layout = wish_.layout.value_or(usual_layout(static_cast<unsigned>(everybody.size())));
    const auto divisions = divide(layout);
    if (divisions.empty()) {
      skipped(rung, everybody, "groups of one GPU have nothing to say to each other");
      return;
    }
    if (rung.id == "ccl.subgroups") {
      add_alone(rung, everybody, divisions);
      return;
    }
    if (!crosses(divisions)) {
      skipped(rung, everybody,
              "no groups cross with " + to_string(layout) + (wish_.layout ? "" : ": that takes 4 GPUs or more"));
      return;
    }
    add_switching(rung, everybody, divisions);
  }

  /// One step for each kind of groups: those of one kind share no rank.
  void add_alone(const Rung& rung, const std::vector<unsigned>& everybody, const std::vector<Division>& divisions) {
    for (const auto& division : divisions) {
      auto planned = start(rung, everybody);
      planned.step.op = "all_reduce";
      planned.step.sizes = wish_.most_bytes > 0 ? kSimulatedGroupSizes : kGroupSizes;
      planned.step.dtype = "float32";
      planned.step.reduce = "sum";
      planned.step.groups = division.groups;
      plan_.push_back(std::move(planned));
    }
  }

  void add_switching(const Rung& rung, const std::vector<unsigned>& everybody, const std::vector<Division>& divisions) {
    std::vector<wire::Group> groups;
    std::vector<std::string> kinds;
    for (const auto& division : divisions) {
      groups.insert(groups.end(), division.groups.begin(), division.groups.end());
      kinds.push_back(division.name);
    }
    std::vector<std::string> sequences = {"alternate"};
    // The two orders of operations in a layer with experts: facts, intel 5.3.
    if (contains(kinds, "tp") && contains(kinds, "dp")) sequences.emplace_back("moe-dp");
    if (contains(kinds, "tp") && contains(kinds, "ep")) sequences.emplace_back("moe-ep");
    for (const auto& sequence : sequences) {
      for (const auto sync : {wire::Sync::none, wire::Sync::stream, wire::Sync::rendezvous}) {
        auto planned = start(rung, everybody);
        planned.step.op = "all_reduce";
        planned.step.sizes = wish_.most_bytes > 0 ? kSimulatedGroupSizes : kGroupSizes;
        planned.step.dtype = "float32";
        planned.step.reduce = "sum";
        planned.step.groups = groups;
        planned.step.sequence = sequence;
        planned.step.sync = sync;
        planned.step.rounds = wish_.most_bytes > 0 && sync != wire::Sync::none ? kFewRounds : kRounds;
        planned.counts = sync == wire::Sync::none;
        planned.on_demand = !planned.counts && !(wish_.wide && sequence == "alternate");
        plan_.push_back(std::move(planned));
      }
    }
  }

  [[nodiscard]] Planned start(const Rung& rung, const std::vector<unsigned>& ranks) {
    Planned planned;
    planned.rung = &rung;
    planned.step.id = next_id_++;
    planned.step.rung = rung.id;
    planned.step.ranks = ranks;
    planned.step.seed = wish_.seed + planned.step.id;
    for (const unsigned rank : ranks) planned.gpus.push_back(wish_.devices[rank]);
    set_deadline(planned, wish_.timeout.value_or(rung.deadline));
    return planned;
  }

  static void set_deadline(Planned& planned, milliseconds deadline) {
    planned.deadline = deadline;
    const auto own =
        planned.rung->library ? deadline + kCollectiveMargin : deadline - std::min(kRankMargin, deadline / 4);
    planned.step.limit_ms = static_cast<std::uint32_t>(own.count());
  }

  void skipped(const Rung& rung, const std::vector<unsigned>& ranks, std::string why) {
    auto planned = start(rung, ranks);
    planned.skip = std::move(why);
    plan_.push_back(std::move(planned));
  }

  const Wish& wish_;
  std::uint32_t next_id_;
  std::vector<Planned> plan_;
};

}  // namespace

std::vector<Planned> make_plan(const Wish& wish) {
  Planner planner(wish, 1);
  for (const auto& rung : ladder()) planner.add(rung);
  return planner.take();
}

std::vector<Planned> plan_part(const Wish& wish, const Rung& rung, const std::vector<unsigned>& ranks,
                               std::uint32_t first_id) {
  Planner planner(wish, first_id);
  planner.add_trials(rung, ranks);
  return planner.take();
}

void set_soak(Planned& planned, milliseconds time) {
  // So long before their own limit ranks stop to go on (rank/collective_more.cpp).
  constexpr std::chrono::seconds kRoom(20);
  constexpr std::chrono::seconds kMore(10);
  const milliseconds own = time + kRoom;
  planned.step.limit_ms = static_cast<std::uint32_t>(own.count());
  planned.deadline = own + kMore;
}

std::string in_words(wire::Sync sync) {
  switch (sync) {
    case wire::Sync::none: return "without waiting in between";
    case wire::Sync::stream: return "each rank waiting for its own operation";
    case wire::Sync::rendezvous: return "all ranks meeting in between";
  }
  return {};
}

}  // namespace gpucoop::probe
