#include "render/diff_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "render/words.hpp"

namespace gpucoop::words {
namespace {

constexpr std::string_view kTo = " → ";

struct Naming {
  std::string_view what;
  std::string_view name;
  enum class Unit : std::uint8_t { none, rate, bytes } unit = Unit::none;
};

/// What is told of a card, pair or host, in this order. What is not here is in JSON only.
constexpr auto kNames = std::to_array<Naming>({
    {"link.rate", "link", Naming::Unit::rate},
    {"link.ceiling", "link at its best", Naming::Unit::rate},
    {"link.card", "edge of the card", Naming::Unit::rate},
    {"gpu.present", "answers on the bus", Naming::Unit::none},
    {"atomics.state", "AtomicOps reach the CPU", Naming::Unit::none},
    {"atomics.requester_enabled", "AtomicOp Requester Enable", Naming::Unit::none},
    {"slot.name", "slot", Naming::Unit::none},
    {"gpu.driver", "driver", Naming::Unit::none},
    {"bar.size", "BAR", Naming::Unit::bytes},
    {"gpu.numa_node", "NUMA node", Naming::Unit::none},
    {"path.common", "way", Naming::Unit::none},
    {"fabric.direct", "direct link", Naming::Unit::none},
    {"p2p.ceiling", "at most", Naming::Unit::rate},
    {"acs.redirect", "ACS redirects", Naming::Unit::none},
    {"p2p.expected", "peer access", Naming::Unit::none},
    {"host.board", "board", Naming::Unit::none},
    {"host.kernel", "kernel", Naming::Unit::none},
    {"host.iommu", "IOMMU", Naming::Unit::none},
    {"host.virtualized", "virtual machine", Naming::Unit::none},
});

std::string in_unit(const Known<FactValue>& known, Naming::Unit unit) {
  const FactValue* v = known.get();
  const double* number = v == nullptr ? nullptr : std::get_if<double>(v);
  if (number == nullptr) {
    const bool* flag = v == nullptr ? nullptr : std::get_if<bool>(v);
    if (flag != nullptr) return *flag ? "yes" : "no";
    return value(known);
  }
  if (unit == Naming::Unit::rate) return rate(*number);
  if (unit == Naming::Unit::bytes && *number >= 0 && *number < 1e18) return bytes(static_cast<std::uint64_t>(*number));
  return value(known);
}

std::string rate_change(const ValueChange& change) {
  auto before = in_unit(change.before, Naming::Unit::rate);
  const auto after = in_unit(change.after, Naming::Unit::rate);
  constexpr std::string_view kUnit = " GB/s";
  const auto ends = [&](const std::string& s) { return s.size() > kUnit.size() && s.substr(s.size() - 5) == kUnit; };
  if (ends(before) && ends(after)) before.resize(before.size() - kUnit.size());
  return before + std::string(kTo) + after;
}

/// One change as a part of a sentence; "" for what is not told.
std::string told(const ValueChange& change, const Naming& naming) {
  const FactValue yes(true);
  const bool on = change.after.is(yes);
  if (change.what == "atomics.state") return on ? "AtomicOps now reach the CPU" : "AtomicOps no longer reach the CPU";
  if (change.what == "gpu.present") return on ? "it answers on the bus again" : "it no longer answers on the bus";
  if (change.what == "acs.redirect") return on ? "ACS now redirects" : "ACS no longer redirects";
  if (naming.unit == Naming::Unit::rate) {
    const auto text = rate_change(change);
    return change.what == "link.rate" ? text : std::string(naming.name) + " " + text;
  }
  return fmt::format("{} {}{}{}", naming.name, in_unit(change.before, naming.unit), kTo,
                     in_unit(change.after, naming.unit));
}

/// Calls `f` with the changes of a kind that have a name, in the order of the names.
template <class F>
void for_each_named(const std::vector<ValueChange>& changes, bool real, F&& f) {
  for (const auto& naming : kNames) {
    for (const auto& change : changes) {
      if (change.what == naming.what && (change.kind == ChangeKind::changed) == real) f(change, naming);
    }
  }
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : std::string(separator)) + part;
  return text;
}

/// `16 GT/s x16 → 32 GT/s x8`, `x16 → x8`; "" where neither changed.
std::string training(const std::vector<ValueChange>& changes) {
  std::string before;
  std::string after;
  for (const char* what : {"way.speed_gts", "way.width"}) {
    const auto it = std::find_if(changes.begin(), changes.end(), [&](const ValueChange& change) {
      return change.what == what && change.kind == ChangeKind::changed;
    });
    if (it == changes.end()) continue;
    const bool lanes = it->what == "way.width";
    const auto spelled = [&](const Known<FactValue>& v) { return lanes ? "x" + value(v) : value(v) + " GT/s"; };
    before += (before.empty() ? "" : " ") + spelled(it->before);
    after += (after.empty() ? "" : " ") + spelled(it->after);
  }
  return before.empty() ? before : before + std::string(kTo) + after;
}

/// `the chipset left its way`, `2 bridges left its way (05:00.0 and 06:00.0)`
void add_way(std::vector<std::string>& parts, const std::vector<WayBridge>& bridges, const char* verb) {
  std::vector<Address> others;
  bool chipset = false;
  for (const auto& bridge : bridges) {
    chipset = chipset || bridge.chipset;
    if (!bridge.chipset) others.push_back(bridge.address);
  }
  if (chipset) parts.push_back(fmt::format("the chipset {} its way", verb));
  if (!others.empty()) {
    parts.push_back(fmt::format("{} {} its way ({})", count(others.size(), "bridge"), verb, list(others, 4)));
  }
}

bool is_told(const std::vector<ValueChange>& changes, std::string_view what) {
  return std::any_of(changes.begin(), changes.end(), [&](const ValueChange& change) {
    return change.what == what && change.kind == ChangeKind::changed;
  });
}

}  // namespace

