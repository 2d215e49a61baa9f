#include "judge/judge.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "judge/machine.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

Judgement judged(const Machine& machine) { return judge(machine.facts, builtin_rules()); }

std::string mode(const Machine& machine, std::string_view id) { return outcome(mode_of(judged(machine), id)); }

/// Two AMD cards, both on CPU slots with AtomicOps, nothing known about direct traffic.
Machine two_amd() {
  Machine m;
  m.complete().gpu("amd", "03:00.0").gpu("amd", "0b:00.0");
  for (const char* card : {"03:00.0", "0b:00.0"})
    m.set(card, "atomics.state", true).set(card, "path.cpu_attached", true);
  return m;
}

/// The same with the second card in a chipset slot that does not route AtomicOps and has one lane.
Machine blocked_amd() {
  auto m = two_amd();
  m.set("0b:00.0", "atomics.state", false, Tier::static_, {at("05:00.0"), at("06:09.0")});
  m.set("0b:00.0", "path.cpu_attached", false).set("0b:00.0", "link.ceiling", 1.969, Tier::static_, {at("06:09.0")});
  return m;
}

Machine gpus(const std::string& vendor, int count) {
  Machine m;
  m.complete();
  for (int i = 0; i < count; ++i) m.gpu(vendor, std::string(i < 10 ? "0" : "1") + std::to_string(i % 10) + ":00.0");
  return m;
}

/// Every collective has been run over all GPUs and was right.
Machine& with_collectives(Machine& m) {
  for (const char* id : {"ccl.init", "ccl.allreduce", "ccl.broadcast", "ccl.sendrecv", "ccl.allgather",
                         "ccl.reducescatter", "ccl.alltoall", "ccl.subgroups", "ccl.switching", "ccl.concurrent"}) {
    m.probed(id, true);
  }
  return m.every_gpu_probed("gpu.dispatch", true);
}

