#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "options.hpp"
#include "temporary_file.hpp"

namespace gpucoop {

/// Where the answer goes: standard output or the file of `-o`. A file appears under its name only when it is
/// whole: until then it is a temporary file beside it, removed if nothing comes of it.
class Output {
 public:
  /// Done before long work, so that a path that cannot be written is known early. `cannot_create` where the file
  /// exists and may not be replaced, or its folder does not let one be made.
  [[nodiscard]] static Result<Output> open(const OutputOptions& options);

  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  ~Output();

  /// Writes `bytes` and puts the file in its place. Call once.
  [[nodiscard]] Status finish(std::string_view bytes);

 private:
  Output() = default;

  int fd_ = 1;
  std::string name_;         ///< the file's final path; empty for standard output
  TemporaryFile temporary_;  ///< none where `fd_` is the output itself
  bool overwrite_ = false;
};

}  // namespace gpucoop
