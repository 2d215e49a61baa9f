// Two boards with two Radeon AI PRO R9700 each, as tables of a published report give them: on the first, the second
// card hangs behind the chipset; on the second, both cards hang on root ports of the processor.
#include <doctest/doctest.h>

#include "analyse/build.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

const LinkWords kGen5x16{LinkSpeed::gen5, 16, LinkSpeed::gen5, 16};
const LinkWords kGen5x8{LinkSpeed::gen5, 8, LinkSpeed::gen5, 16};
const LinkWords kGen4x16{LinkSpeed::gen4, 16, LinkSpeed::gen4, 16};
const LinkWords kGen4x4{LinkSpeed::gen4, 4, LinkSpeed::gen4, 4};

void card(Host& host, unsigned bus, const LinkWords& slot) {
  const auto a = [&](unsigned b) { return to_string(Address{0, static_cast<std::uint8_t>(b), 0, 0}); };
  host.bridge(a(bus), bus + 1, bus + 2, PortType::switch_upstream, slot, 0x1002, 0x1478);
  host.bridge(a(bus + 1), bus + 2, bus + 2, PortType::switch_downstream, kGen5x16, 0x1002, 0x1479);
  host.gpu(a(bus + 2), 0x1002, 0x7551, kGen5x16);
}

Host chipset_board() {
  Host host;
  host.device("00:00.0", 0x1022, 0x14d8, 0x0600);
  host.bridge("00:01.1", 1, 3, PortType::root_port, kGen4x16, 0x1022, 0x14db);
  card(host, 1, {LinkSpeed::gen4, 16, LinkSpeed::gen5, 16});
  host.bridge("00:02.1", 5, 0x0b, PortType::root_port, kGen4x4, 0x1022, 0x14db);
  host.bridge("05:00.0", 6, 0x0b, PortType::switch_upstream, kGen4x4, 0x1022, 0x43f4);
  host.bridge("06:00.0", 7, 7, PortType::switch_downstream, kGen4x4, 0x1022, 0x43f5);
  host.bridge("06:09.0", 9, 0x0b, PortType::switch_downstream, {LinkSpeed::gen4, 1, LinkSpeed::gen4, 1}, 0x1022,
              0x43f5);
  card(host, 9, {LinkSpeed::gen4, 1, LinkSpeed::gen5, 16});
  for (const auto* port : {"05:00.0", "06:00.0", "06:09.0"}) {
    host.set(port, [](PciExpress& e) { e.atomic_routing = false; });
  }
  host.set("0b:00.0", [](PciExpress& e) { e.atomic_requester_enable = false; });
  return host;
}

}  // namespace

TEST_CASE("the board whose second slot hangs on the chipset") {
  const auto t = chipset_board().judge();
  CHECK(chain_of(t, "03:00.0") == Names{"00:01.1", "01:00.0", "02:00.0", "03:00.0"});
  CHECK(chain_of(t, "0b:00.0") == Names{"00:02.1", "05:00.0", "06:09.0", "09:00.0", "0a:00.0", "0b:00.0"});
  CHECK(gpu_at(t, "03:00.0").atomics.state == Tri::yes);
  CHECK(gpu_at(t, "03:00.0").link.gbytes_per_s.value() == doctest::Approx(31.5).epsilon(0.001));
  const auto& second = gpu_at(t, "0b:00.0");
  CHECK(second.atomics.path == Tri::no);
  CHECK(second.atomics.requester_enabled.is(false));
  CHECK(blocking_of(t, "0b:00.0") == Names{"05:00.0", "06:09.0"});
  CHECK(second.link.gbytes_per_s.value() == doctest::Approx(1.969).epsilon(0.001));
  CHECK(second.link.at.is(at("06:09.0")));
  CHECK(second.link.state == LinkState::full);
  CHECK(second.link.card_gbytes_per_s.value() == doctest::Approx(63.0).epsilon(0.001));
  CHECK(fact_of(t, "path.cpu_attached", "0b:00.0")->value.is(FactValue(false)));
  CHECK(fact_of(t, "path.cpu_attached", "03:00.0")->value.is(FactValue(true)));
  CHECK_FALSE(warns(t, "atomics.requester-off"));
  const auto& pair = pair_of(t, "03:00.0", "0b:00.0");
  CHECK(pair.path == PairPath::host_bridge);
  CHECK(pair.peer == PeerExpectation::likely);
  CHECK(pair.ceiling_gbytes_per_s.value() == doctest::Approx(1.969).epsilon(0.001));
}

TEST_CASE("the board that splits the processor's lanes x8/x8") {
  Host host;
  host.device("00:00.0", 0x1022, 0x14d8, 0x0600);
  host.bridge("00:01.1", 1, 3, PortType::root_port, {LinkSpeed::gen5, 8, LinkSpeed::gen5, 8}, 0x1022, 0x14db);
  card(host, 1, kGen5x8);
  host.bridge("00:01.3", 5, 7, PortType::root_port, {LinkSpeed::gen5, 8, LinkSpeed::gen5, 8}, 0x1022, 0x14db);
  card(host, 5, kGen5x8);
  const auto t = host.judge();
  for (const auto* gpu : {"03:00.0", "07:00.0"}) {
    CAPTURE(gpu);
    CHECK(gpu_at(t, gpu).atomics.state == Tri::yes);
    CHECK(gpu_at(t, gpu).link.gbytes_per_s.value() == doctest::Approx(31.5).epsilon(0.001));
    CHECK(gpu_at(t, gpu).link.state == LinkState::full);
  }
  CHECK(gpu_at(t, "07:00.0").link.at.is(at("00:01.3")));
  CHECK(pair_of(t, "03:00.0", "07:00.0").ceiling_gbytes_per_s.value() == doctest::Approx(31.5).epsilon(0.001));
}
