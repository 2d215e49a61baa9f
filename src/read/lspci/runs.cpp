#include "read/lspci/runs.hpp"

#include <algorithm>
#include <utility>

#include "read/lspci/completeness.hpp"

namespace gpucoop {
namespace {

std::uint64_t key(const Address& a) {
  return std::uint64_t{a.domain} << 16 | std::uint64_t{a.bus} << 8 | std::uint64_t{a.device} << 3 | a.function;
}

bool ids_differ(const PciDevice& a, const PciDevice& b) {
  if (a.vendor_id.is_known() && b.vendor_id.is_known() && a.device_id.is_known() && b.device_id.is_known()) {
    return !(a.vendor_id == b.vendor_id) || !(a.device_id == b.device_id);
  }
  return a.name.is_known() && b.name.is_known() && !(a.name == b.name);
}

}  // namespace

void Runs::begin_run(bool filtered) {
  end_run();
  filtered_ = filtered;
}

std::optional<Address> Runs::begin_device(const HeaderStart& start, std::uint32_t line) {
  auto address = start.address;
  if (!address) {
    const auto bridge = by_path_.find(std::string(start.short_parent));
    if (bridge != by_path_.end()) {
      const auto& above = run_.devices[bridge->second];
      if (const auto* buses = above.buses.get()) {
        address = Address{above.address.domain, buses->secondary, start.device, start.function};
      }
    }
    if (!address) return std::nullopt;
  }
  std::optional<Address> parent = start.parent;
  if (!start.short_parent.empty()) {
    const auto bridge = by_path_.find(std::string(start.short_parent));
    if (bridge != by_path_.end()) parent = run_.devices[bridge->second].address;
  }
  begin_device(*address, line);
  parent_ = parent;
  group_ = start.iommu_group;
  path_ = start.short_parent.empty() ? std::string() : std::string(start.path);
  any_path_ = any_path_ || !start.path.empty();
  return address;
}

void Runs::begin_device(const Address& address, std::uint32_t line) {
  const auto k = key(address);
  if (addresses_.count(k) != 0) {
    const bool at_once = last_ == k;
    const bool filtered = filtered_;
    end_run();
    repeats_last_ = at_once;
    filtered_ = filtered;
  }
  addresses_.insert(k);
  last_ = k;
  if (run_.devices.empty()) first_line_ = line;
  parent_.reset();
  group_.reset();
  path_.clear();
}

void Runs::add(PciDevice device, std::vector<Disagreement> disagreements, const DeviceEvidence& evidence) {
  if (parent_) device.stated_parent = *parent_;
  if (group_ && !device.iommu_group.is_known()) device.iommu_group = *group_;
  // Only -P paths name bridges by anything but their address.
  if (device.buses.is_known()) {
    constexpr std::size_t kMostBridges = 65536;
    if (by_path_.size() < kMostBridges) {
      by_path_.emplace(path_.empty() ? short_form(device.address) : path_, run_.devices.size());
    }
  }
  run_.devices.push_back(std::move(device));
  for (auto& d : disagreements) run_.disagreements.push_back(std::move(d));
  evidence_.push_back(evidence);
  ++devices_;
}

/// A driver is absent, not unknown, where lspci would have printed it: the device's lines are whole, and either its
/// modules or another device's driver are printed.
void Runs::judge_drivers() {
  const bool printed = std::any_of(evidence_.begin(), evidence_.end(), [](const auto& e) { return e.driver; });
  for (std::size_t i = 0; i < evidence_.size(); ++i) {
    auto& driver = run_.devices[i].driver;
    if (driver.is_known() || evidence_[i].cut) continue;
    if (evidence_[i].modules || (printed && evidence_[i].text)) driver = Known<std::string>::absent();
  }
}

/// With -P and -PP every device has its path, so that one without is on a root bus.
void Runs::judge_paths() {
  if (!any_path_) return;
  for (auto& d : run_.devices) {
    if (!d.stated_parent.is_unknown()) continue;
    d.stated_parent = Known<Address>::absent();
    d.stated_root_bus = d.address.bus;
  }
}

/// One listing that holds an address twice in a row, with different devices, is damaged; it is not two hosts.
bool Runs::rejoin_duplicate() {
  if (!repeats_last_ || done_.empty()) return false;
  auto& before = done_.back().recording;
  if (before.devices.size() + run_.devices.size() < 3) return false;
  const auto& first = run_.devices.front();
  const auto& last = before.devices.back();
  if (!(first.address == last.address) || !ids_differ(first, last)) return false;
  const bool ascending = std::all_of(run_.devices.begin() + 1, run_.devices.end(),
                                     [&](const PciDevice& d) { return last.address < d.address; });
  if (!ascending) return false;
  tally_->add("input.duplicate-address", "an address is listed twice with different devices; the first is kept",
              first.places.empty() ? 0 : first.places.front().line);
  before.devices.insert(before.devices.end(), std::make_move_iterator(run_.devices.begin() + 1),
                        std::make_move_iterator(run_.devices.end()));
  before.disagreements.insert(before.disagreements.end(), run_.disagreements.begin(), run_.disagreements.end());
  before.listing_complete = Known<bool>();
  return true;
}

void Runs::end_run() {
  if (!run_.devices.empty()) {
    judge_drivers();
    judge_paths();
    if (!rejoin_duplicate()) {
      run_.listing_complete = listing_complete(run_.devices, evidence_, filtered_);
      run_.lists_devices = true;
      const bool text = std::any_of(evidence_.begin(), evidence_.end(), [](const auto& e) { return e.text; });
      const bool hex = std::any_of(evidence_.begin(), evidence_.end(), [](const auto& e) { return e.hex; });
      run_.sources.push_back(Source{file_, hex && !text ? SourceKind::lspci_hex : SourceKind::lspci_text});
      done_.push_back(Run{std::move(run_), first_line_});
    }
  }
  run_ = Recording{};
  evidence_.clear();
  addresses_.clear();
  by_path_.clear();
  last_.reset();
  any_path_ = false;
  filtered_ = false;
  repeats_last_ = false;
}

std::vector<Run> Runs::finish() {
  end_run();
  return std::move(done_);
}

}  // namespace gpucoop
