#include <fmt/format.h>

#include <algorithm>

#include "render/text_parts.hpp"
#include "render/words.hpp"

namespace gpucoop::text {
namespace {

std::string duration(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  constexpr double kDay = 86400;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.0f} min", seconds / kMinute);
  if (seconds < 2 * kDay) return fmt::format("{:.0f} h", seconds / kHour);
  return fmt::format("{:.0f} days", seconds / kDay);
}

std::string memory(std::uint64_t bytes) {
  constexpr double kMib = 1024.0 * 1024.0;
  constexpr double kGib = 1024.0 * kMib;
  const auto count = static_cast<double>(bytes);
  return count < kGib ? fmt::format("{:.0f} MiB", count / kMib) : fmt::format("{:.1f} GiB", count / kGib);
}

std::string described(const Holder& holder) {
  std::string text = holder.process.empty() ? std::string("a process") : holder.process;
  text += fmt::format(" (pid {}", holder.pid);
  if (holder.user.is_known()) text += ", user " + holder.user.value();
  if (holder.unit.is_known()) text += ", " + holder.unit.value();
  if (holder.container.is_known()) text += ", " + holder.container.value();
  if (holder.use != HolderClass::compute) text += ", " + std::string(to_string(holder.use));
  if (holder.memory_bytes.value_or(0) != 0) text += ", " + memory(holder.memory_bytes.value());
  if (holder.seconds.is_known()) text += ", " + duration(holder.seconds.value());
  return text + ")";
}

/// Those that compute first, then those with the most memory.
bool goes_before(const Holder* a, const Holder* b) {
  if (a->use != b->use) return a->use < b->use;
  return a->memory_bytes.value_or(0) > b->memory_bytes.value_or(0);
}

}  // namespace

std::string holders_sentence(const Gpu& gpu, bool verbose) {
  constexpr std::size_t kMost = 3;
  std::vector<const Holder*> holders;
  for (const auto& holder : gpu.holders) holders.push_back(&holder);
  std::stable_sort(holders.begin(), holders.end(), goes_before);
  std::string text;
  for (std::size_t i = 0; i < holders.size() && (verbose || i < kMost); ++i) {
    text += (i == 0 ? "used by " : ", ") + described(*holders[i]);
  }
  if (!verbose && holders.size() > kMost) text += fmt::format(" and {} more", holders.size() - kMost);
  return text;
}

HiddenHolders hidden_holders(const Report& report) {
  const auto& topology = report.topology;
  if (!topology.host.live || !topology.holders_complete.is(false) || compute_gpus(topology).empty()) return {};
  const std::string text = "Who uses the GPUs: not all processes can be seen";
  const auto container = words::container_in_words(topology.host);
  if (!container.empty()) {
    return {text + " from inside the " + container, "outside the container: gpucoop topo"};
  }
  // Who may read the registers is root already.
  const auto* registers = find_fact(topology.facts, "host.registers", {SubjectKind::host, {}});
  const bool root = topology.host.superuser.is(true) || (registers != nullptr && registers->value.is(FactValue(true)));
  return {text + (root ? ": some belong to other namespaces or are kept from this one" : ""),
          root ? "" : "sudo gpucoop topo"};
}

}  // namespace gpucoop::text
