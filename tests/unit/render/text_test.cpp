#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "render/escape.hpp"
#include "render/render.hpp"
#include "render/reports.hpp"
#include "render/words.hpp"

using namespace gpucoop;

namespace {

std::string text(const Report& report, bool verbose = false) {
  TextOptions options;
  options.verbose = verbose;
  return render_text(report, options);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string line_with(const std::string& text, std::string_view part) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (has(line, part)) return line;
  }
  return {};
}

std::vector<Report> all_reports() {
  return {test::blocked_board(), test::clean_board(), test::flat_guest(), test::sixteen(),
          test::one_gpu(),       test::no_gpu(),      test::no_list()};
}

ModeVerdict verdict(ModeState state, Known<ModeState> expected) {
  ModeVerdict m;
  m.state = state;
  m.expected = expected;
  return m;
}

}  // namespace

TEST_CASE("no line of any view is wider than 80 columns or ends in a blank") {
  for (const Report& report : all_reports()) {
    std::istringstream lines(text(report));
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(columns(line) <= 80);
      CHECK((line.empty() || line.back() != ' '));
    }
  }
}

TEST_CASE("the first line is the answer") {
  CHECK(text(test::blocked_board())
            .find("2 AMD GPUs (03:00.0 and 0b:00.0): tensor parallelism is not expected to work.\n") == 0);
  CHECK(text(test::no_gpu()).find("No GPU in this host.\n") == 0);
  CHECK(text(test::no_list()).find("No answer: the input lists no PCI devices.\n") == 0);
}

TEST_CASE("an expectation never reads like a result") {
  CHECK(words::state(verdict(ModeState::unknown, ModeState::yes)) == "should work, not proven");
  CHECK(words::state(verdict(ModeState::unknown, ModeState::no)) == "not expected to work");
  CHECK(words::state(verdict(ModeState::unknown, {})) == "unknown");
  CHECK(words::state(verdict(ModeState::no, {})) == "cannot work");
  CHECK(words::state(verdict(ModeState::yes, {})) == "works");
  for (const Report& report : {test::clean_board(), test::flat_guest(), test::sixteen()}) {
    CHECK_FALSE(has(text(report), " works"));
    CHECK_FALSE(has(render_answer(report, {}), " works"));
  }
}

TEST_CASE("the hops that matter are marked, and only they") {
  const std::string view = text(test::blocked_board());
  CHECK(line_with(view, "  05:00.0  ") ==
        "  05:00.0  chipset switch, upper                            <-- blocks AtomicOps");
  CHECK(line_with(view, "  06:09.0  ") ==
        "  06:09.0  chipset switch, lower   16 GT/s x1 = 1.97 GB/s   <-- blocks AtomicOps");
  CHECK(has(view, "\n                                                            <-- slowest link\n"));
  CHECK(line_with(view, "  00:02.1  ") == "  00:02.1  root port               16 GT/s x4 = 7.88 GB/s");
  CHECK(line_with(view, "  0a:00.0  ") == "  0a:00.0  inside the card, lower  32 GT/s x16 = 63.0 GB/s");
}

TEST_CASE("the remedy and the command that would prove it are named") {
  const std::string view = text(test::blocked_board());
  CHECK(has(view, "  1. Move the card 0b:00.0 to a slot that is wired to the CPU.\n"));
  CHECK(has(view, "      gpucoop inspect\n"));
}

TEST_CASE("AtomicOps are shown only where a rule uses them") {
  CHECK(has(text(test::clean_board()), "AtomicOps reach the CPU."));
  CHECK_FALSE(has(text(test::flat_guest()), "AtomicOps"));
  CHECK_FALSE(has(text(test::sixteen()), "AtomicOps"));
}

TEST_CASE("modes of one outcome are one entry, those that may work first") {
  const std::string view = text(test::blocked_board());
  CHECK(has(view, "  should work, not proven  data-parallel and layer-split\n"));
  CHECK(has(view, "  not expected to work     pipeline, tensor, tensor-custom-allreduce,\n"));
  CHECK(view.find("should work, not proven  data") < view.find("not expected to work     pipe"));
  CHECK(has(render_answer(test::blocked_board(), {}),
            "What is left: data-parallel and layer-split (should work, not proven)."));
  CHECK_FALSE(has(render_answer(test::clean_board(), {}), "What is left:"));
}

TEST_CASE("a single GPU has no list of modes, only the reason") {
  const std::string view = text(test::one_gpu());
  CHECK(view.find("1 AMD GPU (03:00.0): no second one to share work with.\n") == 0);
  CHECK_FALSE(has(view, "What they can do together"));
}

