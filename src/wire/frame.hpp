#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpucoop::wire {

// A frame: the length of the payload (32 bits, little-endian), and the payload.

constexpr std::size_t kMostFrame = std::size_t{256} << 10;

/// Precondition: at most kMostFrame bytes, and not none.
[[nodiscard]] std::string framed(std::string_view payload);

/// Puts frames together from bytes as they come.
class FrameReader {
 public:
  /// `garbage`: no length of a frame; all that follows is garbage too.
  enum class Got : std::uint8_t { frame, nothing, garbage };
  /// What a look at a descriptor gave. `closed`: nothing will ever come again.
  enum class Filled : std::uint8_t { some, nothing, closed };

  void feed(std::string_view bytes) { bytes_ += bytes; }
  /// Takes what there is, 64 KiB at most. With `wait` it waits for the first byte.
  Filled fill(int fd, bool wait = false);
  /// The next whole frame.
  Got next(std::string& payload);
  /// Bytes of a frame that has not come to its end.
  [[nodiscard]] std::size_t pending() const { return bytes_.size() - at_; }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

/// Sends a frame, however long the other side takes to read it. False where it has gone.
[[nodiscard]] bool send_frame(int socket, std::string_view payload);
/// Waits for a frame. False where the other side has gone, or sends something else.
[[nodiscard]] bool receive_frame(int socket, FrameReader& reader, std::string& payload);

}  // namespace gpucoop::wire
