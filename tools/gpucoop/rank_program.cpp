#include "rank_program.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "trusted_path.hpp"

namespace gpucoop {
namespace {

namespace fs = std::filesystem;

}  // namespace

Result<std::string> find_rank_program() {
  std::error_code error;
  const auto self = fs::read_symlink("/proc/self/exe", error);
  if (error) return Error{ExitCode::internal, "this program does not know where it lies (/proc is missing)", "", ""};
  const auto folder = self.parent_path();
  const fs::path places[] = {folder.parent_path() / GPUCOOP_LIBEXEC / "gpucoop/gpucoop-rank",
                             folder.parent_path() / "gpucoop-rank/gpucoop-rank"};
  for (const auto& place : places) {
    const auto real = fs::canonical(place, error);
    if (error || ::access(real.c_str(), X_OK) != 0) continue;
    fs::path culprit;
    if (is_trusted(real, culprit)) return real.string();
    return Error{ExitCode::permission, "may be changed by others, so that it is not run", culprit.string(),
                 "install gpucoop as root, or take the right to write from group and others"};
  }
  return Error{ExitCode::internal, "gpucoop-rank is missing, the program that does the probing", places[0].string(),
               "install gpucoop whole: `cmake --install BUILD`"};
}

}  // namespace gpucoop
