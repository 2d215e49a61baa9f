#pragma once

#include <string_view>

#include "rank/step_run.hpp"

namespace gpucoop::rank {

// The rungs, one function each; files of the same families. Each ends with `Done` where everything was right, and with
// a Failure at the first thing that was not.

using StepFunction = runtime::Outcome<> (*)(StepRun&);
/// Null: there is no such rung.
[[nodiscard]] StepFunction step_function(std::string_view rung);

// one_device.cpp
runtime::Outcome<> gpu_dispatch(StepRun& run);
runtime::Outcome<> hostcall_dispatch(StepRun& run);
runtime::Outcome<> host_copy(StepRun& run);
runtime::Outcome<> host_copy_rate(StepRun& run);
runtime::Outcome<> host_mapped(StepRun& run);
// loopback.cpp
runtime::Outcome<> host_loopback(StepRun& run);
// peer_steps.cpp, peer_signals.cpp, peer_ipc.cpp
runtime::Outcome<> p2p_access(StepRun& run);
runtime::Outcome<> p2p_write(StepRun& run);
runtime::Outcome<> p2p_read(StepRun& run);
runtime::Outcome<> p2p_rate(StepRun& run);
runtime::Outcome<> peer_copy(StepRun& run);
runtime::Outcome<> p2p_handshake(StepRun& run);
runtime::Outcome<> host_handshake(StepRun& run);
runtime::Outcome<> p2p_atomics(StepRun& run);
runtime::Outcome<> p2p_ipc(StepRun& run);
// collective_steps.cpp
runtime::Outcome<> ccl_init(StepRun& run);
runtime::Outcome<> ccl_all_reduce(StepRun& run);
runtime::Outcome<> ccl_reduce(StepRun& run);
runtime::Outcome<> ccl_broadcast(StepRun& run);
runtime::Outcome<> ccl_all_gather(StepRun& run);
runtime::Outcome<> ccl_reduce_scatter(StepRun& run);
runtime::Outcome<> ccl_send_recv(StepRun& run);
runtime::Outcome<> ccl_all_to_all(StepRun& run);
runtime::Outcome<> ccl_all_gather_v(StepRun& run);
runtime::Outcome<> ccl_reduce_scatter_v(StepRun& run);
runtime::Outcome<> ccl_barrier(StepRun& run);
// collective_groups.cpp, switching.cpp
runtime::Outcome<> ccl_subgroups(StepRun& run);
runtime::Outcome<> ccl_concurrent(StepRun& run);
runtime::Outcome<> ccl_switching(StepRun& run);
// collective_more.cpp, rates.cpp
runtime::Outcome<> ccl_graph(StepRun& run);
runtime::Outcome<> ccl_recovery(StepRun& run);
runtime::Outcome<> soak(StepRun& run);
runtime::Outcome<> ccl_rates(StepRun& run);

}  // namespace gpucoop::rank
