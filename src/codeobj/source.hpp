#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace gpucoop::codeobj {

using Bytes = std::vector<std::uint8_t>;

/// Bytes that are read in pieces, at any offset. A file may be many gigabytes: nobody holds all of one.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Fills `into` from `at`. False, with unspecified bytes, where not all of that is there.
  [[nodiscard]] virtual bool read(std::uint64_t at, std::span<std::uint8_t> into) = 0;
};

/// A regular file. Read and not mapped: a file that is cut short while it is read gives `false`, not a signal.
class FileSource final : public Source {
 public:
  FileSource() = default;
  ~FileSource() override;
  /// An `Error` where there is no such file (66), it may not be read (77) or is no regular file (65).
  [[nodiscard]] Status open(const std::string& path);
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] bool read(std::uint64_t at, std::span<std::uint8_t> into) override;

 private:
  [[nodiscard]] std::size_t read_file(std::uint64_t at, std::span<std::uint8_t> into) const;

  int file_ = -1;
  std::uint64_t size_ = 0;
  // The last small piece that was read: headers lie close together.
  std::array<std::uint8_t, 4096> near_{};
  std::uint64_t near_at_ = 0;
  std::size_t near_size_ = 0;
};

class MemorySource final : public Source {
 public:
  explicit MemorySource(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] bool read(std::uint64_t at, std::span<std::uint8_t> into) override;

 private:
  std::span<const std::uint8_t> bytes_;
};

/// Part of another source, cut to what that one has.
class RangeSource final : public Source {
 public:
  RangeSource(Source& source, std::uint64_t from, std::uint64_t size);
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] bool read(std::uint64_t at, std::span<std::uint8_t> into) override;

 private:
  Source& source_;
  std::uint64_t from_;
  std::uint64_t size_;
};

/// The bytes `[at, at + size)`; nothing where not all of them are there or `size` is over `limit`.
[[nodiscard]] std::optional<Bytes> piece(Source& source, std::uint64_t at, std::uint64_t size,
                                         std::uint64_t limit = 1U << 20);

/// Where the first of the words begins in `[from, to)`. A word that begins there has to lie wholly before `to`.
[[nodiscard]] std::optional<std::uint64_t> find_first(Source& source, std::uint64_t from, std::uint64_t to,
                                                      std::span<const std::string_view> words);

/// True where `size` bytes at `at` lie within `whole` bytes.
[[nodiscard]] constexpr bool within(std::uint64_t at, std::uint64_t size, std::uint64_t whole) {
  return size <= whole && at <= whole - size;
}

}  // namespace gpucoop::codeobj
