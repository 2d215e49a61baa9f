#include "read/live/config_file.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "read/config/decode.hpp"
#include "read/config_builder.hpp"
#include "read/recording/recording.hpp"
#include "rules/rules.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

/// What is decoded, in the words of a recording.
std::string decoded(const std::vector<std::uint8_t>& bytes, const ConfigAccess& access, std::size_t& asked) {
  const Descriptor file(::memfd_create("config", MFD_CLOEXEC));
  REQUIRE(::write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  ConfigSpace space(Reason::no_root);
  read_config_file(file, access, space);
  asked = 0;
  for (std::size_t at = 0; at < ConfigSpace::kSize; at += 4) asked += space.has(at, 4) ? 1U : 0U;
  Recording recording;
  recording.devices.resize(1);
  decode_config(space, recording.devices[0]);
  return write_recording(recording, builtin_rules());
}

ConfigBuilder gpu() {
  ConfigBuilder b;
  b.u16(0x0a, 0x0302).u16(0x2c, 0x10de).u16(0x2e, 0x18bf).express(2, 0);
  b.u32(0x10, 0x0000000c).u32(0x14, 0x10);
  b.extended(0x100, 0x01, 0x148).u32(0x104, 0x10).u32(0x110, 0x2000).extended(0x148, 0x15);
  return b;
}

ConfigBuilder port() {
  ConfigBuilder b;
  b.bridge(0, 1, 1).u16(0x0a, 0x0604).express(2, 4, true).u32(ConfigBuilder::kExpress + 0x14, 0x00080040);
  b.extended(0x100, 0x0d).u16(0x104, 0x5f).u16(0x106, 0x1d);
  return b;
}

}  // namespace

TEST_CASE("configuration space: the few registers that are asked of a device say what all of them say") {
  const ConfigAccess all{true, true};
  const ConfigAccess few{false, true};
  std::size_t asked = 0;
  for (const auto& bytes : {gpu().bytes(), port().bytes(), std::vector<std::uint8_t>(4096, 0xff)}) {
    for (const std::size_t most : {64U, 256U, 4096U}) {
      auto readable = bytes;
      readable.resize(most);
      const auto whole = decoded(readable, all, asked);
      CHECK(asked == most / 4);
      CHECK(decoded(readable, few, asked) == whole);
      CHECK(asked < 60);
    }
  }
}

TEST_CASE("configuration space: Base Address Registers are asked only of what may be a GPU, where sysfs has them") {
  const ConfigAccess fewest{false, false};
  std::size_t asked = 0;
  CHECK(decoded(gpu().bytes(), fewest, asked).find("\"bars\":[{\"index\":0") != std::string::npos);
  const auto with = asked;
  auto other = gpu();
  other.u16(0x0a, 0x0200);
  CHECK(decoded(other.bytes(), fewest, asked).find("\"subsystem_device_id\":\"18bf\"") != std::string::npos);
  CHECK(asked == with - 10);
  CHECK(decoded(port().bytes(), fewest, asked).find("\"buses\":{\"primary\":\"00\",\"secondary\":\"01\"") !=
        std::string::npos);
}

TEST_CASE("configuration space: without the right to see more, what lies beyond the header is so for want of it") {
  auto bytes = gpu().u16(0x0a, 0x0200).bytes();
  bytes.resize(64);
  std::size_t asked = 0;
  CHECK(decoded(bytes, {false, false}, asked).find("\"express\":{\"unknown\":\"no-root\"}") != std::string::npos);
}
