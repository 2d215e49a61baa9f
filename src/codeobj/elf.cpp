#include "codeobj/elf.hpp"

#include <algorithm>
#include <array>

#include "base/bytes.hpp"

namespace gpucoop::codeobj {
namespace {

constexpr std::size_t kHeaderSize = 64;
constexpr std::size_t kSegmentSize = 56;
constexpr std::size_t kSectionSize = 64;
constexpr std::uint64_t kMaxSections = 100'000;
// Tables are allocated before they are read: no more than a row's usual size times the largest count.
constexpr std::uint64_t kMaxTable = 16U << 20;
constexpr std::uint64_t kMaxNames = 16U << 20;
constexpr std::uint64_t kMaxDynamic = 1U << 20;
constexpr std::size_t kMaxSoname = 256;

std::string text_at(const Bytes& bytes, std::uint64_t at) {
  if (at >= bytes.size()) return {};
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  return {begin, std::find(begin, bytes.end(), 0)};
}

/// Where the loader would put this address, in the file.
std::optional<std::uint64_t> file_offset(const Elf& elf, std::uint64_t address) {
  for (const auto& s : elf.segments) {
    if (s.type == kSegmentLoad && address >= s.address && address - s.address < s.file_size) {
      const auto within_segment = address - s.address;
      if (s.offset > UINT64_MAX - within_segment) return std::nullopt;
      return s.offset + within_segment;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Elf> read_elf(Source& source, std::string& why) {
  std::array<std::uint8_t, kHeaderSize> header{};
  if (source.size() < 4 || !source.read(0, std::span(header).first(4)) || header[0] != 0x7f || header[1] != 'E' ||
      header[2] != 'L' || header[3] != 'F') {
    why = "not an ELF file";
    return std::nullopt;
  }
  if (!source.read(0, header)) {
    why = "an ELF file that is cut off in its header";
    return std::nullopt;
  }
  if (header[4] != 2) {
    why = header[4] == 1 ? "a 32-bit ELF file" : "an ELF file of no known class";
    return std::nullopt;
  }
  if (header[5] != 1) {
    why = header[5] == 2 ? "a big-endian ELF file" : "an ELF file of no known byte order";
    return std::nullopt;
  }
  const ByteView view(header);
  Elf elf;
  elf.os_abi = header[7];
  elf.abi_version = header[8];
  elf.machine = *view.u16(18);
  elf.flags = *view.u32(48);
  elf.segment_table = *view.u64(32);
  const auto segment_size = *view.u16(54);
  const auto segment_count = *view.u16(56);
  elf.section_table = *view.u64(40);
  elf.section_size = *view.u16(58);
  elf.section_count = *view.u16(60);
  elf.names_section = *view.u16(62);
  elf.segment_table_size = std::uint64_t{segment_size} * segment_count;
  if (segment_count == 0) return elf;
  const auto table =
      segment_size < kSegmentSize ? std::nullopt : piece(source, elf.segment_table, elf.segment_table_size, kMaxTable);
  if (!table) {
    why = "an ELF file that is cut off or damaged: its program headers are not in it";
    return std::nullopt;
  }
  const ByteView rows(*table);
  for (std::size_t i = 0; i < segment_count; ++i) {
    const auto at = i * segment_size;
    elf.segments.push_back({*rows.u32(at), *rows.u64(at + 8), *rows.u64(at + 16), *rows.u64(at + 32)});
  }
  return elf;
}

std::optional<std::vector<ElfSection>> read_sections(Source& source, const Elf& elf, std::string& why) {
  std::vector<ElfSection> sections;
  if (elf.section_table == 0) return sections;
  why = "an ELF file that is cut off or damaged: its section headers are not in it";
  if (elf.section_size < kSectionSize) return std::nullopt;
  auto count = elf.section_count;
  std::uint64_t names_section = elf.names_section;
  if (count == 0 || names_section == 0xffff) {
    // More than 16 bits hold: the numbers are in the first section's header.
    const auto first = piece(source, elf.section_table, kSectionSize);
    if (!first) return std::nullopt;
    if (count == 0) count = *ByteView(*first).u64(32);
    if (names_section == 0xffff) names_section = *ByteView(*first).u32(40);
  }
  if (count > kMaxSections) {
    why = "an ELF file with more sections than any library has";
    return std::nullopt;
  }
  const auto table = piece(source, elf.section_table, count * elf.section_size, kMaxTable);
  if (!table) return std::nullopt;
  const ByteView rows(*table);
  Bytes names;
  if (names_section < count) {
    const auto at = names_section * elf.section_size;
    if (auto bytes = piece(source, *rows.u64(at + 24), *rows.u64(at + 32), kMaxNames)) names = std::move(*bytes);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = i * elf.section_size;
    sections.push_back({text_at(names, *rows.u32(at)), *rows.u32(at + 4), *rows.u64(at + 24), *rows.u64(at + 32)});
  }
  return sections;
}

std::uint64_t elf_extent(const Elf& elf, const std::vector<ElfSection>& sections) {
  std::uint64_t end = kHeaderSize;
  const auto reach = [&end](std::uint64_t at, std::uint64_t size) {
    if (within(at, size, UINT64_MAX)) end = std::max(end, at + size);
  };
  reach(elf.segment_table, elf.segment_table_size);
  reach(elf.section_table, elf.section_count * elf.section_size);
  for (const auto& s : elf.segments) reach(s.offset, s.file_size);
  for (const auto& s : sections) {
    if (s.type != kSectionNoBits) reach(s.offset, s.size);
  }
  return end;
}

std::string read_soname(Source& source, const Elf& elf) {
  constexpr std::uint64_t kTagStrings = 5;
  constexpr std::uint64_t kTagSoname = 14;
  for (const auto& s : elf.segments) {
    if (s.type != kSegmentDynamic) continue;
    const auto table = piece(source, s.offset, s.file_size, kMaxDynamic);
    if (!table) return {};
    std::optional<std::uint64_t> strings;
    std::optional<std::uint64_t> name;
    const ByteView rows(*table);
    for (std::size_t at = 0; at + 16 <= table->size(); at += 16) {
      const auto tag = *rows.u64(at);
      if (tag == 0) break;
      if (tag == kTagStrings) strings = file_offset(elf, *rows.u64(at + 8));
      if (tag == kTagSoname) name = *rows.u64(at + 8);
    }
    if (!strings || !name || *name > source.size() || *strings > source.size() - *name) return {};
    const auto at = *strings + *name;
    const auto bytes = piece(source, at, std::min<std::uint64_t>(kMaxSoname, source.size() - at));
    return bytes ? text_at(*bytes, 0) : std::string();
  }
  return {};
}

}  // namespace gpucoop::codeobj
