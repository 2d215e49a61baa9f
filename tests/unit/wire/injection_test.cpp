#include "wire/injection.hpp"

#include <doctest/doctest.h>

namespace gpucoop::wire {
namespace {

Injection parsed(std::string_view spec) {
  const auto result = parse_injection(spec, 4);
  INFO(std::string(spec));
  REQUIRE(result.ok());
  return result.value();
}

std::string refused(std::string_view spec) {
  const auto result = parse_injection(spec, 4);
  INFO(std::string(spec));
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code == ExitCode::usage);
  CHECK(result.error().where == "--inject " + std::string(spec));
  return result.error().what + "; " + result.error().next;
}

TEST_CASE("a fault may have a rank and a place") {
  auto fault = parsed("hang:rank1@all_reduce");
  CHECK(fault.fault == Injection::Fault::hang);
  CHECK(fault.rank == 1U);
  CHECK(fault.where == "all_reduce");
  fault = parsed("crash");
  CHECK(fault.fault == Injection::Fault::crash);
  CHECK_FALSE(fault.rank.has_value());
  CHECK(fault.where.empty());
  CHECK(parsed("wrong-data@p2p.write").where == "p2p.write");
  for (const std::string_view spec : {"hang:rank1@all_reduce", "wrong-data:rank0@p2p.write", "crash", "slow:rank3",
                                      "refuse@ccl.init", "exit", "garbage", "global-state"}) {
    CHECK(to_string(parsed(spec)) == spec);
  }
}

TEST_CASE("what cannot be is refused, with what was meant") {
  CHECK(refused("hagn") == "`hagn` is no fault; did you mean `hang`?");
  CHECK(refused("") ==
        "`` is no fault; faults are hang, wrong-data, crash, slow, refuse, exit, garbage, spin, global-state");
  CHECK(refused("hang:rank4") == "there is no rank 4; ranks are 0 to 3");
  CHECK(refused("hang:1") == "`1` is no rank; write it like `rank1`");
  CHECK(refused("hang:rank") == "`rank` is no rank; write it like `rank1`");
  CHECK(refused("hang:rank-1") == "`rank-1` is no rank; write it like `rank1`");
  CHECK(refused("hang@all_redcue").find("`all_redcue` is neither a rung nor an operation nor a group; did you mean ") ==
        0);
  CHECK(refused("hang@dp1x").find("`dp1x` is neither a rung") == 0);
  CHECK(refused("hang@1").find("`1` is neither a rung") == 0);
  CHECK(refused("hang@dp").find("`dp` is neither a rung") == 0);
  CHECK(refused("wrong-data:rank1@dp1").find("`wrong-data` is a fault of results, not of a group; name an") == 0);
  CHECK(refused("hang@").find("`` is neither a rung nor an operation nor a group") == 0);
  CHECK(refused("global-state:rank1").find("`global-state` is a property of the library") == 0);
}

TEST_CASE("a fault strikes where it was told to") {
  const auto fault = parsed("hang:rank1@all_reduce");
  CHECK(fault.strikes(1, "ccl.allreduce", "all_reduce"));
  CHECK(fault.strikes(1, "ccl.switching", "all_reduce"));
  CHECK_FALSE(fault.strikes(0, "ccl.allreduce", "all_reduce"));
  CHECK_FALSE(fault.strikes(1, "ccl.broadcast", "broadcast"));
  CHECK_FALSE(fault.in_group());
  CHECK(parsed("hang:rank1@dp1").in_group());
  CHECK(parsed("hang:rank1@dp1").strikes(1, "ccl.switching", "all_reduce", "dp1"));
  CHECK_FALSE(parsed("hang:rank1@dp1").strikes(1, "ccl.switching", "all_reduce", "dp0"));
  CHECK_FALSE(parsed("hang:rank1@dp1").strikes(1, "ccl.subgroups", "all_reduce"));
  CHECK(parsed("spin@attn_tp0").in_group());
  CHECK(parsed("hang@allreduce").strikes(3, "ccl.allreduce", ""));
  CHECK(parsed("hang@ccl.allreduce").strikes(3, "ccl.allreduce", "all_reduce"));
  CHECK_FALSE(parsed("hang@ccl.allreduce").strikes(3, "ccl.switching", "all_reduce"));
  CHECK(parsed("hang").strikes(2, "gpu.dispatch", ""));
  CHECK(parsed("wrong-data@kernel").strikes(2, "p2p.write", "kernel"));
  CHECK_FALSE(parsed("wrong-data@kernel").strikes(2, "p2p.write", "copy-engine"));
}

}  // namespace
}  // namespace gpucoop::wire
