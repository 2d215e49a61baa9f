#include "runtime/cuda/module.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gpucoop::runtime::cuda {

namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint64_t kBlocksPerMultiprocessor = 8;

constexpr std::array<const char*, 7> kNames{"gpucoop_dispatch",  "gpucoop_store", "gpucoop_load", "gpucoop_verify",
                                            "gpucoop_handshake", "gpucoop_count", "gpucoop_spin"};

/// Values as cuLaunchKernel takes them: an array of pointers to them.
template <class... T>
class Parameters {
 public:
  explicit Parameters(T&... values) : pointers_{static_cast<void*>(&values)...} {}
  [[nodiscard]] void** get() { return pointers_.data(); }

 private:
  std::array<void*, sizeof...(T)> pointers_;
};

}  // namespace

Outcome<std::unique_ptr<Module>> Module::load(std::shared_ptr<Context> context) {
  static_assert(kNames.size() == kKernels);
  if (auto current = context->make_current(); !current) return current.failure();
  const Driver& driver = context->driver();
  std::unique_ptr<Module> module(new Module(std::move(context)));

  std::array<char, 4096> log{};
  std::array<int, 2> options{kJitErrorLog, kJitErrorLogBytes};
  // The driver takes the number in the place of a pointer.
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
  const int code = driver.module_load(&module->handle_, ptx(), options.size(), options.data(), values.data());
  if (code != kSuccess) {
    Failure failure = driver.failure("cuModuleLoadDataEx", code);
    log.back() = '\0';
    if (log.front() != '\0') failure.text += std::string(": ") + log.data();
    return failure;
  }
  for (std::size_t i = 0; i < kKernels; ++i) {
    void*& function = module->functions_.at(i);
    auto found = driver.check("cuModuleGetFunction", driver.module_function(&function, module->handle_, kNames.at(i)));
    if (!found) return found.failure();
    // Now rather than at the first launch, where loading may wait for what runs on the device.
    if (driver.function_load == nullptr) continue;
    if (auto loaded = driver.check("cuFuncLoad", driver.function_load(function)); !loaded) return loaded.failure();
  }
  int multiprocessors = 0;
  const DeviceId device = module->context_->device();
  auto asked = driver.check("cuDeviceGetAttribute",
                            driver.device_attribute(&multiprocessors, kAttributeMultiprocessors, device));
  if (!asked) return asked.failure();
  module->most_blocks_ = static_cast<std::uint64_t>(std::max(multiprocessors, 1)) * kBlocksPerMultiprocessor;
  return module;
}

Module::~Module() {
  if (handle_ != nullptr && !context_->leaves_everything() && context_->make_current())
    context_->driver().module_unload(handle_);
}

Outcome<> Module::launch(Kernel kernel, const Stream& stream, std::uint64_t threads, void** parameters) const {
  if (auto current = context_->make_current(); !current) return current;
  const auto block = static_cast<unsigned>(std::min<std::uint64_t>(threads, kThreads));
  const auto grid = static_cast<unsigned>(std::min((threads + kThreads - 1) / kThreads, most_blocks_));
  const Driver& driver = context_->driver();
  return driver.check("cuLaunchKernel", driver.launch(functions_.at(kernel), grid, 1, 1, block, 1, 1, 0,
                                                      stream.handle(), parameters, nullptr));
}

Outcome<> Module::dispatch(const Stream& stream, DevicePointer to, std::uint32_t value) const {
  return launch(kDispatch, stream, 1, Parameters(to, value).get());
}

Outcome<> Module::store(const Stream& stream, DevicePointer to, std::uint64_t words, const Pattern& pattern) const {
  if (words == 0) return Done{};
  Pattern p = pattern;
  return launch(kStore, stream, words, Parameters(to, words, p.seed, p.round).get());
}

Outcome<> Module::load_words(const Stream& stream, DevicePointer to, DevicePointer from, std::uint64_t words) const {
  if (words == 0) return Done{};
  return launch(kLoad, stream, words, Parameters(to, from, words).get());
}

Outcome<> Module::verify(const Stream& stream, DevicePointer from, std::uint64_t words, const Pattern& expected,
                         const Pattern& before, DevicePointer result) const {
  if (words == 0) return Done{};
  Pattern p = expected;
  Pattern b = before;
  return launch(kVerify, stream, words, Parameters(from, words, p.seed, p.round, b.seed, b.round, result).get());
}

Outcome<> Module::handshake(const Stream& stream, DevicePointer own, DevicePointer other, const Handshake& what,
                            DevicePointer result) const {
  Handshake w = what;
  auto limit = static_cast<std::uint64_t>(std::chrono::nanoseconds(what.limit).count());
  return launch(kHandshake, stream, 1, Parameters(own, other, w.side, w.rounds, limit, result).get());
}

Outcome<> Module::count(const Stream& stream, DevicePointer counter, std::uint32_t times) const {
  if (times == 0) return Done{};
  return launch(kCount, stream, times, Parameters(counter, times).get());
}

Outcome<> Module::spin(const Stream& stream, std::chrono::nanoseconds duration) const {
  auto nanoseconds = static_cast<std::uint64_t>(duration.count());
  return launch(kSpin, stream, 1, Parameters(nanoseconds).get());
}

}  // namespace gpucoop::runtime::cuda
