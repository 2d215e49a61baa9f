#include "read/recording/bounds.hpp"

#include <string>

namespace gpucoop::recording_file {

std::optional<Excess> find_excess(std::string_view bytes, std::string_view kind) {
  // A host with 512 functions takes about 1 MiB, five levels deep.
  constexpr std::size_t kMostBytes = std::size_t{32} << 20;
  constexpr std::size_t kMostValues = std::size_t{1} << 20;
  constexpr unsigned kMostDepth = 16;
  if (bytes.size() > kMostBytes) return Excess{0, "is larger than any " + std::string(kind) + " (32 MiB)"};
  std::size_t values = 0;
  unsigned depth = 0;
  bool text = false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (text) {
      if (c == '\\') ++i;
      if (c == '"') text = false;
      continue;
    }
    if (c == '"') text = true;
    if (c == ',' && ++values > kMostValues) return Excess{i, "holds more values than any " + std::string(kind)};
    if ((c == '{' || c == '[') && ++depth > kMostDepth)
      return Excess{i, "is nested deeper than any " + std::string(kind)};
    if ((c == '}' || c == ']') && depth > 0) --depth;
  }
  return std::nullopt;
}

}  // namespace gpucoop::recording_file
