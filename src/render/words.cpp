#include "render/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/list.hpp"

namespace gpucoop::words {
namespace {

constexpr const char* kFullDump = "sudo lspci -D -nnvvvxxxx > host.txt";

bool strip(std::string& text, std::string_view lead) {
  if (text.rfind(lead, 0) != 0) return false;
  text.erase(0, lead.size());
  return true;
}

// The product's name stands in the last bracket: `Navi 48 [Radeon AI PRO R9700]`.
std::string product_first(const std::string& text) {
  const auto open = text.rfind('[');
  if (open == std::string::npos || open == 0 || text.back() != ']') return text;
  const std::string product = text.substr(open + 1, text.size() - open - 2);
  std::string chip = text.substr(0, open);
  while (!chip.empty() && chip.back() == ' ') chip.pop_back();
  return product.empty() || chip.empty() ? text : product + " (" + chip + ")";
}

}  // namespace

std::string rate(double gbytes_per_s) {
  const int decimals = gbytes_per_s < 9.995 ? 2 : gbytes_per_s < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} GB/s", gbytes_per_s, decimals);
}

std::string link(const Known<LinkSpeed>& speed, const Known<std::uint8_t>& width) {
  if (width.is(0)) return "link down";
  if (!speed.is_known() && !width.is_known()) return {};
  if (!speed.is_known()) return fmt::format("x{}, speed ?", width.value());
  if (!width.is_known()) return fmt::format("{:g} GT/s, width ?", gigatransfers(speed.value()));
  return fmt::format("{:g} GT/s x{}", gigatransfers(speed.value()), width.value());
}

std::string bytes(std::uint64_t count) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (count >= 1024 && count % 1024 == 0 && unit + 1 < kUnits.size()) {
    count /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", count, kUnits[unit]);
}

std::string vendor(Vendor vendor) {
  switch (vendor) {
    case Vendor::amd: return "AMD";
    case Vendor::nvidia: return "NVIDIA";
    case Vendor::intel: return "Intel";
    case Vendor::other: return "";
  }
  return "";
}

std::string name(const Gpu& gpu) {
  if (!gpu.name.is_known() || gpu.name.value().empty()) {
    const std::string who = vendor(gpu.vendor);
    const std::string ids = gpu.vendor_id.is_known() && gpu.device_id.is_known()
                                ? fmt::format("[{:04x}:{:04x}]", gpu.vendor_id.value(), gpu.device_id.value())
                                : "";
    return who + (who.empty() ? "GPU" : " GPU") + (ids.empty() ? "" : " " + ids);
  }
  std::string text = gpu.name.value();
  for (const char* legal : {"Advanced Micro Devices, Inc. [AMD/ATI] ", "Advanced Micro Devices [AMD/ATI] ",
                            "Advanced Micro Devices, Inc. [AMD] ", "Advanced Micro Devices [AMD] nee ATI ",
                            "NVIDIA Corporation ", "nVidia Corporation ", "Intel Corporation "}) {
    if (strip(text, legal)) break;
  }
  text = product_first(text);
  const std::string who = vendor(gpu.vendor);
  return who.empty() || text.rfind(who, 0) == 0 ? text : who + " " + text;
}

std::string role(const Hop& hop, bool last) {
  if (last) return hop.role == Role::integrated_endpoint ? "the GPU, in the CPU" : "the GPU";
  const std::string what = hop.on_card ? "inside the card" : hop.chipset ? "chipset switch" : "switch";
  const std::string prefix = hop.on_card ? "inside the card, " : hop.chipset ? "chipset " : "";
  switch (hop.role) {
    case Role::root_port: return prefix + "root port";
    case Role::switch_upstream: return what + ", upper";
    case Role::switch_downstream: return what + ", lower";
    case Role::endpoint:
    case Role::integrated_endpoint:
    case Role::bridge: return hop.on_card ? "inside the card" : prefix + "bridge";
    case Role::unknown: return hop.on_card ? "inside the card" : prefix + "bridge, type unknown";
  }
  return {};
}

std::string state(ModeState state, const Known<ModeState>& expected) {
  switch (state) {
    case ModeState::yes: return "works";
    case ModeState::degraded: return "works, limited";
    case ModeState::no: return "cannot work";
    case ModeState::unknown: break;
  }
  switch (expected.value_or(ModeState::unknown)) {
    case ModeState::yes: return "should work, not proven";
    case ModeState::degraded: return "limited, not proven";
    case ModeState::no: return "not expected to work";
    case ModeState::unknown: break;
  }
  return "unknown";
}

std::string state(const ModeVerdict& mode) { return state(mode.state, mode.expected); }

Style style(ModeState state, const Known<ModeState>& expected) {
  const ModeState outlook = likely(state, expected);
  if (outlook == ModeState::yes) return Style::good;
  return outlook == ModeState::no ? Style::bad : Style::warning;
}

Style style(const ModeVerdict& mode) { return style(mode.state, mode.expected); }

std::string predicate(const ModeVerdict& mode) {
  const std::string words = state(mode);
  if (words == "limited, not proven") return "should work with limits, which nothing has proven yet";
  if (words == "works, limited") return "works, with limits";
  if (words == "not expected to work") return "is not expected to work";
  if (words == "should work, not proven") return "should work, which nothing has proven yet";
  if (words == "unknown") return "cannot be judged from what was read";
  return words;
}

