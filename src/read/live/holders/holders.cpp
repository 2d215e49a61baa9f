#include "read/live/holders/holders.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "read/live/kfd.hpp"
#include "read/live/nvidia.hpp"

namespace gpucoop {
namespace {

using Key = std::pair<Address, std::uint32_t>;

/// Which GPU a device node is.
class NodeMap {
 public:
  NodeMap(const KfdTopology& topology, const std::vector<DeviceNodes>& nodes, const std::vector<NvidiaGpu>& nvidia,
          Recording& recording) {
    for (const auto& of : nodes) {
      for (const auto n : of.render) nodes_.try_emplace({OpenNode::Kind::render, n}, of.address);
      for (const auto n : of.cards) nodes_.try_emplace({OpenNode::Kind::card, n}, of.address);
    }
    for (const auto& gpu : nvidia) {
      if (gpu.minor.is_known()) nodes_.try_emplace({OpenNode::Kind::nvidia, gpu.minor.value()}, gpu.address);
    }
    for (const auto& [number, node] : topology.nodes()) {
      const auto& stated = node.stated;
      const auto* device = stated.gpu_id == 0 ? nullptr : device_of(stated, recording);
      if (device == nullptr) continue;
      kfd_.try_emplace(stated.gpu_id, device->address);
      // Partitions have render nodes of their own, which are not in the device's folder.
      if (!stated.render_minor.is_known()) continue;
      nodes_.try_emplace({OpenNode::Kind::render, static_cast<std::uint32_t>(stated.render_minor.value())},
                         device->address);
    }
  }

