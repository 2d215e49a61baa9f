#pragma once

#include <functional>
#include <memory>

#include "runtime/cuda/context.hpp"

namespace gpucoop::runtime::cuda {

[[nodiscard]] Outcome<std::unique_ptr<Stream>> make_stream(std::shared_ptr<Context> context);

/// As runtime::Device::timed, record and replay.
[[nodiscard]] Outcome<double> timed(Context& context, Stream& stream, unsigned repetitions,
                                    const std::function<Outcome<>()>& enqueue, Deadline deadline);
[[nodiscard]] Outcome<std::unique_ptr<Graph>> record(std::shared_ptr<Context> context, Stream& stream,
                                                     const std::function<Outcome<>()>& enqueue);
[[nodiscard]] Outcome<> replay(Context& context, Stream& stream, Graph& graph);

}  // namespace gpucoop::runtime::cuda
