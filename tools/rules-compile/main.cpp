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

#include "base/packed.hpp"
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
std::string array(const std::string& name, const std::string& bytes) {
  std::string text = fmt::format("constexpr unsigned char {}[] = {{", name);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text += fmt::format("{}{},", i % 32 == 0 ? "\n    " : "", static_cast<unsigned char>(bytes[i]));
  }
  return text + "};\n";
}

std::string getter(const std::string& function, const std::string& name) {
  return fmt::format("\nstd::string_view {}() {{\n  return {{reinterpret_cast<const char*>({}), sizeof {}}};\n}}\n",
                     function, name, name);
}

std::string source(const std::string& rules, const std::string& texts) {
  return "#include \"rules/builtin.hpp\"\n\nnamespace gpucoop {\n\nnamespace {\n\n" + array("kRules", rules) +
         array("kTexts", texts) + "\n}  // namespace\n" + getter("builtin_rules_bytes", "kRules") +
         getter("builtin_texts_bytes", "kTexts") + "\n}  // namespace gpucoop\n";
}

std::string packed_texts(const std::vector<gpucoop::RulesText>& texts) {
  std::vector<std::string> parts;
  for (const auto& file : texts) {
    parts.push_back(file.name);
    parts.push_back(file.text);
  }
  gpucoop::packed::Packer packer;
  packer(parts);
  return packer.take();
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
  out << source(gpucoop::write_archive(rules.value()), packed_texts(texts));
  out.close();
  if (!out) {
    fmt::print(stderr, "{}: cannot be written\n", argv[1]);
    return static_cast<int>(gpucoop::ExitCode::cannot_create);
  }
  return 0;
}
