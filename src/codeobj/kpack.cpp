#include "codeobj/kpack.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/bytes.hpp"
#include "codeobj/msgpack.hpp"
#include "codeobj/stream.hpp"

namespace gpucoop::codeobj {
namespace {

constexpr std::uint64_t kMaxToc = 64U << 20;
constexpr std::uint64_t kMaxPaths = 64;
constexpr std::uint64_t kMaxObjects = 100'000;
// Of all code objects of an archive together, unpacked.
constexpr std::uint64_t kMaxTotal = std::uint64_t{64} << 30;

struct Blob {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// The table of contents; `listed` stands at the map of libraries.
struct Toc {
  std::string scheme;
  std::vector<Blob> blobs;
  std::uint64_t zstd_offset = 0;
  std::uint64_t zstd_size = 0;
  std::optional<MsgPack> listed;
};

bool read_blobs(MsgPack& in, std::vector<Blob>& blobs) {
  const auto count = in.array();
  if (!count) return false;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto pairs = in.map();
    if (!pairs) return false;
    Blob blob;
    for (std::uint64_t p = 0; p < *pairs; ++p) {
      const auto key = in.text();
      if (!key) return false;
      if (*key != "offset" && *key != "size") {
        if (!in.skip()) return false;
        continue;
      }
      const auto value = in.number();
      if (!value) return false;
      (*key == "offset" ? blob.offset : blob.size) = *value;
    }
    blobs.push_back(blob);
  }
  return true;
}

std::optional<Toc> read_toc(std::span<const std::uint8_t> bytes) {
  MsgPack in(bytes);
  const auto pairs = in.map();
  if (!pairs) return std::nullopt;
  Toc toc;
  for (std::uint64_t p = 0; p < *pairs; ++p) {
    const auto key = in.text();
    if (!key) return std::nullopt;
    if (*key == "compression_scheme") {
      const auto text = in.text();
      if (!text) return std::nullopt;
      toc.scheme = *text;
    } else if (*key == "blobs") {
      if (!read_blobs(in, toc.blobs)) return std::nullopt;
    } else if (*key == "zstd_offset" || *key == "zstd_size") {
      const auto value = in.number();
      if (!value) return std::nullopt;
      (*key == "zstd_offset" ? toc.zstd_offset : toc.zstd_size) = *value;
    } else {
      if (*key == "toc") toc.listed = in;
      if (!in.skip()) return std::nullopt;
    }
  }
  if (!toc.listed) return std::nullopt;
  return toc;
}

/// A library's code is filed under its name, with `#` and a number where it has more than one bundle.
bool is_of(std::string_view key, std::string_view name) {
  if (name.empty()) return true;
  return key.starts_with(name) && (key.size() == name.size() || key[name.size()] == '#');
}

class Reader {
 public:
  Reader(Source& file, std::string_view path, std::string_view name, Collector& collector)
      : file_(file), path_(path), name_(name), collector_(collector) {}

  std::uint64_t read() {
    std::array<std::uint8_t, 16> header{};
    if (!file_.read(0, header)) return damaged(0, "an archive that is cut off in its header");
    const ByteView view(header);
    if (!std::ranges::equal(std::span(header).first(4), kKpackMagic)) return damaged(0, "no kpack archive");
    if (*view.u32(4) != 1) {
      return damaged(0, fmt::format("a kpack archive of version {}, which is not known here", *view.u32(4)));
    }
    const auto at = *view.u64(8);
    const auto bytes = at <= file_.size() ? piece(file_, at, file_.size() - at, kMaxToc) : std::nullopt;
    if (!bytes) return damaged(0, "a kpack archive whose table of contents is not in it");
    auto toc = read_toc(*bytes);
    if (!toc) return damaged(at, "a kpack archive whose table of contents is damaged");
    if (toc->scheme == "zstd-per-kernel") {
      compressed_ = true;
      if (!read_frames(*toc)) return 0;
    } else if (toc->scheme != "none") {
      return damaged(
          at, fmt::format("a kpack archive with compression {}, which is not known here", toc->scheme.substr(0, 32)));
    }
    blobs_ = std::move(toc->blobs);
    if (!read_libraries(*toc->listed)) damaged(at, "a kpack archive whose table of contents is damaged");
    return objects_;
  }

 private:
  std::uint64_t damaged(std::uint64_t at, std::string_view what) {
    collector_.damaged({path_, at}, what);
    return 0;
  }

