#include "codeobj/nvidia_fatbin.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/bytes.hpp"

namespace gpucoop::codeobj {
namespace {

constexpr std::string_view kMagic("\x50\xed\x55\xba", 4);
constexpr std::uint64_t kMaxParts = 4'000'000;

// An image's header.
constexpr std::size_t kEntryHeader = 64;
constexpr std::size_t kAtKind = 0;
constexpr std::size_t kAtHeaderSize = 4;
constexpr std::size_t kAtSize = 8;  ///< of what follows the header, padding included
constexpr std::size_t kAtMinor = 24;
constexpr std::size_t kAtMajor = 26;
constexpr std::size_t kAtArchitecture = 28;
constexpr std::size_t kAtFlags = 40;
constexpr std::size_t kAtUnpackedSize = 56;

constexpr std::uint16_t kKindPtx = 1;
constexpr std::uint16_t kKindElf = 2;
constexpr std::uint16_t kKindElfOther = 0x10;

constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;
constexpr std::uint64_t kFlagThisOnly = 0x100000;  ///< `sm_90a`
constexpr std::uint64_t kFlagFamily = 0x200000;    ///< `sm_100f`

/// `sm_10` was the first; what has more than three digits is no number of theirs.
bool is_architecture(std::uint32_t number) { return number >= 10 && number <= 999; }

class Reader {
 public:
  Reader(Source& file, std::uint64_t to, std::string_view path, Collector& collector)
      : file_(file), to_(to), path_(path), collector_(collector) {}

  std::uint64_t read(std::uint64_t from) {
    static constexpr std::array kMagics{kMagic};
    std::uint64_t containers = 0;
    auto at = find_first(file_, from, to_, kMagics);
    while (at && collector_.worth_going_on() && parts_ < kMaxParts) {
      ++containers;
      ++parts_;
      at = find_first(file_, container(*at), to_, kMagics);
    }
    if (at && parts_ >= kMaxParts) {
      collector_.damaged({path_, *at}, fmt::format("more than {} images: the rest is not read", kMaxParts));
    }
    return containers;
  }

 private:
  /// Reads the fat binary at `at` and gives where to look further.
  std::uint64_t container(std::uint64_t at) {
    constexpr std::size_t kHeader = 16;
    std::array<std::uint8_t, kHeader> bytes{};
    if (!within(at, kHeader, to_) || !file_.read(at, bytes)) {
      collector_.damaged({path_, at}, "a fat binary that is cut off in its header");
      return to_;
    }
    const ByteView view(bytes);
    const auto header = *view.u16(6);
    const auto size = *view.u64(8);
    if (*view.u16(4) != 1 || header < kHeader) {
      collector_.damaged({path_, at}, fmt::format("a fat binary of version {}, which is not known here", *view.u16(4)));
      return at + kMagic.size();
    }
    const auto first = at + header;
    const bool whole = first <= to_ && size <= to_ - first;
    if (!whole) collector_.damaged({path_, at}, fmt::format("a fat binary of {} bytes that is cut off", size));
    const auto end = whole ? first + size : to_;
    auto next = first;
    while (next < end && parts_ < kMaxParts) {
      const auto length = image(next, end);
      if (length == 0) break;
      next += length;
      ++parts_;
    }
    return whole ? end : at + kMagic.size();
  }

  /// The bytes that the image takes; 0 where it is damaged.
  std::uint64_t image(std::uint64_t at, std::uint64_t end) {
    std::array<std::uint8_t, kEntryHeader> bytes{};
    if (!within(at, bytes.size(), end) || !file_.read(at, bytes)) {
      collector_.damaged({path_, at}, "an image that is cut off in its header");
      return 0;
    }
    const ByteView view(bytes);
    const std::uint64_t header = *view.u32(kAtHeaderSize);
    const auto size = *view.u64(kAtSize);
    const auto kind = *view.u16(kAtKind);
    const auto architecture = *view.u32(kAtArchitecture);
    if (header < kEntryHeader || !within(at, header, end) || !within(at + header, size, end)) {
      collector_.damaged({path_, at}, fmt::format("an image of {} bytes that goes beyond its fat binary", size));
      return 0;
    }
    const auto flags = *view.u64(kAtFlags);
    const bool compressed = (flags & (kFlagLz4 | kFlagZstd)) != 0;
    const auto unpacked = *view.u64(kAtUnpackedSize);
    collector_.packaged(compressed ? Packaging::compressed : Packaging::fatbin);
    if (!is_architecture(architecture)) {
      collector_.damaged({path_, at},
                         fmt::format("an image for architecture {}, which is not known here", architecture));
      return header + size;
    }
    const char variant = (flags & kFlagThisOnly) != 0 ? 'a' : (flags & kFlagFamily) != 0 ? 'f' : '\0';
    const auto length = compressed ? unpacked : size;
    if (kind == kKindPtx) {
      collector_.nvidia(CodeForm::ptx, architecture, variant, length,
                        fmt::format("{}.{}", *view.u16(kAtMajor), *view.u16(kAtMinor)));
    } else if (kind == kKindElf || kind == kKindElfOther) {
      collector_.nvidia(CodeForm::native, architecture, variant, length, "");
    } else if (!other_kind_) {
      other_kind_ = true;
      collector_.warn("library.image", {path_, at}, fmt::format("an image of kind {}, which is not counted", kind));
    }
    return header + size;
  }

  Source& file_;
  std::uint64_t to_;
  std::string_view path_;
  Collector& collector_;
  std::uint64_t parts_ = 0;
  bool other_kind_ = false;
};

}  // namespace

std::uint64_t read_nvidia_fatbin(Source& file, std::uint64_t from, std::uint64_t to, std::string_view path,
                                 Collector& collector) {
  return Reader(file, std::min(to, file.size()), path, collector).read(from);
}

void read_cubin(const Elf& elf, std::uint64_t size, Place place, Collector& collector) {
  // The architecture moved up a byte with version 8 of the ABI.
  constexpr std::uint8_t kMoved = 8;
  const auto architecture = elf.abi_version >= kMoved ? elf.flags >> 8 & 0xff : elf.flags & 0xff;
  collector.packaged(Packaging::fatbin);
  if (!is_architecture(architecture)) {
    collector.damaged(place, fmt::format("an image for architecture {}, which is not known here", architecture));
    return;
  }
  collector.nvidia(CodeForm::native, architecture, '\0', size, "");
}

}  // namespace gpucoop::codeobj
