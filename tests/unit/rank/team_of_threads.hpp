#pragma once

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "collective/host/host_library.hpp"
#include "rank/rank.hpp"
#include "runtime/host/host_runtime.hpp"
#include "wire/arena.hpp"
#include "wire/frame.hpp"

namespace gpucoop {

/// Ranks of the host backend as threads over a real board, each behind a real channel.
class TeamOfThreads {
 public:
  explicit TeamOfThreads(unsigned ranks, const std::vector<std::string>& faults = {}, std::uint64_t largest = 1U << 22U)
      : ranks_(ranks) {
    auto board = wire::Board::create(ranks, wire::arena_bytes_for(ranks, largest));
    REQUIRE(board.ok());
    board_ = std::move(board).value();
    std::vector<wire::Injection> injections;
    for (const auto& fault : faults) {
      auto parsed = wire::parse_injection(fault, ranks);
      REQUIRE(parsed.ok());
      injections.push_back(parsed.value());
    }
    for (unsigned rank = 0; rank < ranks; ++rank) {
      int ends[2];
      REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
      channels_.push_back(ends[0]);
      readers_.emplace_back();
      threads_.emplace_back([this, rank, channel = ends[1], injections] { live(rank, channel, injections); });
    }
    for (unsigned rank = 0; rank < ranks; ++rank) ready.push_back(receive(rank));
  }
  ~TeamOfThreads() {
    for (const int channel : channels_) ::close(channel);
    for (auto& thread : threads_) thread.join();
  }
  TeamOfThreads(const TeamOfThreads&) = delete;
  TeamOfThreads& operator=(const TeamOfThreads&) = delete;

  /// Sends the step to its ranks (all, where it names none) and gives their results in that order.
  std::vector<wire::StepResult> run(wire::Step step) {
    if (step.ranks.empty()) step.ranks = all();
    step.id = ++last_step_;
    if (step.limit_ms == 0) step.limit_ms = 60000;
    for (const unsigned rank : step.ranks) REQUIRE(wire::send_frame(channels_[rank], wire::encode(step)));
    std::vector<wire::StepResult> out;
    for (const unsigned rank : step.ranks) out.push_back(receive(rank));
    return out;
  }
  [[nodiscard]] std::vector<unsigned> all() const {
    std::vector<unsigned> out;
    for (unsigned rank = 0; rank < ranks_; ++rank) out.push_back(rank);
    return out;
  }
  [[nodiscard]] wire::Board& board() { return *board_; }

  std::vector<wire::StepResult> ready;

 private:
  void live(unsigned rank, int channel, const std::vector<wire::Injection>& injections) {
    auto runtime = runtime::host::make_runtime(*board_, rank);
    collective::host::Options options;
    for (const auto& injection : injections) {
      if (injection.fault == wire::Injection::Fault::global_state) options.global_state = true;
    }
    auto library = collective::host::make_library(*board_, rank, options);
    if (runtime.ok() && library.ok()) {
      rank::Tools tools{rank, *runtime.value(), library.value().get(), "", *board_, injections};
      (void)rank::serve(tools, "host:" + std::to_string(rank), channel);
    }
    ::close(channel);
  }
  wire::StepResult receive(unsigned rank) {
    std::string payload;
    REQUIRE(wire::receive_frame(channels_[rank], readers_[rank], payload));
    auto result = wire::decode_result(payload);
    REQUIRE(result.ok());
    return result.value();
  }

  unsigned ranks_;
  std::unique_ptr<wire::Board> board_;
  std::vector<int> channels_;
  std::vector<wire::FrameReader> readers_;
  std::vector<std::thread> threads_;
  std::uint32_t last_step_ = 0;
};

/// A step of a rung with everything else left out.
inline wire::Step step_of(const std::string& rung) {
  wire::Step step;
  step.rung = rung;
  step.seed = 7;
  return step;
}

inline void check_all_passed(const std::vector<wire::StepResult>& results) {
  for (const auto& result : results) {
    INFO("rank ", result.rank, ": ", result.reason, " ", result.wrong_how);
    CHECK(result.state == ProbeState::passed);
  }
}

}  // namespace gpucoop
