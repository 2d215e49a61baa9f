#include <doctest/doctest.h>
#include <unistd.h>
#include <zlib.h>

#include "read/config_builder.hpp"
#include "read/host/kernel_config.hpp"
#include "read/sysfs_tree.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

void gpu(SysfsTree& tree, const std::string& driver = "amdgpu") {
  const auto where = std::string("pci0000:00/0000:00:03.0");
  tree.device(where, ConfigBuilder().bytes());
  tree.file("sys/devices/" + where + "/class", "0x030000\n");
  tree.link("sys/devices/" + where + "/driver", "../../../bus/pci/drivers/" + driver);
}

std::string gzip(std::string_view text) {
  std::string packed(text.size() + 256, '\0');
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string in(text);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

const char* const kConfig = "#\n# Linux\n#\nCONFIG_PCI_P2PDMA=y\n# CONFIG_HSA_AMD_P2P is not set\nCONFIG_X=m\n";

}  // namespace

TEST_CASE("kernel configuration: options") {
  CHECK(config_option(kConfig, "CONFIG_PCI_P2PDMA"));
  CHECK_FALSE(config_option(kConfig, "CONFIG_HSA_AMD_P2P"));
  CHECK(config_option(kConfig, "CONFIG_X"));
  CHECK_FALSE(config_option("CONFIG_PCI_P2PDMA_TEST=y\n", "CONFIG_PCI_P2PDMA"));
  const auto packed = gzip(kConfig);
  const std::vector<std::uint8_t> bytes(packed.begin(), packed.end());
  CHECK(gunzip(bytes, 1000) == kConfig);
  CHECK(gunzip(bytes, 10).empty());
  CHECK(gunzip(std::span(bytes).first(bytes.size() - 5), 1000).empty());
  CHECK(gunzip({}, 1000).empty());
}

TEST_CASE("live: the kernel's configuration from procfs, or from /boot") {
  SysfsTree tree;
  gpu(tree);
  tree.file("proc/sys/kernel/osrelease", "6.12.63+deb13-amd64\n");
  CHECK(is_unknown_for(tree.read().host.config_p2pdma, Reason::not_in_input));
  tree.file("boot/config-6.12.63+deb13-amd64", "CONFIG_PCI_P2PDMA=y\nCONFIG_HSA_AMD_P2P=y\n");
  tree.file("boot/config-6.1.0", "CONFIG_X=y\n");
  CHECK(tree.read().host.config_hsa_amd_p2p.is(true));
  tree.file("proc/config.gz", gzip(kConfig));
  CHECK(tree.read().host.config_p2pdma.is(true));
  CHECK(tree.read().host.config_hsa_amd_p2p.is(false));
  tree.remove("boot").file("proc/config.gz", "no gzip");
  CHECK(is_unknown_for(tree.read().host.config_p2pdma, Reason::damaged));
}

TEST_CASE("live: modules and amdgpu's parameter") {
  SysfsTree tree;
  gpu(tree);
  tree.file("sys/module/amdgpu/parameters/pcie_p2p", "N\n");
  tree.file("sys/module/nvidia/version", "580.105.08\n");
  tree.file("sys/module/secret_module/version", "1\n");
  const auto host = tree.read().host;
  CHECK(host.amdgpu_pcie_p2p.is(false));
  REQUIRE(host.modules.size() == 2);
  CHECK(host.modules[0].name == "amdgpu");
  CHECK(host.modules[0].version.is_absent());
  CHECK(host.modules[1].version.is("580.105.08"));
}

