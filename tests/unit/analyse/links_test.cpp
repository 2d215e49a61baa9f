#include <doctest/doctest.h>

#include "analyse/build.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

const LinkWords kGen4x16{LinkSpeed::gen4, 16, LinkSpeed::gen4, 16};

Host direct(const LinkWords& port, const LinkWords& card, std::uint16_t vendor = 0x10de) {
  Host host;
  host.bridge("00:01.1", 1, 1, PortType::root_port, port);
  host.gpu("01:00.0", vendor, 0x2684, card);
  return host;
}

LinkJudgement link_of(const Topology& t, std::string_view gpu) { return gpu_at(t, gpu).link; }

}  // namespace

TEST_CASE("a link at all that both ends can do is full, with the rate after encoding") {
  const auto t = direct(kGen4x16, kGen4x16).judge();
  const auto& link = link_of(t, "01:00.0");
  CHECK(link.state == LinkState::full);
  CHECK(link.gbytes_per_s.value() == doctest::Approx(31.5).epsilon(0.001));
  CHECK(link.ceiling_gbytes_per_s.value() == doctest::Approx(31.5).epsilon(0.001));
  CHECK(link.at.is(at("00:01.1")));
  CHECK(link.speed.is(LinkSpeed::gen4));
  REQUIRE(t.links.size() == 1);
  CHECK(t.links[0].upper == at("00:01.1"));
  CHECK(t.links[0].lower == at("01:00.0"));
  CHECK(t.links[0].gpus == std::vector<Address>{at("01:00.0")});
}

TEST_CASE("a x16 card in a x1 slot is full, and the card's own edge shows what it loses") {
  const auto t = direct({LinkSpeed::gen4, 1, LinkSpeed::gen4, 1}, {LinkSpeed::gen4, 1, LinkSpeed::gen5, 16}).judge();
  const auto& link = link_of(t, "01:00.0");
  CHECK(link.state == LinkState::full);
  CHECK(link.gbytes_per_s.value() == doctest::Approx(1.969).epsilon(0.001));
  CHECK(link.ceiling_gbytes_per_s.value() == doctest::Approx(1.969).epsilon(0.001));
  CHECK(link.card_gbytes_per_s.value() == doctest::Approx(63.0).epsilon(0.001));
  CHECK(link.why.find("how the slot is wired") != std::string::npos);
}

TEST_CASE("speed lowered at full width is idle") {
  auto host = direct({LinkSpeed::gen1, 16, LinkSpeed::gen4, 16}, {LinkSpeed::gen1, 16, LinkSpeed::gen4, 16});
  const auto t = host.judge();
  CHECK(link_of(t, "01:00.0").state == LinkState::idle);
  CHECK(link_of(t, "01:00.0").gbytes_per_s.value() == doctest::Approx(4.0));
  CHECK(link_of(t, "01:00.0").ceiling_gbytes_per_s.value() == doctest::Approx(31.5).epsilon(0.001));
}

TEST_CASE("link errors or a limited target turn a lowered speed into a downgrade") {
  const LinkWords low{LinkSpeed::gen3, 16, LinkSpeed::gen4, 16};
  auto errors = direct(low, low);
  errors.set("00:01.1", [](PciExpress& e) { e.bandwidth_management = true; });
  errors["01:00.0"].aer = AerStatus{std::uint32_t{0}, std::uint32_t{0x40}};
  CHECK(link_of(errors.judge(), "01:00.0").state == LinkState::downgraded);

  // An advisory non-fatal error says nothing about the link.
  errors["01:00.0"].aer = AerStatus{std::uint32_t{0}, std::uint32_t{0x2000}};
  CHECK(link_of(errors.judge(), "01:00.0").state == LinkState::idle);

  auto limited = direct(low, low);
  limited.set("00:01.1", [](PciExpress& e) { e.target_speed = LinkSpeed::gen3; });
  CHECK(link_of(limited.judge(), "01:00.0").state == LinkState::downgraded);
}

TEST_CASE("width below what both ends can do is a downgrade, whatever the speed") {
  const auto t = direct({LinkSpeed::gen4, 4, LinkSpeed::gen4, 16}, {LinkSpeed::gen4, 4, LinkSpeed::gen4, 16}).judge();
  CHECK(link_of(t, "01:00.0").state == LinkState::downgraded);
  CHECK(link_of(t, "01:00.0").why.find("4 of 16 lanes") != std::string::npos);
}

