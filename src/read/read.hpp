#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/recording.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// One input as the user gave it. The kind is detected from `bytes`, never from `name`.
struct Input {
  std::string name;  ///< `-` is standard input
  std::string bytes;
};

struct ReadOptions {
  /// Which host to take (from 1) where the inputs hold several; nullopt: several are an error that names both.
  std::optional<unsigned> dump;
};

/// Reads everything that the inputs say about one host. Fails with `bad_input` where nothing can be read
/// (empty, binary, XML that is not well-formed) or two hosts are mixed; a partly readable input gives what
/// it can, with a warning that names file and line.
[[nodiscard]] Result<Recording> read_inputs(const std::vector<Input>& inputs, const Rules& rules,
                                            const ReadOptions& options);

/// Reads inputs that say more about `host`, which was read from its devices: kernel logs, hwloc and NCCL XML. They are
/// laid over it as over a dump. `bad_input` for whatever lists a host's devices itself (lspci, a recording), and for
/// XML that names devices which `host` does not have: those are of another host.
[[nodiscard]] Result<Recording> read_inputs_over(Recording host, const std::vector<Input>& inputs, const Rules& rules);

}  // namespace gpucoop
