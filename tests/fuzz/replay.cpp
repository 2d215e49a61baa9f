// Stands in for libFuzzer's main where there is none: runs the target over files and over all files below folders,
// whole, and cut off at a few places, as a fuzzer would cut them.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCuts = 3;

std::size_t replay(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::size_t runs = 0;
  for (std::size_t cut = 0; cut <= kCuts; ++cut) {
    const std::size_t size = bytes.size() - bytes.size() * cut / (kCuts + 1);
    // A copy of exactly this size, so that a read past the end is seen by the address sanitizer.
    const std::vector<std::uint8_t> input(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    LLVMFuzzerTestOneInput(input.data(), input.size());
    ++runs;
  }
  return runs;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t files = 0;
  std::size_t runs = 0;
  try {
    for (int i = 1; i < argc; ++i) {
      if (!fs::is_directory(argv[i])) {
        runs += replay(argv[i]);
        ++files;
        continue;
      }
      for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
        if (entry.is_regular_file()) {
          runs += replay(entry.path());
          ++files;
        }
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 70;
  }
  std::printf("%zu files, %zu runs\n", files, runs);
  return files > 0 ? 0 : 66;
}
