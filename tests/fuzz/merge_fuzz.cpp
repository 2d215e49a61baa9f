// Joining readings of one host. The input is cut at each form feed; the pieces are files of one host.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "read/read.hpp"

namespace {

using namespace gpucoop;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Rules rules;
  std::vector<Input> inputs;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr std::size_t kMost = 8;
  while (inputs.size() < kMost) {
    const auto end = text.find('\f');
    inputs.push_back(Input{"f" + std::to_string(inputs.size()), std::string(text.substr(0, end))});
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  auto read = read_inputs(inputs, rules, ReadOptions{});
  if (!read) {
    require(read.error().code == ExitCode::bad_input && !read.error().what.empty());
    read = read_inputs(inputs, rules, ReadOptions{1});
    if (!read) return 0;
  }
  const auto& r = read.value();
  require(!r.sources.empty());
  for (std::size_t i = 1; i < r.devices.size(); ++i) require(r.devices[i - 1].address < r.devices[i].address);
  for (const auto& d : r.devices) {
    for (const auto& p : d.places) require(p.source < r.sources.size());
  }
  for (const auto& d : r.disagreements) require(d.kept != d.other);
  return 0;
}
