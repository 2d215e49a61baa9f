// The reader of the dynamic loader's cache.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "read/libraries/loader_cache.hpp"
#include "read/libraries/names.hpp"

namespace {

using namespace gpucoop;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto entries = read_loader_cache("ld.so.cache", std::span(data, size));
  if (!entries) {
    require(!entries.error().what.empty() && entries.error().where == "ld.so.cache");
    return 0;
  }
  require(entries.value().size() * 24 <= size);
  for (const auto& entry : entries.value()) {
    require(is_library_name(entry.name));
    require(entry.path.front() == '/' && entry.path.size() < 4096);
    require(entry.path.find('\0') == std::string::npos);
  }
  return 0;
}