std::string path(PairPath path) {
  switch (path) {
    case PairPath::same_card: return "on one card";
    case PairPath::switch_: return "through one PCIe switch";
    case PairPath::switches: return "through several PCIe switches";
    case PairPath::host_bridge: return "through the CPU's PCIe root";
    case PairPath::numa_node: return "through the CPU, from one PCIe root to another";
    case PairPath::socket: return "from one CPU socket to another";
    case PairPath::unknown: return "way not known";
  }
  return {};
}

std::string peer(PeerExpectation expectation) {
  switch (expectation) {
    case PeerExpectation::likely: return "likely, not proven";
    case PeerExpectation::slower: return "likely but slower, not proven";
    case PeerExpectation::not_expected: return "not expected";
    case PeerExpectation::unknown: return "unknown";
  }
  return {};
}

std::string fabric(FabricLink::Kind kind) {
  switch (kind) {
    case FabricLink::Kind::nvlink: return "NVLink";
    case FabricLink::Kind::xgmi: return "XGMI";
    case FabricLink::Kind::xelink: return "Xe Link";
  }
  return {};
}

namespace {

/// What would let a live reading see what the kernel keeps from it.
Missing no_right(const HostSummary& host) {
  if (!host.live) return {"the copy was made without the right to read it", "make the copy as root"};
  const auto container = container_in_words(host);
  if (host.user_namespace.is(true)) {
    const std::string in = container.empty() ? "a user namespace" : "a " + container + " of an ordinary user";
    return {"root in " + in + " may not read it", "on the host itself: sudo gpucoop topo"};
  }
  if (!container.empty()) {
    return {
        "this " + container + " may not read it",
        "on the host, or in a container with --cap-add SYS_ADMIN --cap-add SYSLOG --device /dev/kmsg: gpucoop topo"};
  }
  if (host.superuser.is(true)) {
    return {"root lacks the capability to read it",
            "with CAP_SYS_ADMIN (registers) and CAP_SYSLOG (kernel log): gpucoop topo. A sandbox or service has taken "
            "them away (CapabilityBoundingSet=)"};
  }
  return {"only root may read it", "sudo gpucoop topo"};
}

}  // namespace

std::string container_in_words(const HostSummary& host) {
  if (!host.container.is_known()) return {};
  const auto& name = host.container.value();
  return name == "container" ? name : name == "kubernetes" ? "Kubernetes container" : name + " container";
}

Missing missing(Reason reason, const HostSummary& host) {
  if (host.source == SourceKind::live) {
    if (reason == Reason::no_root) return no_right(host);
    if (reason == Reason::not_in_input) return {"the kernel does not show it", ""};
    if (reason == Reason::truncated || reason == Reason::damaged) return {"what the kernel shows there is damaged", ""};
  }
  switch (reason) {
    case Reason::not_in_input: return {"the input does not hold it", kFullDump};
    case Reason::no_root: return {"the input was made without root", kFullDump};
    case Reason::not_printed: return {"the lspci that made the input does not print it", kFullDump};
    case Reason::truncated: return {"the input ends in the middle of it", kFullDump};
    case Reason::damaged: return {"the input is damaged there", kFullDump};
    case Reason::device_lost: return {"the device does not answer (fallen off the bus, or switched off)", ""};
    case Reason::vm: return {"a virtual machine does not see the real hardware", "the same command on the hypervisor"};
    case Reason::asleep: return {"reading it would wake the device", ""};
    case Reason::timeout: return {"reading it did not return in time", ""};
    case Reason::hidden_by_container: return {"the container hides it", "the same command outside the container"};
    case Reason::disagreement: return {"two sources say different things (see the warnings)", ""};
    case Reason::not_probed: return {"only a measurement on the host can tell", ""};
    case Reason::not_inspected: return {"only a look into the installed library can tell", ""};
    case Reason::not_derivable: return {"what it follows from is not known", ""};
  }
  return {};
}

std::string list(const std::vector<std::string>& items, std::size_t most) {
  if (items.size() > most && most > 1) {
    std::string text;
    for (std::size_t i = 0; i + 1 < most; ++i) text += (i == 0 ? "" : ", ") + items[i];
    return text + fmt::format(" and {} more", items.size() - most + 1);
  }
  return list_in_words(items);
}

std::string list(const std::vector<Address>& items, std::size_t most) {
  std::vector<std::string> texts;
  texts.reserve(items.size());
  for (const Address& a : items) texts.push_back(short_form(a));
  return list(texts, most);
}

std::string count(std::size_t n, std::string_view singular) {
  return fmt::format("{} {}{}", n, singular, n == 1 ? "" : "s");
}

std::string sentence(std::string text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  // A word is capitalised, an address or an identifier is not.
  const auto letters = std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), text.size());
  if (letters > 0 && (letters == text.size() || text[letters] == ' ' || text[letters] == ',')) {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  if (!text.empty() && std::string_view(".!?:").find(text.back()) == std::string_view::npos) text += '.';
  return text;
}

}  // namespace gpucoop::words