TEST_CASE("two ends that disagree are named and give no rate") {
  auto host = direct({LinkSpeed::gen4, 1, LinkSpeed::gen4, 16}, {LinkSpeed::gen4, 16, LinkSpeed::gen4, 16});
  const auto t = host.judge();
  CHECK(warns(t, "link.ends-disagree"));
  CHECK_FALSE(link_of(t, "01:00.0").gbytes_per_s.is_known());
  CHECK(link_of(t, "01:00.0").state == LinkState::unknown);
  REQUIRE(t.links.size() == 1);
  CHECK(t.links[0].width.reason() == Reason::disagreement);
}

TEST_CASE("one end is enough for the rate, not for the state") {
  auto host = direct({}, {LinkSpeed::gen1, 16, LinkSpeed::gen4, 16});
  host["00:01.1"].express = Known<PciExpress>::unknown(Reason::not_in_input);
  const auto t = host.judge();
  CHECK(link_of(t, "01:00.0").gbytes_per_s.value() == doctest::Approx(4.0));
  CHECK(link_of(t, "01:00.0").at.is(at("00:01.1")));
  CHECK(link_of(t, "01:00.0").state == LinkState::unknown);
  CHECK_FALSE(link_of(t, "01:00.0").ceiling_gbytes_per_s.is_known());
  host.set("01:00.0", [](PciExpress& e) { e.autonomous_bandwidth = true; });
  CHECK(link_of(host.judge(), "01:00.0").state == LinkState::idle);
}

TEST_CASE("the bottleneck is the least rate, not the least speed with the least width") {
  Host host;
  host.bridge("00:01.0", 1, 3, PortType::root_port, {LinkSpeed::gen5, 4, LinkSpeed::gen5, 4});
  host.bridge("01:00.0", 2, 3, PortType::switch_upstream, {LinkSpeed::gen5, 4, LinkSpeed::gen5, 4});
  host.bridge("02:08.0", 3, 3, PortType::switch_downstream, {LinkSpeed::gen3, 16, LinkSpeed::gen3, 16});
  host.gpu("03:00.0", 0x10de, 0x1db1, {LinkSpeed::gen3, 16, LinkSpeed::gen3, 16});
  const auto t = host.judge();
  CHECK(link_of(t, "03:00.0").gbytes_per_s.value() == doctest::Approx(15.754).epsilon(0.001));
  CHECK(link_of(t, "03:00.0").at.is(at("00:01.0")));
  CHECK(t.links.size() == 2);
}

TEST_CASE("of equal links the uppermost is named") {
  Host host;
  host.bridge("00:01.0", 1, 3, PortType::root_port);
  host.bridge("01:00.0", 2, 3, PortType::switch_upstream);
  host.bridge("02:08.0", 3, 3, PortType::switch_downstream);
  host.gpu("03:00.0", 0x10de, 0x20b5);
  CHECK(link_of(host.judge(), "03:00.0").at.is(at("00:01.0")));
}

TEST_CASE("the link inside an AMD card is no bottleneck and no proof") {
  Host host;
  host.bridge("00:01.1", 1, 3, PortType::root_port, {LinkSpeed::gen5, 8, LinkSpeed::gen5, 16});
  host.bridge("01:00.0", 2, 3, PortType::switch_upstream, {LinkSpeed::gen5, 8, LinkSpeed::gen5, 16}, 0x1002, 0x1478);
  host.bridge("02:00.0", 3, 3, PortType::switch_downstream, {LinkSpeed::gen1, 16, LinkSpeed::gen5, 16}, 0x1002, 0x1479);
  host.gpu("03:00.0", 0x1002, 0x7551, {LinkSpeed::gen1, 16, LinkSpeed::gen5, 16});
  const auto t = host.judge();
  const auto& gpu = gpu_at(t, "03:00.0");
  CHECK(gpu.chain[1].on_card);
  CHECK(gpu.chain[2].on_card);
  CHECK_FALSE(gpu.chain[0].on_card);
  CHECK(gpu.link.gbytes_per_s.value() == doctest::Approx(31.5).epsilon(0.001));
  CHECK(gpu.link.at.is(at("00:01.1")));
  CHECK(gpu.link.state == LinkState::downgraded);
  CHECK(gpu.link.card_gbytes_per_s.value() == doctest::Approx(63.0).epsilon(0.001));
  REQUIRE(t.links.size() == 2);
  CHECK_FALSE(t.links[0].on_card);
  CHECK(t.links[1].on_card);
  CHECK(t.links[1].state == LinkState::unknown);
}

