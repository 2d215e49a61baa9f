#include <doctest/doctest.h>
#include <unistd.h>

#include "read/config_builder.hpp"
#include "read/live/holders/fdinfo.hpp"
#include "read/live/holders/placement.hpp"
#include "read/live/holders/process_texts.hpp"
#include "read/sysfs_tree.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

const std::string kGpu = "sys/devices/pci0000:00/0000:00:03.0/";
const std::string kId = "3f2a9c0d1e4b5a6978695a4b3c2d1e0f3f2a9c0d1e4b5a6978695a4b3c2d1e0f";

void host(SysfsTree& tree, const std::string& driver = "amdgpu") {
  tree.device("pci0000:00/0000:00:03.0", ConfigBuilder().bytes());
  tree.link(kGpu + "driver", "../../../bus/pci/drivers/" + driver);
  std::filesystem::create_directories(tree.path(kGpu + "drm/renderD128"));
  std::filesystem::create_directories(tree.path(kGpu + "drm/card0"));
  tree.file("proc/uptime", "20000.50 1.00\n");
  tree.file("etc/passwd", "root:x:0:0:root:/root:/bin/sh\nai:x:1000:1000:Secret Name:/home/ai:/bin/sh\n");
  tree.link("proc/self/ns/pid", "pid:[4026531836]");
}

void process(SysfsTree& tree, const std::string& pid, const std::string& name, const std::string& groups = "0::/\n") {
  const auto at = "proc/" + pid + "/";
  std::filesystem::create_directories(tree.path(at + "fd"));
  tree.file(at + "comm", name + "\n").file(at + "cgroup", groups);
  tree.file(at + "status", "Name:\t" + name + "\nUid:\t0\t1000\t1000\t1000\n");
  tree.file(at + "stat", pid + " (" + name + ") S 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 920050 1 2 3\n");
}

void opens(SysfsTree& tree, const std::string& pid, const std::string& fd, const std::string& target) {
  tree.link("proc/" + pid + "/fd/" + fd, target);
}

std::string fdinfo(const std::string& rest, const std::string& client = "7") {
  return "pos:\t0\nflags:\t02\ndrm-driver:\tamdgpu\ndrm-client-id:\t" + client + "\ndrm-pdev:\t0000:00:03.0\n" + rest;
}

}  // namespace

TEST_CASE("holders: a process with memory on the GPU, and who it is") {
  SysfsTree tree;
  host(tree);
  process(tree, "1", "systemd");
  process(tree, "812", "llama-server", "0::/system.slice/llama.service\n");
  opens(tree, "812", "0", "/dev/null");
  opens(tree, "812", "9", "/dev/dri/renderD128");
  opens(tree, "812", "10", "/dev/dri/renderD128");
  opens(tree, "812", "11", "/dev/kfd");
  const auto used =
      fdinfo("drm-memory-vram:\t1048576 KiB\ndrm-memory-gtt:\t8 KiB\ndrm-engine-compute:\t2500000000 ns\n");
  tree.file("proc/812/fdinfo/9", used).file("proc/812/fdinfo/10", used);
  const auto r = tree.read();
  REQUIRE(r.holders.size() == 1);
  const auto& holder = r.holders[0];
  CHECK(to_string(holder.gpu) == "0000:00:03.0");
  CHECK(holder.pid == 812);
  CHECK(holder.process == "llama-server");
  CHECK(holder.use == HolderClass::compute);
  CHECK(holder.user.is("ai"));
  CHECK(holder.unit.is("llama.service"));
  CHECK(holder.container.is_absent());
  CHECK(holder.seconds.is(10800));
  // Two descriptors of one client are counted once.
  CHECK(holder.memory_bytes.is(std::uint64_t{1} << 30));
  CHECK(holder.engine_seconds.is(2.5));
  CHECK(holder.evidence.find("/proc/812/fdinfo/") == 0);
  CHECK(r.holders_complete.is(true));
}

