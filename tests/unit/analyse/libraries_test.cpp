#include <doctest/doctest.h>

#include <string>

#include "analyse/library_facts.hpp"

using namespace gpucoop;

namespace {

const Address kFirst{0, 3, 0, 0};
const Address kSecond{0, 11, 0, 0};

/// A host with two GPUs, of which only their processors are known.
struct Host {
  Host& gpu(const Address& address, Vendor vendor, const std::string& gfx, double capability = 0) {
    Gpu gpu;
    gpu.address = address;
    gpu.vendor = vendor;
    gpu.compute = true;
    topology.gpus.push_back(gpu);
    const Subject subject{SubjectKind::gpu, {address}};
    if (!gfx.empty()) topology.facts.push_back({"gpu.gfx", subject, FactValue(gfx), Tier::static_, ""});
    if (capability > 0) {
      topology.facts.push_back({"gpu.compute_capability", subject, FactValue(capability), Tier::static_, ""});
    }
    return *this;
  }
  Host& with(std::vector<InstalledLibrary> libraries) {
    recording.libraries = std::move(libraries);
    add_library_facts(recording, topology);
    return *this;
  }
  [[nodiscard]] const Fact* fact(const char* id, const Address& gpu) const {
    return find_fact(topology.facts, id, {SubjectKind::library, {gpu}});
  }

  Recording recording;
  Topology topology;
};

CodeTarget amd(const std::string& processor, bool hostcall) {
  CodeTarget target;
  target.vendor = Vendor::amd;
  target.name = processor;
  target.processor = processor;
  target.code_objects = 1;
  target.kernels = 3;
  target.generic_kernel = true;
  target.generic_hostcall = hostcall;
  target.hostcall_kernels = hostcall ? 3 : 0;
  return target;
}

InstalledLibrary rccl(FoundBy by, std::vector<CodeTarget> targets) {
  InstalledLibrary installed;
  installed.file = "librccl.so.1";
  installed.found_by = by;
  installed.library.kind = LibraryKind::rccl;
  installed.library.vendor = Vendor::amd;
  installed.library.version = std::string("2.27.7");
  installed.library.version_of = "RCCL";
  installed.library.packaging = Packaging::fatbin;
  installed.library.targets = std::move(targets);
  return installed;
}

CodeTarget nvidia(CodeForm form, unsigned capability) {
  CodeTarget target;
  target.vendor = Vendor::nvidia;
  target.form = form;
  target.capability = capability;
  target.name = (form == CodeForm::ptx ? "compute_" : "sm_") + std::to_string(capability);
  target.code_objects = 1;
  return target;
}

}  // namespace

TEST_CASE("nothing is said of libraries that nobody has looked for") {
  Host host;
  host.gpu(kFirst, Vendor::amd, "gfx1201");
  add_library_facts(host.recording, host.topology);
  CHECK(host.fact("library.code_object", kFirst) == nullptr);
}

TEST_CASE("that none was found is unknown and not a no") {
  Host host;
  host.gpu(kFirst, Vendor::amd, "gfx1201").gpu(kSecond, Vendor::nvidia, "", 8.6).with({});
  const auto* fact = host.fact("library.hostcall", kFirst);
  REQUIRE(fact != nullptr);
  CHECK(fact->value.is_unknown());
  CHECK(fact->value.reason() == Reason::not_inspected);
  CHECK(host.fact("library.code_object", kSecond)->evidence.find("no NCCL was found") == 0);
  CHECK(host.fact("library.hostcall", kSecond) == nullptr);
}

