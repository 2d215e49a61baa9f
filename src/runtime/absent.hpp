#pragma once

#include <string>
#include <utility>

#include "runtime/runtime.hpp"

namespace gpucoop::runtime {

/// A runtime that could not be loaded or begun. It says why to whoever wants a device of it.
class AbsentRuntime final : public Runtime {
 public:
  AbsentRuntime(std::string name, Failure why) : name_(std::move(name)), why_(std::move(why)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string version() const override { return {}; }
  Outcome<std::vector<DeviceInfo>> devices() override { return why_; }
  Outcome<std::unique_ptr<Device>> open(const std::string&) override { return why_; }

 private:
  std::string name_;
  Failure why_;
};

}  // namespace gpucoop::runtime
