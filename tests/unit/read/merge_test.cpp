#include "read/merge.hpp"

#include "lspci_reading.hpp"

using namespace gpucoop;
using namespace gpucoop::reading;

namespace {

Recording part(SourceKind kind, std::vector<PciDevice> devices, const char* file = "a.txt") {
  Recording r;
  r.sources.push_back(Source{file, kind});
  r.lists_devices = true;
  r.devices = std::move(devices);
  return r;
}

PciDevice gpu(const char* address, std::uint16_t device_id, std::uint32_t line = 1) {
  PciDevice d;
  d.address = parse_address(address).value();
  d.vendor_id = std::uint16_t{0x10de};
  d.device_id = device_id;
  d.class_code = std::uint16_t{0x0300};
  d.places.push_back(Place{0, line});
  return d;
}

PciDevice with_width(PciDevice d, std::uint8_t width) {
  PciExpress e;
  e.width = width;
  d.express = e;
  return d;
}

Recording joined(std::vector<Recording> parts, std::optional<unsigned> dump = std::nullopt) {
  auto result = merge(std::move(parts), dump);
  REQUIRE(result.ok());
  return std::move(result).value();
}

const char* kList =
    "00:00.0 Host bridge [0600]: Intel Corporation Root [8086:4660]\n"
    "01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA102 [10de:2204]\n";
const char* kOtherList =
    "00:00.0 Host bridge [0600]: Advanced Micro Devices, Inc. [AMD] Root [1022:14d8]\n"
    "01:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [1002:744c]\n";

}  // namespace

TEST_CASE("devices are sorted and unique, and what one reading lacks the other fills") {
  auto list = gpu("02:00.0", 0x2204);
  list.name = std::string("NVIDIA Corporation GA102");
  auto verbose = with_width(gpu("02:00.0", 0x2204), 16);
  verbose.driver = std::string("nvidia");
  const auto r =
      joined({part(SourceKind::lspci_text, {list, gpu("01:00.0", 0x2204)}), part(SourceKind::lspci_text, {verbose})});
  REQUIRE(r.devices.size() == 2);
  CHECK(r.devices[0].address < r.devices[1].address);
  CHECK(r.devices[1].name.is("NVIDIA Corporation GA102"));
  CHECK(r.devices[1].driver.is("nvidia"));
  CHECK(r.devices[1].express.value().width.is(16));
  CHECK(r.disagreements.empty());
  CHECK(r.sources.size() == 1);
}

TEST_CASE("a link that has retrained is a disagreement, the better source wins") {
  const auto r = joined({part(SourceKind::lspci_text, {with_width(gpu("01:00.0", 0x2204, 3), 8)}),
                         part(SourceKind::lspci_hex, {with_width(gpu("01:00.0", 0x2204, 5), 16)}, "b.txt")});
  CHECK(device(r, "01:00.0").express.value().width.is(16));
  REQUIRE(r.disagreements.size() == 1);
  CHECK(r.disagreements[0].field == "LnkSta width");
  CHECK(r.disagreements[0].kept == "x16");
  CHECK(r.disagreements[0].other == "x8");
  CHECK(to_string(r, r.disagreements[0].kept_place) == "b.txt:5");
  CHECK(to_string(r, r.disagreements[0].other_place) == "a.txt:3");
}

PciDevice with_routing(PciDevice device, bool routing) {
  auto express = PciExpress::unknown(Reason::not_in_input);
  express.atomic_routing = routing;
  device.express = express;
  return device;
}

TEST_CASE("equally good sources disagree about a bit that decides: it is unknown, whatever lesser sources say") {
  const auto r = joined({part(SourceKind::lspci_text, {with_routing(gpu("01:00.0", 0x2204, 3), true)}),
                         part(SourceKind::lspci_text, {with_routing(gpu("01:00.0", 0x2204, 5), false)}, "b.txt"),
                         part(SourceKind::lspci_text, {with_routing(gpu("01:00.0", 0x2204, 7), true)}, "c.txt")});
  CHECK(device(r, "01:00.0").express.value().atomic_routing == Known<bool>::unknown(Reason::disagreement));
  REQUIRE(r.disagreements.size() == 1);
  CHECK(r.disagreements[0].open);
  CHECK(r.disagreements[0].kept == "yes");
  CHECK(r.disagreements[0].other == "no");
}

