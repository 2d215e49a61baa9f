#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/known.hpp"
#include "runtime/outcome.hpp"
#include "runtime/pattern.hpp"

namespace gpucoop::runtime {

using Deadline = std::chrono::steady_clock::time_point;

/// A device as the runtime of its vendor knows it.
struct DeviceInfo {
  std::string address;  ///< `0000:0b:00.0`; `host:0` of the host backend
  std::string name;
  std::string architecture;  ///< `sm_90`, `gfx1201`; empty: the runtime does not say
  std::uint64_t memory_bytes = 0;
  Known<bool> host_atomics;  ///< the runtime's attribute hostNativeAtomicSupported, or its like
};

/// Memory on a device, or pinned and mapped host memory. Owned by whoever holds it, and freed with it; must not outlive
/// its Device.
class Buffer {
 public:
  virtual ~Buffer() = default;
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
  /// As kernels and collective libraries take it.
  [[nodiscard]] virtual void* pointer() const = 0;
};

/// Part of a buffer; both in bytes and multiples of 4 where patterns are concerned.
struct Range {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// An order of operations of one device.
class Stream {
 public:
  virtual ~Stream() = default;
  /// Waits for all that was put on it; `hung` at the deadline. Polls: never blocks inside the driver.
  virtual Outcome<> wait(Deadline deadline) = 0;
  /// The vendor's handle, for collective libraries.
  [[nodiscard]] virtual void* handle() const = 0;
};

/// Recorded operations that can be replayed.
class Graph {
 public:
  virtual ~Graph() = default;
};

/// A memory handle as another process can open it: opaque bytes, at most 256.
using IpcHandle = std::string;

/// One side of a ping-pong over two words of memory that both sides reach.
struct Handshake {
  unsigned side = 0;                      ///< 0 starts
  std::uint32_t rounds = 0;               ///< after each the payload is checked as well
  std::chrono::milliseconds limit{1000};  ///< by the device's own clock: the kernel ends by itself
};
struct HandshakeEnd {
  std::uint32_t rounds = 0;         ///< that came through
  std::uint64_t wrong_payload = 0;  ///< words of the payload that were not there when the flag was (ordering)
  double seconds = 0;
};

/// One opened device. Operations are put on a stream unless they say that they wait. Kernels are bounded in time by
/// construction. Not for more than one thread at a time.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  /// For collective libraries that take the device from the state of the calling thread.
  virtual Outcome<> make_current() { return Done{}; }

  virtual Outcome<std::unique_ptr<Buffer>> allocate(std::uint64_t bytes) = 0;
  /// Pinned host memory, mapped for this device and every other one that this process has open. Its pointer is the one
  /// of the processor as well.
  virtual Outcome<std::unique_ptr<Buffer>> allocate_host(std::uint64_t bytes) = 0;
  virtual Outcome<std::unique_ptr<Stream>> make_stream() = 0;

  /// A trivial kernel that stores one word; waits, and checks the word.
  virtual Outcome<> dispatch(Deadline deadline) = 0;
  /// A kernel of this device writes the pattern (word 0 at the start of the range) into memory that it reaches: its
  /// own, mapped host memory, or a peer's.
  virtual Outcome<> store(Stream& stream, Buffer& to, Range range, const Pattern& pattern) = 0;
  /// A kernel of this device reads `from` word by word and writes it to `to`.
  virtual Outcome<> load(Stream& stream, Buffer& to, std::uint64_t to_offset, const Buffer& from, Range range) = 0;
  /// The copy engine (or what the runtime chooses); any of own, peer and host memory.
  virtual Outcome<> copy(Stream& stream, Buffer& to, std::uint64_t to_offset, const Buffer& from, Range range) = 0;
  /// A kernel of this device compares; waits. `before`: what stood there until then.
  /// Both patterns begin with word 0 at the start of the range.
  virtual Outcome<Mismatch> verify(Stream& stream, const Buffer& buffer, Range range, const Pattern& expected,
                                   const Pattern& before, Deadline deadline) = 0;
  /// This side of a handshake: `own` and `other` each begin with a flag word, at byte 64 the payload. It writes into
  /// `other` and waits on `own`; the same buffer may be both (mapped host memory, side by side at 0 and at half).
  /// Gives, once the stream was waited for, how it ended.
  virtual Outcome<std::function<HandshakeEnd()>> handshake(Stream& stream, Buffer& own, Buffer& other,
                                                           const Handshake& what) = 0;
  /// `times` atomic additions of 1, with the scope of the whole system, to the 32-bit word at `offset`.
  virtual Outcome<> count(Stream& stream, Buffer& counter, std::uint64_t offset, std::uint32_t times) = 0;

  /// What the driver says about reaching the memory of `peer` from this device; `why` in its words where it says no.
  virtual Outcome<bool> can_access(const Device& peer, std::string& why) = 0;
  /// Whether the driver calls atomics on the peer's memory native.
  virtual Outcome<bool> has_native_atomics(const Device& peer) = 0;
  virtual Outcome<> enable_access(const Device& peer) = 0;
  virtual Outcome<IpcHandle> export_buffer(Buffer& buffer) = 0;
  /// In a process other than the one that exported it.
  virtual Outcome<std::unique_ptr<Buffer>> import_buffer(const IpcHandle& handle, std::uint64_t bytes) = 0;

  /// Stores `value` at `offset` of mapped host memory once the stream gets there, so that a look from outside tells how
  /// far it is; the stream does not wait for anybody. `skipped` where a backend has nothing of the kind.
  virtual Outcome<> mark(Stream& stream, Buffer& host, std::uint64_t offset, std::uint32_t value) {
    (void)stream, (void)host, (void)offset, (void)value;
    return Failure{ProbeState::skipped, "this backend cannot mark how far a stream is"};
  }

  /// A kernel that does nothing for so long: what a hang looks like, that ends by itself all the same.
  virtual Outcome<> spin(Stream& stream, std::chrono::milliseconds duration) {
    (void)stream, (void)duration;
    return Failure{ProbeState::skipped, "this backend has no kernel that keeps a device busy"};
  }

  /// Seconds in all by the device's clock for `repetitions` calls of `enqueue` on the stream; waits.
  virtual Outcome<double> timed(Stream& stream, unsigned repetitions, const std::function<Outcome<>()>& enqueue,
                                Deadline deadline) = 0;
  /// Records what `enqueue` puts on the stream instead of running it.
  virtual Outcome<std::unique_ptr<Graph>> record(Stream& stream, const std::function<Outcome<>()>& enqueue) = 0;
  virtual Outcome<> replay(Stream& stream, Graph& graph) = 0;
};

/// The runtime of a vendor in this process. Everything of it, loading included, may hang, crash or lie: it is used in
/// ranks only, never in the process that a user started.
class Runtime {
 public:
  virtual ~Runtime() = default;
  [[nodiscard]] virtual std::string name() const = 0;     ///< `cuda`, `hip`, `level-zero`, `host`
  [[nodiscard]] virtual std::string version() const = 0;  ///< of driver and library; empty: not said
  virtual Outcome<std::vector<DeviceInfo>> devices() = 0;
  virtual Outcome<std::unique_ptr<Device>> open(const std::string& address) = 0;
};

}  // namespace gpucoop::runtime
