#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "model/recording.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// The file format `gpucoop.recording/1`, whose schema is recording.schema.json. A value that is unknown for
/// `not-in-input` has no key, one that is unknown for another reason is `{"unknown": REASON}`, an absent one is null.
constexpr std::string_view kRecordingSchema = "gpucoop.recording/1";

/// Takes out of all texts what may not be recorded: everything that is not of the form that the field has (see
/// recording_file::Form), and of kernel lines what the catalogue does not know. Holders stay, no file has them. What
/// was read from the host itself goes through here before it is analysed, so that a recording gives the same report.
void admit(Recording& recording, const Rules& rules);

/// The file's content: `admit` applied, no holders, no names of input files, one device a line.
[[nodiscard]] std::string write_recording(const Recording& recording, const Rules& rules);

/// Reads a file. `bad_input` for what is no JSON, another schema, values of a wrong type, devices that are not sorted
/// by address or there twice, names the place (`file:line` or `file: /devices/3/address`). Keys that are not known and
/// values that cannot be are left out with a warning.
[[nodiscard]] Result<Recording> read_recording(const std::string& name, std::string_view bytes);

}  // namespace gpucoop