TEST_CASE("bytes and text disagree about a bit that decides: the bytes win") {
  const auto r = joined({part(SourceKind::lspci_text, {with_routing(gpu("01:00.0", 0x2204, 3), true)}),
                         part(SourceKind::lspci_hex, {with_routing(gpu("01:00.0", 0x2204, 5), false)}, "b.txt")});
  CHECK(device(r, "01:00.0").express.value().atomic_routing.is(false));
  REQUIRE(r.disagreements.size() == 1);
  CHECK_FALSE(r.disagreements[0].open);
}

TEST_CASE("the main source comes first: text before hex, lists before trees") {
  const auto r = joined({part(SourceKind::lspci_tree, {gpu("01:00.0", 1)}, "t"),
                         part(SourceKind::lspci_hex, {gpu("01:00.0", 1)}, "h"),
                         part(SourceKind::lspci_text, {gpu("01:00.0", 1)}, "l")});
  REQUIRE(r.sources.size() == 3);
  CHECK(r.sources[0].kind == SourceKind::lspci_text);
  CHECK(r.sources[1].kind == SourceKind::lspci_hex);
  CHECK(r.sources[2].kind == SourceKind::lspci_tree);
  CHECK(to_string(r, device(r, "01:00.0").places.front()) == "h:1");
}

TEST_CASE("two hosts are an error that names both and both places") {
  const auto result = try_read(std::string(kList) + "\n" + kOtherList);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code == ExitCode::bad_input);
  CHECK(result.error().what.find("[8086:4660] (host.txt:1)") != std::string::npos);
  CHECK(result.error().what.find("[1022:14d8] (host.txt:4)") != std::string::npos);
  CHECK(result.error().where == "host.txt:4");
  CHECK(result.error().next.find("--dump 1 to --dump 2") != std::string::npos);
}

TEST_CASE("a dump is chosen by its number in order of appearance") {
  const std::string text = std::string(kList) + "\n" + kOtherList + "\n" + kList;
  const auto first = try_read(text, ReadOptions{1});
  REQUIRE(first.ok());
  CHECK(device(first.value(), "01:00.0").vendor_id.is(0x10de));
  CHECK(device(first.value(), "01:00.0").places.size() == 2);
  const auto second = try_read(text, ReadOptions{2});
  REQUIRE(second.ok());
  CHECK(device(second.value(), "01:00.0").vendor_id.is(0x1002));
  CHECK_FALSE(try_read(text, ReadOptions{3}).ok());
  CHECK_FALSE(try_read(text, ReadOptions{0}).ok());
}

TEST_CASE("two files of two hosts") {
  const auto result = read_inputs({Input{"a", kList}, Input{"b", kOtherList}}, rules(), {});
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().where == "b:1");
}

TEST_CASE("names alone: another vendor is another host, another spelling is not") {
  const std::string names =
      "00:00.0 Host bridge: Intel Corporation 12th Gen Core Processor Host Bridge\n"
      "00:02.0 VGA compatible controller: Intel Corporation Alder Lake-P Integrated Graphics Controller\n"
      "01:00.0 3D controller: NVIDIA Corporation GA104M\n";
  CHECK(try_read(names + "\n" + replaced(names, "GA104M", "GA104M [GeForce RTX 3070 Mobile]")).ok());
  CHECK(try_read(names + "\n" + replaced(names, "GA104M", "Device 249d")).ok());
  CHECK(try_read(names + "\n" + replaced(names, "Alder Lake-P Integrated", "Alder Lake-P GT2 Integrated")).ok());
  CHECK_FALSE(
      try_read(names + "\n" + replaced(names, "NVIDIA Corporation GA104M", "Realtek Semiconductor RTL8111")).ok());
  CHECK_FALSE(try_read(names + "\n" + replaced(names, "3D controller", "Ethernet controller")).ok());
}

