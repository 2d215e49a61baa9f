#include "backend.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "collective/host/host_library.hpp"
#include "collective/nccl/nccl.hpp"
#include "runtime/absent.hpp"
#include "runtime/cuda/cuda.hpp"
#include "runtime/host/host_runtime.hpp"

namespace gpucoop {
namespace {

Result<Backend> open_host(const RankArguments& arguments, wire::Board& board) {
  Backend out;
  auto runtime = runtime::host::make_runtime(board, arguments.rank);
  if (!runtime.ok()) return runtime.error();
  out.runtime = std::move(runtime).value();
  collective::host::Options options;
  options.global_state = std::any_of(
      arguments.injections.begin(), arguments.injections.end(),
      [](const wire::Injection& injection) { return injection.fault == wire::Injection::Fault::global_state; });
  auto library = collective::host::make_library(board, arguments.rank, options);
  if (!library.ok()) return library.error();
  out.library = std::move(library).value();
  return out;
}

/// The collective library of a vendor's backend. First of all, since it changes the environment.
void open_nccl(const RankArguments& arguments, Backend& out) {
  collective::nccl::Options options;
  options.path = arguments.library;
  auto loaded = collective::nccl::load(options);
  if (loaded.ok()) {
    auto& got = loaded.value();
    out.library = std::move(got.library);
    for (const auto& change : got.changes) {
      std::string what = change.value.empty() ? "removed" : "set to " + change.value;
      if (!change.before.empty()) what += ", was " + change.before;
      out.environment.emplace_back(change.name, std::move(what));
    }
  } else {
    out.no_library = loaded.failure().text;
    out.no_library_state = loaded.failure().state;
  }
}

Result<Backend> open_cuda(const RankArguments& arguments, wire::Board&) {
  Backend out;
  open_nccl(arguments, out);
  auto runtime = runtime::cuda::load();
  if (runtime.ok()) {
    out.runtime = std::move(runtime).value();
  } else {
    out.runtime = std::make_unique<runtime::AbsentRuntime>("cuda", runtime.failure());
  }
  return out;
}

struct Entry {
  const char* name;
  Result<Backend> (*open)(const RankArguments&, wire::Board&);
};
constexpr Entry kBackends[] = {{"host", open_host}, {"cuda", open_cuda}};

bool is_set(const char* name, std::string_view value) {
  const char* text = std::getenv(name);
  return text != nullptr && value == text;
}

}  // namespace

void leave_out_faults(RankArguments& arguments) {
  const bool none = is_set("GPUCOOP_HOST_FAULTS", "none");
  const bool own_state = is_set("GPUCOOP_HOST_STATE", "communicator");
  std::erase_if(arguments.injections, [&](const wire::Injection& injection) {
    return none || (own_state && injection.fault == wire::Injection::Fault::global_state);
  });
}

Result<Backend> open_backend(const RankArguments& arguments, wire::Board& board) {
  const bool state = std::any_of(arguments.injections.begin(), arguments.injections.end(), [](const auto& injection) {
    return injection.fault == wire::Injection::Fault::global_state;
  });
  if (state && arguments.backend != "host") {
    return Error{ExitCode::usage, "global-state is a fault of the host backend only", "--inject", "add --backend host"};
  }
  for (const auto& entry : kBackends) {
    if (arguments.backend == entry.name) return entry.open(arguments, board);
  }
  return Error{ExitCode::usage, "there is no backend " + arguments.backend, "--backend", ""};
}

}  // namespace gpucoop
