#pragma once

#include <string>
#include <string_view>

namespace gpucoop::recording_file {

/// The release of a kernel as far as it says which kernel it is: its numbers and the suffixes of distributions
/// (`6.8.0-45-generic`, `6.12.63+deb13-amd64`, `5.14.0-503.el9.x86_64`). It ends where a local build has added a word
/// of its own, which may be a name. "" where it does not begin with a number.
[[nodiscard]] std::string admitted_release(std::string_view text);

/// Likewise for the version of a driver: `570.86.15`, `6.10.5-2`.
[[nodiscard]] std::string admitted_version(std::string_view text);

}  // namespace gpucoop::recording_file