  [[nodiscard]] const Address* node(OpenNode::Kind kind, std::uint32_t number) const {
    const auto found = nodes_.find({kind, number});
    return found == nodes_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const Address* kfd(std::uint64_t gpu_id) const {
    const auto found = kfd_.find(gpu_id);
    return found == kfd_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::pair<OpenNode::Kind, std::uint32_t>, Address> nodes_;
  std::map<std::uint64_t, Address> kfd_;
};

std::string path_of(const OpenNode& node) {
  const char* const prefix = node.kind == OpenNode::Kind::render ? "/dev/dri/renderD"
                             : node.kind == OpenNode::Kind::card ? "/dev/dri/card"
                                                                 : "/dev/nvidia";
  return prefix + std::to_string(node.number);
}

template <class T>
void raise_to(Known<T>& to, const Known<T>& value) {
  if (value.is_known() && (!to.is_known() || to.value() < value.value())) to = value;
}

template <class T>
void add(Known<T>& to, const Known<T>& value) {
  if (value.is_known()) to = to.value_or(T{}) + value.value();
}

class Joined {
 public:
  explicit Joined(Reason missing) : missing_(missing) {}

  void take_client(const Address& gpu, const OpenNode& node, const DrmClient* client) {
    if (client != nullptr && client->states_use && !client->used) return;
    auto& holder = at({gpu, node.pid});
    const auto process = "/proc/" + std::to_string(node.pid) + "/";
    if (client == nullptr || !client->states_use) {
      if (holder.evidence.empty()) holder.evidence = process + "fd/" + std::to_string(node.fd) + " is " + path_of(node);
      return;
    }
    if (holder.evidence.empty() || holder.evidence.find("/fdinfo/") == std::string::npos) {
      holder.evidence = process + "fdinfo/" + std::to_string(node.fd);
    }
    // A client that several descriptors share, of one process or of several, is counted once.
    if (client->id.is_known() && !counted_.insert({gpu, client->id.value()}).second) return;
    add(holder.memory_bytes, client->memory_bytes);
    add(holder.engine_seconds, client->engine_seconds);
  }

  void take_kfd(const Address& gpu, const KfdUse& use) {
    auto& holder = at({gpu, use.pid});
    if (holder.evidence.empty() || use.vram_bytes.is_known()) holder.evidence = use.evidence;
    add(kfd_memory_[{gpu, use.pid}], use.vram_bytes);
  }

  std::vector<Holder> take() {
    // A DRM client's memory includes what KFD allocated for it.
    for (const auto& [key, bytes] : kfd_memory_) raise_to(at(key).memory_bytes, bytes);
    std::vector<Holder> list;
    for (auto& [key, holder] : holders_) list.push_back(std::move(holder));
    return list;
  }

 private:
  Holder& at(const Key& key) {
    const auto [entry, fresh] = holders_.try_emplace(key);
    if (fresh) {
      auto& holder = entry->second;
      holder.gpu = key.first;
      holder.pid = key.second;
      holder.user = Known<std::string>::unknown(missing_);
      holder.unit = holder.user;
      holder.container = holder.user;
      holder.seconds = Known<double>::unknown(missing_);
    }
    return entry->second;
  }

  Reason missing_;
  std::map<Key, Holder> holders_;
  std::map<Key, Known<std::uint64_t>> kfd_memory_;
  std::set<std::pair<Address, std::uint64_t>> counted_;
};

Known<bool> completeness(const std::optional<HoldersEnd>& end, bool live, Reason missing) {
  if (!end) return Known<bool>::unknown(missing);
  if (end->processes == 0) return {};
  if (end->refused != 0 || !end->first || end->initial_namespace.is(false)) return false;
  if (end->initial_namespace.is_known()) return true;
  return live ? Known<bool>(false) : Known<bool>();
}

}  // namespace

bool HolderFindings::take(const std::string& message) {
  switch (topic_of(message)) {
    case Topic::open_node: open_.push_back(unpacked<OpenNode>(message)); return true;
    case Topic::client: clients_.push_back(unpacked<DrmClient>(message)); return true;
    case Topic::kfd_process: uses_.push_back(unpacked<KfdUse>(message)); return true;
    case Topic::nvidia_gpu: nvidia_.push_back(unpacked<NvidiaGpu>(message)); return true;
    case Topic::process: processes_.push_back(unpacked<ProcessReading>(message)); return true;
    case Topic::holders_end: end_ = unpacked<HoldersEnd>(message); return true;
    default: return false;
  }
}

void HolderFindings::apply(const KfdTopology& topology, const std::vector<DeviceNodes>& nodes, const Rules& rules,
                           Reason missing, Recording& recording) const {
  const NodeMap map(topology, nodes, nvidia_, recording);
  apply_nvidia(nvidia_, recording);
  std::map<std::pair<std::uint32_t, std::uint32_t>, const DrmClient*> clients;
  for (const auto& client : clients_) clients[{client.pid, client.fd}] = &client;
  std::map<std::uint32_t, const ProcessReading*> processes;
  for (const auto& process : processes_) processes[process.pid] = &process;

  Joined joined(missing);
  for (const auto& node : open_) {
    const auto found = clients.find({node.pid, node.fd});
    const auto* client = found == clients.end() ? nullptr : found->second;
    const auto* gpu = map.node(node.kind, node.number);
    if (client != nullptr && client->device.is_known()) gpu = client->device.get();
    if (gpu != nullptr && find_device(recording, *gpu) != nullptr) joined.take_client(*gpu, node, client);
  }
  for (const auto& use : uses_) {
    if (const auto* gpu = map.kfd(use.gpu_id)) joined.take_kfd(*gpu, use);
  }
  recording.holders = joined.take();

  // Inside a container KFD's numbers are the host's, and another process may have the same one here.
  std::set<std::uint32_t> elsewhere;
  if (end_ && end_->initial_namespace.is(false)) {
    for (const auto& use : uses_) elsewhere.insert(use.pid);
    for (const auto& node : open_) elsewhere.erase(node.pid);
  }
  for (auto& holder : recording.holders) {
    const auto found = processes.find(holder.pid);
    if (found == processes.end() || elsewhere.count(holder.pid) != 0) continue;
    const auto& process = *found->second;
    holder.process = process.name;
    holder.user = process.user;
    holder.unit = process.unit;
    holder.container = process.container;
    holder.user_manager = process.user_manager;
    holder.seconds = process.seconds;
    holder.use = holder_class(rules, process.name);
  }
  recording.holders_complete = completeness(end_, recording.live, missing);
}

}  // namespace gpucoop