TEST_CASE("holders: what is open and idle holds nothing; what says nothing about its use does") {
  SysfsTree tree;
  host(tree);
  process(tree, "1", "init");
  process(tree, "20", "rocm");
  opens(tree, "20", "4", "/dev/dri/renderD128");
  tree.file("proc/20/fdinfo/4", fdinfo("drm-memory-vram:\t0 KiB\n"));
  CHECK(tree.read().holders.empty());

  tree.file("proc/20/fdinfo/4", "pos:\t0\nflags:\t02\n");
  auto r = tree.read();
  REQUIRE(r.holders.size() == 1);
  CHECK(r.holders[0].memory_bytes.is_unknown());
  CHECK(r.holders[0].evidence == "/proc/20/fd/4 is /dev/dri/renderD128");

  tree.remove("proc/20/fd/4");
  opens(tree, "20", "4", "/dev/kfd");
  CHECK(tree.read().holders.empty());
}

TEST_CASE("holders: displays and monitors by their names, which the kernel cuts at 15 characters") {
  SysfsTree tree;
  host(tree, "nvidia");
  tree.file("proc/driver/nvidia/gpus/0000:00:03.0/information",
            "Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-secret\nBus Location: \t 0000:00:03.0\nDevice Minor: \t 5\n");
  process(tree, "1", "systemd");
  process(tree, "30", "nvidia-persiste");
  opens(tree, "30", "3", "/dev/nvidia5");
  opens(tree, "30", "4", "/dev/nvidiactl");
  process(tree, "31", "Xorg", "0::/user.slice/user-1000.slice/session-2.scope\n");
  opens(tree, "31", "3", "/dev/nvidia5");
  process(tree, "32", "python3");
  opens(tree, "32", "3", "/dev/nvidiactl");
  opens(tree, "32", "4", "/dev/nvidia-uvm");
  const auto r = tree.read();
  REQUIRE(r.holders.size() == 2);
  CHECK(r.holders[0].use == HolderClass::monitor);
  CHECK(r.holders[0].evidence == "/proc/30/fd/3 is /dev/nvidia5");
  CHECK(r.holders[1].use == HolderClass::display);
  CHECK(r.holders[1].unit.is_absent());
  CHECK(r.holders_complete.is(true));
}

TEST_CASE("a GPU that the list of names lacks is called what its driver calls it, and others by the list") {
  SysfsTree tree;
  host(tree, "nvidia");
  tree.file("proc/driver/nvidia/gpus/0000:00:03.0/information", "Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-secret\n");
  CHECK(device_in(tree.read(), "00:03.0").name.is("NVIDIA H200"));
  tree.file("share/pci.ids", "1002  Maker\n\t7551  Listed\n");
  CHECK(device_in(tree.read(), "00:03.0").name.is("Maker Listed"));
}

TEST_CASE("holders: KFD names processes that cannot be looked into") {
  SysfsTree tree;
  host(tree);
  tree.file("sys/class/kfd/kfd/topology/generation_id", "1\n");
  const std::string node = "sys/class/kfd/kfd/topology/nodes/1/";
  tree.file(node + "gpu_id", "4711\n").file(node + "properties", "location_id 24\ndomain 0\n");
  const std::string kfd = "sys/class/kfd/kfd/proc/";
  tree.file(kfd + "900/vram_4711", "4096\n").file(kfd + "901/vram_4711", "0\n");
  tree.file(kfd + "902/vram_4711", "0\n").file(kfd + "902/queues/0/gpuid", "4711\n");
  tree.file(kfd + "903/vram_1", "4096\n").file(kfd + "903/context_1/vram_4711", "4096\n");
  auto r = tree.read();
  REQUIRE(r.holders.size() == 2);
  CHECK(r.holders[0].pid == 900);
  CHECK(r.holders[0].process.empty());
  CHECK(r.holders[0].memory_bytes.is(4096));
  CHECK(r.holders[0].evidence == "kfd/proc/900/vram_4711");
  CHECK(r.holders[1].pid == 902);
  CHECK(r.holders[1].evidence == "kfd/proc/902/queues/0");
  // Nobody has looked at processes: the copy has none.
  CHECK(r.holders_complete.is_unknown());

  // In a container its own process 900 is another one.
  process(tree, "1", "init");
  process(tree, "900", "bash");
  tree.remove("proc/self/ns/pid").link("proc/self/ns/pid", "pid:[4026532001]");
  r = tree.read();
  REQUIRE(r.holders.size() == 2);
  CHECK(r.holders[0].process.empty());
  CHECK(r.holders_complete.is(false));
}

