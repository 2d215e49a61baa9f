#include "read/live/holders/processes.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "read/live/holders/fdinfo.hpp"
#include "read/live/holders/placement.hpp"
#include "read/live/holders/process_texts.hpp"
#include "read/live/namespaces.hpp"
#include "read/text.hpp"

namespace gpucoop {
namespace {

std::optional<std::uint32_t> small_number(std::string_view text) {
  constexpr std::uint64_t kMost = 0x7fffffff;
  const auto number = parse_decimal(text);
  return number && *number <= kMost ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

class Reader {
 public:
  Reader(const Folder& sys, const Folder& proc, const Folder& etc, Reports& reports)
      : sys_(sys), proc_(proc), etc_(etc), reports_(reports) {}

  void read() {
    read_nvidia_gpus();
    read_kfd_processes();
    read_open_nodes();
    reports_.send(end_);
    for (const auto pid : who_) read_process(pid);
    for (const auto& node : drm_) read_client(node);
  }

 private:
  struct DrmNode {
    std::uint32_t pid;
    std::uint32_t fd;
  };

  Known<std::string> text(const Folder& folder, const std::string& where, const char* name,
                          std::size_t most = Folder::kPage) {
    reports_.reading(where + name);
    return folder.text(name, most);
  }

  /// The other lines of `information`, the card's UUID among them, are left alone.
  void read_nvidia_gpus() {
    const auto gpus = proc_.folder("driver/nvidia/gpus");
    for (const auto& name : gpus.names()) {
      const auto address = parse_address(name);
      if (!address) continue;
      const auto information = text(gpus.folder(name), "/proc/driver/nvidia/gpus/" + name + "/", "information");
      NvidiaGpu gpu;
      gpu.address = *address;
      if (const auto minor = small_number(value_of(information.value_or(""), "Device Minor"))) gpu.minor = *minor;
      gpu.model = value_of(information.value_or(""), "Model");
      if (gpu.minor.is_known()) gpu.mig = has_instances(gpu.minor.value());
      reports_.send(gpu);
    }
  }

  /// Each MIG instance of a GPU has a folder `giN` (MIG User Guide, Device Nodes and Capabilities).
  Known<bool> has_instances(std::uint32_t minor) {
    const auto gpu = proc_.folder("driver/nvidia/capabilities").folder("gpu" + std::to_string(minor));
    if (!gpu.ok()) return {};
    const auto names = gpu.folder("mig").names();
    return std::any_of(names.begin(), names.end(), [](const std::string& name) { return starts_with(name, "gi"); });
  }

  void read_kfd_processes() {
    const auto list = sys_.folder("class/kfd/kfd/proc");
    end_.kfd = list.ok();
    for (const auto& name : list.names()) {
      const auto pid = small_number(name);
      if (!pid) continue;
      const auto process = list.folder(name);
      if (!process.ok() && !process.missing()) end_.kfd = false;
      const auto where = "kfd/proc/" + name + "/";
      for (const auto& entry : process.names()) {
        constexpr std::string_view kVram = "vram_";
        const auto gpu =
            starts_with(entry, kVram) ? parse_decimal(std::string_view(entry).substr(kVram.size())) : std::nullopt;
        if (!gpu) continue;
        const auto read = text(process, where, entry.c_str());
        const auto bytes = parse_decimal(read.value_or(""));
        if (!bytes && !read.is_absent()) end_.kfd = false;
        if (bytes) report_use({*pid, *gpu, *bytes, false, where + entry});
      }
      const auto queues = process.folder("queues");
      for (const auto& queue : queues.names()) {
        const auto gpu =
            parse_decimal(text(queues.folder(queue), where + "queues/" + queue + "/", "gpuid").value_or(""));
        if (gpu) report_use({*pid, *gpu, {}, true, where + "queues/" + queue});
      }
    }
  }

  void report_use(const KfdUse& use) {
    if (!use.queue && use.vram_bytes.value_or(0) == 0) return;
    reports_.send(use);
    who_.insert(use.pid);
  }

  void read_open_nodes() {
    reports_.reading("/proc");
    const auto space = proc_.folder("self/ns").link("pid");
    if (space.is_known()) end_.initial_namespace = space.is(kFirstPidNamespace);
    const auto names = proc_.names();
    constexpr std::size_t kMost = 65536;  // more are not listed
    if (names.size() >= kMost) ++end_.refused;
    // Linux 6.2 and later give the number of open descriptors as the folder's size (fs/proc/fd.c proc_fd_getattr). Most
    // processes are the kernel's own threads, which have none.
    const auto own = proc_.status("self/fd");
    const bool counted = own.is_known() && own.value().size != 0 && proc_.kernel_made();
    for (const auto& name : names) {
      const auto pid = small_number(name);
      if (!pid) continue;
      const auto open = proc_.status((name + "/fd").c_str());
      if (open.is_absent() && proc_.status(name.c_str()).is_absent()) continue;
      ++end_.processes;
      end_.first = end_.first || *pid == 1;
      if (counted && open.is_known() && open.value().size == 0) continue;
      if (!read_descriptors(*pid, proc_.folder(name + "/fd"))) ++end_.refused;
    }
  }

  /// False where they may not all be seen.
  bool read_descriptors(std::uint32_t pid, const Folder& folder) {
    reports_.reading("/proc/" + std::to_string(pid) + "/fd");
    if (!folder.ok()) return folder.missing();
    bool all = true;
    for (const auto& name : folder.names()) {
      const auto fd = small_number(name);
      if (!fd) continue;
      const auto target = folder.link(name.c_str());
      if (target.is_unknown()) all = false;
      if (target.is_known()) take_target(pid, *fd, target.value());
    }
    return all;
  }

  void take_target(std::uint32_t pid, std::uint32_t fd, std::string_view target) {
    struct Form {
      std::string_view prefix;
      OpenNode::Kind kind;
    };
    for (const auto& form :
         {Form{"/dev/dri/renderD", OpenNode::Kind::render}, Form{"/dev/dri/card", OpenNode::Kind::card},
          Form{"/dev/nvidia", OpenNode::Kind::nvidia}}) {
      if (!starts_with(target, form.prefix)) continue;
      const auto number = small_number(target.substr(form.prefix.size()));
      if (!number) continue;
      reports_.send(OpenNode{pid, fd, form.kind, *number});
      who_.insert(pid);
      if (form.kind != OpenNode::Kind::nvidia) drm_.push_back({pid, fd});
    }
  }

  void read_client(const DrmNode& node) {
    constexpr std::size_t kMost = std::size_t{16} << 10;
    const auto where = "/proc/" + std::to_string(node.pid) + "/fdinfo/";
    const auto name = std::to_string(node.fd);
    const auto read = text(proc_.folder(std::to_string(node.pid)).folder("fdinfo"), where, name.c_str(), kMost);
    if (!read.is_known()) return;
    auto client = parse_fdinfo(read.value());
    client.pid = node.pid;
    client.fd = node.fd;
    reports_.send(client);
  }

  void read_process(std::uint32_t pid) {
    const auto name = std::to_string(pid);
    const auto where = "/proc/" + name + "/";
    const auto folder = proc_.folder(name);
    ProcessReading process;
    process.pid = pid;
    process.name = text(folder, where, "comm").value_or("");
    if (const auto uid = user_number(text(folder, where, "status").value_or(""))) process.user = user_name(*uid);
    if (const auto groups = text(folder, where, "cgroup", std::size_t{16} << 10); groups.is_known()) {
      const auto placement = parse_placement(groups.value());
      process.unit = placement.unit;
      process.container = placement.container;
      process.user_manager = placement.user_manager;
    }
    process.seconds = running_seconds(text(folder, where, "stat").value_or(""), uptime());
    reports_.send(process);
  }

  const std::string& uptime() {
    if (!uptime_) uptime_ = text(proc_, "/proc/", "uptime").value_or("");
    return *uptime_;
  }

  std::string user_name(std::uint32_t uid) {
    constexpr std::size_t kMost = std::size_t{1} << 20;
    if (!users_) users_ = text(etc_, "/etc/", "passwd", kMost).value_or("");
    const auto found = user_of(*users_, uid);
    return found.empty() ? std::to_string(uid) : found;
  }

  const Folder& sys_;
  const Folder& proc_;
  const Folder& etc_;
  Reports& reports_;
  std::set<std::uint32_t> who_;
  std::vector<DrmNode> drm_;
  HoldersEnd end_;
  std::optional<std::string> uptime_;
  std::optional<std::string> users_;
};

}  // namespace

void read_processes(const Folder& sys, const Folder& proc, const Folder& etc, Reports& reports) {
  Reader(sys, proc, etc, reports).read();
}

}  // namespace gpucoop
