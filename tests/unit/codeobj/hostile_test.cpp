// Files that were cut off, damaged, or made to do harm, and files that are something else.
#include <doctest/doctest.h>

#include "codeobj/builders.hpp"
#include "codeobj/match.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

const std::vector<Kernel> kOne{{"one", {"hidden_hostcall_buffer"}}};
const std::string kId = "hipv4-amdgcn-amd-amdhsa--gfx1201";

std::string object() { return code_object(0x4e, kOne, "gfx1201"); }

std::string text_of(const Library& lib) {
  std::string text;
  for (const auto& w : lib.warnings) text += w.text + "\n";
  return text;
}
bool says(const Library& lib, std::string_view what) { return text_of(lib).find(what) != std::string::npos; }

}  // namespace

TEST_CASE("a bundle that is cut off anywhere is never taken for a whole one") {
  for (const auto& whole : {bundle({{kId, object()}}, 8), ccob(2, 1, bundle({{kId, object()}}, 8)),
                            ccob(3, 0, bundle({{kId, object()}}, 8)), ccob(1, 0, bundle({{kId, object()}}, 8)),
                            ccob(1, 1, bundle({{kId, object()}}, 8))}) {
    REQUIRE(inspect(whole).value().complete);
    for (std::size_t size = 24; size < whole.size(); ++size) {
      CAPTURE(size);
      const auto cut = inspect(whole.substr(0, size));
      REQUIRE(cut);
      const auto& lib = cut.value();
      // The alignment's padding after the last object may be missing.
      const auto* t = target(lib, "gfx1201");
      const bool all = t != nullptr && t->unread == 0 && t->bytes == object().size();
      CHECK((!lib.complete || all));
      if (!all) CHECK(hostcall(lib, *amd_gpu("gfx1201")) != HostcallNeed::free);
    }
  }
}

TEST_CASE("a library that is cut off or changed anywhere is read without harm") {
  const auto whole = library({{".hip_fatbin", bundle({{kId, object()}})},
                              {".nv_fatbin", nvidia_fatbin({{2, 90}, {1, 90}})},
                              {".rodata", "RCCL version 2.27.7-HEAD:abc\n"}});
  CHECK(inspect(whole).value().version.is("2.27.7-HEAD"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto cut = inspect(whole.substr(0, size));
    CHECK_FALSE(cut.ok());  // its section headers are at its end
    if (!cut.ok()) CHECK(cut.error().code == ExitCode::bad_input);
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const auto v : {'\0', '\xff', '\x80'}) {
      auto bytes = whole;
      bytes[at] = v;
      const auto changed = inspect(bytes);
      if (!changed.ok()) CHECK(changed.error().code == ExitCode::bad_input);
    }
  }
}

TEST_CASE("numbers beyond all bounds") {
  auto many = bundle({{kId, object()}});
  put(many, 24, little(1ULL << 63, 8));
  auto lib = inspect(many).value();
  CHECK_FALSE(lib.complete);
  CHECK(says(lib, "claims 9223372036854775808 entries"));

  auto wide = bundle({{kId, object()}});
  put(wide, 32 + 24 + 30, little(~0ULL - 4, 8) + little(16, 8));  // offset and size of the device's entry
  CHECK(says(inspect(wide).value(), "claims 16 bytes"));

  auto named = bundle({{kId, object()}});
  put(named, 32 + 16, little(1ULL << 40, 8));
  CHECK(says(inspect(named).value(), "a name of 1099511627776 bytes"));

  // More sections than there are bytes.
  auto sections = library({{".hip_fatbin", bundle({{kId, object()}})}});
  put(sections, 60, little(0xffff, 2));
  CHECK(inspect(sections).error().code == ExitCode::bad_input);

  // A count of kernels that the note cannot hold.
  const auto notes = note("AMDGPU", 32, '\x81' + mp("amdhsa.kernels") + "\xdd\xff\xff\xff\xff");
  lib = inspect(elf_header(224, 0x4e, 4, {{4, 120, notes.size()}}) + notes).value();
  REQUIRE(lib.targets.size() == 1);
  CHECK(lib.targets[0].unread == 1);
  CHECK(says(lib, "a list of kernels that is damaged"));
  CHECK(hostcall(lib, *amd_gpu("gfx1201")) == HostcallNeed::unknown);
}

