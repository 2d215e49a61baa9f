#include "pipeline.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <utility>
#include <vector>

#include "analyse/analyse.hpp"
#include "analyse/measured.hpp"
#include "judge/judge.hpp"
#include "libraries.hpp"
#include "read/live/live.hpp"
#include "read/read.hpp"
#include "read/recording/recording.hpp"
#include "read/report/report.hpp"
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
  constexpr std::time_t kLast = 253402300799;  // the end of the year 9999: years have four digits
  if (seconds > kLast) return "1970-01-01T00:00:00Z";
  // Not gmtime: that reads the host's time zone first.
  const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

Result<std::vector<Input>> read_files(const std::vector<std::string>& names) {
  std::vector<Input> inputs;
  for (const std::string& name : names) {
    auto bytes = read_file(name);
    if (!bytes) return bytes.error();
    inputs.push_back({name, std::move(bytes).value()});
  }
  return inputs;
}

Roots roots_of(const InputOptions& inputs) {
  const bool copy = inputs.sysroot && std::filesystem::path(*inputs.sysroot).lexically_normal() != "/";
  return copy ? Roots::below(*inputs.sysroot) : Roots();
}

Result<Recording> read_host(const InputOptions& inputs, const Rules& rules) {
  const auto files = read_files(inputs.from);
  if (!files) return files.error();
  if (!inputs.sysroot && !files.value().empty()) {
    ReadOptions options;
    options.dump = inputs.dump;
    return read_inputs(files.value(), rules, options);
  }
  auto recording = read_live(roots_of(inputs), rules);
  if (!recording) return recording;
  recording.value().taken_at = now();
  if (!files.value().empty()) recording = read_inputs_over(std::move(recording).value(), files.value(), rules);
  if (recording) admit(recording.value(), rules);
  return recording;
}

/// The host and its collective libraries. `hash`: of these, too.
Result<Recording> read_with_libraries(const InputOptions& inputs, const Rules& rules, bool hash) {
  auto recording = read_host(inputs, rules);
  if (!recording) return recording;
  const bool live = inputs.sysroot || inputs.from.empty();
  if (auto error = take_libraries(recording.value(), inputs, live, hash, rules)) return *error;
  return recording;
}

/// The results in the file become the recording's, whose own they replace.
Status take_results(Recording& recording, const std::string& name, const Rules& rules) {
  const auto bytes = read_file(name);
  if (!bytes) return bytes.error();
  auto results = read_measurements(name, bytes.value(), rules);
  if (!results) return results.error();
  if (!recording.measured.empty()) {
    recording.warnings.push_back({"probe-results.replaced",
                                  "The results of probes of " + recording.measured.taken_at.substr(0, 10) +
                                      " in the recording are not used, but those that were given.",
                                  name});
  }
  recording.measured = std::move(results.value().measured);
  auto& warnings = results.value().warnings;
  recording.warnings.insert(recording.warnings.end(), warnings.begin(), warnings.end());
  return std::nullopt;
}

/// What was read, with the results of probes in that file where one is named.
Result<Recording> read_with_results(const InputOptions& inputs, const Rules& rules, const std::string& probe_results,
                                    bool hash = false) {
  auto recording = read_with_libraries(inputs, rules, hash);
  if (!recording || probe_results.empty()) return recording;
  if (auto error = take_results(recording.value(), probe_results, rules)) return *error;
  return recording;
}

/// What follows from a recording and what was measured. `file` holds the results of probes, for the error where they
/// are of another host.
Result<Topology> analysed(const Recording& recording, const std::string& file, const Rules& rules) {
  auto topology = analyse(recording, rules);
  if (auto error = add_measurements(topology, recording.measured, rules)) {
    error->where = file;
    return *error;
  }
  return topology;
}

Result<Report> judged(const Recording& recording, const std::string& file, const Rules& rules,
                      const std::optional<GpuSelection>& selection) {
  auto topology = analysed(recording, file, rules);
  if (!topology) return topology.error();
  Report report;
  report.taken_at = recording.taken_at.empty() ? now() : recording.taken_at;
  report.topology = std::move(topology).value();
  report.probes = recording.measured.runs;
  report.measured_at = recording.measured.taken_at;
  JudgeOptions options;
  if (selection && !no_gpu(report)) {
    auto gpus = find_selected(*selection, report.topology);
    if (!gpus) return gpus.error();
    options.gpus = std::move(gpus).value();
  }
  report.judgement = judge(report.topology.facts, rules, options);
  return report;
}

