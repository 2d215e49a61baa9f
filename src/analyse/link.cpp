#include "analyse/link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gpucoop {
namespace {

// Correctable errors of the physical and data link layers: receiver error, bad TLP, bad DLLP, replay number rollover,
// replay timer timeout (PCI Express Base, AER Correctable Error Status).
constexpr std::uint32_t kLinkErrors = 0x11c1;

const PciExpress* express_of(const PciDevice* device) { return device == nullptr ? nullptr : device->express.get(); }

template <class T>
Known<T> field(const PciExpress* express, Known<T> PciExpress::*member) {
  return express == nullptr ? Known<T>{} : express->*member;
}

template <class T>
Known<T> both_ends(const Known<T>& upper, const Known<T>& lower) {
  if (upper.is_known() && lower.is_known()) {
    return upper.value() == lower.value() ? lower : Known<T>::unknown(Reason::disagreement);
  }
  if (lower.is_known()) return lower;
  if (upper.is_known()) return upper;
  return Known<T>::unknown(lower.is_unknown() ? lower.reason() : Reason::not_in_input);
}

template <class T>
Known<T> least(const Known<T>& upper, const Known<T>& lower) {
  if (upper.is_known() && lower.is_known()) return std::min(upper.value(), lower.value());
  return Known<T>::unknown(Reason::not_derivable);
}

/// A link that both ends see trained proves what they can do, whatever their capability registers say (ports exist
/// whose Link Capabilities 2 names 2.5 GT/s only and that run at 8).
template <class T>
Known<T> at_least_as_trained(Known<T> most, const Known<T>& upper, const Known<T>& lower) {
  if (most.is_known() && upper.is_known() && upper == lower && upper.value() > most.value()) return upper;
  return most;
}

Known<double> stated_rate(const PciDevice* device) {
  if (device == nullptr) return {};
  const auto* rate = device->stated_link_gbytes_per_s.get();
  return rate != nullptr && *rate > 0 ? Known<double>(*rate) : Known<double>{};
}

bool differ(const Known<double>& a, const Known<double>& b) {
  return a.is_known() && b.is_known() && std::abs(a.value() - b.value()) > 0.02 * std::max(a.value(), b.value());
}

bool link_errors(const PciDevice* device) {
  const auto* aer = device == nullptr ? nullptr : device->aer.get();
  return aer != nullptr && aer->correctable.is_known() && (aer->correctable.value() & kLinkErrors) != 0;
}

std::string gts(LinkSpeed speed) { return fmt::format("{:g} GT/s", gigatransfers(speed)); }

std::string end_text(const PciDevice* device) {
  const auto* express = express_of(device);
  if (express == nullptr || !express->speed.is_known() || !express->width.is_known()) return "?";
  return speed_and_width(express->speed.value(), express->width.value());
}

struct Verdict {
  LinkState state = LinkState::unknown;
  std::string why;
};

Verdict speed_lowered(const LinkEnds& ends, LinkSpeed speed, LinkSpeed most, unsigned width) {
  const auto* upper = express_of(ends.upper);
  const auto* lower = express_of(ends.lower);
  const auto autonomous = field(upper, &PciExpress::autonomous_bandwidth).is(true) ||
                          field(lower, &PciExpress::autonomous_bandwidth).is(true);
  const auto retrained = field(upper, &PciExpress::bandwidth_management).is(true);
  const auto errors = link_errors(ends.upper) || link_errors(ends.lower);
  const auto target = field(upper, &PciExpress::target_speed);
  if (errors && (retrained || !autonomous)) {
    return {
        LinkState::downgraded,
        fmt::format("Runs at {} instead of {}, and link errors are recorded. That points to a bad contact, cable or "
                    "riser; read it again while the card works.",
                    gts(speed), gts(most))};
  }
  if (target.is_known() && target.value() < most && target.value() == speed && !autonomous) {
    return {LinkState::downgraded,
            fmt::format("The port is set to {} (its Target Link Speed), below the {} that both ends can do: see the "
                        "PCIe generation in the firmware setup.",
                        gts(speed), gts(most))};
  }
  return {LinkState::idle,
          fmt::format("Runs at {} instead of {} with all {} lanes: {} Read it again while the card works.", gts(speed),
                      gts(most), width,
                      autonomous ? "the hardware lowered it by itself to save power."
                                 : "what a card does to save power when it is idle.")};
}

Verdict one_end(const LinkEnds& ends, LinkSpeed speed, unsigned width) {
  const auto* seen = express_of(ends.lower);
  if (seen == nullptr || !seen->max_speed.is_known() || !seen->max_width.is_known()) seen = express_of(ends.upper);
  if (seen == nullptr || !seen->max_speed.is_known() || !seen->max_width.is_known()) {
    return {LinkState::unknown, "What the two ends could do was not read; it takes root."};
  }
  const auto most = speed_and_width(seen->max_speed.value(), seen->max_width.value());
  if (speed >= seen->max_speed.value() && width >= seen->max_width.value()) {
    return {LinkState::full, fmt::format("Runs at {}, all that this end can do.", most)};
  }
  if (width >= seen->max_width.value() && seen->autonomous_bandwidth.is(true)) {
    return {LinkState::idle, fmt::format("Runs at {} of {} with all lanes: the hardware lowered it by itself to save "
                                         "power.",
                                         gts(speed), gts(seen->max_speed.value()))};
  }
  return {LinkState::unknown,
          fmt::format("Runs at {}; this end could do {}. What the other end can do was not read, so an idle "
                      "link, a narrow slot and a fault cannot be told apart.",
                      speed_and_width(speed, width), most)};
}

Verdict judge_state(const LinkEnds& ends, const Link& link) {
  if (ends.on_card) return {LinkState::unknown, "Inside the card: it says nothing about the slot."};
  if (link.width.is(0)) return {LinkState::unknown, "Width 0: the link is down."};
  if (!link.speed.is_known() || !link.width.is_known()) {
    return {LinkState::unknown, "The link's speed and width were not read."};
  }
  const auto speed = link.speed.value();
  const auto width = static_cast<unsigned>(link.width.value());
  if (!link.max_speed.is_known() || !link.max_width.is_known()) return one_end(ends, speed, width);
  const auto most = link.max_speed.value();
  const auto most_lanes = static_cast<unsigned>(link.max_width.value());
  if (width < most_lanes) {
    return {LinkState::downgraded, fmt::format("Only {} of {} lanes work although both ends can do {}: look at the "
                                               "seating of the card, its contacts and the riser.",
                                               width, most_lanes, most_lanes)};
  }
  if (speed < most) return speed_lowered(ends, speed, most, width);
  if (speed > most || width > most_lanes) {
    return {LinkState::unknown, fmt::format("Reads {}, more than the {} that both ends can do: the reading is damaged.",
                                            speed_and_width(speed, width), speed_and_width(most, most_lanes))};
  }
  auto why = fmt::format("Runs at {}, all that both ends can do.", speed_and_width(speed, width));
  const auto card = field(express_of(ends.lower), &PciExpress::max_width);
  if (card.is_known() && card.value() > most_lanes) {
    why += fmt::format(" The port has {} lanes where the card could use {}: that is how the slot is wired.", most_lanes,
                       card.value());
  }
  return {LinkState::full, why};
}

}  // namespace

