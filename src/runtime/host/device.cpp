#include "runtime/host/device.hpp"

#include <cstring>
#include <utility>

#include "runtime/host/kernels.hpp"
#include "runtime/verify.hpp"

namespace gpucoop::runtime::host {
namespace {

using Clock = std::chrono::steady_clock;

Failure failed(std::string text) { return {ProbeState::failed, "host backend: " + std::move(text)}; }
Failure foreign() { return failed("the stream, buffer or device is another backend's"); }
Failure outside() { return failed("the range lies outside of the buffer"); }

bool inside(const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes) {
  return offset <= buffer.bytes() && bytes <= buffer.bytes() - offset;
}
std::byte* at(const Buffer& buffer, std::uint64_t offset) { return static_cast<std::byte*>(buffer.pointer()) + offset; }
std::uint32_t* words_at(const Buffer& buffer, std::uint64_t offset) {
  return static_cast<std::uint32_t*>(static_cast<void*>(at(buffer, offset)));
}

}  // namespace

Outcome<std::unique_ptr<Buffer>> HostDevice::allocate(std::uint64_t bytes) {
  const auto offset = part_->take(bytes);
  if (!offset) {
    return failed("out of memory: " + std::to_string(bytes) + " bytes of " + std::to_string(part_->bytes()) + " on " +
                  info_.address);
  }
  return std::unique_ptr<Buffer>(std::make_unique<HostBuffer>(arena_, *offset, bytes, part_));
}

Outcome<std::unique_ptr<Stream>> HostDevice::make_stream() {
  return std::unique_ptr<Stream>(std::make_unique<HostStream>());
}

Outcome<> HostDevice::dispatch(Deadline deadline) {
  auto word = allocate(4);
  if (!word.ok()) return word.failure();
  HostStream stream;
  std::uint32_t* const pointer = words_at(*word.value(), 0);
  *pointer = 0;
  constexpr std::uint32_t kSign = 0x600DF00D;
  stream.put([pointer](const std::atomic<bool>&) -> Outcome<> {
    *pointer = kSign;
    return Done{};
  });
  auto waited = stream.wait(deadline);
  if (!waited.ok()) return waited;
  if (*pointer != kSign) return Failure{ProbeState::wrong_data, "the kernel ended and its word is not there"};
  return Done{};
}

Outcome<> HostDevice::store(Stream& stream, Buffer& to, Range range, const Pattern& pattern) {
  auto* const own = host_stream(stream);
  if (own == nullptr) return foreign();
  if (!inside(to, range.offset, range.bytes)) return outside();
  std::uint32_t* const words = words_at(to, range.offset);
  own->put([words, range, pattern](const std::atomic<bool>&) -> Outcome<> {
    store_pattern(words, range.bytes / 4, pattern);
    return Done{};
  });
  return Done{};
}

Outcome<> HostDevice::load(Stream& stream, Buffer& to, std::uint64_t to_offset, const Buffer& from, Range range) {
  auto* const own = host_stream(stream);
  if (own == nullptr) return foreign();
  if (!inside(to, to_offset, range.bytes) || !inside(from, range.offset, range.bytes)) return outside();
  std::uint32_t* const target = words_at(to, to_offset);
  const std::uint32_t* const source = words_at(from, range.offset);
  own->put([target, source, range](const std::atomic<bool>&) -> Outcome<> {
    for (std::uint64_t i = 0; i < range.bytes / 4; ++i) target[i] = source[i];
    return Done{};
  });
  return Done{};
}

Outcome<> HostDevice::copy(Stream& stream, Buffer& to, std::uint64_t to_offset, const Buffer& from, Range range) {
  auto* const own = host_stream(stream);
  if (own == nullptr) return foreign();
  if (!inside(to, to_offset, range.bytes) || !inside(from, range.offset, range.bytes)) return outside();
  std::byte* const target = at(to, to_offset);
  const std::byte* const source = at(from, range.offset);
  own->put([target, source, range](const std::atomic<bool>&) -> Outcome<> {
    std::memmove(target, source, range.bytes);
    return Done{};
  });
  return Done{};
}

Outcome<> HostDevice::mark(Stream& stream, Buffer& host, std::uint64_t offset, std::uint32_t value) {
  auto* const own = host_stream(stream);
  if (own == nullptr) return foreign();
  if (!inside(host, offset, 4)) return outside();
  std::uint32_t* const word = words_at(host, offset);
  own->put([word, value](const std::atomic<bool>&) -> Outcome<> {
    std::atomic_ref<std::uint32_t>(*word).store(value, std::memory_order_release);
    return Done{};
  });
  return Done{};
}

Outcome<Mismatch> HostDevice::verify(Stream& stream, const Buffer& buffer, Range range, const Pattern& expected,
                                     const Pattern& before, Deadline deadline) {
  auto* const own = host_stream(stream);
  if (own == nullptr) return foreign();
  if (!inside(buffer, range.offset, range.bytes)) return outside();
  const std::uint32_t* const words = words_at(buffer, range.offset);
  // Shared: at the deadline the operation may still be going on.
  const auto found = std::make_shared<Mismatch>();
  own->put([found, words, range, expected, before](const std::atomic<bool>&) -> Outcome<> {
    *found = compare(words, range.bytes / 4, expected, before);
    return Done{};
  });
  auto waited = own->wait(deadline);
  if (!waited.ok()) return waited.failure();
  return *found;
}

Outcome<std::function<HandshakeEnd()>> HostDevice::handshake(Stream& stream, Buffer& own, Buffer& other,
                                                             const Handshake& what) {
  auto* const put_on = host_stream(stream);
  if (put_on == nullptr) return foreign();
  if (what.side > 1) return failed("a handshake has two sides");
  const bool shared = own.pointer() == other.pointer();
  const std::uint64_t half = own.bytes() / 128 * 64;
  const std::uint64_t side_bytes = shared ? half : std::min(own.bytes(), other.bytes());
  if (side_bytes < 64) return outside();
  std::byte* const mine = at(own, shared && what.side == 1 ? half : 0);
  std::byte* const theirs = at(other, shared && what.side == 0 ? half : 0);
  const auto end = std::make_shared<HandshakeEnd>();
  put_on->put([=](const std::atomic<bool>& stop) -> Outcome<> {
    *end = shake_hands(mine, theirs, payload_words(side_bytes), what, stop);
    return Done{};
  });
  return std::function<HandshakeEnd()>([end] { return *end; });
}

Outcome<> HostDevice::count(Stream& stream, Buffer& counter, std::uint64_t offset, std::uint32_t times) {
  auto* const own = host_stream(stream);
  if (own == nullptr) return foreign();
  if (!inside(counter, offset, 4)) return outside();
  std::uint32_t* const word = words_at(counter, offset);
  own->put([word, times](const std::atomic<bool>&) -> Outcome<> {
    count_up(word, times);
    return Done{};
  });
  return Done{};
}

Outcome<bool> HostDevice::can_access(const Device& peer, std::string& why) {
  if (dynamic_cast<const HostDevice*>(&peer) != nullptr) return true;
  why = "the peer is another backend's";
  return false;
}

Outcome<bool> HostDevice::has_native_atomics(const Device& peer) {
  return dynamic_cast<const HostDevice*>(&peer) != nullptr;
}

Outcome<> HostDevice::enable_access(const Device& peer) {
  if (dynamic_cast<const HostDevice*>(&peer) == nullptr) return foreign();
  return Done{};
}

Outcome<IpcHandle> HostDevice::export_buffer(Buffer& buffer) {
  const auto* const own = dynamic_cast<HostBuffer*>(&buffer);
  if (own == nullptr) return foreign();
  return "host " + std::to_string(opener_) + " " + std::to_string(own->offset()) + " " + std::to_string(own->bytes());
}

Outcome<std::unique_ptr<Buffer>> HostDevice::import_buffer(const IpcHandle& handle, std::uint64_t bytes) {
  unsigned long long exporter = 0;
  unsigned long long offset = 0;
  unsigned long long there = 0;
  if (std::sscanf(handle.c_str(), "host %llu %llu %llu", &exporter, &offset, &there) != 3) {
    return failed("these bytes are no memory handle");
  }
  if (exporter == opener_) return failed("a memory handle is opened in another process than the one that made it");
  if (bytes > there || offset > arena_bytes_ || there > arena_bytes_ - offset) return outside();
  return std::unique_ptr<Buffer>(std::make_unique<HostBuffer>(arena_, offset, bytes, nullptr));
}

Outcome<double> HostDevice::timed(Stream& stream, unsigned repetitions, const std::function<Outcome<>()>& enqueue,
                                  Deadline deadline) {
  auto* const own = host_stream(stream);
  if (own == nullptr) return foreign();
  const auto times = std::make_shared<std::pair<Clock::time_point, Clock::time_point>>();
  own->put([times](const std::atomic<bool>&) -> Outcome<> {
    times->first = Clock::now();
    return Done{};
  });
  for (unsigned i = 0; i < repetitions; ++i) {
    auto put = enqueue();
    if (!put.ok()) return put.failure();
  }
  own->put([times](const std::atomic<bool>&) -> Outcome<> {
    times->second = Clock::now();
    return Done{};
  });
  auto waited = own->wait(deadline);
  if (!waited.ok()) return waited.failure();
  return std::chrono::duration<double>(times->second - times->first).count();
}

Outcome<std::unique_ptr<Graph>> HostDevice::record(Stream& stream, const std::function<Outcome<>()>& enqueue) {
  auto* const own = host_stream(stream);
  if (own == nullptr) return foreign();
  auto graph = std::make_unique<HostGraph>();
  own->begin_recording(*graph);
  auto put = enqueue();
  own->end_recording();
  if (!put.ok()) return put.failure();
  return std::unique_ptr<Graph>(std::move(graph));
}

Outcome<> HostDevice::replay(Stream& stream, Graph& graph) {
  auto* const own = host_stream(stream);
  auto* const recorded = dynamic_cast<HostGraph*>(&graph);
  if (own == nullptr || recorded == nullptr) return foreign();
  for (const auto& task : recorded->tasks) own->put(task);
  return Done{};
}

}  // namespace gpucoop::runtime::host
