#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analyse/analyse.hpp"

namespace gpucoop::test {

inline Address at(std::string_view text) { return parse_address(text).value(); }

struct LinkWords {
  LinkSpeed speed = LinkSpeed::gen4;
  unsigned width = 16;
  LinkSpeed max_speed = LinkSpeed::gen4;
  unsigned max_width = 16;
};

/// A recording of a whole PC, device by device; registers read as root unless a test says otherwise.
class Host {
 public:
  Host() {
    recording.sources.push_back({"host.txt", SourceKind::lspci_text});
    recording.lists_devices = true;
    recording.listing_complete = true;
  }

  /// A device that is known by address, ids and class; capabilities unknown.
  PciDevice& device(std::string_view address, std::uint16_t vendor, std::uint16_t id, std::uint16_t class_code) {
    PciDevice d;
    d.address = at(address);
    d.vendor_id = vendor;
    d.device_id = id;
    d.class_code = class_code;
    d.header_type = std::uint8_t{0};
    d.places.push_back({0, static_cast<std::uint32_t>(recording.devices.size() + 1)});
    const auto place = std::lower_bound(recording.devices.begin(), recording.devices.end(), d.address,
                                        [](const PciDevice& x, const Address& a) { return x.address < a; });
    return *recording.devices.insert(place, d);
  }

  PciDevice& bridge(std::string_view address, unsigned secondary, unsigned subordinate, PortType type,
                    const LinkWords& link = {}, std::uint16_t vendor = 0x10b5, std::uint16_t id = 0x8747) {
    auto& d = device(address, vendor, id, 0x0604);
    d.header_type = std::uint8_t{1};
    d.buses = BusNumbers{d.address.bus, static_cast<std::uint8_t>(secondary), static_cast<std::uint8_t>(subordinate)};
    auto e = express(type, link);
    e.atomic_routing = true;
    e.atomic_egress_block = false;
    if (type == PortType::root_port) {
      e.atomic_completer32 = true;
      e.atomic_completer64 = true;
    }
    d.express = e;
    d.acs = Known<Acs>::absent();
    return d;
  }

  PciDevice& gpu(std::string_view address, std::uint16_t vendor = 0x1002, std::uint16_t id = 0x67df,
                 const LinkWords& link = {}) {
    auto& d = device(address, vendor, id, 0x0300);
    d.name = std::string("a GPU");
    d.driver = std::string(vendor == 0x1002 ? "amdgpu" : vendor == 0x10de ? "nvidia" : "xe");
    d.physical_function = Known<Address>::absent();
    auto e = express(PortType::legacy_endpoint, link);
    e.atomic_requester_enable = true;
    d.express = e;
    return d;
  }

  PciDevice& operator[](std::string_view address) {
    const auto a = at(address);
    return *std::find_if(recording.devices.begin(), recording.devices.end(),
                         [&](const PciDevice& d) { return d.address == a; });
  }
  /// Changes registers of a device: `host.set("06:09.0", [](PciExpress& e) { … });`
  template <class Change>
  void set(std::string_view address, Change change) {
    auto& d = (*this)[address];
    auto e = d.express.value();
    change(e);
    d.express = e;
  }
  /// As an ordinary user reads it: no capabilities at all.
  void hide_capabilities() {
    for (auto& d : recording.devices) {
      d.express = Known<PciExpress>::unknown(Reason::no_root);
      d.acs = Known<Acs>::unknown(Reason::no_root);
      d.access_denied = true;
    }
  }
  void drop(std::string_view address) {
    const auto a = at(address);
    auto& all = recording.devices;
    all.erase(std::remove_if(all.begin(), all.end(), [&](const PciDevice& d) { return d.address == a; }), all.end());
  }

  [[nodiscard]] Topology judge() const { return analyse(recording, builtin_rules()); }

  Recording recording;

 private:
  static PciExpress express(PortType type, const LinkWords& link) {
    PciExpress e;
    e.version = std::uint8_t{2};
    e.type = type;
    e.speed = link.speed;
    e.width = static_cast<std::uint8_t>(link.width);
    e.max_speed = link.max_speed;
    e.max_width = static_cast<std::uint8_t>(link.max_width);
    return e;
  }
};

/// By value, so that it may come from a topology that is gone at the end of the line.
inline Gpu gpu_at(const Topology& t, std::string_view address) {
  const auto* gpu = find_gpu(t, at(address));
  return gpu == nullptr ? Gpu{} : *gpu;
}

inline std::vector<std::string> chain_of(const Topology& t, std::string_view address) {
  std::vector<std::string> chain;
  for (const auto& hop : gpu_at(t, address).chain) chain.push_back(short_form(hop.address));
  return chain;
}

inline std::vector<std::string> blocking_of(const Topology& t, std::string_view address) {
  std::vector<std::string> blocking;
  for (const auto& a : gpu_at(t, address).atomics.blocking) blocking.push_back(short_form(a));
  return blocking;
}

inline bool warns(const Topology& t, std::string_view code) {
  return std::any_of(t.warnings.begin(), t.warnings.end(), [&](const Warning& w) { return w.code == code; });
}

inline Pair pair_of(const Topology& t, std::string_view a, std::string_view b) {
  for (const auto& pair : t.pairs) {
    if ((pair.a == at(a) && pair.b == at(b)) || (pair.a == at(b) && pair.b == at(a))) return pair;
  }
  return {};
}

inline const Fact* fact_of(const Topology& t, std::string_view id, std::string_view address) {
  return find_fact(t.facts, id, {SubjectKind::gpu, {at(address)}});
}

using Names = std::vector<std::string>;

}  // namespace gpucoop::test
