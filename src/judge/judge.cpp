#include "judge/judge.hpp"
namespace gpucoop {
Judgement judge(const std::vector<Fact>&, const Rules&) { return {}; }
}  // namespace gpucoop
