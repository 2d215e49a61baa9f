// Our declarations against the vendor's header, where it is installed. Nothing of it gets into the program.
#include "collective/nccl/abi.hpp"

#if __has_include(<nccl.h>) && __has_include(<cuda_runtime.h>)
#include <nccl.h>

#include "same_call.hpp"

template <>
struct gpucoop::Erased<ncclUniqueId> {
  using Type = gpucoop::collective::nccl::UniqueId;
};

namespace {

namespace ours = gpucoop::collective::nccl;

#define GPUCOOP_SAME(member, function) \
  static_assert(gpucoop::same_call<decltype(ours::Abi::member), decltype(&function)>)
GPUCOOP_SAME(get_version, ncclGetVersion);
GPUCOOP_SAME(get_unique_id, ncclGetUniqueId);
GPUCOOP_SAME(init, ncclCommInitRankConfig);
GPUCOOP_SAME(finalize, ncclCommFinalize);
GPUCOOP_SAME(destroy, ncclCommDestroy);
GPUCOOP_SAME(give_up, ncclCommAbort);
GPUCOOP_SAME(async_error, ncclCommGetAsyncError);
GPUCOOP_SAME(error_string, ncclGetErrorString);
GPUCOOP_SAME(last_error, ncclGetLastError);
GPUCOOP_SAME(all_reduce, ncclAllReduce);
GPUCOOP_SAME(reduce, ncclReduce);
GPUCOOP_SAME(broadcast, ncclBroadcast);
GPUCOOP_SAME(all_gather, ncclAllGather);
GPUCOOP_SAME(reduce_scatter, ncclReduceScatter);
GPUCOOP_SAME(send, ncclSend);
GPUCOOP_SAME(receive, ncclRecv);
GPUCOOP_SAME(group_start, ncclGroupStart);
GPUCOOP_SAME(group_end, ncclGroupEnd);
#undef GPUCOOP_SAME

static_assert(sizeof(ours::UniqueId) == sizeof(ncclUniqueId));
static_assert(sizeof(ours::Config) >= sizeof(ncclConfig_t));
static_assert(offsetof(ours::Config, blocking) == offsetof(ncclConfig_t, blocking));
static_assert(offsetof(ours::Config, net_name) == offsetof(ncclConfig_t, netName));
static_assert(ours::kUndefined == NCCL_CONFIG_UNDEF_INT);
static_assert(ours::kInProgress == static_cast<int>(ncclInProgress));
static_assert(ours::kInvalidUsage == static_cast<int>(ncclInvalidUsage));

}  // namespace
#endif
