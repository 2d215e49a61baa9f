#include "codeobj/amd_target.hpp"

#include <doctest/doctest.h>

using namespace gpucoop;
using namespace gpucoop::codeobj;

TEST_CASE("a target id is read with what tools put before it") {
  CHECK(parse_amd_target("gfx1201")->name() == "gfx1201");
  CHECK(parse_amd_target("hipv4-amdgcn-amd-amdhsa--gfx1201")->name() == "gfx1201");
  CHECK(parse_amd_target("hip-amdgcn-amd-amdhsa-unknown-gfx906")->name() == "gfx906");
  CHECK(parse_amd_target("amdgcn-amd-amdhsa--gfx90a:xnack-:sramecc+")->name() == "gfx90a:sramecc+:xnack-");
  CHECK(parse_amd_target("gfx10-3-generic")->processor == "gfx10-3-generic");
}

TEST_CASE("what is no target id is none") {
  for (const auto* text :
       {"", "gfx", "gfx9", "xgfx906", "gfx906:", "gfx906:xnack", "gfx906:xnack+:xnack-", "gfx906:warp+", "gfx9O6",
        "gfx10-3", "gfx-generic", "sm_90", "gfx906 ", "gfx12345678901234567890123"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_amd_target(text));
  }
}

TEST_CASE("the ELF header's flags are read by the version that wrote them") {
  // LLVM: version 3 has a bit for each feature, later ones two.
  CHECK(amd_target(0x12c, 1)->name() == "gfx900:xnack+");
  CHECK(amd_target(0x02f, 1)->name() == "gfx906:sramecc-:xnack-");
  CHECK(amd_target(0x32f, 1)->name() == "gfx906:sramecc+:xnack+");
  CHECK(amd_target(0x036, 1)->name() == "gfx1030");
  CHECK(amd_target(0x52f, 2)->name() == "gfx906");
  CHECK(amd_target(0xe3f, 3)->name() == "gfx90a:sramecc+:xnack-");
  CHECK(amd_target(0xb3f, 3)->name() == "gfx90a:sramecc-:xnack+");
  CHECK(amd_target(0x04e, 4)->name() == "gfx1201");
  CHECK(amd_target(0x1000054, 4)->name() == "gfx11-generic");
  CHECK_FALSE(amd_target(0x0ff, 4));
  CHECK_FALSE(amd_target(0x04e, 0));
  CHECK_FALSE(amd_target(0x04e, 5));
}

TEST_CASE("version 2 counts a processor with xnack as one of its own") {
  CHECK(amd_target_v2(9, 0, 0)->name() == "gfx900:xnack-");
  CHECK(amd_target_v2(9, 0, 1)->name() == "gfx900:xnack+");
  CHECK(amd_target_v2(9, 0, 7)->name() == "gfx906:sramecc-:xnack+");
  CHECK(amd_target_v2(9, 0, 12)->name() == "gfx90c:xnack-");
  CHECK(amd_target_v2(8, 0, 1)->name() == "gfx801:xnack+");
  CHECK(amd_target_v2(8, 0, 3)->name() == "gfx803");
  CHECK_FALSE(amd_target_v2(9, 9, 9));
  CHECK_FALSE(amd_target_v2(0xffffffff, 0, 0));
}

TEST_CASE("a family has its members and no others") {
  for (const auto* member : {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"}) {
    CHECK(is_member("gfx11-generic", member));
  }
  CHECK(is_member("gfx9-generic", "gfx900"));
  CHECK(is_member("gfx9-generic", "gfx906"));
  CHECK_FALSE(is_member("gfx9-generic", "gfx908"));
  CHECK_FALSE(is_member("gfx9-generic", "gfx90a"));
  CHECK(is_member("gfx9-4-generic", "gfx942"));
  CHECK(is_member("gfx9-4-generic", "gfx950"));
  CHECK(is_member("gfx10-1-generic", "gfx1013"));
  CHECK_FALSE(is_member("gfx10-1-generic", "gfx1030"));
  CHECK(is_member("gfx10-3-generic", "gfx1036"));
  CHECK(is_member("gfx12-generic", "gfx1201"));
  CHECK_FALSE(is_member("gfx12-generic", "gfx1100"));
  CHECK_FALSE(is_member("", "gfx908"));
  CHECK_FALSE(is_member("gfx13-generic", "gfx1300"));
}
