#include "probe/guard.hpp"

#include <doctest/doctest.h>

using namespace gpucoop;
using namespace gpucoop::probe;
using Commands = std::vector<std::string>;

namespace {

const Address kGpu{0, 0x0b, 0, 0};
const Address kOther{0, 0x0c, 0, 0};

Holder holder(HolderClass use, std::uint32_t pid, const char* process) {
  Holder made;
  made.gpu = kGpu;
  made.pid = pid;
  made.process = process;
  made.use = use;
  made.user = std::string("ann");
  made.unit = Known<std::string>::absent();
  made.container = Known<std::string>::absent();
  return made;
}

GuardQuestion question(std::vector<Holder> holders) {
  GuardQuestion asked;
  asked.gpus = {kGpu, kOther};
  asked.live = true;
  asked.holders = std::move(holders);
  asked.holders_complete = true;
  asked.user = "ann";
  return asked;
}

}  // namespace

TEST_CASE("Free GPUs may be probed, and so may those that are only watched") {
  CHECK(guard(question({})).may);
  const auto answer = guard(question({holder(HolderClass::monitor, 700, "nvidia-persistenced")}));
  CHECK(answer.may);
  CHECK_FALSE(answer.forced);
  CHECK(answer.monitors == std::vector<std::string>{"nvidia-persistenced (pid 700, user ann)"});
}

TEST_CASE("A GPU that somebody computes on is busy, and it is said how to end that") {
  auto server = holder(HolderClass::compute, 812, "llama-server");
  server.unit = std::string("llama.service");
  server.user = std::string("llama");
  const auto answer = guard(question({server}));
  CHECK_FALSE(answer.may);
  CHECK(answer.refusal.code == ExitCode::busy);
  CHECK(answer.refusal.what == "0000:0b:00.0 is used by llama-server (pid 812, llama.service, user llama)");
  CHECK(answer.refusal.next ==
        "sudo systemctl stop llama.service\nsudo systemctl mask --runtime llama.service\n"
        "gpucoop probe --force    # whatever happens to them");
  auto elsewhere = question({server});
  elsewhere.gpus = {kOther};
  CHECK(guard(elsewhere).may);
}

TEST_CASE("The commands are those of whoever keeps the process") {
  auto held = holder(HolderClass::compute, 812, "python3");
  CHECK(commands_to_end(held, "ann") == Commands{"kill 812"});
  CHECK(commands_to_end(held, "root") == Commands{"kill 812"});
  CHECK(commands_to_end(held, "bob") == Commands{"sudo kill 812"});
  held.unit = std::string("app-vllm.service");
  held.user_manager = true;
  CHECK(commands_to_end(held, "ann") ==
        Commands{"systemctl --user stop app-vllm.service", "systemctl --user mask --runtime app-vllm.service"});
  CHECK(commands_to_end(held, "root") ==
        Commands{"systemctl --user --machine=ann@.host stop app-vllm.service",
                 "systemctl --user --machine=ann@.host mask --runtime app-vllm.service"});
  held.unit = std::string("run-u12.scope");
  CHECK(commands_to_end(held, "ann") == Commands{"systemctl --user stop run-u12.scope"});
  held.user_manager = false;
  held.unit = std::string("odd name.service");
  CHECK(commands_to_end(held, "root").at(0) == "systemctl stop 'odd name.service'");
  held.container = std::string("docker 3f2a9c0d1e4b");
  CHECK(commands_to_end(held, "root") ==
        Commands{"docker update --restart=no 3f2a9c0d1e4b", "docker stop 3f2a9c0d1e4b"});
  held.container = std::string("podman 3f2a9c0d1e4b");
  held.user_manager = true;
  CHECK(commands_to_end(held, "ann") == Commands{"podman stop 3f2a9c0d1e4b"});
  CHECK(commands_to_end(held, "root") == Commands{"sudo -u ann podman stop 3f2a9c0d1e4b"});
  for (const char* const runtime : {"containerd", "cri-o", "kubernetes"}) {
    held.container = std::string(runtime) + " 3f2a9c0d1e4b";
    CHECK(commands_to_end(held, "root") == Commands{"crictl ps --id 3f2a9c0d1e4b    # names its pod",
                                                    "kubectl scale deployment/NAME -n NAMESPACE --replicas=0"});
  }
  held.container = std::string("lxc ct101");
  CHECK(commands_to_end(held, "root") == Commands{"lxc-stop -n ct101"});
  held.container = std::string("container 3f2a9c0d1e4b");
  held.unit = Known<std::string>::absent();
  CHECK(commands_to_end(held, "root") == Commands{"kill 812"});
}