TEST_CASE("an AMD GPU function alone says nothing about its slot; an NVIDIA one gives its rate") {
  Host amd;
  amd.gpu("19:00.0", 0x1002, 0x66a1);
  CHECK_FALSE(link_of(amd.judge(), "19:00.0").gbytes_per_s.is_known());
  CHECK(link_of(amd.judge(), "19:00.0").state == LinkState::unknown);
  Host nvidia;
  nvidia.gpu("05:00.0", 0x10de, 0x1cb1);
  CHECK(link_of(nvidia.judge(), "05:00.0").gbytes_per_s.value() == doctest::Approx(31.5).epsilon(0.001));
  CHECK(link_of(nvidia.judge(), "05:00.0").state == LinkState::unknown);
}

TEST_CASE("Arc's placeholder of 2.5 GT/s x1 is ignored, by ids and by shape") {
  for (const std::uint16_t upstream : {std::uint16_t{0xe2ff}, std::uint16_t{0x1234}}) {
    CAPTURE(upstream);
    const LinkWords placeholder{LinkSpeed::gen1, 1, LinkSpeed::gen1, 1};
    Host host;
    host.bridge("00:01.0", 1, 4, PortType::root_port, {LinkSpeed::gen4, 8, LinkSpeed::gen5, 16});
    host.bridge("01:00.0", 2, 4, PortType::switch_upstream, {LinkSpeed::gen4, 8, LinkSpeed::gen4, 8}, 0x8086, upstream);
    host.bridge("02:01.0", 3, 3, PortType::switch_downstream, placeholder, 0x8086,
                upstream == 0xe2ff ? std::uint16_t{0xe2f0} : std::uint16_t{0x1235});
    host.gpu("03:00.0", 0x8086, 0xe20b, placeholder);
    const auto t = host.judge();
    CHECK(gpu_at(t, "03:00.0").chain[2].on_card);
    CHECK(link_of(t, "03:00.0").gbytes_per_s.value() == doctest::Approx(15.75).epsilon(0.001));
    CHECK(link_of(t, "03:00.0").at.is(at("00:01.0")));
    CHECK(link_of(t, "03:00.0").state == LinkState::full);
  }
}

TEST_CASE("a Thunderbolt switch of Intel's is no part of an Arc card behind it") {
  const LinkWords placeholder{LinkSpeed::gen1, 1, LinkSpeed::gen1, 1};
  const LinkWords tunnel{LinkSpeed::gen1, 4, LinkSpeed::gen1, 4};
  Host host;
  host.bridge("00:07.0", 1, 9, PortType::root_port, tunnel);
  host.bridge("01:00.0", 2, 9, PortType::switch_upstream, tunnel, 0x8086, 0x15ef);
  host.bridge("02:01.0", 3, 6, PortType::switch_downstream, tunnel, 0x8086, 0x15ef);
  host.bridge("03:00.0", 4, 6, PortType::switch_upstream, tunnel, 0x8086, 0x4fa0);
  host.bridge("04:01.0", 5, 5, PortType::switch_downstream, placeholder, 0x8086, 0x4fa4);
  host.gpu("05:00.0", 0x8086, 0x56a0, placeholder);
  const auto t = host.judge();
  const auto& chain = gpu_at(t, "05:00.0").chain;
  CHECK_FALSE(chain[1].on_card);
  CHECK_FALSE(chain[2].on_card);
  CHECK(chain[3].on_card);
  CHECK(chain[4].on_card);
  CHECK(link_of(t, "05:00.0").gbytes_per_s.value() == doctest::Approx(1.0));
}

