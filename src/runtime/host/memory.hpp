#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "runtime/runtime.hpp"

namespace gpucoop::runtime::host {

/// First-fit allocation in one part of the arena. What is free is known to this process only; not for several threads.
class Part {
 public:
  Part(std::uint64_t offset, std::uint64_t bytes);
  /// Offset in the arena, aligned to 4 KiB.
  [[nodiscard]] std::optional<std::uint64_t> take(std::uint64_t bytes);
  void give_back(std::uint64_t offset, std::uint64_t bytes);
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  std::map<std::uint64_t, std::uint64_t> free_;  ///< offset → bytes
  std::uint64_t bytes_;
};

/// Memory in the arena. Given back with it, unless it belongs to another process.
class HostBuffer final : public Buffer {
 public:
  HostBuffer(std::byte* arena, std::uint64_t offset, std::uint64_t bytes, std::shared_ptr<Part> part)
      : part_(std::move(part)), arena_(arena), offset_(offset), bytes_(bytes) {}
  ~HostBuffer() override {
    if (part_ != nullptr) part_->give_back(offset_, bytes_);
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }
  [[nodiscard]] void* pointer() const override { return arena_ + offset_; }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  std::shared_ptr<Part> part_;
  std::byte* arena_;
  std::uint64_t offset_;
  std::uint64_t bytes_;
};

}  // namespace gpucoop::runtime::host