TEST_CASE("notes that overlap, repeat or leave the file give no list") {
  const auto notes = note("AMDGPU", 32, metadata({{"one", {}}}, "gfx1201"));
  const auto with = [&](const std::vector<Segment>& segments) {
    const auto header = elf_header(224, 0x4e, 4, segments);
    return inspect(header + notes + notes).value();
  };
  const auto at = [](std::size_t segments) { return 64 + 56 * segments; };
  auto lib = with({{4, at(2), notes.size()}, {4, at(2) + 4, notes.size()}});
  CHECK(says(lib, "notes that overlap"));
  CHECK(lib.targets[0].unread == 1);
  lib = with({{4, at(2), notes.size()}, {4, at(2) + notes.size(), notes.size()}});
  CHECK(says(lib, "more than one list of kernels"));
  CHECK(lib.targets[0].unread == 1);
  lib = with({{4, at(1), 1ULL << 62}});
  CHECK(lib.targets[0].unread == 1);
  lib = with({{4, ~0ULL - 3, 64}});
  CHECK(says(lib, "a note that goes beyond the end"));
  lib = with({});
  CHECK(says(lib, "no list of kernels"));
  CHECK(hostcall(lib, *amd_gpu("gfx1201")) == HostcallNeed::unknown);
}

TEST_CASE("entries of a bundle may not overlap: reading them would take more than the file is long") {
  auto bytes = bundle({{kId, object()}, {"hipv4-amdgcn-amd-amdhsa--gfx1200", object()}});
  const auto first = bytes.find(kId) - 24;
  const auto second = bytes.find("hipv4-amdgcn-amd-amdhsa--gfx1200") - 24;
  put(bytes, second, bytes.substr(first, 8));
  const auto lib = inspect(bytes).value();
  CHECK_FALSE(lib.complete);
  CHECK(says(lib, "overlaps what is before it"));
}

TEST_CASE("what would unpack to far more than it can be is not unpacked") {
  const std::string zeros(64 << 20, '\0');
  for (const unsigned method : {0U, 1U}) {
    const auto lib = inspect(ccob(3, method, zeros)).value();
    CHECK_FALSE(lib.complete);
    CHECK(says(lib, "claims to make 67108864 bytes"));
  }
  CHECK(says(inspect(ccob(3, 1, bundle({{kId, object()}}), 1ULL << 63)).value(), "claims to make 9223372036854775808"));
  // It says that it is small and is not.
  auto lib = inspect(ccob(2, 1, zeros, 4096)).value();
  CHECK_FALSE(lib.complete);
  // It is a bundle, and longer than it says.
  lib =
      inspect(ccob(2, 1, bundle({{kId, object()}}) + std::string(100, '\0'), bundle({{kId, object()}}).size())).value();
  CHECK(says(lib, "not of the size that it claims"));
  lib = inspect(ccob(2, 0, bundle({{kId, object()}}), bundle({{kId, object()}}).size() + 1)).value();
  CHECK_FALSE(lib.complete);
}

TEST_CASE("compressed bundles of another version or method, or damaged inside") {
  auto bytes = ccob(2, 1, bundle({{kId, object()}}));
  put(bytes, 4, little(9, 2));
  CHECK(says(inspect(bytes).value(), "a compressed bundle of version 9, which is not known here"));
  bytes = ccob(2, 1, bundle({{kId, object()}}));
  put(bytes, 6, little(5, 2));
  CHECK(says(inspect(bytes).value(), "of method 5"));
  bytes = ccob(2, 1, bundle({{kId, object()}}));
  put(bytes, 24, "nothing");
  CHECK(says(inspect(bytes).value(), "damaged zstd data"));
  CHECK(says(inspect(ccob(2, 0, "no bundle at all, but well compressed")).value(), "no bundle inside"));
}

