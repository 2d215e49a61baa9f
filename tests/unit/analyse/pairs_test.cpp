#include <doctest/doctest.h>

#include "analyse/build.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

/// One switch with two GPUs, a second switch below it with one, and one GPU at another root port.
Host big_host(std::uint16_t vendor = 0x1002) {
  Host host;
  host.device("00:00.0", 0x1022, 0x1480, 0x0600);
  host.bridge("00:01.1", 1, 8, PortType::root_port);
  host.bridge("01:00.0", 2, 8, PortType::switch_upstream);
  host.bridge("02:00.0", 3, 3, PortType::switch_downstream);
  host.bridge("02:01.0", 4, 4, PortType::switch_downstream);
  host.bridge("02:02.0", 5, 8, PortType::switch_downstream);
  host.bridge("05:00.0", 6, 8, PortType::switch_upstream);
  host.bridge("06:00.0", 7, 7, PortType::switch_downstream);
  host.bridge("00:03.1", 9, 9, PortType::root_port);
  for (const auto* a : {"03:00.0", "04:00.0", "07:00.0", "09:00.0"}) host.gpu(a, vendor, 0x1db6);
  return host;
}

const Fact* pair_fact(const Topology& t, std::string_view id, std::string_view a, std::string_view b) {
  return find_fact(t.facts, id, {SubjectKind::pair, {at(a), at(b)}});
}

}  // namespace

TEST_CASE("what lies between two GPUs comes from their common ancestors") {
  const auto t = big_host().judge();
  CHECK(t.pairs.size() == 6);
  CHECK(pair_of(t, "03:00.0", "04:00.0").path == PairPath::switch_);
  CHECK(pair_of(t, "03:00.0", "07:00.0").path == PairPath::switches);
  CHECK(pair_of(t, "03:00.0", "09:00.0").path == PairPath::host_bridge);
  const auto* there = pair_fact(t, "path.common", "03:00.0", "09:00.0");
  const auto* back = pair_fact(t, "path.common", "09:00.0", "03:00.0");
  REQUIRE(there != nullptr);
  REQUIRE(back != nullptr);
  CHECK(there->value.is(FactValue(std::string("host-bridge"))));
  CHECK(back->value == there->value);
}

TEST_CASE("a card's own switch does not count as a switch between") {
  Host host;
  host.bridge("00:01.0", 1, 9, PortType::root_port);
  host.bridge("01:00.0", 2, 9, PortType::switch_upstream);
  host.bridge("02:00.0", 3, 5, PortType::switch_downstream);
  host.bridge("03:00.0", 4, 5, PortType::switch_upstream, {}, 0x1002, 0x1478);
  host.bridge("04:00.0", 5, 5, PortType::switch_downstream, {}, 0x1002, 0x1479);
  host.gpu("05:00.0", 0x1002, 0x7551);
  host.bridge("02:01.0", 6, 8, PortType::switch_downstream);
  host.bridge("06:00.0", 7, 8, PortType::switch_upstream, {}, 0x1002, 0x1478);
  host.bridge("07:00.0", 8, 8, PortType::switch_downstream, {}, 0x1002, 0x1479);
  host.gpu("08:00.0", 0x1002, 0x7551);
  CHECK(pair_of(host.judge(), "05:00.0", "08:00.0").path == PairPath::switch_);
}

TEST_CASE("two GPUs of a board with its own switch, and functions of one device, are on one card") {
  Host k80;
  k80.bridge("00:03.0", 1, 4, PortType::root_port);
  k80.bridge("01:00.0", 2, 4, PortType::switch_upstream);
  k80.bridge("02:08.0", 3, 3, PortType::switch_downstream);
  k80.bridge("02:10.0", 4, 4, PortType::switch_downstream);
  k80.gpu("03:00.0", 0x10de, 0x102d);
  k80.gpu("04:00.0", 0x10de, 0x102d);
  auto t = k80.judge();
  CHECK(pair_of(t, "03:00.0", "04:00.0").path == PairPath::same_card);
  CHECK(gpu_at(t, "03:00.0").chain[1].on_card);
  CHECK(gpu_at(t, "03:00.0").link.at.is(at("00:03.0")));

  // Two ordinary cards behind a switch of the board.
  k80["03:00.0"].device_id = std::uint16_t{0x1db6};
  k80["04:00.0"].device_id = std::uint16_t{0x1db6};
  t = k80.judge();
  CHECK(pair_of(t, "03:00.0", "04:00.0").path == PairPath::switch_);
  CHECK_FALSE(gpu_at(t, "03:00.0").chain[1].on_card);

  Host functions;
  functions.gpu("03:00.0");
  functions.gpu("03:00.1");
  CHECK(pair_of(functions.judge(), "03:00.0", "03:00.1").path == PairPath::same_card);
}

