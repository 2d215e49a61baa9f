#include "model/diff.hpp"

namespace gpucoop {

std::string_view to_string(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::changed: return "changed";
    case ChangeKind::now_known: return "now-known";
    case ChangeKind::no_longer_known: return "no-longer-known";
  }
  return "changed";
}

}  // namespace gpucoop
