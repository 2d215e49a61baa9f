#include "read/libraries/loader_cache.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace gpucoop;

namespace {

constexpr std::uint32_t kOwn =
#if defined(__aarch64__)
    0x0a03;
#else
    0x0303;
#endif

std::string little(std::uint64_t value, std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

struct Entry {
  std::string name;
  std::string path;
  std::uint32_t flags = kOwn;
};

/// As ldconfig of glibc 2.32 and later writes it.
std::string cache(const std::vector<Entry>& entries) {
  std::string table;
  std::string texts;
  const auto start = 48 + 24 * entries.size();
  for (const auto& e : entries) {
    table += little(e.flags, 4) + little(start + texts.size(), 4);
    table += little(start + texts.size() + e.name.size() + 1, 4) + little(0, 4) + little(0, 8);
    texts += e.name + '\0' + e.path + '\0';
  }
  return "glibc-ld.so.cache1.1" + little(entries.size(), 4) + little(texts.size(), 4) + std::string(20, '\0') + table +
         texts;
}

Result<std::vector<LoaderCacheEntry>> read(const std::string& bytes) {
  return read_loader_cache("ld.so.cache", {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

const std::vector<Entry> kEntries = {{"libc.so.6", "/lib/libc.so.6"},
                                     {"librccl.so.1", "/opt/rocm/lib/librccl.so.1"},
                                     {"librccl.so.1", "/usr/lib/i386-linux-gnu/librccl.so.1", 0x0003},
                                     {"librccl-net.so", "/opt/net/librccl-net.so"},
                                     {"libnccl.so.2", "/usr/lib/libnccl.so.2"}};

}  // namespace

TEST_CASE("the loader's cache names the libraries of this processor, in its order") {
  const auto entries = read(cache(kEntries));
  REQUIRE(entries);
  REQUIRE(entries.value().size() == 2);
  CHECK(entries.value()[0].name == "librccl.so.1");
  CHECK(entries.value()[0].path == "/opt/rocm/lib/librccl.so.1");
  CHECK(entries.value()[1].path == "/usr/lib/libnccl.so.2");
  CHECK(read(cache({})).value().empty());
}

TEST_CASE("a cache behind the table for older loaders is found") {
  for (const unsigned old_entries : {0U, 1U, 3U}) {
    auto bytes = "ld.so-1.7.0" + std::string(1, '\0') + little(old_entries, 4) + std::string(12 * old_entries, '\1');
    bytes.resize((bytes.size() + 7) / 8 * 8);
    const auto entries = read(bytes + cache(kEntries));
    REQUIRE(entries);
    CHECK(entries.value().size() == 2);
  }
}

TEST_CASE("what is no cache of the loader is refused with its name") {
  const auto other = read("#!/bin/sh\n");
  REQUIRE_FALSE(other);
  CHECK(other.error().code == ExitCode::bad_input);
  CHECK(other.error().where == "ld.so.cache");
  CHECK(other.error().what == "is no cache of the dynamic loader that this version reads");
  CHECK_FALSE(read(""));
  CHECK_FALSE(read("glibc-ld.so.cache1.0" + std::string(64, '\0')));
  CHECK_FALSE(read("ld.so-1.7.0" + std::string(1, '\0') + little(0xffffffff, 4)));
  CHECK_FALSE(read("ld.so-1.7.0" + std::string(1, '\0') + little(2, 4)));
}

TEST_CASE("a cache that is cut off anywhere is refused or read in part, and never read beyond its end") {
  const auto whole = cache(kEntries);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // In memory of its own, so that a sanitizer sees what lies beyond.
    const std::vector<std::uint8_t> bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto entries = read_loader_cache("c", bytes);
    if (size < 48 + 24 * kEntries.size()) CHECK_FALSE(entries);
    if (entries) CHECK(entries.value().size() <= 2);
  }
}

TEST_CASE("counts and offsets that lie are refused at once") {
  const auto changed = [](std::size_t at, std::uint32_t value) {
    auto bytes = cache(kEntries);
    bytes.replace(at, 4, little(value, 4));
    return read(bytes);
  };
  const auto many = changed(20, 0xffffffff);
  REQUIRE_FALSE(many);
  CHECK(many.error().what.find("4294967295 entries") != std::string::npos);
  CHECK_FALSE(changed(20, 100));
  CHECK_FALSE(changed(48 + 4, 0xffffffff));       // the name of the first entry
  CHECK_FALSE(changed(48 + 24 + 8, 0xfffffff0));  // the path of one that is wanted
  CHECK_FALSE(changed(48 + 24 + 8, 0));           // a path that is no path
  CHECK(changed(48 + 8, 0xffffffff));             // the path of one that nobody asked for
}
