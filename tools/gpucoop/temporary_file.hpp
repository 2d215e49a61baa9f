#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace gpucoop {

/// A file that is made beside the one it is going to be. It is removed with its owner, and when the program is
/// interrupted, unless it has got its name. One at a time.
class TemporaryFile {
 public:
  TemporaryFile() = default;
  /// In the folder of `path`, with mode 0644 less the umask, never through a link. Check with `fd`, else `errno`.
  [[nodiscard]] static TemporaryFile beside(const std::string& path);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;
  ~TemporaryFile();

  [[nodiscard]] int fd() const { return fd_; }

  /// Puts what was written under `path`, on disk first. Without `overwrite` a file that is there, since whenever, is
  /// kept. 0 or the `errno`, which is EEXIST for that.
  [[nodiscard]] int become(const std::string& path, bool overwrite);

 private:
  void drop();

  int fd_ = -1;
  std::string path_;
};

}  // namespace gpucoop
