#include "query.hpp"

#include <cstdio>
#include <string>

#include "runtime/nvml/nvml.hpp"
#include "wire/frame.hpp"

namespace gpucoop {

ExitCode answer_query(std::string_view what, std::string_view library) {
  if (what != "nvml") {
    std::fputs("gpucoop-rank: --query: nvml is all that can be asked\n", stderr);
    return ExitCode::usage;
  }
  const std::string bytes = wire::framed(wire::encode(runtime::nvml::look(std::string(library))));
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0;
  return written ? ExitCode::ok : ExitCode::cannot_create;
}

}  // namespace gpucoop
