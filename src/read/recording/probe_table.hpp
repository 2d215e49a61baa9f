#pragma once

#include <tuple>

#include "model/probe.hpp"
#include "read/recording/field.hpp"

// Results of probes in a recording: only what has a fixed form. Reasons, findings and evidence are sentences of other
// programs and are left out; evidence is made again from the runs where the facts are used.
namespace gpucoop::recording_file {

template <>
struct Table<Subject> {
  static constexpr const char* name = "subject";
  static constexpr auto rows = std::make_tuple(row("kind", &Subject::kind), row("of", &Subject::of));
};
static_assert(covers<Subject>());

template <>
struct Table<Fact> {
  static constexpr const char* name = "measuredFact";
  static constexpr auto rows = std::make_tuple(needed("id", &Fact::id, Form::fact_id), row("subject", &Fact::subject),
                                               row("value", &Fact::value, Form::probe_words), row("tier", &Fact::tier),
                                               left_out(&Fact::evidence), left_out(&Fact::at));
};
static_assert(covers<Fact>());

template <>
struct Table<ProbeRun> {
  static constexpr const char* name = "run";
  static constexpr auto rows = std::make_tuple(
      needed("rung", &ProbeRun::rung, Form::probe_words), row("op", &ProbeRun::op, Form::probe_words),
      row("gpus", &ProbeRun::gpus, Form::where), row("ranks", &ProbeRun::ranks),
      row("backend", &ProbeRun::backend, Form::probe_words), row("variant", &ProbeRun::variant, Form::probe_words),
      row("state", &ProbeRun::state), left_out(&ProbeRun::reason), row("bytes", &ProbeRun::bytes),
      row("dtype", &ProbeRun::dtype, Form::probe_words), row("wrong_words", &ProbeRun::wrong_words),
      row("seconds", &ProbeRun::seconds), row("deadline_s", &ProbeRun::deadline_s),
      row("latency_us", &ProbeRun::latency_us), row("gbytes_per_s", &ProbeRun::gbytes_per_s),
      row("bus_gbytes_per_s", &ProbeRun::bus_gbytes_per_s), row("transport", &ProbeRun::transport, Form::probe_words),
      row("library_name", &ProbeRun::library_name, Form::probe_words),
      row("library_version", &ProbeRun::library_version, Form::version), left_out(&ProbeRun::simulated),
      left_out(&ProbeRun::findings), row("facts", &ProbeRun::facts, Form::fact_reference));
};
static_assert(covers<ProbeRun>());

template <>
struct Table<Measurements> {
  static constexpr const char* name = "measured";
  static constexpr auto rows =
      std::make_tuple(row("fingerprint", &Measurements::fingerprint, Form::fingerprint),
                      row("taken_at", &Measurements::taken_at, Form::time), left_out(&Measurements::simulated),
                      row("runs", &Measurements::runs), row("facts", &Measurements::facts));
};
static_assert(covers<Measurements>());

}  // namespace gpucoop::recording_file
