#include "probe/left_behind.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>

#include "base/descriptor.hpp"
#include "probe/privilege.hpp"
#include "probe/process_ending.hpp"
#include "probe/process_state.hpp"
#include "read/live/reader_child.hpp"

namespace gpucoop::probe {
namespace {

constexpr const char* kKeeper = "gpucoop-keeper";

struct Seen {
  ProcessState state;
  std::string name;
};
using Processes = std::map<std::int32_t, Seen>;

std::string text_of(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{2} << 20U;  // what the kernel lets an environment be
  constexpr std::size_t kPiece = 16384;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  while (file && text.size() < kMost) {
    const auto had = text.size();
    text.resize(had + kPiece);
    const auto got = ::read(file.get(), text.data() + had, kPiece);
    text.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got <= 0) break;
  }
  return text;
}

Processes processes_in(const std::string& proc) {
  Processes found;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(proc, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const auto number = entry->path().filename().string();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto text = text_of(entry->path().string() + "/stat");
    const auto state = parse_process_state(text);
    if (!state || state->state == 'Z' || state->state == 'X') continue;
    const auto open = text.find('(') + 1;
    found[state->pid] = {*state, text.substr(open, text.rfind(')') - open)};
  }
  return found;
}

struct Mark {
  std::int32_t pid = 0;
  std::uint64_t started = 0;
};

std::optional<Mark> mark_in(std::string_view environment) {
  const auto lead = std::string(kRunMark) + "=";
  while (!environment.empty()) {
    const auto end = std::min(environment.find('\0'), environment.size());
    auto value = environment.substr(0, end);
    environment.remove_prefix(std::min(end + 1, environment.size()));
    if (value.compare(0, lead.size(), lead) != 0) continue;
    value.remove_prefix(lead.size());
    Mark mark;
    const char* const last = value.data() + value.size();
    const auto [dash, no_pid] = std::from_chars(value.data(), last, mark.pid);
    if (no_pid != std::errc() || dash == last || *dash != '-' || mark.pid <= 0) return std::nullopt;
    const auto [after, no_time] = std::from_chars(dash + 1, last, mark.started);
    if (no_time != std::errc() || after != last) return std::nullopt;
    return mark;
  }
  return std::nullopt;
}

/// Real, effective, saved and of files, all of them: a program that has other rights than its user is left alone.
bool belongs_to(const std::string& folder, std::uint32_t user) {
  std::istringstream lines(text_of(folder + "/status"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key != "Uid:") continue;
    std::uint32_t id = 0;
    unsigned same = 0;
    while (words >> id && id == user) ++same;
    return same == 4;
  }
  return false;
}

bool comes_from(const Processes& all, std::int32_t pid, const std::string& name) {
  constexpr unsigned kDeepest = 1024;  // what is read while processes come and go may go in circles
  for (unsigned depth = 0; depth < kDeepest; ++depth) {
    const auto found = all.find(pid);
    if (found == all.end()) return false;
    if (found->second.name == name) return true;
    pid = found->second.state.parent;
  }
  return false;
}

std::vector<std::int32_t> own_line(const Processes& all) {
  std::vector<std::int32_t> line;
  for (auto pid = static_cast<std::int32_t>(::getpid());
       pid > 1 && std::find(line.begin(), line.end(), pid) == line.end();) {
    line.push_back(pid);
    const auto found = all.find(pid);
    pid = found == all.end() ? 0 : found->second.state.parent;
  }
  return line;
}

std::string encoded(const LeftBehind& process) {
  return fmt::format("{} {} {} {}", process.pid, process.started, process.probe, process.name);
}

LeftBehind decoded(const std::string& text) {
  LeftBehind process;
  std::istringstream words(text);
  words >> process.pid >> process.started >> process.probe;
  words.ignore(1);
  std::getline(words, process.name, '\0');
  return process;
}

bool is_there(LeftBehind& process) {
  const auto state = process_state(process.pid);
  if (!state || state->started != process.started || state->state == 'Z' || state->state == 'X') {
    process.state = '?';
    return false;
  }
  process.state = state->state;
  return true;
}

}  // namespace

std::string run_mark() {
  const auto self = process_state(::getpid());
  return fmt::format("{}-{}", ::getpid(), self ? self->started : 0);
}

std::vector<LeftBehind> left_behind(std::uint32_t user, const std::string& proc) {
  const auto all = processes_in(proc);
  const auto own = own_line(all);
  std::vector<LeftBehind> found;
  for (const auto& [pid, seen] : all) {
    if (std::find(own.begin(), own.end(), pid) != own.end()) continue;
    const auto folder = proc + "/" + std::to_string(pid);
    if (!belongs_to(folder, user)) continue;
    const auto mark = mark_in(text_of(folder + "/environ"));
    if (!mark) continue;
    const auto probe = all.find(mark->pid);
    if (probe != all.end() && probe->second.state.started == mark->started) continue;
    if (comes_from(all, pid, kKeeper)) continue;
    found.push_back({pid, seen.state.started, seen.name, mark->pid, seen.state.state});
  }
  return found;
}

std::vector<LeftBehind> end_left_behind() {
  const auto privilege = current_privilege();
  const auto user = privilege.kind == Privilege::Kind::sudo ? privilege.user.user : ::geteuid();
  const auto reading = read_in_child([&](ChildOutput& out) {
    for (const auto& process : left_behind(user)) out.send(encoded(process));
  });
  std::vector<LeftBehind> found;
  for (const auto& message : reading.messages) found.push_back(decoded(message));
  for (auto& process : found) {
    if (is_there(process)) kill_process(process.pid);
  }
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kMost(1);
  constexpr std::chrono::milliseconds kNap(5);
  const auto until = Clock::now() + kMost;
  const auto any_there = [&] {
    return std::count_if(found.begin(), found.end(), [](LeftBehind& process) { return is_there(process); }) > 0;
  };
  while (any_there() && Clock::now() < until) std::this_thread::sleep_for(kNap);
  return found;
}

std::string sentence(const LeftBehind& process) {
  return fmt::format(
      "process {} ({}), left behind by a probe that was killed (pid {}), {}", process.pid, process.name, process.probe,
      process.state == '?' ? std::string("was ended") : fmt::format("could not be ended (state {})", process.state));
}

}  // namespace gpucoop::probe
