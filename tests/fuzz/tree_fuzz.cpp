#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string_view>

#include "read/tree/tree.hpp"

// Trees of lspci -t: no text makes the parser fail, and what it gives is consistent.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpucoop;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  TreeParser parser;
  std::uint32_t number = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    (void)parser.take(line, {0, ++number});
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : text.size());
  }
  for (const Tree& tree : parser.finish()) {
    if (tree.whole && !tree.problems.empty()) std::abort();
    std::set<Address> seen;
    for (const PciDevice& device : tree.devices) {
      if (device.stated_parent.is(device.address)) std::abort();
      if (!seen.insert(device.address).second) std::abort();
      if (device.address.device > 31 || device.address.function > 7) std::abort();
      if (device.places.size() != 1 || device.places[0].line == 0 || device.places[0].line > number) std::abort();
    }
  }
  return 0;
}
