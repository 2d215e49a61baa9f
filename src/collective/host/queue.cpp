#include "collective/host/queue.hpp"

#include <utility>

namespace gpucoop::collective::host {
namespace {

using runtime::Outcome;
using runtime::host::HostStream;

void enqueue(HostStream& stream, std::shared_ptr<Member> member, Kind kind, Queue::Body body) {
  stream.put([member = std::move(member), kind, body = std::move(body)](const std::atomic<bool>& stop) -> Outcome<> {
    return member->operate(kind, stop, body);
  });
}

void enqueue(HostStream& stream, std::shared_ptr<Member> member, std::vector<Transfer> transfers) {
  enqueue(stream, std::move(member), Kind::point_to_point, [transfers = std::move(transfers)](Mover& mover) {
    auto moving = transfers;
    return mover.run(moving);
  });
}

}  // namespace

Queue::Batch& Queue::batch(HostStream& stream, const std::shared_ptr<Member>& member) {
  for (auto& found : batches_) {
    if (found.stream == &stream && found.member == member) return found;
  }
  batches_.push_back({&stream, member, {}, {}});
  return batches_.back();
}

void Queue::put(HostStream& stream, const std::shared_ptr<Member>& member, Kind kind, Body body) {
  if (depth_ == 0) return enqueue(stream, member, kind, std::move(body));
  batch(stream, member).collectives.emplace_back(kind, std::move(body));
}

void Queue::put(HostStream& stream, const std::shared_ptr<Member>& member, const Transfer& transfer) {
  if (depth_ == 0) return enqueue(stream, member, {transfer});
  batch(stream, member).transfers.push_back(transfer);
}

bool Queue::end() {
  if (depth_ == 0) return false;
  if (--depth_ != 0) return true;
  auto batches = std::exchange(batches_, {});
  for (auto& batch : batches) {
    for (auto& collective : batch.collectives) {
      enqueue(*batch.stream, batch.member, collective.first, std::move(collective.second));
    }
    if (!batch.transfers.empty()) enqueue(*batch.stream, batch.member, std::move(batch.transfers));
  }
  return true;
}

}  // namespace gpucoop::collective::host
