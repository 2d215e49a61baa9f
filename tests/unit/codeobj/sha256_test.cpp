#include "codeobj/sha256.hpp"

#include <doctest/doctest.h>

#include <string>

using gpucoop::codeobj::Sha256;

namespace {

std::string of(const std::string& text, std::size_t step, bool portable = false) {
  Sha256 sum(portable);
  for (std::size_t at = 0; at < text.size(); at += step) {
    const auto part = std::string_view(text).substr(at, step);
    sum.add({reinterpret_cast<const std::uint8_t*>(part.data()), part.size()});
  }
  return sum.finish();
}

}  // namespace

// FIPS 180-4 and NIST's example values.
TEST_CASE("SHA-256 gives the published values, in whatever pieces the bytes come") {
  for (const bool portable : {false, true}) {
    CHECK(of("", 1, portable) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(of("abc", 3, portable) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const std::string two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    const std::string million(1'000'000, 'a');
    for (const std::size_t step : {1U, 7U, 63U, 64U, 65U, 4096U}) {
      CHECK(of(two_blocks, step, portable) == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
      CHECK(of(million, step, portable) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
  }
}
