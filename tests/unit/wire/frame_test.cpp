#include "wire/frame.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

using namespace gpucoop::wire;

TEST_CASE("A frame is its length in four bytes and its payload") {
  CHECK(framed("abc") == std::string("\3\0\0\0abc", 7));
  CHECK(framed(std::string(0x10203, 'x')).substr(0, 4) == std::string("\3\2\1\0", 4));
}

TEST_CASE("Frames come out whole, however their bytes arrive") {
  const auto bytes = framed("first") + framed(std::string(kMostFrame, 'z')) + framed("last");
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{65536}, bytes.size()}) {
    FrameReader reader;
    std::string payload;
    std::vector<std::size_t> lengths;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      reader.feed(std::string_view(bytes).substr(at, piece));
      while (reader.next(payload) == FrameReader::Got::frame) lengths.push_back(payload.size());
    }
    CHECK(lengths == std::vector<std::size_t>{5, kMostFrame, 4});
    CHECK(payload == "last");
    CHECK(reader.pending() == 0);
  }
}

TEST_CASE("What cannot be a length is garbage, and stays garbage") {
  for (const auto& bytes :
       {std::string("Hello, I am a log line\n"), std::string(4, '\0'), std::string("\1\0\4\0", 4)}) {
    FrameReader reader;
    std::string payload;
    reader.feed(bytes);
    CHECK(reader.next(payload) == FrameReader::Got::garbage);
    reader.feed(framed("good"));
    CHECK(reader.next(payload) == FrameReader::Got::garbage);
  }
}

TEST_CASE("Frames go through a socket, and its end is told") {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  FrameReader reader;
  CHECK(reader.fill(ends[1]) == FrameReader::Filled::nothing);
  std::thread sender([&] {
    for (unsigned i = 1; i <= 20; ++i) CHECK(send_frame(ends[0], std::string(i * 10000, 'q')));
    ::close(ends[0]);
  });
  std::string payload;
  for (unsigned i = 1; i <= 20; ++i) {
    REQUIRE(receive_frame(ends[1], reader, payload));
    CHECK(payload.size() == i * 10000);
  }
  CHECK_FALSE(receive_frame(ends[1], reader, payload));
  sender.join();
  CHECK_FALSE(send_frame(ends[1], "nobody there"));
  CHECK_FALSE(send_frame(ends[1], ""));
  ::close(ends[1]);
}
