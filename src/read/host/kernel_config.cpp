#include "read/host/kernel_config.hpp"

#include <zlib.h>

#include <array>

#include "read/text.hpp"

namespace gpucoop {

bool config_option(std::string_view config, std::string_view option) {
  while (!config.empty()) {
    auto line = next_part(config, '\n');
    if (starts_with(line, option) && line.size() > option.size() && line[option.size()] == '=') {
      line.remove_prefix(option.size() + 1);
      return line == "y" || line == "m";
    }
  }
  return false;
}

std::string gunzip(std::span<const std::uint8_t> bytes, std::size_t most) {
  std::string text;
  z_stream stream{};
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) return text;
  // zlib takes a pointer that is not to const and does not write through it.
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::array<char, 16384> part{};
  int state = Z_OK;
  while (state == Z_OK && text.size() <= most) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || text.size() > most) text.clear();
  return text;
}

}  // namespace gpucoop
