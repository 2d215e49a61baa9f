#include "probe_safety.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "pipeline.hpp"
#include "probe/driver_list.hpp"
#include "probe/findings_driver.hpp"
#include "probe/left_behind.hpp"
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

/// What comes from this process by a keeper, which itself holds no GPU.
std::vector<std::int32_t> ranks_now() {
  const auto all = probe::all_processes();
  auto pids = probe::descendants(all, ::getpid());
  for (const auto& process : all) {
    if (process.parent == ::getpid()) std::erase(pids, process.pid);
  }
  return pids;
}

// The least time between two looks of the guard.
constexpr std::chrono::milliseconds kStillFresh{250};
// Asking takes a driver 50 ms.
constexpr std::chrono::seconds kAskAgain{3};
// A rank that was ended a moment ago may still be on the driver's list.
constexpr int kMostTries = 4;
constexpr std::chrono::milliseconds kBetweenTries{400};

}  // namespace

const Result<wire::NvmlState>& ProbeSafety::nvml(bool anew) {
  const auto now = std::chrono::steady_clock::now();
  if (anew || !nvml_ || now - asked_ > kAskAgain) {
    nvml_.emplace(probe::ask_nvml(rank_program_));
    asked_ = std::chrono::steady_clock::now();
  }
  return *nvml_;
}

/// AMD's driver shows everybody its own list. Where our ranks have memory that of others cannot be told apart: there
/// the beginning counts.
void ProbeSafety::take_lists(const std::vector<Address>& listed, probe::GuardQuestion& question) {
  for (const auto& gpu : listed) {
    if (std::find(question.gpus.begin(), question.gpus.end(), gpu) == question.gpus.end()) continue;
    if (std::find(proven_.begin(), proven_.end(), gpu) != proven_.end()) continue;
    proven_.push_back(gpu);
    add_once(warnings_, {"probe.driver-list",
                         "Some processes are hidden from gpucoop, but AMD's driver lists all that compute on " +
                             to_string(gpu) + " (KFD), and next to none of its memory was in use.",
                         to_string(gpu)});
  }
  question.proven_free = proven_;
}

/// The driver knows who uses its GPUs where /proc does not show it.
void ProbeSafety::ask_driver(const Rules& rules, probe::GuardQuestion& question) {
  probe::ListQuestion asked;
  asked.gpus = question.gpus;
  asked.holders = question.holders;
  asked.own = ranks_;
  asked.first_namespace = probe::in_first_namespace();
  if (asked.first_namespace) asked.name = probe::process_name;
  probe::ListAnswer answer;
  for (int tries = 0; tries < kMostTries; ++tries) {
    // What was told seconds ago may name a rank of ours that has ended since.
    if (tries > 1) std::this_thread::sleep_for(kBetweenTries);
    const auto& state = nvml(tries > 0);
    if (!state) {
      const auto& what = state.error().what;
      question.for_proof = probe::meaning_of(what, rules);
      for (const auto& gpu : question.gpus) question.not_proven[gpu] = "its driver does not help: " + what;
      return;
    }
    answer = probe::read_list(state.value(), asked, rules);
    const bool begun = !ranks_.empty();
    if (answer.holders.empty() || !begun) break;
  }
  question.holders.insert(question.holders.end(), answer.holders.begin(), answer.holders.end());
  question.not_proven = answer.open;
  for (const auto& gpu : answer.complete) {
    if (std::find(proven_.begin(), proven_.end(), gpu) != proven_.end()) continue;
    proven_.push_back(gpu);
    const auto nobody = answer.holders.empty() && question.holders.empty();
    const std::string who = nobody ? "no process on " : "all processes on ";
    add_once(warnings_, {"probe.driver-list",
                         "Some processes are hidden from gpucoop, but NVIDIA's driver lists " + who + to_string(gpu) +
                             (asked.first_namespace ? " (NVML)." : " (NVML), and none of its memory was in use."),
                         to_string(gpu)});
  }
  // Where ranks of ours have memory that of others cannot be told apart: there the beginning counts.
  question.proven_free = asked.first_namespace ? answer.complete : proven_;
}

Result<ProbeSafety> ProbeSafety::begin(const ProbeTarget& target, const ProbeOptions& options,
                                       const std::string& rank_program) {
  ProbeSafety safety(target, options, rank_program);
  const auto place = probe::current_state_place();
  for (const auto& process : probe::end_left_behind()) {
    safety.warnings_.push_back({"probe.left-behind", "Found at the beginning: " + sentence(process) + ".", {}});
  }
  auto locks = probe::DeviceLocks::take(target.devices);
  if (!locks) return locks.error();
  safety.locks_ = std::move(locks).value();
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
  // Rungs of a few milliseconds follow each other; a look at the host takes longer.
  const auto now = std::chrono::steady_clock::now();
  if (checked_ != std::chrono::steady_clock::time_point() && now - checked_ < kStillFresh) return std::nullopt;
  const auto recording = load_recording({}, rules);
  if (!recording) return recording.error();
  probe::GuardQuestion question;
  question.gpus = target_->devices;
  question.live = recording.value().live;
  question.holders = recording.value().holders;
  question.holders_complete = recording.value().holders_complete;
  question.own = ranks_now();
  for (const auto pid : question.own) {
    if (std::find(ranks_.begin(), ranks_.end(), pid) == ranks_.end()) ranks_.push_back(pid);
  }
  if (!question.holders_complete.is(true)) {
    if (target_->backend == "cuda") {
      ask_driver(rules, question);
    } else {
      take_lists(recording.value().listed_by_driver, question);
    }
  }
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
  checked_ = std::chrono::steady_clock::now();
  return std::nullopt;
}

void ProbeSafety::look_at_driver(const std::vector<ProbeRun>& runs, const Rules& rules) {
  if (target_->backend != "cuda") return;
  // What held a run back is asked for; where all went well, only what has been told anyway is looked at.
  const bool well = std::all_of(runs.begin(), runs.end(), [](const ProbeRun& run) {
    return run.state == ProbeState::passed || run.state == ProbeState::skipped;
  });
  if (well && !nvml_) return;
  const auto& state = well ? *nvml_ : nvml(false);
  if (state) {
    for (const auto& finding : probe::driver_findings(state.value(), target_->devices)) add_once(warnings_, finding);
  } else if (const auto meaning = probe::meaning_of(state.error().what, rules); !meaning.empty()) {
    add_once(warnings_,
             {"probe.driver", "NVIDIA's management library: " + state.error().what + ". " + meaning + ".", {}});
  }
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
