#include "analyse/analyse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "analyse/atomics.hpp"
#include "analyse/card.hpp"
#include "analyse/driver_facts.hpp"
#include "analyse/firmware_slot.hpp"
#include "analyse/gpu_facts.hpp"
#include "analyse/hop.hpp"
#include "analyse/host_facts.hpp"
#include "analyse/integrated.hpp"
#include "analyse/kernel_bandwidth.hpp"
#include "analyse/library_facts.hpp"
#include "analyse/log_evidence.hpp"
#include "analyse/nvidia_findings.hpp"
#include "analyse/slot.hpp"
#include "analyse/surroundings.hpp"
#include "analyse/vendor.hpp"

namespace gpucoop {
namespace {

Known<std::uint64_t> largest_memory_bar(const PciDevice& device) {
  Known<std::uint64_t> largest;
  for (const auto& bar : device.bars) {
    if (!bar.size.is_known() || bar.memory.is(false)) continue;
    if (!largest.is_known() || bar.size.value() > largest.value()) largest = bar.size;
  }
  return largest;
}

/// The virtual functions that physical functions with SR-IOV enabled announce, each with its physical function
/// (routing id + First VF Offset + n × VF Stride). Damaged input may announce any number: what is beyond a bound that
/// no host reaches is left out.
std::map<Address, Address> announced_virtual_functions(const Recording& recording) {
  constexpr unsigned kMost = 1U << 20;
  std::map<Address, Address> functions;
  unsigned count = 0;
  for (const auto& device : recording.devices) {
    const auto* sriov = device.sriov.get();
    if (sriov == nullptr || !sriov->enabled.is(true) || !is_gpu(device)) continue;
    if (!sriov->num_vfs.is_known() || !sriov->vf_offset.is_known() || !sriov->vf_stride.is_known()) continue;
    const auto& a = device.address;
    auto id = (static_cast<unsigned>(a.bus) << 8) + (static_cast<unsigned>(a.device) << 3) + a.function +
              sriov->vf_offset.value();
    for (unsigned n = 0; n < sriov->num_vfs.value() && id <= 0xffff && count < kMost;
         ++n, ++count, id += sriov->vf_stride.value()) {
      functions.try_emplace({a.domain, static_cast<std::uint8_t>(id >> 8), static_cast<std::uint8_t>((id >> 3) & 0x1f),
                             static_cast<std::uint8_t>(id & 7)},
                            a);
      if (sriov->vf_stride.value() == 0) break;
    }
  }
  return functions;
}

template <class T>
Known<T> nearest(const Chain& chain, Known<T> PciDevice::*member) {
  for (std::size_t i = chain.steps.size(); i-- > 0;) {
    const auto* device = chain.steps[i].device;
    if (device != nullptr && (device->*member).is_known()) return device->*member;
  }
  return chain.steps.back().device->*member;
}

class Analysis {
 public:
  Analysis(const Recording& recording, const Rules& rules)
      : recording_(recording),
        catalogue_(rules),
        tree_(recording),
        virtualization_(virtualization_of(recording, catalogue_)),
        log_(recording, rules),
        kernel_bandwidths_(kernel_bandwidths(recording)),
        virtual_functions_(announced_virtual_functions(recording)) {}

  Topology run() {
    topology_.host = host_summary(recording_, virtualization_);
    topology_.sources = recording_.sources;
    topology_.lists_devices = recording_.lists_devices;
    topology_.listing_complete = recording_.listing_complete;
    topology_.log = log_.findings();
    copy_warnings();
    for (std::size_t i = 0; i < recording_.devices.size(); ++i) {
      if (is_gpu(recording_.devices[i])) judge_gpu(i);
    }
    name_slots();
    collect_links();
    const HostView host{recording_, tree_, catalogue_, virtualization_.state};
    auto pairs = judge_pairs(host, views_, topology_.warnings);
    collect_facts(pairs);
    for (auto& judged : pairs) topology_.pairs.push_back(std::move(judged.pair));
    for (auto& view : views_) topology_.gpus.push_back(std::move(view.gpu));
    topology_.holders_complete = recording_.holders_complete;
    add_library_facts(recording_, topology_);
    return std::move(topology_);
  }

 private:
  using LinkIndex = std::map<std::pair<Address, Address>, std::size_t>;

  /// Where one side of a disagreement stands. A recording of a host keeps the disagreement and not the places.
  [[nodiscard]] std::string source_words(const Place& place, const char* otherwise) const {
    auto words = to_string(recording_, place);
    if (!words.empty()) return words;
    const bool several = recording_.sources.size() > 1 && place.source < recording_.sources.size();
    return several ? recording_.sources[place.source].file : otherwise;
  }

