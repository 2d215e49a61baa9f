#include "read/report/hardware.hpp"

#include <algorithm>

#include "model/pci.hpp"
#include "read/text.hpp"

namespace gpucoop::report_file {
namespace {

Known<LinkSpeed> read_speed(const Node& node, std::string_view key) {
  const auto value = node.find(key);
  if (!value) return {};
  const auto speed = speed_from_gigatransfers(value->number());
  if (!speed) value->fail("is no speed of PCI Express in GT/s");
  return *speed;
}

Known<std::uint8_t> read_width(const Node& node, std::string_view key) {
  const auto value = node.find(key);
  if (!value) return {};
  const auto lanes = value->small_whole();
  if (lanes != 0 && !is_link_width(lanes)) value->fail("is no width of a link");
  return static_cast<std::uint8_t>(lanes);
}

Known<std::uint16_t> read_id(const Node& node, std::string_view key) {
  const auto value = node.find(key);
  if (!value) return {};
  const auto text = value->text();
  const auto id = text.size() == 4 ? parse_hex(text, 0, 4) : std::nullopt;
  if (!id) value->fail("has to be four hexadecimal digits");
  return static_cast<std::uint16_t>(*id);
}

Known<int> read_int(const Node& node, std::string_view key) {
  const auto value = node.find(key);
  if (!value) return {};
  constexpr double kMost = 65536;
  const auto number = value->number();
  if (number < -1 || number > kMost || number != static_cast<double>(static_cast<int>(number))) {
    value->fail("has to be a whole number from -1");
  }
  return static_cast<int>(number);
}

constexpr std::size_t kMostHops = 256;

Hop read_hop(const Node& node) {
  Hop hop;
  hop.address = node.at("address").address();
  hop.name = node.known_text("name");
  if (const auto role = node.find("role")) hop.role = role->word<Role>();
  if (const auto on_card = node.find("on_card")) hop.on_card = on_card->boolean();
  if (const auto chipset = node.find("chipset")) hop.chipset = chipset->boolean();
  hop.slot = node.known_text("slot");
  if (const auto link = node.find("link")) {
    hop.speed = read_speed(*link, "speed_gts");
    hop.width = read_width(*link, "width");
    hop.max_speed = read_speed(*link, "max_speed_gts");
    hop.max_width = read_width(*link, "max_width");
  }
  return hop;
}

AtomicsJudgement read_atomics(const Node& node) {
  AtomicsJudgement atomics;
  atomics.state = node.at("state").word<Tri>();
  atomics.path = node.at("path").word<Tri>();
  atomics.driver = node.at("driver").word<Tri>();
  atomics.requester_enabled = node.known_boolean("requester_enabled");
  atomics.blocking = node.at("blocking").addresses();
  atomics.why = node.text_or_empty("why");
  return atomics;
}

LinkJudgement read_link(const Node& node) {
  LinkJudgement link;
  link.gbytes_per_s = node.known_amount("gbytes_per_s");
  link.ceiling_gbytes_per_s = node.known_amount("ceiling_gbytes_per_s");
  link.card_gbytes_per_s = node.known_amount("card_gbytes_per_s");
  link.speed = read_speed(node, "speed_gts");
  link.width = read_width(node, "width");
  if (const auto at = node.find("at")) link.at = at->address();
  link.state = node.at("state").word<LinkState>();
  link.why = node.text_or_empty("why");
  return link;
}

}  // namespace

HostSummary read_host(const Node& node) {
  HostSummary host;
  host.source = node.at("source").word<SourceKind>();
  if (const auto live = node.find("live")) host.live = live->boolean();
  host.label = node.known_text("label");
  host.virtualized = node.at("virtualized").word<Tri>();
  host.board = node.known_text("board");
  host.kernel = node.known_text("kernel");
  host.iommu = node.known_text("iommu");
  host.fingerprint = node.text_or_empty("fingerprint");
  return host;
}

Gpu read_gpu(const Node& node) {
  Gpu gpu;
  gpu.address = node.at("address").address();
  gpu.vendor = node.at("vendor").word<Vendor>();
  gpu.name = node.known_text("name");
  const auto ids = node.at("ids");
  gpu.vendor_id = read_id(ids, "vendor");
  gpu.device_id = read_id(ids, "device");
  gpu.driver = node.known_text("driver");
  gpu.integrated = node.at("integrated").boolean();
  gpu.compute = node.at("compute").boolean();
  if (const auto lost = node.find("lost")) gpu.lost = lost->boolean();
  if (const auto function = node.find("virtual_function")) gpu.virtual_function = function->boolean();
  gpu.numa_node = read_int(node, "numa_node");
  gpu.package = read_int(node, "package");
  gpu.slot = node.known_text("slot");
  gpu.power_state = node.known_text("power_state");
  if (const auto bar = node.find("bar")) gpu.bar_bytes = bar->at("bytes").whole();
  node.at("chain").each([&](const Node& hop) { gpu.chain.push_back(read_hop(hop)); }, kMostHops);
  if (const auto reaches = node.find("chain_reaches_root")) gpu.chain_reaches_root = reaches->boolean();
  gpu.atomics = read_atomics(node.at("atomics"));
  gpu.link = read_link(node.at("link"));
  for (auto& hop : gpu.chain) {
    const auto& blocking = gpu.atomics.blocking;
    hop.blocks_atomics = std::find(blocking.begin(), blocking.end(), hop.address) != blocking.end();
  }
  return gpu;
}

Pair read_pair(const Node& node) {
  Pair pair;
  pair.a = node.at("a").address();
  pair.b = node.at("b").address();
  pair.path = node.at("path").word<PairPath>();
  if (const auto fabric = node.find("fabric")) {
    Fabric made;
    made.kind = fabric->at("kind").word<FabricLink::Kind>();
    if (const auto links = fabric->find("links")) made.links = links->small_whole();
    made.gbytes_per_s = fabric->known_amount("gbytes_per_s");
    pair.fabric = made;
  }
  pair.ceiling_gbytes_per_s = node.known_amount("ceiling_gbytes_per_s");
  pair.acs_redirect = node.known_boolean("acs_redirect");
  const auto peer = node.at("p2p");
  pair.peer = peer.at("expected").word<PeerExpectation>();
  pair.peer_why = peer.text_or_empty("why");
  return pair;
}

}  // namespace gpucoop::report_file
