#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace gpucoop {

/// What an input is, by its content.
enum class InputKind : std::uint8_t { text, hwloc_xml, nccl_xml, recording };

/// Looks at the content alone, past a byte order mark, white space, comments and prose. Fails with `bad_input` for
/// what no reader can read: nothing, binary data, UTF-16, another kind of XML. `name` is for the message.
[[nodiscard]] Result<InputKind> detect(const std::string& name, std::string_view bytes);

}  // namespace gpucoop
