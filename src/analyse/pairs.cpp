#include "analyse/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyse/driver_facts.hpp"
#include "analyse/isolation.hpp"
#include "analyse/peer.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kMostGpus = 64;

Vendor maker_of(FabricLink::Kind kind) {
  switch (kind) {
    case FabricLink::Kind::nvlink: return Vendor::nvidia;
    case FabricLink::Kind::xgmi: return Vendor::amd;
    case FabricLink::Kind::xelink: return Vendor::intel;
  }
  return Vendor::other;
}

/// The fabric links of a recording by unordered pair. Where the two directions state different rates the lower counts.
class Fabrics {
 public:
  explicit Fabrics(const std::vector<FabricLink>& links) {
    for (const auto& link : links) {
      shown_[maker_of(link.kind)] = true;
      if (link.over_switch) switched_.insert({link.a, link.b});
      Fabric fabric{link.kind, link.links, link.gbytes_per_s};
      const auto [entry, fresh] = by_pair_.try_emplace(std::minmax(link.a, link.b), fabric);
      if (fresh) continue;
      auto& kept = entry->second;
      if (!kept.links.is_known()) kept.links = link.links;
      if (!kept.gbytes_per_s.is_known() ||
          (link.gbytes_per_s.is_known() && link.gbytes_per_s.value() < kept.gbytes_per_s.value())) {
        if (link.gbytes_per_s.is_known()) kept.gbytes_per_s = link.gbytes_per_s;
      }
    }
  }

  [[nodiscard]] Known<Fabric> between(const Gpu& a, const Gpu& b) const {
    const auto found = by_pair_.find(std::minmax(a.address, b.address));
    if (found != by_pair_.end()) return found->second;
    const auto shown = shown_.find(a.vendor);
    // Two GPUs on different fabric switches: whether the switches are joined is not shown.
    const bool open = switched_.count(a.address) != 0 && switched_.count(b.address) != 0;
    const bool shows = a.vendor == b.vendor && shown != shown_.end() && !open;
    return shows || a.vendor != b.vendor ? Known<Fabric>::absent() : Known<Fabric>{};
  }

 private:
  std::map<std::pair<Address, Address>, Fabric> by_pair_;
  std::map<Vendor, bool> shown_;
  std::set<Address> switched_;
};

/// The switches of Intel's that the catalogue knows on cards are those of Arc cards, none of which has Xe Link.
bool is_arc(const GpuView& view) {
  return view.gpu.vendor == Vendor::intel &&
         std::any_of(view.gpu.chain.begin(), view.gpu.chain.end(), [](const Hop& hop) { return hop.on_card; });
}

bool chip_without_fabric(const GpuView& view, const Catalogue& catalogue) {
  const auto* chip = catalogue.find(DeviceKind::chip, *view.chain.steps.back().device);
  return chip != nullptr && chip->fabric == false;
}

/// Nothing but PCI Express can join the two. It takes both ends, so that one chip without a fabric is enough.
bool without_fabric(const GpuView& a, const GpuView& b, const Catalogue& catalogue) {
  return (is_arc(a) && is_arc(b)) || chip_without_fabric(a, catalogue) || chip_without_fabric(b, catalogue) ||
         without_xgmi(*a.chain.steps.back().device, *b.chain.steps.back().device);
}

struct Ceiling {
  Known<double> value = Known<double>::unknown(Reason::not_derivable);
  std::string evidence;
};

bool add_side(const GpuView& view, std::size_t from, Known<double>& least) {
  bool any = false;
  for (const auto& path : view.links) {
    const auto& link = path.judged.link;
    if (link.on_card || path.lower_step < from) continue;
    if (!path.two_ends || !link.ceiling_gbytes_per_s.is_known()) return false;
    any = true;
    if (!least.is_known() || link.ceiling_gbytes_per_s.value() < least.value()) least = link.ceiling_gbytes_per_s;
  }
  return any;
}

Ceiling ceiling_of(const GpuView& a, const GpuView& b, const CommonPath& common, const Pair& pair) {
  Ceiling ceiling;
  if (const auto* fabric = pair.fabric.get()) {
    ceiling.value = fabric->gbytes_per_s;
    ceiling.evidence = fmt::format("{} between the two", to_string(fabric->kind));
    return ceiling;
  }
  ceiling.evidence = "not every link between the two is known with both its ends";
  if (pair.path == PairPath::unknown || pair.path == PairPath::same_card) return ceiling;
  const bool whole = common.shared > 0 || (a.chain.reaches_root() && b.chain.reaches_root());
  const bool gap = a.chain.has_gap || b.chain.has_gap;
  // Redirected traffic also uses the link above the switch.
  const auto from = pair.acs_redirect.is(true) ? std::size_t{0} : common.shared;
  Known<double> least;
  if (!whole || gap || !add_side(a, from, least) || !add_side(b, from, least)) return ceiling;
  ceiling.value = least;
  ceiling.evidence = "the slowest link between the two at the best that both its ends can do";
  return ceiling;
}

}  // namespace

std::vector<JudgedPair> judge_pairs(const HostView& host, const std::vector<GpuView>& gpus,
                                    std::vector<Warning>& warnings) {
  std::vector<const GpuView*> members;
  for (const auto& view : gpus) {
    if (view.gpu.compute) members.push_back(&view);
  }
  if (members.size() > kMostGpus) {
    warnings.push_back(
        {"analysis.many-gpus",
         fmt::format("{} GPUs are listed; pairs are judged for the first {} only.", members.size(), kMostGpus),
         {}});
    members.resize(kMostGpus);
  }
  const Fabrics fabrics(host.recording.fabric);
  std::vector<JudgedPair> pairs;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (std::size_t j = i + 1; j < members.size(); ++j) {
      const auto& a = *members[i];
      const auto& b = *members[j];
      JudgedPair judged;
      auto& pair = judged.pair;
      pair.a = a.gpu.address;
      pair.b = b.gpu.address;
      const auto common = common_path(a, b);
      pair.path = common.path;
      judged.path_evidence = common.why;
      pair.fabric = fabrics.between(a.gpu, b.gpu);
      if (pair.fabric.is_unknown() && without_fabric(a, b, host.catalogue)) pair.fabric = Known<Fabric>::absent();
      auto redirect = redirect_between(a.chain, b.chain, common.shared);
      pair.acs_redirect = redirect.value;
      judged.redirect_evidence = std::move(redirect.evidence);
      judged.redirect_at = std::move(redirect.at);
      // The root bus that a guest sees is the hypervisor's: it says nothing about what lies between the cards.
      if (host.virtualized == Tri::yes && pair.path == PairPath::host_bridge) {
        pair.path = PairPath::unknown;
        pair.acs_redirect = Known<bool>::unknown(Reason::vm);
        judged.path_evidence = "a virtual machine: the root bus it shows is not the host's";
        judged.redirect_evidence = judged.path_evidence;
        judged.redirect_at.clear();
      }
      auto ceiling = ceiling_of(a, b, common, pair);
      pair.ceiling_gbytes_per_s = ceiling.value;
      judged.ceiling_evidence = std::move(ceiling.evidence);
      auto peer = judge_peer(host, {&a, &b, pair.path, pair.fabric.is_known(), pair.acs_redirect});
      pair.peer = peer.expectation;
      pair.peer_why = std::move(peer.why);
      pairs.push_back(std::move(judged));
    }
  }
  return pairs;
}

}  // namespace gpucoop
