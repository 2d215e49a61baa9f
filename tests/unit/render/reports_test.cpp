#include "render/reports.hpp"

#include <cstdio>

namespace gpucoop::test {
namespace {

Hop hop(const char* address, Role role) {
  Hop h;
  h.address = at(address);
  h.role = role;
  return h;
}

Link link(const char* upper, const char* lower, LinkSpeed speed, unsigned width, bool on_card = false) {
  Link l;
  l.upper = at(upper);
  l.lower = at(lower);
  l.speed = l.max_speed = speed;
  l.width = l.max_width = static_cast<std::uint8_t>(width);
  l.gbytes_per_s = l.ceiling_gbytes_per_s = lane_gbytes_per_s(speed) * width;
  l.state = LinkState::full;
  l.on_card = on_card;
  return l;
}

Gpu r9700(const char* address) {
  Gpu g;
  g.address = at(address);
  g.vendor = Vendor::amd;
  g.name = std::string("Advanced Micro Devices, Inc. [AMD/ATI] Navi 48 [Radeon AI PRO R9700]");
  g.vendor_id = std::uint16_t{0x1002};
  g.device_id = std::uint16_t{0x7551};
  g.driver = std::string("amdgpu");
  g.bar_bytes = std::uint64_t{32} << 30;
  g.chain_reaches_root = true;
  return g;
}

void add_card(Report& report, Gpu& gpu, const char* port, const char* up, const char* down, LinkSpeed speed,
              unsigned width) {
  Topology& t = report.topology;
  t.links.push_back(link(port, up, speed, width));
  t.links.push_back(link(up, down, LinkSpeed::gen5, 16, true));
  t.links.push_back(link(down, to_string(gpu.address).c_str(), LinkSpeed::gen5, 16, true));
  gpu.chain.push_back(hop(up, Role::switch_upstream));
  gpu.chain.push_back(hop(down, Role::switch_downstream));
  for (std::size_t i = gpu.chain.size() - 2; i < gpu.chain.size(); ++i) {
    gpu.chain[i].on_card = true;
    gpu.chain[i].atomic_routing = true;
  }
  gpu.chain.push_back(hop(to_string(gpu.address).c_str(), Role::endpoint));
  gpu.link.gbytes_per_s = gpu.link.ceiling_gbytes_per_s = lane_gbytes_per_s(speed) * width;
  gpu.link.card_gbytes_per_s = 63.0;
  gpu.link.at = at(port);
  gpu.link.speed = speed;
  gpu.link.width = static_cast<std::uint8_t>(width);
  gpu.link.state = LinkState::full;
}

Fact gpu_fact(const char* id, const Address& gpu, Known<FactValue> value, const char* evidence) {
  Fact f;
  f.id = id;
  f.subject = {SubjectKind::gpu, {gpu}};
  f.value = std::move(value);
  f.evidence = evidence;
  return f;
}

void add_mode(Report& report, const char* id, ModeState state, Known<ModeState> expected, const char* why) {
  ModeVerdict m;
  m.id = id;
  m.set = report.judgement.sets.front().gpus;
  m.state = state;
  m.expected = expected;
  m.why = why;
  report.judgement.modes.push_back(m);
}

Report host() {
  Report r;
  r.taken_at = "2026-11-30T00:00:00Z";
  r.topology.lists_devices = true;
  r.topology.listing_complete = true;
  r.topology.sources = {{"host.txt", SourceKind::lspci_text}};
  return r;
}

void judge_all(Report& r, Known<ModeState> tensor, const char* why) {
  std::vector<Address> all;
  for (const Gpu& g : r.topology.gpus) all.push_back(g.address);
  r.judgement.sets = {{all, "every discrete GPU"}};
  for (const char* id : {"data-parallel", "layer-split"}) {
    add_mode(r, id, ModeState::unknown, ModeState::yes, "nothing in the hardware stands in the way");
  }
  for (const char* id : {"pipeline", "tensor", "tensor-custom-allreduce", "tensor-host-staged", "expert", "expert-dp",
                         "context", "prefill-decode", "ddp", "fsdp"}) {
    add_mode(r, id, ModeState::unknown, tensor, why);
  }
}

}  // namespace

Address at(const char* text) { return parse_address(text).value(); }

Report blocked_board() {
  Report r = host();
  Gpu first = r9700("03:00.0");
  first.chain.push_back(hop("00:01.1", Role::root_port));
  add_card(r, first, "00:01.1", "01:00.0", "02:00.0", LinkSpeed::gen4, 16);
  first.atomics = {Tri::yes, Tri::yes, Tri::unknown, true, {}, "every bridge up to the root port 00:01.1 passes them"};
  Gpu second = r9700("0b:00.0");
  second.chain = {hop("00:02.1", Role::root_port), hop("05:00.0", Role::switch_upstream),
                  hop("06:09.0", Role::switch_downstream)};
  for (std::size_t i = 1; i < 3; ++i) {
    second.chain[i].chipset = true;
    second.chain[i].blocks_atomics = true;
    second.chain[i].atomic_routing = false;
  }
  r.topology.links.push_back(link("00:02.1", "05:00.0", LinkSpeed::gen4, 4));
  add_card(r, second, "06:09.0", "09:00.0", "0a:00.0", LinkSpeed::gen4, 1);
  second.atomics = {Tri::no,
                    Tri::no,
                    Tri::unknown,
                    false,
                    {at("05:00.0"), at("06:09.0")},
                    "the chipset bridges 05:00.0 and 06:09.0 do not route them"};
  r.topology.gpus = {first, second};
  Pair p;
  p.a = first.address;
  p.b = second.address;
  p.path = PairPath::host_bridge;
  p.ceiling_gbytes_per_s = 1.969;
  p.peer = PeerExpectation::likely;
  r.topology.pairs = {p};
  r.topology.facts = {gpu_fact("atomics.path", second.address, FactValue(false), "05:00.0 DevCap2 bit 6 = 0"),
                      gpu_fact("link.rate", second.address, FactValue(1.96923), "06:09.0 LnkSta: 16 GT/s x1")};
  judge_all(r, ModeState::no, "AtomicOps do not reach 0b:00.0: 05:00.0 and 06:09.0 do not route them");
  for (ModeVerdict& m : r.judgement.modes) {
    if (m.expected.is(ModeState::no)) {
      m.remedies = {"cpu-slot"};
      m.settled_by = std::string("gpucoop inspect");
      m.decided_by = {"atomics.path@0000:0b:00.0"};
    }
  }
  r.judgement.remedies = {
      {"cpu-slot", "Move the card 0b:00.0 to a slot that is wired to the CPU", {"atomics.path"}, "minutes", "none"}};
  return r;
}

Report clean_board() {
  Report r = host();
  Gpu first = r9700("03:00.0");
  first.chain.push_back(hop("00:01.1", Role::root_port));
  first.chain.back().slot = std::string("PCIEX16(G5)_1");
  add_card(r, first, "00:01.1", "01:00.0", "02:00.0", LinkSpeed::gen5, 8);
  Gpu second = r9700("07:00.0");
  second.chain.push_back(hop("00:01.3", Role::root_port));
  add_card(r, second, "00:01.3", "05:00.0", "06:00.0", LinkSpeed::gen5, 8);
  first.atomics = second.atomics = {Tri::yes, Tri::yes, Tri::unknown, true, {}, "every hop passes them"};
  r.topology.gpus = {first, second};
  judge_all(r, ModeState::yes, "every static condition holds");
  return r;
}

Report flat_guest() {
  Report r = host();
  for (const char* address : {"00:06.0", "00:07.0"}) {
    Gpu g;
    g.address = at(address);
    g.vendor = Vendor::nvidia;
    g.name = std::string("NVIDIA Corporation GH100 [H200 SXM 141GB]");
    g.chain = {hop(address, Role::endpoint)};
    g.link.why = "a virtual machine hides the bridges";
    g.atomics.state = Tri::unknown;
    r.topology.gpus.push_back(g);
    r.topology.facts.push_back(gpu_fact("link.rate", g.address, Known<FactValue>::unknown(Reason::vm), ""));
    r.topology.facts.push_back(gpu_fact("atomics.state", g.address, Known<FactValue>::unknown(Reason::vm), ""));
  }
  Pair p;
  p.a = at("00:06.0");
  p.b = at("00:07.0");
  r.topology.pairs = {p};
  r.topology.host.virtualized = Tri::yes;
  judge_all(r, {}, "whether the GPUs reach each other's memory was not read");
  return r;
}

Report sixteen() {
  Report r = host();
  for (unsigned i = 0; i < 16; ++i) {
    char port[16];
    char address[16];
    std::snprintf(port, sizeof port, "%02x:00.0", 0x20 + 2 * i);
    std::snprintf(address, sizeof address, "%02x:00.0", 0x21 + 2 * i);
    Gpu g;
    g.address = at(address);
    g.vendor = Vendor::nvidia;
    g.name = std::string("NVIDIA Corporation GV100GL [Tesla V100-SXM3-32GB]");
    g.chain = {hop(port, Role::root_port), hop(address, Role::endpoint)};
    g.chain_reaches_root = true;
    g.link.gbytes_per_s = g.link.ceiling_gbytes_per_s = 15.75;
    g.link.at = at(port);
    g.link.state = LinkState::full;
    r.topology.links.push_back(link(port, address, LinkSpeed::gen3, 16));
    r.topology.gpus.push_back(g);
  }
  for (std::size_t a = 0; a < 16; ++a) {
    for (std::size_t b = a + 1; b < 16; ++b) {
      Pair p;
      p.a = r.topology.gpus[a].address;
      p.b = r.topology.gpus[b].address;
      p.path = a / 8 == b / 8 ? PairPath::host_bridge : PairPath::socket;
      p.fabric = Fabric{FabricLink::Kind::nvlink, 6U, 150.0};
      p.ceiling_gbytes_per_s = 150.0;
      p.peer = PeerExpectation::likely;
      r.topology.pairs.push_back(p);
    }
  }
  judge_all(r, ModeState::yes, "every static condition holds");
  return r;
}

Report one_gpu() {
  Report r = host();
  r.topology.gpus = {r9700("03:00.0")};
  r.topology.gpus.front().chain = {hop("03:00.0", Role::endpoint)};
  r.topology.gpus.front().chain_reaches_root = false;
  r.judgement.sets = {{{at("03:00.0")}, "the only GPU"}};
  add_mode(r, "tensor", ModeState::no, {}, "it takes two GPUs, and the complete listing holds one");
  return r;
}

Report no_gpu() { return host(); }

Report no_list() {
  Report r = host();
  r.topology.lists_devices = false;
  r.topology.listing_complete = {};
  return r;
}

}  // namespace gpucoop::test
