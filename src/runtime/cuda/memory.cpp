#include "runtime/cuda/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace gpucoop::runtime::cuda {

namespace {

/// The driver packs smaller allocations into blocks of this size, and a memory handle is one of the whole block.
constexpr std::uint64_t kBlock = std::uint64_t{2} << 20U;

void* as_pointer(DevicePointer pointer) { return reinterpret_cast<void*>(pointer); }

class Memory : public Buffer {
 public:
  Memory(std::shared_ptr<Context> context, DevicePointer start, std::uint64_t bytes)
      : context_(std::move(context)), start_(start), bytes_(bytes) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }
  [[nodiscard]] void* pointer() const override { return as_pointer(start_); }

 protected:
  [[nodiscard]] DevicePointer start() const { return start_; }
  /// Null where nothing is to be given back.
  [[nodiscard]] const Driver* giving_back() const {
    if (context_->leaves_everything() || !context_->make_current()) return nullptr;
    return &context_->driver();
  }

 private:
  std::shared_ptr<Context> context_;
  DevicePointer start_;
  std::uint64_t bytes_;
};

class DeviceMemory final : public Memory {
 public:
  using Memory::Memory;
  ~DeviceMemory() override {
    if (const Driver* driver = giving_back()) driver->memory_free(start());
  }
};

class HostMemory final : public Memory {
 public:
  HostMemory(std::shared_ptr<Context> context, void* host, DevicePointer start, std::uint64_t bytes)
      : Memory(std::move(context), start, bytes), host_(host) {}
  ~HostMemory() override {
    if (const Driver* driver = giving_back()) driver->host_free(host_);
  }

 private:
  void* host_;
};

class ImportedMemory final : public Memory {
 public:
  ImportedMemory(std::shared_ptr<Context> context, DevicePointer base, std::uint64_t offset, std::uint64_t bytes)
      : Memory(std::move(context), base + offset, bytes), base_(base) {}
  ~ImportedMemory() override {
    if (const Driver* driver = giving_back()) driver->ipc_close(base_);
  }

 private:
  DevicePointer base_;
};

}  // namespace

Outcome<std::unique_ptr<Buffer>> allocate_device(std::shared_ptr<Context> context, std::uint64_t bytes) {
  if (auto current = context->make_current(); !current) return current.failure();
  const std::uint64_t whole = (std::max<std::uint64_t>(bytes, 1) + kBlock - 1) / kBlock * kBlock;
  DevicePointer start = 0;
  const Driver& driver = context->driver();
  if (auto got = driver.check("cuMemAlloc", driver.memory_allocate(&start, whole)); !got) return got.failure();
  return std::unique_ptr<Buffer>(std::make_unique<DeviceMemory>(std::move(context), start, bytes));
}

Outcome<std::unique_ptr<Buffer>> allocate_host(std::shared_ptr<Context> context, std::uint64_t bytes) {
  if (auto current = context->make_current(); !current) return current.failure();
  const Driver& driver = context->driver();
  void* host = nullptr;
  const int code = driver.host_allocate(&host, std::max<std::uint64_t>(bytes, 1), kHostPortable | kHostMapped);
  if (auto got = driver.check("cuMemHostAlloc", code); !got) return got.failure();
  DevicePointer start = 0;
  auto mapped = driver.check("cuMemHostGetDevicePointer", driver.host_device_pointer(&start, host, 0));
  auto buffer = std::make_unique<HostMemory>(std::move(context), host, start, bytes);
  if (!mapped) return mapped.failure();
  if (as_pointer(start) != host)
    return Failure{ProbeState::refused, "cuMemHostAlloc: the device sees the memory at another address than the host"};
  return std::unique_ptr<Buffer>(std::move(buffer));
}

// A handle is of the whole allocation: where the buffer begins in it goes along.
Outcome<IpcHandle> export_memory(const Context& context, const Buffer& buffer) {
  if (auto current = context.make_current(); !current) return current.failure();
  const Driver& driver = context.driver();
  const auto start = reinterpret_cast<DevicePointer>(buffer.pointer());
  DevicePointer base = 0;
  std::size_t bytes = 0;
  auto range = driver.check("cuMemGetAddressRange", driver.memory_range(&base, &bytes, start));
  if (!range) return range.failure();
  IpcMemory memory{};
  if (auto got = driver.check("cuIpcGetMemHandle", driver.ipc_get(&memory, start)); !got) return got.failure();
  const std::uint64_t offset = start - base;
  IpcHandle handle(sizeof memory.bytes + sizeof offset, '\0');
  std::memcpy(handle.data(), memory.bytes, sizeof memory.bytes);
  std::memcpy(handle.data() + sizeof memory.bytes, &offset, sizeof offset);
  return handle;
}

Outcome<std::unique_ptr<Buffer>> import_memory(std::shared_ptr<Context> context, const IpcHandle& handle,
                                               std::uint64_t bytes) {
  IpcMemory memory{};
  std::uint64_t offset = 0;
  if (handle.size() != sizeof memory.bytes + sizeof offset)
    return Failure{ProbeState::failed, fmt::format("a memory handle of {} bytes is none of CUDA's", handle.size())};
  std::memcpy(memory.bytes, handle.data(), sizeof memory.bytes);
  std::memcpy(&offset, handle.data() + sizeof memory.bytes, sizeof offset);
  if (auto current = context->make_current(); !current) return current.failure();
  const Driver& driver = context->driver();
  DevicePointer base = 0;
  const int code = driver.ipc_open(&base, memory, kIpcLazyPeerAccess);
  if (auto opened = driver.check("cuIpcOpenMemHandle", code); !opened) return opened.failure();
  return std::unique_ptr<Buffer>(std::make_unique<ImportedMemory>(std::move(context), base, offset, bytes));
}

Outcome<DevicePointer> place(const char* operation, const Buffer& buffer, Range range, bool words) {
  if (range.offset > buffer.bytes() || range.bytes > buffer.bytes() - range.offset)
    return Failure{ProbeState::failed, fmt::format("{}: bytes {} to {} of a buffer of {}", operation, range.offset,
                                                   range.offset + range.bytes, buffer.bytes())};
  if (words && (range.offset % 4 != 0 || range.bytes % 4 != 0))
    return Failure{ProbeState::failed,
                   fmt::format("{}: not whole words: offset {}, {} bytes", operation, range.offset, range.bytes)};
  return reinterpret_cast<DevicePointer>(buffer.pointer()) + range.offset;
}

}  // namespace gpucoop::runtime::cuda
