#include <doctest/doctest.h>

#include "analyse/build.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

/// 00:01.0 > 01:00.0 (switch) > 02:08.0 > 03:00.0 GPU, with a sibling port 02:10.0 > 04:00.0 GPU.
Host switched_host() {
  Host host;
  host.bridge("00:01.0", 1, 4, PortType::root_port);
  host.bridge("01:00.0", 2, 4, PortType::switch_upstream);
  host.bridge("02:08.0", 3, 3, PortType::switch_downstream);
  host.bridge("02:10.0", 4, 4, PortType::switch_downstream);
  host.gpu("03:00.0");
  host.gpu("04:00.0");
  return host;
}

}  // namespace

TEST_CASE("a chain follows bus numbers; siblings on one bus are not a chain") {
  const auto t = switched_host().judge();
  CHECK(chain_of(t, "03:00.0") == Names{"00:01.0", "01:00.0", "02:08.0", "03:00.0"});
  CHECK(chain_of(t, "04:00.0") == Names{"00:01.0", "01:00.0", "02:10.0", "04:00.0"});
  CHECK(gpu_at(t, "04:00.0").chain_reaches_root);
  const auto& chain = gpu_at(t, "03:00.0").chain;
  CHECK(chain[0].role == Role::root_port);
  CHECK(chain[1].role == Role::switch_upstream);
  CHECK(chain[2].role == Role::switch_downstream);
  CHECK(chain[3].role == Role::endpoint);
}

TEST_CASE("a stated parent is used where there are no bus numbers, and wins where both differ") {
  auto host = switched_host();
  for (auto& d : host.recording.devices) d.buses = Known<BusNumbers>::unknown(Reason::not_in_input);
  host["00:01.0"].stated_parent = Known<Address>::absent();
  host["01:00.0"].stated_parent = at("00:01.0");
  host["02:08.0"].stated_parent = at("01:00.0");
  host["03:00.0"].stated_parent = at("02:08.0");
  CHECK(chain_of(host.judge(), "03:00.0") == Names{"00:01.0", "01:00.0", "02:08.0", "03:00.0"});

  auto other = switched_host();
  other["03:00.0"].stated_parent = at("02:10.0");
  const auto t = other.judge();
  CHECK(chain_of(t, "03:00.0") == Names{"00:01.0", "01:00.0", "02:10.0", "03:00.0"});
  CHECK(warns(t, "analysis.parent-disagreement"));
}

TEST_CASE("a missing bridge leaves a gap: the tightest range is the ancestor, and the chain is not complete") {
  auto host = switched_host();
  host.drop("02:08.0");
  const auto t = host.judge();
  CHECK(chain_of(t, "03:00.0") == Names{"00:01.0", "01:00.0", "03:00.0"});
  CHECK(fact_of(t, "path.complete", "03:00.0")->value.is(FactValue(false)));
  CHECK(fact_of(t, "path.complete", "04:00.0")->value.is(FactValue(true)));
}

TEST_CASE("an excerpt starts where its bridges end") {
  auto host = switched_host();
  host.drop("00:01.0");
  host.drop("01:00.0");
  const auto t = host.judge();
  CHECK(chain_of(t, "03:00.0") == Names{"02:08.0", "03:00.0"});
  CHECK_FALSE(gpu_at(t, "03:00.0").chain_reaches_root);
}

TEST_CASE("without capabilities the chain stands and the port types are open") {
  auto host = switched_host();
  host.hide_capabilities();
  const auto t = host.judge();
  CHECK(chain_of(t, "03:00.0") == Names{"00:01.0", "01:00.0", "02:08.0", "03:00.0"});
  CHECK(gpu_at(t, "03:00.0").chain[0].role == Role::bridge);
  CHECK(gpu_at(t, "03:00.0").chain_reaches_root);
  CHECK(gpu_at(t, "03:00.0").atomics.state == Tri::unknown);
  CHECK(gpu_at(t, "03:00.0").atomics.blocking.empty());
  CHECK_FALSE(gpu_at(t, "03:00.0").link.gbytes_per_s.is_known());
}

