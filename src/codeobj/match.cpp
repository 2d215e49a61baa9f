#include "codeobj/match.hpp"

namespace gpucoop {

std::string_view to_string(Carries carries) {
  switch (carries) {
    case Carries::no: return "no";
    case Carries::ptx_only: return "ptx-only";
    case Carries::yes: return "yes";
    case Carries::unknown: break;
  }
  return "unknown";
}

std::string_view to_string(HostcallNeed need) {
  switch (need) {
    case HostcallNeed::free: return "free";
    case HostcallNeed::needs: return "needs";
    case HostcallNeed::unknown: break;
  }
  return "unknown";
}

}  // namespace gpucoop
