#include "probe_safety.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "pipeline.hpp"
#include "probe/process_state.hpp"

namespace gpucoop {
namespace {

std::string user_name() {
  const auto* entry = ::getpwuid(::getuid());
  return entry == nullptr ? std::string() : std::string(entry->pw_name);
}

bool all_simulated(const std::vector<Address>& of) { return std::all_of(of.begin(), of.end(), is_simulated); }

Warning warning_of(const probe::Unfinished& unfinished) {
  return {"probe.unfinished", "An earlier probe did not end: " + sentence(unfinished) + ".",
          unfinished.entry.of.empty() ? std::string() : to_string(unfinished.entry.of.front())};
}

void add_once(std::vector<Warning>& warnings, const Warning& warning) {
  const auto same = [&](const Warning& w) { return w.code == warning.code && w.text == warning.text; };
  if (std::none_of(warnings.begin(), warnings.end(), same)) warnings.push_back(warning);
}

}  // namespace

Result<ProbeSafety> ProbeSafety::begin(const ProbeTarget& target, const ProbeOptions& options) {
  ProbeSafety safety(target, options);
  const auto place = probe::current_state_place();
  if (!target.simulated) {
    auto locks = probe::DeviceLocks::take(target.devices, place);
    if (!locks) return locks.error();
    safety.locks_ = std::move(locks).value();
  }
  auto journal = probe::Journal::open(place);
  if (journal) {
    safety.journal_ = std::move(journal).value();
    safety.left_open_ = safety.journal_->unfinished();
    for (const auto& entry : safety.left_open_.unfinished) {
      if (entry.why != probe::Unfinished::Why::running) add_once(safety.warnings_, warning_of(entry));
    }
    return safety;
  }
  const auto& error = journal.error();
  if (!target.simulated && !options.force) return error;
  const auto where = error.where.empty() ? std::string() : error.where + ": ";
  safety.warnings_.push_back(
      {"probe.no-journal", "Nothing is written down about this probe: " + where + error.what + ".", {}});
  return safety;
}

Status ProbeSafety::check(const Rules& rules) {
  if (target_->simulated) return std::nullopt;
  const auto recording = load_recording({}, rules);
  if (!recording) return recording.error();
  probe::GuardQuestion question;
  question.gpus = target_->devices;
  question.live = recording.value().live;
  question.holders = recording.value().holders;
  question.holders_complete = recording.value().holders_complete;
  question.own.push_back(::getpid());
  for (const auto pid : probe::descendants(probe::all_processes(), ::getpid())) question.own.push_back(pid);
  question.user = user_name();
  question.root = ::geteuid() == 0;
  question.allow_display = options_->allow_display;
  question.force = options_->force;
  auto answer = probe::guard(question);
  if (!answer.may) return answer.refusal;
  for (const auto& warning : answer.warnings) add_once(warnings_, warning);
  for (const auto& monitor : answer.monitors) {
    add_once(warnings_, {"probe.monitor", "Watched meanwhile by " + monitor + ", which keeps nothing on the GPU.", {}});
  }
  return std::nullopt;
}

Status ProbeSafety::begins(const probe::Planned& planned) {
  entry_.clear();
  if (!journal_) return std::nullopt;
  auto entry = journal_->begin(planned.rung->id, planned.gpus);
  if (!entry) return target_->simulated ? std::nullopt : Status(entry.error());
  entry_ = std::move(entry).value();
  return std::nullopt;
}

void ProbeSafety::ended(const ProbeRun& run) {
  if (!journal_ || entry_.empty()) return;
  if (auto error = journal_->finish(entry_, to_string(run.state))) {
    add_once(warnings_, {"probe.journal", "The end of a step could not be written down: " + error->what + ".", {}});
  }
  entry_.clear();
}

void ProbeSafety::told() {
  if (!journal_) return;
  if (auto error = journal_->acknowledge(left_open_)) static_cast<void>(error);
}

std::vector<Warning> unfinished_probes() {
  std::vector<Warning> warnings;
  const auto reading = probe::Journal::look(probe::current_state_place());
  if (!reading) return warnings;
  for (const auto& entry : reading.value().unfinished) {
    if (!all_simulated(entry.entry.of)) add_once(warnings, warning_of(entry));
  }
  return warnings;
}

}  // namespace gpucoop
