#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "read/xml/xml.hpp"

namespace {

void check(const gpucoop::Result<gpucoop::Recording>& result) {
  using namespace gpucoop;
  if (!result) {
    if (result.error().code != ExitCode::bad_input || result.error().what.empty()) std::abort();
    return;
  }
  const Recording& recording = result.value();
  for (std::size_t i = 1; i < recording.devices.size(); ++i) {
    if (!(recording.devices[i - 1].address < recording.devices[i].address)) std::abort();
  }
  for (const FabricLink& link : recording.fabric) {
    if (link.a == link.b || find_device(recording, link.a) == nullptr || find_device(recording, link.b) == nullptr) {
      std::abort();
    }
  }
  if (!recording.devices.empty() && !recording.lists_devices) std::abort();
}

}  // namespace

// Topology files of hwloc, NCCL and RCCL.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(gpucoop::read_hwloc_xml("fuzz.xml", text));
  check(gpucoop::read_nccl_xml("fuzz.xml", text));
  return 0;
}
