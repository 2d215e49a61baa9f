#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/known.hpp"

namespace gpucoop {

/// Fills as much of `bytes` as the file has from `offset` on and gives how much that is. What fails is 0.
[[nodiscard]] std::size_t read_at(const Descriptor& file, std::size_t offset, std::span<std::uint8_t> bytes);

/// Whether it is of sysfs or procfs themselves and not of a copy. There a byte may have to be asked of hardware, and
/// what is no folder is a regular file or a link: the kernel makes no pipes and no device nodes in them.
[[nodiscard]] bool is_kernel_made(const Descriptor& descriptor);

/// A folder of sysfs or procfs, or of a copy of one. Nothing in it is ever written, and nothing in it can make reading
/// wait: only regular files are read, without following links, without blocking, and up to a bound.
class Folder {
 public:
  /// `path` and links in it are followed. Check with `ok`.
  [[nodiscard]] static Folder open(const std::string& path);
  /// The folder `path` of a copy whose root folder is `root`. Links on the way, absolute ones and those with `..` too,
  /// are followed as if `root` were `/`, here and in every folder opened from this one (openat2, RESOLVE_IN_ROOT).
  /// Where the kernel has no openat2, a folder that a link leads to outside `root` is refused.
  [[nodiscard]] static Folder open_below(const std::string& root, const std::string& path);
  [[nodiscard]] Folder folder(const std::string& name) const;
  /// As `is_kernel_made`; false for every copy.
  [[nodiscard]] bool kernel_made() const;
  [[nodiscard]] bool ok() const { return static_cast<bool>(folder_); }
  /// Meaningful only where not `ok`: no such folder, and not one that may not be read.
  [[nodiscard]] bool missing() const { return missing_; }

  /// The text of an attribute without blanks and line ends at its end. Absent: there is no such file. Unknown:
  /// `no_root` where it may not be read, `timeout` where reading would wait, `device_lost` where the device behind it
  /// has gone, `damaged` where it is no regular file or empty, `not_in_input` where it has no value now.
  [[nodiscard]] Known<std::string> text(const char* name, std::size_t most = kPage) const;
  /// All of a binary attribute up to a bound, under the same rules, but as it is; it may be empty.
  [[nodiscard]] Known<std::string> bytes(const char* name, std::size_t most) const;
  /// Opens a binary attribute under the same rules. None where that fails.
  [[nodiscard]] Descriptor file(const char* name) const;

  struct Status {
    unsigned mode = 0;
    unsigned group = 0;
    std::uint64_t size = 0;
  };
  /// Permission bits, group and size of what is there, without opening it. Links are not followed. Absent: nothing is
  /// there.
  [[nodiscard]] Known<Status> status(const char* name) const;
  /// Whether the reader has the right to open it for reading and writing; it is not opened.
  [[nodiscard]] bool may_read_and_write(const char* name) const;

  /// Where a link points to, as written. Absent: no such link.
  [[nodiscard]] Known<std::string> link(const char* name) const;
  /// The last part of where a link points to: `amdgpu` of `../../../bus/pci/drivers/amdgpu`.
  [[nodiscard]] Known<std::string> link_name(const char* name) const;

  /// Names in the folder in order. At most 65536, which is beyond any host.
  [[nodiscard]] std::vector<std::string> names() const;

  static constexpr std::size_t kPage = 4096;  ///< no attribute of sysfs is longer

 private:
  struct Confinement;

  static Folder open_at(int base, const std::string& path);
  static Folder open_confined(std::shared_ptr<const Confinement> root, std::string path);
  /// Opens a regular file and nothing else. None and `errno` where that fails.
  [[nodiscard]] Descriptor open_regular(const char* name) const;

  Descriptor folder_;
  std::shared_ptr<const Confinement> root_;  ///< of a copy
  std::string path_;                         ///< below `root_`
  bool missing_ = false;
  mutable std::optional<bool> kernel_made_;  ///< asked when the first file is opened; of a copy never
};

}  // namespace gpucoop
