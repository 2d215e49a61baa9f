#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/descriptor.hpp"
#include "wire/frame.hpp"
#include "wire/step.hpp"

namespace gpucoop::probe {

/// The end of a text that never ends.
class Tail {
 public:
  static constexpr std::size_t kRoom = 16384;
  void add(std::string_view bytes);
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::uint64_t total() const { return total_; }

 private:
  std::string bytes_;
  std::uint64_t total_ = 0;
};

/// The supervisor's ends of what leads to a rank: its channel and its output. Nothing here waits.
class RankLink {
 public:
  /// `rank`: results that name another one are garbage.
  RankLink(unsigned rank, Descriptor channel, Descriptor output);

  /// A result of this step may come, and one only. Until then, and once it was forgotten, what comes is garbage.
  void expect(std::uint32_t step);
  /// To be sent as the rank takes it.
  void queue(std::string_view payload);
  [[nodiscard]] bool has_to_send() const { return !to_send_.empty(); }
  void send();
  /// Takes in what has come.
  void receive();
  void drain();
  /// All that is left, as far as it is there, and at most 1 MiB.
  void drain_rest();
  void hang_up() { channel_.close(); }

  [[nodiscard]] int channel() const { return channel_.get(); }
  [[nodiscard]] int output() const { return output_.get(); }
  [[nodiscard]] bool garbage() const { return garbage_; }
  [[nodiscard]] const std::optional<wire::StepResult>& result() const { return result_; }
  void forget_result();
  [[nodiscard]] const Tail& tail() const { return tail_; }

 private:
  /// False where nothing more is there now.
  bool drain_some();
  void take(std::string_view payload);

  unsigned rank_;
  Descriptor channel_;
  Descriptor output_;
  std::string to_send_;
  wire::FrameReader reader_;
  std::optional<std::uint32_t> expected_;
  std::optional<wire::StepResult> result_;
  bool garbage_ = false;
  Tail tail_;
};

}  // namespace gpucoop::probe
