#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "rank/session.hpp"

namespace gpucoop::rank {

/// Where in a step a rank is, for whoever looks at a hang.
struct At {
  unsigned group = 0;  ///< index in Step::groups
  unsigned round = 0;
  unsigned op = 0;  ///< index of the operation within a round
};

/// One step being done: where it stands, and what it is to say.
class StepRun {
 public:
  /// What is filled or compared between two beats.
  static constexpr std::uint64_t kPieceWords = std::uint64_t{1} << 20U;

  StepRun(Session& session, const wire::Step& step, wire::StepResult& result);

  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] const wire::Step& step() const { return step_; }
  [[nodiscard]] wire::StepResult& result() { return result_; }
  [[nodiscard]] runtime::Deadline deadline() const { return deadline_; }
  /// The group of all ranks of the step.
  [[nodiscard]] wire::Group set() const { return {"set", step_.ranks}; }

  /// In front of an operation: says where the rank is, and lets injected faults happen. `group`: of several that are
  /// taken in turn.
  runtime::Outcome<> begin(std::string_view op, const At& at = {}, std::string_view group = {});
  /// Only says where the rank is.
  void show(const At& at);
  /// Says that the rank waits, or works again, or that something came to its end.
  void waiting();
  void working();
  void beat();
  /// Waits for a stream.
  runtime::Outcome<> settle(runtime::Stream& stream);
  /// A barrier of some ranks of the team; `what` tells it from others of this step.
  runtime::Outcome<> meet(std::string_view what, const std::vector<unsigned>& ranks);

  [[nodiscard]] bool spoils(std::string_view op) const;
  /// Of words in memory of the host, with a beat after each piece.
  [[nodiscard]] runtime::Mismatch compare(const std::uint32_t* words, std::uint64_t count,
                                          const runtime::Pattern& expected, const runtime::Pattern& before);
  /// Takes note of what was compared; `wrong_data` unless it was right. `what` is put in front of the reason.
  runtime::Outcome<> judge(const runtime::Mismatch& mismatch, const std::string& what);

 private:
  Session& session_;
  const wire::Step& step_;
  wire::StepResult& result_;
  runtime::Deadline deadline_;
  wire::Progress& progress_;
};

/// The median, which is 0 for no values.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace gpucoop::rank
