#include "read/live/numa.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "read/text.hpp"

namespace gpucoop {
namespace {

constexpr std::uint64_t kMostNumber = 65535;

/// `0-3,8`: how many numbers, and the first. Nullopt where it is no such list.
struct NumberList {
  std::uint64_t count = 0;
  std::uint64_t first = 0;
};
std::optional<NumberList> parse_list(std::string_view text) {
  NumberList list;
  for (bool start = true; !text.empty(); start = false) {
    const auto part = next_part(text, ',');
    const auto dash = part.find('-');
    const auto low = parse_decimal(part.substr(0, dash));
    const auto high = dash == std::string_view::npos ? low : parse_decimal(part.substr(dash + 1));
    if (!low || !high || *high < *low || *high > kMostNumber) return std::nullopt;
    if (start) list.first = *low;
    list.count += *high - *low + 1;
  }
  return list.count == 0 ? std::nullopt : std::optional(list);
}

Known<int> package_of(const Folder& system, std::string_view processors) {
  const auto list = parse_list(processors);
  if (!list) return {};
  const auto text = system.folder("cpu/cpu" + std::to_string(list->first) + "/topology").text("physical_package_id");
  const auto number = text.is_known() ? parse_decimal(text.value()) : std::nullopt;
  return number && *number <= kMostNumber ? Known<int>(static_cast<int>(*number)) : Known<int>();
}

}  // namespace

void read_numa(const Folder& sys, Recording& recording) {
  const auto system = sys.folder("devices/system");
  const auto nodes = system.folder("node");
  const auto online = nodes.text("online");
  if (!online.is_known()) {
    // A kernel without NUMA has one node and no such folder.
    if (system.ok() && nodes.missing()) recording.host.numa_nodes = 1U;
    return;
  }
  const auto list = parse_list(online.value());
  if (!list) {
    recording.host.numa_nodes = Known<unsigned>::unknown(Reason::damaged);
    return;
  }
  recording.host.numa_nodes = static_cast<unsigned>(list->count);
  if (list->count < 2) return;
  std::map<int, Known<int>> packages;
  for (auto& device : recording.devices) {
    const auto* node = device.numa_node.get();
    if (node == nullptr) continue;
    const auto [entry, fresh] = packages.try_emplace(*node);
    if (fresh) {
      const auto processors = nodes.folder("node" + std::to_string(*node)).text("cpulist");
      if (processors.is_known()) entry->second = package_of(system, processors.value());
    }
    device.package = entry->second;
  }
}

}  // namespace gpucoop
