#include "pipeline.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "analyse/analyse.hpp"
#include "judge/judge.hpp"
#include "read/read.hpp"
#include "rules/rules.hpp"
#include "streams.hpp"

namespace gpucoop {
namespace {

// SOURCE_DATE_EPOCH (reproducible-builds.org) makes two runs give the same bytes.
std::string now() {
  std::time_t seconds = std::time(nullptr);
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH")) {
    char* end = nullptr;
    const long long value = std::strtoll(fixed, &end, 10);
    if (end != fixed && *end == '\0' && value >= 0) seconds = static_cast<std::time_t>(value);
  }
  std::tm utc{};
  char text[32] = "";
  if (::gmtime_r(&seconds, &utc) == nullptr || std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) {
    return "1970-01-01T00:00:00Z";
  }
  return text;
}

}  // namespace

Status nothing_to_read(const InputOptions& inputs) {
  if (inputs.from.empty()) {
    return Error{ExitCode::usage, "nothing to read: name a recorded host with --from FILE", "",
                 "on that host: sudo lspci -D -nnvvvxxxx > host.txt\nthen: gpucoop topo --from host.txt"};
  }
  if (std::count(inputs.from.begin(), inputs.from.end(), "-") > 1) {
    return Error{ExitCode::usage, "standard input can be read only once", "--from -", "name each input once"};
  }
  return std::nullopt;
}

Result<Report> load_report(const InputOptions& inputs) {
  if (const auto error = nothing_to_read(inputs)) return *error;
  std::vector<Input> read;
  for (const std::string& name : inputs.from) {
    auto bytes = read_file(name);
    if (!bytes) return bytes.error();
    read.push_back({name, std::move(bytes).value()});
  }
  const Rules& rules = builtin_rules();
  ReadOptions options;
  options.dump = inputs.dump;
  auto recording = read_inputs(read, rules, options);
  if (!recording) return recording.error();
  Report report;
  report.taken_at = now();
  report.topology = analyse(recording.value(), rules);
  report.judgement = judge(report.topology.facts, rules);
  return report;
}

Status no_gpu(const Report& report) {
  const Topology& topology = report.topology;
  if (std::any_of(topology.gpus.begin(), topology.gpus.end(), [](const Gpu& g) { return g.compute; })) {
    return std::nullopt;
  }
  if (!topology.lists_devices) {
    return Error{ExitCode::no_gpu, "the input lists no devices, so nothing can be said about GPUs", "",
                 "on that host: sudo lspci -D -nnvvvxxxx > host.txt"};
  }
  const std::string displays = topology.gpus.empty() ? "" : " (only displays that cannot compute)";
  if (topology.listing_complete.is(true)) {
    return Error{ExitCode::no_gpu, "no GPU: the listing is complete and holds none" + displays, "", ""};
  }
  return Error{ExitCode::no_gpu, "no GPU in this input" + displays + ", which may not list every device", "",
               "on that host: sudo lspci -D -nnvvvxxxx > host.txt"};
}

}  // namespace gpucoop
