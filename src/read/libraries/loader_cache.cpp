#include "read/libraries/loader_cache.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "read/libraries/names.hpp"
#include "read/text.hpp"

namespace gpucoop {
namespace {

constexpr std::string_view kOldMagic = "ld.so-1.7.0";
constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
constexpr std::size_t kOldHeader = 16;
constexpr std::size_t kOldEntry = 12;
constexpr std::size_t kHeader = 48;
constexpr std::size_t kEntry = 24;
constexpr std::size_t kMostEntries = 1U << 18;

/// What the loader of this processor takes: a library of glibc (3) for its own instruction set and word size.
#if defined(__x86_64__)
constexpr std::uint32_t kFlags = 0x0303;
#elif defined(__aarch64__)
constexpr std::uint32_t kFlags = 0x0a03;
#else
constexpr std::uint32_t kFlags = 0x0003;
#endif
constexpr std::uint32_t kFlagsMask = kFlags == 0x0003 ? 0x00ff : 0xffff;

class Cache {
 public:
  Cache(std::string name, std::span<const std::uint8_t> bytes) : name_(std::move(name)), bytes_(bytes) {}

  Result<std::vector<LoaderCacheEntry>> run() {
    if (auto error = skip_old_table()) return *error;
    if (!begins_with(kMagic)) return bad("is no cache of the dynamic loader that this version reads");
    const ByteView view(bytes_);
    const auto count = view.u32(kMagic.size());
    if (bytes_.size() < kHeader || !count) return bad("ends in its header");
    const auto room = (bytes_.size() - kHeader) / kEntry;
    if (*count > room || *count > kMostEntries) {
      return bad("says that it has " + std::to_string(*count) + " entries and has room for " + std::to_string(room));
    }
    std::vector<LoaderCacheEntry> entries;
    for (std::size_t i = 0; i < *count; ++i) {
      const auto at = kHeader + i * kEntry;
      const auto key = text_at(view.u32(at + 4).value_or(0));
      if (!key) return bad("entry " + std::to_string(i) + " has a name that is not in the file");
      if ((view.u32(at).value_or(0) & kFlagsMask) != kFlags || !is_library_name(*key)) continue;
      const auto path = text_at(view.u32(at + 8).value_or(0));
      if (!path || path->empty() || path->front() != '/') {
        return bad("entry " + std::to_string(i) + " has a path that is not in the file");
      }
      entries.push_back({std::string(*key), std::string(*path)});
    }
    return entries;
  }

 private:
  [[nodiscard]] Error bad(const std::string& what) const { return {ExitCode::bad_input, what, name_, "run ldconfig"}; }

  [[nodiscard]] bool begins_with(std::string_view magic) const {
    return bytes_.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes_.begin());
  }

  /// The table for loaders before glibc 2.2, which ldconfig wrote before the other until 2.32. Offsets of texts count
  /// from the header of the new one.
  Status skip_old_table() {
    if (!begins_with(kOldMagic)) return std::nullopt;
    const auto count = ByteView(bytes_).u32(12);
    if (!count || *count > kMostEntries) return bad("ends in its header");
    const auto end = (kOldHeader + *count * kOldEntry + 7) / 8 * 8;
    if (end > bytes_.size()) return bad("ends in its first table");
    bytes_ = bytes_.subspan(end);
    return std::nullopt;
  }

  /// The text that ends with a zero byte, at most as long as a path may be.
  [[nodiscard]] std::optional<std::string_view> text_at(std::size_t offset) const {
    constexpr std::size_t kLongest = 4096;
    if (offset >= bytes_.size()) return std::nullopt;
    const auto rest = bytes_.subspan(offset, std::min(kLongest, bytes_.size() - offset));
    const auto end = std::find(rest.begin(), rest.end(), std::uint8_t{0});
    if (end == rest.end()) return std::nullopt;
    return std::string_view(reinterpret_cast<const char*>(rest.data()), static_cast<std::size_t>(end - rest.begin()));
  }

  std::string name_;
  std::span<const std::uint8_t> bytes_;
};

}  // namespace

Result<std::vector<LoaderCacheEntry>> read_loader_cache(const std::string& name, std::span<const std::uint8_t> bytes) {
  return Cache(name, bytes).run();
}

}  // namespace gpucoop
