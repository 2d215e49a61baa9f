// Reports: any bytes in, as results of probes and as one side of a difference. What is accepted names no simulated GPU,
// can be put into a recording and out again, and differs from itself in nothing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "analyse/measured.hpp"
#include "judge/diff.hpp"
#include "judge/judge.hpp"
#include "read/recording/recording.hpp"
#include "read/report/report.hpp"
#include "render/diff.hpp"
#include "render/render.hpp"
#include "rules/rules.hpp"

namespace {

using namespace gpucoop;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_error(const Error& error) {
  require(error.code == ExitCode::bad_input && !error.what.empty() && !error.next.empty());
  require(error.where.rfind("fuzz.json", 0) == 0);
}

void check_results(std::string_view bytes, const Report* report) {
  const Rules& rules = builtin_rules();
  const auto results = read_measurements("fuzz.json", bytes, rules);
  if (!results) return check_error(results.error());
  const auto& measured = results.value().measured;
  require(!measured.empty() && !measured.simulated);
  for (const auto& fact : measured.facts) require(find_fact_rule(rules, fact.id) != nullptr || report == nullptr);

  Recording recording;
  recording.sources = {{"fuzz.json", SourceKind::recording}};
  recording.measured = measured;
  const auto written = write_recording(recording, rules);
  const auto again = read_recording("fuzz.json", written);
  require(again.ok() && write_recording(again.value(), rules) == written);

  if (report == nullptr) return;
  Topology topology = report->topology;
  const auto count = topology.facts.size();
  if (const auto error = add_measurements(topology, measured, rules)) {
    require(error->code == ExitCode::bad_input && topology.facts.size() == count);
    return;
  }
  Report own = *report;
  own.topology = topology;
  own.judgement = judge(topology.facts, rules);
  require(!render_text(own, TextOptions{}).empty() && !render_json(own).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto report = read_report("fuzz.json", bytes);
  if (!report) check_error(report.error());
  check_results(bytes, report.ok() ? &report.value() : nullptr);
  if (!report) return 0;
  const auto& rules = builtin_rules();
  require(diff(report.value(), report.value(), rules, true).empty());
  const auto changed = diff(Report{}, report.value(), rules, true);
  require(!render_diff_text(changed, TextOptions{}).empty() && !render_diff_json(changed).empty());
  return 0;
}
