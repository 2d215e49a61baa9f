#include "probe/rank_link.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace gpucoop::probe {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;

}  // namespace

void Tail::add(std::string_view bytes) {
  total_ += bytes.size();
  bytes_ += bytes;
  if (bytes_.size() > 2 * kRoom) bytes_.erase(0, bytes_.size() - kRoom);
}

std::string Tail::text() const { return bytes_.size() <= kRoom ? bytes_ : bytes_.substr(bytes_.size() - kRoom); }

RankLink::RankLink(unsigned rank, Descriptor channel, Descriptor output)
    : rank_(rank), channel_(std::move(channel)), output_(std::move(output)) {
  ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
}

void RankLink::expect(std::uint32_t step) { expected_ = step; }

void RankLink::forget_result() {
  result_.reset();
  expected_.reset();
}

void RankLink::queue(std::string_view payload) { to_send_ += wire::framed(payload); }

void RankLink::send() {
  const auto put = ::send(channel_.get(), to_send_.data(), to_send_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (put > 0) to_send_.erase(0, static_cast<std::size_t>(put));
  // A rank that has closed its end shows when it is read from.
  if (put < 0 && errno != EAGAIN && errno != EINTR) to_send_.clear();
}

void RankLink::take(std::string_view payload) {
  auto result = wire::decode_result(payload);
  if (!result || !expected_ || result.value().id != *expected_ || result.value().rank != rank_ || result_) {
    garbage_ = true;
    return;
  }
  result_ = std::move(result).value();
}

void RankLink::receive() {
  if (!channel_) return;
  const auto filled = reader_.fill(channel_.get());
  std::string payload;
  for (auto got = reader_.next(payload); got != wire::FrameReader::Got::nothing; got = reader_.next(payload)) {
    if (got == wire::FrameReader::Got::garbage) garbage_ = true;
    if (garbage_) break;
    take(payload);
  }
  // Half a frame is nothing that a rank sends and then leaves.
  if (filled == wire::FrameReader::Filled::closed && reader_.pending() != 0) garbage_ = true;
  if (filled == wire::FrameReader::Filled::closed || garbage_) hang_up();
}

bool RankLink::drain_some() {
  if (!output_) return false;
  std::array<char, kPiece> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read fills it
  const auto got = ::read(output_.get(), buffer.data(), buffer.size());
  if (got > 0) tail_.add({buffer.data(), static_cast<std::size_t>(got)});
  if (got == 0) output_.close();
  return got > 0;
}

void RankLink::drain() { drain_some(); }

void RankLink::drain_rest() {
  constexpr unsigned kMostPieces = 16;
  for (unsigned pieces = 0; pieces < kMostPieces && drain_some(); ++pieces) continue;
}

}  // namespace gpucoop::probe
