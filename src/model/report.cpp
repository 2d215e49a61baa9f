#include "model/report.hpp"

namespace gpucoop {

std::string_view to_string(ModeState state) {
  switch (state) {
    case ModeState::yes: return "yes";
    case ModeState::degraded: return "degraded";
    case ModeState::no: return "no";
    case ModeState::unknown: return "unknown";
  }
  return "unknown";
}

ModeState likely(ModeState state, const Known<ModeState>& expected) {
  return state == ModeState::unknown ? expected.value_or(ModeState::unknown) : state;
}

std::string_view to_string(Advice::Kind kind) { return kind == Advice::Kind::set ? "set" : "avoid"; }

}  // namespace gpucoop
