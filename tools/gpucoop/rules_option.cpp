#include "rules_option.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "rules/load.hpp"
#include "streams.hpp"

namespace gpucoop {
namespace {

// The rules that ship with the program are a dozen files of 100 KB at most.
constexpr std::size_t kMostFiles = 256;
constexpr off_t kLargestFile = 4 << 20;
constexpr std::string_view kEnding = ".toml";

Error cannot_open(const std::string& folder, int number) {
  const auto code = number == EACCES ? ExitCode::permission : ExitCode::no_such_input;
  return {code, std::string("cannot be read: ") + std::strerror(number), folder,
          "--rules names a folder with rules files (*.toml)"};
}

/// The rules files of a folder by name, so that two runs read them in one order.
Result<std::vector<std::string>> files_of(const std::string& folder) {
  DIR* open = ::opendir(folder.c_str());
  if (open == nullptr) return cannot_open(folder, errno);
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(open)) {
    const std::string_view name = entry->d_name;
    const bool fits =
        name.size() > kEnding.size() && name.front() != '.' && name.substr(name.size() - kEnding.size()) == kEnding;
    if (fits) names.emplace_back(name);
    if (names.size() > kMostFiles) break;
  }
  ::closedir(open);
  if (names.empty()) {
    return Error{ExitCode::no_such_input, "holds no rules files (*.toml)", folder,
                 "man gpucoop-rules tells what goes into one"};
  }
  if (names.size() > kMostFiles) {
    return Error{ExitCode::bad_input, "holds more than " + std::to_string(kMostFiles) + " rules files", folder, ""};
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::vector<RulesText>> texts_of(const std::string& folder) {
  auto names = files_of(folder);
  if (!names) return names.error();
  std::vector<RulesText> texts;
  for (const auto& name : names.value()) {
    const auto path = folder + (folder.empty() || folder.back() == '/' ? "" : "/") + name;
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return cannot_open(path, errno);
    if (!S_ISREG(status.st_mode))
      return Error{ExitCode::bad_input, "is no regular file", path, "move it out of the folder"};
    if (status.st_size > kLargestFile)
      return Error{ExitCode::bad_input, "is larger than 4 MiB: no rules file", path, ""};
    auto bytes = read_file(path);
    if (!bytes) return bytes.error();
    texts.push_back({path, std::move(bytes).value()});
  }
  return texts;
}

}  // namespace

void add_rules_options(CLI::App& command, RulesOptions& options) {
  command
      .add_option("--rules", options.folder,
                  "Put the rules of DIR/*.toml over the built-in:\nan entry of the same id replaces, others add")
      ->type_name("DIR");
  command.add_flag("--no-builtin-rules", options.no_builtin, "With --rules: only the rules of DIR");
}

Result<std::shared_ptr<const Rules>> load_rules_of(const RulesOptions& options) {
  if (!options.folder) {
    if (options.no_builtin) {
      return Error{ExitCode::usage, "--no-builtin-rules leaves no rules", "", "name others with --rules DIR"};
    }
    // The program's own outlive every user.
    return std::shared_ptr<const Rules>(std::shared_ptr<const Rules>(), &builtin_rules());
  }
  const auto texts = texts_of(*options.folder);
  if (!texts) return texts.error();
  auto rules = load_rules(texts.value(), options.no_builtin ? std::vector<RulesText>() : builtin_rules_texts());
  if (!rules) return rules.error();
  return std::make_shared<const Rules>(std::move(rules).value());
}

}  // namespace gpucoop
