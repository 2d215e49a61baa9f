#include "read/live/host.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "read/host/host_line.hpp"
#include "read/live/container.hpp"
#include "read/live/device.hpp"
#include "read/live/firmware.hpp"
#include "read/live/iommu.hpp"
#include "read/live/limits.hpp"
#include "read/live/nodes.hpp"
#include "read/live/numa.hpp"
#include "read/live/nvidia.hpp"
#include "read/text.hpp"

namespace gpucoop {
namespace {

std::string joined(const Known<std::string>& vendor, const Known<std::string>& name) {
  constexpr std::size_t kMost = 80;
  std::string text;
  for (const auto* part : {vendor.get(), name.get()}) {
    if (part == nullptr || trim(*part).empty()) continue;
    if (!text.empty()) text += ' ';
    text += std::string(trim(*part)).substr(0, kMost);
  }
  return text;
}

void read_board(const Folder& sys, HostReading& host) {
  const auto id = sys.folder("class/dmi/id");
  const auto board = joined(id.text("board_vendor"), id.text("board_name"));
  const auto product = joined(id.text("sys_vendor"), id.text("product_name"));
  if (!board.empty() || !product.empty()) host.board = board.empty() ? product : board;
  if (names_virtual_machine(board) || names_virtual_machine(product)) host.hypervisor = true;
}

void read_processor(const Folder& proc, HostReading& host) {
  // The first processor's entry is enough, and the kernel makes only as many as are asked for.
  const auto text = proc.text("cpuinfo").value_or("");
  bool flags = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = std::string_view(text).substr(at, end - at);
    if (line.empty()) break;
    flags = flags || (starts_with(line, "flags") && end < text.size());
    static_cast<void>(read_host_line(line, host));
    at = end + 1;
  }
  // Only x86 tells: CPUID leaf 1, bit 31 of ECX.
  if (flags && !host.hypervisor.is_known()) host.hypervisor = false;
}

/// Xen's first domain runs above a hypervisor and sees the real devices all the same: `control_d` in
/// /proc/xen/capabilities (drivers/xen/xenfs/super.c), or feature bit 11 (XENFEAT_dom0).
bool is_first_domain(const Folder& sys, const Folder& proc) {
  constexpr unsigned kDom0 = 11;
  const auto capabilities = proc.folder("xen").text("capabilities");
  if (capabilities.is_known()) return capabilities.value().find("control_d") != std::string::npos;
  const auto features = sys.folder("hypervisor/properties").text("features");
  const auto bits = features.is_known() ? parse_hex(features.value(), 0, features.value().size()) : std::nullopt;
  return bits && (*bits >> kDom0 & 1U) != 0;
}

void read_kernel(const Folder& proc, HostReading& host) {
  if (const auto release = proc.folder("sys/kernel").text("osrelease"); release.is_known()) host.kernel = release;
  const auto parameters = proc.text("cmdline");
  if (parameters.is_known()) host.command_line = admitted_parameters(parameters.value());
}

}  // namespace

void read_host(const Roots& roots, Recording& recording) {
  const auto sys = roots.open(roots.sys);
  const auto proc = roots.open(roots.proc);
  auto& host = recording.host;
  read_board(sys, host);
  read_processor(proc, host);
  if (is_first_domain(sys, proc)) host.hypervisor = false;
  read_kernel(proc, host);
  read_container(roots, host);
  read_limits(roots, host);
  read_iommu(sys, recording);
  read_numa(sys, recording);
  read_firmware_slots(sys, recording);
  read_nodes(roots, recording);
  read_nvidia(roots, recording);
}

}  // namespace gpucoop
