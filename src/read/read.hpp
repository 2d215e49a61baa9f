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

}  // namespace gpucoop
