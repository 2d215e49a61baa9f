#include <doctest/doctest.h>

#include <string>

#include "read/detect.hpp"
#include "read/read.hpp"
#include "read/recording/recording.hpp"
#include "rules/rules.hpp"

using namespace gpucoop;

namespace {

const std::string kHead = R"({"schema":"gpucoop.recording/1",)";

Error refused(const std::string& bytes) {
  const auto result = read_recording("host.json", bytes);
  if (result.ok()) FAIL("accepted: " << bytes.substr(0, 200));
  CHECK(result.error().code == ExitCode::bad_input);
  CHECK_FALSE(result.error().next.empty());
  return result.error();
}

Recording taken(const std::string& bytes) {
  auto result = read_recording("host.json", bytes);
  if (!result.ok()) FAIL(result.error().where << ": " << result.error().what);
  return result.value();
}

std::string device(const std::string& rest) { return kHead + R"("devices":[{"address":"0000:01:00.0")" + rest + "}]}"; }

}  // namespace

TEST_CASE("recordings: no JSON is told by line") {
  CHECK(refused("{\n\"schema\": \"gpucoop.recording/1\",\n\"devices\": [\n").where == "host.json:4");
  CHECK(refused("{\n\"schema\": oops\n}").where == "host.json:2");
  CHECK(refused(kHead + "\"devices\":[]} trailing").where == "host.json:1");
  CHECK(refused("[]").what == "is no JSON object");
}

TEST_CASE("recordings: another schema is refused") {
  CHECK(refused("{}").what.find("`schema` is missing") != std::string::npos);
  CHECK(refused(R"({"schema":7})").where == "host.json: /schema");
  CHECK(refused(R"({"schema":"other/1"})").what == "is JSON, but no recording of gpucoop");
  CHECK(refused(R"({"schema":"gpucoop.recording/2"})").next == "read it with a newer gpucoop");
  CHECK(refused(R"({"schema":"gpucoop.report/1"})").what.find("is a report") != std::string::npos);
}

TEST_CASE("recordings: wrong types are refused by JSON pointer") {
  CHECK(refused(kHead + R"("devices":{}})").where == "host.json: /devices");
  CHECK(refused(kHead + R"("devices":[7]})").where == "host.json: /devices/0");
  CHECK(refused(kHead + R"("devices":[{}]})").what == "`address` is missing");
  CHECK(refused(kHead + R"("host":[]})").where == "host.json: /host");
  CHECK(refused(kHead + R"("host":{"kernel":6}})").where == "host.json: /host/kernel");
  CHECK(refused(kHead + R"("lists_devices":"yes"})").where == "host.json: /lists_devices");
  CHECK(refused(device(R"(,"vendor_id":4098)")).where == "host.json: /devices/0/vendor_id");
  CHECK(refused(device(R"(,"express":true)")).where == "host.json: /devices/0/express");
  CHECK(refused(device(R"(,"express":{"width":"x16"})")).where == "host.json: /devices/0/express/width");
  CHECK(refused(device(R"(,"express":{"width":1.5})")).what == "has to be a whole number");
  CHECK(refused(device(R"(,"express":{"speed_gts":"16"})")).where == "host.json: /devices/0/express/speed_gts");
  CHECK(refused(device(R"(,"express":{"unknown":3})")).where == "host.json: /devices/0/express/unknown");
  CHECK(refused(device(R"(,"lost":null)")).where == "host.json: /devices/0/lost");
  CHECK(refused(device(R"(,"bars":[{"index":-1}])")).where == "host.json: /devices/0/bars/0/index");
  CHECK(refused(device(R"(,"bars":[{"size":1}])")).what == "`index` is missing");
  CHECK(refused(kHead + R"("log":[{"text":"x"}]})").what == "`cause` is missing");
  CHECK(refused(kHead + R"("fabric":[{"a":"0000:01:00.0","b":"0000:02:00.0","kind":"tin"}]})").where ==
        "host.json: /fabric/0/kind");
}

TEST_CASE("recordings: devices are in order and there once; addresses are addresses") {
  for (const auto* address : {"01:00", "0000:01:20.0", "0000:01:00.8", "0000:1:00.0", "000000000:01:00.0", "", "x"}) {
    CHECK_MESSAGE(
        refused(kHead + R"("devices":[{"address":")" + address + "\"}]}").where == "host.json: /devices/0/address",
        address);
  }
  const auto two = [](const char* a, const char* b) {
    return kHead + R"("devices":[{"address":")" + a + R"("},{"address":")" + b + "\"}]}";
  };
  CHECK(refused(two("0000:01:00.0", "0000:01:00.0")).what == "0000:01:00.0 is there twice");
  CHECK(refused(two("0000:02:00.0", "0000:01:00.0")).where == "host.json: /devices/1");
  CHECK(taken(two("0000:01:00.0", "10000:01:00.0")).devices.size() == 2);
}

