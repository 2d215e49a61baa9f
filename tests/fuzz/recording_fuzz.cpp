// Recordings: any bytes in. What is accepted is written and read again to the same, and its texts are admitted ones.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "analyse/analyse.hpp"
#include "judge/judge.hpp"
#include "read/recording/recording.hpp"
#include "render/render.hpp"
#include "rules/rules.hpp"

namespace {

using namespace gpucoop;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Rules& rules = builtin_rules();
  const auto read = read_recording("fuzz.json", {reinterpret_cast<const char*>(data), size});
  if (!read) {
    const auto& error = read.error();
    require(error.code == ExitCode::bad_input && !error.what.empty() && !error.next.empty());
    require(error.where.rfind("fuzz.json", 0) == 0);
    return 0;
  }
  const auto& recording = read.value();
  require(recording.sources.size() == 1 && recording.holders.empty() && !recording.live);
  for (std::size_t i = 1; i < recording.devices.size(); ++i) {
    require(recording.devices[i - 1].address < recording.devices[i].address);
  }
  const auto written = write_recording(recording, rules);
  for (const char c : written) require((c >= ' ' && c <= '~') || c == '\n');
  const auto again = read_recording("fuzz.json", written);
  require(again.ok());
  require(write_recording(again.value(), rules) == written);

  Report report;
  report.taken_at = "2026-01-01T00:00:00Z";
  report.topology = analyse(recording, rules);
  report.judgement = judge(report.topology.facts, rules);
  require(!render_text(report, TextOptions{}).empty() && !render_json(report).empty());
  return 0;
}
