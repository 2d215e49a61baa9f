#pragma once

#include <functional>
#include <memory>

#include "rank/truth.hpp"
#include "runtime/runtime.hpp"

namespace gpucoop::rank {

/// How a workspace says that it gets on, and waits for a stream.
struct Pace {
  std::function<void()> beat;  ///< after each piece
  std::function<runtime::Outcome<>(runtime::Stream&)> wait;
};

/// Buffers for one collective at a time: operands on the device, and host memory for a piece of them. Pinned memory
/// takes long to get, so that a workspace is kept as long as it is of use.
class Workspace {
 public:
  static constexpr std::uint64_t kGuard = 256;                      ///< bytes on both sides of the receive operand
  static constexpr std::uint64_t kPiece = std::uint64_t{4} << 20U;  ///< that is filled or compared at a time

  /// Makes room for operands of so many bytes; keeps what is large enough.
  runtime::Outcome<> reserve(runtime::Device& device, std::uint64_t send_bytes, std::uint64_t receive_bytes);

  [[nodiscard]] collective::Place send() const { return {send_.get(), 0}; }
  [[nodiscard]] collective::Place receive() const { return {receive_.get(), kGuard}; }

  /// Puts the send operand and a poisoned receive operand on the device. In place: the receive operand holds what is
  /// sent. Enqueued only, where the operand is no larger than a piece; of larger ones each piece but the last is waited
  /// for.
  runtime::Outcome<> prepare(runtime::Device& device, runtime::Stream& stream, const Job& job, bool in_place,
                             const Pace& pace);
  /// Brings the first piece of the receive operand back, right behind the operation. Enqueued only.
  runtime::Outcome<> fetch(runtime::Device& device, runtime::Stream& stream, const Job& job);
  /// Once the stream was waited for. Brings the other pieces back one by one.
  [[nodiscard]] runtime::Outcome<runtime::Mismatch> check(runtime::Device& device, runtime::Stream& stream,
                                                          const Job& job, const Pace& pace);
  /// An injected fault: some of what was fetched is as it was before.
  void spoil(const Job& job);

 private:
  [[nodiscard]] std::byte* image() const { return static_cast<std::byte*>(image_->pointer()); }

  std::unique_ptr<runtime::Buffer> send_;
  std::unique_ptr<runtime::Buffer> receive_;
  std::unique_ptr<runtime::Buffer>
      image_;  ///< what a stream still copies from it, it copies before what it copies to it
};

}  // namespace gpucoop::rank
