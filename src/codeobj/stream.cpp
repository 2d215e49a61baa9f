#include "codeobj/stream.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>

namespace gpucoop::codeobj {
namespace {

constexpr std::size_t kInput = 256U << 10;
// What one code object may take in memory.
constexpr std::uint64_t kMaxKept = 1U << 30;

/// The compressed bytes, a window at a time.
class Input {
 public:
  Input(Source& source, std::uint64_t from, std::uint64_t to)
      : source_(source), from_(from), at_(from), to_(std::min(to, source.size())), window_(kInput) {}

  /// The next bytes; empty at the end.
  [[nodiscard]] std::span<std::uint8_t> next() {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(window_.size(), to_ - std::min(at_, to_)));
    const auto part = std::span(window_).first(n);
    if (n == 0 || !source_.read(at_, part)) return {};
    at_ += n;
    return part;
  }
  /// How much was handed out.
  [[nodiscard]] std::uint64_t taken() const { return at_ - from_; }

 private:
  Source& source_;
  std::uint64_t from_;
  std::uint64_t at_;
  std::uint64_t to_;
  Bytes window_;
};

class ZlibStream final : public ByteStream {
 public:
  ZlibStream(Source& source, std::uint64_t from, std::uint64_t to) : input_(source, from, to) {
    ready_ = ::inflateInit(&state_) == Z_OK;
    if (!ready_) damage_ = "no memory for zlib";
  }
  ~ZlibStream() override {
    if (ready_) ::inflateEnd(&state_);
  }

  [[nodiscard]] std::size_t read(std::span<std::uint8_t> into) override {
    std::size_t made = 0;
    while (made < into.size() && !ended_ && damage_.empty()) {
      if (state_.avail_in == 0) {
        const auto part = input_.next();
        state_.next_in = part.data();
        state_.avail_in = static_cast<unsigned>(part.size());
        if (part.empty()) damage_ = "compressed data that is cut off";
        if (part.empty()) break;
      }
      const auto room = static_cast<unsigned>(std::min<std::size_t>(into.size() - made, 1U << 30));
      state_.next_out = into.data() + made;
      state_.avail_out = room;
      const int result = ::inflate(&state_, Z_NO_FLUSH);
      made += room - state_.avail_out;
      ended_ = result == Z_STREAM_END;
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) damage_ = "damaged zlib data";
    }
    return made;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return input_.taken() - state_.avail_in; }

 private:
  Input input_;
  z_stream state_{};
  bool ready_ = false;
  bool ended_ = false;
};

class ZstdStream final : public ByteStream {
 public:
  ZstdStream(Source& source, std::uint64_t from, std::uint64_t to)
      : input_(source, from, to), state_(::ZSTD_createDCtx(), &::ZSTD_freeDCtx) {
    constexpr int kWindowLog = 27;
    if (!state_) damage_ = "no memory for zstd";
    if (state_) ::ZSTD_DCtx_setParameter(state_.get(), ZSTD_d_windowLogMax, kWindowLog);
  }

  [[nodiscard]] std::size_t read(std::span<std::uint8_t> into) override {
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    while (out.pos < out.size && !ended_ && damage_.empty()) {
      // The decoder may hold bytes back: a full output before says so, and then it needs no input.
      if (in_.pos == in_.size && !held_back_) {
        const auto part = input_.next();
        in_ = {part.data(), part.size(), 0};
        if (part.empty()) damage_ = "compressed data that is cut off";
        if (part.empty()) break;
      }
      const auto result = ::ZSTD_decompressStream(state_.get(), &out, &in_);
      if (::ZSTD_isError(result) != 0) damage_ = std::string("damaged zstd data: ") + ::ZSTD_getErrorName(result);
      ended_ = result == 0;
      held_back_ = out.pos == out.size;
    }
    return out.pos;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return input_.taken() - (in_.size - in_.pos); }

 private:
  Input input_;
  std::unique_ptr<ZSTD_DCtx, decltype(&::ZSTD_freeDCtx)> state_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool ended_ = false;
  bool held_back_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> zlib_stream(Source& source, std::uint64_t from, std::uint64_t to) {
  return std::make_unique<ZlibStream>(source, from, to);
}

std::unique_ptr<ByteStream> zstd_stream(Source& source, std::uint64_t from, std::uint64_t to) {
  return std::make_unique<ZstdStream>(source, from, to);
}

bool is_believable(std::uint64_t compressed, std::uint64_t uncompressed) {
  constexpr std::uint64_t kMaxRatio = 256;
  constexpr std::uint64_t kSmall = 1U << 20;
  constexpr std::uint64_t kMaxSize = std::uint64_t{16} << 30;
  return uncompressed <= kSmall || (uncompressed <= kMaxSize && uncompressed / kMaxRatio <= compressed);
}

bool StreamCursor::read(std::span<std::uint8_t> into) {
  if (!within(position_, into.size(), limit_)) return false;
  const auto made = stream_.read(into);
  position_ += made;
  return made == into.size();
}

bool StreamCursor::skip_to(std::uint64_t at) {
  if (at < position_ || at > limit_) return false;
  Bytes waste(static_cast<std::size_t>(std::min<std::uint64_t>(at - position_, kInput)));
  while (position_ < at) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(at - position_, waste.size()));
    if (!read(std::span(waste).first(n))) return false;
  }
  return true;
}

bool StreamSource::read(std::uint64_t at, std::span<std::uint8_t> into) {
  // In steps: what a damaged header asks for may not be there, and then it is not allocated either.
  constexpr std::size_t kStep = 1U << 20;
  if (!within(at, into.size(), std::min(size_, kMaxKept))) return false;
  const auto end = static_cast<std::size_t>(at + into.size());
  while (kept_.size() < end) {
    const auto had = kept_.size();
    kept_.resize(had + std::min(end - had, kStep));
    if (!cursor_.read(std::span(kept_).subspan(had))) {
      kept_.resize(had);
      return false;
    }
  }
  std::copy_n(kept_.begin() + static_cast<std::ptrdiff_t>(at), into.size(), into.begin());
  return true;
}

}  // namespace gpucoop::codeobj
