#include "read/libraries/file_tree.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace gpucoop {

Folder FileTree::folder(const std::string& path) const {
  return root_ == "/" ? Folder::open(path) : Folder::open_below(root_, "." + path);
}

std::optional<std::pair<Folder, std::string>> FileTree::follow(std::string path) const {
  constexpr unsigned kMostLinks = 40;  // as Linux
  constexpr std::size_t kLongest = 4096;
  for (unsigned links = 0; links <= kMostLinks && !path.empty() && path.size() < kLongest; ++links) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos || slash + 1 == path.size()) return std::nullopt;
    auto name = path.substr(slash + 1);
    auto above = path.substr(0, slash + 1);
    auto inside = folder(above);
    if (!inside.ok()) return std::nullopt;
    const auto target = inside.link(name.c_str());
    if (!target.is_known()) return std::pair(std::move(inside), std::move(name));
    path = target.value().rfind('/', 0) == 0 ? target.value() : above + target.value();
  }
  return std::nullopt;
}

std::optional<FoundFile> FileTree::file(const std::string& path) const {
  const auto end = follow(path);
  if (!end) return std::nullopt;
  const auto opened = end->first.file(end->second.c_str());
  struct stat status {};
  if (!opened || ::fstat(opened.get(), &status) != 0) return std::nullopt;
  std::array<char, 4096> real{};
  const auto link = "/proc/self/fd/" + std::to_string(opened.get());
  const auto length = ::readlink(link.c_str(), real.data(), real.size());
  if (length <= 0 || static_cast<std::size_t>(length) == real.size()) return std::nullopt;
  return FoundFile{std::string(real.data(), static_cast<std::size_t>(length)),
                   {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)}};
}

Known<std::string> FileTree::bytes(const std::string& path, std::size_t most) const {
  const auto end = follow(path);
  return end ? end->first.bytes(end->second.c_str(), most) : Known<std::string>::absent();
}

}  // namespace gpucoop
