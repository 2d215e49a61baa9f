#pragma once

#include <memory>

#include "runtime/cuda/context.hpp"

namespace gpucoop::runtime::cuda {

/// Device memory that begins an allocation of its own, so that another process that opens its handle gets its start and
/// nothing else's.
[[nodiscard]] Outcome<std::unique_ptr<Buffer>> allocate_device(std::shared_ptr<Context> context, std::uint64_t bytes);
/// Pinned host memory at one address for this process and all its devices.
[[nodiscard]] Outcome<std::unique_ptr<Buffer>> allocate_host(std::shared_ptr<Context> context, std::uint64_t bytes);

[[nodiscard]] Outcome<IpcHandle> export_memory(const Context& context, const Buffer& buffer);
[[nodiscard]] Outcome<std::unique_ptr<Buffer>> import_memory(std::shared_ptr<Context> context, const IpcHandle& handle,
                                                             std::uint64_t bytes);

/// Where a range of a buffer lies; a Failure in the name of `operation` where it goes past the end, or where it is not
/// of whole 32-bit words although `words` is asked for.
[[nodiscard]] Outcome<DevicePointer> place(const char* operation, const Buffer& buffer, Range range, bool words);

}  // namespace gpucoop::runtime::cuda
