#include "analyse/log_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>

namespace gpucoop {
namespace {

bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

struct Ids {
  std::uint16_t vendor = 0;
  std::uint16_t device = 0;
};

std::optional<std::uint16_t> hex4(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), is_hex)) return std::nullopt;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return static_cast<std::uint16_t>(value);
}

/// `1002:699f` as a word of its own.
std::optional<Ids> ids_in(std::string_view line) {
  for (std::size_t colon = line.find(':'); colon != std::string_view::npos; colon = line.find(':', colon + 1)) {
    if (colon < 4 || colon + 4 >= line.size()) continue;
    if (colon > 4 && (is_hex(line[colon - 5]) || line[colon - 5] == ':')) continue;
    if (colon + 5 < line.size() && (is_hex(line[colon + 5]) || line[colon + 5] == ':')) continue;
    const auto vendor = hex4(line.substr(colon - 4, 4));
    const auto device = hex4(line.substr(colon + 1, 4));
    if (vendor && device) return Ids{*vendor, *device};
  }
  return std::nullopt;
}

using IdMap = std::map<std::pair<std::uint16_t, std::uint16_t>, std::vector<Address>>;

IdMap by_ids(const Recording& recording) {
  IdMap map;
  for (const auto& device : recording.devices) {
    if (!device.vendor_id.is_known() || !device.device_id.is_known()) continue;
    map[{device.vendor_id.value(), device.device_id.value()}].push_back(device.address);
  }
  return map;
}

std::optional<Address> device_of(const LogLine& line, const IdMap& devices) {
  if (line.device.is_known()) return line.device.value();
  const auto ids = ids_in(line.text);
  if (!ids) return std::nullopt;
  const auto found = devices.find({ids->vendor, ids->device});
  if (found == devices.end() || found->second.size() != 1) return std::nullopt;
  return found->second.front();
}

}  // namespace

LogEvidence::LogEvidence(const Recording& recording, const Rules& rules) {
  if (recording.log.empty()) return;
  std::map<std::string_view, const LogCause*> causes;
  for (const auto& cause : rules.log_causes) causes.emplace(cause.id, &cause);
  const auto devices = by_ids(recording);
  for (const auto& line : recording.log) {
    const auto cause = causes.find(line.cause);
    if (cause == causes.end()) continue;
    const auto device = device_of(line, devices);
    const auto place = to_string(recording, line.place);
    find(*cause->second, line, device, place);
    if (!device || !cause->second->sets_fact) continue;
    const bool value = cause->second->sets_value;
    auto text = place.empty() ? fmt::format("kernel line \"{}\"", line.text)
                              : fmt::format("kernel line \"{}\" ({})", line.text, place);
    const auto [entry, fresh] =
        statements_.try_emplace({*cause->second->sets_fact, *device}, Statement{value, false, std::move(text)});
    if (!fresh && entry->second.value != value) entry->second.contradicted = true;
  }
}

void LogEvidence::find(const LogCause& cause, const LogLine& line, const std::optional<Address>& device,
                       std::string place) {
  const auto [entry, fresh] = index_.try_emplace({cause.id, device}, findings_.size());
  if (fresh) {
    LogFinding finding;
    finding.cause = cause.id;
    finding.title = cause.title;
    if (device) finding.device = *device;
    finding.text = line.text;
    finding.where = std::move(place);
    findings_.push_back(std::move(finding));
  }
  ++findings_[entry->second].lines;
}

Tri LogEvidence::said(const std::string& id, const Address& device) const {
  const auto found = statements_.find({id, device});
  if (found == statements_.end() || found->second.contradicted) return Tri::unknown;
  return tri(found->second.value);
}

void LogEvidence::apply(std::vector<Fact>& facts, std::vector<Warning>& warnings) const {
  if (statements_.empty()) return;
  for (auto& fact : facts) {
    if (fact.subject.kind != SubjectKind::gpu || fact.subject.of.size() != 1) continue;
    const auto found = statements_.find({fact.id, fact.subject.of.front()});
    if (found == statements_.end() || found->second.contradicted) continue;
    const auto& said = found->second;
    const FactValue value(said.value);
    if (!fact.value.is_known()) fact.value = value;
    if (fact.value.value() == value) {
      fact.tier = Tier::queried;
      fact.evidence = said.evidence;
    } else {
      warnings.push_back(
          {"analysis.log-disagrees",
           fmt::format("The {} says otherwise about {} of {} than: {}. One of the two is older; read the "
                       "host again.",
                       said.evidence, fact.id, short_form(fact.subject.of.front()), fact.evidence),
           to_string(fact.subject.of.front())});
    }
  }
}

}  // namespace gpucoop
