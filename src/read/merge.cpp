#include "read/merge.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "read/hosts.hpp"
#include "read/overlay.hpp"
#include "read/recording/host_table.hpp"

namespace gpucoop {
namespace {

// As many sources as a place can name.
constexpr std::size_t kMostSources = 0xffff;

/// For `sources`: the main one first.
int order_of(SourceKind kind) {
  switch (kind) {
    case SourceKind::live: return 0;
    case SourceKind::recording: return 1;
    case SourceKind::lspci_text: return 2;
    case SourceKind::lspci_hex: return 3;
    case SourceKind::hwloc_xml: return 4;
    case SourceKind::nccl_xml: return 5;
    case SourceKind::lspci_tree: return 6;
    case SourceKind::kernel_log: return 7;
  }
  return 8;
}

/// For values: the better one wins. A list and verbose text are one kind of source and differ by what they hold.
int rank_of(SourceKind kind, const PciDevice& d) {
  const bool detailed = d.express.is_known() || d.buses.is_known() || d.access_denied || !d.bars.empty();
  switch (kind) {
    case SourceKind::live: return 0;
    case SourceKind::recording: return 1;
    case SourceKind::lspci_hex: return 2;
    case SourceKind::lspci_text: return d.express.is_known() ? 3 : detailed ? 4 : 7;
    case SourceKind::hwloc_xml: return 5;
    case SourceKind::nccl_xml: return 6;
    case SourceKind::lspci_tree: return 8;
    case SourceKind::kernel_log: return 9;
  }
  return 10;
}

class Merger {
 public:
  explicit Merger(std::vector<Recording> parts) : parts_(std::move(parts)) {}

  Recording run() {
    number_sources();
    for (auto& part : parts_) take_rest(part);
    join_devices();
    judge_completeness();
    return std::move(out_);
  }

 private:
  struct Entry {
    PciDevice* device;
    int rank;
    std::size_t part;
  };

  /// Gives each file and kind one number, the main one first, and writes it into all places.
  void number_sources() {
    for (const auto& part : parts_) {
      for (const auto& s : part.sources) {
        const auto same = [&](const Source& x) { return x.kind == s.kind && x.file == s.file; };
        // Parts of one file follow each other, so that the search ends early.
        if (std::find_if(out_.sources.rbegin(), out_.sources.rend(), same) == out_.sources.rend() &&
            out_.sources.size() < kMostSources) {
          out_.sources.push_back(s);
        }
      }
    }
    std::stable_sort(out_.sources.begin(), out_.sources.end(),
                     [](const Source& a, const Source& b) { return order_of(a.kind) < order_of(b.kind); });
    for (auto& part : parts_) renumber(part);
  }

  void renumber(Recording& part) {
    std::vector<std::uint16_t> number;
    for (const auto& s : part.sources) {
      const auto it = std::find_if(out_.sources.begin(), out_.sources.end(),
                                   [&](const Source& x) { return x.kind == s.kind && x.file == s.file; });
      number.push_back(static_cast<std::uint16_t>(it - out_.sources.begin()));
    }
    const auto fix = [&](Place& p) { p.source = p.source < number.size() ? number[p.source] : std::uint16_t{0xffff}; };
    for (auto& d : part.devices) {
      for (auto& p : d.places) fix(p);
    }
    for (auto& f : part.fabric) fix(f.place);
    for (auto& l : part.log) fix(l.place);
    for (auto& d : part.disagreements) {
      fix(d.kept_place);
      fix(d.other_place);
    }
  }

  void take_rest(Recording& part) {
    const auto append = [](auto& to, auto& from) {
      to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    append(out_.log, part.log);
    append(out_.disagreements, part.disagreements);
    append(out_.warnings, part.warnings);
    append(out_.fabric, part.fabric);
    append(out_.holders, part.holders);
    if (!out_.holders_complete.is_known()) out_.holders_complete = part.holders_complete;
    if (out_.driver_links.empty()) append(out_.driver_links, part.driver_links);
    if (out_.taken_at.empty()) out_.taken_at = part.taken_at;
    if (!out_.libraries.is_known()) out_.libraries = std::move(part.libraries);
    if (out_.measured.empty()) out_.measured = std::move(part.measured);
    out_.live = out_.live || part.live;
    out_.direct = out_.direct || part.direct;
    out_.lists_devices = out_.lists_devices || part.lists_devices;
    take_host(part.host);
  }

  void take_host(const HostReading& from) {
    recording_file::for_each_row<HostReading>([&](const auto& row) {
      auto& to = out_.host.*row.member;
      const auto& value = from.*row.member;
      if constexpr (recording_file::IsVector<typename std::decay_t<decltype(row)>::Type>::value) {
        if (to.empty()) to = value;
      } else {
        if (!to.is_known() && !value.is_unknown()) to = value;
        if (to.is_unknown() && to.reason() == Reason::not_in_input) to = value;
      }
    });
  }

  void join_devices() {
    std::vector<Entry> entries;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const auto kind = parts_[p].sources.empty() ? SourceKind::lspci_text : parts_[p].sources.front().kind;
      for (auto& d : parts_[p].devices) entries.push_back(Entry{&d, rank_of(kind, d), p});
    }
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      if (!(a.device->address == b.device->address)) return a.device->address < b.device->address;
      return a.rank < b.rank;
    });
    for (std::size_t i = 0; i < entries.size();) {
      std::size_t end = i + 1;
      while (end < entries.size() && entries[end].device->address == entries[i].device->address) ++end;
      join(entries, i, end);
      i = end;
    }
  }

