#include "judge/diff.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "analyse/analyse.hpp"
#include "judge/judge.hpp"
#include "judge/machine.hpp"
#include "read/read.hpp"
#include "read/report/report.hpp"
#include "render/diff.hpp"
#include "render/render.hpp"

using namespace gpucoop;
using gpucoop::test::at;

namespace {

Recording recording_of(const std::string& file) {
  const std::string name = std::string(GPUCOOP_SOURCE_DIR) + "/fixtures/" + file;
  std::ifstream stream(name, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  auto recording = read_inputs({{file, bytes}}, builtin_rules(), {});
  if (!recording.ok()) FAIL(recording.error().what);
  return recording.value();
}

Report report_of(const Recording& recording) {
  Report report;
  report.taken_at = "2026-11-30T06:44:55Z";
  report.topology = analyse(recording, builtin_rules());
  report.judgement = judge(report.topology.facts, builtin_rules());
  return report;
}

Report report_of(const std::string& file) { return report_of(recording_of(file)); }

const char* const kChipset = "asus-tuf-b650e-dual-r9700/lspci-vv.txt";
const char* const kProcessor = "asus-proart-b850-dual-r9700/lspci-vv.txt";

Diff between(const Report& a, const Report& b, bool all = false) { return diff(a, b, builtin_rules(), all); }

const ValueChange* change_of(const GpuChange& gpu, const std::string& what) {
  const auto found = std::find_if(gpu.changes.begin(), gpu.changes.end(),
                                  [&](const ValueChange& change) { return change.what == what; });
  return found == gpu.changes.end() ? nullptr : &*found;
}

const VerdictChange* mode_of(const Diff& found, const std::string& id) {
  const auto it =
      std::find_if(found.modes.begin(), found.modes.end(), [&](const VerdictChange& m) { return m.id == id; });
  return it == found.modes.end() ? nullptr : &*it;
}

std::string text_of(const Diff& found) { return render_diff_text(found, TextOptions{false, false, 200}); }

}  // namespace

TEST_CASE("diff: the second card leaves the chipset for a slot of the processor") {
  const auto found = between(report_of(kChipset), report_of(kProcessor));
  REQUIRE(found.gpus.size() == 2);
  CHECK(found.gpus[0].number == 0);
  CHECK_FALSE(found.gpus[0].moved());
  const auto& card = found.gpus[1];
  CHECK(card.number == 1);
  CHECK(*card.before == at("0b:00.0"));
  CHECK(*card.after == at("07:00.0"));
  CHECK(card.joined.empty());
  REQUIRE_FALSE(card.left.empty());
  CHECK(std::all_of(card.left.begin(), card.left.end(), [](const WayBridge& b) { return b.chipset; }));
  CHECK(std::any_of(card.left.begin(), card.left.end(), [](const WayBridge& b) { return b.blocks_atomics; }));
  const auto* rate = change_of(card, "link.rate");
  REQUIRE(rate != nullptr);
  CHECK(rate->kind == ChangeKind::changed);
  CHECK(std::get<double>(rate->before.value()) == doctest::Approx(1.969).epsilon(0.001));
  CHECK(std::get<double>(rate->after.value()) == doctest::Approx(31.5).epsilon(0.001));
  const auto* atomics = change_of(card, "atomics.state");
  REQUIRE(atomics != nullptr);
  CHECK(atomics->after.is(FactValue(true)));
  const auto* tensor = mode_of(found, "tensor");
  REQUIRE(tensor != nullptr);
  CHECK(tensor->before->expected.is(ModeState::no));
  CHECK(tensor->after->expected.is(ModeState::yes));
  const auto text = text_of(found);
  CHECK(text.find("card 0 (03:00.0): link 16 GT/s x16 → 32 GT/s x8\n") != std::string::npos);
  CHECK(text.find("card 1 (07:00.0, before 0b:00.0): 1.97 → 31.5 GB/s; the chipset left its way; AtomicOps now reach "
                  "the CPU") != std::string::npos);
  CHECK(text.find("tensor: expected no → expected yes\n") != std::string::npos);
}

TEST_CASE("diff: and back again") {
  const auto found = between(report_of(kProcessor), report_of(kChipset));
  const auto text = text_of(found);
  CHECK(text.find("31.5 → 1.97 GB/s; the chipset joined its way; AtomicOps no longer reach the CPU (05:00.0") !=
        std::string::npos);
  CHECK(text.find("tensor: expected yes → expected no\n") != std::string::npos);
}

TEST_CASE("diff: a reading does not differ from itself, nor from its report read again") {
  for (const char* file : {kChipset, kProcessor, "xeon-w-four-b60/lspci-vv.txt", "nccl-two-a100-nvlink/nccl.xml",
                           "hwloc-two-mi210-one-switch/hwloc-2.xml", "epyc-eight-mi210-four-switches/lspci-vv.txt"}) {
    INFO(file);
    const auto report = report_of(file);
    CHECK(between(report, report, true).empty());
    CHECK(text_of(between(report, report)).find("nothing differs") != std::string::npos);
    const auto again = read_report("report.json", render_json(report));
    if (!again.ok()) FAIL(again.error().where << ": " << again.error().what);
    const auto found = between(again.value(), report, true);
    CHECK_MESSAGE(found.empty(), render_diff_json(found));
    CHECK(between(report, again.value(), true).empty());
  }
}

TEST_CASE("diff: order is no difference") {
  const auto report = report_of("epyc-eight-mi210-four-switches/lspci-vv.txt");
  auto turned = report;
  std::reverse(turned.topology.gpus.begin(), turned.topology.gpus.end());
  std::reverse(turned.topology.pairs.begin(), turned.topology.pairs.end());
  std::reverse(turned.topology.facts.begin(), turned.topology.facts.end());
  std::reverse(turned.judgement.modes.begin(), turned.judgement.modes.end());
  for (auto& mode : turned.judgement.modes) std::reverse(mode.set.begin(), mode.set.end());
  for (auto& pair : turned.topology.pairs) std::swap(pair.a, pair.b);
  CHECK(between(report, turned, true).empty());
}

TEST_CASE("diff: a card that is gone is gone, and the other stays the other") {
  auto recording = recording_of(kChipset);
  auto& devices = recording.devices;
  devices.erase(std::remove_if(devices.begin(), devices.end(),
                               [](const PciDevice& device) { return device.address == at("03:00.0"); }),
                devices.end());
  const auto whole = report_of(kChipset);
  const auto part = report_of(recording);
  const auto found = between(whole, part);
  REQUIRE(found.gpus.size() == 1);
  CHECK(*found.gpus[0].before == at("03:00.0"));
  CHECK_FALSE(found.gpus[0].after);
  CHECK(found.gpus[0].number == 0);
  CHECK(text_of(found).find("card 0 (03:00.0): is gone: AMD Radeon AI PRO R9700") != std::string::npos);
  CHECK(mode_of(found, "tensor") != nullptr);
  const auto back = between(part, whole);
  REQUIRE(back.gpus.size() == 1);
  CHECK(*back.gpus[0].after == at("03:00.0"));
  CHECK_FALSE(back.gpus[0].before);
}

TEST_CASE("diff: another card in the same slot is another card") {
  auto recording = recording_of(kChipset);
  for (auto& device : recording.devices) {
    if (device.address == at("03:00.0")) device.device_id = std::uint16_t{0x7550};
  }
  const auto found = between(report_of(kChipset), report_of(recording));
  REQUIRE(found.gpus.size() == 2);
  CHECK_FALSE(found.gpus[0].before);
  CHECK_FALSE(found.gpus[1].after);
}

TEST_CASE("diff: what only root reads becomes known, and nothing of the hardware changes") {
  auto recording = recording_of(kProcessor);
  for (auto& device : recording.devices) {
    device.express = Known<PciExpress>::unknown(Reason::no_root);
    device.acs = Known<Acs>::unknown(Reason::no_root);
    device.access_denied = true;
  }
  const auto found = between(report_of(recording), report_of(kProcessor), true);
  CHECK_FALSE(found.empty());
  for (const auto& gpu : found.gpus) {
    CHECK(gpu.left.empty());
    CHECK(gpu.joined.empty());
    CHECK_FALSE(gpu.moved());
    for (const auto& change : gpu.changes) CHECK_MESSAGE(change.kind == ChangeKind::now_known, change.what);
  }
  const auto text = text_of(found);
  CHECK(text.find("Hardware") == std::string::npos);
  CHECK(text.find("now known: link 31.5 GB/s") != std::string::npos);
  const auto back = text_of(between(report_of(kProcessor), report_of(recording)));
  CHECK(back.find("no longer known: link (was 31.5 GB/s)") != std::string::npos);
}

TEST_CASE("diff: a link that saves power has not changed, a slower one has") {
  auto report = report_of(kProcessor);
  auto idle = report;
  idle.topology.gpus[0].link.state = LinkState::idle;
  idle.topology.gpus[0].link.gbytes_per_s = 3.9;
  CHECK(between(report, idle).gpus.empty());
  idle.topology.gpus[0].link.state = LinkState::downgraded;
  CHECK(between(report, idle).gpus.size() == 1);
}

TEST_CASE("diff: a fact that a mode rests on is told, another one only on request") {
  auto before = report_of(kProcessor);
  auto after = before;
  Fact write;
  write.id = "p2p.write";
  write.subject = {SubjectKind::pair, {at("03:00.0"), at("07:00.0")}};
  write.value = FactValue(true);
  write.tier = Tier::probed;
  after.topology.facts.push_back(write);
  Fact name = write;
  name.id = "link.errors";
  name.subject = {SubjectKind::gpu, {at("03:00.0")}};
  name.value = FactValue(3.0);
  for (auto* report : {&before, &after}) {
    auto& facts = report->topology.facts;
    facts.erase(std::remove_if(facts.begin(), facts.end(), [&](const Fact& f) { return f.id == name.id; }),
                facts.end());
  }
  after.topology.facts.push_back(name);
  const auto found = between(before, after);
  REQUIRE(found.facts.size() == 1);
  CHECK(found.facts[0].value.what == "p2p.write");
  CHECK(found.facts[0].value.kind == ChangeKind::now_known);
  CHECK(found.facts[0].decides);
  CHECK(text_of(found).find("p2p.write now known: true (03:00.0 to 07:00.0)") != std::string::npos);
  const auto all = between(before, after, true);
  REQUIRE(all.facts.size() == 2);
  CHECK_FALSE(all.facts[1].decides);
}

TEST_CASE("diff: the host's own changes") {
  auto before = report_of(kProcessor);
  auto after = before;
  before.topology.host.kernel = std::string("6.12.63");
  after.topology.host.kernel = std::string("6.18.1");
  after.topology.host.iommu = std::string("translating");
  before.topology.host.iommu = std::string("off");
  const auto text = text_of(between(before, after));
  CHECK(text.find("host: kernel 6.12.63 → 6.18.1; IOMMU off → translating") != std::string::npos);
}

TEST_CASE("diff: modes and engines that the other version did not judge are no change") {
  auto before = report_of(kProcessor);
  auto after = before;
  before.judgement.modes.erase(before.judgement.modes.begin());
  before.judgement.engines.clear();
  CHECK(between(before, after).modes.empty());
  CHECK(between(before, after).engines.empty());
  CHECK(between(after, before).modes.empty());
}

TEST_CASE("diff: nothing from a file acts on a terminal") {
  auto report = report_of(kProcessor);
  auto other = report;
  other.topology.host.board = std::string("evil \x1b[2J board");
  other.topology.sources[0].file = "a\x1b[31mb";
  const auto found = between(report, other);
  CHECK(text_of(found).find('\x1b') == std::string::npos);
  CHECK(render_diff_json(found).find('\x1b') == std::string::npos);
}
