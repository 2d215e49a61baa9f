#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "codeobj/amd_target.hpp"
#include "codeobj/source.hpp"
#include "model/library.hpp"

namespace gpucoop::codeobj {

/// Where in which file, for warnings: `librccl.so.1 offset 0x1000`.
struct Place {
  std::string_view file;
  std::uint64_t offset = 0;
};

/// Puts together what is found, target by target, within the bounds of `Library`.
class Collector {
 public:
  explicit Collector(Library& library) : library_(library) {}

  /// One AMD code object at the beginning of `source`. `id` is what its container calls it, where it does.
  void amd_object(Source& source, std::string_view id, Place place);
  void add(Vendor vendor, CodeForm form, const std::string& name, std::uint64_t bytes);
  /// One image for an NVIDIA architecture: instructions, or PTX of an ISA version (`9.0`).
  void nvidia(CodeForm form, unsigned capability, char variant, std::uint64_t bytes, std::string_view ptx_version);

  /// Some of the device code cannot be read: a target that is not listed may still be there.
  void damaged(Place place, std::string_view what);
  void warn(std::string_view code, Place place, std::string_view what);
  void packaged(Packaging packaging);
  /// False after so much damage that going on would not be worth its time.
  [[nodiscard]] bool worth_going_on() const { return damages_ < kMaxDamages; }

  /// Hands the targets over to the library.
  void finish();

 private:
  static constexpr unsigned kMaxDamages = 64;

  /// Nothing where there are more targets than any library has.
  [[nodiscard]] CodeTarget* target(Vendor vendor, CodeForm form, const std::string& name, Place place);

  Library& library_;
  std::map<std::string, CodeTarget, std::less<>> targets_;
  unsigned damages_ = 0;
};

}  // namespace gpucoop::codeobj
