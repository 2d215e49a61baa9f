#include "analyse/host_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyse/fingerprint.hpp"

namespace gpucoop {
namespace {

// The best source of devices names the report's main source.
constexpr std::array<SourceKind, 8> kBestFirst = {SourceKind::live,       SourceKind::recording, SourceKind::lspci_text,
                                                  SourceKind::lspci_hex,  SourceKind::hwloc_xml, SourceKind::nccl_xml,
                                                  SourceKind::lspci_tree, SourceKind::kernel_log};

SourceKind main_source(const Recording& recording) {
  for (const auto kind : kBestFirst) {
    const bool any = std::any_of(recording.sources.begin(), recording.sources.end(),
                                 [&](const Source& source) { return source.kind == kind; });
    if (any) return kind;
  }
  return recording.live ? SourceKind::live : SourceKind::lspci_text;
}

bool has_word(const std::string& line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
    const bool starts = at == 0 || line[at - 1] == ' ';
    const auto end = at + word.size();
    const bool ends = end == line.size() || line[end] == ' ';
    if (starts && ends) return true;
  }
  return false;
}

Known<std::string> iommu_mode(const HostReading& host) {
  if (host.iommu_translating.is(true)) return std::string("translating");
  if (host.iommu_active.is(false)) return std::string("off");
  if (!host.iommu_translating.is_known()) return {};
  if (const auto* line = host.command_line.get()) {
    for (const auto* word : {"amd_iommu=off", "intel_iommu=off", "iommu=off"}) {
      if (has_word(*line, word)) return std::string("off");
    }
  }
  return std::string("passthrough");
}

/// False where the kernel cut the registers of a device short.
Known<bool> registers_read(const Recording& recording) {
  Known<bool> read;
  for (const auto& device : recording.devices) {
    if (device.access_denied) return false;
    const auto* express = device.express.get();
    if (express != nullptr && express->type.is_known()) read = true;
  }
  return read;
}

}  // namespace

HostSummary host_summary(const Recording& recording, const Virtualization& virtualization) {
  HostSummary summary;
  summary.source = main_source(recording);
  summary.live = recording.live;
  summary.virtualized = virtualization.state;
  summary.board = recording.host.board;
  summary.kernel = recording.host.kernel;
  summary.container = recording.host.container;
  summary.user_namespace = recording.host.user_namespace;
  summary.superuser = recording.host.superuser;
  summary.iommu = iommu_mode(recording.host);
  summary.fingerprint = fingerprint_of(recording);
  return summary;
}

void add_host_facts(const Recording& recording, const Virtualization& virtualization, FactList& facts) {
  const Subject host{SubjectKind::host, {}};
  facts.add(
      "host.direct", host, FactValue(recording.direct),
      recording.direct ? "gpucoop itself read the kernel of the host" : "what other programs printed about the host");
  facts.add("host.registers", host, fact_value(registers_read(recording)),
            "by how much of the devices' configuration space came back");
  facts.add("host.lists_devices", host, FactValue(recording.lists_devices),
            recording.lists_devices ? fmt::format("{} devices are listed", recording.devices.size())
                                    : "what was read lists no PCI devices");
  facts.add("host.listing_complete", host, fact_value(recording.listing_complete),
            recording.listing_complete.is(true)    ? "the listing covers the whole host"
            : recording.listing_complete.is(false) ? "the listing is an excerpt"
                                                   : "nothing shows whether the listing covers the whole host");
  facts.add("host.virtualized", host, fact_value(virtualization.state, Reason::not_in_input), virtualization.evidence);
  facts.add(
      "iommu.translating", host, fact_value(recording.host.iommu_translating),
      recording.host.iommu_translating.is_known() ? "default domain type of the IOMMU" : "the IOMMU mode was not read");
}

void add_pair_facts(const std::vector<JudgedPair>& pairs, FactList& facts) {
  for (const auto& judged : pairs) {
    const auto& pair = judged.pair;
    for (const auto& subject :
         {Subject{SubjectKind::pair, {pair.a, pair.b}}, Subject{SubjectKind::pair, {pair.b, pair.a}}}) {
      facts.add("path.common", subject,
                pair.path == PairPath::unknown ? Known<FactValue>::unknown(Reason::not_derivable)
                                               : fact_text(to_string(pair.path)),
                judged.path_evidence);
      auto direct = Known<FactValue>::unknown(Reason::not_in_input);
      std::string fabric = "no source that was read shows direct fabrics";
      if (const auto* link = pair.fabric.get()) {
        direct = FactValue(true);
        fabric = fmt::format("{}", to_string(link->kind));
        if (link->links.is_known()) fabric += fmt::format(", {} links", link->links.value());
      } else if (pair.fabric.is_absent()) {
        direct = FactValue(false);
        fabric = "what was read shows no direct fabric between the two";
      }
      facts.add("fabric.direct", subject, direct, fabric);
      facts.add("acs.redirect", subject, fact_value(pair.acs_redirect), judged.redirect_evidence, judged.redirect_at);
      facts.add("p2p.expected", subject,
                pair.peer == PeerExpectation::unknown ? Known<FactValue>::unknown(Reason::not_derivable)
                                                      : fact_text(to_string(pair.peer)),
                pair.peer_why);
      facts.add("p2p.ceiling", subject, fact_value(pair.ceiling_gbytes_per_s), judged.ceiling_evidence);
    }
  }
}

void add_link_facts(const std::vector<Link>& links, FactList& facts) {
  for (const auto& link : links) {
    const Subject subject{SubjectKind::link, {link.upper, link.lower}};
    facts.add("link.width", subject, fact_value(link.width), link.why);
    const auto speed = link.speed.is_known()    ? Known<FactValue>(FactValue(gigatransfers(link.speed.value())))
                       : link.speed.is_absent() ? Known<FactValue>::absent()
                                                : Known<FactValue>::unknown(link.speed.reason());
    facts.add("link.speed", subject, speed, link.why);
    facts.add("link.shared", subject, FactValue(static_cast<double>(link.gpus.size())),
              fmt::format("{} GPU(s) are below {}", link.gpus.size(), short_form(link.upper)), link.gpus);
    if (link.gpus.size() > 1 && !link.on_card) {
      facts.add("link.best", subject, fact_value(link.ceiling_gbytes_per_s), link.why);
    }
  }
}

}  // namespace gpucoop
