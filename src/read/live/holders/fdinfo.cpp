#include "read/live/holders/fdinfo.hpp"

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "read/text.hpp"

namespace gpucoop {
namespace {

/// `21811200 KiB`, `12 MiB`, `4096`; nullopt where it is none or too large.
std::optional<std::uint64_t> parse_amount(std::string_view text) {
  std::size_t length = 0;
  const auto value = parse_decimal_prefix(text, length);
  if (!value) return std::nullopt;
  const auto unit = trim(text.substr(length));
  unsigned shift = 0;
  if (unit == "KiB" || unit == "kB") {
    shift = 10;
  } else if (unit == "MiB") {
    shift = 20;
  } else if (unit == "GiB") {
    shift = 30;
  } else if (!unit.empty()) {
    return std::nullopt;
  }
  if (*value > std::numeric_limits<std::uint64_t>::max() >> shift >> 8) return std::nullopt;
  return *value << shift;
}

std::optional<std::uint64_t> parse_nanoseconds(std::string_view text) {
  std::size_t length = 0;
  const auto value = parse_decimal_prefix(text, length);
  return value && trim(text.substr(length)) == "ns" ? value : std::nullopt;
}

bool is_own_memory(std::string_view region) {
  return starts_with(region, "vram") || starts_with(region, "local") || starts_with(region, "lmem");
}

class Reader {
 public:
  void line(std::string_view key, std::string_view value) {
    constexpr std::string_view kEngine = "drm-engine-";
    constexpr std::string_view kCapacity = "drm-engine-capacity-";
    constexpr std::string_view kCycles = "drm-cycles-";
    if (key == "drm-pdev") {
      if (const auto address = parse_address(value)) client_.device = *address;
    } else if (key == "drm-client-id") {
      if (const auto id = parse_decimal(value)) client_.id = *id;
    } else if (starts_with(key, kCapacity)) {
      return;
    } else if (starts_with(key, kEngine)) {
      if (const auto time = parse_nanoseconds(value)) engines(*time);
    } else if (starts_with(key, kCycles)) {
      // Of an unstated clock: it shows use, and no time.
      if (const auto cycles = parse_decimal(value)) {
        client_.states_use = true;
        client_.used = client_.used || *cycles != 0;
      }
    } else {
      memory(key, value);
    }
  }

  DrmClient take() {
    bool own = false;
    std::uint64_t bytes = 0;
    for (const auto& [region, of] : regions_) {
      client_.states_use = true;
      client_.used = client_.used || of.bytes != 0;
      if (!is_own_memory(region)) continue;
      own = true;
      bytes += of.bytes;
    }
    if (own) {
      client_.memory_bytes = bytes;
    } else if (!regions_.empty()) {
      client_.memory_bytes = Known<std::uint64_t>::absent();
    }
    return client_;
  }

 private:
  struct Region {
    std::size_t kind = 0;
    std::uint64_t bytes = 0;
  };

  void engines(std::uint64_t nanoseconds) {
    constexpr double kSecond = 1e9;
    client_.states_use = true;
    client_.used = client_.used || nanoseconds != 0;
    client_.engine_seconds = client_.engine_seconds.value_or(0) + static_cast<double>(nanoseconds) / kSecond;
  }

  void memory(std::string_view key, std::string_view value) {
    constexpr std::array<std::string_view, 3> kBestFirst = {"drm-resident-", "drm-memory-", "drm-total-"};
    for (std::size_t kind = 0; kind < kBestFirst.size(); ++kind) {
      const auto prefix = kBestFirst.at(kind);
      if (!starts_with(key, prefix)) continue;
      const auto amount = parse_amount(value);
      if (!amount) return;
      const auto [entry, fresh] = regions_.try_emplace(std::string(key.substr(prefix.size())), Region{kind, *amount});
      if (!fresh && kind < entry->second.kind) entry->second = {kind, *amount};
    }
  }

  DrmClient client_;
  std::map<std::string, Region> regions_;
};

}  // namespace

DrmClient parse_fdinfo(std::string_view text) {
  Reader reader;
  while (!text.empty()) {
    const auto line = next_part(text, '\n');
    const auto colon = line.find(':');
    if (colon != std::string_view::npos) reader.line(line.substr(0, colon), trim(line.substr(colon + 1)));
  }
  return reader.take();
}

}  // namespace gpucoop
