#include "probe/ladder.hpp"

#include <algorithm>

namespace gpucoop::probe {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;

// What a copy goes through: less than a cache line, an odd number of words, pages, more than a BAR's window of 256 MiB
// would be too slow for a default.
const std::vector<std::uint64_t> kCopySizes = {4, 4 * 1021, 64 * kKiB, 1 * kMiB + 4, 64 * kMiB};
// The last one is timed.
const std::vector<std::uint64_t> kPairSizes = {4, 4 * 1021, 64 * kKiB, 32 * kMiB};
const std::vector<std::uint64_t> kCollectiveSizes = {4, 4 * 257, 10 * kKiB, 64 * kKiB, 1 * kMiB + 4, 64 * kMiB};
const std::vector<std::uint64_t> kSomeSizes = {8 * 3, 10 * kKiB, 1 * kMiB + 8};
// nccl-tests' range for latency, and two sizes for bandwidth; simulated devices leave out the last one.
const std::vector<std::uint64_t> kRateSizes = {8, 10 * kKiB, 64 * kKiB, 1 * kMiB, 32 * kMiB, 128 * kMiB};

constexpr const char* kFloat = "float32";
constexpr const char* kHalf = "bfloat16";

Rung one(std::string id, std::string what, std::vector<std::string> needs, std::vector<std::uint64_t> sizes) {
  Rung rung;
  rung.id = std::move(id);
  rung.what = std::move(what);
  rung.needs = std::move(needs);
  rung.trials = {{"", std::move(sizes), "", "", false}};
  return rung;
}

Rung pair(std::string id, std::string what, std::vector<std::string> needs, std::vector<Trial> trials) {
  Rung rung;
  rung.id = std::move(id);
  rung.area = Area::p2p;
  rung.who = Who::pairs;
  rung.what = std::move(what);
  rung.needs = std::move(needs);
  rung.least = 2;
  rung.deadline = seconds(15);
  rung.trials = std::move(trials);
  return rung;
}

Rung collective(std::string id, std::string what, std::vector<Trial> trials) {
  Rung rung;
  rung.id = std::move(id);
  rung.area = Area::collective;
  rung.who = Who::all;
  rung.what = std::move(what);
  rung.needs = {"ccl.init"};
  rung.library = true;
  rung.least = 2;
  rung.deadline = seconds(30);
  rung.trials = std::move(trials);
  return rung;
}

Rung of_area(Rung rung, Area area, seconds deadline) {
  rung.area = area;
  rung.deadline = deadline;
  return rung;
}

/// All sizes with the type that is compared best, and some with what engines send.
std::vector<Trial> moved(const std::string& op) {
  return {{op, kCollectiveSizes, kFloat, "", false},
          {op, kSomeSizes, kHalf, "", true},
          {op, kSomeSizes, "int64", "", true},
          {op, {3, 4 * kKiB + 1}, "uint8", "", true}};
}

std::vector<Trial> reduced(const std::string& op) {
  return {{op, kCollectiveSizes, kFloat, "sum", false}, {op, kSomeSizes, kHalf, "sum", false},
          {op, kSomeSizes, "float16", "sum", true},     {op, kSomeSizes, "float64", "sum", true},
          {op, kSomeSizes, "int32", "prod", true},      {op, kSomeSizes, "int64", "max", true},
          {op, kSomeSizes, "uint32", "min", true},      {op, kSomeSizes, kFloat, "avg", true}};
}

std::vector<Rung> make() {
  std::vector<Rung> all;
  all.push_back(one("gpu.dispatch", "a trivial kernel", {}, {}));
  all.push_back(one("hostcall.dispatch", "a kernel that calls back into the host", {"gpu.dispatch"}, {}));
  all.back().backends = {"hip", "host"};
  all.push_back(one("host.copy", "copies to the GPU and back", {"gpu.dispatch"}, kCopySizes));
  all.back().deadline = seconds(20);
  all.push_back(one("host.copy_rate", "timed copies to the GPU and back", {"host.copy"}, {64 * kMiB}));
  all.back().deadline = seconds(20);
  all.push_back(of_area(pair("host.handshake", "signals through host memory", {"gpu.dispatch"}, {{}}), Area::dispatch,
                        seconds(15)));
  Rung loopback = one("host.loopback", "processes reaching each other over TCP", {}, {});
  loopback.who = Who::all;
  all.push_back(loopback);

  all.push_back(pair("p2p.access", "asking the driver for access", {"gpu.dispatch"}, {{}}));
  all.push_back(pair("p2p.write", "writing into the other GPU's memory", {"p2p.access"},
                     {{"copy-engine", kPairSizes, "", "", false}, {"kernel", kPairSizes, "", "", false}}));
  all.push_back(pair("p2p.read", "reading the other GPU's memory", {"p2p.access"},
                     {{"copy-engine", kPairSizes, "", "", false}, {"kernel", kPairSizes, "", "", false}}));
  all.push_back(pair("p2p.handshake", "signals through the other GPU's memory", {"p2p.access"}, {{}}));
  all.push_back(pair("p2p.atomics", "counting together in one GPU's memory", {"p2p.access"}, {{}}));
  all.push_back(pair("peer.copy", "the runtime's own copy", {"gpu.dispatch"}, {{"", kPairSizes, "", "", false}}));
  all.push_back(pair("p2p.ipc", "opening another process's GPU memory", {"gpu.dispatch"},
                     {{"", {4 * 1021, 1 * kMiB}, "", "", false}}));

  all.push_back(collective("ccl.init", "a communicator", {{}}));
  all.back().needs = {"gpu.dispatch"};
  all.push_back(collective("ccl.allreduce", "all-reduce", reduced("all_reduce")));
  all.push_back(collective("ccl.broadcast", "broadcast", moved("broadcast")));
  all.push_back(collective("ccl.reduce", "reduce", reduced("reduce")));
  all.push_back(collective("ccl.sendrecv", "send and receive", moved("send_recv")));
  all.push_back(collective("ccl.allgather", "all-gather", moved("all_gather")));
  all.push_back(collective("ccl.reducescatter", "reduce-scatter", reduced("reduce_scatter")));
  all.push_back(collective("ccl.alltoall", "all-to-all", moved("all_to_all")));
  all.push_back(collective("ccl.allgatherv", "all-gather of uneven pieces", moved("all_gatherv")));
  all.push_back(collective("ccl.reducescatterv", "reduce-scatter of uneven pieces", reduced("reduce_scatterv")));
  all.push_back(collective("ccl.barrier", "barrier", {{"barrier", {}, "", "", false}}));

  all.push_back(of_area(collective("ccl.subgroups", "each group alone", {}), Area::groups, seconds(60)));
  all.push_back(of_area(collective("ccl.switching", "crossed groups in turn", {}), Area::groups, seconds(60)));
  all.back().needs = {"ccl.subgroups"};
  all.push_back(of_area(collective("ccl.concurrent", "two communicators at once",
                                   {{"all_reduce", {4, 64 * kKiB, 1 * kMiB + 4}, kFloat, "sum", false}}),
                        Area::collective, seconds(30)));
  all.push_back(collective("ccl.graph", "recording and replaying an all-reduce",
                           {{"all_reduce", {64 * kKiB, 1 * kMiB + 4}, kFloat, "sum", false}}));
  all.push_back(collective("ccl.recovery", "giving up a communicator that lacks a rank",
                           {{"abandoned", {1 * kMiB}, kFloat, "sum", true}}));
  all.back().needs = {"ccl.allreduce"};
  all.push_back(
      of_area(collective("ccl.latency", "timed all-reduces", {{"all_reduce", kRateSizes, kFloat, "sum", false}}),
              Area::rates, seconds(60)));
  all.back().needs = {"ccl.allreduce"};
  all.push_back(of_area(collective("ccl.soak", "all-reduces for a while",
                                   {{"all_reduce", {10 * kKiB, 1 * kMiB + 4}, kFloat, "sum", false}}),
                        Area::soak, seconds(60)));
  all.back().needs = {"ccl.allreduce"};
  return all;
}

std::string size_in_words(std::uint64_t bytes) {
  if (bytes >= kMiB && bytes % kMiB < kKiB) return std::to_string(bytes / kMiB) + " MiB";
  if (bytes >= kKiB && bytes % kKiB < 64) return std::to_string(bytes / kKiB) + " KiB";
  return std::to_string(bytes) + " B";
}

}  // namespace

const std::vector<Rung>& ladder() {
  static const std::vector<Rung> rungs = make();
  return rungs;
}

const Rung& recovery() {
  static const Rung rung = [] {
    Rung made = one("ccl.recovery", "a trivial kernel in fresh processes", {}, {});
    made.who = Who::all;
    return made;
  }();
  return rung;
}

const Rung* find_rung(std::string_view id) {
  const auto& all = ladder();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Rung& rung) { return rung.id == id; });
  return found == all.end() ? nullptr : &*found;
}

const std::vector<std::uint64_t>& collective_sizes() { return kCollectiveSizes; }

std::string sizes_in_words(const std::vector<std::uint64_t>& sizes) {
  if (sizes.empty()) return {};
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  if (*least == *most) return size_in_words(*least);
  return size_in_words(*least) + " to " + size_in_words(*most);
}

}  // namespace gpucoop::probe
