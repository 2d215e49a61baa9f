#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "codeobj/source.hpp"

namespace gpucoop::codeobj {

/// Bytes that come out of a decompressor, forwards only.
class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;
  /// Fills `into` and gives how much of it; less only at the end, or where `damage` says why.
  [[nodiscard]] virtual std::size_t read(std::span<std::uint8_t> into) = 0;
  /// How much of the compressed bytes was used so far.
  [[nodiscard]] virtual std::uint64_t consumed() const = 0;
  [[nodiscard]] const std::string& damage() const { return damage_; }

 protected:
  std::string damage_;
};

/// One zlib stream, or one zstd frame, that begins at `from`. A zstd frame that asks for a window of more than 128 MiB
/// is refused: it is the most that an encoder takes without being told to, and it is what is allocated.
[[nodiscard]] std::unique_ptr<ByteStream> zlib_stream(Source& source, std::uint64_t from, std::uint64_t to);
[[nodiscard]] std::unique_ptr<ByteStream> zstd_stream(Source& source, std::uint64_t from, std::uint64_t to);

/// Whether so many bytes can come out of so few. GPU code shrinks to a tenth, its padding to less; what claims
/// to shrink to less than 1/256, or to make more than 16 GiB, was made to do harm.
[[nodiscard]] bool is_believable(std::uint64_t compressed, std::uint64_t uncompressed);

/// A stream with a position, of which `limit` bytes at most are ever made.
class StreamCursor {
 public:
  StreamCursor(ByteStream& stream, std::uint64_t limit) : stream_(stream), limit_(limit) {}
  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] std::uint64_t limit() const { return limit_; }
  [[nodiscard]] bool read(std::span<std::uint8_t> into);
  /// Forwards to `at`. False where that lies behind, or the stream ends before it.
  [[nodiscard]] bool skip_to(std::uint64_t at);

 private:
  ByteStream& stream_;
  std::uint64_t limit_;
  std::uint64_t position_ = 0;
};

/// The next `size` bytes of a stream as a source. Keeps what it has read from its beginning on, and reads no further
/// than it is asked to: the headers and notes of a code object are at its beginning.
class StreamSource final : public Source {
 public:
  StreamSource(StreamCursor& cursor, std::uint64_t size) : cursor_(cursor), size_(size) {}
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] bool read(std::uint64_t at, std::span<std::uint8_t> into) override;

 private:
  StreamCursor& cursor_;
  std::uint64_t size_;
  Bytes kept_;
};

}  // namespace gpucoop::codeobj
