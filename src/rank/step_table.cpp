#include <array>
#include <utility>

#include "rank/steps.hpp"

namespace gpucoop::rank {
namespace {

constexpr std::pair<std::string_view, StepFunction> kSteps[] = {
    {"gpu.dispatch", gpu_dispatch},
    {"hostcall.dispatch", hostcall_dispatch},
    {"host.copy", host_copy},
    {"host.copy_rate", host_copy_rate},
    {"host.mapped", host_mapped},
    {"host.handshake", host_handshake},
    {"p2p.access", p2p_access},
    {"p2p.write", p2p_write},
    {"p2p.read", p2p_read},
    {"p2p.handshake", p2p_handshake},
    {"p2p.atomics", p2p_atomics},
    {"p2p.rate", p2p_rate},
    {"p2p.ipc", p2p_ipc},
    {"peer.copy", peer_copy},
    {"ccl.init", ccl_init},
    {"ccl.allreduce", ccl_all_reduce},
    {"ccl.reduce", ccl_reduce},
    {"ccl.broadcast", ccl_broadcast},
    {"ccl.allgather", ccl_all_gather},
    {"ccl.reducescatter", ccl_reduce_scatter},
    {"ccl.sendrecv", ccl_send_recv},
    {"ccl.alltoall", ccl_all_to_all},
    {"ccl.allgatherv", ccl_all_gather_v},
    {"ccl.reducescatterv", ccl_reduce_scatter_v},
    {"ccl.barrier", ccl_barrier},
    {"ccl.subgroups", ccl_subgroups},
    {"ccl.switching", ccl_switching},
    {"ccl.concurrent", ccl_concurrent},
    {"ccl.graph", ccl_graph},
    {"ccl.latency", ccl_rates},
    {"ccl.bandwidth", ccl_rates},
    {"ccl.recovery", ccl_recovery},
    {"ccl.soak", soak},
    {"host.loopback", host_loopback},
};

}  // namespace

StepFunction step_function(std::string_view rung) {
  for (const auto& entry : kSteps) {
    if (entry.first == rung) return entry.second;
  }
  return nullptr;
}

}  // namespace gpucoop::rank
