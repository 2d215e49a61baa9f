#include "lspci_reading.hpp"

using namespace gpucoop;
using namespace gpucoop::reading;

namespace {

/// What a device's reading comes down to, for comparing two treatments of one text.
std::string summary(const Recording& r) {
  std::string out;
  const auto flag = [](const Known<bool>& k) {
    return k.is_known() ? (k.value() ? "+" : "-") : k.is_absent() ? "x" : std::string(to_string(k.reason()));
  };
  for (const auto& d : r.devices) {
    out += to_string(d.address) + " " + std::to_string(d.class_code.value_or(0)) + " " + d.name.value_or("?") + " " +
           std::to_string(d.vendor_id.value_or(0)) + ":" + std::to_string(d.device_id.value_or(0)) + " " +
           d.driver.value_or(d.driver.is_absent() ? "none" : "?") + " " + d.power_state.value_or("?") + " " +
           std::to_string(d.buses.value_or(BusNumbers{}).secondary) + " " +
           std::to_string(d.subsystem_device_id.value_or(0)) + " " + std::to_string(d.numa_node.value_or(-1));
    if (const auto* e = d.express.get()) {
      out += " x" + std::to_string(e->width.value_or(99)) + flag(e->atomic_routing) + flag(e->atomic_completer32) +
             flag(e->atomic_requester_enable) + flag(e->dll_active) + flag(e->presence_detect) +
             std::to_string(e->speed.is_known() ? gigatransfers(e->speed.value()) : 0) +
             std::to_string(e->max_payload.value_or(0));
    }
    if (const auto* a = d.acs.get()) out += flag(a->control.request_redirect) + flag(a->capability.direct_translated);
    for (const auto& b : d.bars) out += " " + std::to_string(b.index) + "=" + std::to_string(b.size.value_or(0));
    for (const auto& b : d.resizable_bars) out += " r" + std::to_string(b.supported.size());
    out += "\n";
  }
  return out;
}

/// As a mailer breaks lines: at a blank, the rest at the left margin.
std::string wrapped(const std::string& text, std::size_t width, const std::string& quote, bool flowed) {
  std::string out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = std::min(text.find('\n', begin), text.size());
    auto line = replaced(text.substr(begin, end - begin), "\t", "        ");
    const auto indent = line.find_first_not_of(' ');
    std::size_t from = indent == std::string::npos ? 0 : indent + 1;
    while (line.size() > width) {
      const auto at = line.rfind(' ', width);
      if (at == std::string::npos || at < from) break;
      out += quote + line.substr(0, at) + (flowed ? " \n" : "\n");
      line.erase(0, at + 1);
      from = 1;
    }
    out += quote + line + "\n";
    begin = end + 1;
  }
  return out;
}

}  // namespace

TEST_CASE("the ways in which texts are treated change nothing") {
  const std::string plain = kTwoDevices;
  const auto expected = summary(read(plain));
  CHECK(expected.find("0000:0b:00.0") != std::string::npos);
  CHECK(expected.find("GPP Bridge [6:0]") != std::string::npos);

  CHECK(summary(read(replaced(plain, "\n", "\r\n"))) == expected);
  CHECK(summary(read(replaced(plain, "\n", "\r"))) == expected);
  CHECK(summary(read(replaced(plain, "\t", "        "))) == expected);
  CHECK(summary(read(replaced(plain, "\t", ""))) == expected);
  CHECK(summary(read(replaced(plain, "\t", "\xc2\xa0 \xc2\xa0 "))) == expected);
  CHECK(summary(read(replaced(plain, "\n", "\n\n"))) == expected);
  CHECK(summary(read(each_line(plain, "> ", ""))) == expected);
  CHECK(summary(read(each_line(plain, ">>>> ", ""))) == expected);
  CHECK(summary(read(each_line(plain, "> > ", ""))) == expected);
  CHECK(summary(read(each_line(plain, "    ", "  "))) == expected);
  CHECK(summary(read(each_line(plain, "\x1b[0m", "\x1b[K"))) == expected);
  CHECK(summary(read("\xef\xbb\xbf" + plain)) == expected);
  CHECK(summary(read("Hello,\n\n```\n" + plain + "```\nRegards\n")) == expected);
  CHECK(summary(read("<pre><code>" + plain + "</code></pre>\n")) == expected);
  CHECK(summary(read("<pre>" + replaced(replaced(plain, "<", "&lt;"), ">", "&gt;") + "</pre>\n")) == expected);
  CHECK(summary(read(wrapped(plain, 72, "", false))) == expected);
  CHECK(summary(read(wrapped(plain, 78, "> ", false))) == expected);
  CHECK(summary(read(wrapped(plain, 72, "", true))) == expected);
  CHECK(summary(read(wrapped(plain, 70, ">> ", true))) == expected);
  CHECK(summary(read(plain + plain)) == expected);
}

