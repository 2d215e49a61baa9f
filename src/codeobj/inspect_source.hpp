#pragma once

#include <string>

#include "codeobj/inspect.hpp"
#include "codeobj/source.hpp"

namespace gpucoop::codeobj {

/// What `inspect_library` does with the file's bytes; `path` says what it is called and where archives beside it are.
[[nodiscard]] Result<Library> inspect_source(Source& file, const std::string& path, const InspectOptions& options);

}  // namespace gpucoop::codeobj
