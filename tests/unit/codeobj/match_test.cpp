#include "codeobj/match.hpp"

#include <doctest/doctest.h>

#include "codeobj/builders.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

const std::vector<Kernel> kFree{{"_Z23ncclDevKernel_Generic_1v", {"hidden_none"}}};
const std::vector<Kernel> kGeneric{{"_Z23ncclDevKernel_Generic_1v", {"hidden_hostcall_buffer"}}};
const std::vector<Kernel> kDebug{{"_Z23ncclDevKernel_Generic_1v", {}},
                                 {"_Z26ncclDevKernelDebug_Genericv", {"hidden_hostcall_buffer"}}};
const std::vector<Kernel> kOther{{"_Z23ncclDevKernel_Generic_1v", {}}, {"_Z5mscclv", {"hidden_hostcall_buffer"}}};
const std::vector<Kernel> kNoGeneric{{"_Z9ncclThingv", {"hidden_hostcall_buffer"}}, {"_Z5plainv", {}}};

Library of(const Entries& entries, const std::string& path = "librccl.so.1") {
  return inspect(bundle(entries), path).value();
}
HostcallNeed need(const std::vector<Kernel>& kernels, const std::string& path = "librccl.so.1") {
  return hostcall(of({{"hipv4-amdgcn-amd-amdhsa--gfx1201", code_object(0x4e, kernels, "gfx1201")}}, path),
                  *amd_gpu("gfx1201"));
}
std::string gfx90a(std::uint32_t flags) { return code_object(flags, kFree, "gfx90a"); }
Library nvidia(const std::vector<Image>& images) { return inspect(nvidia_fatbin(images), "libnccl.so.2").value(); }

}  // namespace

TEST_CASE("a GPU is named by its target id, KFD's number or its capability") {
  CHECK(amd_gpu(120001U)->processor == "gfx1201");
  CHECK(amd_gpu(90010U)->processor == "gfx90a");
  CHECK(amd_gpu(90402U)->processor == "gfx942");
  CHECK(amd_gpu(100306U)->processor == "gfx1036");
  CHECK(amd_gpu(90012U)->processor == "gfx90c");
  CHECK_FALSE(amd_gpu(0U));
  CHECK_FALSE(amd_gpu(90099U));
  CHECK(amd_gpu("gfx90a:sramecc+:xnack-")->xnack == TargetFeature::off);
  CHECK_FALSE(amd_gpu("gfx11-generic"));
  CHECK_FALSE(amd_gpu("Radeon"));
  CHECK(nvidia_gpu(12, 0).capability == 120);
}