TEST_CASE("different root buses: NUMA node and package tell, and without them nothing does") {
  Host host;
  host.device("00:00.0", 0x8086, 0x09a2, 0x0600);
  host.device("80:00.0", 0x8086, 0x09a2, 0x0600);
  host.bridge("00:01.0", 1, 1, PortType::root_port);
  host.bridge("80:01.0", 0x81, 0x81, PortType::root_port);
  host.gpu("01:00.0", 0x10de, 0x20b5);
  host.gpu("81:00.0", 0x10de, 0x20b5);
  const auto path = [&] { return pair_of(host.judge(), "01:00.0", "81:00.0").path; };
  CHECK(path() == PairPath::unknown);
  host["01:00.0"].numa_node = 0;
  host["81:00.0"].numa_node = 0;
  CHECK(path() == PairPath::numa_node);
  host["81:00.0"].numa_node = 1;
  CHECK(path() == PairPath::socket);
  CHECK(pair_fact(host.judge(), "path.common", "01:00.0", "81:00.0")->evidence.find("was not read") !=
        std::string::npos);
  host["01:00.0"].package = 0;
  host["81:00.0"].package = 0;
  CHECK(path() == PairPath::numa_node);
  host["81:00.0"].package = 1;
  host["81:00.0"].numa_node = 0;
  CHECK(path() == PairPath::socket);
  host["81:00.0"].package = 0;
  host["01:00.0"].numa_node = -1;
  host["81:00.0"].numa_node = -1;
  CHECK(path() == PairPath::numa_node);
}

TEST_CASE("GPU functions alone have no known path even on one NUMA node") {
  Host host;
  host.gpu("19:00.0");
  host.gpu("67:00.0");
  host["19:00.0"].numa_node = 0;
  host["67:00.0"].numa_node = 0;
  CHECK(pair_of(host.judge(), "19:00.0", "67:00.0").path == PairPath::unknown);
}

TEST_CASE("ACS redirect counts on the ports between, not on those above the common switch") {
  auto host = big_host();
  const auto redirect_on = [&](std::string_view port) {
    Acs acs;
    acs.control.request_redirect = true;
    acs.control.completion_redirect = true;
    host[port].acs = acs;
  };
  CHECK(pair_of(host.judge(), "03:00.0", "04:00.0").acs_redirect.is(false));
  redirect_on("00:01.1");
  CHECK(pair_of(host.judge(), "03:00.0", "04:00.0").acs_redirect.is(false));
  CHECK(pair_of(host.judge(), "03:00.0", "09:00.0").acs_redirect.is(true));
  redirect_on("02:01.0");
  CHECK(pair_of(host.judge(), "03:00.0", "04:00.0").acs_redirect.is(true));
  CHECK(pair_of(host.judge(), "03:00.0", "07:00.0").acs_redirect.is(false));
  host["02:00.0"].acs = Known<Acs>::unknown(Reason::no_root);
  CHECK(pair_of(host.judge(), "03:00.0", "04:00.0").acs_redirect.is(true));
  CHECK_FALSE(pair_of(host.judge(), "03:00.0", "07:00.0").acs_redirect.is_known());
}

TEST_CASE("peers below one switch: direct, slower over the root, or open with a translating IOMMU") {
  auto host = big_host();
  const auto peer = [&] { return pair_of(host.judge(), "03:00.0", "04:00.0").peer; };
  CHECK(peer() == PeerExpectation::likely);
  Acs acs;
  acs.control.request_redirect = true;
  acs.control.completion_redirect = false;
  host["02:00.0"].acs = acs;
  CHECK(peer() == PeerExpectation::unknown);
  host.recording.host.iommu_translating = false;
  CHECK(peer() == PeerExpectation::slower);
  host.recording.host.iommu_translating = true;
  CHECK(peer() == PeerExpectation::unknown);
}

TEST_CASE("peers under different root ports: what the host bridge is decides") {
  auto host = big_host();
  const auto peer = [&] { return pair_of(host.judge(), "03:00.0", "09:00.0").peer; };
  CHECK(peer() == PeerExpectation::likely);
  host["00:00.0"].vendor_id = std::uint16_t{0x8086};
  host["00:00.0"].device_id = std::uint16_t{0x4c43};
  CHECK(peer() == PeerExpectation::not_expected);
  host.recording.host.cpu_vendor = std::string("AuthenticAMD");
  host.recording.host.cpu_family = 25u;
  CHECK(peer() == PeerExpectation::likely);
  host.recording.host.cpu_vendor = Known<std::string>{};
  host.drop("00:00.0");
  CHECK(peer() == PeerExpectation::unknown);

  // NVIDIA's driver does not ask the kernel's list: not being on it proves nothing.
  auto nvidia = big_host(0x10de);
  nvidia["00:00.0"].vendor_id = std::uint16_t{0x8086};
  nvidia["00:00.0"].device_id = std::uint16_t{0x4c43};
  CHECK(pair_of(nvidia.judge(), "03:00.0", "09:00.0").peer == PeerExpectation::unknown);
}

