#include "runtime/cuda/cuda.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "base/address.hpp"
#include "runtime/cuda/device.hpp"

namespace gpucoop::runtime::cuda {

namespace {

/// `580.159.04` of `/usr/lib/libcuda.so.580.159.04`; empty where the file's name does not tell.
std::string driver_of(const std::string& path) {
  const std::string_view name = "libcuda.so.";
  const auto at = path.rfind(name);
  if (at == std::string::npos) return {};
  std::string version = path.substr(at + name.size());
  return version.find('.') == std::string::npos ? "" : version;
}

class CudaRuntime final : public Runtime {
 public:
  CudaRuntime(std::shared_ptr<const Driver> driver, std::string version)
      : driver_(std::move(driver)), version_(std::move(version)) {}

  [[nodiscard]] std::string name() const override { return "cuda"; }
  [[nodiscard]] std::string version() const override { return version_; }

  Outcome<std::vector<DeviceInfo>> devices() override {
    int count = 0;
    if (auto asked = driver_->check("cuDeviceGetCount", driver_->device_count(&count)); !asked) return asked.failure();
    std::vector<DeviceInfo> all;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      auto info = describe(ordinal);
      if (!info) return info.failure();
      all.push_back(std::move(info).value());
    }
    return all;
  }

  Outcome<std::unique_ptr<Device>> open(const std::string& address) override {
    int count = 0;
    if (auto asked = driver_->check("cuDeviceGetCount", driver_->device_count(&count)); !asked) return asked.failure();
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      auto info = describe(ordinal);
      if (!info) return info.failure();
      if (info.value().address != address) continue;
      DeviceId device = 0;
      if (auto got = driver_->check("cuDeviceGet", driver_->device_get(&device, ordinal)); !got) return got.failure();
      return CudaDevice::open(driver_, device, info.value());
    }
    return Failure{
        ProbeState::refused,
        fmt::format("CUDA does not offer {} to this process (it offers {}; CUDA_VISIBLE_DEVICES, a container "
                    "or MIG can hide it)",
                    address, count == 1 ? "one device" : fmt::format("{} devices", count))};
  }

 private:
  Outcome<DeviceInfo> describe(int ordinal) {
    DeviceId device = 0;
    if (auto got = driver_->check("cuDeviceGet", driver_->device_get(&device, ordinal)); !got) return got.failure();
    std::array<char, 64> bus{};
    std::array<char, 256> name{};
    std::size_t bytes = 0;
    int major = 0;
    int minor = 0;
    int atomics = 0;
    const std::array<std::pair<const char*, int>, 5> asked{{
        {"cuDeviceGetPCIBusId", driver_->device_pci_bus_id(bus.data(), bus.size() - 1, device)},
        {"cuDeviceGetName", driver_->device_name(name.data(), name.size() - 1, device)},
        {"cuDeviceTotalMem", driver_->device_total_memory(&bytes, device)},
        {"cuDeviceGetAttribute", driver_->device_attribute(&major, kAttributeMajor, device)},
        {"cuDeviceGetAttribute", driver_->device_attribute(&minor, kAttributeMinor, device)},
    }};
    for (const auto& [function, code] : asked)
      if (code != kSuccess) return driver_->failure(function, code);
    DeviceInfo info;
    info.address = normal_address(bus.data());
    if (info.address.empty())
      return Failure{ProbeState::failed, fmt::format("cuDeviceGetPCIBusId: {:?} is no PCI address", bus.data())};
    info.name = name.data();
    info.architecture = fmt::format("sm_{}{}", major, minor);
    info.memory_bytes = bytes;
    if (driver_->device_attribute(&atomics, kAttributeHostNativeAtomics, device) == kSuccess)
      info.host_atomics = atomics != 0;
    return info;
  }

  std::shared_ptr<const Driver> driver_;
  std::string version_;
};

}  // namespace

std::string normal_address(const std::string& text) {
  const auto address = parse_address(text);
  return address ? to_string(*address) : "";
}

Outcome<std::unique_ptr<Runtime>> load(const std::string& library) {
  // Compiled kernels would be kept in the user's home directory otherwise.
  setenv("CUDA_CACHE_DISABLE", "1", 0);
  auto driver = Driver::load(library);
  if (!driver) return driver.failure();
  const Driver& d = *driver.value();
  if (auto begun = d.check("cuInit", d.init(0)); !begun) return begun.failure();
  int code = 0;
  if (auto asked = d.check("cuDriverGetVersion", d.driver_version(&code)); !asked) return asked.failure();
  std::string version = driver_of(d.path);
  version += fmt::format("{}CUDA {}.{}", version.empty() ? "" : ", ", code / 1000, code % 1000 / 10);
  return std::unique_ptr<Runtime>(std::make_unique<CudaRuntime>(std::move(driver).value(), std::move(version)));
}

}  // namespace gpucoop::runtime::cuda
