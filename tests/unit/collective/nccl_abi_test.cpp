// Our declarations against the vendor's header, where it is installed. Nothing of it gets into the program.
#include "collective/nccl/abi.hpp"

#if __has_include(<nccl.h>) && __has_include(<cuda_runtime.h>)
#include <nccl.h>

#include <type_traits>

namespace {

namespace ours = gpucoop::collective::nccl;

// A call looks the same to the machine whatever pointers point to.
template <class T>
struct Erased {
  using Type = std::conditional_t<std::is_pointer_v<T>, void*, T>;
};
template <class T>
requires std::is_enum_v<T> || std::is_integral_v<T>
struct Erased<T> {
  using Type = std::integral_constant<std::size_t, sizeof(T)>;
};
template <>
struct Erased<ncclUniqueId> {
  using Type = ours::UniqueId;
};

template <class T>
struct Shape;
template <class R, class... A>
struct Shape<R (*)(A...)> {
  using Type = typename Erased<R>::Type (*)(typename Erased<A>::Type...);
};
template <class A, class B>
constexpr bool same_call = std::is_same_v<typename Shape<A>::Type, typename Shape<B>::Type>;

#define GPUCOOP_SAME(member, function) static_assert(same_call<decltype(ours::Abi::member), decltype(&function)>)
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
