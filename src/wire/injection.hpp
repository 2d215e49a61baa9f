#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace gpucoop::wire {

/// A fault that ranks are made to have, so that anyone can see what is said then.
struct Injection {
  enum class Fault : std::uint8_t {
    hang,          ///< stays in front of the operation for ever
    wrong_data,    ///< some words of what came are not what was sent
    crash,         ///< a signal ends the process
    slow,          ///< each operation takes 100 ms longer
    refuse,        ///< says no, as a driver or a library does
    exit,          ///< the process ends by itself, with status 3
    garbage,       ///< sends something else than a result
    spin,          ///< a kernel in front of the operation keeps the device busy for longer than any deadline; it ends
    global_state,  ///< of the host backend: the collective library keeps state for the process that belongs to one
                   ///< communicator
  };
  Fault fault = Fault::hang;
  std::optional<unsigned> rank;  ///< none: all of them
  /// A rung (`p2p.write`), an operation (`all_reduce`), or a group (`dp1`) while groups are taken in turn; empty:
  /// everywhere.
  std::string where;

  /// Whether it strikes `rank` in `op` of `rung`, in `group` ("": not one of several taken in turn). `_`, `-` and `.`
  /// do not tell names apart: `allreduce` is `all_reduce`, and also stands for the rung `ccl.allreduce`.
  [[nodiscard]] bool strikes(unsigned rank, std::string_view rung, std::string_view op,
                             std::string_view group = {}) const;
  /// Whether `where` is a group; there need not be one of that name.
  [[nodiscard]] bool in_group() const;
};

[[nodiscard]] std::string_view to_string(Injection::Fault fault);
/// As `parse_injection` takes it.
[[nodiscard]] std::string to_string(const Injection& injection);

/// `FAULT[:rankN][@RUNG-OPERATION-OR-GROUP]`. `usage` with the nearest known word for anything else; `ranks` is how
/// many there are.
[[nodiscard]] Result<Injection> parse_injection(std::string_view spec, unsigned ranks);

}  // namespace gpucoop::wire