  void join(std::vector<Entry>& entries, std::size_t begin, std::size_t end) {
    PciDevice kept = std::move(*entries[begin].device);
    constexpr std::size_t kMostPlaces = 16;
    for (std::size_t i = begin + 1; i < end; ++i) {
      auto& other = *entries[i].device;
      bool foreign = false;
      for (std::size_t k = begin; k < i && entries[i].part == entries[k].part && !foreign; ++k) foreign = true;
      if (foreign && ids_differ(kept, other)) {
        warn_duplicate(kept, other);
        continue;
      }
      if (kept.places.size() >= kMostPlaces) other.places.clear();
      overlay(kept, std::move(other), out_.disagreements.size() < kMostDisagreements ? &out_.disagreements : nullptr,
              entries[i].rank == entries[begin].rank ? Worth::equal : Worth::less);
    }
    out_.devices.push_back(std::move(kept));
  }

  static bool ids_differ(const PciDevice& a, const PciDevice& b) {
    return a.vendor_id.is_known() && b.vendor_id.is_known() && a.device_id.is_known() && b.device_id.is_known() &&
           (!(a.vendor_id == b.vendor_id) || !(a.device_id == b.device_id));
  }

  void warn_duplicate(const PciDevice& kept, const PciDevice& other) {
    if (duplicates_++ >= kMostDuplicateWarnings) return;
    Warning w;
    w.code = "input.duplicate-address";
    w.text = to_string(kept.address) + " is listed twice with different devices; the first is kept";
    if (!other.places.empty()) w.where = to_string(out_, other.places.front());
    out_.warnings.push_back(std::move(w));
  }

  void judge_completeness() {
    bool any_true = false;
    bool all_false = true;
    bool any = false;
    for (const auto& part : parts_) {
      if (!part.lists_devices) continue;
      any = true;
      any_true = any_true || part.listing_complete.is(true);
      all_false = all_false && part.listing_complete.is(false);
    }
    if (!any) return;
    if (any_true) {
      // A device that is only an address may be anything, a GPU too.
      const bool classes = std::all_of(out_.devices.begin(), out_.devices.end(), [](const PciDevice& d) {
        return d.class_code.is_known() || d.buses.is_known() || d.lost;
      });
      if (classes && !log_names_another()) out_.listing_complete = true;
    } else if (all_false) {
      out_.listing_complete = false;
    }
  }

  /// A kernel line about a device that no list holds: it is gone, or the log is from another boot or host.
  bool log_names_another() {
    for (const auto& line : out_.log) {
      const auto* address = line.device.get();
      if (address == nullptr || find_device(out_, *address) != nullptr) continue;
      Warning w;
      w.code = "input.log-names-another";
      w.text = "the kernel log names " + to_string(*address) +
               ", which is not listed: it has left the bus, or the log is from another boot or host";
      w.where = to_string(out_, line.place);
      out_.warnings.push_back(std::move(w));
      return true;
    }
    return false;
  }

  static constexpr std::size_t kMostDisagreements = 4096;
  static constexpr std::size_t kMostDuplicateWarnings = 8;

  std::vector<Recording> parts_;
  Recording out_;
  std::size_t duplicates_ = 0;
};

Error several_hosts(const HostGroups& groups) {
  Error e;
  e.code = ExitCode::bad_input;
  const auto& c = groups.conflicts.front();
  const bool counted = groups.hosts < HostGroups::kMostHosts;
  e.what = std::string("the inputs describe ") + (counted ? "" : "at least ") + std::to_string(groups.hosts) +
           " hosts: " + c.first + " and " + c.second;
  e.where = c.where;
  e.next =
      "give the files of one host only, or choose one of them with --dump 1 to --dump " + std::to_string(groups.hosts);
  return e;
}

}  // namespace

Result<Recording> merge(std::vector<Recording> parts, std::optional<unsigned> dump) {
  const auto groups = group_hosts(parts);
  if (!dump && groups.hosts > 1) return several_hosts(groups);
  if (dump) {
    if (*dump == 0 || *dump > std::max<std::size_t>(groups.hosts, 1)) {
      return Error{ExitCode::bad_input,
                   "there is no dump " + std::to_string(*dump) + " in the inputs; they describe " +
                       std::to_string(groups.hosts) + (groups.hosts == 1 ? " host" : " hosts"),
                   "", "choose a number from 1 to " + std::to_string(std::max<std::size_t>(groups.hosts, 1))};
    }
    std::vector<Recording> chosen;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (groups.host_of_part[i] + 1 == *dump) chosen.push_back(std::move(parts[i]));
    }
    parts = std::move(chosen);
  }
  // A recording has been judged when it was made: its own listing, disagreements and warnings are to stay as they are.
  const bool recorded =
      parts.size() == 1 && parts[0].sources.size() == 1 && parts[0].sources[0].kind == SourceKind::recording;
  if (recorded) return std::move(parts[0]);
  return Merger(std::move(parts)).run();
}

}  // namespace gpucoop
