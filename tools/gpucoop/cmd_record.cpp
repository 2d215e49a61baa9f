#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pipeline.hpp"
#include "read/recording/recording.hpp"
#include "streams.hpp"

namespace gpucoop {
namespace {

struct RecordOptions {
  InputOptions input;
  std::string probe_results;
  OutputOptions output;
};

std::string counted(std::size_t n, const std::string& one) {
  return std::to_string(n) + " " + one + (n == 1 ? "" : "s");
}

/// What only root may read, and what could not be read because it sleeps: each as a few words.
std::vector<std::string> missing_parts(const Recording& recording, Reason reason) {
  const auto& host = recording.host;
  std::vector<std::string> parts;
  const auto devices = std::count_if(recording.devices.begin(), recording.devices.end(), [&](const PciDevice& d) {
    return (d.express.is_unknown() && d.express.reason() == reason) || (reason == Reason::no_root && d.access_denied);
  });
  if (devices > 0) parts.push_back("registers of " + counted(static_cast<std::size_t>(devices), "device"));
  const auto lacks = [&](const auto& value) { return value.is_unknown() && value.reason() == reason; };
  if (lacks(host.kernel_log)) parts.emplace_back("the kernel log");
  if (lacks(host.slots)) parts.emplace_back("the firmware's slots");
  return parts;
}

void say_missing(const Recording& recording, Reason reason, const std::string& why, const std::string& next) {
  const auto parts = missing_parts(recording, reason);
  if (parts.empty()) return;
  std::string text = why;
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? " " : ", ") + parts[i];
  print_note(text + ".");
  if (!next.empty()) print_note(next);
}

void say_what_is_in_it(const Recording& recording, const OutputOptions& output) {
  const std::string name = output.file == "-" ? "the recording" : output.file;
  std::string text = name + ": " + counted(recording.devices.size(), "PCI device");
  if (!recording.log.empty()) text += ", " + counted(recording.log.size(), "kernel line");
  print_note(text + ".");
  const auto& measured = recording.measured;
  if (!measured.empty()) {
    print_note("Of the probes of " + measured.taken_at.substr(0, 10) + ": " + counted(measured.runs.size(), "run") +
               ", " + counted(measured.facts.size(), "fact") + ".");
  }
  print_note("In it are no serial numbers and no names of people, hosts or programs.");
  if (recording.host.superuser.is(true)) {
    say_missing(recording, Reason::no_root, "root lacks the capabilities to read",
                "with CAP_SYS_ADMIN and CAP_SYSLOG, or outside the container, they are in it, too");
  } else {
    say_missing(recording, Reason::no_root, "only root may read",
                recording.live ? "with these, better for a bug report: sudo gpucoop record -o FILE" : "");
  }
  say_missing(recording, Reason::asleep, "asleep and left so:", "");
  say_missing(recording, Reason::timeout, "did not answer in time:", "");
}

ExitCode run_record(const RecordOptions& options) {
  if (const auto error = conflict(options.input)) return fail(*error);
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  const auto recording = load_recording(options.input, builtin_rules(), options.probe_results);
  if (!recording) return fail(recording.error());
  const auto bytes = write_recording(recording.value(), builtin_rules());
  if (const auto error = output.value().finish(bytes)) return fail(*error);
  if (!options.output.quiet) say_what_is_in_it(recording.value(), options.output);
  if (!recording.value().lists_devices) {
    return fail({ExitCode::no_gpu, "no PCI devices are listed, so the recording tells nothing about GPUs", "",
                 "in a container: record on the host"});
  }
  return ExitCode::ok;
}

}  // namespace

void add_record(CLI::App& app, Action& action) {
  auto options = std::make_shared<RecordOptions>();
  CLI::App* command = app.add_subcommand("record", "Record the host in a file, for a bug report");
  add_input_options(*command, options->input);
  add_library_options(*command, options->input);
  command
      ->add_option("--probe-results", options->probe_results,
                   "Put what probes measured on this host into it: a\nreport of theirs, or a recording that has some")
      ->type_name("FILE");
  add_file_options(*command, options->output);
  command->callback([options, &action] { action = [options] { return run_record(*options); }; });
}

}  // namespace gpucoop
