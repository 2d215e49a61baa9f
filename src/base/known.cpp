#include "base/known.hpp"

namespace gpucoop {

std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::not_in_input: return "not-in-input";
    case Reason::no_root: return "no-root";
    case Reason::not_printed: return "not-printed";
    case Reason::truncated: return "truncated";
    case Reason::damaged: return "damaged";
    case Reason::device_lost: return "device-lost";
    case Reason::vm: return "vm";
    case Reason::asleep: return "asleep";
    case Reason::timeout: return "timeout";
    case Reason::hidden_by_container: return "hidden-by-container";
    case Reason::disagreement: return "disagreement";
    case Reason::not_probed: return "not-probed";
    case Reason::not_inspected: return "not-inspected";
    case Reason::not_derivable: return "not-derivable";
  }
  return "not-in-input";
}

std::string_view to_string(Tri t) { return t == Tri::yes ? "yes" : t == Tri::no ? "no" : "unknown"; }

}  // namespace gpucoop
