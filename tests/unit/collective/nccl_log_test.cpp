#include <doctest/doctest.h>

#include "collective/nccl/log_reader.hpp"

using gpucoop::collective::nccl::LogReader;
using gpucoop::collective::nccl::transport_kind;

TEST_CASE("transports are read per peer and per communicator") {
  LogReader r;
  r.take(LogReader::mark(1));
  r.take(
      "h:10:11 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read\n"
      "h:10:11 [0] NCCL INFO Channel 01/0 : 0[0] -> 1[1] via P2P/CUMEM/read\n"
      "h:10:11 [0] NCCL INFO Channel 00 : 0[0] -> 2[2] via SHM/direct/direct\n");
  r.take(LogReader::mark(2));
  r.take(
      "h:10:11 [0] NCCL INFO Channel 00/0 : 1[1] -> 0[0] [receive] via NET/Socket/0/Shared\n"
      "h:10:11 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] [send] via NET/IB/0(1)/GDRDMA/Shared\n");
  const auto first = r.transports(1, 0);
  REQUIRE(first.size() == 2);
  CHECK(first.at(1) == "P2P/CUMEM");
  CHECK(first.at(2) == "SHM/direct/direct");
  const auto second = r.transports(2, 0);
  REQUIRE(second.size() == 1);
  CHECK(second.at(1) == "NET/IB/GDRDMA,NET/Socket");
  CHECK(r.transports(3, 0).empty());
  CHECK(r.transports(1, 2).at(0) == "SHM/direct/direct");
}

TEST_CASE("forms of older versions are read") {
  LogReader r;
  r.take(
      "h:1:2 [0] NCCL INFO Channel 00 : 0[1000] -> 1[25000] via P2P/direct pointer\n"
      "h:1:2 [0] NCCL INFO Channel 00 : 0[1000] <- 3[2f000] via P2P/indirect/2[24000]\n");
  CHECK(r.transports(0, 0).at(1) == "P2P/direct pointer");
  CHECK(r.transports(0, 0).at(3) == "P2P/indirect");
}

TEST_CASE("warnings are kept, the latest of many") {
  LogReader r;
  r.take("\n[2026-11-30 12:00:00] h:1:2 [0] init.cc:500 NCCL WARN Duplicate GPU detected : rank 0 and rank 1\n");
  REQUIRE(r.warnings().size() == 1);
  CHECK(r.warnings()[0] == "Duplicate GPU detected : rank 0 and rank 1");
  for (int i = 0; i < 100; ++i) r.take("h:1:2 [0] NCCL WARN number " + std::to_string(i) + "\n");
  CHECK(r.warnings().size() == 32);
  CHECK(r.warnings().back() == "number 99");
}

TEST_CASE("lines come in any pieces, and endless ones are left out") {
  LogReader r;
  const std::string line = "h:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via SHM/direct\n";
  for (const char c : line) r.take({&c, 1});
  CHECK(r.transports(0, 0).at(1) == "SHM/direct");
  r.take(std::string(100000, 'x'));
  r.take(" Channel 00/0 : 0[0] -> 7[7] via P2P/IPC\n");
  r.take("h Channel 00/0 : 0[0] -> 2[2] via P2P/IPC\n");
  CHECK(r.transports(0, 0).size() == 2);
  CHECK(r.transports(0, 0).count(7) == 0);
}

TEST_CASE("lines that only look like a connection are not one") {
  LogReader r;
  r.take(
      "Channel 00/0 : 0[0] -> 1[1] via \n"
      "Channel 00/0 : 0[0] - 1[1] via P2P/IPC\n"
      "Channel 00/02 : 0 1\n"
      "Channel 00/0 : x[0] -> 1[1] via P2P/IPC\n"
      "Channel 00/0 : 99999999999999999999[0] -> 1[1] via P2P/IPC\n");
  CHECK(r.transports(0, 0).empty());
}

TEST_CASE("a transport's kind is told without its instance") {
  CHECK(transport_kind("P2P/IPC") == "P2P/IPC");
  CHECK(transport_kind("SHM/CE/direct") == "SHM/CE/direct");
  CHECK(transport_kind("NET/Socket/1") == "NET/Socket");
  CHECK(transport_kind("NET/Socket/0(3)/Shared") == "NET/Socket");
  CHECK(transport_kind("COLLNET") == "COLLNET");
}

TEST_CASE("copy engines and multicast are told, and an offer of multicast is not") {
  CHECK(transport_kind("P2P/CUMEM/CE") == "P2P/CUMEM/CE");
  CHECK(transport_kind("P2P/IPC/read") == "P2P/IPC");
  CHECK(transport_kind("SHM/CE/direct") == "SHM/CE/direct");
  LogReader r;
  r.take(LogReader::mark(4));
  r.take("h:1:2 [0] NCCL INFO NVLS multicast support is available on dev 0 (NVLS_NCHANNELS 16)\n");
  CHECK_FALSE(r.has_multicast(4));
  r.take("h:1:2 [0] NCCL INFO NVLS comm 0x55 headRank 0 nHeads 8 nvlsRanks 8 buffSize 4194304 nvlsPerRankSize 1\n");
  CHECK(r.has_multicast(4));
  CHECK_FALSE(r.has_multicast(3));
}
