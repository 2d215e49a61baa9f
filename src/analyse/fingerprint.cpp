#include "analyse/fingerprint.hpp"

#include <fmt/format.h>

#include "analyse/device_tree.hpp"
#include "analyse/vendor.hpp"

namespace gpucoop {
namespace {

class Fnv1a {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      hash_ ^= static_cast<unsigned char>(c);
      hash_ *= 0x100000001b3U;
    }
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

std::string id(const Known<std::uint16_t>& value) {
  return value.is_known() ? fmt::format("{:04x}", value.value()) : std::string("?");
}

}  // namespace

std::string fingerprint_of(const Recording& recording) {
  Fnv1a hash;
  bool any = false;
  for (const auto& device : recording.devices) {
    if (!is_bridge(device) && !is_gpu(device)) continue;
    any = true;
    hash.add(fmt::format("{} {}:{} {}:{}\n", to_string(device.address), id(device.vendor_id), id(device.device_id),
                         id(device.subsystem_vendor_id), id(device.subsystem_device_id)));
  }
  return any ? fmt::format("{:016x}", hash.value()) : std::string{};
}

}  // namespace gpucoop
