#include "rank/injector.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <utility>

namespace gpucoop::rank {
namespace {

using Fault = wire::Injection::Fault;
constexpr std::chrono::milliseconds kSlow{100};

}  // namespace

Injector::Injector(unsigned rank, std::vector<wire::Injection> injections)
    : rank_(rank), injections_(std::move(injections)) {}

bool Injector::has(Fault fault, std::string_view rung, std::string_view op, std::string_view group) const {
  return std::any_of(injections_.begin(), injections_.end(), [&](const wire::Injection& injection) {
    // Those without a place strike in the steps of the ladder, not already at the start.
    if (injection.where.empty() && rung == "start") return false;
    return injection.fault == fault && injection.strikes(rank_, rung, op, group);
  });
}

runtime::Outcome<> Injector::before(std::string_view rung, std::string_view op, std::string_view group) const {
  if (injections_.empty()) return runtime::Done{};
  if (has(Fault::slow, rung, op, group)) std::this_thread::sleep_for(kSlow);
  if (has(Fault::crash, rung, op, group)) {
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
  }
  if (has(Fault::exit, rung, op, group)) ::_exit(3);
  while (has(Fault::hang, rung, op, group)) std::this_thread::sleep_for(std::chrono::hours(1));
  if (has(Fault::refuse, rung, op, group)) {
    const std::string what(op.empty() ? rung : op);
    return runtime::Failure{ProbeState::refused,
                            "injected fault: " + what + " is refused by rank " + std::to_string(rank_)};
  }
  return runtime::Done{};
}

bool Injector::spins(std::string_view rung, std::string_view op, std::string_view group) const {
  return has(Fault::spin, rung, op, group);
}
bool Injector::spoils(std::string_view rung, std::string_view op) const { return has(Fault::wrong_data, rung, op); }
bool Injector::garbles(std::string_view rung, std::string_view op) const { return has(Fault::garbage, rung, op); }

}  // namespace gpucoop::rank