TEST_CASE("holders: KFD's list proves who computes on a GPU, also where processes are hidden") {
  SysfsTree tree;
  host(tree);
  process(tree, "1", "init");
  tree.remove("proc/self/ns/pid").link("proc/self/ns/pid", "pid:[4026532001]");
  tree.file("sys/class/kfd/kfd/topology/generation_id", "1\n");
  const std::string node = "sys/class/kfd/kfd/topology/nodes/1/";
  tree.file(node + "gpu_id", "4711\n").file(node + "properties", "location_id 24\ndomain 0\n");
  const Address gpu = parse_address("00:03.0").value();
  tree.file(kGpu + "mem_info_vram_used", "29360128\n");
  // Without a list nothing is proven.
  CHECK(tree.read().listed_by_driver.empty());
  const std::string kfd = "sys/class/kfd/kfd/proc/";
  std::filesystem::create_directories(tree.path(kfd));
  auto r = tree.read();
  CHECK(r.holders_complete.is(false));
  CHECK(r.listed_by_driver == std::vector<Address>{gpu});
  CHECK(r.holders.empty());
  // Whoever computes is listed, by a number that says nothing here.
  tree.file(kfd + "900/vram_4711", "4096\n").file(kfd + "900/pasid", "32770\n");
  r = tree.read();
  CHECK(r.listed_by_driver == std::vector<Address>{gpu});
  REQUIRE(r.holders.size() == 1);
  CHECK(r.holders[0].pid == 900);
  CHECK(r.holders[0].use == HolderClass::compute);
  SUBCASE("memory that nobody on the list has is somebody else's, of Vulkan perhaps") {
    CHECK(tree.file(kGpu + "mem_info_vram_used", "8589934592\n").read().listed_by_driver.empty());
    CHECK(tree.remove(kGpu + "mem_info_vram_used").read().listed_by_driver.empty());
  }
  SUBCASE("a list that cannot be read whole proves nothing") {
    CHECK(tree.file(kfd + "901/vram_4711", "much\n").read().listed_by_driver.empty());
  }
  SUBCASE("a GPU that the compute driver does not have is not on its list") {
    CHECK(tree.file(node + "gpu_id", "0\n").read().listed_by_driver.empty());
  }
  SUBCASE("a sleeping one is used by nobody") {
    tree.file(kGpu + "power/runtime_status", "suspended\n").file(kGpu + "mem_info_vram_used", "8589934592\n");
    CHECK(tree.read().listed_by_driver == std::vector<Address>{gpu});
  }
}

TEST_CASE("holders: whether all processes can be seen") {
  SysfsTree tree;
  host(tree);
  process(tree, "1", "init");
  process(tree, "50", "sh");
  SUBCASE("all of them") { CHECK(tree.read().holders_complete.is(true)); }
  SUBCASE("hidepid hides the first") { CHECK(tree.remove("proc/1").read().holders_complete.is(false)); }
  SUBCASE("a copy that does not tell its namespace") {
    CHECK(tree.remove("proc/self").read().holders_complete.is_unknown());
  }
  SUBCASE("descriptors that may not be seen") {
    REQUIRE(::chmod(tree.path("proc/50/fd").c_str(), 0) == 0);
    // Root may see everything.
    if (::geteuid() != 0) CHECK(tree.read().holders_complete.is(false));
    REQUIRE(::chmod(tree.path("proc/50/fd").c_str(), 0755) == 0);
  }
}

TEST_CASE("holders: without a GPU nobody is looked at") {
  SysfsTree tree;
  process(tree, "1", "init");
  CHECK(tree.read().holders_complete == Known<bool>());
}

