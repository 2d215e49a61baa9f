#include "rank/pattern_bytes.hpp"

#include <algorithm>
#include <cstring>

namespace gpucoop::rank {

void fill_bytes(const runtime::Pattern& pattern, std::uint64_t first, std::uint64_t bytes, std::byte* out) {
  std::uint64_t done = 0;
  if (first % 4 == 0) {
    for (; done + 4 <= bytes; done += 4) {
      const std::uint32_t word = pattern.word((first + done) / 4);
      std::memcpy(out + done, &word, 4);
    }
  }
  while (done < bytes) {
    const std::uint64_t at = first + done;
    const std::uint32_t word = pattern.word(at / 4);
    const std::uint64_t part = std::min(4 - at % 4, bytes - done);
    std::byte raw[4];
    std::memcpy(raw, &word, 4);
    std::memcpy(out + done, raw + at % 4, part);
    done += part;
  }
}

}  // namespace gpucoop::rank
