#include "probe/simulated.hpp"

#include <string>
#include <utility>

namespace gpucoop::probe {
namespace {

constexpr const char* kEvidence = "simulated: taken for good, so that only probes decide";

class Host {
 public:
  Topology take(unsigned devices) {
    auto& host = topology_.host;
    host.source = SourceKind::live;
    host.live = true;
    host.label = std::to_string(devices) + (devices == 1 ? " simulated device" : " simulated devices");
    host.fingerprint = simulated_fingerprint();
    topology_.lists_devices = true;
    topology_.listing_complete = true;
    topology_.holders_complete = true;
    const Subject whole{SubjectKind::host, {}};
    add("host.lists_devices", whole, true);
    add("host.listing_complete", whole, true);
    add("host.direct", whole, true);
    for (unsigned i = 0; i < devices; ++i) add_device(simulated_device(static_cast<std::uint16_t>(i)));
    for (const auto& a : topology_.gpus) {
      for (const auto& b : topology_.gpus) {
        if (a.address != b.address) add_pair(a.address, b.address);
      }
    }
    return std::move(topology_);
  }

 private:
  void add_device(const Address& address) {
    Gpu gpu;
    gpu.address = address;
    gpu.vendor = Vendor::other;
    gpu.name = std::string("simulated device (memory of this host)");
    gpu.driver = std::string("host");
    const Subject device{SubjectKind::gpu, {address}};
    add("gpu.vendor", device, std::string("other"));
    add("gpu.device", device, std::string("simulated"));
    add("gpu.compute", device, true);
    add("gpu.integrated", device, false);
    add("gpu.present", device, true);
    add("gpu.driver", device, std::string("host"));
    add("gpu.driver_usable", device, true);
    add("link.state", device, std::string("full"));
    topology_.facts.push_back(
        {"link.ceiling", device, Known<FactValue>::absent(), Tier::static_, "simulated devices have no link", {}});
    topology_.facts.push_back(
        {"library.code_object", {SubjectKind::library, {address}}, FactValue(true), Tier::queried, kEvidence, {}});
    Hop alone;
    alone.address = address;
    alone.name = gpu.name;
    alone.role = Role::integrated_endpoint;
    gpu.chain.push_back(std::move(alone));
    gpu.link.state = LinkState::full;
    gpu.link.why = "simulated devices have no link";
    topology_.gpus.push_back(std::move(gpu));
  }

  void add_pair(const Address& a, const Address& b) {
    const Subject pair{SubjectKind::pair, {a, b}};
    add("path.common", pair, std::string("switch"));
    add("fabric.direct", pair, false);
    add("p2p.expected", pair, std::string("likely"));
    if (b < a) return;
    Pair shown;
    shown.a = a;
    shown.b = b;
    shown.path = PairPath::switch_;
    shown.fabric = Known<Fabric>::absent();
    shown.peer = PeerExpectation::likely;
    shown.peer_why = "they are simulated";
    topology_.pairs.push_back(std::move(shown));
  }

  void add(const char* id, const Subject& subject, FactValue value) {
    topology_.facts.push_back({id, subject, std::move(value), Tier::static_, kEvidence, {}});
  }

  Topology topology_;
};

}  // namespace

Topology simulated_topology(unsigned devices) { return Host().take(devices); }

const char* simulated_fingerprint() { return "simulated"; }

}  // namespace gpucoop::probe