TEST_CASE("GPUs that cannot be put to work say why in the headline") {
  Report report = test::one_gpu();
  report.judgement = {};
  report.judgement.warnings.push_back({"set.left-out", "03:00.0 is left out: bound to vfio-pci", "0000:03:00.0"});
  CHECK(render_answer(report, {}) ==
        "1 GPU (03:00.0), none of which can be put to work. 03:00.0 is left out: bound to vfio-pci.\n");
}

TEST_CASE("a GPU inside the CPU that is not judged is a line, not a chain") {
  Report report = test::clean_board();
  Gpu inside;
  inside.address = test::at("0e:00.0");
  inside.vendor = Vendor::amd;
  inside.name = std::string("Advanced Micro Devices, Inc. [AMD/ATI] Granite Ridge [Radeon Graphics]");
  inside.integrated = true;
  report.topology.gpus.push_back(inside);
  Pair pair;
  pair.a = test::at("03:00.0");
  pair.b = inside.address;
  report.topology.pairs.push_back(pair);
  const std::string view = text(report);
  CHECK(has(view, "\n0e:00.0: AMD Radeon Graphics (Granite Ridge) (inside the CPU, not counted)\n"));
  CHECK_FALSE(has(view, "03:00.0 - 0e:00.0"));
  CHECK(has(text(report, true), "03:00.0 - 0e:00.0"));
}

TEST_CASE("a remark behind a command stands on a line of its own") {
  Report report = test::clean_board();
  for (ModeVerdict& mode : report.judgement.modes) {
    if (mode.id == "tensor") mode.settled_by = std::string("all_reduce_perf -g 2  # nccl-tests");
  }
  CHECK(has(text(report),
            "What would prove it\n  tensor                   all_reduce_perf -g 2\n"
            "                           (nccl-tests)\n"));
}

TEST_CASE("sixteen GPUs fit on a screen and a half") {
  const std::string view = text(test::sixteen());
  CHECK(std::count(view.begin(), view.end(), '\n') < 60);
  CHECK(has(view, "16 GPUs alike: NVIDIA Tesla V100-SXM3-32GB (GV100GL)\n"));
  CHECK(has(view, "56 pairs"));
  CHECK(has(view, "64 pairs"));
}

TEST_CASE("a card whose way differs is not hidden among those alike") {
  Report report = test::sixteen();
  report.topology.links[5].width = std::uint8_t{8};
  report.topology.links[5].gbytes_per_s = 7.88;
  report.topology.links[5].state = LinkState::downgraded;
  const std::string view = text(report);
  CHECK(has(view, "15 GPUs alike"));
  CHECK(has(line_with(view, "  2a:00.0  root port"), "8 GT/s x8 = 7.88 GB/s"));
  CHECK(has(view, "<-- downgraded"));
}

TEST_CASE("what is unknown says what would make it known") {
  const std::string view = text(test::flat_guest());
  CHECK(has(view, "Not known\n"));
  CHECK(has(view, "a virtual machine does not see the"));
  CHECK(has(view, "Link to the CPU: not known"));
}

TEST_CASE("a display that cannot compute is left to --verbose") {
  Report report = test::clean_board();
  Gpu display;
  display.address = test::at("0c:00.0");
  display.compute = false;
  display.name = std::string("ASPEED Technology, Inc. ASPEED Graphics Family");
  report.topology.gpus.push_back(display);
  CHECK_FALSE(has(text(report), "ASPEED"));
  CHECK(has(text(report, true), "0c:00.0: ASPEED Technology, Inc. ASPEED Graphics Family (only a display)"));
}

TEST_CASE("--verbose shows each mode with its evidence, and every fact") {
  const std::string view = text(test::blocked_board(), true);
  CHECK(has(view, "decided by atomics.path@0000:0b:00.0: 05:00.0 DevCap2 bit 6 = 0"));
  CHECK(has(view, "link.rate@0000:0b:00.0 = 1.96923"));
  CHECK(has(view, "AtomicOps Routing- 32bit? 64bit? ReqEn? EgressBlck?"));
}

TEST_CASE("warnings of one kind are one line with their places") {
  Report report = test::clean_board();
  for (int i = 1; i <= 6; ++i) {
    report.topology.warnings.push_back({"input.truncated", "the dump ends early", "host.txt:" + std::to_string(i)});
  }
  const std::string view = text(report);
  CHECK(has(view, "  host.txt:1, host.txt:2, host.txt:3 and 3 more: The dump ends early.\n"));
}

TEST_CASE("of many warnings of one kind two are shown") {
  Report report = test::clean_board();
  for (int i = 1; i <= 6; ++i) {
    report.topology.warnings.push_back({"link.shared", "link " + std::to_string(i) + " is shared", ""});
  }
  CHECK(has(text(report), "  Link 2 is shared.\n  4 more of these kinds with --verbose.\n"));
  CHECK_FALSE(has(text(report), "Link 3"));
  CHECK(has(text(report, true), "Link 6 is shared."));
}