TEST_CASE("live: containers") {
  SysfsTree tree;
  CHECK(tree.read().host.container.is_unknown());
  tree.file("proc/self/uid_map", "         0          0 4294967295\n");
  tree.file("proc/self/cgroup", "0::/user.slice\n");
  auto host = tree.read().host;
  CHECK(host.container.is_absent());
  CHECK(host.user_namespace.is(false));
  SUBCASE("docker leaves a file") { CHECK(tree.file(".dockerenv", "").read().host.container.is("docker")); }
  SUBCASE("a file alone is no container where the namespaces are the first ones") {
    tree.file(".dockerenv", "");
    tree.link("proc/self/ns/pid", "pid:[4026531836]").link("proc/self/ns/ipc", "ipc:[4026531839]");
    tree.link("proc/self/ns/uts", "uts:[4026531838]").link("proc/self/ns/cgroup", "cgroup:[4026531835]");
    CHECK(tree.read().host.container.is_absent());
  }
  SUBCASE("podman leaves another") {
    tree.file("run/.containerenv", "engine=\"podman\"\nname=\"secret\"\n");
    CHECK(tree.read().host.container.is("podman"));
  }
  SUBCASE("the manager's name") { CHECK(tree.file("run/systemd/container", "lxc\n").read().host.container.is("lxc")); }
  SUBCASE("a name of one's own is not kept") {
    CHECK(tree.file("run/systemd/container", "secret\n").read().host.container.is("container"));
  }
  SUBCASE("control groups") {
    tree.file("proc/self/cgroup", "0::/kubepods.slice/kubepods-besteffort.slice/cri-containerd-0123.scope\n");
    CHECK(tree.read().host.container.is("kubernetes"));
  }
  SUBCASE("the environment of process 1") {
    tree.file("proc/1/environ", std::string("PATH=/bin\0container=systemd-nspawn\0X=1\0", 39));
    CHECK(tree.read().host.container.is("systemd-nspawn"));
  }
  SUBCASE("mapped users") {
    CHECK(tree.file("proc/self/uid_map", "0 1000 1\n1 100000 65536\n").read().host.user_namespace.is(true));
  }
}

TEST_CASE("live: limits") {
  SysfsTree tree;
  tree.file("proc/self/limits",
            "Limit                     Soft Limit           Hard Limit           Units     \n"
            "Max locked memory         8388608              unlimited            bytes     \n");
  tree.file("proc/sys/kernel/yama/ptrace_scope", "1\n");
  auto host = tree.read().host;
  CHECK(host.memlock_bytes.is(8388608));
  CHECK(host.yama_ptrace_scope.is(1));
  CHECK(host.shm_bytes.is_unknown());
  tree.file("proc/self/limits", "Max locked memory         unlimited            unlimited            bytes     \n");
  tree.remove("proc/sys/kernel/yama");
  host = tree.read().host;
  CHECK(host.memlock_bytes.is_absent());
  CHECK(host.yama_ptrace_scope.is_absent());
}

TEST_CASE("live: device nodes are looked at, and none is opened") {
  SysfsTree tree;
  gpu(tree);
  tree.link("sys/class/drm/renderD128", "../../devices/pci0000:00/0000:00:03.0/drm/renderD128");
  tree.link("sys/class/drm/renderD129", "../../devices/pci0000:00/0000:00:09.0/drm/renderD129");
  tree.file("etc/group", "root:x:0:\nrender:x:" + std::to_string(::getegid() == 0 ? 993 : ::getegid()) + ":secret\n");
  tree.fifo("dev/dri/renderD128");
  REQUIRE(::chmod(tree.path("dev/dri/renderD128").c_str(), 0660) == 0);
  const auto nodes = tree.read().host.nodes;
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].path == "/dev/kfd");
  CHECK(nodes[0].mode.is_absent());
  CHECK(nodes[0].may_open.is(false));
  CHECK(nodes[1].path == "/dev/dri/renderD128");
  CHECK(nodes[1].mode.is(0660));
  CHECK(nodes[1].may_open.is_unknown());
  CHECK(nodes[1].device.is(parse_address("00:03.0").value()));
  CHECK(nodes[1].group.is(::getegid() == 0 ? "root" : "render"));
}