/// Where this host, whose devices are listed, hides GPUs that its machine may have.
std::string next_without_gpu(const HostSummary& host) {
  if (host.kernel.is_known() && host.kernel.value().find("microsoft-standard") != std::string::npos) {
    return "this is WSL, which shows GPUs to their own programs and not as PCI devices: judge a recorded host with "
           "--from FILE";
  }
  if (host.container.is_known()) {
    return "in a container: run it on the host, or in a container that is given the GPUs; to judge a recorded host: "
           "gpucoop topo --from FILE";
  }
  return "to judge a recorded host: gpucoop topo --from FILE";
}

Status no_gpu_in_host(const Topology& topology, const std::string& displays) {
  if (!topology.lists_devices) {
    return Error{ExitCode::no_gpu,
                 "no PCI devices: the kernel does not list any here, so nothing can be said about GPUs", "",
                 "in a container: run it on the host, or judge a recorded one with --from FILE"};
  }
  if (topology.listing_complete.is(true)) {
    return Error{ExitCode::no_gpu, "no GPU: the kernel lists every PCI device, and none is one" + displays, "",
                 next_without_gpu(topology.host)};
  }
  return Error{ExitCode::no_gpu, "no GPU among the PCI devices that may be read here" + displays, "",
               "in a container: run it on the host"};
}

}  // namespace

Result<Recording> load_recording(const InputOptions& inputs, const Rules& rules, const std::string& probe_results) {
  auto recording = read_with_results(inputs, rules, probe_results, true);
  if (!recording || probe_results.empty()) return recording;
  // Nothing else here would see that they are of another host.
  const auto topology = analysed(recording.value(), probe_results, rules);
  if (!topology) return topology.error();
  return recording;
}

Result<Report> load_report(const InputOptions& inputs, const Rules& rules, const std::string& probe_results,
                           const std::optional<GpuSelection>& selection) {
  const auto recording = read_with_results(inputs, rules, probe_results);
  if (!recording) return recording.error();
  const std::string file = !probe_results.empty() ? probe_results : inputs.from.empty() ? "" : inputs.from.front();
  return judged(recording.value(), file, rules, selection);
}

Result<Report> judge_recording(const Recording& recording, const Rules& rules,
                               const std::optional<GpuSelection>& selection) {
  return judged(recording, "", rules, selection);
}

std::string current_time() { return now(); }

Result<Report> load_reading(const std::string& file, const Rules& rules) {
  auto bytes = read_file(file);
  if (!bytes) return bytes.error();
  if (is_report(bytes.value())) return read_report(file, bytes.value());
  const auto recording = read_inputs({{file, std::move(bytes).value()}}, rules, {});
  if (!recording) return recording.error();
  return judged(recording.value(), file, rules, std::nullopt);
}

Status no_gpu(const Report& report) {
  const Topology& topology = report.topology;
  if (std::any_of(topology.gpus.begin(), topology.gpus.end(), [](const Gpu& g) { return g.compute; })) {
    return std::nullopt;
  }
  const std::string displays = topology.gpus.empty() ? "" : " (only displays that cannot compute)";
  if (topology.host.source == SourceKind::live) return no_gpu_in_host(topology, displays);
  if (!topology.lists_devices) {
    return Error{ExitCode::no_gpu, "the input lists no devices, so nothing can be said about GPUs", "",
                 "on that host: sudo lspci -D -nnvvvxxxx > host.txt"};
  }
  if (topology.listing_complete.is(true)) {
    return Error{ExitCode::no_gpu, "no GPU: the listing is complete and holds none" + displays, "", ""};
  }
  return Error{ExitCode::no_gpu, "no GPU in this input" + displays + ", which may not list every device", "",
               "on that host: sudo lspci -D -nnvvvxxxx > host.txt"};
}

}  // namespace gpucoop