  /// The frames lie one after another, each with its size before it.
  bool read_frames(Toc& toc) {
    RangeSource area(file_, toc.zstd_offset, toc.zstd_size);
    std::array<std::uint8_t, 4> word{};
    bool whole = area.size() == toc.zstd_size && area.read(0, word);
    const std::uint64_t count = whole ? *ByteView(word).u32(0) : 0;
    toc.blobs.clear();
    std::uint64_t at = 4;
    for (std::uint64_t i = 0; whole && i < count; ++i) {
      whole = area.read(at, word);
      const std::uint64_t size = *ByteView(word).u32(0);
      whole = whole && within(at + 4, size, area.size());
      if (whole) toc.blobs.push_back({toc.zstd_offset + at + 4, size});
      at += 4 + size;
    }
    if (!whole) damaged(toc.zstd_offset, "a kpack archive whose compressed code is cut off");
    return whole;
  }

  /// {library: {target: {type, ordinal, original_size}}}
  bool read_libraries(MsgPack in) {
    const auto libraries = in.map();
    if (!libraries) return false;
    for (std::uint64_t i = 0; i < *libraries; ++i) {
      const auto key = in.text();
      if (!key) return false;
      if (!is_of(*key, name_)) {
        if (!in.skip()) return false;
        continue;
      }
      const auto targets = in.map();
      if (!targets) return false;
      for (std::uint64_t t = 0; t < *targets; ++t) {
        const auto target = in.text();
        if (!target || !read_entry(in, *target)) return false;
        if (objects_ > kMaxObjects || !collector_.worth_going_on()) return true;
      }
    }
    return true;
  }

  bool read_entry(MsgPack& in, std::string_view target) {
    const auto pairs = in.map();
    if (!pairs) return false;
    std::uint64_t ordinal = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t size = 0;
    std::string_view type;
    for (std::uint64_t p = 0; p < *pairs; ++p) {
      const auto key = in.text();
      if (!key) return false;
      if (*key == "ordinal" || *key == "original_size") {
        const auto value = in.number();
        if (!value) return false;
        (*key == "ordinal" ? ordinal : size) = *value;
      } else if (*key == "type") {
        const auto text = in.text();
        if (!text) return false;
        type = *text;
      } else if (!in.skip()) {
        return false;
      }
    }
    if (type != "hsaco") {
      collector_.warn("library.image", {path_, 0},
                      fmt::format("an entry of type {}, which is not counted", type.substr(0, 32)));
      return true;
    }
    if (ordinal >= blobs_.size()) return false;
    ++objects_;
    object(blobs_[ordinal], size, target);
    return true;
  }

  void object(const Blob& blob, std::uint64_t size, std::string_view target) {
    const Place place{path_, blob.offset};
    const auto unpacked = compressed_ ? size : blob.size;
    if (!within(blob.offset, blob.size, file_.size()) || unpacked > kMaxTotal - total_ ||
        (compressed_ && !is_believable(blob.size, size))) {
      collector_.damaged(place, fmt::format("code of {} bytes that cannot be there", unpacked));
      return;
    }
    total_ += unpacked;
    if (!compressed_) {
      RangeSource source(file_, blob.offset, blob.size);
      collector_.amd_object(source, target, place);
      return;
    }
    const auto stream = zstd_stream(file_, blob.offset, blob.offset + blob.size);
    StreamCursor cursor(*stream, size);
    StreamSource source(cursor, size);
    collector_.amd_object(source, target, place);
    const bool whole = cursor.skip_to(size);
    // Past the last byte: a checksum is looked at only then.
    std::array<std::uint8_t, 1> more{};
    const bool longer = stream->read(more) != 0;
    if (!stream->damage().empty()) {
      collector_.damaged(place, stream->damage());
    } else if (!whole || longer) {
      collector_.damaged(place, "code that is not of the size that its archive says");
    }
  }

  Source& file_;
  std::string_view path_;
  std::string_view name_;
  Collector& collector_;
  std::vector<Blob> blobs_;
  bool compressed_ = false;
  std::uint64_t objects_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace

std::optional<KpackReference> read_kpack_reference(std::span<const std::uint8_t> bytes) {
  MsgPack in(bytes);
  const auto pairs = in.map();
  if (!pairs) return std::nullopt;
  KpackReference reference;
  for (std::uint64_t p = 0; p < *pairs; ++p) {
    const auto key = in.text();
    if (!key) return std::nullopt;
    if (*key == "kernel_name") {
      const auto text = in.text();
      if (!text) return std::nullopt;
      reference.name = *text;
    } else if (*key == "kpack_search_paths") {
      const auto count = in.array();
      if (!count) return std::nullopt;
      for (std::uint64_t i = 0; i < *count; ++i) {
        const auto text = in.text();
        if (!text) return std::nullopt;
        if (reference.paths.size() < kMaxPaths) reference.paths.emplace_back(*text);
      }
    } else if (!in.skip()) {
      return std::nullopt;
    }
  }
  if (reference.name.empty() || reference.paths.empty()) return std::nullopt;
  return reference;
}

std::uint64_t read_kpack(Source& file, std::string_view path, std::string_view name, Collector& collector) {
  return Reader(file, path, name, collector).read();
}

}  // namespace gpucoop::codeobj