TEST_CASE("recordings: values that cannot be are unknown, and it is said") {
  const auto r =
      taken(device(R"(,"vendor_id":"100","express":{"width":3,"speed_gts":17,"type":"Teapot","max_payload":70000},)"
                   R"("driver":"/home/x","revision":"0G","numa_node":-9999999999)"));
  const auto& d = r.devices.at(0);
  const auto damaged = [](const auto& value) { return value.is_unknown() && value.reason() == Reason::damaged; };
  CHECK(damaged(d.vendor_id));
  CHECK(damaged(d.express.value().width));
  CHECK(damaged(d.express.value().speed));
  CHECK(damaged(d.express.value().type));
  CHECK(damaged(d.express.value().max_payload));
  CHECK(damaged(d.driver));
  CHECK(damaged(d.revision));
  CHECK(damaged(d.numa_node));
  REQUIRE(r.warnings.size() == 1);
  CHECK(r.warnings[0].code == "recording.damaged");
  CHECK(r.warnings[0].text.find("/devices/0/vendor_id, and 7 more") != std::string::npos);
}

TEST_CASE("recordings: what a newer version adds is left out, and it is said") {
  const auto r = taken(kHead + R"("tool":{"name":"gpucoop","version":"9.1.0"},"sources":["live"],"new":[1,{"x":2}],)" +
                       R"("devices":[{"address":"0000:01:00.0","colour":"red","lost":true}]})");
  CHECK(r.devices.at(0).lost);
  REQUIRE(r.warnings.size() == 1);
  CHECK(r.warnings[0].code == "recording.unknown-key");
  CHECK(r.warnings[0].text.find("gpucoop 9.1.0") != std::string::npos);
  CHECK(r.warnings[0].where == "host.json");
  CHECK(taken(device(R"(,"vendor_id":{"unknown":"because"})")).devices.at(0).vendor_id.is_unknown());
}

TEST_CASE("recordings: nothing is larger or deeper than a recording is") {
  std::string deep = kHead + "\"x\":";
  for (int i = 0; i < 100000; ++i) deep += '[';
  CHECK(refused(deep).what == "is nested deeper than any recording");
  std::string wide = kHead + "\"x\":[0";
  for (int i = 0; i < 3000000; ++i) wide += ",0";
  CHECK(refused(wide + "]}").what == "holds more values than any recording");
  std::string entries = kHead + "\"devices\":[7";
  for (int i = 0; i < 70000; ++i) entries += ",7";
  CHECK(refused(entries + "]}").what == "is longer than on any host");
  CHECK(refused(std::string(std::size_t{33} << 20, ' ')).what.find("larger") != std::string::npos);
}

TEST_CASE("recordings are known by their content") {
  CHECK(detect("x", "{}").value() == InputKind::recording);
  CHECK(detect("x", " \xef\xbb\xbf{").value() != InputKind::recording);
  CHECK(detect("x", "\xef\xbb\xbf \n{ \"schema\": 1}").value() == InputKind::recording);
  CHECK(detect("x", "{code}\n00:00.0 Host bridge: X\n").value() == InputKind::text);
}

TEST_CASE("recordings go together with other sources of the host, not of another") {
  const Input recording{"host.json", device(R"(,"vendor_id":"10de","device_id":"2204","class_code":"0300")")};
  const Input text{"lspci.txt",
                   "01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA102 [10de:2204]\n"
                   "\tKernel driver in use: nvidia\n"};
  const auto both = read_inputs({recording, text}, builtin_rules(), {});
  REQUIRE(both.ok());
  REQUIRE(both.value().devices.size() == 1);
  CHECK(both.value().devices[0].driver.is("nvidia"));
  CHECK(both.value().sources.at(0).kind == SourceKind::recording);
  const Input other{"other.json", device(R"(,"vendor_id":"1002","device_id":"7551","class_code":"0300")")};
  const auto two = read_inputs({recording, other}, builtin_rules(), {});
  REQUIRE_FALSE(two.ok());
  CHECK(two.error().what.find("(host.json)") != std::string::npos);
  CHECK(two.error().what.find("(other.json)") != std::string::npos);
}
