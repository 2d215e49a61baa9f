// The whole way of `gpucoop topo --from FILE`: any bytes in, a report in both forms out.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "analyse/analyse.hpp"
#include "judge/judge.hpp"
#include "read/read.hpp"
#include "render/render.hpp"
#include "rules/rules.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpucoop;
  const Rules& rules = builtin_rules();
  // The first host, so that inputs which hold two are read to the end as well.
  ReadOptions options;
  options.dump = 1;
  std::string bytes(data, data + size);
  const auto recording = read_inputs({Input{"fuzz", std::move(bytes)}}, rules, options);
  if (!recording.ok()) return 0;
  Report report;
  report.taken_at = "2026-01-01T00:00:00Z";
  report.topology = analyse(recording.value(), rules);
  report.judgement = judge(report.topology.facts, rules);
  // Whatever was in the input: one line break at the end, and no control characters but line breaks.
  for (const std::string& text : {render_text(report, TextOptions{}), render_json(report)}) {
    if (text.empty() || text.back() != '\n') std::abort();
    for (const char c : text) {
      if (static_cast<unsigned char>(c) < 0x20 && c != '\n') std::abort();
    }
  }
  return 0;
}
