#include <fmt/format.h>

#include <algorithm>

#include "probe/outcome.hpp"

namespace gpucoop::probe {

void hold_against(const Ceilings& ceilings, ProbeRun& run, const Planned& planned) {
  if (run.state != ProbeState::passed) return;
  constexpr double kMargin = 1.05;
  const auto of_pair = [&](const Address& a, const Address& b) -> Known<double> {
    const auto found = ceilings.pair.find(std::minmax(a, b));
    return found == ceilings.pair.end() ? Known<double>() : Known<double>(found->second);
  };
  Known<double> most;
  if (planned.rung->who == Who::each) {
    const auto found = ceilings.host.find(planned.gpus.front());
    if (found != ceilings.host.end()) most = found->second;
  } else if (planned.rung->who == Who::pairs) {
    most = of_pair(planned.gpus[0], planned.gpus[1]);
  } else {
    // A ring goes over each pair once at most, so that the best pair bounds what any of them could carry.
    for (std::size_t i = 0; i < planned.gpus.size(); ++i) {
      for (std::size_t j = i + 1; j < planned.gpus.size(); ++j) {
        const auto one = of_pair(planned.gpus[i], planned.gpus[j]);
        if (!one.is_known()) return;
        if (!most.is_known() || one.value() > most.value()) most = one;
      }
    }
  }
  const auto& rate = run.bus_gbytes_per_s.is_known() ? run.bus_gbytes_per_s : run.gbytes_per_s;
  if (!most.is_known() || !rate.is_known() || rate.value() <= kMargin * most.value()) return;
  run.state = ProbeState::invalid;
  run.reason = fmt::format("{:.3g} GB/s were measured, but the way can carry {:.3g} GB/s at most: no measurement",
                           rate.value(), most.value());
}

ExitCode exit_code_of(const std::vector<ProbeRun>& runs) {
  bool passed = false;
  std::size_t refused = 0;
  bool failed = false;
  bool hung = false;
  bool open = false;
  for (const auto& run : runs) {
    if (!run.variant.empty()) continue;
    switch (run.state) {
      case ProbeState::passed: passed = true; break;
      case ProbeState::hung: hung = true; break;
      case ProbeState::failed:
      case ProbeState::wrong_data:
      case ProbeState::crashed: failed = true; break;
      case ProbeState::invalid:
      case ProbeState::inconclusive: open = true; break;
      case ProbeState::refused:
        if (run.rung.compare(0, 4, "p2p.") == 0) {
          ++refused;
        } else {
          failed = true;
        }
        break;
      case ProbeState::skipped: open = open || run.reason == kBudgetReason; break;
    }
  }
  if (hung) return ExitCode::hung;
  if (failed) return ExitCode::no;
  if (open || !passed) return ExitCode::unknown;
  return refused > 0 ? ExitCode::degraded : ExitCode::ok;
}

}  // namespace gpucoop::probe
