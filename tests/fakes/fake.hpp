#pragma once

#include <time.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#define FAKE_API extern "C" __attribute__((visibility("default")))

namespace fake {

/// Whether `word` is in the comma-separated list of the environment variable: how tests choose what a fake does.
inline bool told(const char* variable, std::string_view word) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return false;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto end = rest.find(',');
    if (rest.substr(0, end) == word) return true;
    if (end == std::string_view::npos) return false;
    rest.remove_prefix(end + 1);
  }
  return false;
}

[[noreturn]] inline void hang() {
  for (;;) {
    const timespec hour{3600, 0};
    nanosleep(&hour, nullptr);
  }
}

inline void crash() {
  volatile int* nowhere = nullptr;
  *nowhere = 1;
}

}  // namespace fake
