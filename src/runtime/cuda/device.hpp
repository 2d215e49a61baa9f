#pragma once

#include <memory>

#include "runtime/cuda/context.hpp"
#include "runtime/cuda/module.hpp"

namespace gpucoop::runtime::cuda {

class CudaDevice final : public Device {
 public:
  [[nodiscard]] static Outcome<std::unique_ptr<Device>> open(std::shared_ptr<const Driver> driver, DeviceId device,
                                                             const DeviceInfo& info);

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  Outcome<> make_current() override { return context_->make_current(); }

  Outcome<std::unique_ptr<Buffer>> allocate(std::uint64_t bytes) override;
  Outcome<std::unique_ptr<Buffer>> allocate_host(std::uint64_t bytes) override;
  Outcome<std::unique_ptr<Stream>> make_stream() override;

  Outcome<> dispatch(Deadline deadline) override;
  Outcome<> store(Stream& stream, Buffer& to, Range range, const Pattern& pattern) override;
  Outcome<> load(Stream& stream, Buffer& to, std::uint64_t to_offset, const Buffer& from, Range range) override;
  Outcome<> copy(Stream& stream, Buffer& to, std::uint64_t to_offset, const Buffer& from, Range range) override;
  Outcome<Mismatch> verify(Stream& stream, const Buffer& buffer, Range range, const Pattern& expected,
                           const Pattern& before, Deadline deadline) override;
  Outcome<std::function<HandshakeEnd()>> handshake(Stream& stream, Buffer& own, Buffer& other,
                                                   const Handshake& what) override;
  Outcome<> count(Stream& stream, Buffer& counter, std::uint64_t offset, std::uint32_t times) override;

  Outcome<bool> can_access(const Device& peer, std::string& why) override;
  Outcome<bool> has_native_atomics(const Device& peer) override;
  Outcome<> enable_access(const Device& peer) override;
  Outcome<IpcHandle> export_buffer(Buffer& buffer) override;
  Outcome<std::unique_ptr<Buffer>> import_buffer(const IpcHandle& handle, std::uint64_t bytes) override;

  Outcome<> mark(Stream& stream, Buffer& host, std::uint64_t offset, std::uint32_t value) override;

  Outcome<double> timed(Stream& stream, unsigned repetitions, const std::function<Outcome<>()>& enqueue,
                        Deadline deadline) override;
  Outcome<std::unique_ptr<Graph>> record(Stream& stream, const std::function<Outcome<>()>& enqueue) override;
  Outcome<> replay(Stream& stream, Graph& graph) override;

  Outcome<> spin(Stream& stream, std::chrono::milliseconds duration) override;

 private:
  CudaDevice(std::shared_ptr<Context> context, DeviceInfo info)
      : context_(std::move(context)), info_(std::move(info)) {}
  [[nodiscard]] Outcome<const Context*> peer_context(const Device& peer) const;
  /// The memory for results of kernels that this object waits for itself, made when it is first needed.
  [[nodiscard]] Outcome<> prepare_scratch();

  std::shared_ptr<Context> context_;
  DeviceInfo info_;
  std::unique_ptr<Module> module_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Buffer> result_;       // on the device
  std::unique_ptr<Buffer> host_result_;  // pinned
  std::uint32_t dispatched_ = 0;
};

}  // namespace gpucoop::runtime::cuda