TEST_CASE("code that is filed under another name, or for no GPU that is known") {
  auto lib = inspect(bundle({{"hipv4-amdgcn-amd-amdhsa--gfx1100", object()}})).value();
  CHECK(says(lib, "code for gfx1201 that is filed under gfx1100"));
  lib = inspect(bundle({{"hipv4-amdgcn-amd-amdhsa--gfx1399", code_object(0xfe, kOne, "gfx1399")}})).value();
  REQUIRE(lib.targets.size() == 1);
  CHECK(lib.targets[0].name == "gfx1399");  // by its note
  CHECK(lib.targets[0].kernels == 1);
  lib = inspect(bundle({{kId, "BC\xc0\xde bitcode"}})).value();
  CHECK_FALSE(lib.complete);
  CHECK(says(lib, "code for AMD GPUs that is not an ELF file"));
}

TEST_CASE("damage without end is not listed without end") {
  std::string bytes = bundle({});
  for (int i = 0; i < 5000; ++i) bytes += "CCOBxxxx";
  const auto lib = inspect(bytes).value();
  CHECK_FALSE(lib.complete);
  CHECK(lib.warnings.size() == Library::kMaxWarnings);
  CHECK(lib.warnings.back().text == "more warnings, not listed");
}

TEST_CASE("a stripped library is searched for what begins like a container") {
  const auto code = bundle({{kId, object()}}) +
                    ccob(2, 1, bundle({{"hipv4-amdgcn-amd-amdhsa--gfx1030", code_object(0x36, kOne, "gfx1030")}})) +
                    nvidia_fatbin({{2, 90}});
  const auto text = std::string("expected CCOB but found __CLANG_OFFLOAD_BUNDLE__\0", 49);
  const auto header = elf_header(62, 0, 0, {{1, 0, 120 + text.size() + code.size()}});
  const auto lib = inspect(header + text + code).value();
  CHECK(lib.complete);
  REQUIRE(lib.targets.size() == 3);
  CHECK(lib.targets[0].name == "gfx1030");
  CHECK(lib.targets[1].name == "gfx1201");
  CHECK(lib.targets[2].name == "sm_90");
}

TEST_CASE("foreign files are errors that say what they are") {
  struct Case {
    std::string bytes;
    const char* what;
  };
  auto elf32 = elf_header(62, 0, 0, {});
  elf32[4] = 1;
  auto big_endian = elf_header(62, 0, 0, {});
  big_endian[5] = 2;
  for (const auto& c : {Case{"", "an empty file"}, Case{"#!/bin/sh\necho\n", "not an ELF file"},
                        Case{"!<arch>\nlibnccl.o/", "a static archive"}, Case{elf32, "a 32-bit ELF file"},
                        Case{big_endian, "a big-endian ELF file"},
                        Case{"\x7f"
                             "ELF\x02\x01",
                             "cut off in its header"}}) {
    const auto found = inspect(c.bytes, "/opt/x/librccl.so");
    REQUIRE_FALSE(found.ok());
    CHECK(found.error().code == ExitCode::bad_input);
    CHECK(found.error().what.find(c.what) != std::string::npos);
    CHECK(found.error().where == "/opt/x/librccl.so");
    CHECK_FALSE(found.error().next.empty());
  }
  CHECK(inspect_library("/nonexistent/librccl.so").error().code == ExitCode::no_such_input);
  CHECK(inspect_library("/").error().what == "not a regular file");
  const auto plain = inspect(library({{".text", "x"}}), "libc.so.6").value();
  CHECK(plain.packaging == Packaging::none);
  CHECK(plain.complete);
  CHECK(carries(plain, *amd_gpu("gfx1201")) == Carries::no);
}
