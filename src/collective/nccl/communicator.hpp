#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collective/nccl/session.hpp"

namespace gpucoop::collective::nccl {

class NcclCommunicator final : public Communicator {
 public:
  [[nodiscard]] static runtime::Outcome<std::unique_ptr<Communicator>> join(std::shared_ptr<Session> session,
                                                                            runtime::Device& device,
                                                                            const std::string& id, unsigned size,
                                                                            unsigned rank, bool blocking,
                                                                            runtime::Deadline deadline);
  ~NcclCommunicator() override;
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  [[nodiscard]] unsigned size() const override { return size_; }
  [[nodiscard]] unsigned rank() const override { return rank_; }

  runtime::Outcome<> all_reduce(Place send, Place receive, std::uint64_t count, DataType type, ReduceOp op,
                                runtime::Stream& stream) override;
  runtime::Outcome<> reduce(Place send, Place receive, std::uint64_t count, DataType type, ReduceOp op, unsigned root,
                            runtime::Stream& stream) override;
  runtime::Outcome<> broadcast(Place send, Place receive, std::uint64_t count, DataType type, unsigned root,
                               runtime::Stream& stream) override;
  runtime::Outcome<> all_gather(Place send, Place receive, std::uint64_t count, DataType type,
                                runtime::Stream& stream) override;
  runtime::Outcome<> reduce_scatter(Place send, Place receive, std::uint64_t count, DataType type, ReduceOp op,
                                    runtime::Stream& stream) override;
  runtime::Outcome<> send(Place send, std::uint64_t count, DataType type, unsigned peer,
                          runtime::Stream& stream) override;
  runtime::Outcome<> receive(Place receive, std::uint64_t count, DataType type, unsigned peer,
                             runtime::Stream& stream) override;

  runtime::Outcome<> settle(runtime::Stream& stream, runtime::Deadline deadline) override;
  runtime::Outcome<> give_up(runtime::Deadline deadline) override;
  [[nodiscard]] std::vector<std::string> transports() const override;

 private:
  NcclCommunicator(std::shared_ptr<Session> session, runtime::Device& device, unsigned size, unsigned rank)
      : session_(std::move(session)), device_(device), size_(size), rank_(rank), number_(++session_->communicators) {}
  /// Calls the library for this communicator and sees it through, or leaves that to the end of the group.
  template <class Function>
  [[nodiscard]] runtime::Outcome<> call(const char* function, Function what);

  std::shared_ptr<Session> session_;
  runtime::Device& device_;
  unsigned size_;
  unsigned rank_;
  std::uint64_t number_;
  void* handle_ = nullptr;
  bool sound_ = true;  // nothing has failed on it
};

}  // namespace gpucoop::collective::nccl
