#include "runtime/cuda/device.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "runtime/cuda/memory.hpp"
#include "runtime/cuda/stream.hpp"

namespace gpucoop::runtime::cuda {

namespace {

constexpr std::uint64_t kScratchBytes = 4096;

DevicePointer start_of(const Buffer& buffer) { return reinterpret_cast<DevicePointer>(buffer.pointer()); }

Mismatch to_mismatch(const VerifyResult& result, const Pattern& expected) {
  Mismatch m;
  m.checked = result.checked;
  m.wrong = result.wrong;
  m.lost = result.lost;
  m.stale = result.stale;
  m.shifted = result.shifted;
  m.all_ones = result.all_ones;
  m.zero = result.zero;
  if (m.wrong != 0) {
    const std::uint64_t index = result.first >> 32U;
    m.first_offset = index * 4;
    m.first_expected = expected.word(index);
    m.first_found = static_cast<std::uint32_t>(result.first);
  }
  return m;
}

}  // namespace

Outcome<std::unique_ptr<Device>> CudaDevice::open(std::shared_ptr<const Driver> driver, DeviceId device,
                                                  const DeviceInfo& info) {
  auto context = Context::open(std::move(driver), device, info.address);
  if (!context) return context.failure();
  std::unique_ptr<CudaDevice> opened(new CudaDevice(std::move(context).value(), info));
  auto module = Module::load(opened->context_);
  if (!module) return module.failure();
  opened->module_ = std::move(module).value();
  return std::unique_ptr<Device>(std::move(opened));
}

Outcome<> CudaDevice::prepare_scratch() {
  if (host_result_ != nullptr) return Done{};
  auto stream = cuda::make_stream(context_);
  if (!stream) return stream.failure();
  auto result = allocate_device(context_, kScratchBytes);
  if (!result) return result.failure();
  auto host = cuda::allocate_host(context_, kScratchBytes);
  if (!host) return host.failure();
  stream_ = std::move(stream).value();
  result_ = std::move(result).value();
  host_result_ = std::move(host).value();
  return Done{};
}

Outcome<std::unique_ptr<Buffer>> CudaDevice::allocate(std::uint64_t bytes) { return allocate_device(context_, bytes); }

Outcome<std::unique_ptr<Buffer>> CudaDevice::allocate_host(std::uint64_t bytes) {
  return cuda::allocate_host(context_, bytes);
}

Outcome<std::unique_ptr<Stream>> CudaDevice::make_stream() { return cuda::make_stream(context_); }

Outcome<> CudaDevice::dispatch(Deadline deadline) {
  if (auto ready = prepare_scratch(); !ready) return ready;
  const std::uint32_t value = Pattern{0x64697370U, ++dispatched_}.word(0);
  std::memset(host_result_->pointer(), 0, sizeof value);
  if (auto put = module_->dispatch(*stream_, start_of(*result_), value); !put) return put;
  if (auto put = copy(*stream_, *host_result_, 0, *result_, {0, sizeof value}); !put) return put;
  if (auto waited = stream_->wait(deadline); !waited) return waited;
  std::uint32_t found = 0;
  std::memcpy(&found, host_result_->pointer(), sizeof found);
  if (found == value) return Done{};
  return Failure{ProbeState::wrong_data,
                 fmt::format("a kernel on {} stored {:#010x}, and {:#010x} came back", info_.address, value, found)};
}

Outcome<> CudaDevice::store(Stream& stream, Buffer& to, Range range, const Pattern& pattern) {
  auto target = place("store", to, range, true);
  if (!target) return target.failure();
  return module_->store(stream, target.value(), range.bytes / 4, pattern);
}

Outcome<> CudaDevice::load(Stream& stream, Buffer& to, std::uint64_t to_offset, const Buffer& from, Range range) {
  auto source = place("load", from, range, true);
  if (!source) return source.failure();
  auto target = place("load", to, {to_offset, range.bytes}, true);
  if (!target) return target.failure();
  return module_->load_words(stream, target.value(), source.value(), range.bytes / 4);
}

Outcome<> CudaDevice::copy(Stream& stream, Buffer& to, std::uint64_t to_offset, const Buffer& from, Range range) {
  auto source = place("copy", from, range, false);
  if (!source) return source.failure();
  auto target = place("copy", to, {to_offset, range.bytes}, false);
  if (!target) return target.failure();
  if (range.bytes == 0) return Done{};
  if (auto current = context_->make_current(); !current) return current;
  const Driver& driver = context_->driver();
  return driver.check("cuMemcpyAsync", driver.copy(target.value(), source.value(), range.bytes, stream.handle()));
}

Outcome<Mismatch> CudaDevice::verify(Stream& stream, const Buffer& buffer, Range range, const Pattern& expected,
                                     const Pattern& before, Deadline deadline) {
  auto source = place("verify", buffer, range, true);
  if (!source) return source.failure();
  const std::uint64_t words = range.bytes / 4;
  if (words > kMostVerifyWords)
    return Failure{ProbeState::failed, fmt::format("verify: {} bytes at once; 16 GiB is the most", range.bytes)};
  if (auto ready = prepare_scratch(); !ready) return ready.failure();
  VerifyResult result;
  std::memcpy(host_result_->pointer(), &result, sizeof result);
  if (auto put = copy(stream, *result_, 0, *host_result_, {0, sizeof result}); !put) return put.failure();
  auto put = module_->verify(stream, source.value(), words, expected, before, start_of(*result_));
  if (!put) return put.failure();
  if (auto back = copy(stream, *host_result_, 0, *result_, {0, sizeof result}); !back) return back.failure();
  if (auto waited = stream.wait(deadline); !waited) return waited.failure();
  std::memcpy(&result, host_result_->pointer(), sizeof result);
  if (result.checked != words)
    return Failure{ProbeState::failed,
                   fmt::format("verify: the kernel looked at {} of {} words", result.checked, words)};
  return to_mismatch(result, expected);
}

Outcome<std::function<HandshakeEnd()>> CudaDevice::handshake(Stream& stream, Buffer& own, Buffer& other,
                                                             const Handshake& what) {
  constexpr std::uint64_t side_bytes = kPayloadOffset + std::uint64_t{kPayloadWords} * 4;
  const bool shared = own.pointer() == other.pointer();
  const std::uint64_t half = shared ? own.bytes() / 2 / side_bytes * side_bytes : 0;
  if (shared && half == 0)
    return Failure{ProbeState::failed, fmt::format("handshake: {} bytes for two sides", own.bytes())};
  auto inbox = place("handshake", own, {what.side == 0 ? 0 : half, side_bytes}, true);
  if (!inbox) return inbox.failure();
  auto outbox = place("handshake", other, {what.side == 0 ? half : 0, side_bytes}, true);
  if (!outbox) return outbox.failure();

  // Of its own, since the result is asked for later than this call. Mapped, so that no copy has to follow the kernel.
  auto made = cuda::allocate_host(context_, sizeof(HandshakeResult));
  if (!made) return made.failure();
  const std::shared_ptr<Buffer> result = std::move(made).value();
  std::memset(result->pointer(), 0, sizeof(HandshakeResult));
  auto put = module_->handshake(stream, inbox.value(), outbox.value(), what, start_of(*result));
  if (!put) return put.failure();
  return std::function<HandshakeEnd()>([result] {
    HandshakeResult end;
    std::memcpy(&end, result->pointer(), sizeof end);
    return HandshakeEnd{end.rounds, end.wrong, static_cast<double>(end.nanoseconds) / 1e9};
  });
}

Outcome<> CudaDevice::count(Stream& stream, Buffer& counter, std::uint64_t offset, std::uint32_t times) {
  auto at = place("count", counter, {offset, 4}, true);
  if (!at) return at.failure();
  return module_->count(stream, at.value(), times);
}

Outcome<> CudaDevice::mark(Stream& stream, Buffer& host, std::uint64_t offset, std::uint32_t value) {
  auto at = place("mark", host, {offset, 4}, true);
  if (!at) return at.failure();
  return module_->dispatch(stream, at.value(), value);
}

Outcome<const Context*> CudaDevice::peer_context(const Device& peer) const {
  const auto* other = dynamic_cast<const CudaDevice*>(&peer);
  if (other == nullptr)
    return Failure{ProbeState::refused, fmt::format("{} is not a device of CUDA", peer.info().address)};
  return other->context_.get();
}

Outcome<bool> CudaDevice::can_access(const Device& peer, std::string& why) {
  auto other = peer_context(peer);
  if (!other) return other.failure();
  const Driver& driver = context_->driver();
  int can = 0;
  const int code = driver.can_access_peer(&can, context_->device(), other.value()->device());
  if (auto asked = driver.check("cuDeviceCanAccessPeer", code); !asked) return asked.failure();
  why = can != 0 ? "" : fmt::format("cuDeviceCanAccessPeer({}, {}) = 0", info_.address, peer.info().address);
  return can != 0;
}

Outcome<bool> CudaDevice::has_native_atomics(const Device& peer) {
  auto other = peer_context(peer);
  if (!other) return other.failure();
  const Driver& driver = context_->driver();
  int native = 0;
  const int code = driver.peer_attribute(&native, kPeerNativeAtomics, context_->device(), other.value()->device());
  if (auto asked = driver.check("cuDeviceGetP2PAttribute", code); !asked) return asked.failure();
  return native != 0;
}

Outcome<> CudaDevice::enable_access(const Device& peer) {
  auto other = peer_context(peer);
  if (!other) return other.failure();
  if (auto current = context_->make_current(); !current) return current;
  const int code = context_->driver().enable_peer(other.value()->handle(), 0);
  if (code == kPeerAlreadyEnabled) return Done{};
  return context_->driver().check("cuCtxEnablePeerAccess", code);
}

Outcome<IpcHandle> CudaDevice::export_buffer(Buffer& buffer) { return export_memory(*context_, buffer); }

Outcome<std::unique_ptr<Buffer>> CudaDevice::import_buffer(const IpcHandle& handle, std::uint64_t bytes) {
  return import_memory(context_, handle, bytes);
}

Outcome<double> CudaDevice::timed(Stream& stream, unsigned repetitions, const std::function<Outcome<>()>& enqueue,
                                  Deadline deadline) {
  return cuda::timed(*context_, stream, repetitions, enqueue, deadline);
}

Outcome<std::unique_ptr<Graph>> CudaDevice::record(Stream& stream, const std::function<Outcome<>()>& enqueue) {
  return cuda::record(context_, stream, enqueue);
}

Outcome<> CudaDevice::replay(Stream& stream, Graph& graph) { return cuda::replay(*context_, stream, graph); }

Outcome<> CudaDevice::spin(Stream& stream, std::chrono::milliseconds duration) {
  return module_->spin(stream, duration);
}

}  // namespace gpucoop::runtime::cuda
