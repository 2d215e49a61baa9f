#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gpucoop::recording_file {

/// What a value of a recording may look like. Every text has a form of its own: it is an allowlist, so that serial
/// numbers, names of people and hosts, and paths cannot get into a file whatever a source says.
enum class Form : std::uint8_t {
  plain,  ///< no text: the type says it all

  // Numbers.
  hex2,  ///< as so many hexadecimal digits
  hex4,
  hex8,
  lanes,  ///< of a link: 0, 1, 2, 4, 8, 12, 16, 32

  // Texts.
  driver,          ///< of a driver or module: `amdgpu`
  release,         ///< of a kernel, without what a local build adds: `6.12.63+deb13-amd64`
  parameters,      ///< of the kernel's command line: known keys with known words, numbers and PCI addresses
  board,           ///< vendor and name of board or product
  title,           ///< of a PCI device or subsystem, as in pci.ids
  label,           ///< of a slot
  cpu_vendor,      ///< `GenuineIntel`
  container,       ///< word of a runtime: `docker`
  node_path,       ///< `/dev/dri/renderD128`
  node_group,      ///< `render`, `video`, `root`
  acpi_path,       ///< `\_SB_.PCI0.GPP0`
  runtime_status,  ///< of power management: `active`
  power_state,     ///< `D0`
  version,         ///< of a driver: `570.86.15`
  time,            ///< RFC 3339, UTC
  code,            ///< of a warning or log cause: `input.truncated`
  register_name,   ///< of a disagreement: `LnkSta width`
  register_value,  ///< of a disagreement: `16 GT/s`
  message,         ///< text of a warning
  where,           ///< a PCI address
  probe_words,     ///< of a probe: `p2p.write`, `NCCL_PROTO=Simple`; of a fact that is text: `gfx1201`
  fact_id,         ///< `ccl.allreduce`
  fact_reference,  ///< `p2p.write@0000:0b:00.0,0000:0c:00.0`
  fingerprint,     ///< of a host
  library_file,    ///< name of a library that `is_library_name` knows: `librccl.so.1`
  library_owner,   ///< whose version it is: `RCCL`
  sha256,          ///< of a file
  code_target,     ///< of device code: `gfx90a:sramecc+:xnack-`, `gfx11-generic`, `sm_90a`, `compute_90`
  log_line,        ///< of the kernel, as `LogWords` leaves it
};

/// `text` in this form: the part of it that may be recorded, and "" where that is nothing. Applying it again changes
/// nothing. What is taken out of the middle of a text leaves `...`.
[[nodiscard]] std::string admitted(Form form, std::string_view text);

/// A regular expression (ECMA 262, as JSON Schema has them) that every admitted text of the form matches. Empty for
/// `plain`, `lanes`.
[[nodiscard]] std::string_view pattern_of(Form form);

/// Something that tells hosts or people apart: a MAC, IP or mail address, a UUID, a path, a number with many digits.
[[nodiscard]] bool is_identity(std::string_view word);

}  // namespace gpucoop::recording_file
