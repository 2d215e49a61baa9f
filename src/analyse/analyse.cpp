#include "analyse/analyse.hpp"
namespace gpucoop {
Topology analyse(const Recording&, const Rules&) { return {}; }
}  // namespace gpucoop
