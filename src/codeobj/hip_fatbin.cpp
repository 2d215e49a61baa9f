#include "codeobj/hip_fatbin.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>

#include "codeobj/bundle.hpp"
#include "codeobj/elf.hpp"
#include "codeobj/stream.hpp"

namespace gpucoop::codeobj {
namespace {

constexpr std::string_view kElfMagic =
    "\x7f"
    "ELF";
constexpr std::uint64_t kMaxParts = 1'000'000;

class Reader {
 public:
  Reader(Source& file, std::uint64_t to, std::string_view path, Collector& collector)
      : file_(file), to_(to), path_(path), collector_(collector) {}

  std::uint64_t read(std::uint64_t from) {
    static constexpr std::array kMagics{kBundleMagic, kCompressedMagic, kElfMagic};
    std::uint64_t parts = 0;
    auto at = find_first(file_, from, to_, kMagics);
    while (at && collector_.worth_going_on()) {
      if (parts++ >= kMaxParts) {
        collector_.damaged({path_, *at}, fmt::format("more than {} bundles: the rest is not read", kMaxParts));
        break;
      }
      at = find_first(file_, part(*at), to_, kMagics);
    }
    return parts;
  }

 private:
  /// Reads what begins at `at` and gives where to look further.
  std::uint64_t part(std::uint64_t at) {
    RangeSource rest(file_, at, to_ - at);
    std::array<std::uint8_t, 4> magic{};
    if (!rest.read(0, magic)) return to_;
    if (magic[0] == 0x7f) return object(rest, at);
    return magic[0] == 'C' ? compressed(rest, at) : plain(rest, at);
  }

  std::uint64_t object(RangeSource& rest, std::uint64_t at) {
    std::string why;
    const auto elf = read_elf(rest, why);
    if (!elf) {
      collector_.damaged({path_, at}, why);
      return at + kElfMagic.size();
    }
    const auto sections = read_sections(rest, *elf, why);
    const auto size = elf_extent(*elf, sections.value_or(std::vector<ElfSection>()));
    RangeSource source(rest, 0, size);
    collector_.packaged(Packaging::fatbin);
    collector_.amd_object(source, "", {path_, at});
    return at + std::min(size, rest.size());
  }

  std::uint64_t plain(RangeSource& rest, std::uint64_t at) {
    std::string why;
    const auto bundle = read_bundle(rest, why);
    collector_.packaged(Packaging::fatbin);
    if (!bundle) {
      collector_.damaged({path_, at}, why);
      return at + kBundleMagic.size();
    }
    for (const auto& entry : bundle->entries) {
      if (!within(entry.offset, entry.size, rest.size())) {
        collector_.damaged({path_, at}, fmt::format("a bundle whose entry {} is cut off", entry.id));
      }
      RangeSource source(rest, entry.offset, entry.size);
      this->entry(source, entry, at + entry.offset);
    }
    return at + std::min(bundle->end, rest.size());
  }

  std::uint64_t compressed(RangeSource& rest, std::uint64_t at) {
    std::string why;
    const auto header = read_compressed(rest, why);
    collector_.packaged(Packaging::compressed);
    if (!header) {
      collector_.damaged({path_, at}, why);
      return at + kCompressedMagic.size();
    }
    const auto end = header->file_size.value_or(rest.size());
    const auto room = end - header->header;
    if (!is_believable(room, header->size)) {
      collector_.damaged(
          {path_, at},
          fmt::format("a compressed bundle that claims to make {} bytes of {}: not unpacked", header->size, room));
      return at + header->file_size.value_or(kCompressedMagic.size());
    }
    const auto stream = header->method == CompressedBundle::Method::zlib ? zlib_stream(rest, header->header, end)
                                                                         : zstd_stream(rest, header->header, end);
    StreamCursor cursor(*stream, header->size);
    unpack(cursor, *stream, at);
    if (header->file_size) return at + *header->file_size;
    return at + header->header + std::max<std::uint64_t>(stream->consumed(), 1);
  }

  void unpack(StreamCursor& cursor, ByteStream& stream, std::uint64_t at) {
    std::string why;
    StreamSource table(cursor, cursor.limit());
    std::array<std::uint8_t, kBundleMagic.size()> magic{};
    const bool right = table.read(0, magic) && std::ranges::equal(magic, kBundleMagic);
    const auto bundle = right ? read_bundle(table, why) : std::nullopt;
    if (!bundle) {
      if (!right) why = "no bundle inside";
      if (!stream.damage().empty()) why = stream.damage();
      collector_.damaged({path_, at}, "in a compressed bundle: " + why);
      return;
    }
    bool whole = true;
    for (const auto& entry : bundle->entries) {
      whole = whole && cursor.skip_to(entry.offset) && within(entry.offset, entry.size, cursor.limit());
      if (whole) {
        StreamSource source(cursor, entry.size);
        this->entry(source, entry, at);
        whole = stream.damage().empty();
      } else {
        MemorySource nothing({});
        this->entry(nothing, entry, at);
      }
    }
    whole = whole && cursor.skip_to(cursor.limit());
    // Past the last byte: a checksum is looked at only then.
    std::array<std::uint8_t, 1> more{};
    const bool longer = stream.read(more) != 0;
    if (!stream.damage().empty()) {
      collector_.damaged({path_, at}, "in a compressed bundle: " + stream.damage());
    } else if (!whole || longer) {
      collector_.damaged({path_, at}, "a compressed bundle that is not of the size that it claims");
    }
  }

  void entry(Source& source, const BundleEntry& entry, std::uint64_t at) {
    if (entry.id.find("spirv") != std::string::npos) {
      collector_.add(Vendor::amd, CodeForm::spirv, "amdgcnspirv", entry.size);
      return;
    }
    collector_.amd_object(source, entry.id, {path_, at});
  }

  Source& file_;
  std::uint64_t to_;
  std::string_view path_;
  Collector& collector_;
};

}  // namespace

std::uint64_t read_hip_fatbin(Source& file, std::uint64_t from, std::uint64_t to, std::string_view path,
                              Collector& collector) {
  return Reader(file, std::min(to, file.size()), path, collector).read(from);
}

}  // namespace gpucoop::codeobj
