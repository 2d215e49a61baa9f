#include "probe_progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "render/escape.hpp"
#include "streams.hpp"

namespace gpucoop {
namespace {

std::string who(const std::vector<std::string>& gpus) {
  if (gpus.size() == 1) return gpus.front();
  if (gpus.size() == 2) return gpus[0] + " to " + gpus[1];
  return "all " + std::to_string(gpus.size());
}

std::string who(const std::vector<Address>& gpus) {
  std::vector<std::string> names;
  names.reserve(gpus.size());
  for (const auto& gpu : gpus) names.push_back(short_form(gpu));
  return who(names);
}

std::size_t columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

bool failed(ProbeState state) {
  return state != ProbeState::passed && state != ProbeState::skipped && state != ProbeState::refused;
}

}  // namespace

ProbeProgress::ProbeProgress(bool quiet) : quiet_(quiet) {
  const char* term = std::getenv("TERM");
  terminal_ = ::isatty(STDERR_FILENO) == 1 && (term == nullptr || std::strcmp(term, "dumb") != 0);
}

void ProbeProgress::show(const probe::Now& now) {
  if (quiet_) return;
  const auto& planned = *now.planned;
  if (!terminal_) {
    if (planned.rung->id == rung_) return;
    rung_ = planned.rung->id;
    write("gpucoop: " + rung_ + ": " + planned.rung->what + "\n");
    return;
  }
  const auto time = std::chrono::steady_clock::now();
  if (shown_ && now.elapsed.count() < 200 && time - last_ < std::chrono::milliseconds(100)) return;
  last_ = time;
  auto line = fmt::format("[{}/{}] {}, {}", now.number, now.total, planned.rung->id, who(planned.gpus));
  if (!now.variant.empty()) line += ", " + now.variant;
  line += fmt::format(": {:.0f} s of {:g} s", static_cast<double>(now.elapsed.count()) / 1000,
                      static_cast<double>(planned.deadline.count()) / 1000);
  line = escape(line);
  line.resize(std::min(line.size(), columns() - 1));
  write("\r\033[K" + line);
  shown_ = true;
}

void ProbeProgress::tell(const ProbeRun& run) {
  if (quiet_ || !failed(run.state)) return;
  clear();
  const auto op = run.op.empty() ? std::string() : ", " + run.op;
  const auto variant = run.variant.empty() ? std::string() : ", " + run.variant;
  write("gpucoop: " +
        escape(run.rung + ", " + who(run.gpus) + op + variant + ": " + std::string(to_string(run.state)) +
               (run.reason.empty() ? "" : ": " + run.reason)) +
        "\n");
}

void ProbeProgress::clear() {
  if (!shown_) return;
  write("\r\033[K");
  shown_ = false;
}

void ProbeProgress::write(const std::string& text) {
  static_cast<void>(write_all(STDERR_FILENO, text, "standard error"));
}

}  // namespace gpucoop
