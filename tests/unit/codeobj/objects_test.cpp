// Code objects and bundles as compilers write them (data/make-objects).
#include <doctest/doctest.h>

#include <string>

#include "codeobj/builders.hpp"
#include "codeobj/match.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

void check_kernels(const CodeTarget& t, std::uint64_t size) {
  CHECK(t.code_objects == 1);
  CHECK(t.unread == 0);
  CHECK(t.bytes == size);
  CHECK(t.kernels == 3);
  CHECK(t.hostcall_kernels == 1);
  CHECK(t.generic_kernel);
  CHECK(t.generic_hostcall);
  CHECK(t.other_hostcall == 0);
  REQUIRE(t.hostcall_names.size() == 1);
  CHECK(t.hostcall_names[0] == "ncclDevKernel_Generic_1");
}

}  // namespace

TEST_CASE("code objects of versions 2 to 6: target, features, kernels, hostcall buffer") {
  struct Case {
    const char* file;
    const char* target;
    CodeForm form;
  };
  for (const auto& c : {Case{"v2-gfx906.co", "gfx906:sramecc-:xnack+", CodeForm::native},
                        Case{"v3-gfx906.co", "gfx906:sramecc+:xnack+", CodeForm::native},
                        Case{"v4-gfx1030.co", "gfx1030", CodeForm::native},
                        Case{"v5-gfx90a.co", "gfx90a:sramecc+:xnack-", CodeForm::native},
                        Case{"v6-gfx1201.co", "gfx1201", CodeForm::native},
                        Case{"v6-gfx11-generic.co", "gfx11-generic", CodeForm::generic}}) {
    CAPTURE(c.file);
    const auto bytes = data(c.file);
    const auto found = inspect(bytes);
    REQUIRE(found);
    const auto& lib = found.value();
    CHECK(lib.complete);
    CHECK(lib.warnings.empty());
    REQUIRE(lib.targets.size() == 1);
    CHECK(lib.targets[0].name == c.target);
    CHECK(lib.targets[0].form == c.form);
    CHECK(lib.targets[0].vendor == Vendor::amd);
    check_kernels(lib.targets[0], bytes.size());
  }
}

TEST_CASE("a bundle, plain or compressed, gives the same") {
  for (const auto* file : {"plain.bundle", "ccob.bundle"}) {
    CAPTURE(file);
    const auto found = inspect(data(file));
    REQUIRE(found);
    const auto& lib = found.value();
    CHECK(lib.complete);
    CHECK(lib.warnings.empty());
    CHECK(lib.packaging == (std::string(file) == "plain.bundle" ? Packaging::fatbin : Packaging::compressed));
    REQUIRE(lib.targets.size() == 2);
    CHECK(lib.targets[0].name == "gfx1030");
    CHECK(lib.targets[1].name == "gfx1201");
    check_kernels(lib.targets[0], data("v4-gfx1030.co").size());
    check_kernels(lib.targets[1], data("v6-gfx1201.co").size());
  }
}

TEST_CASE("a library with real bundles in all wrappings, one after another at odd places") {
  const auto plain = data("plain.bundle");
  const auto real = data("ccob.bundle");
  const auto section = plain + std::string(100, '\0') + real + ccob(1, 0, plain) + std::string(3, '\0') +
                       ccob(1, 1, plain) + ccob(2, 0, plain) + ccob(3, 1, plain) + "\0\0" + plain +
                       data("v6-gfx11-generic.co");
  const auto bytes = library({{".text", std::string(500, '\x90')}, {".hip_fatbin", section}});
  const auto found = inspect(bytes);
  REQUIRE(found);
  const auto& lib = found.value();
  CHECK(lib.complete);
  for (const auto& w : lib.warnings) MESSAGE(w.text << " " << w.where);
  CHECK(lib.warnings.empty());
  CHECK(lib.kind == LibraryKind::rccl);
  CHECK(lib.vendor == Vendor::amd);
  REQUIRE(lib.targets.size() == 3);
  REQUIRE(target(lib, "gfx1201") != nullptr);
  CHECK(target(lib, "gfx1201")->code_objects == 7);
  CHECK(target(lib, "gfx1201")->kernels == 21);
  CHECK(target(lib, "gfx1201")->hostcall_kernels == 7);
  CHECK(target(lib, "gfx1201")->hostcall_names.size() == 1);
  CHECK(target(lib, "gfx1030")->code_objects == 7);
  CHECK(target(lib, "gfx11-generic")->code_objects == 1);
  CHECK(carries(lib, *amd_gpu("gfx1201")) == Carries::yes);
  CHECK(hostcall(lib, *amd_gpu("gfx1201")) == HostcallNeed::needs);
  CHECK(carries(lib, *amd_gpu("gfx1101")) == Carries::yes);
  CHECK(carries(lib, *amd_gpu("gfx1200")) == Carries::no);
}
