#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codeobj/elf.hpp"
#include "codeobj/source.hpp"
#include "model/library.hpp"

namespace gpucoop::codeobj {

/// From a soname or a file's name: `librccl.so.1` is RCCL.
[[nodiscard]] LibraryKind library_kind(std::string_view name);
/// Whose GPUs such a library is for; `other` where that depends on the build.
[[nodiscard]] Vendor library_vendor(LibraryKind kind);

/// Sets `version` and `version_of` from the text that NCCL, RCCL and oneCCL carry for it, which is looked for in
/// `.rodata`, or in the whole file where there are no sections.
void read_version(Source& file, const std::vector<ElfSection>& sections, Library& library);

/// Names of files beside the library that it would load as a plugin: networks and tuners of NCCL and RCCL, back ends of
/// oneCCL. Bounded, sorted.
[[nodiscard]] std::vector<std::string> plugins_beside(const std::string& path, LibraryKind kind);

}  // namespace gpucoop::codeobj
