#pragma once

#include <string_view>
#include <vector>

#include "runtime/outcome.hpp"
#include "wire/injection.hpp"

namespace gpucoop::rank {

/// Lets the faults happen that were asked for. Everything that it says names the fault as injected.
class Injector {
 public:
  Injector(unsigned rank, std::vector<wire::Injection> injections);

  /// In front of an operation: may be slow, refuse, never return, or end the process. `group`: of several that are
  /// taken in turn.
  runtime::Outcome<> before(std::string_view rung, std::string_view op, std::string_view group = {}) const;
  /// Whether a kernel is to keep the device busy in front of this operation.
  [[nodiscard]] bool spins(std::string_view rung, std::string_view op, std::string_view group = {}) const;
  /// Whether data of this operation are to be wrong.
  [[nodiscard]] bool spoils(std::string_view rung, std::string_view op) const;
  /// Whether the result of a step of this rung is to be garbage.
  [[nodiscard]] bool garbles(std::string_view rung, std::string_view op) const;

 private:
  [[nodiscard]] bool has(wire::Injection::Fault fault, std::string_view rung, std::string_view op,
                         std::string_view group = {}) const;

  unsigned rank_;
  std::vector<wire::Injection> injections_;
};

}  // namespace gpucoop::rank