TEST_CASE("A display refuses unless it is allowed, and allowing it allows nothing else") {
  auto asked = question({holder(HolderClass::display, 900, "Xorg")});
  const auto answer = guard(asked);
  CHECK_FALSE(answer.may);
  CHECK(answer.refusal.what.find("0000:0b:00.0 shows the screen of Xorg (pid 900, user ann)") == 0);
  CHECK(answer.refusal.next.find("gpucoop probe --allow-display") == 0);
  asked.allow_display = true;
  CHECK(guard(asked).may);
  asked.holders.push_back(holder(HolderClass::compute, 901, "blender"));
  CHECK_FALSE(guard(asked).may);
}

TEST_CASE("What cannot be seen is taken for somebody, unless the driver proves that there is nobody") {
  auto asked = question({});
  for (const auto& sight : {Known<bool>(false), Known<bool>(), Known<bool>::unknown(Reason::timeout)}) {
    asked.holders_complete = sight;
    asked.proven_free = {};
    const auto answer = guard(asked);
    CHECK_FALSE(answer.may);
    CHECK(answer.objections.size() == 2);
    CHECK(answer.refusal.code == ExitCode::busy);
    CHECK(answer.refusal.next.find("sudo gpucoop probe    # ranks still run as you\n") == 0);
    asked.proven_free = {kGpu};
    CHECK(guard(asked).objections.at(0).gpu == kOther);
    asked.proven_free = {kGpu, kOther};
    CHECK(guard(asked).may);
  }
  asked.holders.push_back(holder(HolderClass::compute, 901, "blender"));
  CHECK_FALSE(guard(asked).may);
  asked = question({});
  asked.holders_complete = false;
  asked.root = true;
  CHECK(guard(asked).refusal.next.find("outside of containers") != std::string::npos);
}

TEST_CASE("Force overrides what may be overridden, and that is written down") {
  auto asked = question({holder(HolderClass::compute, 901, "blender")});
  asked.force = true;
  auto answer = guard(asked);
  CHECK(answer.may);
  CHECK(answer.forced);
  REQUIRE(answer.warnings.size() == 1);
  CHECK(answer.warnings[0].code == "probe.forced");
  CHECK(answer.warnings[0].where == "0000:0b:00.0");
  CHECK(answer.warnings[0].text ==
        "probed in spite of this (--force): 0000:0b:00.0 is used by blender (pid 901, user ann)");
  asked.live = false;
  answer = guard(asked);
  CHECK_FALSE(answer.may);
  CHECK(answer.refusal.code == ExitCode::usage);
  asked = question({});
  asked.force = true;
  CHECK_FALSE(guard(asked).forced);
}

TEST_CASE("The ranks of the probe itself are no holders, nor those that only the host has a number for") {
  auto asked = question({holder(HolderClass::compute, 5001, "gpucoop-rank")});
  CHECK_FALSE(guard(asked).may);
  asked.own = {5001, 5002};
  CHECK(guard(asked).may);
  asked.holders = {holder(HolderClass::compute, 77001, ""), holder(HolderClass::compute, 77002, "")};
  CHECK(guard(asked).may);
  asked.holders.push_back(holder(HolderClass::compute, 77003, ""));
  CHECK_FALSE(guard(asked).may);
}

TEST_CASE("Simulated devices are held by nobody") {
  GuardQuestion asked;
  asked.gpus = {simulated_device(0), simulated_device(1)};
  asked.live = true;
  CHECK(guard(asked).may);
}

TEST_CASE("What would let the driver prove a GPU free comes first, and KFD's list proves one") {
  auto asked = question({});
  asked.gpus = {kGpu};
  asked.holders_complete = false;
  asked.not_proven[kGpu] = "its driver does not help: nvmlInit_v2: Driver Not Loaded (9)";
  asked.for_proof = "The NVIDIA driver is not loaded: sudo modprobe nvidia";
  const auto refused = guard(asked);
  CHECK_FALSE(refused.may);
  CHECK(refused.objections.front().commands == Commands{"The NVIDIA driver is not loaded: sudo modprobe nvidia",
                                                        "sudo gpucoop probe    # ranks still run as you"});
  asked.proven_free = {kGpu};
  CHECK(guard(asked).may);
  // The driver's list has somebody whose number says nothing here.
  auto hidden = holder(HolderClass::compute, 4711, "");
  hidden.user = Known<std::string>();
  asked.holders = {hidden};
  CHECK_FALSE(guard(asked).may);
  // As many nameless ones as this probe has ranks are its ranks.
  asked.own = {12};
  CHECK(guard(asked).may);
}