TEST_CASE("one address twice in a row with different devices is damage, not another host") {
  const auto r = read(
      "00:00.0 Host bridge [0600]: Intel Corporation Root [8086:4660]\n"
      "01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA102 [10de:2204]\n"
      "01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA104 [10de:2484]\n"
      "02:00.0 Non-Volatile memory controller [0108]: Example Corp. Disk [1e57:0001]\n");
  CHECK(r.devices.size() == 3);
  CHECK(device(r, "01:00.0").device_id.is(0x2204));
  CHECK(warned_at(r, "input.duplicate-address") == "host.txt:3");
  CHECK(r.listing_complete.is_unknown());
}

TEST_CASE("one address twice in one part: the first is kept") {
  const auto r = joined({part(SourceKind::hwloc_xml, {gpu("01:00.0", 1), gpu("01:00.0", 2, 9)})});
  REQUIRE(r.devices.size() == 1);
  CHECK(r.devices[0].device_id.is(1));
  CHECK(warned_at(r, "input.duplicate-address") == "a.txt:9");
}

TEST_CASE("a parent that skips levels gives way to the real one") {
  auto skipping = gpu("03:00.0", 1);
  skipping.stated_parent = parse_address("00:01.0").value();
  skipping.parent_skips_levels = true;
  auto real = gpu("03:00.0", 1);
  real.stated_parent = parse_address("02:00.0").value();
  const auto r = joined({part(SourceKind::nccl_xml, {skipping}), part(SourceKind::lspci_tree, {real}, "t")});
  CHECK(r.devices[0].stated_parent.is(parse_address("02:00.0").value()));
  CHECK_FALSE(r.devices[0].parent_skips_levels);
  CHECK(r.disagreements.empty());
}

TEST_CASE("a tree that names addresses only does not make a listing complete") {
  PciDevice bare;
  bare.address = parse_address("02:00.0").value();
  auto tree = part(SourceKind::lspci_tree, {bare}, "t");
  tree.listing_complete = true;
  auto excerpt = part(SourceKind::lspci_text, {gpu("01:00.0", 1)});
  excerpt.listing_complete = false;
  CHECK(joined({tree, excerpt}).listing_complete.is_unknown());
  auto list = part(SourceKind::lspci_text, {gpu("01:00.0", 1), gpu("02:00.0", 2)});
  list.listing_complete = true;
  CHECK(joined({tree, list}).listing_complete.is(true));
  CHECK(joined({excerpt}).listing_complete.is(false));
}

TEST_CASE("a kernel line about a device that no list holds: the listing is not known to be complete") {
  auto list = part(SourceKind::lspci_text, {gpu("01:00.0", 1)});
  list.listing_complete = true;
  Recording log;
  log.sources.push_back(Source{"kernel.txt", SourceKind::kernel_log});
  log.log.emplace_back();
  log.log[0].cause = "amdgpu-no-atomics";
  log.log[0].place = Place{0, 7};
  log.log[0].device = parse_address("01:00.0").value();
  CHECK(joined({list, log}).listing_complete.is(true));
  log.log[0].device = parse_address("99:00.0").value();
  const auto r = joined({list, log});
  CHECK(r.listing_complete.is_unknown());
  REQUIRE(r.warnings.size() == 1);
  CHECK(r.warnings[0].code == "input.log-names-another");
  CHECK(r.warnings[0].text.rfind("the kernel log names 0000:99:00.0", 0) == 0);
  CHECK(r.warnings[0].where == "kernel.txt:7");
}

TEST_CASE("many copies of one host are one host") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += std::string(kTwoDevices);
  const auto r = read(text);
  CHECK(r.devices.size() == 3);
  CHECK(r.disagreements.empty());
  CHECK(device(r, "0b:00.0").places.size() <= 16);
}
