// The two boards of the first field report as sysfs trees made of the dumps' bytes: live reading and the dump are
// judged alike, and without root nothing is judged better than it is.
#include <doctest/doctest.h>

#include <map>
#include <sstream>

#include "analyse/analyse.hpp"
#include "judge/judge.hpp"
#include "read/config/hex_row.hpp"
#include "read/read.hpp"
#include "read/sysfs_tree.hpp"
#include "rules/rules.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

using Bytes = std::map<Address, std::vector<std::uint8_t>>;

std::string text_of(const std::string& fixture) {
  std::ifstream in(std::string(GPUCOOP_SOURCE_DIR) + "/fixtures/" + fixture + "/lspci-xxxx.txt", std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  REQUIRE_FALSE(text.str().empty());
  return text.str();
}

Bytes bytes_of(const std::string& text) {
  Bytes result;
  std::vector<std::uint8_t>* current = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::size_t length = 0;
    if (const auto row = parse_hex_row(line); row && current != nullptr) {
      for (std::size_t i = 0; i < row->bytes.size(); ++i) current->at(row->offset + i) = row->bytes[i];
    } else if (const auto address = parse_address_prefix(line, length)) {
      current = &result[*address];
      current->resize(4096);
    }
  }
  return result;
}

std::string folder_of(const Bytes& all, const Address& address) {
  for (const auto& [bridge, bytes] : all) {
    if ((bytes[0x0e] & 0x7f) == 1 && bytes[0x19] == address.bus && address.bus != 0) {
      return folder_of(all, bridge) + "/" + to_string(address);
    }
  }
  return "pci0000:00/" + to_string(address);
}

void build(SysfsTree& tree, const Bytes& all, std::size_t most) {
  for (const auto& [address, bytes] : all) {
    tree.device(folder_of(all, address), bytes, most);
    // The dump does not say, and no driver at all would be something else.
    if (bytes[0x0b] == 0x03) {
      tree.link("sys/devices/" + folder_of(all, address) + "/driver", "../../bus/pci/drivers/amdgpu");
    }
  }
}

Report judged(const Recording& recording) {
  Report report;
  report.topology = analyse(recording, builtin_rules());
  report.judgement = judge(report.topology.facts, builtin_rules());
  return report;
}

void check_same(const Report& live, const Report& dump) {
  CHECK(live.topology.host.fingerprint == dump.topology.host.fingerprint);
  REQUIRE(live.topology.gpus.size() == dump.topology.gpus.size());
  for (std::size_t i = 0; i < live.topology.gpus.size(); ++i) {
    const auto& a = live.topology.gpus[i];
    const auto& b = dump.topology.gpus[i];
    CHECK(a.address == b.address);
    REQUIRE(a.chain.size() == b.chain.size());
    for (std::size_t h = 0; h < a.chain.size(); ++h) {
      CHECK(a.chain[h].address == b.chain[h].address);
      CHECK(a.chain[h].role == b.chain[h].role);
      CHECK(a.chain[h].on_card == b.chain[h].on_card);
      CHECK(a.chain[h].blocks_atomics == b.chain[h].blocks_atomics);
    }
    CHECK(a.atomics.state == b.atomics.state);
    CHECK(a.atomics.why == b.atomics.why);
    CHECK(a.atomics.requester_enabled == b.atomics.requester_enabled);
    CHECK(a.link.gbytes_per_s == b.link.gbytes_per_s);
    CHECK(a.link.at == b.link.at);
    CHECK(a.link.why == b.link.why);
  }
  REQUIRE(live.topology.pairs.size() == dump.topology.pairs.size());
  for (std::size_t i = 0; i < live.topology.pairs.size(); ++i) {
    CHECK(live.topology.pairs[i].path == dump.topology.pairs[i].path);
    CHECK(live.topology.pairs[i].acs_redirect == dump.topology.pairs[i].acs_redirect);
  }
  REQUIRE(live.judgement.modes.size() == dump.judgement.modes.size());
  for (std::size_t i = 0; i < live.judgement.modes.size(); ++i) {
    CHECK(live.judgement.modes[i].id == dump.judgement.modes[i].id);
    CHECK(live.judgement.modes[i].state == dump.judgement.modes[i].state);
    CHECK(live.judgement.modes[i].expected == dump.judgement.modes[i].expected);
  }
}

}  // namespace

TEST_CASE("live: both boards are judged as their dumps are") {
  for (const std::string fixture : {"asus-tuf-b650e-dual-r9700", "asus-proart-b850-dual-r9700"}) {
    CAPTURE(fixture);
    const auto text = text_of(fixture);
    SysfsTree tree;
    build(tree, bytes_of(text), 4096);
    const auto dump = read_inputs({Input{"host.txt", text}}, builtin_rules(), {});
    REQUIRE(dump.ok());
    const auto live = tree.read();
    CHECK(live.devices.size() == dump.value().devices.size());
    check_same(judged(live), judged(dump.value()));
  }
}

TEST_CASE("live: without root the chains stay, the atomics are unknown, and KFD's word decides") {
  const auto all = bytes_of(text_of("asus-tuf-b650e-dual-r9700"));
  SysfsTree tree;
  build(tree, all, 64);
  auto report = judged(tree.read());
  const auto* gpu = find_gpu(report.topology, *parse_address("0b:00.0"));
  REQUIRE(gpu != nullptr);
  CHECK(gpu->chain.size() == 6);
  CHECK(gpu->atomics.state == Tri::unknown);
  const Subject subject{SubjectKind::gpu, {gpu->address}};
  const auto* path = find_fact(report.topology.facts, "atomics.path", subject);
  REQUIRE(path != nullptr);
  CHECK(path->value.is_unknown());
  CHECK(path->value.reason() == Reason::no_root);

  const std::string nodes = "sys/class/kfd/kfd/topology/nodes/";
  tree.file(nodes + "0/gpu_id", "0\n").file(nodes + "0/properties", "cpu_cores_count 16\n");
  tree.file(nodes + "2/gpu_id", "99\n").file(nodes + "2/properties", "location_id 2816\ndomain 0\n");
  tree.file(nodes + "2/io_links/0/properties", "type 2\nnode_from 2\nnode_to 0\nflags 13\n");
  report = judged(tree.read());
  gpu = find_gpu(report.topology, *parse_address("0b:00.0"));
  CHECK(gpu->atomics.driver == Tri::no);
  CHECK(gpu->atomics.state == Tri::no);
  const auto* driver = find_fact(report.topology.facts, "atomics.driver", subject);
  REQUIRE(driver != nullptr);
  CHECK(driver->value.is(FactValue(false)));
  CHECK(driver->tier == Tier::queried);
}