  void copy_warnings() {
    topology_.warnings = recording_.warnings;
    for (const auto& d : recording_.disagreements) {
      topology_.warnings.push_back(
          {"input.disagreement",
           fmt::format("{} of {} is {} in {} and {} in {}; {}.", d.field, short_form(d.device), d.kept,
                       source_words(d.kept_place, "one source"), d.other, source_words(d.other_place, "another"),
                       d.open ? "it counts as unknown" : "the first is used"),
           to_string(d.device)});
    }
    const auto& own = tree_.warnings();
    topology_.warnings.insert(topology_.warnings.end(), own.begin(), own.end());
  }

  void judge_gpu(std::size_t index) {
    const auto& device = recording_.devices[index];
    GpuView view;
    view.index = index;
    view.chain = build_chain(tree_, index, topology_.warnings);
    auto& gpu = view.gpu;
    gpu.address = device.address;
    gpu.vendor = vendor_of(device);
    mark_parts(tree_, catalogue_, gpu.vendor, view.chain);
    gpu.name = device.name;
    gpu.vendor_id = device.vendor_id;
    gpu.device_id = device.device_id;
    gpu.driver = device.driver;
    gpu.integrated = is_integrated(tree_, view.chain, catalogue_, gpu.vendor, virtualization_.state);
    gpu.compute = can_compute(device, gpu.vendor, catalogue_);
    gpu.lost = device.lost || log_.said("gpu.present", device.address) == Tri::no;
    view.physical_function = device.physical_function;
    const auto announced = virtual_functions_.find(device.address);
    if (!view.physical_function.is_known() && announced != virtual_functions_.end()) {
      view.physical_function = announced->second;
    }
    gpu.virtual_function = view.physical_function.is_known();
    gpu.numa_node = nearest(view.chain, &PciDevice::numa_node);
    gpu.package = nearest(view.chain, &PciDevice::package);
    gpu.slot = slot_of(view.chain);
    gpu.power_state = device.power_state;
    gpu.bar_bytes = largest_memory_bar(device);
    std::copy_if(recording_.holders.begin(), recording_.holders.end(), std::back_inserter(gpu.holders),
                 [&](const Holder& holder) { return holder.gpu == gpu.address; });
    gpu.chain = hops_of(view.chain, gpu.integrated);
    gpu.chain_reaches_root = view.chain.reaches_root();
    judge_atomics_of(view);
    view.links = links_of(tree_, view.chain, gpu);
    gpu.link = judge_path(view.chain, view.links, gpu.integrated);
    if (!gpu.integrated && !gpu.link.gbytes_per_s.is_known()) take_kernels_word(view);
    if (gpu.compute && !gpu.virtual_function) computing_.insert(gpu.address);
    view_of_.emplace(gpu.address, views_.size());
    views_.push_back(std::move(view));
  }

  /// A name on the board or of the kernel is better than what the firmware's table claims; a bare number is not.
  void name_slots() {
    slots_ = match_firmware_slots(recording_.host, views_);
    for (std::size_t i = 0; i < views_.size(); ++i) {
      if (!slots_[i]) continue;
      auto& view = views_[i];
      const auto& match = *slots_[i];
      const auto* name = view.gpu.slot.get();
      const bool number = name == nullptr || name->find_first_not_of("0123456789-") == std::string::npos;
      if (number) {
        view.gpu.slot = match.slot->designation;
        view.gpu.slot_claim = to_string(match.by);
        for (auto& hop : view.gpu.chain) {
          if (hop.address == match.port) hop.slot = match.slot->designation;
        }
      }
      const auto words = width_words(match, view);
      if (!words.empty() && view.gpu.link.at.is(match.port)) view.gpu.link.why += " " + words;
    }
    auto findings = surrounding_findings(views_, recording_.host);
    topology_.warnings.insert(topology_.warnings.end(), findings.begin(), findings.end());
    findings = nvidia_findings(recording_, views_);
    topology_.warnings.insert(topology_.warnings.end(), findings.begin(), findings.end());
  }

  /// Without registers the kernel's line about the slowest link is the best there is. A link inside the card that it
  /// names (Intel's placeholder) says nothing.
  void take_kernels_word(GpuView& view) {
    const auto found = kernel_bandwidths_.find(view.gpu.address);
    if (found == kernel_bandwidths_.end()) return;
    const auto& said = found->second;
    const bool placeholder = view.gpu.vendor == Vendor::intel && said.speed == LinkSpeed::gen1 && said.width == 1;
    const auto on_card = [&](const Step& step) { return step.on_card && said.at.is(step.address); };
    if (placeholder || std::any_of(view.chain.steps.begin(), view.chain.steps.end(), on_card)) return;
    auto& link = view.gpu.link;
    link.gbytes_per_s = said.gbytes_per_s;
    link.speed = said.speed;
    link.width = said.width;
    link.at = said.at;
    link.why =
        fmt::format("The kernel said when the card started: {}. What the link could do was not read.", said.line);
  }

  /// The link flags are the driver's state now; a kernel line may be older.
  [[nodiscard]] Tri drivers_word(const Address& address) const {
    const auto said = tri(find_device(recording_, address)->driver_atomics);
    return said != Tri::unknown ? said : log_.said("atomics.driver", address);
  }