bool has(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace

TEST_CASE("an AMD card behind ports that do not route: collectives are expected not to work, the rest stays open") {
  const auto judgement = judged(blocked_amd());
  for (const char* id : {"tensor", "pipeline", "expert", "context", "ddp", "fsdp", "tensor-custom-allreduce"}) {
    CAPTURE(id);
    CHECK(outcome(mode_of(judgement, id)) == "unknown/no");
  }
  for (const char* id : {"layer-split", "data-parallel", "prefill-decode"}) {
    CAPTURE(id);
    CHECK(outcome(mode_of(judgement, id)) == "unknown/yes");
  }
  const auto& tensor = mode_of(judgement, "tensor");
  REQUIRE_FALSE(tensor.decided_by.empty());
  CHECK(tensor.decided_by.front() == "atomics.state@0000:0b:00.0");
  CHECK(has(tensor.decided_by, "library.hostcall@0000:0b:00.0"));
  CHECK(tensor.why.find("0b:00.0") != std::string::npos);
  CHECK(tensor.why.find("05:00.0 and 06:09.0") != std::string::npos);
  CHECK(tensor.why.find("unless the installed RCCL makes no host calls") != std::string::npos);
  CHECK(tensor.why.find("03:00.0") == std::string::npos);
  CHECK(tensor.remedies == std::vector<std::string>{"move-slot", "hostcall-free-rccl"});
  CHECK(tensor.settled_by.value_or("").find("all_reduce_perf -b 8 -e 64M -f 2 -g 2") != std::string::npos);
}

TEST_CASE("remedies name the cards and ports of this host, each once") {
  const auto judgement = judged(blocked_amd());
  std::vector<std::string> ids;
  std::vector<Remedy> of_modes;
  for (const auto& remedy : judgement.remedies) {
    // Engines' own ways ask for more: what joins the GPUs, and another way than one that was removed.
    const bool named = std::any_of(judgement.modes.begin(), judgement.modes.end(),
                                   [&](const ModeVerdict& m) { return has(m.remedies, remedy.id); });
    if (!named) continue;
    ids.push_back(remedy.id);
    of_modes.push_back(remedy);
  }
  REQUIRE(ids == std::vector<std::string>{"move-slot", "hostcall-free-rccl", "wider-slot"});
  CHECK(of_modes[0].text.rfind("Move 0b:00.0 to a slot", 0) == 0);
  CHECK(of_modes[0].text.find("(05:00.0 and 06:09.0)") != std::string::npos);
  CHECK(has(of_modes[0].changes, "atomics.state"));
  CHECK(of_modes[2].text.find("06:09.0") != std::string::npos);
  CHECK(of_modes[2].text.find("03:00.0") == std::string::npos);
}

TEST_CASE("both AMD cards on clean chains: tensor is expected, and only a probe would prove it") {
  const auto judgement = judged(two_amd());
  CHECK(outcome(mode_of(judgement, "tensor")) == "unknown/yes");
  CHECK(outcome(mode_of(judgement, "pipeline")) == "unknown/yes");
  CHECK(outcome(mode_of(judgement, "fsdp")) == "unknown/yes");
  const auto& tensor = mode_of(judgement, "tensor");
  CHECK(tensor.why ==
        "PCIe atomics reach the CPU from 03:00.0 and 0b:00.0, as RCCL may need; but no all-reduce has been run over "
        "these GPUs yet");
  CHECK(tensor.decided_by.at(0) == "atomics.state@0000:03:00.0");
  CHECK(has(tensor.decided_by, "ccl.allreduce@0000:03:00.0,0000:0b:00.0"));
  CHECK(tensor.remedies.empty());
}

TEST_CASE("AtomicOps that are not known leave AMD open, with what would make them known") {
  auto m = two_amd();
  m.unknown("0b:00.0", "atomics.state", Reason::no_root);
  const auto judgement = judged(m);
  const auto& tensor = mode_of(judgement, "tensor");
  CHECK(outcome(tensor) == "unknown/null");
  CHECK(
      tensor.why ==
      "not known for 0b:00.0: whether PCIe AtomicOps work between this GPU and the CPU (it can only be read as root)");
  CHECK(tensor.decided_by.at(0) == "atomics.state@0000:0b:00.0");
  CHECK(tensor.settled_by.value_or("").rfind("sudo lspci -D -nnvvvxxxx > host.txt", 0) == 0);
  CHECK(has(tensor.remedies, "root-dump"));
  CHECK_FALSE(has(tensor.remedies, "move-slot"));
  CHECK(mode(m, "layer-split") == "unknown/yes");
}

TEST_CASE("in a guest a hidden chain is unknown, and a root dump would not help") {
  auto m = two_amd();
  m.host("host.virtualized", true);
  m.unknown("03:00.0", "atomics.state", Reason::vm).unknown("0b:00.0", "atomics.state", Reason::vm);
  const auto judgement = judged(m);
  const auto& tensor = mode_of(judgement, "tensor");
  CHECK(outcome(tensor) == "unknown/null");
  CHECK_FALSE(has(tensor.remedies, "root-dump"));
  CHECK(has(tensor.remedies, "ask-driver"));
  CHECK(tensor.settled_by.value_or("").rfind("sudo dmesg", 0) == 0);
}

TEST_CASE("a guest whose root ports complete nothing: the library decides") {
  auto m = two_amd();
  m.host("host.virtualized", true);
  for (const char* card : {"03:00.0", "0b:00.0"}) {
    m.set(card, "atomics.state", false, Tier::static_, {at("00:1c.0")});
    m.unknown(card, "path.cpu_attached", Reason::vm);
  }
  CHECK(mode(m, "tensor") == "unknown/no");
  SUBCASE("it asks for host calls: no, without any probe") {
    m.library("03:00.0", "library.hostcall", true).library("0b:00.0", "library.hostcall", true);
    m.every_gpu_probed("hostcall.dispatch", false);
    const auto judgement = judged(m);
    const auto& tensor = mode_of(judgement, "tensor");
    CHECK(outcome(tensor) == "no");
    CHECK(tensor.why.find("unless") == std::string::npos);
    CHECK(has(tensor.remedies, "guest-function"));
    CHECK_FALSE(has(tensor.remedies, "move-slot"));
    CHECK(outcome(mode_of(judgement, "layer-split")) == "unknown/yes");
  }
  SUBCASE("it asks for none: expected, and yes once the collectives have run") {
    m.library("03:00.0", "library.hostcall", false).library("0b:00.0", "library.hostcall", false);
    CHECK(mode(m, "tensor") == "unknown/yes");
    CHECK(mode(with_collectives(m), "tensor") == "yes");
  }
}

TEST_CASE("a probe of the host call outweighs what was read of AtomicOps") {
  auto blocked = blocked_amd();
  blocked.set("0b:00.0", "hostcall.dispatch", true, Tier::probed);
  CHECK(mode(blocked, "tensor") == "unknown/degraded");  // one lane is left as the trouble
  auto clean = two_amd();
  clean.set("0b:00.0", "hostcall.dispatch", false, Tier::probed);
  CHECK(mode(clean, "tensor") == "unknown/no");
}

TEST_CASE("nothing about NVIDIA or Intel depends on AtomicOps") {
  for (const char* vendor : {"nvidia", "intel"}) {
    CAPTURE(vendor);
    std::vector<std::string> outcomes[3];
    int i = 0;
    for (const char* atomics : {"yes", "no", "unknown"}) {
      auto m = gpus(vendor, 2);
      for (const char* card : {"00:00.0", "01:00.0"}) {
        for (const char* id : {"atomics.state", "atomics.path", "atomics.driver", "atomics.requester_enabled"}) {
          if (std::string_view(atomics) == "unknown") {
            m.unknown(card, id, Reason::no_root);
          } else {
            m.set(card, id, std::string_view(atomics) == "yes", Tier::static_, {at("00:1c.0")});
          }
        }
      }
      for (const auto& verdict : judged(m).modes) {
        auto text = verdict.id + " " + outcome(verdict) + " " + verdict.why;
        for (const auto& reference : verdict.decided_by) text += " " + reference;
        CHECK(text.find("tomic") == std::string::npos);
        outcomes[i].push_back(text);
      }
      ++i;
    }
    CHECK(outcomes[0] == outcomes[1]);
    CHECK(outcomes[0] == outcomes[2]);
  }
}

TEST_CASE("two NVIDIA or two Intel cards are expected to work together") {
  CHECK(mode(gpus("nvidia", 2), "tensor") == "unknown/yes");
  CHECK(mode(gpus("intel", 2), "tensor") == "unknown/yes");
  CHECK(mode(gpus("intel", 2), "pipeline") == "unknown/yes");
  CHECK(mode_of(judged(gpus("nvidia", 2)), "tensor").settled_by.value_or("").rfind("gpucoop probe --collective", 0) ==
        0);
  CHECK(mode_of(judged(gpus("nvidia", 8)), "expert-dp")
            .settled_by.value_or("")
            .rfind("gpucoop probe --collective --groups tp=2,dp=4 ", 0) == 0);
  CHECK(mode_of(judged(gpus("intel", 2)), "tensor").settled_by.value_or("").rfind("mpirun -n 2 benchmark", 0) == 0);
  CHECK(mode_of(judged(gpus("nvidia", 2)), "tensor").why ==
        "nothing that was read stands against it; but no all-reduce has been run over these GPUs yet");
}

TEST_CASE("crossed groups take four GPUs, and nothing is expected of Intel there") {
  CHECK(mode(gpus("nvidia", 2), "expert-dp") == "no");
  CHECK(mode(gpus("nvidia", 4), "expert-dp") == "unknown/yes");
  CHECK(mode(gpus("intel", 4), "expert-dp") == "unknown/null");
}

TEST_CASE("groups that work alone and hang when alternated: tensor yes, crossed no, and plain tensor is the way out") {
  auto m = gpus("intel", 4);
  with_collectives(m).probed("ccl.switching", false);
  const auto judgement = judged(m);
  CHECK(outcome(mode_of(judgement, "tensor")) == "yes");
  const auto& crossed = mode_of(judgement, "expert-dp");
  CHECK(outcome(crossed) == "no");
  CHECK(crossed.why == "alternating between crossed groups hangs, even where each group works alone");
  CHECK(crossed.decided_by.at(0) == "ccl.switching@0000:00:00.0,0000:01:00.0,0000:02:00.0,0000:03:00.0");
  CHECK(crossed.remedies == std::vector<std::string>{"plain-tensor", "oneccl-groups"});
}

TEST_CASE("one GPU alone") {
  CHECK(mode(gpus("nvidia", 1), "tensor") == "no");
  CHECK(mode(gpus("nvidia", 1), "data-parallel") == "no");
  Machine excerpt;
  excerpt.gpu("amd", "03:00.0");
  const auto judgement = judged(excerpt);
  for (const auto& verdict : judgement.modes) {
    CAPTURE(verdict.id);
    CHECK(outcome(verdict) == "unknown/null");
    CHECK(verdict.why ==
          "only one GPU (03:00.0) was found that can be used, and not every device of the host may have been listed");
    CHECK(verdict.decided_by.at(0) == "set.gpus@0000:03:00.0");
    CHECK(has(verdict.remedies, "whole-listing"));
  }
  excerpt.host("host.listing_complete", false);
  CHECK(mode(excerpt, "tensor") == "unknown/null");
}

TEST_CASE("one blocked AMD card in an excerpt: nothing to run with one GPU, but a whole listing would tell more") {
  Machine m;
  m.gpu("amd", "06:00.0").set("06:00.0", "atomics.state", false, Tier::static_, {at("02:00.0")});
  const auto judgement = judged(m);
  const auto& tensor = mode_of(judgement, "tensor");
  CHECK(outcome(tensor) == "unknown/no");
  CHECK(tensor.settled_by.value_or("").rfind("sudo lspci -D -nnvvvxxxx", 0) == 0);
}

TEST_CASE("sets: the largest vendor, ties apart, integrated ones only without discrete ones") {
  auto m = gpus("nvidia", 2);
  m.gpu("amd", "20:00.0").gpu("intel", "00:02.0").set("00:02.0", "gpu.integrated", true);
  const auto mixed = judged(m);
  REQUIRE(mixed.sets.size() == 1);
  CHECK(mixed.sets[0].gpus == std::vector<Address>{at("00:00.0"), at("01:00.0")});
  REQUIRE(mixed.warnings.size() == 2);
  CHECK(mixed.warnings[0].text == "00:02.0 is left out: integrated");
  CHECK(mixed.warnings[1].text == "20:00.0 is left out: of another vendor");

  m.gpu("amd", "21:00.0");
  const auto tie = judged(m);
  REQUIRE(tie.sets.size() == 2);
  CHECK(tie.modes.size() == 2 * builtin_rules().modes.size());
  CHECK(std::count_if(tie.modes.begin(), tie.modes.end(), [](const ModeVerdict& v) { return v.id == "tensor"; }) == 2);

  Machine apu;
  apu.complete().gpu("amd", "c2:00.0").set("c2:00.0", "gpu.integrated", true).absent("c2:00.0", "link.ceiling");
  REQUIRE(judged(apu).sets.size() == 1);
  CHECK(mode(apu, "tensor") == "no");

  Machine two_apus = apu;
  two_apus.gpu("amd", "c3:00.0").set("c3:00.0", "gpu.integrated", true).absent("c3:00.0", "link.ceiling");
  for (const char* card : {"c2:00.0", "c3:00.0"}) two_apus.set(card, "atomics.state", true);
  CHECK(mode(two_apus, "tensor") == "unknown/yes");  // there is no link that could be too narrow

  apu.gpu("amd", "03:00.0");
  REQUIRE(judged(apu).sets.size() == 1);
  CHECK(judged(apu).sets[0].gpus == std::vector<Address>{at("03:00.0")});
}

TEST_CASE("a GPU that is held for a virtual machine or has fallen off the bus is in no set, and it is said") {
  auto m = gpus("nvidia", 2);
  m.set("01:00.0", "gpu.driver", std::string("vfio-pci")).set("01:00.0", "gpu.driver_usable", false);
  const auto held = judged(m);
  REQUIRE(held.sets.size() == 1);
  CHECK(held.sets[0].gpus.size() == 1);
  const auto& tensor = mode_of(held, "tensor");
  CHECK(outcome(tensor) == "no");
  CHECK(tensor.why ==
        "only one GPU (00:00.0) can be used here, and it takes at least two (left out: 01:00.0 bound to vfio-pci)");
  CHECK(has(tensor.remedies, "bind-driver"));
  CHECK_FALSE(has(tensor.remedies, "revive-gpu"));

  auto lost = gpus("amd", 2);
  lost.set("01:00.0", "gpu.present", false);
  const auto judgement = judged(lost);
  CHECK(has(mode_of(judgement, "tensor").remedies, "revive-gpu"));
  CHECK(judgement.remedies.at(0).text.rfind("01:00.0 does not answer", 0) == 0);
}

TEST_CASE("no GPU that can be used: modes are judged all the same, and nothing at all without a GPU") {
  auto m = gpus("nvidia", 2);
  for (const char* card : {"00:00.0", "01:00.0"}) {
    m.set(card, "gpu.driver", std::string("vfio-pci")).set(card, "gpu.driver_usable", false);
  }
  const auto judgement = judged(m);
  CHECK(judgement.sets.empty());
  REQUIRE(judgement.modes.size() == builtin_rules().modes.size());
  for (const auto& verdict : judgement.modes) CHECK(outcome(verdict) == "no");

  Machine display;
  display.gpu("other", "04:00.0").set("04:00.0", "gpu.compute", false);
  CHECK(mode(display, "tensor") == "unknown/null");
  display.complete();
  CHECK(mode(display, "tensor") == "no");
  CHECK(mode_of(judged(display), "tensor").remedies == std::vector<std::string>{"second-gpu"});
  CHECK(judged(display).warnings.empty());

  CHECK(judged(Machine().complete()).modes.empty());
  CHECK(judge({}, builtin_rules()).modes.empty());
}

TEST_CASE("a GPU without any driver is expected not to work until one is loaded") {
  auto m = gpus("amd", 2);
  for (const char* card : {"00:00.0", "01:00.0"}) m.set(card, "atomics.state", true);
  m.absent("01:00.0", "gpu.driver").unknown("01:00.0", "gpu.driver_usable", Reason::not_derivable);
  const auto judgement = judged(m);
  CHECK(outcome(mode_of(judgement, "data-parallel")) == "unknown/no");
  CHECK(mode_of(judgement, "data-parallel").why == "without a driver that computes: 01:00.0 (none is bound)");
  CHECK(mode_of(judgement, "data-parallel").remedies == std::vector<std::string>{"load-driver"});
  // Where the input does not say which driver is bound, none is held against it.
  m.unknown("01:00.0", "gpu.driver", Reason::not_in_input);
  CHECK(mode(m, "data-parallel") == "unknown/yes");
}

TEST_CASE("links: narrow ones degrade what needs them, idle ones do not, a fabric makes up for them") {
  auto m = gpus("nvidia", 2);
  m.set("01:00.0", "link.ceiling", 3.938, Tier::static_, {at("00:1c.0")});
  CHECK(mode(m, "tensor") == "unknown/degraded");
  CHECK(mode_of(judged(m), "tensor").why == "the link of 01:00.0 carries at most 3.94 GB/s (at 00:1c.0)");
  CHECK(mode(m, "layer-split") == "unknown/yes");
  m.every_pair("fabric.direct", true);
  CHECK(mode(m, "tensor") == "unknown/yes");

  auto eight_lanes = gpus("nvidia", 2);
  eight_lanes.set("01:00.0", "link.ceiling", 15.75);
  CHECK(mode(eight_lanes, "tensor") == "unknown/yes");
  CHECK(mode(eight_lanes, "fsdp") == "unknown/degraded");

  auto idle = gpus("nvidia", 2);
  idle.set("01:00.0", "link.state", std::string("idle")).set("01:00.0", "link.rate", 4.0);
  CHECK(mode(idle, "tensor") == "unknown/yes");
  idle.set("01:00.0", "link.state", std::string("downgraded"));
  CHECK(mode(idle, "tensor") == "unknown/degraded");
  CHECK(mode_of(judged(idle), "tensor").remedies == std::vector<std::string>{"reseat"});
  with_collectives(idle);
  CHECK(mode(idle, "tensor") == "degraded");
}

TEST_CASE("an engine's own all-reduce follows what is expected of direct traffic, and probes overrule it") {
  auto m = gpus("nvidia", 2);
  m.every_pair("p2p.expected", std::string("not-expected"));
  CHECK(mode(m, "tensor-custom-allreduce") == "unknown/null");  // a listing does not show NVLink
  CHECK(has(mode_of(judged(m), "tensor-custom-allreduce").remedies, "fabric-topology"));
  m.every_pair("fabric.direct", false);
  CHECK(mode(m, "tensor-custom-allreduce") == "unknown/no");
  CHECK(mode(m, "tensor") == "unknown/degraded");  // the library then goes through host memory
  m.every_pair("p2p.expected", std::string("slower"));
  CHECK(mode(m, "tensor-custom-allreduce") == "unknown/degraded");
  m.every_pair("p2p.expected", std::string("likely"));
  CHECK(mode(m, "tensor-custom-allreduce") == "unknown/yes");

  // The driver grants it and the data do not arrive in one direction.
  for (const char* id : {"p2p.access", "p2p.write", "p2p.read", "p2p.handshake", "p2p.ipc"}) {
    m.every_pair(id, true, Tier::probed);
  }
  with_collectives(m);
  CHECK(mode(m, "tensor-custom-allreduce") == "yes");
  m.pair("00:00.0", "01:00.0", "p2p.write", false, Tier::probed);
  const auto judgement = judged(m);
  const auto& custom = mode_of(judgement, "tensor-custom-allreduce");
  CHECK(outcome(custom) == "no");
  CHECK(custom.why == "writes between 00:00.0 to 01:00.0 do not arrive, although the driver may grant them");
  CHECK(has(custom.remedies, "p2p-off"));
  CHECK(outcome(mode_of(judgement, "tensor")) == "yes");
}

TEST_CASE("sixteen GPUs on a fabric in two sockets") {
  auto m = gpus("nvidia", 16);
  m.every_pair("fabric.direct", true).every_pair("path.common", std::string("socket"));
  m.every_pair("p2p.expected", std::string("likely"));
  const auto judgement = judged(m);
  REQUIRE(judgement.sets.size() == 1);
  CHECK(judgement.sets[0].gpus.size() == 16);
  CHECK(outcome(mode_of(judgement, "tensor")) == "unknown/yes");
  CHECK(outcome(mode_of(judgement, "tensor-custom-allreduce")) == "unknown/yes");
  const auto& cited = mode_of(judgement, "tensor-custom-allreduce").decided_by;
  CHECK(std::count_if(cited.begin(), cited.end(), [](const std::string& r) { return r.rfind("p2p.write@", 0) == 0; }) ==
        16);
  m.every_pair("fabric.direct", false);
  CHECK(mode(m, "tensor") == "unknown/degraded");
  CHECK(mode(m, "tensor-custom-allreduce") == "unknown/degraded");
}

TEST_CASE("absurdly many GPUs: the first are judged, and it is said") {
  Machine machine;
  for (int i = 0; i < 100; ++i) machine.gpu("nvidia", fmt::format("{:02x}:00.0", i));
  for (int i = 0; i < 300; ++i) machine.gpu("nvidia", fmt::format("0001:{:02x}:{:02x}.0", i / 32, i % 32));
  for (int i = 0; i < 300; ++i) {
    machine.set(fmt::format("0001:{:02x}:{:02x}.0", i / 32, i % 32), "gpu.present", false);
  }
  const auto judgement = judged(machine);
  REQUIRE(judgement.sets.size() == 1);
  CHECK(judgement.sets[0].gpus.size() == 64);
  REQUIRE_FALSE(judgement.warnings.empty());
  CHECK(judgement.warnings[0].code == "set.too-many");
  CHECK(judgement.warnings[0].text.rfind("80 more GPUs", 0) == 0);
  CHECK(judgement.warnings.size() == 257);
}

TEST_CASE("a static claim about a probed fact is no proof") {
  auto m = gpus("nvidia", 2);
  with_collectives(m);
  CHECK(mode(m, "tensor") == "yes");
  for (auto& fact : m.facts) {
    if (fact.id == "ccl.allreduce") fact.tier = Tier::queried;
  }
  CHECK(mode(m, "tensor") == "unknown/yes");
}

TEST_CASE("every reference of a verdict is a fact of the report") {
  for (const auto& m : {blocked_amd(), two_amd(), gpus("intel", 4), gpus("nvidia", 1)}) {
    const auto judgement = judged(m);
    std::vector<std::string> known;
    for (const auto& fact : m.facts) known.push_back(reference(fact));
    for (const auto& fact : judgement.facts) known.push_back(reference(fact));
    for (const auto& verdict : judgement.modes) {
      CHECK_FALSE(verdict.decided_by.empty());
      CHECK_FALSE(verdict.why.empty());
      CHECK(verdict.why.find('{') == std::string::npos);
      for (const auto& reference : verdict.decided_by) {
        CAPTURE(reference);
        CHECK(has(known, reference));
      }
      for (const auto& id : verdict.remedies) {
        CHECK(std::any_of(judgement.remedies.begin(), judgement.remedies.end(),
                          [&](const Remedy& r) { return r.id == id; }));
      }
    }
    for (const auto& fact : judgement.facts) {
      if (fact.subject.kind != SubjectKind::set || fact.tier != Tier::static_) CHECK(fact.value.is_unknown());
    }
  }
}

TEST_CASE("nothing is expected of what sources disagree about") {
  auto m = gpus("nvidia", 2);
  CHECK(mode(m, "tensor") == "unknown/yes");
  m.probed("ccl.allreduce", true);
  m.facts.back().value = Known<FactValue>::unknown(Reason::disagreement);
  CHECK(mode(m, "tensor") == "unknown/null");
  CHECK(mode_of(judged(m), "tensor").why.find("two sources disagree about it") != std::string::npos);
}
