// The reader of the firmware's slots, on raw SMBIOS structure tables.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "model/pci.hpp"
#include "read/host/dmi_slots.hpp"

namespace {

using namespace gpucoop;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto found = read_dmi_slots(std::span(data, size));
  require(found.slots.size() <= 256);
  require(found.slots.size() * 5 <= size);
  for (const auto& slot : found.slots) {
    require(slot.designation.size() <= 64);
    for (const char c : slot.designation) require(c >= ' ' && c <= '~');
    for (const auto* lanes : {&slot.width, &slot.physical_width}) {
      if (lanes->is_known()) require(is_link_width(lanes->value()));
    }
    if (slot.generation.is_known()) require(slot.generation.value() >= 1 && slot.generation.value() <= 7);
    if (slot.address.is_known()) require(slot.address.value().device < 32 && slot.address.value().function < 8);
  }
  return 0;
}
