#include "runtime/cuda/context.hpp"

#include <utility>

namespace gpucoop::runtime::cuda {

Outcome<std::shared_ptr<Context>> Context::open(std::shared_ptr<const Driver> driver, DeviceId device,
                                                std::string address) {
  void* handle = nullptr;
  if (auto retained = driver->check("cuDevicePrimaryCtxRetain", driver->primary_retain(&handle, device)); !retained)
    return retained.failure();
  std::shared_ptr<Context> context(new Context(std::move(driver), device, std::move(address), handle));
  if (auto current = context->make_current(); !current) return current.failure();
  return context;
}

Context::~Context() {
  if (!stuck_) driver_->primary_release(device_);
}

Outcome<> Context::make_current() const { return driver_->check("cuCtxSetCurrent", driver_->set_current(handle_)); }

}  // namespace gpucoop::runtime::cuda
