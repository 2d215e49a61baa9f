#include "read/live/nodes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "read/live/device.hpp"
#include "read/text.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kMostNodes = 1024;

/// Names of the groups that distributions give GPUs to, by their numbers.
std::map<unsigned, std::string> known_groups(const Roots& roots) {
  std::map<unsigned, std::string> groups{{0, "root"}};
  const auto text = roots.open(roots.etc).text("group", std::size_t{1} << 20).value_or("");
  for (std::string_view rest = text; !rest.empty();) {
    auto line = next_part(rest, '\n');
    const auto name = next_part(line, ':');
    if (name != "render" && name != "video") continue;
    next_part(line, ':');  // the password
    const auto number = parse_decimal(next_part(line, ':'));
    if (number && *number <= 0xffffffff) groups.try_emplace(static_cast<unsigned>(*number), name);
  }
  return groups;
}

class Nodes {
 public:
  Nodes(const Roots& roots, Recording& recording)
      : of_this_host_(roots.of_this_host),
        dev_(roots.open(roots.dev)),
        dri_(dev_.folder("dri")),
        groups_(known_groups(roots)),
        nodes_(recording.host.nodes) {}

  [[nodiscard]] const Folder& dev() const { return dev_; }
  void add(const std::string& name, const Known<Address>& device) { add(dev_, "/dev/", name, device); }
  void add_dri(const std::string& name, const Known<Address>& device) { add(dri_, "/dev/dri/", name, device); }

 private:
  void add(const Folder& folder, const char* where, const std::string& name, const Known<Address>& device) {
    if (nodes_.size() == kMostNodes) return;
    DeviceNode node;
    node.path = where + name;
    node.device = device;
    const auto status = folder.status(name.c_str());
    if (status.is_absent()) {
      node.mode = Known<unsigned>::absent();
      node.may_open = false;
      node.group = Known<std::string>::absent();
    } else if (status.is_unknown()) {
      node.mode = Known<unsigned>::unknown(status.reason());
      node.may_open = false;
    } else {
      node.mode = status.value().mode & 0777U;
      const auto group = groups_.find(status.value().group);
      if (group != groups_.end()) node.group = group->second;
      if (of_this_host_) node.may_open = folder.may_read_and_write(name.c_str());
    }
    nodes_.push_back(std::move(node));
  }

  bool of_this_host_;
  Folder dev_;
  Folder dri_;
  std::map<unsigned, std::string> groups_;
  std::vector<DeviceNode>& nodes_;
};

bool is_numbered(std::string_view name, std::string_view prefix) {
  return starts_with(name, prefix) && parse_decimal(name.substr(prefix.size())).has_value();
}

/// The function that a node of sysfs belongs to: the last address of where `class/drm/renderD128` points to.
std::optional<Address> device_of(std::string_view path) {
  std::optional<Address> last;
  while (!path.empty()) {
    if (const auto address = parse_address(next_part(path, '/'))) last = address;
  }
  return last;
}

bool drives(const Recording& recording, std::string_view driver) {
  return std::any_of(recording.devices.begin(), recording.devices.end(),
                     [&](const PciDevice& device) { return device.driver.is(std::string(driver)); });
}

/// Windows Subsystem for Linux.
bool runs_below_windows(const HostReading& host) {
  return host.kernel.is_known() && host.kernel.value().find("microsoft-standard") != std::string::npos;
}

}  // namespace

void read_nodes(const Roots& roots, Recording& recording) {
  Nodes nodes(roots, recording);
  const auto none = Known<Address>::absent();
  if (drives(recording, "amdgpu")) nodes.add("kfd", none);
  if (runs_below_windows(recording.host)) nodes.add("dxg", none);
  if (!any_display_or_accelerator(recording.devices)) return;
  const auto classes = roots.open(roots.sys).folder("class/drm");
  for (const auto& name : classes.names()) {
    if (!is_numbered(name, "renderD")) continue;
    const auto device = device_of(classes.link(name.c_str()).value_or(""));
    if (device && find_device(recording, *device) != nullptr) nodes.add_dri(name, *device);
  }
  if (!drives(recording, "nvidia")) return;
  for (const auto* name : {"nvidiactl", "nvidia-uvm"}) nodes.add(name, none);
  for (const auto& name : nodes.dev().names()) {
    // Which GPU has which number only the driver tells.
    if (is_numbered(name, "nvidia")) nodes.add(name, Known<Address>());
  }
  // NVIDIA IMEX Service for NVLink Networks: where the service is set up, processes need a channel to share memory.
  const bool imex = !roots.open(roots.etc).folder("nvidia-imex").status("nodes_config.cfg").is_absent();
  if (imex || nodes.dev().folder("nvidia-caps-imex-channels").ok())
    nodes.add("nvidia-caps-imex-channels/channel0", none);
}

}  // namespace gpucoop