TEST_CASE("holders: units of DRM's usage statistics") {
  auto c = parse_fdinfo(
      "drm-pdev:\t0000:03:00.0\ndrm-client-id:\t12\ndrm-total-vram0:\t64 MiB\ndrm-resident-vram0:\t2 MiB\n"
      "drm-resident-system:\t4096\ndrm-cycles-ccs:\t5\ndrm-total-cycles-ccs:\t99\n");
  CHECK(c.memory_bytes.is(2U << 20));
  CHECK(c.id.is(12));
  CHECK(c.used);
  CHECK(c.engine_seconds.is_unknown());
  c = parse_fdinfo(
      "drm-engine-render:\t1500000000 ns\ndrm-engine-copy:\t500000000 ns\ndrm-engine-capacity-video:\t2\n"
      "drm-total-system0:\t1 GiB\n");
  CHECK(c.engine_seconds.is(2.0));
  CHECK(c.memory_bytes.is_absent());
  CHECK(c.used);
  c = parse_fdinfo("drm-engine-render:\t0 ns\ndrm-memory-vram:\t0 KiB\n");
  CHECK(c.states_use);
  CHECK_FALSE(c.used);
  c = parse_fdinfo("drm-memory-vram:\t99999999999999999999 KiB\ndrm-memory-vram:\t5 apples\ndrm-engine-x: 7\n:\n");
  CHECK_FALSE(c.states_use);
  CHECK(c.memory_bytes.is_unknown());
}

TEST_CASE("holders: units and containers in control groups") {
  const auto of = [](const std::string& path) { return parse_placement("0::" + path + "\n"); };
  auto p = of("/user.slice/user-1000.slice/user@1000.service/app.slice/app-vllm.service");
  CHECK(p.unit.is("app-vllm.service"));
  CHECK(p.user_manager);
  CHECK(p.container.is_absent());
  p = of("/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + kId + ".scope/container");
  CHECK(p.container.is("podman 3f2a9c0d1e4b"));
  CHECK(p.user_manager);
  p = of("/system.slice/docker-" + kId + ".scope");
  CHECK_FALSE(p.user_manager);
  CHECK(p.container.is("docker 3f2a9c0d1e4b"));
  CHECK(p.unit.is_absent());
  p = of("/machine.slice/libpod-" + kId + ".scope/container");
  CHECK(p.container.is("podman 3f2a9c0d1e4b"));
  p = of("/system.slice/vllm.service/libpod-payload-1/libpod-" + kId);
  CHECK(p.container.is("podman 3f2a9c0d1e4b"));
  p = of("/kubepods.slice/kubepods-pod1.slice/cri-containerd-" + kId + ".scope");
  CHECK(p.container.is("containerd 3f2a9c0d1e4b"));
  p = of("/lxc.payload.ct101/system.slice/ollama.service");
  CHECK(p.container.is("lxc ct101"));
  CHECK(p.unit.is("ollama.service"));
  p = parse_placement("12:memory:/docker/" + kId + "\n1:name=systemd:/docker/" + kId + "\n");
  CHECK(p.container.is("docker 3f2a9c0d1e4b"));
  CHECK(of("/user.slice/user-1000.slice/session-3.scope").unit.is_absent());
  CHECK(of("/machine.slice/machine-qemu.scope").unit.is("machine-qemu.scope"));
  CHECK(parse_placement("nonsense\n:\n").unit.is_absent());
}

TEST_CASE("holders: texts about processes") {
  CHECK(running_seconds("7 (a) b (c) S 1 1 1 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 1000 5", "100.25 3").is(90.25));
  CHECK(running_seconds("7 (a", "100").is_unknown());
  CHECK(running_seconds("7 (a) S 1", "100").is_unknown());
  CHECK(user_of("a:x:7:\n:x:8:\nb:x:7:\n", 7) == "a");
  CHECK(user_of("a:x:7:\n:x:8:\n", 8).empty());
  CHECK(user_of("a:x\n\n", 0).empty());
  CHECK(user_number("Uid:\t1\t2\t3\t4\n") == 2U);
  CHECK_FALSE(user_number("Uid:\t1\n").has_value());
}
