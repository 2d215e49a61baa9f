#include "codeobj/amd_object.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "codeobj/metadata.hpp"

namespace gpucoop::codeobj {
namespace {

// Of one code object; those of large kernel libraries stay below a tenth of it.
constexpr std::uint64_t kMaxNotes = 64U << 20;

// LLVM, "User Guide for AMDGPU Backend": note records.
constexpr std::uint32_t kNoteIsaVersion = 3;
constexpr std::uint32_t kNoteMetadataV2 = 10;
constexpr std::uint32_t kNoteMetadata = 32;

struct Range {
  std::uint64_t from;
  std::uint64_t size;
};

/// Where notes are: the segments, else the sections.
std::vector<Range> note_ranges(Source& source, const Elf& elf) {
  std::vector<Range> ranges;
  for (const auto& s : elf.segments) {
    if (s.type == kSegmentNote) ranges.push_back({s.offset, s.file_size});
  }
  if (!ranges.empty()) return ranges;
  std::string why;
  if (const auto sections = read_sections(source, elf, why)) {
    for (const auto& s : *sections) {
      if (s.type == kSectionNote) ranges.push_back({s.offset, s.size});
    }
  }
  return ranges;
}

class NoteReader {
 public:
  explicit NoteReader(AmdObject& object) : object_(object) {}

  void read(std::span<const std::uint8_t> bytes) {
    const ByteView view(bytes);
    std::size_t at = 0;
    while (at + 12 <= bytes.size()) {
      const std::uint64_t name_size = *view.u32(at);
      const std::uint64_t size = *view.u32(at + 4);
      const auto type = *view.u32(at + 8);
      const auto body = at + 12 + (name_size + 3) / 4 * 4;
      if (!within(body, size, bytes.size())) {
        object_.damage = "a note that goes beyond its end";
        return;
      }
      auto name = std::string_view(reinterpret_cast<const char*>(bytes.data()) + at + 12, name_size);
      name = name.substr(0, name.find('\0'));
      note(name, type, bytes.subspan(body, size));
      at = std::min<std::size_t>(bytes.size(), body + (size + 3) / 4 * 4);
    }
  }
  /// The target that the notes state.
  [[nodiscard]] std::optional<AmdTarget> target() const { return v2_ ? v2_ : parse_amd_target(target_); }

 private:
  void note(std::string_view name, std::uint32_t type, std::span<const std::uint8_t> body) {
    if (name == "AMDGPU" && type == kNoteMetadata) {
      list(read_metadata(body, object_.kernels, target_));
    } else if (name == "AMD" && type == kNoteMetadataV2) {
      list(read_metadata_v2({reinterpret_cast<const char*>(body.data()), body.size()}, object_.kernels));
    } else if (name == "AMD" && type == kNoteIsaVersion) {
      const ByteView view(body);
      const auto stepping = view.u32(12);
      if (stepping) v2_ = amd_target_v2(*view.u32(4), *view.u32(8), *stepping);
    }
  }
  void list(bool whole) {
    if (lists_++ > 0) {
      object_.listed = false;
      object_.damage = "more than one list of kernels";
      return;
    }
    object_.listed = whole;
    if (!whole) object_.damage = "a list of kernels that is damaged";
  }

  AmdObject& object_;
  std::string target_;
  std::optional<AmdTarget> v2_;
  unsigned lists_ = 0;
};

}  // namespace

AmdObject read_amd_object(Source& source, const Elf& elf) {
  AmdObject object;
  NoteReader notes(object);
  auto ranges = note_ranges(source, elf);
  std::ranges::sort(ranges, {}, &Range::from);
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  for (const auto& range : ranges) {
    if (range.size == 0) continue;
    if (range.from < done) {
      object.damage = "notes that overlap";
      object.listed = false;
      break;
    }
    const auto bytes = piece(source, range.from, range.size, kMaxNotes - total);
    if (!bytes) {
      object.damage =
          range.size > kMaxNotes - total ? "notes larger than any compiler makes" : "a note that goes beyond the end";
      object.listed = false;
      break;
    }
    total += range.size;
    done = range.from + range.size;
    notes.read(*bytes);
  }
  object.target = amd_target(elf.flags, elf.abi_version);
  if (!object.target) object.target = notes.target();
  if (object.damage.empty() && !object.listed) object.damage = "no list of kernels";
  return object;
}

}  // namespace gpucoop::codeobj
