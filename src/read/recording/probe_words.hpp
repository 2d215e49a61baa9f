#pragma once

#include <string>
#include <string_view>

namespace gpucoop::recording_file {

/// The name of a rung, operation, backend, variant, type, transport or library of a probe, where it consists of words
/// that such names have, single letters and short numbers: `p2p.write`, `all_reduce`, `NCCL_P2P_DISABLE=1`, `gfx1201`.
/// "" where anything else stands in it.
[[nodiscard]] std::string admitted_probe_words(std::string_view text);

/// The id of a fact: `ccl.allreduce`. Whether the catalogue has it is for those who have the catalogue.
[[nodiscard]] std::string admitted_fact_id(std::string_view text);

/// An id with the addresses that the fact is about: `p2p.write@0000:0b:00.0,0000:0c:00.0`.
[[nodiscard]] std::string admitted_fact_reference(std::string_view text);

}  // namespace gpucoop::recording_file
