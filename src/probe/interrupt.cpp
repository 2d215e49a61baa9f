#include "probe/interrupt.hpp"

#include <atomic>

namespace gpucoop::probe {
namespace {

std::atomic<int> came{0};
static_assert(std::atomic<int>::is_always_lock_free, "written by a signal handler");

void remember(int signal) {
  int none = 0;
  came.compare_exchange_strong(none, signal);
}

}  // namespace

Interrupt::Interrupt() {
  came = 0;
  struct sigaction action {};
  action.sa_handler = remember;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  came = 0;
}

int Interrupt::caught() { return came; }

}  // namespace gpucoop::probe