  void judge_atomics_of(GpuView& view) {
    auto& gpu = view.gpu;
    const AtomicsCase the_case{
        &view.chain,
        gpu.vendor,
        gpu.integrated,
        gpu.virtual_function,
        gpu.lost,
        virtualization_.state,
        drivers_word(gpu.address),
        gpu.driver.is("amdgpu") && catalogue_.is(DeviceKind::integrated_gpu, *view.chain.steps.back().device)};
    gpu.atomics = judge_atomics(the_case);
    for (auto& hop : gpu.chain) {
      const auto& blocking = gpu.atomics.blocking;
      hop.blocks_atomics = std::find(blocking.begin(), blocking.end(), hop.address) != blocking.end();
    }
    if (!gpu.compute) return;
    auto findings = atomics_findings(the_case, gpu.atomics, recording_.host);
    topology_.warnings.insert(topology_.warnings.end(), findings.begin(), findings.end());
  }

  void collect_links() {
    LinkIndex known;
    for (const auto& view : views_) {
      for (const auto& path : view.links) {
        if (!path.two_ends) continue;
        const auto& link = path.judged.link;
        const auto [entry, fresh] = known.try_emplace({link.upper, link.lower}, topology_.links.size());
        if (fresh) {
          topology_.links.push_back(link);
          if (path.judged.disagreement) {
            topology_.warnings.push_back(
                {"link.ends-disagree",
                 *path.judged.disagreement +
                     " Both ends of a link always have the same speed and width, so the text "
                     "is old, damaged or the link changed between the two readings. Read again.",
                 to_string(link.upper)});
          }
        }
        topology_.links[entry->second].gpus.push_back(view.gpu.address);
      }
    }
    warn_about_shared(known);
  }

  /// Names the links that several GPUs share, but not those below a shared link that leaves each GPU no more.
  void warn_about_shared(const LinkIndex& known) {
    for (const auto& link : topology_.links) {
      const auto sharing = sharers(link);
      if (sharing < 2 || link.on_card || overshadowed(link, known)) continue;
      std::string text =
          fmt::format("{} GPUs share the link {} - {}", sharing, short_form(link.upper), short_form(link.lower));
      if (link.gbytes_per_s.is_known()) {
        text +=
            fmt::format(" ({:.2f} GB/s now): when all of them talk to the host at once, each gets about {:.2f} GB/s",
                        link.gbytes_per_s.value(), link.gbytes_per_s.value() / static_cast<double>(sharing));
      }
      topology_.warnings.push_back({"link.shared", text + ".", to_string(link.upper)});
    }
  }

  [[nodiscard]] std::size_t sharers(const Link& link) const {
    return static_cast<std::size_t>(
        std::count_if(link.gpus.begin(), link.gpus.end(), [&](const Address& a) { return computing_.count(a) != 0; }));
  }

  [[nodiscard]] bool overshadowed(const Link& link, const LinkIndex& known) const {
    for (const auto& path : views_[view_of_.at(link.gpus.front())].links) {
      const auto& other = path.judged.link;
      if (other.upper == link.upper && other.lower == link.lower) return false;
      const auto found = known.find({other.upper, other.lower});
      if (found == known.end()) continue;
      const auto& above = topology_.links[found->second];
      if (above.gpus.size() < link.gpus.size() || sharers(above) < 2) continue;
      if (!above.gbytes_per_s.is_known() || !link.gbytes_per_s.is_known()) return true;
      const auto each = [&](const Link& l) { return l.gbytes_per_s.value() / static_cast<double>(sharers(l)); };
      if (each(above) <= each(link)) return true;
    }
    return false;
  }

  void collect_facts(const std::vector<JudgedPair>& pairs) {
    FactList facts(recording_);
    add_host_facts(recording_, virtualization_, facts);
    add_surrounding_facts(recording_.host, facts);
    for (std::size_t i = 0; i < views_.size(); ++i) {
      add_gpu_facts(views_[i], virtualization_.state, facts);
      add_surrounding_facts(views_[i], slots_[i], recording_.host, facts);
      add_driver_facts(views_[i], catalogue_, facts);
    }
    add_pair_facts(pairs, facts);
    add_driver_link_facts(recording_, pairs, facts);
    add_link_facts(topology_.links, facts);
    topology_.facts = facts.take();
    log_.apply(topology_.facts, topology_.warnings);
  }

  const Recording& recording_;
  Catalogue catalogue_;
  DeviceTree tree_;
  Virtualization virtualization_;
  LogEvidence log_;
  std::map<Address, KernelBandwidth> kernel_bandwidths_;
  std::map<Address, Address> virtual_functions_;
  std::set<Address> computing_;
  std::map<Address, std::size_t> view_of_;
  std::vector<GpuView> views_;
  std::vector<std::optional<FirmwareSlotMatch>> slots_;  ///< of each view
  Topology topology_;
};

}  // namespace

Topology analyse(const Recording& recording, const Rules& rules) { return Analysis(recording, rules).run(); }

}  // namespace gpucoop
