#pragma once

#include <array>
#include <memory>

#include "runtime/cuda/context.hpp"
#include "runtime/cuda/kernels.hpp"

namespace gpucoop::runtime::cuda {

/// The kernels, loaded for a device, and how each is put on a stream. All pointers are the device's; ranges were
/// checked.
class Module {
 public:
  /// Compiles them for the device; the compiler's words in the Failure where it cannot.
  [[nodiscard]] static Outcome<std::unique_ptr<Module>> load(std::shared_ptr<Context> context);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  [[nodiscard]] Outcome<> dispatch(const Stream& stream, DevicePointer to, std::uint32_t value) const;
  [[nodiscard]] Outcome<> store(const Stream& stream, DevicePointer to, std::uint64_t words,
                                const Pattern& pattern) const;
  [[nodiscard]] Outcome<> load_words(const Stream& stream, DevicePointer to, DevicePointer from,
                                     std::uint64_t words) const;
  [[nodiscard]] Outcome<> verify(const Stream& stream, DevicePointer from, std::uint64_t words, const Pattern& expected,
                                 const Pattern& before, DevicePointer result) const;
  [[nodiscard]] Outcome<> handshake(const Stream& stream, DevicePointer own, DevicePointer other, const Handshake& what,
                                    DevicePointer result) const;
  [[nodiscard]] Outcome<> count(const Stream& stream, DevicePointer counter, std::uint32_t times) const;
  [[nodiscard]] Outcome<> spin(const Stream& stream, std::chrono::nanoseconds duration) const;

 private:
  enum Kernel : std::size_t { kDispatch, kStore, kLoad, kVerify, kHandshake, kCount, kSpin, kKernels };
  explicit Module(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  [[nodiscard]] Outcome<> launch(Kernel kernel, const Stream& stream, std::uint64_t threads, void** parameters) const;

  std::shared_ptr<Context> context_;
  void* handle_ = nullptr;
  std::array<void*, kKernels> functions_{};
  std::uint64_t most_blocks_ = 1;
};

}  // namespace gpucoop::runtime::cuda
