#include "codeobj/identity.hpp"

#include <doctest/doctest.h>

#include "codeobj/builders.hpp"

using namespace gpucoop;
using namespace gpucoop::codeobj;
using namespace gpucoop::test;

TEST_CASE("a library is known by its soname or its file's name") {
  CHECK(library_kind("librccl.so.1.0.70200") == LibraryKind::rccl);
  CHECK(library_kind("libnccl.so") == LibraryKind::nccl);
  CHECK(library_kind("libnccl-0a1b2c3d.so.2.27.5") == LibraryKind::nccl);
  CHECK(library_kind("libccl.so.2") == LibraryKind::oneccl);
  CHECK(library_kind("libggml-hip.so") == LibraryKind::ggml_hip);
  CHECK(library_kind("libggml-cuda.so") == LibraryKind::ggml_cuda);
  CHECK(library_kind("libtorch_hip.so") == LibraryKind::torch);
  for (const auto* other :
       {"libnccl-net.so", "librccl-anp.so", "libccl_legacy.so", "libtorchaudio.so", "", "-12345678.so"}) {
    CHECK(library_kind(other) == LibraryKind::other);
  }
  // The soname decides where the file was renamed.
  auto lib = inspect(library({{".rodata", "x"}}), "renamed.bin").value();
  CHECK(lib.kind == LibraryKind::other);
}

TEST_CASE("versions: as NCCL, RCCL and oneCCL write them, and no message about versions is one") {
  struct Case {
    std::string text;
    const char* version;
    const char* of;
  };
  for (const auto& c :
       {Case{"NCCL version 2.28.9+cuda13.0", "2.28.9+cuda13.0", "NCCL"},
        Case{"RCCL version 2.18.3+hip6.0 HEAD:2f6d59e+", "2.18.3+hip6.0", "RCCL"},
        Case{"RCCL version : 2.27.7-HEAD:64f48a3\n", "2.27.7-HEAD", "RCCL"},
        Case{std::string("Mismatched NCCL version detected\0NCCL version %d\0NCCL version 2.9.1+cuda11.1", 76),
             "2.9.1+cuda11.1", "NCCL"},
        Case{"Gold-2022.2.0 2026-10-11T 17:52:02Z (release)", "2022.2.0", "oneCCL"}}) {
    CAPTURE(c.text);
    const auto lib = inspect(library({{".text", "NCCL version 1.0.0"}, {".rodata", "abc" + c.text}})).value();
    CHECK(lib.version.is(c.version));
    CHECK(lib.version_of == c.of);
  }
  for (const auto* text : {"RCCL version ", "NCCL version %d.%d", "Gold-20", "NCCL version 2", "NCCL version 7Z"}) {
    CAPTURE(text);
    CHECK(inspect(library({{".rodata", text}})).value().version.is_unknown());
  }
}

TEST_CASE("a version is found wherever a window ends") {
  for (std::size_t before = 4060; before < 4120; ++before) {
    const auto lib = inspect(library({{".rodata", std::string(before, '.') + "RCCL version 2.20.5+hip6.2"}})).value();
    CHECK(lib.version.is("2.20.5+hip6.2"));
  }
}
