#include "wire/frame.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace gpucoop::wire {
namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr unsigned kByteBits = 8;

bool wait_for(int fd, short what) {
  struct pollfd ready {
    fd, what, 0
  };
  for (;;) {
    const int got = ::poll(&ready, 1, -1);
    if (got > 0) return true;
    if (errno != EINTR) return false;
  }
}

}  // namespace

std::string framed(std::string_view payload) {
  std::string bytes;
  bytes.reserve(kLengthBytes + payload.size());
  for (unsigned i = 0; i < kLengthBytes; ++i) bytes += static_cast<char>((payload.size() >> (kByteBits * i)) & 0xffU);
  bytes += payload;
  return bytes;
}

FrameReader::Filled FrameReader::fill(int fd, bool wait) {
  std::array<char, std::size_t{64} << 10> buffer{};
  for (;;) {
    if (wait && !wait_for(fd, POLLIN)) return Filled::closed;
    const auto got = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got > 0) {
      bytes_.append(buffer.data(), static_cast<std::size_t>(got));
      return Filled::some;
    }
    if (got == 0) return Filled::closed;
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return Filled::closed;
    if (!wait) return Filled::nothing;
  }
}

FrameReader::Got FrameReader::next(std::string& payload) {
  if (bytes_.size() - at_ < kLengthBytes) return Got::nothing;
  std::size_t length = 0;
  for (unsigned i = 0; i < kLengthBytes; ++i) {
    length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes_[at_ + i])) << (kByteBits * i);
  }
  if (length == 0 || length > kMostFrame) return Got::garbage;
  if (bytes_.size() - at_ - kLengthBytes < length) return Got::nothing;
  payload.assign(bytes_, at_ + kLengthBytes, length);
  at_ += kLengthBytes + length;
  if (at_ == bytes_.size() || at_ > kMostFrame) {
    bytes_.erase(0, at_);
    at_ = 0;
  }
  return Got::frame;
}

bool send_frame(int socket, std::string_view payload) {
  if (payload.empty() || payload.size() > kMostFrame) return false;
  const auto frame = framed(payload);
  std::string_view rest = frame;
  while (!rest.empty()) {
    const auto put = ::send(socket, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (put >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait_for(socket, POLLOUT)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool receive_frame(int socket, FrameReader& reader, std::string& payload) {
  for (;;) {
    const auto got = reader.next(payload);
    if (got != FrameReader::Got::nothing) return got == FrameReader::Got::frame;
    if (reader.fill(socket, true) == FrameReader::Filled::closed) return false;
  }
}

}  // namespace gpucoop::wire