TEST_CASE("features: the code's has to stand as the GPU's, and one that is not stated may stand either way") {
  const auto off = of({{"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", gfx90a(0x63f)}});
  CHECK(carries(off, *amd_gpu("gfx90a:sramecc+:xnack-")) == Carries::yes);
  CHECK(carries(off, *amd_gpu("gfx90a:sramecc+:xnack+")) == Carries::no);
  CHECK(carries(off, *amd_gpu("gfx90a")) == Carries::unknown);
  CHECK(carries(off, *amd_gpu("gfx942")) == Carries::no);
  const auto both = of({{"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", gfx90a(0x63f)},
                        {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", gfx90a(0x73f)}});
  CHECK(carries(both, *amd_gpu("gfx90a")) == Carries::yes);
  CHECK(matching(both, *amd_gpu("gfx90a")).size() == 2);
  REQUIRE(matching(both, *amd_gpu("gfx90a:xnack+")).size() == 1);
  CHECK(matching(both, *amd_gpu("gfx90a:xnack+"))[0]->name == "gfx90a:xnack+");
  CHECK(hostcall(both, *amd_gpu("gfx90a")) == HostcallNeed::free);
}

TEST_CASE("a family stands in where the processor has no code of its own") {
  const auto lib = of({{"hipv4-amdgcn-amd-amdhsa--gfx11-generic", code_object(0x1000054, kFree, "gfx11-generic")},
                       {"hipv4-amdgcn-amd-amdhsa--gfx1100", code_object(0x41, kGeneric, "gfx1100")}});
  CHECK(matching(lib, *amd_gpu("gfx1100"))[0]->name == "gfx1100");
  CHECK(hostcall(lib, *amd_gpu("gfx1100")) == HostcallNeed::needs);
  CHECK(matching(lib, *amd_gpu("gfx1151"))[0]->name == "gfx11-generic");
  CHECK(hostcall(lib, *amd_gpu("gfx1151")) == HostcallNeed::free);
  CHECK(carries(lib, *amd_gpu("gfx1201")) == Carries::no);
  CHECK(hostcall(lib, *amd_gpu("gfx1201")) == HostcallNeed::unknown);
}

TEST_CASE("hostcall: in RCCL the generic kernels decide, elsewhere all kernels together") {
  CHECK(need(kFree) == HostcallNeed::free);
  CHECK(need(kGeneric) == HostcallNeed::needs);
  CHECK(need(kDebug) == HostcallNeed::free);
  CHECK(need(kOther) == HostcallNeed::unknown);
  CHECK(need(kNoGeneric) == HostcallNeed::needs);
  CHECK(need(kFree, "libggml-hip.so") == HostcallNeed::free);
  CHECK(need(kNoGeneric, "libggml-hip.so") == HostcallNeed::unknown);
  CHECK(need(kGeneric, "libggml-hip.so") == HostcallNeed::needs);
}

TEST_CASE("what could not be read is neither absent nor free") {
  auto lib = of({{"hipv4-amdgcn-amd-amdhsa--gfx1201", code_object(0x4e, kFree, "gfx1201")}});
  CHECK(carries(lib, *amd_gpu("gfx1100")) == Carries::no);
  lib.complete = false;
  CHECK(carries(lib, *amd_gpu("gfx1201")) == Carries::yes);
  CHECK(carries(lib, *amd_gpu("gfx1100")) == Carries::unknown);
  CHECK(hostcall(lib, *amd_gpu("gfx1201")) == HostcallNeed::unknown);
  CHECK(carries(nvidia({}), *amd_gpu("gfx1201")) == Carries::no);
}

TEST_CASE("NVIDIA: native code runs on later minor capabilities, PTX on all later ones") {
  const auto lib = nvidia({{2, 80}, {2, 90, 0x108011}, {1, 90}});
  CHECK(carries(lib, nvidia_gpu(8, 0)) == Carries::yes);
  CHECK(carries(lib, nvidia_gpu(8, 6)) == Carries::yes);
  CHECK(carries(lib, nvidia_gpu(7, 5)) == Carries::no);
  CHECK(carries(lib, nvidia_gpu(9, 0)) == Carries::yes);
  CHECK(carries(lib, nvidia_gpu(12, 0)) == Carries::ptx_only);
  CHECK(hostcall(lib, nvidia_gpu(9, 0)) == HostcallNeed::free);
  // No promise of NVIDIA's between a Jetson and the others.
  CHECK(carries(lib, nvidia_gpu(8, 7)) == Carries::unknown);
}

TEST_CASE("NVIDIA: code for one capability alone, and for a family") {
  const auto lib = nvidia({{2, 100, 0x1108011}, {1, 100, 0x208011}});
  CHECK(lib.targets[0].name == "compute_100f");
  CHECK(lib.targets[1].name == "sm_100a");
  CHECK(carries(lib, nvidia_gpu(10, 0)) == Carries::yes);
  CHECK(carries(lib, nvidia_gpu(10, 3)) == Carries::ptx_only);
  CHECK(carries(lib, nvidia_gpu(12, 0)) == Carries::no);
  const auto only = nvidia({{1, 90, 0x108011}});
  CHECK(carries(only, nvidia_gpu(9, 0)) == Carries::ptx_only);
  CHECK(carries(only, nvidia_gpu(10, 0)) == Carries::no);
}
