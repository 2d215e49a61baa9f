#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "read/libraries/find.hpp"
#include "read/libraries/names.hpp"
#include "read/libraries/places.hpp"
#include "sysfs_tree.hpp"

using namespace gpucoop;

namespace {

/// The root folder of a made-up system.
class System : public test::SysfsTree {
 public:
  [[nodiscard]] FoundLibraries find(LibrarySearch search = {}, bool only_collective = false) const {
    search.root = path("").string();
    auto found = find_libraries(search, only_collective);
    REQUIRE(found);
    return found.value();
  }
};

std::vector<std::string> paths(const FoundLibraries& found) {
  std::vector<std::string> result;
  for (const auto& library : found.libraries) result.push_back(library.path);
  return result;
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("names of libraries that are looked into") {
  for (const auto* name : {"librccl.so", "librccl.so.1", "libnccl.so.2.28.9", "libccl.so.1.0", "libggml-hip.so",
                           "libggml-cuda.so.0", "libtorch_hip.so", "libtorch_cuda.so", "libtorch_xpu.so"}) {
    CHECK_MESSAGE(is_library_name(name), name);
  }
  for (const auto* name : {"librccl-net.so", "librccl.a", "librccl.so.", "librccl.so.x", "librccl.so.1.", "librccl.sob",
                           "libnccl_static.a", "librccl", "", "libtorch_cpu.so", "rccl.so", "librccl.so.1 "}) {
    CHECK_MESSAGE(!is_library_name(name), name);
  }
  CHECK(is_collective_name("libccl.so.2"));
  CHECK_FALSE(is_collective_name("libggml-hip.so"));
}

TEST_CASE("libraries come in the order in which they would be loaded") {
  System system;
  system.file("opt/rocm-7.1.1/lib/librccl.so.1", "a").file("usr/lib/libnccl.so.2", "b");
  system.file("venv/lib/python3.12/site-packages/torch/lib/librccl.so", "c");
  system.file("venv/lib/python3.12/site-packages/torch/lib/libtorch_hip.so", "d");
  system.file("venv/lib/python3.12/site-packages/_rocm_sdk_libraries_gfx120X_all/lib/librccl.so.1", "e");
  system.file("usr/local/lib/python3.10/dist-packages/nvidia/nccl/lib/libnccl.so.2", "f");
  system.file("own/librccl.so.1", "g").file("pre/librccl.so.1", "h");
  LibrarySearch search;
  search.environments = {"/venv"};
  search.library_path = "/nowhere::relative:/own";
  search.preload = "/pre/librccl.so.1:/pre/libother.so";
  const auto found = system.find(search);
  const std::string site = "/venv/lib/python3.12/site-packages";
  CHECK(paths(found) == Paths{"/pre/librccl.so.1", site + "/torch/lib/librccl.so", site + "/torch/lib/libtorch_hip.so",
                              site + "/_rocm_sdk_libraries_gfx120X_all/lib/librccl.so.1", "/own/librccl.so.1",
                              "/usr/local/lib/python3.10/dist-packages/nvidia/nccl/lib/libnccl.so.2",
                              "/usr/lib/libnccl.so.2", "/opt/rocm-7.1.1/lib/librccl.so.1"});
  REQUIRE(found.libraries.size() == 8);
  CHECK(found.libraries[0].by == FoundBy::preload);
  CHECK(found.libraries[1].by == FoundBy::environment);
  CHECK(found.libraries[1].how == "pip: /venv");
  CHECK(found.libraries[4].by == FoundBy::library_path);
  CHECK(found.libraries[5].by == FoundBy::system_python);
  CHECK(found.libraries[6].by == FoundBy::system_folder);
  CHECK(found.libraries[7].by == FoundBy::vendor_folder);
  CHECK(found.warnings.empty());
  CHECK(paths(system.find(search, true)).size() == 7);
}

TEST_CASE("a file that is found in several ways is listed once") {
  System system;
  system.file("opt/rocm-7.1.1/lib/librccl.so.1.0.70101", "x");
  system.link("opt/rocm-7.1.1/lib/librccl.so.1", "librccl.so.1.0.70101");
  system.link("opt/rocm-7.1.1/lib/librccl.so", "librccl.so.1");
  system.link("opt/rocm", "/opt/rocm-7.1.1");
  LibrarySearch search;
  search.library_path = "/opt/rocm/lib";
  const auto found = system.find(search);
  REQUIRE(found.libraries.size() == 1);
  CHECK(found.libraries[0].path == "/opt/rocm/lib/librccl.so");
  CHECK(found.libraries[0].file == system.path("opt/rocm-7.1.1/lib/librccl.so.1.0.70101").string());
  CHECK(found.libraries[0].how == "LD_LIBRARY_PATH");
  CHECK(found.libraries[0].also == std::vector<std::string>{"the vendor's folder"});
}

TEST_CASE("links never lead out of the root") {
  System outside;
  outside.file("librccl.so.1", "secret");
  System system;
  system.link("usr/lib/librccl.so.1", outside.path("librccl.so.1").string());
  system.link("usr/lib/libnccl.so.2", "../../../../../../../../../../etc/passwd");
  system.link("usr/local/lib", outside.path("").string());
  system.link("opt/rocm/lib/librccl.so.1", "../../../../real/librccl.so.1");  // as the loader reads it: /real
  system.file("real/librccl.so.1", "inside");
  const auto found = system.find();
  REQUIRE(found.libraries.size() == 1);
  CHECK(found.libraries[0].path == "/opt/rocm/lib/librccl.so.1");
  CHECK(found.libraries[0].file == system.path("real/librccl.so.1").string());
  REQUIRE(found.warnings.size() == 2);
  CHECK(found.warnings[0].code == "library.unreadable");
  CHECK(found.warnings[0].where == "/usr/lib/libnccl.so.2");
}

TEST_CASE("what is no regular file makes nothing wait") {
  System system;
  system.fifo("usr/lib/librccl.so.1").fifo("etc/ld.so.cache");
  system.link("usr/lib/libnccl.so.2", "libnccl.so.2");
  std::filesystem::create_directories(system.path("usr/lib/libccl.so.1"));
  const auto found = system.find();
  CHECK(found.libraries.empty());
  CHECK(found.warnings.size() == 3);
}

TEST_CASE("a damaged cache of the loader is told, and the other ways are gone") {
  System system;
  system.file("etc/ld.so.cache", "glibc-ld.so.cache1.1 and no more").file("usr/lib/librccl.so.1", "x");
  const auto found = system.find();
  CHECK(paths(found) == Paths{"/usr/lib/librccl.so.1"});
  REQUIRE(found.warnings.size() == 1);
  CHECK(found.warnings[0].code == "library.loader-cache");
  CHECK(found.warnings[0].where == "/etc/ld.so.cache");
}

TEST_CASE("environments of conda and folders of packages") {
  System system;
  system.file("conda/conda-meta/history", "").file("conda/lib/libnccl.so.2", "a");
  system.file("packages/nvidia/nccl/lib/libnccl.so.2", "b");
  system.file("usr/lib64/ggml/backends0/libggml-hip.so", "c");
  LibrarySearch search;
  search.environments = {"/conda", "packages"};  // below a root there is no other folder to start from
  const auto found = system.find(search);
  REQUIRE(found.libraries.size() == 3);
  CHECK(found.libraries[0].how == "conda: /conda");
  CHECK(found.libraries[1].path == "/packages/nvidia/nccl/lib/libnccl.so.2");
  CHECK(found.libraries[2].path == "/usr/lib64/ggml/backends0/libggml-hip.so");

  search.environments = {"/opt"};
  std::filesystem::create_directories(system.path("opt"));
  CHECK(system.find(search).warnings.at(0).code == "library.no-environment");
  search.environments = {"/gone"};
  search.root = system.path("").string();
  const auto gone = find_libraries(search, false);
  REQUIRE_FALSE(gone);
  CHECK(gone.error().code == ExitCode::no_such_input);
  CHECK(gone.error().where == "/gone");
}

TEST_CASE("an active environment that is gone is none") {
  System system;
  LibrarySearch search;
  search.virtual_env = "/gone";
  search.conda_prefix = "/gone too";
  const auto found = system.find(search);
  CHECK(found.libraries.empty());
  CHECK(found.warnings.empty());
}

TEST_CASE("a root that is no folder is an error") {
  LibrarySearch search;
  search.root = "/nonexistent-root";
  const auto found = find_libraries(search, false);
  REQUIRE_FALSE(found);
  CHECK(found.error().code == ExitCode::no_such_input);
}

TEST_CASE("entries of LD_LIBRARY_PATH") {
  CHECK(path_entries("/a:/b;/c") == Paths{"/a", "/b", "/c"});
  CHECK(path_entries("::relative:/a:") == Paths{"/a"});
  CHECK(path_entries("").empty());
  CHECK(path_entries(std::string(100000, ':')).empty());
}
