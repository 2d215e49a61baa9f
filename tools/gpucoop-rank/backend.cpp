#include "backend.hpp"

#include <algorithm>
#include <utility>

#include "collective/host/host_library.hpp"
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

struct Entry {
  const char* name;
  Result<Backend> (*open)(const RankArguments&, wire::Board&);
};
constexpr Entry kBackends[] = {{"host", open_host}};

}  // namespace

Result<Backend> open_backend(const RankArguments& arguments, wire::Board& board) {
  if (!arguments.injections.empty() && arguments.backend != "host") {
    return Error{ExitCode::usage, "faults are injected into the host backend only", "--inject", "add --backend host"};
  }
  for (const auto& entry : kBackends) {
    if (arguments.backend == entry.name) return entry.open(arguments, board);
  }
  return Error{ExitCode::usage, "there is no backend " + arguments.backend, "--backend", ""};
}

}  // namespace gpucoop
