#include "analyse/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace gpucoop {
namespace {

constexpr std::array<std::string_view, 5> kComputes = {"amdgpu", "nvidia", "i915", "xe", "habanalabs"};
// Passthrough stubs, the host's side of AMD's SR-IOV (gim), and display drivers without a compute stack that an engine
// uses.
constexpr std::array<std::string_view, 21> kDoesNotCompute = {"vfio-pci",
                                                              "pci-stub",
                                                              "pciback",
                                                              "xen-pciback",
                                                              "uio_pci_generic",
                                                              "igb_uio",
                                                              "nouveau",
                                                              "radeon",
                                                              "simple-framebuffer",
                                                              "ast",
                                                              "mgag200",
                                                              "vmwgfx",
                                                              "qxl",
                                                              "bochs-drm",
                                                              "cirrus",
                                                              "virtio-pci",
                                                              "nova",
                                                              "nova_core",
                                                              "gim",
                                                              "xe_vfio_pci",
                                                              "nvgrace_gpu_vfio_pci"};

template <class List>
bool contains(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

DriverUse driver_use(const PciDevice& device) {
  const auto a = short_form(device.address);
  if (device.driver.is_absent()) {
    return {Known<bool>::unknown(Reason::not_derivable), fmt::format("{}: no driver bound", a)};
  }
  if (!device.driver.is_known()) {
    return {Known<bool>::unknown(device.driver.reason()), fmt::format("{}: the bound driver was not read", a)};
  }
  const auto& driver = device.driver.value();
  const auto evidence = fmt::format("{}: driver in use {}", a, driver);
  if (contains(kComputes, driver)) return {true, evidence};
  if (contains(kDoesNotCompute, driver)) return {false, evidence};
  return {Known<bool>::unknown(Reason::not_derivable), evidence};
}

}  // namespace gpucoop