std::string speed_and_width(LinkSpeed speed, unsigned width) {
  return fmt::format("{:g} GT/s x{}", gigatransfers(speed), width);
}

Known<double> rate_of(const Known<LinkSpeed>& speed, const Known<std::uint8_t>& width) {
  for (const auto reason : {speed.is_unknown() ? std::optional(speed.reason()) : std::nullopt,
                            width.is_unknown() ? std::optional(width.reason()) : std::nullopt}) {
    if (reason) return Known<double>::unknown(*reason);
  }
  if (!speed.is_known() || !width.is_known() || width.value() == 0) {
    return Known<double>::unknown(Reason::not_derivable);
  }
  return lane_gbytes_per_s(speed.value()) * width.value();
}

JudgedLink judge_link(const LinkEnds& ends) {
  const auto* upper = express_of(ends.upper);
  const auto* lower = express_of(ends.lower);
  JudgedLink judged;
  auto& link = judged.link;
  link.on_card = ends.on_card;
  const auto* below = ends.lower != nullptr ? ends.lower : ends.upper;
  const auto* above = ends.upper != nullptr ? ends.upper : ends.lower;
  if (below == nullptr || above == nullptr) return judged;
  link.lower = below->address;
  link.upper = above->address;
  link.speed = both_ends(field(upper, &PciExpress::speed), field(lower, &PciExpress::speed));
  link.width = both_ends(field(upper, &PciExpress::width), field(lower, &PciExpress::width));
  const auto most = [&](auto member, auto trained) {
    const auto trained_above = field(upper, trained);
    const auto trained_below = field(lower, trained);
    return least(at_least_as_trained(field(upper, member), trained_above, trained_below),
                 at_least_as_trained(field(lower, member), trained_above, trained_below));
  };
  link.max_speed = most(&PciExpress::max_speed, &PciExpress::speed);
  link.max_width = most(&PciExpress::max_width, &PciExpress::width);
  if (ends.soldered && link.max_width.is_known() && link.width.is_known() && link.width.value() != 0) {
    link.max_width = std::min(link.max_width.value(), link.width.value());
  }
  link.gbytes_per_s = rate_of(link.speed, link.width);
  link.ceiling_gbytes_per_s = rate_of(link.max_speed, link.max_width);

  const auto upper_rate = stated_rate(ends.upper);
  const auto lower_rate = stated_rate(ends.lower);
  bool rates_differ = false;
  if (!link.speed.is_known() && !link.width.is_known()) {
    rates_differ = differ(upper_rate, lower_rate);
    if (rates_differ) {
      link.gbytes_per_s = Known<double>::unknown(Reason::disagreement);
    } else if (lower_rate.is_known()) {
      link.gbytes_per_s = lower_rate;
    } else if (upper_rate.is_known()) {
      link.gbytes_per_s = upper_rate;
    }
  }

  const bool disagree = (link.speed.is_unknown() && link.speed.reason() == Reason::disagreement) ||
                        (link.width.is_unknown() && link.width.reason() == Reason::disagreement);
  if (disagree || rates_differ) {
    const auto says_above = disagree ? end_text(ends.upper) : fmt::format("{:.3g} GB/s", upper_rate.value());
    const auto says_below = disagree ? end_text(ends.lower) : fmt::format("{:.3g} GB/s", lower_rate.value());
    link.why = fmt::format("The two ends disagree: {} says {}, {} says {}.", short_form(link.upper), says_above,
                           short_form(link.lower), says_below);
    judged.disagreement = link.why;
    return judged;
  }
  auto verdict = judge_state(ends, link);
  link.state = verdict.state;
  link.why = std::move(verdict.why);
  return judged;
}

}  // namespace gpucoop
