#include "codeobj/bundle.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/bytes.hpp"

namespace gpucoop::codeobj {
namespace {

constexpr std::uint64_t kMaxEntries = 4096;
constexpr std::uint64_t kMaxId = 1024;

}  // namespace

std::optional<Bundle> read_bundle(Source& source, std::string& why) {
  why = "a bundle that is cut off in its table";
  std::array<std::uint8_t, 24> row{};
  std::uint64_t at = kBundleMagic.size();
  if (!source.read(at, std::span(row).first(8))) return std::nullopt;
  at += 8;
  const auto count = *ByteView(row).u64(0);
  if (count > kMaxEntries) {
    why = fmt::format("a bundle that claims {} entries", count);
    return std::nullopt;
  }
  Bundle bundle;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!source.read(at, row)) return std::nullopt;
    at += row.size();
    const ByteView view(row);
    const auto id_size = *view.u64(16);
    if (id_size > kMaxId) {
      why = fmt::format("a bundle with a name of {} bytes", id_size);
      return std::nullopt;
    }
    std::string id(id_size, '\0');
    if (!source.read(at, {reinterpret_cast<std::uint8_t*>(id.data()), id.size()})) return std::nullopt;
    at += id_size;
    BundleEntry entry{*view.u64(0), *view.u64(8), std::move(id)};
    if (entry.size == 0) continue;
    if (!within(entry.offset, entry.size, UINT64_MAX)) {
      why = fmt::format("a bundle whose entry {} claims {} bytes", entry.id, entry.size);
      return std::nullopt;
    }
    bundle.end = std::max(bundle.end, entry.offset + entry.size);
    if (!entry.id.starts_with("host-")) bundle.entries.push_back(std::move(entry));
  }
  bundle.end = std::max(bundle.end, at);
  std::ranges::sort(bundle.entries, {}, &BundleEntry::offset);
  for (std::size_t i = 0; i < bundle.entries.size(); ++i) {
    const auto& entry = bundle.entries[i];
    const auto before = i == 0 ? at : bundle.entries[i - 1].offset + bundle.entries[i - 1].size;
    if (entry.offset < before) {
      why = fmt::format("a bundle whose entry {} overlaps what is before it", entry.id);
      return std::nullopt;
    }
  }
  return bundle;
}

std::optional<CompressedBundle> read_compressed(Source& source, std::string& why) {
  std::array<std::uint8_t, 32> bytes{};
  const auto have = std::min<std::uint64_t>(bytes.size(), source.size());
  why = "a compressed bundle that is cut off in its header";
  if (!source.read(0, std::span(bytes).first(have))) return std::nullopt;
  const ByteView view(std::span<const std::uint8_t>(bytes).first(have));
  const auto version = view.u16(4);
  const auto method = view.u16(6);
  if (!method) return std::nullopt;
  if (*version < 1 || *version > 3) {
    why = fmt::format("a compressed bundle of version {}, which is not known here", *version);
    return std::nullopt;
  }
  if (*method > 1) {
    why = fmt::format("a compressed bundle of method {}, which is not known here", *method);
    return std::nullopt;
  }
  CompressedBundle bundle;
  bundle.method = *method == 0 ? CompressedBundle::Method::zlib : CompressedBundle::Method::zstd;
  // Version 1: size, hash. 2: file size, size, hash. 3: the same with 64 bits.
  bundle.header = *version == 1 ? 20 : *version == 2 ? 24 : 32;
  if (have < bundle.header) return std::nullopt;
  if (*version == 2) bundle.file_size = *view.u32(8);
  if (*version == 3) bundle.file_size = *view.u64(8);
  bundle.size = *version == 1 ? *view.u32(8) : *version == 2 ? *view.u32(12) : *view.u64(16);
  if (bundle.file_size && (*bundle.file_size < bundle.header || *bundle.file_size > source.size())) {
    why = fmt::format("a compressed bundle that claims {} bytes, of which {} are there", *bundle.file_size,
                      source.size());
    return std::nullopt;
  }
  return bundle;
}

}  // namespace gpucoop::codeobj
