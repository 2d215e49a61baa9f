#include "codeobj/kpack.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "codeobj/builders.hpp"
#include "codeobj/match.hpp"

using namespace gpucoop;
using namespace gpucoop::test;
namespace fs = std::filesystem;

namespace {

const std::vector<Kernel> kFree{{"_Z23ncclDevKernel_Generic_1v", {"hidden_none"}}};
const std::string kLibrary = "lib/librccl.so.1.0";

using Packed = std::vector<std::pair<std::string, std::pair<std::string, std::string>>>;  // library, target, code

/// An archive; each library is filed with its number.
std::string kpack(const Packed& objects, bool zstd) {
  std::string body = std::string(48, '\0');
  std::vector<std::string> blobs;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> toc;
  std::string frames = little(objects.size(), 4);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto& [key, rest] = objects[i];
    const auto& [gfx, code] = rest;
    if (zstd) {
      const auto frame = zstded(code);
      frames += little(frame.size(), 4) + frame;
    } else {
      blobs.push_back(mp_map({{"offset", mp(16 + body.size())}, {"size", mp(code.size())}}));
      body += padded(code, 16);
    }
    toc[key].emplace_back(gfx, mp_map({{"type", mp("hsaco")}, {"ordinal", mp(i)}, {"original_size", mp(code.size())}}));
  }
  std::vector<std::pair<std::string, std::string>> listed;
  for (const auto& [key, targets] : toc) listed.emplace_back(key, mp_map(targets));
  const auto frames_at = 16 + body.size();
  if (zstd) body += frames;
  const auto contents = mp_map({{"format_version", mp(1)},
                                {"group_name", mp("rccl")},
                                {"gfx_arches", mp_array({mp("gfx1201")})},
                                {"toc", mp_map(listed)},
                                {"compression_scheme", mp(zstd ? "zstd-per-kernel" : "none")},
                                {"blobs", mp_array(blobs)},
                                {"zstd_offset", mp(frames_at)},
                                {"zstd_size", mp(frames.size())}});
  return "KPAK" + little(1, 4) + little(16 + body.size(), 8) + body + contents;
}

std::string split_library() {
  const auto reference = mp_map(
      {{"kernel_name", mp(kLibrary)}, {"kpack_search_paths", mp_array({mp("../.kpack/rccl_lib_@GFXARCH@.kpack")})}});
  return library({{".hip_fatbin", std::string(8192, '\0')},
                  {".hipFatBinSegment", little(0x4b504948, 4) + little(1, 4) + std::string(16, '\0')},
                  {".rocm_kpack_ref", padded(reference, 4096)}});
}

/// A folder of its own, gone with the object.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("gpucoop-kpack-" + std::to_string(::getpid()))) {
    fs::create_directories(path_ / "lib");
    fs::create_directories(path_ / ".kpack");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("a split library is read through the archives beside it, and a missing one is named") {
  const Folder folder;
  folder.write("lib/librccl.so.1.0", split_library());
  folder.write(
      ".kpack/rccl_lib_gfx1201.kpack",
      kpack({{kLibrary + "#0", {"gfx1201", code_object(0x4e, kFree, "gfx1201")}},
             {kLibrary + "#1", {"gfx1201", code_object(0x4e, {{"two", {}}}, "gfx1201")}},
             {"lib/libother.so#0", {"gfx1201", code_object(0x4e, {{"no", {"hidden_hostcall_buffer"}}}, "gfx1201")}}},
            false));
  folder.write(".kpack/rccl_lib_gfx1100.kpack",
               kpack({{kLibrary, {"gfx1100", code_object(0x41, kFree, "gfx1100")}}}, true));
  InspectOptions options;
  options.amd_targets = {"gfx1201", "gfx1151"};
  const auto found = inspect_library(folder / "lib/librccl.so.1.0", options);
  REQUIRE(found);
  const auto& lib = found.value();
  for (const auto& w : lib.warnings) MESSAGE(w.text << " " << w.where);
  CHECK(lib.complete);
  CHECK(lib.packaging == Packaging::kpack);
  CHECK(lib.sha256.size() == 64);
  REQUIRE(lib.targets.size() == 2);
  CHECK(lib.targets[0].name == "gfx1100");
  CHECK(lib.targets[0].kernels == 1);
  CHECK(lib.targets[1].name == "gfx1201");
  CHECK(lib.targets[1].code_objects == 2);
  CHECK(lib.targets[1].hostcall_kernels == 0);
  REQUIRE(lib.kpacks.size() == 3);
  CHECK(lib.kpacks[2].path == folder / ".kpack/rccl_lib_gfx1151.kpack");
  CHECK_FALSE(lib.kpacks[2].found);
  CHECK(carries(lib, *amd_gpu("gfx1201")) == Carries::yes);
  CHECK(hostcall(lib, *amd_gpu("gfx1201")) == HostcallNeed::free);
  CHECK(missing_kpacks(lib, *amd_gpu("gfx1201")).empty());
  CHECK(carries(lib, *amd_gpu("gfx1151")) == Carries::no);
  REQUIRE(missing_kpacks(lib, *amd_gpu("gfx1151")).size() == 1);
  CHECK(missing_kpacks(lib, *amd_gpu("gfx1151"))[0] == folder / ".kpack/rccl_lib_gfx1151.kpack");
}

TEST_CASE("the environment's archives come instead of, or before, the library's own") {
  const Folder folder;
  folder.write("lib/librccl.so.1.0", split_library());
  folder.write("mine.kpack", kpack({{kLibrary + "#0", {"gfx942", code_object(0x54c, kFree, "gfx942")}}}, true));
  folder.write(".kpack/rccl_lib_gfx1201.kpack",
               kpack({{kLibrary, {"gfx1201", code_object(0x4e, kFree, "gfx1201")}}}, false));
  InspectOptions options;
  options.kpack_path = folder / "mine.kpack";
  auto lib = inspect_library(folder / "lib/librccl.so.1.0", options).value();
  REQUIRE(lib.targets.size() == 1);
  CHECK(lib.targets[0].name == "gfx942");
  options = {};
  options.kpack_path_prefix = folder / "mine.kpack";
  lib = inspect_library(folder / "lib/librccl.so.1.0", options).value();
  CHECK(lib.targets.size() == 2);
}

TEST_CASE("an archive can be inspected by itself, and damage anywhere in it is neither a crash nor hidden") {
  for (const bool zstd : {false, true}) {
    const auto whole = kpack({{kLibrary + "#0", {"gfx1201", code_object(0x4e, kFree, "gfx1201")}},
                              {"lib/libother.so", {"gfx1100", code_object(0x41, kFree, "gfx1100")}}},
                             zstd);
    auto lib = inspect(whole, "rccl.kpack").value();
    CHECK(lib.complete);
    CHECK(lib.targets.size() == 2);
    for (std::size_t size = 4; size < whole.size(); ++size) {
      const auto cut = inspect(whole.substr(0, size), "rccl.kpack");
      REQUIRE(cut);
      CHECK_FALSE(cut.value().complete);
    }
    for (std::size_t at = 4; at < whole.size(); ++at) {
      auto bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ 0xff);
      CHECK(inspect(bytes, "rccl.kpack").ok());
    }
  }
}

TEST_CASE("a reference that is damaged is said to be") {
  auto lib = inspect(library({{".rocm_kpack_ref", "\x81\xa4oops"}})).value();
  CHECK(lib.packaging == Packaging::kpack);
  CHECK_FALSE(lib.complete);
  CHECK(carries(lib, *amd_gpu("gfx1201")) == Carries::unknown);
}
