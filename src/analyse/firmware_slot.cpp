#include "analyse/firmware_slot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gpucoop {
namespace {

using By = FirmwareSlotMatch::By;

/// The port that the card is plugged into: the lowest bridge that is not a part of the card. Its index in the chain.
std::optional<std::size_t> port_of(const Chain& chain) {
  for (std::size_t i = chain.steps.size(); i-- > 1;) {
    if (chain.steps[i].gap_above) return std::nullopt;
    if (!chain.steps[i - 1].on_card) return i - 1;
  }
  return std::nullopt;
}

bool is_below(const Step& port, const Step& below, const Address& a) {
  if (a.domain != port.address.domain) return false;
  const auto* buses = port.device == nullptr ? nullptr : port.device->buses.get();
  if (buses == nullptr) return a.bus == below.address.bus;
  return a.bus >= buses->secondary && a.bus <= buses->subordinate;
}

bool fits(const FirmwareSlot& slot, By by, const Chain& chain, std::size_t port) {
  const auto& step = chain.steps[port];
  const auto* address = slot.address.get();
  switch (by) {
    case By::address:
      return address != nullptr && std::any_of(chain.steps.begin() + static_cast<std::ptrdiff_t>(port),
                                               chain.steps.end(), [&](const Step& s) { return s.address == *address; });
    case By::bus: return address != nullptr && is_below(step, chain.steps[port + 1], *address);
    case By::number: break;
  }
  const auto* express = step.device == nullptr ? nullptr : step.device->express.get();
  return express != nullptr && express->slot_implemented.is(true) && slot.slot_id.value_or(0) != 0 &&
         express->physical_slot_number.is(slot.slot_id.value());
}

std::optional<FirmwareSlotMatch> match(const std::vector<FirmwareSlot>& slots, const Chain& chain) {
  const auto port = port_of(chain);
  if (!port) return std::nullopt;
  for (const auto by : {By::address, By::bus, By::number}) {
    const FirmwareSlot* found = nullptr;
    std::size_t count = 0;
    for (const auto& slot : slots) {
      if (slot.designation.empty() || !fits(slot, by, chain, *port)) continue;
      found = &slot;
      ++count;
    }
    if (count > 1) return std::nullopt;
    if (count == 1) return FirmwareSlotMatch{found, by, chain.steps[*port].address};
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(By by) {
  switch (by) {
    case By::address: return "by address";
    case By::bus: return "by bus";
    case By::number: return "by slot number";
  }
  return {};
}

std::vector<std::optional<FirmwareSlotMatch>> match_firmware_slots(const HostReading& host,
                                                                   const std::vector<GpuView>& views) {
  std::vector<std::optional<FirmwareSlotMatch>> matches(views.size());
  const auto* slots = host.slots.get();
  if (slots == nullptr) return matches;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (!views[i].gpu.integrated) matches[i] = match(*slots, views[i].chain);
  }
  auto kept = matches;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    for (std::size_t k = 0; k < matches.size(); ++k) {
      if (i == k || !matches[i] || !matches[k]) continue;
      if (matches[i]->slot == matches[k]->slot && matches[i]->port != matches[k]->port) kept[i].reset();
    }
  }
  return kept;
}

std::string width_words(const FirmwareSlotMatch& match, const GpuView& view) {
  const auto* lanes = match.slot->width.get();
  if (lanes == nullptr) return {};
  for (const auto& path : view.links) {
    const auto& link = path.judged.link;
    if (link.upper != match.port || !link.width.is_known()) continue;
    const auto& steps = view.chain.steps;
    const auto lower =
        std::find_if(steps.begin(), steps.end(), [&](const Step& step) { return step.address == link.lower; });
    const auto* express = lower == steps.end() || lower->device == nullptr ? nullptr : lower->device->express.get();
    if (express == nullptr || !express->max_width.is_known()) return {};
    if (link.width.value() >= express->max_width.value()) return {};
    const auto which = fmt::format("The firmware lists the slot ({}, {}) with {} lane{}", match.slot->designation,
                                   to_string(match.by), *lanes, *lanes == 1 ? "" : "s");
    return *lanes > link.width.value() ? which + ", more than are in use." : which + ".";
  }
  return {};
}

}  // namespace gpucoop
