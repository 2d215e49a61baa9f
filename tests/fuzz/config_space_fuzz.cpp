// The configuration-space decoder. An input that starts with `R` is raw bytes, as a live reading gives them; any
// other is text whose lines are tried as hex rows.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "read/config/config_space.hpp"
#include "read/config/decode.hpp"
#include "read/config/hex_row.hpp"

namespace {

using namespace gpucoop;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_link(const PciExpress& e) {
  for (const auto* speed : {&e.speed, &e.max_speed, &e.target_speed}) {
    if (speed->is_known()) require(gigatransfers(speed->value()) >= 2.5);
  }
  if (e.width.is_known()) require(e.width.is(0) || is_link_width(e.width.value()));
  if (e.max_width.is_known()) require(is_link_width(e.max_width.value()));
  if (e.version.is(1)) require(e.atomic_routing.is_absent() && e.atomic_requester_enable.is_absent());
  if (e.type.is(PortType::integrated_endpoint)) require(e.speed.is_absent() && e.width.is_absent());
}

void check(const ConfigSpace& space) {
  require(space.extent() <= ConfigSpace::kSize);
  for (std::size_t at = space.extent(); at < ConfigSpace::kSize; ++at) require(!space.u8(at));
  PciDevice device;
  decode_config(space, device);
  if (const auto* e = device.express.get()) check_link(*e);
  if (device.header_type.is_known()) require(device.header_type.value() <= 2);
  require(device.bars.size() <= 6);
  require(device.resizable_bars.size() <= 6);
  for (const auto& bar : device.bars) require(bar.index < 6);
  for (const auto& bar : device.resizable_bars) require(bar.index < 6);
  if (device.lost) require(device.vendor_id.is_unknown() && device.express.is_unknown());
  if (space.extent() <= 0x100) require(!device.acs.is_known() && !device.aer.is_known());
}

void read_rows(std::string_view text, ConfigSpace& space) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    if (const auto row = parse_hex_row(line)) {
      require(row->offset <= 0xff0 && row->offset % 16 == 0);
      require(row->state != HexRow::State::bad_offset || row->present == 0);
      require(row->state != HexRow::State::repaired || row->present == 0xffff);
      space.add(*row);
      for (std::size_t i = 0; i < row->bytes.size(); ++i) {
        const auto byte = space.u8(row->offset + i);
        if (byte && (row->present >> i & 1) != 0) require(*byte == row->bytes[i]);
      }
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static ConfigSpace space;
  space.clear();
  if (size > 0 && data[0] == 'R') {
    space.assign(std::span(data + 1, size - 1));
  } else {
    read_rows({reinterpret_cast<const char*>(data), size}, space);
  }
  check(space);
  return 0;
}
