#include "probe_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "pipeline.hpp"
#include "probe/outcome.hpp"
#include "render/probe.hpp"

namespace gpucoop {
namespace {

constexpr const char* kNotRun = "nothing was run (--dry-run)";

std::string what_of(const probe::Planned& planned) {
  const auto& step = planned.step;
  std::string text = step.sequence.empty() ? step.op : step.sequence;
  for (const auto& word : {step.dtype, step.reduce}) text += word.empty() ? "" : (text.empty() ? "" : " ") + word;
  if (step.sequence.empty() && !step.groups.empty()) {
    const auto& name = step.groups.front().name;
    text = step.op + " within " + name.substr(0, name.find_last_not_of("0123456789") + 1);
  }
  if (!step.sequence.empty()) text = step.sequence + ", " + probe::in_words(step.sync);
  return text.empty() ? planned.rung->what : text;
}

std::string who_of(const probe::Planned& planned, std::size_t subjects) {
  if (planned.rung->who == probe::Who::all) return "all " + std::to_string(planned.gpus.size());
  if (planned.rung->who == probe::Who::each) return "each of " + std::to_string(subjects);
  return std::to_string(subjects) + (subjects == 1 ? " pair" : " pairs");
}

std::vector<PlanLine> lines_of(const std::vector<probe::Planned>& plan) {
  std::vector<PlanLine> lines;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const auto& planned = plan[i];
    const auto alike = [&](const probe::Planned& other) {
      return other.rung == planned.rung && what_of(other) == what_of(planned) &&
             other.step.sizes == planned.step.sizes && other.step.groups.size() == planned.step.groups.size();
    };
    if (std::any_of(plan.begin(), plan.begin() + static_cast<std::ptrdiff_t>(i), alike)) continue;
    const auto subjects = static_cast<std::size_t>(std::count_if(plan.begin(), plan.end(), alike));
    PlanLine line;
    line.rung = planned.rung->id;
    line.who = who_of(planned, subjects);
    line.what = what_of(planned);
    if (planned.on_demand) line.what += " (only after a failure)";
    line.sizes = probe::sizes_in_words(planned.step.sizes);
    line.deadline = fmt::format("{:g} s", static_cast<double>(planned.deadline.count()) / 1000);
    line.skip = planned.skip;
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

Result<std::string> render_dry_run(const ProbeTarget& target, const probe::RunSetup& setup,
                                   const OutputOptions& options, const Rules& rules) {
  const auto plan = probe::make_plan(setup.wish);
  if (options.format == Format::json) {
    Measurements measured;
    measured.taken_at = current_time();
    measured.simulated = target.simulated;
    const probe::Context context{target.backend, {}, target.simulated};
    for (const auto& planned : plan) {
      auto run = probe::skipped_run(planned, planned.skip.empty() ? kNotRun : planned.skip, context);
      if (!planned.step.sizes.empty()) {
        run.bytes = *std::max_element(planned.step.sizes.begin(), planned.step.sizes.end());
      }
      measured.runs.push_back(std::move(run));
    }
    auto report = report_of(target, std::move(measured), rules);
    if (!report) return report.error();
    return render_json(report.value());
  }
  std::string devices;
  for (const auto& device : target.devices) devices += (devices.empty() ? "" : ", ") + short_form(device);
  devices =
      std::to_string(target.devices.size()) + (target.simulated ? " simulated devices (" : " GPUs (") + devices + ")";
  const auto limits = fmt::format(
      "A step that does not end by its deadline is ended, and its processes with it. After {:g} s no further step "
      "begins. Each step needs the lower ones that it stands on.",
      static_cast<double>(setup.budget.count()) / 1000);
  TextOptions text;
  text.color = wants_color(options);
  return render_plan_text(lines_of(plan), devices, limits, text);
}

}  // namespace gpucoop
