#pragma once

#include <memory>
#include <string>

#include "runtime/host/memory.hpp"
#include "runtime/host/stream.hpp"
#include "runtime/runtime.hpp"

namespace gpucoop::runtime::host {

/// One device of the host backend as one process sees it.
class HostDevice final : public Device {
 public:
  HostDevice(DeviceInfo info, unsigned opener, std::byte* arena, std::uint64_t arena_bytes, std::shared_ptr<Part> part)
      : info_(std::move(info)), opener_(opener), arena_(arena), arena_bytes_(arena_bytes), part_(std::move(part)) {}

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  Outcome<std::unique_ptr<Buffer>> allocate(std::uint64_t bytes) override;
  Outcome<std::unique_ptr<Buffer>> allocate_host(std::uint64_t bytes) override { return allocate(bytes); }
  Outcome<std::unique_ptr<Stream>> make_stream() override;
  Outcome<> dispatch(Deadline deadline) override;
  Outcome<> store(Stream& stream, Buffer& to, Range range, const Pattern& pattern) override;
  Outcome<> load(Stream& stream, Buffer& to, std::uint64_t to_offset, const Buffer& from, Range range) override;
  Outcome<> copy(Stream& stream, Buffer& to, std::uint64_t to_offset, const Buffer& from, Range range) override;
  Outcome<> mark(Stream& stream, Buffer& host, std::uint64_t offset, std::uint32_t value) override;
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
  Outcome<double> timed(Stream& stream, unsigned repetitions, const std::function<Outcome<>()>& enqueue,
                        Deadline deadline) override;
  Outcome<std::unique_ptr<Graph>> record(Stream& stream, const std::function<Outcome<>()>& enqueue) override;
  Outcome<> replay(Stream& stream, Graph& graph) override;

 private:
  DeviceInfo info_;
  unsigned opener_;
  std::byte* arena_;
  std::uint64_t arena_bytes_;
  std::shared_ptr<Part> part_;
};

}  // namespace gpucoop::runtime::host