TEST_CASE("live: NVIDIA's nodes") {
  SysfsTree tree;
  gpu(tree, "nvidia");
  tree.file("dev/nvidiactl", "").file("dev/nvidia0", "").file("dev/nvidia-modeset", "");
  const auto nodes = tree.read().host.nodes;
  REQUIRE(nodes.size() == 3);
  CHECK(nodes[0].path == "/dev/nvidiactl");
  CHECK(nodes[1].path == "/dev/nvidia-uvm");
  CHECK(nodes[1].mode.is_absent());
  CHECK(nodes[2].path == "/dev/nvidia0");
  CHECK(nodes[2].device.is_unknown());
}

TEST_CASE("live: NVIDIA's nodes belong to GPUs, which may be split, and the library's version is in its file's name") {
  SysfsTree tree;
  gpu(tree, "nvidia");
  CHECK(tree.read().host.cuda_library.is_unknown());
  CHECK(tree.file("usr/lib/libc.so.6", "").read().host.cuda_library.is_absent());
  CHECK(tree.file("etc/ld.so.cache", "...\n/opt/nv/libcuda.so.1\n").read().host.cuda_library.is_unknown());
  tree.remove("etc/ld.so.cache");
  tree.file("proc/self/uid_map", "0 0 4294967295\n").file("dev/nvidiactl", "").file("dev/nvidia5", "");
  const std::string proc = "proc/driver/nvidia/";
  tree.file(proc + "gpus/0000:00:03.0/information", "Model: \t\t NVIDIA H200\nDevice Minor: \t 5\n");
  tree.link("usr/lib64/libcuda.so.1", "/etc/alternatives/cuda");
  tree.link("etc/alternatives/cuda", "../../usr/lib64/nvidia/libcuda.so.1");
  tree.link("usr/lib64/nvidia/libcuda.so.1", "libcuda.so.580.95.05").file("usr/lib64/nvidia/libcuda.so.580.95.05", "");
  auto r = tree.read();
  CHECK(r.host.cuda_library.is("580.95.05"));
  REQUIRE(r.host.nodes.size() == 3);
  CHECK(r.host.nodes[2].device.is(parse_address("00:03.0").value()));
  CHECK(r.host.fabric_manager.is_unknown());
  REQUIRE(device_in(r, "00:03.0").nvidia.is_known());
  CHECK(device_in(r, "00:03.0").nvidia.value().mig.is_unknown());
  tree.file(proc + "capabilities/gpu5/mig/x", "").file(proc + "capabilities/mig/config", "");
  CHECK(device_in(tree.read(), "00:03.0").nvidia.value().mig.is(false));
  tree.file(proc + "capabilities/gpu5/mig/gi1/access", "DeviceFileMinor: 3\n").remove("dev/nvidia5");
  r = tree.read();
  CHECK(device_in(r, "00:03.0").nvidia.value().mig.is(true));
  REQUIRE(r.host.nodes.size() == 3);
  CHECK(r.host.nodes[2].path == "/dev/nvidia5");
  CHECK(r.host.nodes[2].mode.is_absent());
  tree.remove(proc + "gpus/0000:00:03.0").file(proc + "gpus/0000:09:00.0/information", "Device Minor: \t 1\n");
  CHECK(device_in(tree.read(), "00:03.0").nvidia.is_absent());
  // WSL has a file and no links.
  tree.remove("usr").file("usr/lib/wsl/lib/libcuda.so.1", "");
  CHECK(tree.read().host.cuda_library.is_unknown());
}

TEST_CASE("live: without a GPU it is seen whether NVIDIA's driver is loaded") {
  SysfsTree tree;
  CHECK(tree.read().host.modules.empty());
  tree.file("sys/module/nvidia/version", "580.95.05\n");
  const auto modules = tree.read().host.modules;
  REQUIRE(modules.size() == 1);
  CHECK(modules[0].version.is("580.95.05"));
}

