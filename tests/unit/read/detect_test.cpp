#include "read/detect.hpp"

#include <doctest/doctest.h>

#include "lspci_reading.hpp"

using namespace gpucoop;

namespace {

bool is(std::string_view bytes, InputKind kind) {
  const auto result = detect("f", bytes);
  return result.ok() && result.value() == kind;
}

std::string error_of(std::string_view bytes) {
  const auto result = detect("f", bytes);
  return result.ok() ? "" : result.error().what;
}

}  // namespace

TEST_CASE("XML is told by its root element, past declarations, comments and prose") {
  CHECK(is("<topology version=\"2.0\"></topology>", InputKind::hwloc_xml));
  CHECK(is("\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology>",
           InputKind::hwloc_xml));
  CHECK(is("<!-- dumped -->\n<system version=\"1\">", InputKind::nccl_xml));
  CHECK(is("Here it is:\n\n  <system version=\"1\">\n</system>\n", InputKind::nccl_xml));
  CHECK(is("<pre>\n01:00.0 VGA compatible controller: X Y\n</pre>", InputKind::text));
  CHECK(is("about <topology> files", InputKind::text));
}

TEST_CASE("text stays text") {
  CHECK(is("01:00.0 VGA compatible controller: X Y\n", InputKind::text));
  CHECK(is("\x1b[1m01:00.0\x1b[0m VGA compatible controller: X Y\n", InputKind::text));
  CHECK(is("caf\xc3\xa9\n", InputKind::text));
}

TEST_CASE("what cannot be read is refused with its reason") {
  CHECK(error_of("") == "the input is empty");
  CHECK(error_of(" \n\t\r\n") == "the input is empty");
  CHECK(error_of(std::string_view("\x7f"
                                  "ELF\0\0\1",
                                  7)) == "the input is binary data, no text");
  CHECK(error_of("\x1f\x8b\x08\x01\x02\x03\x04\x05\x06\x07\x01\x02") == "the input is binary data, no text");
  CHECK(error_of(std::string_view("\xff\xfe"
                                  "0\0",
                                  4)) == "the input is UTF-16 text");
  CHECK(error_of("<?xml version=\"1.0\"?><svg></svg>").find("neither") != std::string::npos);
}

TEST_CASE("a text without any device, tree or kernel line is bad input") {
  const auto prose = reading::try_read("Dear all,\nmy cards do not work.\n");
  REQUIRE_FALSE(prose.ok());
  CHECK(prose.error().code == ExitCode::bad_input);
  CHECK(prose.error().where == "host.txt");
  CHECK(prose.error().next.find("sudo lspci -D -nnvvvxxxx") != std::string::npos);
  const auto headless =
      reading::try_read("hello\nVGA compatible controller: Example Corp. Card\n\tLnkSta: Speed 8GT/s\n");
  REQUIRE_FALSE(headless.ok());
  CHECK(headless.error().where == "host.txt:2");
}

TEST_CASE("a list with devices but no GPU is valid") {
  const auto r = reading::read("00:00.0 Host bridge: Example Corp. Root\n");
  CHECK(r.lists_devices);
}
