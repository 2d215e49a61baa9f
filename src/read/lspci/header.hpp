#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/pci.hpp"

namespace gpucoop {

/// What stands before the class on a device line: `01:00.0`, `0000:01:00.0`, the paths of `lspci -PP`
/// (`00:01.0/01:00.0/02:00.0`) and `-P` (`00:01.0/00.0/00.0`), with an IOMMU group before it or not.
struct HeaderStart {
  std::optional<Address> address;  ///< nullopt for a -P path, whose buses only the bridges above know
  std::optional<Address> parent;   ///< -PP: the last bridge before the device
  std::string_view path;           ///< the whole path where there is more than one component, else empty
  std::string_view short_parent;   ///< -P: the path of the bridge above
  std::uint8_t device = 0;         ///< -P: of the last component
  std::uint8_t function = 0;
  std::optional<std::uint32_t> iommu_group;
  std::string_view rest;  ///< from the class on
};

/// The start of a device line: an address and then something that lspci prints there. A kernel message, a sentence or
/// a line of another tool that begins with an address is none.
[[nodiscard]] std::optional<HeaderStart> parse_header_start(std::string_view text);

/// True for a device line whose address is lost: a class name of lspci and a device name at the left margin.
[[nodiscard]] bool is_header_without_address(std::string_view text);

/// True where `next` continues a device line that a mailer has broken. `joined` is the line so far, `last_columns` the
/// length of its last part, `flowed` whether that ended in a blank, `apart` whether an empty line stands between.
[[nodiscard]] bool continues_header(std::string_view joined, std::size_t last_columns, bool flowed, bool apart,
                                    std::string_view next);

/// Takes class, names, ids and revision from a device line after its address into `device`.
/// True where the revision reads ff: the device does not answer.
bool read_header_rest(std::string_view rest, PciDevice& device);

/// The ids in the last `[vvvv:dddd]` of `text`, and where that begins.
struct IdsInText {
  std::uint16_t vendor = 0;
  std::uint16_t device = 0;
  std::size_t begin = 0;
};
[[nodiscard]] std::optional<IdsInText> last_ids(std::string_view text);

}  // namespace gpucoop