TEST_CASE("Haswell's host bridge passes peer traffic below itself only") {
  Host host;
  host.device("00:00.0", 0x8086, 0x2f00, 0x0600);
  host.device("80:00.0", 0x8086, 0x2f00, 0x0600);
  host.bridge("00:02.0", 2, 2, PortType::root_port);
  host.bridge("00:03.0", 3, 3, PortType::root_port);
  host.bridge("80:02.0", 0x82, 0x82, PortType::root_port);
  for (const auto* a : {"02:00.0", "03:00.0", "82:00.0"}) host.gpu(a, 0x1002, 0x67df);
  host["02:00.0"].numa_node = 0;
  host["82:00.0"].numa_node = 0;
  const auto t = host.judge();
  CHECK(pair_of(t, "02:00.0", "03:00.0").peer == PeerExpectation::likely);
  CHECK(pair_of(t, "02:00.0", "82:00.0").peer == PeerExpectation::not_expected);
}

TEST_CASE("small BARs, other makers, guests and processor graphics") {
  auto host = big_host();
  host["03:00.0"].bars.push_back({0, std::uint64_t{256} << 20, true, true, true, true});
  CHECK(pair_of(host.judge(), "03:00.0", "04:00.0").peer == PeerExpectation::not_expected);
  host["03:00.0"].bars[0].size = std::uint64_t{16} << 30;
  CHECK(pair_of(host.judge(), "03:00.0", "04:00.0").peer == PeerExpectation::likely);
  host["04:00.0"].vendor_id = std::uint16_t{0x10de};
  CHECK(pair_of(host.judge(), "03:00.0", "04:00.0").peer == PeerExpectation::not_expected);
  auto guest = big_host();
  guest.recording.host.hypervisor = true;
  CHECK(pair_of(guest.judge(), "03:00.0", "04:00.0").peer == PeerExpectation::unknown);
  auto apu = big_host();
  apu["09:00.0"].device_id = std::uint16_t{0x1586};
  CHECK(pair_of(apu.judge(), "03:00.0", "09:00.0").peer == PeerExpectation::unknown);
}

TEST_CASE("the root bus of a virtual machine says nothing about the way between two cards") {
  Host host;
  host.gpu("00:05.0", 0x10de, 0x2335);
  host.gpu("00:06.0", 0x10de, 0x2335);
  CHECK(pair_of(host.judge(), "00:05.0", "00:06.0").path == PairPath::host_bridge);
  host.recording.host.hypervisor = true;
  const auto t = host.judge();
  CHECK(pair_of(t, "00:05.0", "00:06.0").path == PairPath::unknown);
  CHECK(pair_of(t, "00:05.0", "00:06.0").acs_redirect == Known<bool>::unknown(Reason::vm));
}

TEST_CASE("between two fabric switches nothing is shown, so a fabric there stays open") {
  Host host;
  for (const auto* gpu : {"03:00.0", "04:00.0", "05:00.0", "06:00.0"}) host.gpu(gpu, 0x10de, 0x20b5);
  const auto join = [&](const char* a, const char* b, bool over_switch) {
    host.recording.fabric.push_back(
        {parse_address(a).value(), parse_address(b).value(), FabricLink::Kind::nvlink, {}, 150.0, {}, over_switch});
  };
  join("03:00.0", "04:00.0", true);
  join("05:00.0", "06:00.0", true);
  auto t = host.judge();
  CHECK(pair_of(t, "03:00.0", "04:00.0").fabric.is_known());
  CHECK(pair_of(t, "03:00.0", "05:00.0").fabric.is_unknown());

  host.recording.fabric.clear();
  join("03:00.0", "04:00.0", false);
  join("05:00.0", "06:00.0", false);
  CHECK(pair_of(host.judge(), "03:00.0", "05:00.0").fabric.is_absent());
}

