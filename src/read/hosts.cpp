#include "read/hosts.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace gpucoop {
namespace {

std::uint64_t key(const Address& a) {
  return std::uint64_t{a.domain} << 16 | std::uint64_t{a.bus} << 8 | std::uint64_t{a.device} << 3 | a.function;
}

bool has_ids(const PciDevice& d) { return d.vendor_id.is_known() && d.device_id.is_known(); }

std::string_view first_word(std::string_view s) { return s.substr(0, s.find(' ')); }

/// The first word of the vendor's name in pci.ids, for the vendors that every host has.
std::string_view vendor_word(std::uint16_t vendor) {
  switch (vendor) {
    case 0x8086: return "Intel";
    case 0x10de: return "NVIDIA";
    case 0x1002:
    case 0x1022: return "Advanced";
    case 0x1a03: return "ASPEED";
    case 0x15ad: return "VMware";
    default: return {};
  }
}

/// `Device 14a4`: the list of names lacks the device.
bool is_unnamed(std::string_view name) {
  constexpr std::size_t kLength = 11;
  return name.size() >= kLength && name.substr(name.size() - kLength, 7) == "Device ";
}

/// True where `name` is all of `part` and more: a mailer has cut the other one.
bool continues(std::string_view name, std::string_view part) {
  return name.size() > part.size() && name.substr(0, part.size()) == part;
}

enum class Match : std::uint8_t { nothing, same, similar, different_name, conflict };

/// Whether two readings of one address can be one device. Names alone are weak: two lists of names spell one
/// device differently, so that they count only together (see `Tried`).
Match compare(const PciDevice& a, const PciDevice& b) {
  if (a.lost || b.lost) return Match::nothing;
  if (has_ids(a) && has_ids(b)) {
    return a.vendor_id == b.vendor_id && a.device_id == b.device_id ? Match::same : Match::conflict;
  }
  if (a.class_code.is_known() && b.class_code.is_known() && a.class_code.value() >> 8 != b.class_code.value() >> 8) {
    return Match::conflict;
  }
  const auto* an = a.name.get();
  const auto* bn = b.name.get();
  if (an != nullptr && bn != nullptr) {
    if (*an == *bn) return Match::same;
    if (first_word(*an) != first_word(*bn)) return Match::conflict;
    if (is_unnamed(*an) || is_unnamed(*bn)) return Match::nothing;
    return continues(*an, *bn) || continues(*bn, *an) ? Match::similar : Match::different_name;
  }
  const auto check_vendor = [](const PciDevice& ids, const std::string* name) {
    if (!ids.vendor_id.is_known() || name == nullptr) return Match::nothing;
    const auto word = vendor_word(ids.vendor_id.value());
    if (word.empty()) return Match::nothing;
    return first_word(*name) == word ? Match::similar : Match::conflict;
  };
  if (an == nullptr && bn != nullptr) return check_vendor(a, bn);
  if (bn == nullptr && an != nullptr) return check_vendor(b, an);
  return Match::nothing;
}

struct Seen {
  const PciDevice* device;
  const Recording* part;
};

class Host {
 public:
  struct Tried {
    std::optional<std::pair<Seen, const PciDevice*>> conflict;
    std::size_t same = 0;
    std::size_t other_name = 0;
    std::pair<Seen, const PciDevice*> example{};

    [[nodiscard]] bool conflicts() const { return conflict.has_value() || other_name > same; }
  };

  [[nodiscard]] Tried try_part(const Recording& part) const {
    Tried tried;
    for (const auto& d : part.devices) {
      const auto it = devices_.find(key(d.address));
      if (it == devices_.end()) continue;
      switch (compare(*it->second.device, d)) {
        case Match::nothing: break;
        case Match::same:
        case Match::similar: ++tried.same; break;
        case Match::different_name:
          if (tried.other_name++ == 0) tried.example = {it->second, &d};
          break;
        case Match::conflict: tried.conflict = std::pair{it->second, &d}; return tried;
      }
    }
    return tried;
  }

  void add(const Recording& part) {
    for (const auto& d : part.devices) {
      auto& seen = devices_[key(d.address)];
      // The reading that says most identifies the device best.
      if (seen.device == nullptr || (!has_ids(*seen.device) && has_ids(d)) || seen.device->lost) seen = Seen{&d, &part};
    }
  }

 private:
  std::unordered_map<std::uint64_t, Seen> devices_;
};

std::string place_of(const PciDevice& d, const Recording& part) {
  const auto place = d.places.empty() ? std::string() : to_string(part, d.places.front());
  return place.empty() && !part.sources.empty() ? part.sources.front().file : place;
}

std::string describe(const PciDevice& d, const Recording& part) {
  std::string text = to_string(d.address);
  if (const auto* name = d.name.get()) text += " " + name->substr(0, 100);
  if (has_ids(d)) {
    std::array<char, 16> ids{};
    std::snprintf(ids.data(), ids.size(), " [%04x:%04x]", static_cast<unsigned>(d.vendor_id.value()),
                  static_cast<unsigned>(d.device_id.value()));
    text += ids.data();
  }
  return text + " (" + place_of(d, part) + ")";
}

}  // namespace

HostGroups group_hosts(const std::vector<Recording>& parts) {
  HostGroups groups;
  std::vector<Host> hosts;
  std::size_t current = 0;
  for (const auto& part : parts) {
    std::optional<std::size_t> agreeing;
    std::optional<std::size_t> first_free;
    bool current_free = true;
    std::optional<std::pair<Seen, const PciDevice*>> conflict;
    for (std::size_t h = 0; h < hosts.size() && !part.devices.empty(); ++h) {
      const auto tried = hosts[h].try_part(part);
      if (tried.conflicts()) {
        if (!conflict) conflict = tried.conflict ? *tried.conflict : tried.example;
        if (h == current) current_free = false;
        continue;
      }
      if (!first_free) first_free = h;
      if (tried.same > 0) {
        agreeing = h;
        break;
      }
    }
    if (agreeing) {
      current = *agreeing;
    } else if (hosts.empty() || (!current_free && !first_free && hosts.size() < HostGroups::kMostHosts)) {
      if (conflict) {
        groups.conflicts.push_back(HostConflict{describe(*conflict->first.device, *conflict->first.part),
                                                describe(*conflict->second, part), place_of(*conflict->second, part)});
      }
      current = hosts.size();
      hosts.emplace_back();
    } else if (!current_free && first_free) {
      current = *first_free;
    }
    hosts[current].add(part);
    groups.host_of_part.push_back(current);
  }
  groups.hosts = hosts.size();
  return groups;
}

}  // namespace gpucoop