TEST_CASE("a bridge of NCCL without ids that holds one AMD GPU with a faster link is the card's") {
  Host host;
  auto& gpu = host.gpu("1d:00.0", 0x1002, 0x66a1, {LinkSpeed::gen4, 16, LinkSpeed::gen4, 16});
  gpu.parent_skips_levels = true;
  gpu.stated_parent = at("1b:00.0");
  for (const auto* address : {"18:00.0", "1b:00.0"}) {
    auto& bridge = host.bridge(address, 0, 0, PortType::switch_upstream, {LinkSpeed::gen3, 16, LinkSpeed::gen3, 16});
    bridge.parent_skips_levels = true;
    bridge.buses = Known<BusNumbers>{};
    bridge.vendor_id = Known<std::uint16_t>{};
    bridge.device_id = Known<std::uint16_t>{};
    auto e = bridge.express.value();
    e.type = Known<PortType>{};
    e.max_speed = Known<LinkSpeed>{};
    bridge.express = e;
  }
  host["1b:00.0"].stated_parent = at("18:00.0");
  const auto t = host.judge();
  CHECK(gpu_at(t, "1d:00.0").chain[1].on_card);
  CHECK_FALSE(gpu_at(t, "1d:00.0").chain[0].on_card);
  CHECK(link_of(t, "1d:00.0").gbytes_per_s.value() == doctest::Approx(15.754).epsilon(0.001));
  CHECK(link_of(t, "1d:00.0").state == LinkState::unknown);
}

TEST_CASE("a port above a gap still tells about its own link") {
  Host host;
  host.bridge("00:01.1", 1, 3, PortType::root_port, {LinkSpeed::gen4, 4, LinkSpeed::gen4, 16});
  host.gpu("03:00.0", 0x1002, 0x7551);
  const auto t = host.judge();
  CHECK(link_of(t, "03:00.0").gbytes_per_s.value() == doctest::Approx(7.877).epsilon(0.001));
  CHECK(link_of(t, "03:00.0").at.is(at("00:01.1")));
  CHECK(link_of(t, "03:00.0").state == LinkState::unknown);
}

TEST_CASE("an integrated GPU has no link and gets no rate") {
  Host host;
  host.gpu("00:02.0", 0x8086, 0x4680);
  host.set("00:02.0", [](PciExpress& e) { e.type = PortType::integrated_endpoint; });
  const auto t = host.judge();
  CHECK_FALSE(link_of(t, "00:02.0").gbytes_per_s.is_known());
  CHECK(link_of(t, "00:02.0").card_gbytes_per_s.is_absent());
  CHECK(t.links.empty());
}

TEST_CASE("width 0 is a link that is down, and a trained link proves what its ends can do") {
  const auto down =
      direct({LinkSpeed::gen4, 0, LinkSpeed::gen4, 16}, {LinkSpeed::gen4, 0, LinkSpeed::gen4, 16}).judge();
  CHECK_FALSE(link_of(down, "01:00.0").gbytes_per_s.is_known());
  CHECK(link_of(down, "01:00.0").state == LinkState::unknown);
  const auto odd = direct({LinkSpeed::gen3, 8, LinkSpeed::gen1, 16}, {LinkSpeed::gen3, 8, LinkSpeed::gen3, 8}).judge();
  CHECK(link_of(odd, "01:00.0").state == LinkState::full);
  CHECK(link_of(odd, "01:00.0").ceiling_gbytes_per_s.value() == doctest::Approx(7.877).epsilon(0.001));
}

TEST_CASE("64 GT/s links count with their FLIT encoding") {
  const LinkWords gen6{LinkSpeed::gen6, 16, LinkSpeed::gen6, 16};
  CHECK(link_of(direct(gen6, gen6).judge(), "01:00.0").gbytes_per_s.value() == doctest::Approx(121.0));
}

TEST_CASE("stated rates give the rate; ends that state different ones give none") {
  auto host = direct({}, {});
  for (const auto* a : {"00:01.1", "01:00.0"}) host[a].express = Known<PciExpress>::unknown(Reason::not_in_input);
  host["00:01.1"].stated_link_gbytes_per_s = 15.753846;
  host["01:00.0"].stated_link_gbytes_per_s = 15.753846;
  CHECK(link_of(host.judge(), "01:00.0").gbytes_per_s.value() == doctest::Approx(15.754).epsilon(0.001));
  host["00:01.1"].stated_link_gbytes_per_s = 7.876923;
  CHECK_FALSE(link_of(host.judge(), "01:00.0").gbytes_per_s.is_known());
  CHECK(warns(host.judge(), "link.ends-disagree"));
  host["00:01.1"].stated_link_gbytes_per_s = 0.0;
  host["01:00.0"].stated_link_gbytes_per_s = 0.0;
  CHECK_FALSE(link_of(host.judge(), "01:00.0").gbytes_per_s.is_known());
}