TEST_CASE("a fabric is known, absent where the source shows fabrics, else open") {
  auto host = big_host();
  CHECK(pair_of(host.judge(), "03:00.0", "04:00.0").fabric.is_unknown());
  FabricLink link;
  link.a = at("04:00.0");
  link.b = at("03:00.0");
  link.kind = FabricLink::Kind::xgmi;
  link.links = 1u;
  link.gbytes_per_s = 50.0;
  host.recording.fabric.push_back(link);
  auto back = link;
  std::swap(back.a, back.b);
  back.gbytes_per_s = 46.0;
  host.recording.fabric.push_back(back);
  const auto t = host.judge();
  const auto& joined = pair_of(t, "03:00.0", "04:00.0");
  REQUIRE(joined.fabric.is_known());
  CHECK(joined.fabric.value().kind == FabricLink::Kind::xgmi);
  CHECK(joined.ceiling_gbytes_per_s.is(46.0));
  CHECK(joined.peer == PeerExpectation::likely);
  CHECK(pair_of(t, "03:00.0", "07:00.0").fabric.is_absent());
  CHECK(pair_fact(t, "fabric.direct", "04:00.0", "03:00.0")->value.is(FactValue(true)));
  CHECK(pair_fact(t, "fabric.direct", "03:00.0", "07:00.0")->value.is(FactValue(false)));
}

TEST_CASE("two Arc cards have no fabric, since no Arc card has Xe Link; other Intel GPUs may") {
  Host host;
  for (const unsigned bus : {1U, 5U}) {
    const auto at_bus = [](unsigned b) { return "0" + std::to_string(b) + ":00.0"; };
    host.bridge(bus == 1 ? "00:01.0" : "00:02.0", bus, bus + 2, PortType::root_port);
    host.bridge(at_bus(bus), bus + 1, bus + 2, PortType::switch_upstream, {}, 0x8086, 0xe2ff);
    host.bridge(at_bus(bus + 1), bus + 2, bus + 2, PortType::switch_downstream, {}, 0x8086, 0xe2f0);
    host.gpu(at_bus(bus + 2), 0x8086, 0xe20b);
  }
  CHECK(pair_fact(host.judge(), "fabric.direct", "03:00.0", "07:00.0")->value.is(FactValue(false)));
  host["01:00.0"].device_id = std::uint16_t{0x0bda};
  host["02:00.0"].device_id = std::uint16_t{0x0bdb};
  CHECK(pair_fact(host.judge(), "fabric.direct", "03:00.0", "07:00.0")->value.is(FactValue(false)));  // by the chip
  host["03:00.0"].device_id = host["07:00.0"].device_id = std::uint16_t{0x0bd5};
  CHECK(pair_of(host.judge(), "03:00.0", "07:00.0").fabric.is_unknown());
}

TEST_CASE("a pair's ceiling is the slowest link between the two, and open where one end is missing") {
  auto host = big_host();
  for (const auto* a : {"02:00.0", "03:00.0"}) {
    host.set(a, [](PciExpress& e) {
      e.speed = e.max_speed = LinkSpeed::gen3;
      e.width = e.max_width = std::uint8_t{8};
    });
  }
  for (const auto* a : {"00:01.1", "01:00.0"}) {
    host.set(a, [](PciExpress& e) { e.width = e.max_width = std::uint8_t{1}; });
  }
  auto t = host.judge();
  CHECK(pair_of(t, "03:00.0", "04:00.0").ceiling_gbytes_per_s.value() == doctest::Approx(7.877).epsilon(0.001));
  CHECK(pair_of(t, "03:00.0", "09:00.0").ceiling_gbytes_per_s.value() == doctest::Approx(1.969).epsilon(0.001));
  Acs acs;
  acs.control.request_redirect = true;
  host["02:00.0"].acs = acs;
  t = host.judge();
  CHECK(pair_of(t, "03:00.0", "04:00.0").ceiling_gbytes_per_s.value() == doctest::Approx(1.969).epsilon(0.001));
  host["04:00.0"].express = Known<PciExpress>::unknown(Reason::not_in_input);
  CHECK_FALSE(pair_of(host.judge(), "03:00.0", "04:00.0").ceiling_gbytes_per_s.is_known());
}

TEST_CASE("only GPUs that compute are paired, and not without limit") {
  Host host;
  host.gpu("01:00.0");
  host.device("02:00.0", 0x1a03, 0x2000, 0x0300);
  CHECK(host.judge().pairs.empty());
  Host many;
  for (unsigned i = 0; i < 200; ++i) {
    many.gpu(to_string(Address{0, static_cast<std::uint8_t>(1 + i), 0, 0}));
  }
  const auto t = many.judge();
  CHECK(t.gpus.size() == 200);
  CHECK(t.pairs.size() == 64 * 63 / 2);
  CHECK(warns(t, "analysis.many-gpus"));
}
