#include "analyse/link_path.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyse/card.hpp"

namespace gpucoop {
namespace {

bool has_link_registers(const PciDevice* device) {
  if (device == nullptr) return false;
  const auto* express = device->express.get();
  return device->stated_link_gbytes_per_s.value_or(0) > 0 ||
         (express != nullptr && (express->speed.is_known() || express->width.is_known() ||
                                 express->max_speed.is_known() || express->max_width.is_known()));
}

bool looks_up(const Step& step) { return step.facing == Facing::up || step.facing == Facing::endpoint; }

/// The function that stands for the lower end of the link above step i.
const PciDevice* lower_end(const DeviceTree& tree, const Chain& chain, std::size_t i, const Gpu& gpu) {
  const auto& step = chain.steps[i];
  const bool is_gpu = i + 1 == chain.steps.size();
  if (!is_gpu || i == 0 || step.gap_above || chain.steps[i - 1].device == nullptr) {
    return is_gpu && gpu.virtual_function ? nullptr : step.device;
  }
  constexpr std::size_t kMostFunctionsOfABus = 256;
  const auto& siblings = tree.below(chain.steps[i - 1].index);
  for (std::size_t n = 0; n < std::min(siblings.size(), kMostFunctionsOfABus); ++n) {
    const auto& device = tree.device(siblings[n]);
    if (device.address == step.address) break;
    if (device.address.bus == step.address.bus && has_link_registers(&device)) return &device;
  }
  return gpu.virtual_function ? nullptr : step.device;
}

/// The link above step i, where there is one.
std::optional<PathLink> link_above(const DeviceTree& tree, const Chain& chain, std::size_t i, const Gpu& gpu) {
  const auto& step = chain.steps[i];
  if (!looks_up(step) || step.device == nullptr) return std::nullopt;
  PathLink path;
  path.lower_step = i;
  path.lower = lower_end(tree, chain, i, gpu);
  if (path.lower == nullptr) return std::nullopt;
  LinkEnds ends;
  ends.lower = path.lower;
  const bool top = i == 0 || step.gap_above;
  if (!top) {
    const auto& above = chain.steps[i - 1];
    // An upstream port or conventional bridge has no link below it.
    if (above.facing == Facing::up || above.facing == Facing::other || above.device == nullptr) return std::nullopt;
    if (above.facing == Facing::unknown && !has_link_registers(path.lower)) return std::nullopt;
    ends.upper = above.device;
    ends.on_card = above.on_card;
    ends.soldered = step.chipset && !above.chipset;
    path.two_ends = true;
  } else {
    // On a root bus there is no port above: a virtual machine's flat bus, or an upstream port that calls itself one.
    if (i == 0 && chain.on_root_bus && step.facing != Facing::endpoint) return std::nullopt;
    if (!has_link_registers(path.lower)) return std::nullopt;
    ends.on_card = i > 0 && chain.steps[i - 1].on_card;
    path.maybe_on_card = i + 1 == chain.steps.size() && !ends.on_card && may_have_card_switch(gpu.vendor);
  }
  path.judged = judge_link(ends);
  if (step.gap_above && i > 0) path.judged.link.upper = chain.steps[i - 1].address;
  return path;
}

/// Where the functions below a port are missing, the port still tells about the link below it.
std::optional<PathLink> link_into_gap(const Chain& chain, std::size_t i) {
  if (i == 0 || !chain.steps[i].gap_above) return std::nullopt;
  const auto& above = chain.steps[i - 1];
  if (above.facing != Facing::down || !has_link_registers(above.device)) return std::nullopt;
  PathLink path;
  path.lower_step = i;
  LinkEnds ends;
  ends.upper = above.device;
  ends.on_card = above.on_card;
  path.judged = judge_link(ends);
  path.judged.link.lower = chain.steps[i].address;
  path.into_gap = true;
  return path;
}

LinkState worse(LinkState a, LinkState b) {
  const auto rank = [](LinkState s) {
    switch (s) {
      case LinkState::full: return 0;
      case LinkState::idle: return 1;
      case LinkState::unknown: return 2;
      case LinkState::downgraded: return 3;
    }
    return 2;
  };
  return rank(a) < rank(b) ? b : a;
}

Known<double> card_rate(const Chain& chain, const std::vector<PathLink>& links) {
  for (const auto& path : links) {
    const auto i = path.lower_step;
    const bool edge = chain.steps[i].on_card || i + 1 == chain.steps.size();
    if (!edge || path.judged.link.on_card || path.into_gap) continue;
    if (path.maybe_on_card) break;
    const auto* express = path.lower->express.get();
    if (express != nullptr) return rate_of(express->max_speed, express->max_width);
  }
  return Known<double>::unknown(Reason::not_derivable);
}

std::string incomplete_note(const Chain& chain) {
  if (chain.reaches_root() && !chain.has_gap) return {};
  return " The ports further up were not read, so a slower link there would not be seen.";
}

}  // namespace

std::vector<PathLink> links_of(const DeviceTree& tree, const Chain& chain, const Gpu& gpu) {
  std::vector<PathLink> links;
  if (gpu.integrated) return links;
  for (std::size_t i = 0; i < chain.steps.size(); ++i) {
    if (auto link = link_into_gap(chain, i)) links.push_back(std::move(*link));
    if (auto link = link_above(tree, chain, i, gpu)) links.push_back(std::move(*link));
  }
  return links;
}

LinkJudgement judge_path(const Chain& chain, const std::vector<PathLink>& links, bool integrated) {
  LinkJudgement judgement;
  const auto none = Known<double>::unknown(Reason::not_in_input);
  judgement.gbytes_per_s = none;
  judgement.ceiling_gbytes_per_s = none;
  judgement.card_gbytes_per_s = card_rate(chain, links);
  if (integrated) {
    judgement.card_gbytes_per_s = Known<double>::absent();
    judgement.why = "Inside the processor: it has no PCI Express link of its own.";
    return judgement;
  }
  const PathLink* slowest = nullptr;
  const PathLink* unclear = nullptr;
  const PathLink* worst = nullptr;
  bool rates_known = true;
  Known<double> ceiling;
  bool ceilings_known = true;
  auto state = LinkState::full;
  std::size_t counted = 0;
  bool every_end = true;
  for (const auto& path : links) {
    const auto& link = path.judged.link;
    if (link.on_card) continue;
    if (path.maybe_on_card) {
      unclear = &path;
      continue;
    }
    ++counted;
    every_end = every_end && path.two_ends;
    if (worse(state, link.state) != state || worst == nullptr) worst = &path;
    state = worse(state, link.state);
    if (link.gbytes_per_s.is_known()) {
      if (slowest == nullptr || link.gbytes_per_s.value() < slowest->judged.link.gbytes_per_s.value()) slowest = &path;
    } else {
      rates_known = false;
    }
    if (!link.ceiling_gbytes_per_s.is_known()) {
      ceilings_known = false;
    } else if (!ceiling.is_known() || link.ceiling_gbytes_per_s.value() < ceiling.value()) {
      ceiling = link.ceiling_gbytes_per_s;
    }
  }
  if (unclear != nullptr && slowest == nullptr) {
    judgement.why = fmt::format(
        "Only the GPU function {} was read. Cards of this maker may carry a switch of their own, and then this "
        "is the link inside the card, which says nothing about the slot. The bridges above it are needed (lspci -vv of "
        "the whole host, as root).",
        short_form(chain.steps.back().address));
    return judgement;
  }
  if (counted == 0) {
    judgement.why = "No link between this card and the root was read.";
    return judgement;
  }
  if (rates_known) {
    const auto& link = slowest->judged.link;
    judgement.gbytes_per_s = link.gbytes_per_s;
    judgement.speed = link.speed;
    judgement.width = link.width;
    judgement.at = link.upper;
  } else {
    judgement.gbytes_per_s = Known<double>::unknown(Reason::not_derivable);
  }
  if (ceilings_known) judgement.ceiling_gbytes_per_s = ceiling;
  const bool whole = chain.reaches_root() && !chain.has_gap && every_end;
  judgement.state = whole || state == LinkState::downgraded || state == LinkState::idle ? state : LinkState::unknown;
  const auto* told = state == LinkState::full && slowest != nullptr ? slowest : worst;
  judgement.why = fmt::format("{} - {}: {}", short_form(told->judged.link.upper), short_form(told->judged.link.lower),
                              told->judged.link.why);
  judgement.why += incomplete_note(chain);
  return judgement;
}

}  // namespace gpucoop