TEST_CASE("list marks and emphasis before a device line") {
  for (const char* text : {"- 01:00.0 VGA compatible controller: NVIDIA Corporation GA102\n",
                           "* 01:00.0 VGA compatible controller: NVIDIA Corporation GA102\n",
                           "2. 01:00.0 VGA compatible controller: NVIDIA Corporation GA102\n",
                           "**01:00.0 VGA compatible controller: NVIDIA Corporation GA102**\n",
                           "`01:00.0 VGA compatible controller: NVIDIA Corporation GA102`\n"}) {
    CAPTURE(text);
    const auto r = read(text);
    CHECK(device(r, "01:00.0").class_code.is(0x0300));
    CHECK(device(r, "01:00.0").name.is("NVIDIA Corporation GA102"));
  }
}

TEST_CASE("device lines without indentation, quoted wraps of names over three lines") {
  const auto r = read(
      ">>>> 03:00.0 VGA compatible controller [0300]: Intel Corporation DG2 [Arc\n"
      ">>>> A770]\n"
      ">>>> [8086:56a0] (rev 08) (prog-if 00 [VGA\n"
      ">>>> controller])\n"
      ">>>>  Subsystem: Intel Corporation Device\n"
      ">>>> [8086:1020]\n"
      ">>>>  Kernel driver in use: vfio-pci\n");
  const auto& d = device(r, "03:00.0");
  CHECK(d.name.is("Intel Corporation DG2 [Arc A770]"));
  CHECK(d.device_id.is(0x56a0));
  CHECK(d.revision.is(8));
  CHECK(d.subsystem_device_id.is(0x1020));
  CHECK(d.driver.is("vfio-pci"));
}

TEST_CASE("a wrapped Express line") {
  const auto r = read(
      "00:01.0 PCI bridge: Example Corp. Port\n\tCapabilities: [58] Express (v2) Root\nPort (Slot+), MSI 00\n"
      "\t\tLnkSta: Speed 8GT/s, Width\nx4\n");
  CHECK(express(r, "00:01.0").type.is(PortType::root_port));
  CHECK(express(r, "00:01.0").slot_implemented.is(true));
  CHECK(express(r, "00:01.0").width.is(4));
}

TEST_CASE("a sentence below a list is not part of its last name") {
  const auto r = read("01:00.0 VGA compatible controller: NVIDIA Corporation GA102\nThat is the card.\n");
  CHECK(device(r, "01:00.0").name.is("NVIDIA Corporation GA102"));
}

TEST_CASE("registers without a device line belong to no device") {
  SUBCASE("after a sentence") {
    const auto r = read(
        "01:00.0 VGA compatible controller: NVIDIA Corporation GA102\n\tLnkSta: Speed 8GT/s, Width x8\n\n"
        "and the port above:\n\n\tLnkSta: Speed 16GT/s, Width x16\n\tACSCtl: ReqRedir+\n");
    CHECK(express(r, "01:00.0").width.is(8));
    CHECK_FALSE(device(r, "01:00.0").acs.is_known());
    CHECK(warned_at(r, "input.orphan-lines") == "host.txt:6");
  }
  SUBCASE("after another command") {
    const auto r = read(
        "01:00.0 VGA compatible controller: NVIDIA Corporation GA102\n\tKernel driver in use: nvidia\n"
        "$ sudo lspci -vvv | grep ACSCtl\n\t\tACSCtl: SrcValid+ ReqRedir+\n\t\tACSCtl: SrcValid+ ReqRedir+\n");
    CHECK_FALSE(device(r, "01:00.0").acs.is_known());
    CHECK(warns(r, "input.orphan-lines"));
  }
}

TEST_CASE("the address of lspci -s stands for a device line that was filtered away") {
  const auto r = read(
      "# lspci -vvv -s 0000:01:00.0 | grep Lnk\n\tLnkCap: Port #0, Speed 16GT/s, Width x16\n"
      "\tLnkSta: Speed 2.5GT/s, Width x16\n");
  CHECK(express(r, "01:00.0").speed.is(LinkSpeed::gen1));
  CHECK(express(r, "01:00.0").max_width.is(16));
  CHECK_FALSE(device(r, "01:00.0").class_code.is_known());
}

TEST_CASE("addresses alone as headings of filtered lines") {
  const auto r = read(
      "== 0000:01:00.0 ==\n\tLnkSta: Speed 2.5GT/s, Width x16\n"
      "02:00.0:\n\tLnkSta: Speed 8GT/s, Width x8\n");
  CHECK(express(r, "01:00.0").width.is(16));
  CHECK(express(r, "02:00.0").width.is(8));
}

TEST_CASE("numbered lines") {
  const auto r =
      read("     1\t01:00.0 VGA compatible controller: Example Corp. GPU\n     2\t\tKernel driver in use: nvidia\n");
  CHECK(device(r, "01:00.0").driver.is("nvidia"));
}

