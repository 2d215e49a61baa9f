#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "collective/host/shared_block.hpp"
#include "runtime/host/stream.hpp"

namespace gpucoop::collective::host {

/// Puts operations on streams; between `start` and `end` it holds them back. Then sends and receives of one
/// communicator on one stream become one operation, which comes behind the collectives of that communicator.
class Queue {
 public:
  using Body = std::function<runtime::Outcome<>(Mover&)>;

  void put(runtime::host::HostStream& stream, const std::shared_ptr<Member>& member, Kind kind, Body body);
  void put(runtime::host::HostStream& stream, const std::shared_ptr<Member>& member, const Transfer& transfer);
  void start() { ++depth_; }
  /// False: there is no `start` to it.
  [[nodiscard]] bool end();

 private:
  struct Batch {
    runtime::host::HostStream* stream;
    std::shared_ptr<Member> member;
    std::vector<std::pair<Kind, Body>> collectives;
    std::vector<Transfer> transfers;
  };
  Batch& batch(runtime::host::HostStream& stream, const std::shared_ptr<Member>& member);

  unsigned depth_ = 0;
  std::vector<Batch> batches_;
};

}  // namespace gpucoop::collective::host
