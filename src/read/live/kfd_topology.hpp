#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "read/live/folder.hpp"
#include "read/live/reports.hpp"

namespace gpucoop {

/// One io_link or p2p_link of a node (drivers/gpu/drm/amd/amdkfd/kfd_topology.c iolink_show).
struct KfdLink {
  Known<std::uint64_t> type;
  Known<std::uint64_t> to;
  Known<std::uint64_t> weight;
  Known<std::uint64_t> flags;

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.type, self.to, self.weight, self.flags);
  }
};

/// One node of KFD's topology (node_show). Its serial number (`unique_id`) is not read, and the id of its XGMI hive is
/// turned into a number from 1.
struct KfdNode {
  static constexpr Topic kTopic = Topic::kfd_node;
  std::uint64_t number = 0;
  bool refused = false;      ///< it may not be read: the device cgroup hides its GPU (kfd_devcgroup_check_permission)
  std::uint64_t gpu_id = 0;  ///< 0: a processor
  Known<std::uint64_t> location;
  Known<std::uint64_t> domain;
  Known<std::uint64_t> gfx_target_version;
  Known<std::uint64_t> fw_version;
  Known<std::uint64_t> sdma_fw_version;
  Known<std::uint64_t> render_minor;
  Known<std::uint64_t> hive;

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.number, self.refused, self.gpu_id, self.location, self.domain, self.gfx_target_version,
            self.fw_version, self.sdma_fw_version, self.render_minor, self.hive);
  }
};

struct KfdLinks {
  static constexpr Topic kTopic = Topic::kfd_links;
  std::uint64_t node = 0;
  std::vector<KfdLink> links;

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.node, self.links);
  }
};

struct KfdBanks {
  static constexpr Topic kTopic = Topic::kfd_banks;
  std::uint64_t node = 0;
  std::vector<std::uint64_t> heap_types;

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.node, self.heap_types);
  }
};

struct KfdStart {
  static constexpr Topic kTopic = Topic::kfd_start;
  bool there = false;  ///< the compute driver is loaded

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.there);
  }
};

/// `settled`: the topology did not change while it was read.
struct KfdEnd {
  static constexpr Topic kTopic = Topic::kfd_end;
  bool settled = false;

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.settled);
  }
};

/// Reads KFD's topology and reports it node by node. Where its generation changes meanwhile it is read again, a few
/// times at most; each time begins with a KfdStart.
void read_kfd_topology(const Folder& sys, Reports& reports);

/// What has been reported of the topology.
class KfdTopology {
 public:
  struct Node {
    KfdNode stated;
    std::optional<std::vector<KfdLink>> links;
    std::optional<std::vector<std::uint64_t>> heap_types;
  };

  /// Takes a message about KFD's topology; false for others.
  bool take(const std::string& message);

  /// The compute driver is not loaded: there is no topology.
  [[nodiscard]] bool no_driver() const { return no_driver_; }
  /// All of it was read, and nothing was hidden or changed meanwhile.
  [[nodiscard]] bool complete() const { return complete_ && !any_hidden(); }
  [[nodiscard]] bool any_hidden() const;
  [[nodiscard]] const std::map<std::uint64_t, Node>& nodes() const { return nodes_; }
  [[nodiscard]] const Node* find(std::uint64_t number) const;

 private:
  std::map<std::uint64_t, Node> nodes_;
  bool no_driver_ = false;
  bool complete_ = false;
};

}  // namespace gpucoop
