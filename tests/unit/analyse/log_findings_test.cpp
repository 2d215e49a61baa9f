#include <doctest/doctest.h>

#include "analyse/build.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

TEST_CASE("a cause in the kernel log is told once for each device, with its first line and how many there are") {
  Host host;
  host.gpu("01:00.0");
  host.gpu("02:00.0");
  const auto line = [&](const char* cause, const char* text, Known<Address> device) {
    host.recording.log.push_back({cause, text, device, {}});
  };
  line("amdgpu-no-atomics", "amdgpu 0000:01:00.0: PCIE atomic ops is not supported", at("01:00.0"));
  line("amdgpu-no-atomics", "amdgpu 0000:01:00.0: PCIE atomic ops is not supported again", at("01:00.0"));
  line("amdgpu-no-atomics", "amdgpu 0000:02:00.0: PCIE atomic ops is not supported", at("02:00.0"));
  line("nvidia-gsp-timeout", "NVRM: timeout", {});
  line("no-such-cause", "x", {});
  const auto t = host.judge();
  REQUIRE(t.log.size() == 3);
  CHECK(t.log[0].cause == "amdgpu-no-atomics");
  CHECK(t.log[0].device.is(at("01:00.0")));
  CHECK(t.log[0].lines == 2);
  CHECK(t.log[0].text == "amdgpu 0000:01:00.0: PCIE atomic ops is not supported");
  CHECK_FALSE(t.log[0].title.empty());
  CHECK(t.log[1].device.is(at("02:00.0")));
  CHECK(t.log[1].lines == 1);
  CHECK(t.log[2].device.is_unknown());
}
