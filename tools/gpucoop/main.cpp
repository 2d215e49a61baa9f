#include <CLI/CLI.hpp>

#include "base/version.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Can the GPUs in this Linux host work together, how, and if not, what stands in the way?"};
  app.set_version_flag("--version", std::string("gpucoop ") + gpucoop::kVersion);
  CLI11_PARSE(app, argc, argv);
  return 0;
}