TEST_CASE("an uplink that two GPUs share is one link, counted for both and warned about") {
  const LinkWords tunnel{LinkSpeed::gen3, 4, LinkSpeed::gen3, 4};
  Host host;
  host.bridge("00:07.0", 1, 4, PortType::root_port, tunnel);
  host.bridge("01:00.0", 2, 4, PortType::switch_upstream, tunnel);
  host.bridge("02:01.0", 3, 3, PortType::switch_downstream, tunnel);
  host.bridge("02:02.0", 4, 4, PortType::switch_downstream, tunnel);
  host.gpu("03:00.0", 0x10de, 0x2684, tunnel);
  host.gpu("04:00.0", 0x10de, 0x2684, tunnel);
  const auto t = host.judge();
  REQUIRE(t.links.size() == 3);
  CHECK(t.links[0].gpus.size() == 2);
  CHECK(t.links[1].gpus.size() == 1);
  CHECK(warns(t, "link.shared"));
  const auto* shared = find_fact(t.facts, "link.shared", {SubjectKind::link, {at("00:07.0"), at("01:00.0")}});
  REQUIRE(shared != nullptr);
  CHECK(shared->value.is(FactValue(2.0)));
}

TEST_CASE("lanes that the board leaves out between processor and chipset are no downgrade") {
  const LinkWords uplink{LinkSpeed::gen4, 4, LinkSpeed::gen4, 8};
  Host host;
  host.bridge("00:01.2", 2, 6, PortType::root_port, uplink, 0x1022, 0x1483);
  host.bridge("02:00.0", 3, 6, PortType::switch_upstream, uplink, 0x1022, 0x57ad);
  host.bridge("03:02.0", 6, 6, PortType::switch_downstream, uplink, 0x1022, 0x57a3);
  host.gpu("06:00.0", 0x10de, 0x2684, uplink);
  const auto t = host.judge();
  REQUIRE(t.links.size() == 2);
  CHECK(t.links[0].state == LinkState::full);
  CHECK(t.links[0].ceiling_gbytes_per_s.value() == doctest::Approx(7.877).epsilon(0.001));
  CHECK(t.links[1].state == LinkState::downgraded);
}

TEST_CASE("of nested shared links only the one that leaves each GPU least is warned about") {
  Host host;
  host.bridge("00:01.0", 1, 9, PortType::root_port);
  host.bridge("01:00.0", 2, 9, PortType::switch_upstream);
  for (unsigned i = 0; i < 2; ++i) {
    const auto bus = 3 + 3 * i;
    host.bridge(to_string(Address{0, 2, static_cast<std::uint8_t>(i), 0}), bus, bus + 2, PortType::switch_downstream);
    host.bridge(to_string(Address{0, static_cast<std::uint8_t>(bus), 0, 0}), bus + 1, bus + 2,
                PortType::switch_upstream);
  }
  host.bridge("04:00.0", 5, 5, PortType::switch_downstream);
  host.bridge("04:01.0", 0x10, 0x10, PortType::switch_downstream);
  host.gpu("05:00.0", 0x10de, 0x20b5);
  host.gpu("10:00.0", 0x10de, 0x20b5);
  host.bridge("07:00.0", 8, 8, PortType::switch_downstream);
  host.gpu("08:00.0", 0x10de, 0x20b5);
  const auto t = host.judge();
  Names shared;
  for (const auto& w : t.warnings) {
    if (w.code == "link.shared") shared.push_back(w.where);
  }
  CHECK(shared == Names{"0000:00:01.0"});
}

TEST_CASE("functions below one port share one link, read from the first and never from a virtual function") {
  Host host;
  host.bridge("40:01.1", 0x41, 0x41, PortType::root_port);
  host.gpu("41:00.0", 0x10de, 0x20b5);
  host.gpu("41:02.0", 0x10de, 0x20b5, {LinkSpeed::gen1, 0, LinkSpeed::gen4, 16}).physical_function = at("41:00.0");
  auto t = host.judge();
  REQUIRE(t.links.size() == 1);
  CHECK(t.links[0].lower == at("41:00.0"));
  CHECK(t.links[0].gpus.size() == 2);
  CHECK(t.links[0].state == LinkState::full);
  CHECK_FALSE(warns(t, "link.ends-disagree"));
  CHECK_FALSE(warns(t, "link.shared"));
  CHECK(link_of(t, "41:02.0").gbytes_per_s.value() == doctest::Approx(31.5).epsilon(0.001));
  host.drop("41:00.0");
  t = host.judge();
  CHECK_FALSE(link_of(t, "41:02.0").gbytes_per_s.is_known());
  CHECK(t.links.empty());
}
