#include "model/probe.hpp"

namespace gpucoop {

std::string_view to_string(ProbeState state) {
  switch (state) {
    case ProbeState::passed: return "passed";
    case ProbeState::failed: return "failed";
    case ProbeState::wrong_data: return "wrong-data";
    case ProbeState::refused: return "refused";
    case ProbeState::crashed: return "crashed";
    case ProbeState::hung: return "hung";
    case ProbeState::skipped: return "skipped";
    case ProbeState::invalid: return "invalid";
    case ProbeState::inconclusive: return "inconclusive";
  }
  return "inconclusive";
}

}  // namespace gpucoop
