// Libraries, bundles, code objects, archives and fat binaries, all by way of what they begin with. An input that starts
// with `H` is wrapped: it becomes the `.hip_fatbin` of a library whose headers are right, so that the search between
// bundles is reached.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "codeobj/inspect_source.hpp"
#include "codeobj/match.hpp"

namespace {

using namespace gpucoop;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_target(const CodeTarget& t, const Library& library) {
  require(!t.name.empty());
  require(t.code_objects > 0 && t.unread <= t.code_objects);
  require(t.hostcall_kernels <= t.kernels && t.other_hostcall <= t.hostcall_kernels);
  require(!t.generic_hostcall || (t.generic_kernel && t.hostcall_kernels > 0));
  require(t.hostcall_names.size() <= CodeTarget::kMaxNames && t.hostcall_names.size() <= t.hostcall_kernels);
  require((t.hostcall_kernels == 0) == t.hostcall_names.empty());
  if (t.vendor == Vendor::nvidia) {
    require(t.capability > 0 && t.kernels == 0);
    const auto gpu = nvidia_gpu(t.capability / 10, t.capability % 10);
    require(carries(library, gpu) == Carries::yes || carries(library, gpu) == Carries::ptx_only);
  }
  if (t.vendor == Vendor::amd && t.form == CodeForm::native) {
    const auto gpu = amd_gpu(t.name);
    require(gpu.has_value());
    if (gpu) require(!matching(library, *gpu).empty() && carries(library, *gpu) != Carries::no);
    if (gpu && t.unread > 0) require(hostcall(library, *gpu) != HostcallNeed::free);
  }
}

void check(const Library& library) {
  require(library.targets.size() <= Library::kMaxTargets && library.warnings.size() <= Library::kMaxWarnings);
  require(library.complete || !library.warnings.empty());
  require(library.targets.empty() || library.packaging != Packaging::none);
  for (const auto& t : library.targets) check_target(t, library);
  const auto other = amd_gpu("gfx1201");
  if (!library.complete) require(carries(library, *other) != Carries::no);
}

void inspect(std::span<const std::uint8_t> bytes) {
  codeobj::MemorySource source(bytes);
  InspectOptions options;
  options.hash = false;
  options.kpack_path = "/nonexistent/of-no-use.kpack";  // no looking around in the file system
  const auto found = codeobj::inspect_source(source, "librccl.so.1", options);
  if (found) {
    check(found.value());
  } else {
    require(found.error().code == ExitCode::bad_input && !found.error().what.empty());
  }
}

void little(std::string& bytes, std::size_t at, std::uint64_t v, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) bytes[at + i] = static_cast<char>(v >> (8 * i) & 0xff);
}

/// A library with one section, whose bytes these are.
std::string wrapped(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kHeader = 64;
  const std::string names = std::string("\0.hip_fatbin\0", 13);
  std::string file(
      "\x7f"
      "ELF\x02\x01\x01",
      7);
  file.resize(kHeader, '\0');
  const auto at = file.size() + names.size() + bytes.size();
  little(file, 18, 62, 2);
  little(file, 40, at, 8);
  little(file, 58, 64, 2);
  little(file, 60, 3, 2);
  little(file, 62, 1, 2);
  file += names;
  file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  file.resize(at + 3 * kHeader, '\0');
  little(file, at + 64 + 4, 3, 4);
  little(file, at + 64 + 24, kHeader, 8);
  little(file, at + 64 + 32, names.size(), 8);
  little(file, at + 128, 1, 4);
  little(file, at + 128 + 4, 1, 4);
  little(file, at + 128 + 24, kHeader + names.size(), 8);
  little(file, at + 128 + 32, bytes.size(), 8);
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0 && data[0] == 'H') {
    const auto file = wrapped(std::span(data + 1, size - 1));
    inspect({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
  } else {
    inspect(std::span(data, size));
  }
  return 0;
}
