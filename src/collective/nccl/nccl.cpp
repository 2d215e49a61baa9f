#include "collective/nccl/nccl.hpp"

#include <utility>

#include "collective/nccl/communicator.hpp"
#include "collective/nccl/session.hpp"

namespace gpucoop::collective::nccl {

using runtime::Done;
using runtime::Failure;
using runtime::Outcome;

namespace {

class NcclLibrary final : public Library {
 public:
  explicit NcclLibrary(std::shared_ptr<Session> session) : session_(std::move(session)) {}

  [[nodiscard]] LibraryInfo info() const override { return session_->abi->info; }

  Outcome<std::string> make_id() override {
    UniqueId id{};
    const int code = session_->abi->get_unique_id(&id);
    if (code != kSuccess) return session_->abi->failure("ncclGetUniqueId", code, nullptr);
    return std::string(id.bytes, sizeof id.bytes);
  }

  Outcome<std::unique_ptr<Communicator>> join(runtime::Device& device, const std::string& id, unsigned size,
                                              unsigned rank, runtime::Deadline deadline) override {
    return NcclCommunicator::join(session_, device, id, size, rank, session_->blocking, deadline);
  }

  Outcome<std::unique_ptr<Communicator>> join_unlimited(runtime::Device& device, const std::string& id, unsigned size,
                                                        unsigned rank, runtime::Deadline deadline) override {
    // A communicator that does not block starts a thread for each call: 75 us instead of 13 us for 8 bytes.
    return NcclCommunicator::join(session_, device, id, size, rank, true, deadline);
  }

  Outcome<> group_start() override {
    const int code = session_->abi->group_start();
    if (code != kSuccess) return session_->abi->failure("ncclGroupStart", code, nullptr);
    ++session_->group_depth;
    return Done{};
  }

  Outcome<> group_end(runtime::Deadline deadline) override {
    if (session_->group_depth == 0) return Failure{ProbeState::failed, "ncclGroupEnd: no group is open"};
    const int code = session_->abi->group_end();
    if (--session_->group_depth > 0) {
      if (code == kSuccess || code == kInProgress) return Done{};
      return session_->abi->failure("ncclGroupEnd", code, nullptr);
    }
    const std::vector<void*> grouped = std::exchange(session_->grouped, {});
    if (code != kSuccess && code != kInProgress)
      return session_->abi->failure("ncclGroupEnd", code, grouped.empty() ? nullptr : grouped.front());
    for (void* communicator : grouped)
      if (auto ended = finish(*session_, "ncclGroupEnd", code, communicator, deadline); !ended) return ended;
    return Done{};
  }

 private:
  std::shared_ptr<Session> session_;
};

}  // namespace

Outcome<Loaded> load(const Options& options) {
  auto log = LogTap::instance();
  if (!log) return log.failure();
  Loaded loaded;
  loaded.changes = apply_hygiene(log.value()->file());
  auto abi = Abi::load(options.path);
  if (!abi) return abi.failure();
  auto session = std::make_shared<Session>();
  session->abi = std::move(abi).value();
  session->log = log.value();
  session->blocking = options.blocking;
  session->call_limit = options.call_limit;
  loaded.library = std::make_unique<NcclLibrary>(std::move(session));
  return loaded;
}

}  // namespace gpucoop::collective::nccl
