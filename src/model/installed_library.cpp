#include "model/installed_library.hpp"

namespace gpucoop {

std::string_view to_string(FoundBy by) {
  switch (by) {
    case FoundBy::given: return "given";
    case FoundBy::preload: return "preload";
    case FoundBy::environment: return "environment";
    case FoundBy::library_path: return "library-path";
    case FoundBy::loader_cache: return "loader-cache";
    case FoundBy::system_python: return "system-python";
    case FoundBy::system_folder: return "system-folder";
    case FoundBy::vendor_folder: break;
  }
  return "vendor-folder";
}

bool serves(const InstalledLibrary& installed, Vendor vendor) {
  switch (installed.library.kind) {
    case LibraryKind::rccl: return vendor == Vendor::amd;
    case LibraryKind::nccl: return vendor == Vendor::nvidia;
    case LibraryKind::oneccl: return vendor == Vendor::intel;
    default: return installed.found_by == FoundBy::given && installed.library.vendor == vendor;
  }
}

}  // namespace gpucoop
