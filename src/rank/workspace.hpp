#pragma once

#include <memory>

#include "rank/step_run.hpp"
#include "rank/truth.hpp"

namespace gpucoop::rank {

/// Buffers for one collective at a time: operands on the device, and their images in host memory.
class Workspace {
 public:
  static constexpr std::uint64_t kGuard = 256;  ///< bytes on both sides of the receive operand

  /// Makes room for operands of so many bytes; keeps what is large enough.
  runtime::Outcome<> reserve(runtime::Device& device, std::uint64_t send_bytes, std::uint64_t receive_bytes);

  [[nodiscard]] collective::Place send() const { return {send_.get(), 0}; }
  [[nodiscard]] collective::Place receive() const { return {receive_.get(), kGuard}; }

  /// Puts the send operand and a poisoned receive operand on the device. In place: the receive operand holds what is
  /// sent. Enqueued only.
  runtime::Outcome<> prepare(runtime::Device& device, runtime::Stream& stream, const Job& job, bool in_place);
  /// Brings the receive operand back. Enqueued only.
  runtime::Outcome<> fetch(runtime::Device& device, runtime::Stream& stream, const Job& job);
  /// Once the stream was waited for.
  [[nodiscard]] runtime::Mismatch check(const Job& job) const;
  /// An injected fault: some of what was fetched is as it was before.
  void spoil(const Job& job);

 private:
  [[nodiscard]] std::byte* image(const runtime::Buffer& buffer) const {
    return static_cast<std::byte*>(buffer.pointer());
  }

  std::unique_ptr<runtime::Buffer> send_;
  std::unique_ptr<runtime::Buffer> receive_;
  std::unique_ptr<runtime::Buffer> send_image_;
  std::unique_ptr<runtime::Buffer> receive_image_;
};

/// Puts the operation on the stream. `library`: for those that are groups of others.
runtime::Outcome<> enqueue(collective::Library& library, collective::Communicator& communicator, const Job& job,
                           collective::Place send, collective::Place receive, runtime::Stream& stream,
                           runtime::Deadline deadline);

/// One collective from preparing its operands to comparing every element.
runtime::Outcome<> run_checked(StepRun& run, Workspace& space, collective::Communicator& communicator, const Job& job,
                               const At& at);

/// This rank's end of a communicator, which all of its ranks ask for; the result tells the library. `limited`: see
/// Communicators.
runtime::Outcome<collective::Communicator*> join(StepRun& run, const wire::Group& group, bool limited = true);

/// Adds to the result how the data of a communicator travel. Libraries connect ranks at the first operation of a kind:
/// to be called after it.
void note_ways(StepRun& run, const collective::Communicator& communicator);

/// The data type and the operator that a step names; `skipped` for words that are neither. Empty: float32 and sum.
runtime::Outcome<collective::DataType> type_of(const wire::Step& step);
runtime::Outcome<collective::ReduceOp> operator_of(const wire::Step& step);

}  // namespace gpucoop::rank
