#pragma once

#include <memory>

#include "rank/step_run.hpp"

namespace gpucoop::rank {

/// Memory that is written to from elsewhere, and looked at by the device that owns it.
class PeerTarget {
 public:
  static constexpr std::uint64_t kGuard = 4096;  ///< bytes on both sides of a range, at least

  /// Room for ranges of up to `bytes` at any of `offsets`.
  static runtime::Outcome<PeerTarget> make(runtime::Device& owner, std::uint64_t bytes);
  /// Where ranges of so many bytes are put: near the start, in the middle of the slack, near the end.
  [[nodiscard]] static std::vector<std::uint64_t> offsets(std::uint64_t bytes);

  [[nodiscard]] runtime::Device& owner() { return *owner_; }
  [[nodiscard]] runtime::Stream& stream() { return *stream_; }
  [[nodiscard]] runtime::Buffer& buffer() { return *buffer_; }

  /// The owner writes `before` into the range, and something else into the guards around it. Waits.
  runtime::Outcome<> poison(StepRun& run, runtime::Range range, const runtime::Pattern& before);
  /// The owner compares the range and its guards, by a kernel and then after a copy to the host; `what` is what was
  /// done. `op` names the operation to injected faults.
  runtime::Outcome<> examine(StepRun& run, runtime::Range range, const runtime::Pattern& expected,
                             const runtime::Pattern& before, const std::string& what, const std::string& op);

 private:
  struct Part {
    runtime::Range range;
    runtime::Pattern before;
  };
  [[nodiscard]] static Part left(runtime::Range range, const runtime::Pattern& before);
  [[nodiscard]] static Part right(runtime::Range range, const runtime::Pattern& before);

  runtime::Device* owner_ = nullptr;
  std::unique_ptr<runtime::Stream> stream_;
  std::unique_ptr<runtime::Buffer> buffer_;
  std::unique_ptr<runtime::Buffer> image_;
};

/// Sizes in whole words; those of the step, or from 4 bytes to 16 MiB.
[[nodiscard]] std::vector<std::uint64_t> peer_sizes(const wire::Step& step);

/// The two devices of a pair step in the process of the first rank. The other rank only lends its device: `lends`.
struct Pair {
  runtime::Device* a = nullptr;
  runtime::Device* b = nullptr;
  bool lends = false;
};
runtime::Outcome<Pair> open_pair(StepRun& run);
/// Both ways; what the driver says where it refuses.
runtime::Outcome<> enable_both(const Pair& pair);

}  // namespace gpucoop::rank
