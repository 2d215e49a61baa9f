// Used by the build only: validates rules files and packs them into one C++ source.
//
//   rules-compile OUTPUT.cpp RULES.toml…

#include <fmt/core.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "rules/archive.hpp"
#include "rules/load.hpp"

namespace {

std::string file_name(std::string_view path) {
  const auto slash = path.rfind('/');
  const auto folder = slash == std::string_view::npos ? path : path.substr(0, slash);
  const auto above = folder.rfind('/');
  return std::string(above == std::string_view::npos ? path : path.substr(above + 1));
}

/// The bytes as rows of numbers: a string literal of this size is beyond what compilers have to take.
std::string source(const std::string& bytes) {
  std::string text =
      "#include \"rules/builtin.hpp\"\n\nnamespace gpucoop {\n\nnamespace {\n\nconstexpr unsigned char kBytes[] = {";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text += fmt::format("{}{},", i % 32 == 0 ? "\n    " : "", static_cast<unsigned char>(bytes[i]));
  }
  text +=
      "};\n\n}  // namespace\n\nstd::string_view builtin_rules_bytes() {\n"
      "  return {reinterpret_cast<const char*>(kBytes), sizeof kBytes};\n}\n\n}  // namespace gpucoop\n";
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: rules-compile OUTPUT.cpp RULES.toml...\n");
    return static_cast<int>(gpucoop::ExitCode::usage);
  }
  std::vector<gpucoop::RulesText> texts;
  for (int i = 2; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    if (!in) {
      fmt::print(stderr, "{}: cannot be read\n", argv[i]);
      return static_cast<int>(gpucoop::ExitCode::no_such_input);
    }
    texts.push_back({file_name(argv[i]), std::string(std::istreambuf_iterator<char>(in), {})});
  }
  const auto rules = gpucoop::load_rules(texts);
  if (!rules) {
    const auto& error = rules.error();
    fmt::print(stderr, "{}: error: {}{}{}\n", error.where, error.what, error.next.empty() ? "" : "; ", error.next);
    return static_cast<int>(error.code);
  }
  std::ofstream out(argv[1], std::ios::binary | std::ios::trunc);
  out << source(gpucoop::write_archive(rules.value()));
  out.close();
  if (!out) {
    fmt::print(stderr, "{}: cannot be written\n", argv[1]);
    return static_cast<int>(gpucoop::ExitCode::cannot_create);
  }
  return 0;
}