std::string value(const Known<FactValue>& known) {
  if (known.is_absent()) return "none";
  if (!known.is_known()) return "not known";
  if (const bool* flag = std::get_if<bool>(&known.value())) return *flag ? "true" : "false";
  if (const double* number = std::get_if<double>(&known.value()))
    return std::floor(*number) == *number ? fmt::format("{:.15g}", *number) : fmt::format("{:.6g}", *number);
  return std::get<std::string>(known.value());
}

std::string outcome(const std::optional<VerdictChange::Outcome>& outcome) {
  if (!outcome) return "not judged";
  const auto expected = outcome->expected.value_or(ModeState::unknown);
  if (outcome->state != ModeState::unknown || expected == ModeState::unknown) {
    return std::string(to_string(outcome->state));
  }
  return "expected " + std::string(to_string(expected));
}

std::string card(const GpuChange& gpu) {
  std::string text = fmt::format("card {} ({}", gpu.number, short_form(gpu.after ? *gpu.after : *gpu.before));
  if (gpu.moved()) text += ", before " + short_form(*gpu.before);
  return text + ")";
}

std::string card_changes(const GpuChange& gpu) {
  if (!gpu.before || !gpu.after) {
    Gpu shown;
    shown.vendor = gpu.vendor;
    shown.name = gpu.name;
    shown.vendor_id = gpu.vendor_id;
    shown.device_id = gpu.device_id;
    return (gpu.before ? "is gone: " : "is new: ") + name(shown);
  }
  std::vector<std::string> parts;
  for_each_named(gpu.changes, true, [&](const ValueChange& change, const Naming& naming) {
    const bool rate = change.what == "link.rate" || change.what == "link.ceiling";
    // The best that a link can do is worth a word only where it is not what it does now.
    if (change.what == "link.ceiling" && is_told(gpu.changes, "link.rate")) return;
    if (rate || change.what == "gpu.present") parts.push_back(told(change, naming));
  });
  // Where the rate is another one, it says enough.
  const auto trained = training(gpu.changes);
  if (!trained.empty() && !is_told(gpu.changes, "link.rate")) parts.push_back("link " + trained);
  add_way(parts, gpu.left, "left");
  add_way(parts, gpu.joined, "joined");
  for_each_named(gpu.changes, true, [&](const ValueChange& change, const Naming& naming) {
    if (change.what == "link.rate" || change.what == "link.ceiling" || change.what == "gpu.present") return;
    auto text = told(change, naming);
    if (change.what == "atomics.state" && change.after.is(FactValue(false)) && !gpu.blocking.empty()) {
      text += " (" + list(gpu.blocking, 4) + (gpu.blocking.size() == 1 ? " blocks" : " block") + ")";
    }
    parts.push_back(std::move(text));
  });
  if (parts.empty() && gpu.moved()) return "moved";
  return joined(parts, "; ");
}

std::string real_changes(const std::vector<ValueChange>& changes) {
  std::vector<std::string> parts;
  for_each_named(changes, true,
                 [&](const ValueChange& change, const Naming& naming) { parts.push_back(told(change, naming)); });
  return joined(parts, "; ");
}

std::string known_changes(const std::vector<ValueChange>& changes) {
  std::vector<std::string> now;
  std::vector<std::string> gone;
  for_each_named(changes, false, [&](const ValueChange& change, const Naming& naming) {
    if (change.kind == ChangeKind::now_known) {
      now.push_back(std::string(naming.name) + " " + in_unit(change.after, naming.unit));
    } else {
      gone.push_back(std::string(naming.name) + " (was " + in_unit(change.before, naming.unit) + ")");
    }
  });
  std::vector<std::string> parts;
  if (!now.empty()) parts.push_back("now known: " + joined(now, ", "));
  if (!gone.empty()) parts.push_back("no longer known: " + joined(gone, ", "));
  return joined(parts, "; ");
}

}  // namespace gpucoop::words