TEST_CASE("bridges that lead back to themselves are cut with a warning") {
  Host host;
  host.bridge("03:00.0", 4, 4, PortType::switch_upstream);
  host.bridge("04:00.0", 3, 3, PortType::switch_downstream);
  host.gpu("04:01.0");
  const auto t = host.judge();
  CHECK(warns(t, "analysis.cyclic-bridges"));
  CHECK(chain_of(t, "04:01.0") == Names{"04:00.0", "03:00.0", "04:01.0"});
  CHECK_FALSE(gpu_at(t, "04:01.0").chain_reaches_root);
}

TEST_CASE("a path deeper than any real one is cut") {
  Host host;
  for (unsigned bus = 0; bus < 60; ++bus) {
    host.bridge(to_string(Address{0, static_cast<std::uint8_t>(bus), 0, 0}), bus + 1, 60, PortType::switch_downstream);
  }
  host.gpu("3c:00.0");
  const auto t = host.judge();
  CHECK(warns(t, "analysis.cyclic-bridges"));
  CHECK(gpu_at(t, "3c:00.0").chain.size() == 32);
}

TEST_CASE("a secondary bus of 0 is an unconfigured bridge and no parent") {
  Host host;
  host.bridge("00:01.0", 0, 0, PortType::root_port);
  host.gpu("00:02.0", 0x8086, 0x4680);
  host.gpu("07:00.0");
  const auto t = host.judge();
  CHECK(chain_of(t, "00:02.0") == Names{"00:02.0"});
  CHECK(chain_of(t, "07:00.0") == Names{"07:00.0"});
}

TEST_CASE("two bridges that claim one bus are named and neither is chosen") {
  Host host;
  host.bridge("00:01.0", 3, 3, PortType::root_port);
  host.bridge("00:02.0", 3, 3, PortType::root_port);
  host.gpu("03:00.0");
  const auto t = host.judge();
  CHECK(warns(t, "analysis.bus-claimed-twice"));
  CHECK(chain_of(t, "03:00.0") == Names{"03:00.0"});
}

TEST_CASE("domains do not mix, and a VMD domain has its own root ports") {
  Host host;
  host.bridge("10000:e0:06.0", 0xe1, 0xe1, PortType::root_port);
  host.gpu("10000:e1:00.0");
  host.bridge("0000:00:06.0", 0xe1, 0xe1, PortType::root_port);
  const auto t = host.judge();
  CHECK(chain_of(t, "10000:e1:00.0") == Names{"10000:e0:06.0", "10000:e1:00.0"});
  CHECK(gpu_at(t, "10000:e1:00.0").chain_reaches_root);
}

TEST_CASE("a host bridge or a stated root marks a root bus other than 0") {
  Host host;
  host.device("c0:00.0", 0x1022, 0x14a4, 0x0600);
  host.bridge("c0:01.1", 0xc1, 0xc1, PortType::root_port);
  host.gpu("c1:00.0", 0x10de, 0x26b1);
  host.hide_capabilities();
  CHECK(gpu_at(host.judge(), "c1:00.0").chain_reaches_root);
  host.drop("c0:00.0");
  CHECK_FALSE(gpu_at(host.judge(), "c1:00.0").chain_reaches_root);
  host["c1:00.0"].stated_root_bus = std::uint8_t{0xc0};
  CHECK(gpu_at(host.judge(), "c1:00.0").chain_reaches_root);
}

TEST_CASE("NCCL elements hang on the host with ports left out; bus numbers close the gap where they are known") {
  Host host;
  auto& nic = host.gpu("23:00.0", 0x1002, 0x740f);
  nic.parent_skips_levels = true;
  nic.stated_parent = at("21:00.0");
  auto& bridge = host.bridge("21:00.0", 0, 0, PortType::switch_upstream, {}, 0x1022, 0x14c7);
  bridge.parent_skips_levels = true;
  bridge.buses = Known<BusNumbers>::unknown(Reason::not_in_input);
  auto t = host.judge();
  CHECK(chain_of(t, "23:00.0") == Names{"21:00.0", "23:00.0"});
  CHECK_FALSE(gpu_at(t, "23:00.0").chain_reaches_root);
  host["21:00.0"].buses = BusNumbers{0x21, 0x22, 0x23};
  host.bridge("22:00.0", 0x23, 0x23, PortType::switch_downstream);
  t = host.judge();
  CHECK(chain_of(t, "23:00.0") == Names{"21:00.0", "22:00.0", "23:00.0"});
}
