#pragma once

#include <tuple>

#include "model/recording.hpp"
#include "read/recording/field.hpp"
#include "read/recording/host_table.hpp"
#include "read/recording/library_table.hpp"
#include "read/recording/pci_table.hpp"
#include "read/recording/probe_table.hpp"

namespace gpucoop::recording_file {

template <>
struct Table<FabricLink> {
  static constexpr const char* name = "fabricLink";
  static constexpr auto rows =
      std::make_tuple(row("a", &FabricLink::a), row("b", &FabricLink::b), row("kind", &FabricLink::kind),
                      row("links", &FabricLink::links), row("gbytes_per_s", &FabricLink::gbytes_per_s),
                      left_out(&FabricLink::place), row("over_switch", &FabricLink::over_switch));
};
static_assert(covers<FabricLink>());

template <>
struct Table<DriverLink> {
  static constexpr const char* name = "driverLink";
  static constexpr auto rows =
      std::make_tuple(row("from", &DriverLink::from), row("to", &DriverLink::to), row("kind", &DriverLink::kind),
                      row("weight", &DriverLink::weight), row("peer_dma", &DriverLink::peer_dma));
};
static_assert(covers<DriverLink>());

template <>
struct Table<LogLine> {
  static constexpr const char* name = "logLine";
  static constexpr auto rows =
      std::make_tuple(needed("cause", &LogLine::cause, Form::code), needed("text", &LogLine::text, Form::log_line),
                      row("device", &LogLine::device), left_out(&LogLine::place));
};
static_assert(covers<LogLine>());

template <>
struct Table<Disagreement> {
  static constexpr const char* name = "disagreement";
  static constexpr auto rows = std::make_tuple(
      row("device", &Disagreement::device), needed("field", &Disagreement::field, Form::register_name),
      row("kept", &Disagreement::kept, Form::register_value), row("other", &Disagreement::other, Form::register_value),
      left_out(&Disagreement::kept_place), left_out(&Disagreement::other_place), row("open", &Disagreement::open));
};
static_assert(covers<Disagreement>());

template <>
struct Table<Warning> {
  static constexpr const char* name = "warning";
  static constexpr auto rows =
      std::make_tuple(needed("code", &Warning::code, Form::code), needed("text", &Warning::text, Form::message),
                      row("where", &Warning::where, Form::where));
};
static_assert(covers<Warning>());

template <>
struct Table<Recording> {
  static constexpr const char* name = "recording";
  static constexpr auto rows = std::make_tuple(
      left_out(&Recording::sources), row("taken_at", &Recording::taken_at, Form::time), row("host", &Recording::host),
      row("devices", &Recording::devices), row("fabric", &Recording::fabric),
      row("driver_links", &Recording::driver_links), row("log", &Recording::log), left_out(&Recording::holders),
      left_out(&Recording::holders_complete), left_out(&Recording::listed_by_driver),
      row("libraries", &Recording::libraries), row("measured", &Recording::measured),
      row("disagreements", &Recording::disagreements), row("warnings", &Recording::warnings),
      left_out(&Recording::live), row("direct", &Recording::direct), row("lists_devices", &Recording::lists_devices),
      row("listing_complete", &Recording::listing_complete));
};
static_assert(covers<Recording>());

}  // namespace gpucoop::recording_file
