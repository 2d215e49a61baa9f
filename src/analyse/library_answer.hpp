#pragma once

#include <map>
#include <string>
#include <vector>

#include "codeobj/match.hpp"
#include "model/fact.hpp"
#include "model/inspection.hpp"

namespace gpucoop {

/// The processors of GPUs, as far as facts tell them (`gpu.gfx`, `gpu.compute_capability`). Whether xnack and sramecc
/// are on is in no source.
[[nodiscard]] std::map<Address, GpuTarget> gpu_targets(const std::vector<Fact>& facts);
/// `gfx1201`, `sm_90`.
[[nodiscard]] std::string target_name(const GpuTarget& target);

/// What the library is to the GPU. `target`: null where its processor is not known.
[[nodiscard]] LibraryAnswer answer_for(const InstalledLibrary& installed, const Address& gpu, Vendor vendor,
                                       const GpuTarget* target);

/// `librccl.so.1 (RCCL 2.27.7, in the loader's cache)`
[[nodiscard]] std::string library_words(const InstalledLibrary& installed);
/// `in the loader's cache`, `of a Python environment`
[[nodiscard]] std::string_view found_words(FoundBy by);

}  // namespace gpucoop
