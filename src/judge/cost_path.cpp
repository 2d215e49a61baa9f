#include "judge/cost_path.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "judge/words.hpp"

namespace gpucoop {

namespace {

bool contains(const auto& list, const auto& item) { return std::find(list.begin(), list.end(), item) != list.end(); }

/// Modes that run on the vendor's collective library, so that what was measured of it holds for them.
bool uses_library(std::string_view mode) {
  return mode == "tensor" || mode == "expert" || mode == "expert-dp" || mode == "pipeline";
}

const Fact* known_set_fact(const CostSet& set, std::string_view id) {
  const Fact* fact = set.index.find(id, set.gpus);
  const bool number = fact != nullptr && fact->value.is_known() && std::holds_alternative<double>(fact->value.value());
  return number && std::get<double>(fact->value.value()) > 0 ? fact : nullptr;
}

/// A direct fabric joins every pair: yes, no, or unknown where that was not to be seen.
Tri whole_fabric(const CostSet& set) {
  Tri all = Tri::yes;
  for (const auto& a : set.gpus) {
    for (const auto& b : set.gpus) {
      if (a == b) continue;
      const Fact* fact = set.index.find("fabric.direct", focus_on(a, b));
      const bool* value = fact != nullptr && fact->value.is_known() ? std::get_if<bool>(fact->value.get()) : nullptr;
      all = all && (value == nullptr ? Tri::unknown : tri(*value));
    }
  }
  return all;
}

/// Data can pass between the two without going up to the processor: expected, or shown by a probe.
bool passes_below(const CostSet& set, const Address& a, const Address& b) {
  const Fact* shown = set.index.find("p2p.write", focus_on(a, b));
  if (shown != nullptr && shown->value.is_known()) return shown->value.value() == FactValue(true);
  const Fact* expected = set.index.find("p2p.expected", focus_on(a, b));
  return expected != nullptr && expected->value.is(FactValue(std::string("likely")));
}

void lower(Known<double>& least, const Known<double>& value, bool first) {
  if (first || !value.is_known()) {
    if (first || least.is_known()) least = value;
  } else if (least.is_known() && value.value() < least.value()) {
    least = value;
  }
}

CostTerm least_of_pairs(const CostSet& set, std::string_view what) {
  CostTerm term{{}, CostBasis::ceiling, {}};
  bool first = true;
  for (const auto& a : set.gpus) {
    for (const auto& b : set.gpus) {
      if (a == b) continue;
      lower(term.value, number_fact(set.index, "p2p.ceiling", focus_on(a, b)), first);
      first = false;
    }
  }
  term.from = fmt::format("what {} can carry at best", what);
  return term;
}

/// A link that several GPUs of the set are below.
struct SharedLink {
  Known<double> ceiling;
  std::vector<Address> gpus;  ///< those of the set
  std::string name;
  bool passed_below = true;  ///< they can pass data to each other without it
};

std::vector<SharedLink> shared_links(const CostSet& set) {
  std::vector<SharedLink> links;
  for (const auto& fact : set.facts) {
    if (fact.id != "link.shared" || fact.subject.kind != SubjectKind::link) continue;
    SharedLink link;
    for (const auto& gpu : fact.at) {
      if (contains(set.gpus, gpu)) link.gpus.push_back(gpu);
    }
    if (link.gpus.size() < 2 || fact.subject.of.size() != 2) continue;
    link.name = short_form(fact.subject.of.front());
    link.ceiling = number_fact(set.index, "link.best", focus_on(fact.subject.of[0], fact.subject.of[1]));
    for (const auto& a : link.gpus) {
      for (const auto& b : link.gpus) link.passed_below = link.passed_below && (a == b || passes_below(set, a, b));
    }
    links.push_back(std::move(link));
  }
  return links;
}

/// The least share of the links between the GPUs and the processor.
CostTerm least_of_links(const CostSet& set, TrafficPattern pattern) {
  CostTerm term{{}, CostBasis::ceiling, "what the slowest of the GPUs' links can carry at best"};
  bool first = true;
  for (const auto& gpu : set.gpus) {
    lower(term.value, number_fact(set.index, "link.ceiling", focus_on(gpu)), first);
    first = false;
  }
  if (pattern == TrafficPattern::turns || !term.value.is_known()) return term;
  for (const auto& link : shared_links(set)) {
    // A ring that stays below the link where it can crosses it once in each direction, however many GPUs are there.
    const std::size_t sharers = pattern == TrafficPattern::ring && link.passed_below ? 1 : link.gpus.size();
    const auto share =
        link.ceiling.and_then([&](double rate) { return Known<double>(rate / static_cast<double>(sharers)); });
    const double before = term.value.value();
    lower(term.value, share, false);
    if (!term.value.is_known()) {
      term.from = fmt::format("the link below {}, which {} GPUs share, is not known with both its ends", link.name,
                              link.gpus.size());
      return term;
    }
    if (term.value.value() < before) {
      term.from = sharers == 1 ? fmt::format("what the link below {} can carry at best", link.name)
                               : fmt::format("what the link below {} can carry at best, shared by {} GPUs", link.name,
                                             link.gpus.size());
    }
  }
  return term;
}

/// The most fitting entry: of this kind of link, or of PCI Express where a fabric has none of its own.
const StackRule* stack_of(const CostSet& set, std::string_view mode, bool fabric) {
  const StackRule* slower = nullptr;
  for (const auto& stack : set.rules.stacks) {
    const bool vendor = stack.vendors.empty() || contains(stack.vendors, set.vendor);
    if (!vendor || !contains(stack.modes, mode)) continue;
    if (stack.fabric == fabric) return &stack;
    if (!stack.fabric && slower == nullptr) slower = &stack;
  }
  return slower;
}

}  // namespace

Known<double> number_fact(const FactIndex& index, std::string_view id, const Focus& of) {
  const Fact* fact = index.find(id, of);
  if (fact == nullptr) return Known<double>::unknown(Reason::not_in_input);
  return fact->value.and_then([](const FactValue& value) {
    const auto* number = std::get_if<double>(&value);
    return number != nullptr ? Known<double>(*number) : Known<double>::unknown(Reason::damaged);
  });
}

CostTerm latency_of(const CostSet& set, std::string_view mode) {
  if (const Fact* fact = uses_library(mode) ? known_set_fact(set, "ccl.latency") : nullptr) {
    return {std::get<double>(fact->value.value()), CostBasis::measured, "measured on this host"};
  }
  const bool fabric = whole_fabric(set) == Tri::yes;
  const StackRule* stack = stack_of(set, mode, fabric);
  if (stack == nullptr) {
    return {Known<double>::unknown(Reason::not_probed), CostBasis::typical, "no figure is published for these GPUs"};
  }
  auto from = "typical of " + stack->title;
  if (fabric && !stack->fabric) from += ", which a direct fabric should better";
  return {stack->alpha_us, CostBasis::typical, from, stack->source, stack->observed};
}

CostTerm rate_of(const CostSet& set, std::string_view mode, TrafficPattern pattern) {
  if (const Fact* fact = uses_library(mode) ? known_set_fact(set, "ccl.bandwidth") : nullptr) {
    return {std::get<double>(fact->value.value()), CostBasis::measured, "measured on this host"};
  }
  const bool through_host = mode == "tensor-host-staged";
  const Tri fabric = whole_fabric(set);
  if (!through_host && fabric == Tri::yes) return least_of_pairs(set, "the fabric between the GPUs");
  bool below = !through_host && pattern == TrafficPattern::ring;
  for (const auto& a : set.gpus) {
    for (const auto& b : set.gpus) below = below && (a == b || passes_below(set, a, b));
  }
  auto term = least_of_links(set, pattern);
  if (below && !set.gpus.empty()) {
    const auto pairs = least_of_pairs(set, "the slowest link between the GPUs");
    if (pairs.value.is_known() && (!term.value.is_known() || pairs.value.value() > term.value.value())) term = pairs;
  }
  if (term.value.is_unknown() && fabric == Tri::unknown) {
    term.from = "neither the links nor a direct fabric between the GPUs are known";
  } else if (fabric == Tri::unknown && !through_host && set.vendor == "nvidia") {
    term.from += " over PCI Express (whether NVLink joins the GPUs is not known)";
  }
  return term;
}

}  // namespace gpucoop