TEST_CASE("text from the input cannot act on the terminal") {
  Report report = test::blocked_board();
  const std::string evil = "\x1b]0;owned\x07\xe2\x80\xae" + std::string(200, 'W');
  report.topology.gpus[0].name = evil;
  report.topology.gpus[0].slot = evil;
  report.topology.gpus[0].driver = evil;
  report.topology.sources[0].file = evil;
  report.judgement.modes[0].why = evil;
  report.judgement.modes[1].id = evil;
  report.topology.warnings.push_back({evil, evil, evil});
  for (const std::string& view : {text(report), text(report, true), render_answer(report, {})}) {
    CHECK_FALSE(has(view, "\x1b"));
    CHECK_FALSE(has(view, "\x07"));
    CHECK_FALSE(has(view, "\xe2\x80\xae"));
  }
  CHECK(render_answer(report, {}).find('\n') == render_answer(report, {}).size() - 1);
}

TEST_CASE("rates and names read as a person writes them") {
  CHECK(words::rate(1.96923) == "1.97 GB/s");
  CHECK(words::rate(31.507) == "31.5 GB/s");
  CHECK(words::rate(126.03) == "126 GB/s");
  CHECK(words::rate(9.999) == "10.0 GB/s");
  CHECK(words::link(LinkSpeed::gen1, std::uint8_t{16}) == "2.5 GT/s x16");
  CHECK(words::link(LinkSpeed::gen4, {}) == "16 GT/s, width ?");
  CHECK(words::link({}, std::uint8_t{16}) == "x16, speed ?");
  CHECK(words::link(LinkSpeed::gen1, std::uint8_t{0}) == "link down");
  CHECK(words::link({}, {}).empty());
  CHECK(words::bytes(std::uint64_t{32} << 30) == "32 GiB");
  CHECK(words::bytes(1000) == "1000 B");
  CHECK(words::name(test::blocked_board().topology.gpus[0]) == "AMD Radeon AI PRO R9700 (Navi 48)");
  Gpu bare;
  bare.vendor = Vendor::nvidia;
  bare.vendor_id = std::uint16_t{0x10de};
  bare.device_id = std::uint16_t{0x2204};
  CHECK(words::name(bare) == "NVIDIA GPU [10de:2204]");
  CHECK(words::list(std::vector<std::string>{"a", "b", "c"}) == "a, b and c");
  CHECK(words::list(std::vector<std::string>{"a", "b", "c", "d"}, 3) == "a, b and 2 more");
  CHECK(words::sentence("nothing stands in the way") == "Nothing stands in the way.");
  CHECK(words::sentence("0b:00.0 is slow.") == "0b:00.0 is slow.");
  CHECK(words::sentence("data-parallel is open") == "data-parallel is open.");
}

TEST_CASE("what a reading was made in is named where it keeps something back, and what it takes to see it") {
  HostSummary host;
  host.source = SourceKind::live;
  host.live = true;
  CHECK(words::missing(Reason::no_root, host).why == "only root may read it");
  CHECK(words::missing(Reason::no_root, host).next == "sudo gpucoop topo");
  host.superuser = true;
  CHECK(words::missing(Reason::no_root, host).why == "root lacks the capability to read it");
  CHECK(words::missing(Reason::no_root, host).next.find("sudo") == std::string::npos);
  CHECK(words::missing(Reason::no_root, host).next.find("CAP_SYS_ADMIN (registers)") != std::string::npos);
  const std::vector<std::pair<std::string, std::string>> containers = {{"docker", "docker container"},
                                                                       {"podman", "podman container"},
                                                                       {"lxc", "lxc container"},
                                                                       {"kubernetes", "Kubernetes container"},
                                                                       {"container", "container"}};
  for (const auto& in : containers) {
    host.container = in.first;
    CHECK(words::container_in_words(host) == in.second);
    CHECK(words::missing(Reason::no_root, host).why == "this " + in.second + " may not read it");
    CHECK(words::missing(Reason::no_root, host).next.find("--cap-add SYS_ADMIN") != std::string::npos);
  }
  host.user_namespace = true;
  host.container = std::string("podman");
  CHECK(words::missing(Reason::no_root, host).why == "root in a podman container of an ordinary user may not read it");
}

TEST_CASE("the last lines say which container was read in") {
  auto report = test::clean_board();
  REQUIRE_FALSE(report.topology.sources.empty());
  CHECK(render_text(report, {}).find("container") == std::string::npos);
  report.topology.host.container = std::string("docker");
  CHECK(render_text(report, {}).find(", inside a docker container. ") != std::string::npos);
  report.topology.host.container = std::string("lxc");
  CHECK(render_text(report, {}).find(", inside an lxc container. ") != std::string::npos);
}
