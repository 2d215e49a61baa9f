#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "runtime/cuda/driver.hpp"
#include "runtime/runtime.hpp"

namespace gpucoop::runtime::cuda {

/// The primary context of a device, for as long as anything of it is in use: what collective libraries use as well.
class Context {
 public:
  [[nodiscard]] static Outcome<std::shared_ptr<Context>> open(std::shared_ptr<const Driver> driver, DeviceId device,
                                                              std::string address);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] const Driver& driver() const { return *driver_; }
  [[nodiscard]] DeviceId device() const { return device_; }
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] void* handle() const { return handle_; }
  [[nodiscard]] Outcome<> make_current() const;

  /// Something did not come to its end. Giving memory or streams back would wait for it without a limit, so nothing is
  /// given back from then on: the process ends soon.
  void leave_everything() { stuck_ = true; }
  [[nodiscard]] bool leaves_everything() const { return stuck_; }
  /// The stream that seemed stuck came to its end after all.
  void recovered() { stuck_ = false; }

 private:
  Context(std::shared_ptr<const Driver> driver, DeviceId device, std::string address, void* handle)
      : driver_(std::move(driver)), device_(device), address_(std::move(address)), handle_(handle) {}

  std::shared_ptr<const Driver> driver_;
  DeviceId device_;
  std::string address_;
  void* handle_;
  std::atomic<bool> stuck_{false};
};

}  // namespace gpucoop::runtime::cuda
