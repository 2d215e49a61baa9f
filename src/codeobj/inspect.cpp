#include "codeobj/inspect.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/bytes.hpp"
#include "codeobj/bundle.hpp"
#include "codeobj/collector.hpp"
#include "codeobj/elf.hpp"
#include "codeobj/hip_fatbin.hpp"
#include "codeobj/identity.hpp"
#include "codeobj/inspect_source.hpp"
#include "codeobj/kpack.hpp"
#include "codeobj/kpack_files.hpp"
#include "codeobj/nvidia_fatbin.hpp"
#include "codeobj/sha256.hpp"

namespace gpucoop {
namespace codeobj {
namespace {

Error not_inspectable(const std::string& path, std::string_view what) {
  return {ExitCode::bad_input, fmt::format("no library that carries GPU code: {}", what), path,
          "name a library (librccl.so.1), a bundle, a code object or a .kpack file"};
}

class Inspection {
 public:
  Inspection(Source& file, const InspectOptions& options, Library& library)
      : file_(file), options_(options), library_(library), collector_(library) {}

  Status run() {
    std::string head(std::min<std::uint64_t>(file_.size(), kBundleMagic.size()), '\0');
    if (head.empty()) return not_inspectable(library_.path, "an empty file");
    if (!file_.read(0, {reinterpret_cast<std::uint8_t*>(head.data()), head.size()})) {
      return Error{ExitCode::bad_input, "cannot be read", library_.path, ""};
    }
    if (head == kBundleMagic || head.starts_with(kCompressedMagic)) {
      read_hip_fatbin(file_, 0, file_.size(), library_.path, collector_);
    } else if (head.starts_with(kKpackMagic)) {
      collector_.packaged(Packaging::kpack);
      read_kpack(file_, library_.path, "", collector_);
    } else if (head.starts_with("\x50\xed\x55\xba")) {
      read_nvidia_fatbin(file_, 0, file_.size(), library_.path, collector_);
    } else if (head.starts_with("!<arch>\n") || head.starts_with("!<thin>\n")) {
      return not_inspectable(library_.path, "a static archive");
    } else {
      if (auto failed = elf()) return failed;
    }
    collector_.finish();
    return {};
  }

 private:
  Status elf() {
    std::string why;
    const auto elf = read_elf(file_, why);
    if (!elf) return not_inspectable(library_.path, why);
    if (elf->machine == kMachineAmdgpu) {
      collector_.packaged(Packaging::fatbin);
      collector_.amd_object(file_, "", {library_.path, 0});
      return {};
    }
    if (elf->machine == kMachineCuda) {
      read_cubin(*elf, file_.size(), {library_.path, 0}, collector_);
      return {};
    }
    const auto sections = read_sections(file_, *elf, why);
    if (!sections) return Error{ExitCode::bad_input, why, library_.path, "copy the file again"};
    library_.soname = read_soname(file_, *elf);
    if (library_.kind == LibraryKind::other) library_.kind = library_kind(library_.soname);
    if (sections->empty()) {
      without_sections(*elf);
    } else {
      for (const auto& s : *sections) section(s);
    }
    if (library_.packaging == Packaging::none && wrapped_ > 0) {
      collector_.damaged({library_.path, 0},
                         fmt::format("{} bundles of code for AMD GPUs are named, none is there", wrapped_));
    }
    read_version(file_, *sections, library_);
    return {};
  }

  void section(const ElfSection& s) {
    static constexpr std::array<std::string_view, 5> kRead{".hip_fatbin", ".nv_fatbin", ".hipFatBinSegment",
                                                           ".rocm_kpack_ref", "__CLANG_OFFLOAD_BUNDLE__sycl-"};
    const auto kind = std::ranges::find_if(kRead, [&](std::string_view name) { return s.name.starts_with(name); });
    if (kind == kRead.end() || s.type == kSectionNoBits || s.size == 0) return;
    if (!within(s.offset, s.size, file_.size())) {
      collector_.damaged({library_.path, s.offset},
                         fmt::format("section {} of {} bytes that is cut off", *kind, s.size));
    }
    const auto end = s.offset > UINT64_MAX - s.size ? UINT64_MAX : s.offset + s.size;
    switch (kind - kRead.begin()) {
      case 0: read_hip_fatbin(file_, s.offset, end, library_.path, collector_); break;
      case 1: read_nvidia_fatbin(file_, s.offset, end, library_.path, collector_); break;
      case 2: wrappers(s); break;
      case 3: reference(s.offset, s.size); break;
      default:
        // An Intel library's SPIR-V: the driver compiles it for whatever GPU is there.
        collector_.packaged(Packaging::fatbin);
        collector_.add(Vendor::intel, CodeForm::spirv, std::string(std::string_view(s.name).substr(kind->size(), 32)),
                       s.size);
    }
  }

  /// Registers bundles: those with this magic are in the file, those split off have another.
  void wrappers(const ElfSection& s) {
    constexpr std::uint64_t kSize = 24;
    constexpr std::uint32_t kBundle = 0x48495046;
    constexpr std::uint64_t kMax = 1'000'000;
    std::array<std::uint8_t, 4> magic{};
    for (std::uint64_t i = 0; i < std::min(s.size / kSize, kMax); ++i) {
      if (!file_.read(s.offset + i * kSize, magic)) return;
      if (*ByteView(magic).u32(0) == kBundle) ++wrapped_;
    }
  }

