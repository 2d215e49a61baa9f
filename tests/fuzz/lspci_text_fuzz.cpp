// The reader of lspci text, with all that may stand around it.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "read/lspci/lspci.hpp"

namespace {

using namespace gpucoop;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const PciDevice& d) {
  require(!d.places.empty());
  require(d.address.device < 32 && d.address.function < 8);
  require(d.resizable_bars.size() <= 6 && d.bars.size() <= 6 && d.modules.size() <= 16);
  for (const auto& bar : d.bars) require(bar.index < 6);
  const auto* e = d.express.get();
  if (e == nullptr) return;
  for (const auto* speed : {&e->speed, &e->max_speed, &e->target_speed}) {
    if (speed->is_known()) require(gigatransfers(speed->value()) >= 2.5);
  }
  if (e->width.is_known()) require(e->width.is(0) || is_link_width(e->width.value()));
  if (e->max_width.is_known()) require(is_link_width(e->max_width.value()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Rules rules = [] {
    Rules r;
    LogCause cause;
    cause.id = "no-atomics";
    cause.patterns = {"PCIE atomic ops is not supported", "limited by * link at"};
    r.log_causes.push_back(cause);
    return r;
  }();
  const auto parts = read_lspci_text("f", {reinterpret_cast<const char*>(data), size}, rules);
  if (!parts) return 0;
  require(!parts.value().empty());
  for (const auto& part : parts.value()) {
    require(part.sources.size() == 1);
    // One warning a kind, however long the input is.
    require(part.warnings.size() <= 32);
    for (const auto& d : part.devices) check(d);
  }
  return 0;
}