TEST_CASE("live: where there are NVSwitches, whether their manager runs; IMEX channels where it is set up") {
  SysfsTree tree;
  gpu(tree, "nvidia");
  const std::string at = "pci0000:00/0000:00:04.0";
  auto bytes = ConfigBuilder().bytes();
  bytes.at(0x00) = 0xde;
  bytes.at(0x01) = 0x10;
  bytes.at(0x0a) = 0x80;
  bytes.at(0x0b) = 0x06;
  tree.device(at, bytes);
  tree.file("proc/self/uid_map", "0 0 4294967295\n").file("run/utmp", "").file("dev/nvidiactl", "");
  CHECK(tree.read().host.fabric_manager.is(false));
  tree.file("run/nvidia-fabricmanager/nv-fabricmanager.pid", "812\n").file("etc/nvidia-imex/nodes_config.cfg", "");
  const auto host = tree.read().host;
  CHECK(host.fabric_manager.is(true));
  REQUIRE(host.nodes.size() == 3);
  CHECK(host.nodes[2].path == "/dev/nvidia-caps-imex-channels/channel0");
  CHECK(host.nodes[2].mode.is_absent());
  tree.file(".dockerenv", "");
  CHECK(tree.read().host.fabric_manager.is_unknown());
}

TEST_CASE("live: processor packages where there are several NUMA nodes") {
  SysfsTree tree;
  gpu(tree);
  tree.file("sys/devices/pci0000:00/0000:00:03.0/numa_node", "1\n");
  tree.file("sys/devices/system/node/online", "0-1\n");
  tree.file("sys/devices/system/node/node1/cpulist", "8-15,24-31\n");
  tree.file("sys/devices/system/cpu/cpu8/topology/physical_package_id", "1\n");
  auto r = tree.read();
  CHECK(r.host.numa_nodes.is(2));
  CHECK(device_in(r, "00:03.0").package.is(1));
  tree.file("sys/devices/system/node/online", "0\n");
  r = tree.read();
  CHECK(r.host.numa_nodes.is(1));
  CHECK(device_in(r, "00:03.0").package.is_unknown());
  tree.file("sys/devices/system/node/online", "0-99999999999\n");
  CHECK(is_unknown_for(tree.read().host.numa_nodes, Reason::damaged));
}

TEST_CASE("live: error counters, ACPI path and power of a device") {
  SysfsTree tree;
  gpu(tree);
  const std::string at = "sys/devices/pci0000:00/0000:00:03.0/";
  CHECK(device_in(tree.read(), "00:03.0").aer_counters.is_absent());
  tree.file(at + "aer_dev_correctable", "RxErr 3\nBadTLP 4\nTOTAL_ERR_COR 7\n");
  tree.file(at + "aer_dev_nonfatal", "Undefined 0\nTOTAL_ERR_NONFATAL 0\n");
  tree.file(at + "aer_dev_fatal", "no total\n");
  tree.link(at + "firmware_node", "../../LNXSYSTM:00/device:01");
  tree.file("sys/devices/LNXSYSTM:00/device:01/path", "\\_SB_.PCI0.GPP0\n");
  const auto r = tree.read();
  const auto& device = device_in(r, "00:03.0");
  REQUIRE(device.aer_counters.is_known());
  CHECK(device.aer_counters.value().correctable.is(7));
  CHECK(device.aer_counters.value().non_fatal.is(0));
  CHECK(is_unknown_for(device.aer_counters.value().fatal, Reason::damaged));
  CHECK(device.acpi_path.is("\\_SB_.PCI0.GPP0"));
  CHECK(device.runtime_status.is("active"));
}

TEST_CASE("live: Xen's first domain sees the real machine") {
  SysfsTree tree;
  tree.file("proc/cpuinfo", "flags\t\t: fpu hypervisor lm\n\n");
  CHECK(tree.read().host.hypervisor.is(true));
  tree.file("sys/hypervisor/properties/features", "00002705\n");
  CHECK(tree.read().host.hypervisor.is(true));
  tree.file("sys/hypervisor/properties/features", "00002f05\n");
  CHECK(tree.read().host.hypervisor.is(false));
  tree.file("proc/xen/capabilities", "\n");
  tree.file("sys/hypervisor/properties/features", "00002705\n");
  CHECK(tree.read().host.hypervisor.is(true));
  CHECK(tree.file("proc/xen/capabilities", "control_d\n").read().host.hypervisor.is(false));
}
