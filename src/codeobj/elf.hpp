#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codeobj/source.hpp"

namespace gpucoop::codeobj {

/// Numbers of the ELF specification that are used here.
inline constexpr std::uint16_t kMachineCuda = 190;
inline constexpr std::uint16_t kMachineAmdgpu = 224;
inline constexpr std::uint32_t kSegmentLoad = 1;
inline constexpr std::uint32_t kSegmentDynamic = 2;
inline constexpr std::uint32_t kSegmentNote = 4;
inline constexpr std::uint32_t kSectionNote = 7;
inline constexpr std::uint32_t kSectionNoBits = 8;

struct ElfSegment {
  std::uint32_t type = 0;
  std::uint64_t offset = 0;
  std::uint64_t address = 0;
  std::uint64_t file_size = 0;
};

struct ElfSection {
  std::string name;  ///< empty where the table of names is damaged
  std::uint32_t type = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// The header and the segments of an ELF64 file, little endian.
struct Elf {
  std::uint16_t machine = 0;
  std::uint8_t os_abi = 0;
  std::uint8_t abi_version = 0;
  std::uint32_t flags = 0;
  std::vector<ElfSegment> segments;
  std::uint64_t segment_table = 0;
  std::uint64_t segment_table_size = 0;
  std::uint64_t section_table = 0;
  std::uint16_t section_size = 0;
  std::uint64_t section_count = 0;
  std::uint32_t names_section = 0;
};

/// What is at the start of the source. Where it is no ELF64 file of this byte order: nothing, and `why` says what it is
/// instead. Segments beyond the end of the file are left in; whoever reads them finds out.
[[nodiscard]] std::optional<Elf> read_elf(Source& source, std::string& why);

/// Its sections; empty where it has none. Nothing, with `why`, where the table is damaged.
[[nodiscard]] std::optional<std::vector<ElfSection>> read_sections(Source& source, const Elf& elf, std::string& why);

/// The end of everything that the headers name: the size of an ELF file that is embedded in other bytes.
[[nodiscard]] std::uint64_t elf_extent(const Elf& elf, const std::vector<ElfSection>& sections);

/// Its DT_SONAME; empty where it has none or the tables are damaged.
[[nodiscard]] std::string read_soname(Source& source, const Elf& elf);

}  // namespace gpucoop::codeobj
