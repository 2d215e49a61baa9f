#pragma once

#include <optional>
#include <string>

#include "codeobj/amd_target.hpp"
#include "codeobj/elf.hpp"
#include "codeobj/kernels.hpp"
#include "codeobj/source.hpp"

namespace gpucoop::codeobj {

/// One AMD code object: an ELF file for one target, with a note that lists its kernels.
struct AmdObject {
  std::optional<AmdTarget> target;  ///< of the header, else of the note
  KernelTally kernels;
  bool listed = false;  ///< the list of kernels was there and whole
  std::string damage;   ///< why it is not, or what is odd; empty where nothing is
};

/// Versions 2 to 6. `elf` is the header of `source`. What comes before the first missing byte is used.
[[nodiscard]] AmdObject read_amd_object(Source& source, const Elf& elf);

}  // namespace gpucoop::codeobj