TEST_CASE("a tree that has lost its indentation") {
  const auto r = read(
      "-[0000:00]-+-00.0\n+-01.0-[01-03]----00.0-[02-03]----00.0-[03]--+-00.0\n"
      "|                                            \\-00.1\n+-02.0\n\\-1f.0-[04]--+-00.0\n\\-00.1\n");
  CHECK(device(r, "03:00.1").stated_parent.is(parse_address("02:00.0").value()));
  CHECK(device(r, "00:02.0").stated_parent.is_absent());
  CHECK(device(r, "04:00.1").stated_parent.is(parse_address("00:1f.0").value()));
}

TEST_CASE("a device line without an address is no device") {
  const auto r = read(
      "00:01.0 PCI bridge: Example Corp. Port\n\tCapabilities: [58] Express (v2) Root Port (Slot+)\n"
      "VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Vega 20\n"
      "\tCapabilities: [64] Express (v2) Legacy Endpoint\n\t\tLnkSta: Speed 16GT/s, Width x16\n");
  REQUIRE(r.devices.size() == 1);
  CHECK(express(r, "00:01.0").type.is(PortType::root_port));
  CHECK_FALSE(express(r, "00:01.0").width.is_known());
  CHECK(warned_at(r, "input.header-without-address") == "host.txt:3");
}

TEST_CASE("bytes beside text, the bytes win and a difference is kept") {
  const std::string rows =
      "00: de 10 04 22 07 00 10 00 a1 00 00 03 00 00 00 00\n"
      "10: 00 00 00 fb 00 00 00 00 00 00 00 00 00 00 00 00\n"
      "20: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
      "30: 00 00 00 00 40 00 00 00 00 00 00 00 00 01 00 00\n"
      "40: 10 00 02 00 00 00 00 00 00 00 00 00 04 01 00 00\n"
      "50: 00 00 83 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
      "60: 00 00 00 00 80 01 00 00 40 00 00 00 1e 00 00 00\n"
      "70: 04 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n";
  SUBCASE("bytes alone") {
    const auto r = read("01:00.0 VGA compatible controller: NVIDIA Corporation GA102\n" + rows);
    CHECK(r.sources.front().kind == SourceKind::lspci_hex);
    CHECK(express(r, "01:00.0").width.is(8));
    CHECK(express(r, "01:00.0").atomic_requester_enable.is(true));
    CHECK(device(r, "01:00.0").device_id.is(0x2204));
    CHECK(r.disagreements.empty());
  }
  SUBCASE("with text") {
    const auto r = read(
        "01:00.0 VGA compatible controller: NVIDIA Corporation GA102\n"
        "\tRegion 0: Memory at fb000000 (32-bit, non-prefetchable) [size=16M]\n"
        "\tCapabilities: [40] Express (v2) Endpoint, MSI 00\n\t\tLnkSta:\tSpeed 8GT/s, Width x16\n" +
        rows);
    CHECK(r.sources.front().kind == SourceKind::lspci_text);
    CHECK(express(r, "01:00.0").width.is(8));
    REQUIRE(r.disagreements.size() == 1);
    CHECK(r.disagreements[0].field == "LnkSta width");
    CHECK(r.disagreements[0].kept == "x8");
    CHECK(r.disagreements[0].other == "x16");
    CHECK(to_string(r, r.disagreements[0].kept_place) == "host.txt:5");
    CHECK(to_string(r, r.disagreements[0].other_place) == "host.txt:1");
    REQUIRE(device(r, "01:00.0").bars.size() == 1);
    CHECK(device(r, "01:00.0").bars[0].size.is(std::uint64_t{16} << 20));
  }
  SUBCASE("a row is missing: the text fills it") {
    const auto r = read(
        "01:00.0 VGA compatible controller: NVIDIA Corporation GA102\n"
        "\tCapabilities: [40] Express (v2) Endpoint, MSI 00\n\t\tLnkSta:\tSpeed 8GT/s, Width x16\n" +
        replaced(rows, "50: 00 00 83 00 00 00 00 00 00 00 00 00 00 00 00 00\n", ""));
    CHECK(express(r, "01:00.0").width.is(16));
    CHECK(express(r, "01:00.0").max_width.is(16));
    CHECK(r.disagreements.empty());
    CHECK(warned_at(r, "input.hex-gap") == "host.txt:4");
  }
  SUBCASE("the rows end in the middle") {
    const auto r = read("01:00.0 VGA compatible controller: NVIDIA Corporation GA102\n" + rows.substr(0, 400));
    CHECK(device(r, "01:00.0").device_id.is(0x2204));
    CHECK(warned_at(r, "input.truncated") == "host.txt:2");
  }
}
