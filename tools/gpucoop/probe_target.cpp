#include "probe_target.hpp"

#include <algorithm>
#include <utility>

#include "analyse/measured.hpp"
#include "judge/judge.hpp"
#include "pipeline.hpp"
#include "probe/simulated.hpp"

namespace gpucoop {
namespace {

constexpr unsigned kUsualRanks = 2;
constexpr const char* kAnyone = "anyone can see what a probe does, without GPUs: gpucoop probe --backend host";

/// The backend for the GPUs of a vendor; null where this version has none.
const char* backend_for(Vendor vendor) { return vendor == Vendor::nvidia ? "cuda" : nullptr; }

std::string name_of(Vendor vendor) {
  switch (vendor) {
    case Vendor::amd: return "AMD";
    case Vendor::nvidia: return "NVIDIA";
    case Vendor::intel: return "Intel";
    case Vendor::other: break;
  }
  return "such";
}

Result<ProbeTarget> choose_gpus(const ProbeOptions& options, const Rules& rules) {
  ProbeTarget target;
  if (options.gpus) {
    auto parsed = parse_gpu_selection(*options.gpus);
    if (!parsed) return parsed.error();
    target.selection = std::move(parsed).value();
  }
  auto recording = load_recording({}, rules);
  if (!recording) return recording.error();
  target.recording = std::move(recording).value();
  auto report = judge_recording(target.recording, rules, target.selection);
  if (!report) return report.error();
  if (auto none = no_gpu(report.value())) {
    none->next = kAnyone;
    return *none;
  }
  const auto& sets = report.value().judgement.sets;
  if (sets.empty()) {
    return Error{ExitCode::no_gpu, "no GPU here has a driver that computes", "",
                 std::string("gpucoop topo    # says what stands in the way\n") + kAnyone};
  }
  target.devices = sets.front().gpus;
  const auto* gpu = find_gpu(report.value().topology, target.devices.front());
  const auto vendor = gpu == nullptr ? Vendor::other : gpu->vendor;
  const auto* backend = backend_for(vendor);
  if (backend == nullptr) {
    return Error{ExitCode::no_gpu, "this version has no probes for " + name_of(vendor) + " GPUs", "", kAnyone};
  }
  if (options.backend != "auto" && options.backend != backend) {
    return Error{ExitCode::no_gpu, "the " + options.backend + " backend does not serve " + name_of(vendor) + " GPUs",
                 "", "leave --backend out"};
  }
  target.backend = backend;
  target.topology = std::move(report.value().topology);
  return target;
}

ProbeTarget simulated(unsigned ranks) {
  ProbeTarget target;
  target.backend = "host";
  target.simulated = true;
  target.topology = probe::simulated_topology(ranks);
  for (const auto& gpu : target.topology.gpus) target.devices.push_back(gpu.address);
  return target;
}

}  // namespace

Result<ProbeTarget> choose_target(const ProbeOptions& options, const Rules& rules) {
  if (options.backend == "host") return simulated(options.ranks.value_or(kUsualRanks));
  return choose_gpus(options, rules);
}

probe::Ceilings ceilings_of(const Topology& topology) {
  probe::Ceilings ceilings;
  for (const auto& gpu : topology.gpus) {
    if (gpu.link.ceiling_gbytes_per_s.is_known()) ceilings.host[gpu.address] = gpu.link.ceiling_gbytes_per_s.value();
  }
  for (const auto& pair : topology.pairs) {
    const auto& most = pair.fabric.is_known() ? pair.fabric.value().gbytes_per_s : pair.ceiling_gbytes_per_s;
    if (!pair.fabric.is_unknown() && most.is_known()) ceilings.pair[std::minmax(pair.a, pair.b)] = most.value();
  }
  return ceilings;
}

Result<Report> report_of(const ProbeTarget& target, Measurements measured, const Rules& rules) {
  measured.fingerprint = target.topology.host.fingerprint;
  if (!target.simulated) {
    auto recording = target.recording;
    recording.measured = std::move(measured);
    return judge_recording(recording, rules, target.selection);
  }
  Report report;
  report.topology = target.topology;
  if (auto error = add_measurements(report.topology, measured, rules)) return *error;
  report.taken_at = measured.taken_at;
  report.measured_at = measured.taken_at;
  report.simulated = true;
  report.probes = std::move(measured.runs);
  report.judgement = judge(report.topology.facts, rules);
  return report;
}

}  // namespace gpucoop