  void reference(std::uint64_t at, std::uint64_t size) {
    collector_.packaged(Packaging::kpack);
    constexpr std::uint64_t kMax = 64U << 10;
    const auto bytes = piece(file_, at, std::min(size, kMax));
    const auto found = bytes ? read_kpack_reference(*bytes) : std::nullopt;
    if (!found) {
      collector_.damaged({library_.path, at}, "a reference to kpack archives that is damaged");
      return;
    }
    read_kpack_files(*found, options_, library_, collector_);
  }

  /// Stripped to what the loader needs: whatever begins like a container is taken for one.
  void without_sections(const Elf& elf) {
    auto segments = elf.segments;
    std::ranges::sort(segments, {}, &ElfSegment::offset);
    std::uint64_t done = 0;
    for (const auto& s : segments) {
      if (s.type != kSegmentLoad || s.file_size == 0) continue;
      if (!within(s.offset, s.file_size, file_.size())) {
        collector_.damaged({library_.path, s.offset}, "a segment that is cut off");
        if (s.offset >= file_.size()) continue;
      }
      const auto end = within(s.offset, s.file_size, file_.size()) ? s.offset + s.file_size : file_.size();
      // The file's own header is an ELF header too.
      const auto from = std::max({s.offset, done, std::uint64_t{64}});
      if (from < end) scan(from, end);
      done = std::max(done, end);
    }
  }

  void scan(std::uint64_t from, std::uint64_t to) {
    static constexpr std::string_view kNvidia("\x50\xed\x55\xba\x01\x00", 6);
    static constexpr std::array kBundles{kBundleMagic, kCompressedMagic, kNvidia};
    // Messages of a program that reads such files hold these words as well: only what follows them tells.
    constexpr int kTries = 10'000;
    auto at = find_first(file_, from, to, kBundles);
    for (int i = 0; at && i < kTries; ++i) {
      if (const auto read = try_container(*at, to)) {
        at = find_first(file_, *read, to, kBundles);
      } else {
        at = find_first(file_, *at + 1, to, kBundles);
      }
    }
    if (at)
      collector_.damaged({library_.path, *at}, "too much that begins like GPU code and is none: the rest is not read");
  }

  /// Reads what begins there if it holds together, and gives its end.
  std::optional<std::uint64_t> try_container(std::uint64_t at, std::uint64_t to) {
    RangeSource rest(file_, at, to - at);
    std::array<std::uint8_t, 16> head{};
    if (!rest.read(0, head)) return std::nullopt;
    std::string why;
    std::optional<std::uint64_t> size;
    if (head[0] == 0x50) {
      size = *ByteView(head).u16(6) + std::min<std::uint64_t>(*ByteView(head).u64(8), rest.size());
    } else if (head[0] == 'C') {
      if (const auto bundle = read_compressed(rest, why)) size = bundle->file_size.value_or(rest.size());
    } else if (const auto bundle = read_bundle(rest, why)) {
      size = bundle->end;
    }
    if (!size || *size > rest.size() || *size == 0) return std::nullopt;
    if (head[0] == 0x50) {
      read_nvidia_fatbin(file_, at, at + *size, library_.path, collector_);
    } else {
      read_hip_fatbin(file_, at, at + *size, library_.path, collector_);
    }
    return at + *size;
  }

  Source& file_;
  const InspectOptions& options_;
  Library& library_;
  Collector collector_;
  std::uint64_t wrapped_ = 0;
};

/// Empty where the file cannot be read to its end.
std::string hash(Source& file) {
  constexpr std::uint64_t kStep = 1U << 20;
  Sha256 sum;
  Bytes bytes(kStep);
  for (std::uint64_t at = 0; at < file.size(); at += kStep) {
    const auto part = std::span(bytes).first(std::min(kStep, file.size() - at));
    if (!file.read(at, part)) return {};
    sum.add(part);
  }
  return sum.finish();
}

/// oneCCL's front end (`libccl.so.2`) carries no version as text; the library of the same release that is shipped
/// beside it does.
void read_version_beside(Library& library) {
  const auto folder = std::filesystem::path(library.path).parent_path();
  for (const auto* name : {"libccl.so.1.0", "libccl.so.1"}) {
    const auto path = (folder / name).string();
    FileSource file;
    if (file.open(path)) continue;
    std::string why;
    const auto elf = read_elf(file, why);
    const auto sections = elf ? read_sections(file, *elf, why) : std::nullopt;
    if (!sections) continue;
    read_version(file, *sections, library);
    if (!library.version.is_known()) continue;
    library.warnings.push_back({"library.version", "its version is that of the library beside it", path});
    return;
  }
}

}  // namespace

Result<Library> inspect_source(Source& file, const std::string& path, const InspectOptions& options) {
  Library library;
  library.path = path;
  library.size = file.size();
  library.kind = library_kind(std::filesystem::path(path).filename().string());
  if (auto failed = Inspection(file, options, library).run()) return *std::move(failed);
  library.vendor = library_vendor(library.kind);
  if (library.vendor == Vendor::other && !library.targets.empty()) library.vendor = library.targets.front().vendor;
  if (options.hash) {
    library.sha256 = hash(file);
    if (library.sha256.empty()) {
      library.complete = false;
      library.warnings.push_back({"library.damaged", "the file was cut short while it was read", path});
    }
  }
  return library;
}

}  // namespace codeobj

Result<Library> inspect_library(const std::string& path, const InspectOptions& options) {
  codeobj::FileSource file;
  if (auto failed = file.open(path)) return *std::move(failed);
  auto inspected = codeobj::inspect_source(file, path, options);
  if (!inspected) return inspected;
  auto& library = inspected.value();
  library.plugins = codeobj::plugins_beside(path, library.kind);
  if (library.kind == LibraryKind::oneccl && !library.version.is_known()) codeobj::read_version_beside(library);
  return inspected;
}

}  // namespace gpucoop
