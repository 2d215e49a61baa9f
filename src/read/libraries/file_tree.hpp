#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/known.hpp"
#include "read/live/folder.hpp"

namespace gpucoop {

/// A regular file that was found.
struct FoundFile {
  std::string path;                            ///< where it really is, as it can be opened from here
  std::pair<std::uint64_t, std::uint64_t> id;  ///< of its device and inode: the same for all names of one file
};

/// The files below a folder that programs see as `/`: this host's own, or a container's. Links are followed as those
/// programs would follow them, and never lead out of it.
class FileTree {
 public:
  explicit FileTree(std::string root) : root_(std::move(root)) {}

  [[nodiscard]] Folder folder(const std::string& path) const;
  /// The regular file at `path`, through links. Nothing where there is none or it may not be read.
  [[nodiscard]] std::optional<FoundFile> file(const std::string& path) const;
  /// What the file at `path` holds, through links, under the rules of `Folder::bytes`.
  [[nodiscard]] Known<std::string> bytes(const std::string& path, std::size_t most) const;

 private:
  /// Where `path` ends when its last part is no link any more.
  [[nodiscard]] std::optional<std::pair<Folder, std::string>> follow(std::string path) const;

  std::string root_;
};

}  // namespace gpucoop
