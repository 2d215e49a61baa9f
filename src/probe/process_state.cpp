#include "probe/process_state.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <set>

#include "base/descriptor.hpp"

namespace gpucoop::probe {
namespace {

/// These files are made by the kernel without asking the process or a driver: reading them does not wait.
std::string short_text(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> buffer{};
  const auto got = file ? ::read(file.get(), buffer.data(), buffer.size()) : -1;
  return got > 0 ? std::string(buffer.data(), static_cast<std::size_t>(got)) : std::string();
}

std::optional<std::int32_t> number(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value <= 0) return std::nullopt;
  return value;
}

/// The entries of a folder of procfs that are numbers, at most so many.
std::vector<std::int32_t> numbers_in(const std::string& path, std::size_t most) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  std::vector<std::int32_t> found;
  if (!folder) return found;
  while (const auto* const entry = ::readdir(folder.get())) {
    if (const auto pid = number(static_cast<const char*>(entry->d_name))) found.push_back(*pid);
    if (found.size() >= most) break;
  }
  return found;
}

std::string folder_of(std::int32_t pid) { return "/proc/" + std::to_string(pid); }

/// The folder of the thread in state D; else that of the process.
std::string folder_of_blocked(std::int32_t pid) {
  constexpr std::size_t kMostThreads = 256;
  const auto tasks = folder_of(pid) + "/task";
  for (const auto thread : numbers_in(tasks, kMostThreads)) {
    const auto folder = tasks + "/" + std::to_string(thread);
    const auto state = parse_process_state(short_text(folder + "/stat"));
    if (state && state->state == 'D') return folder;
  }
  return folder_of(pid);
}

}  // namespace

std::optional<ProcessState> parse_process_state(std::string_view text) {
  // The name stands in parentheses and may hold any byte, parentheses too.
  const auto open = text.find(" (");
  const auto close = text.rfind(") ");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  const auto pid = number(text.substr(0, open));
  std::string_view rest = text.substr(close + 2);
  if (!pid || rest.empty()) return std::nullopt;
  ProcessState state;
  state.pid = *pid;
  state.state = rest.front();
  rest.remove_prefix(1);
  constexpr std::size_t kParent = 4;
  constexpr std::size_t kSession = 6;
  constexpr std::size_t kUserTicks = 14;
  constexpr std::size_t kKernelTicks = 15;
  constexpr std::size_t kStarted = 22;
  for (std::size_t field = kParent; field <= kStarted; ++field) {
    if (rest.empty() || rest.front() != ' ') return std::nullopt;
    rest.remove_prefix(1);
    const auto end = std::min(rest.find(' '), rest.size());
    std::int64_t value = 0;
    std::from_chars(rest.data(), rest.data() + end, value);
    if (field == kParent) state.parent = static_cast<std::int32_t>(value);
    if (field == kSession) state.session = static_cast<std::int32_t>(value);
    if (field == kStarted) state.started = static_cast<std::uint64_t>(value);
    if (field == kUserTicks || field == kKernelTicks) state.ticks += static_cast<std::uint64_t>(value);
    rest.remove_prefix(end);
  }
  return state;
}

std::optional<ProcessState> process_state(std::int32_t pid) {
  auto state = parse_process_state(short_text(folder_of(pid) + "/stat"));
  if (!state || state->state == 'Z') return state;
  const auto blocked = parse_process_state(short_text(folder_of_blocked(pid) + "/stat"));
  if (blocked && blocked->state == 'D') state->state = 'D';
  return state;
}

std::string kernel_place(std::int32_t pid) {
  auto place = short_text(folder_of_blocked(pid) + "/wchan");
  return place == "0" ? std::string() : place;
}

std::vector<ProcessState> all_processes() {
  constexpr std::size_t kMost = 1U << 20U;
  std::vector<ProcessState> all;
  for (const auto pid : numbers_in("/proc", kMost)) {
    if (auto state = parse_process_state(short_text(folder_of(pid) + "/stat"))) all.push_back(*state);
  }
  return all;
}

std::vector<std::int32_t> descendants(const std::vector<ProcessState>& all, std::int32_t root) {
  std::multimap<std::int32_t, const ProcessState*> children;
  for (const auto& process : all) children.emplace(process.parent, &process);
  std::vector<std::int32_t> found;
  std::vector<std::int32_t> open = {root};
  std::set<std::int32_t> seen = {root};
  while (!open.empty()) {
    const auto parent = open.back();
    open.pop_back();
    const auto range = children.equal_range(parent);
    for (auto child = range.first; child != range.second; ++child) {
      const auto& process = *child->second;
      if (!seen.insert(process.pid).second) continue;
      open.push_back(process.pid);
      if (process.state != 'Z' && process.state != 'X') found.push_back(process.pid);
    }
  }
  return found;
}

}  // namespace gpucoop::probe
