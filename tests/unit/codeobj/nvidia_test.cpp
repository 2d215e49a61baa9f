#include <doctest/doctest.h>

#include "codeobj/builders.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

TEST_CASE("fat binaries: images by architecture, headers of any length, PTX versions") {
  const auto one = nvidia_fatbin({{2, 75}, {2, 90, 0x108011}, {2, 100, 0x1008011, 112}, {1, 120, 0x8011, 80}});
  const auto two = nvidia_fatbin({{2, 75, 0x11}, {0x10, 120, 0x1208011, 120}});
  const auto found = inspect(library({{".nv_fatbin", one + std::string(5, '\0') + two},
                                      {"__nv_relfatbin", nvidia_fatbin({{2, 61}})},
                                      {".rodata", std::string("NCCL version \0NCCL version 2.28.9+cuda13.0\0x", 44)}}),
                             "/usr/lib/libnccl.so.2");
  REQUIRE(found);
  const auto& lib = found.value();
  CHECK(lib.complete);
  CHECK(lib.kind == LibraryKind::nccl);
  CHECK(lib.vendor == Vendor::nvidia);
  CHECK(lib.packaging == Packaging::compressed);
  CHECK(lib.version.is("2.28.9+cuda13.0"));
  CHECK(lib.version_of == "NCCL");
  REQUIRE(lib.targets.size() == 5);
  CHECK(lib.targets[0].name == "compute_120");
  CHECK(lib.targets[0].form == CodeForm::ptx);
  CHECK(lib.targets[0].ptx_version == "8.4");
  CHECK(lib.targets[1].name == "sm_75");
  CHECK(lib.targets[1].code_objects == 2);
  CHECK(lib.targets[1].bytes == 1040);  // one compressed, of 1000; one as it is
  CHECK(lib.targets[2].name == "sm_90a");
  CHECK(lib.targets[2].variant == 'a');
  CHECK(lib.targets[3].name == "sm_100");
  CHECK(lib.targets[4].name == "sm_120f");
}

TEST_CASE("damaged fat binaries are said to be, and what is whole is read") {
  const auto good = nvidia_fatbin({{2, 80}, {2, 90}});
  const auto damaged = [&](std::size_t at, const std::string& what) {
    auto bytes = good;
    put(bytes, at, what);
    return inspect(bytes, "libnccl.so.2").value();
  };
  auto lib = damaged(8, little(~0ULL, 8));  // the size of the whole
  CHECK_FALSE(lib.complete);
  CHECK(lib.targets.size() == 2);
  lib = damaged(16 + 8, little(~0ULL - 70, 8));  // the size of the first image
  CHECK_FALSE(lib.complete);
  CHECK(lib.targets.empty());
  lib = damaged(16 + 4, little(0, 4));  // its header
  CHECK_FALSE(lib.complete);
  lib = damaged(16 + 28, little(0, 4));  // its architecture
  CHECK_FALSE(lib.complete);
  REQUIRE(lib.targets.size() == 1);
  CHECK(lib.targets[0].name == "sm_90");
  lib = damaged(16, little(99, 2));  // its kind
  CHECK(lib.complete);
  CHECK(lib.targets.size() == 1);
  REQUIRE(lib.warnings.size() == 1);
  CHECK(lib.warnings[0].text == "an image of kind 99, which is not counted");
  lib = damaged(4, little(7, 2));  // the version
  CHECK_FALSE(lib.complete);
}

TEST_CASE("a bare image tells its architecture in its header, and an impossible one is none") {
  // As ptxas of CUDA 13.5 writes them for sm_90a and sm_120.
  auto lib = inspect(elf_header(190, 0x6005a04, 8, {}), "k.cubin").value();
  REQUIRE(lib.targets.size() == 1);
  CHECK(lib.targets[0].name == "sm_90");
  lib = inspect(elf_header(190, 0x6007802, 8, {}), "k.cubin").value();
  CHECK(lib.targets[0].name == "sm_120");
  // Before version 8: in the lowest byte.
  lib = inspect(elf_header(190, 0x500550, 7, {}), "k.cubin").value();
  CHECK(lib.targets[0].name == "sm_80");
  for (const auto abi : {std::uint8_t{7}, std::uint8_t{8}}) {
    lib = inspect(elf_header(190, 0, abi, {}), "k.cubin").value();
    CHECK(lib.targets.empty());
    CHECK_FALSE(lib.complete);
  }
}