TEST_CASE("each GPU is answered by its own code") {
  Host host;
  host.gpu(kFirst, Vendor::amd, "gfx1201").gpu(kSecond, Vendor::amd, "gfx1030");
  host.with({rccl(FoundBy::loader_cache, {amd("gfx1201", true), amd("gfx942", false)})});
  CHECK(host.fact("library.code_object", kFirst)->value.is(FactValue(true)));
  CHECK(host.fact("library.hostcall", kFirst)->value.is(FactValue(true)));
  CHECK(host.fact("library.code_object", kSecond)->value.is(FactValue(false)));
  CHECK(host.fact("library.code_object", kSecond)->evidence ==
        "librccl.so.1 (RCCL 2.27.7, in the loader's cache) has no code for this GPU: its code is for gfx1201, gfx942");
  CHECK(host.fact("library.hostcall", kSecond)->value.is_unknown());
  CHECK(host.fact("library.hostcall", kFirst)->tier == Tier::queried);
}

TEST_CASE("what could not be read, and a processor that is not known, prove nothing") {
  auto damaged = rccl(FoundBy::loader_cache, {amd("gfx1201", false)});
  damaged.library.complete = false;
  Host host;
  host.gpu(kFirst, Vendor::amd, "gfx1201").gpu(kSecond, Vendor::amd, "gfx1030").with({damaged});
  CHECK(host.fact("library.hostcall", kFirst)->value.is_unknown());
  CHECK(host.fact("library.code_object", kSecond)->value.is_unknown());
  CHECK(host.fact("library.code_object", kSecond)->value.reason() == Reason::damaged);

  Host nameless;
  nameless.gpu(kFirst, Vendor::amd, "").with({rccl(FoundBy::loader_cache, {amd("gfx1201", false)})});
  CHECK(nameless.fact("library.code_object", kFirst)->value.reason() == Reason::not_derivable);
  CHECK(nameless.fact("library.hostcall", kFirst)->value.is_unknown());
}

TEST_CASE("of several libraries the first counts, and the one that differs is told") {
  const auto first = rccl(FoundBy::environment, {amd("gfx1201", true)});
  const auto second = rccl(FoundBy::loader_cache, {amd("gfx1201", false)});
  Host host;
  host.gpu(kFirst, Vendor::amd, "gfx1201").gpu(kSecond, Vendor::amd, "gfx1201").with({first, second});
  CHECK(host.fact("library.hostcall", kFirst)->value.is(FactValue(true)));
  REQUIRE(host.topology.warnings.size() == 1);
  CHECK(host.topology.warnings[0].code == "library.differ");
  CHECK(host.topology.warnings[0].text.find("For 03:00.0 and 0b:00.0, librccl.so.1 (RCCL 2.27.7, of a Python") == 0);

  Host same;
  same.gpu(kFirst, Vendor::amd, "gfx1201").with({first, first});
  CHECK(same.topology.warnings.empty());

  auto given = second;
  given.found_by = FoundBy::given;
  Host chosen;
  chosen.gpu(kFirst, Vendor::amd, "gfx1201").with({given, first});
  CHECK(chosen.fact("library.hostcall", kFirst)->value.is(FactValue(false)));
  CHECK(chosen.topology.warnings.empty());
}

TEST_CASE("code that the driver compiles is code, and another vendor's library is none") {
  InstalledLibrary nccl;
  nccl.file = "libnccl.so.2";
  nccl.found_by = FoundBy::loader_cache;
  nccl.library.kind = LibraryKind::nccl;
  nccl.library.vendor = Vendor::nvidia;
  nccl.library.targets = {nvidia(CodeForm::native, 90), nvidia(CodeForm::ptx, 80)};
  Host host;
  host.gpu(kFirst, Vendor::nvidia, "", 8.6).gpu(kSecond, Vendor::nvidia, "", 7.5).with({nccl});
  CHECK(host.fact("library.code_object", kFirst)->value.is(FactValue(true)));
  CHECK(host.fact("library.code_object", kFirst)->evidence.find("compute_80, and the driver compiles it") !=
        std::string::npos);
  CHECK(host.fact("library.code_object", kSecond)->value.is(FactValue(false)));

  Host amd_host;
  amd_host.gpu(kFirst, Vendor::amd, "gfx1201").with({nccl});
  CHECK(amd_host.fact("library.code_object", kFirst)->value.reason() == Reason::not_inspected);
}
