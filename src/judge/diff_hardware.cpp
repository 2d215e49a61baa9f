#include "judge/diff_hardware.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "judge/diff_values.hpp"

namespace gpucoop {
namespace {

bool agree(const Known<std::string>& a, const Known<std::string>& b) {
  return !a.is_known() || !b.is_known() || a == b;
}

bool agree(Role a, Role b) { return a == Role::unknown || b == Role::unknown || a == b; }

/// The board's bridges between the root port, which is another one in every slot, and the card.
std::vector<const Hop*> bridges_of(const Gpu& gpu) {
  std::vector<const Hop*> result;
  for (std::size_t i = 1; i + 1 < gpu.chain.size(); ++i) {
    if (!gpu.chain[i].on_card) result.push_back(&gpu.chain[i]);
  }
  return result;
}

/// Whether the way has a hop of this address that may be this one: less may be known of it, its role too where the
/// registers could not be read.
bool has_itself(const Gpu& gpu, const Hop& hop) {
  return std::any_of(gpu.chain.begin(), gpu.chain.end(), [&](const Hop& other) {
    if (!(other.address == hop.address)) return false;
    const bool named = other.name.is_known() && hop.name.is_known();
    return named ? other.name == hop.name : agree(other.role, hop.role);
  });
}

bool same_kind(const Hop& a, const Hop& b) {
  return agree(a.role, b.role) && a.chipset == b.chipset && agree(a.name, b.name);
}

WayBridge described(const Hop& hop) { return {hop.address, hop.name.value_or({}), hop.chipset, hop.blocks_atomics}; }

/// Bridges that only one of the ways has, whatever addresses the others got.
void diff_way(const Gpu& before, const Gpu& after, GpuChange& change) {
  if (!before.chain_reaches_root || !after.chain_reaches_root) return;
  auto left = bridges_of(before);
  left.erase(std::remove_if(left.begin(), left.end(), [&](const Hop* hop) { return has_itself(after, *hop); }),
             left.end());
  for (const Hop* hop : bridges_of(after)) {
    if (has_itself(before, *hop)) continue;
    const auto same = std::find_if(left.begin(), left.end(), [&](const Hop* other) { return same_kind(*other, *hop); });
    if (same != left.end()) {
      left.erase(same);
    } else {
      change.joined.push_back(described(*hop));
    }
  }
  for (const Hop* hop : left) change.left.push_back(described(*hop));
}

bool idle(const Gpu& gpu) { return gpu.link.state == LinkState::idle; }

void diff_link(const Gpu& before, const Gpu& after, std::vector<ValueChange>& to) {
  const auto& a = before.link;
  const auto& b = after.link;
  // A link that saves power has not changed.
  const bool saving = (idle(before) || idle(after)) && before.address == after.address &&
                      as_value(a.ceiling_gbytes_per_s) == as_value(b.ceiling_gbytes_per_s);
  if (!saving) {
    add_change(to, "link.rate", as_value(a.gbytes_per_s), as_value(b.gbytes_per_s));
    const auto speed = [](const LinkJudgement& link) {
      return link.speed.and_then([](LinkSpeed s) -> Known<FactValue> { return FactValue(gigatransfers(s)); });
    };
    add_change(to, "way.speed_gts", speed(a), speed(b));
    add_change(to, "way.width", as_value(a.width), as_value(b.width));
  }
  add_change(to, "link.ceiling", as_value(a.ceiling_gbytes_per_s), as_value(b.ceiling_gbytes_per_s));
  add_change(to, "link.card", as_value(a.card_gbytes_per_s), as_value(b.card_gbytes_per_s));
}

GpuChange compared(const Gpu& before, const Gpu& after) {
  GpuChange change;
  change.before = before.address;
  change.after = after.address;
  auto& to = change.changes;
  diff_link(before, after, to);
  diff_way(before, after, change);
  if (after.vendor == Vendor::amd) {
    add_change(to, "atomics.state", as_value(before.atomics.state), as_value(after.atomics.state));
    add_change(to, "atomics.requester_enabled", as_value(before.atomics.requester_enabled),
               as_value(after.atomics.requester_enabled));
    change.blocking = after.atomics.blocking;
  }
  add_change(to, "gpu.present", FactValue(!before.lost), FactValue(!after.lost));
  add_change(to, "slot.name", as_value(before.slot), as_value(after.slot));
  add_change(to, "gpu.driver", as_value(before.driver), as_value(after.driver));
  add_change(to, "bar.size", as_value(before.bar_bytes), as_value(after.bar_bytes));
  add_change(to, "gpu.numa_node", as_value(before.numa_node), as_value(after.numa_node));
  return change;
}

std::map<std::pair<Address, Address>, const Pair*> by_ends(const std::vector<Pair>& pairs) {
  std::map<std::pair<Address, Address>, const Pair*> result;
  for (const Pair& pair : pairs) result.emplace(std::minmax(pair.a, pair.b), &pair);
  return result;
}

Known<FactValue> fabric_of(const Pair& pair) {
  return pair.fabric.and_then([](const Fabric& f) -> Known<FactValue> {
    std::string text(to_string(f.kind));
    if (f.links.is_known()) text += " x" + std::to_string(f.links.value());
    return FactValue(text);
  });
}

}  // namespace

std::vector<GpuChange> diff_gpus(const GpuMatch& match) {
  std::vector<GpuChange> result;
  std::map<Address, std::size_t> old_numbers;
  for (const auto& couple : match.couples) {
    if (couple.before != nullptr) old_numbers.emplace(couple.before->address, 0);
  }
  std::size_t number = 0;
  for (auto& entry : old_numbers) entry.second = number++;
  number = 0;
  for (const auto& couple : match.couples) {
    GpuChange change;
    if (couple.before != nullptr && couple.after != nullptr) {
      change = compared(*couple.before, *couple.after);
    } else if (couple.before != nullptr) {
      change.before = couple.before->address;
    } else {
      change.after = couple.after->address;
      change.blocking = couple.after->vendor == Vendor::amd ? couple.after->atomics.blocking : std::vector<Address>{};
    }
    const Gpu& shown = couple.after != nullptr ? *couple.after : *couple.before;
    change.number = couple.after != nullptr ? number++ : old_numbers.at(shown.address);
    change.name = shown.name;
    change.vendor_id = shown.vendor_id;
    change.device_id = shown.device_id;
    change.vendor = shown.vendor;
    const bool same =
        change.before == change.after && change.changes.empty() && change.left.empty() && change.joined.empty();
    if (!same) result.push_back(std::move(change));
  }
  return result;
}

std::vector<PairChange> diff_pairs(const Topology& before, const Topology& after, const GpuMatch& match) {
  std::vector<PairChange> result;
  const auto known = by_ends(after.pairs);
  for (const Pair& old : before.pairs) {
    const auto a = match.to_after.find(old.a);
    const auto b = match.to_after.find(old.b);
    if (a == match.to_after.end() || b == match.to_after.end()) continue;
    const auto found = known.find(std::minmax(a->second, b->second));
    if (found == known.end()) continue;
    const Pair& now = *found->second;
    PairChange change{old.a, old.b, a->second, b->second, {}};
    auto& to = change.changes;
    add_change(to, "path.common", as_value(to_string(old.path)), as_value(to_string(now.path)));
    add_change(to, "fabric.direct", fabric_of(old), fabric_of(now));
    add_change(to, "p2p.ceiling", as_value(old.ceiling_gbytes_per_s), as_value(now.ceiling_gbytes_per_s));
    add_change(to, "acs.redirect", as_value(old.acs_redirect), as_value(now.acs_redirect));
    add_change(to, "p2p.expected", as_value(to_string(old.peer)), as_value(to_string(now.peer)));
    if (!to.empty()) result.push_back(std::move(change));
  }
  return result;
}

std::vector<ValueChange> diff_host(const HostSummary& before, const HostSummary& after) {
  std::vector<ValueChange> result;
  add_change(result, "host.board", as_value(before.board), as_value(after.board));
  add_change(result, "host.kernel", as_value(before.kernel), as_value(after.kernel));
  add_change(result, "host.iommu", as_value(before.iommu), as_value(after.iommu));
  add_change(result, "host.virtualized", as_value(before.virtualized), as_value(after.virtualized));
  return result;
}

}  // namespace gpucoop
