#include "runtime/host/host_runtime.hpp"

#include <charconv>
#include <map>
#include <string>
#include <utility>

#include "base/version.hpp"
#include "runtime/host/device.hpp"
#include "wire/arena.hpp"

namespace gpucoop::runtime::host {
namespace {

class HostRuntime final : public Runtime {
 public:
  HostRuntime(wire::Board& board, const wire::ArenaLayout& layout, unsigned rank)
      : board_(board), layout_(layout), rank_(rank) {}

  [[nodiscard]] std::string name() const override { return "host"; }
  [[nodiscard]] std::string version() const override { return kVersion; }

  Outcome<std::vector<DeviceInfo>> devices() override {
    std::vector<DeviceInfo> out;
    for (unsigned i = 0; i < layout_.ranks; ++i) out.push_back(info(i));
    return out;
  }

  Outcome<std::unique_ptr<Device>> open(const std::string& address) override {
    unsigned index = 0;
    const std::string_view digits = std::string_view(address).substr(std::min<std::size_t>(5, address.size()));
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (address.rfind("host:", 0) != 0 || read.ec != std::errc() || read.ptr != digits.data() + digits.size() ||
        index >= layout_.ranks) {
      return Failure{ProbeState::failed, "host backend: there is no device " + address};
    }
    auto& part = parts_[index];
    if (part == nullptr) {
      part = std::make_shared<Part>(layout_.part_offset(index, rank_), layout_.part_bytes(index, rank_));
    }
    return std::unique_ptr<Device>(
        std::make_unique<HostDevice>(info(index), rank_, board_.arena(), board_.arena_bytes(), part));
  }

 private:
  [[nodiscard]] DeviceInfo info(unsigned index) const {
    DeviceInfo out;
    out.address = "host:" + std::to_string(index);
    out.name = "part of this host's memory";
    out.memory_bytes = layout_.part_bytes(index, rank_);
    out.host_atomics = true;
    return out;
  }

  wire::Board& board_;
  wire::ArenaLayout layout_;
  unsigned rank_;
  std::map<unsigned, std::shared_ptr<Part>> parts_;
};

}  // namespace

Result<std::unique_ptr<Runtime>> make_runtime(wire::Board& board, unsigned rank) {
  auto layout = wire::arena_layout(board.arena_bytes(), board.ranks());
  if (!layout.ok()) return layout.error();
  if (rank >= board.ranks()) return Error{ExitCode::internal, "there is no such rank", std::to_string(rank), ""};
  return std::unique_ptr<Runtime>(std::make_unique<HostRuntime>(board, layout.value(), rank));
}

}  // namespace gpucoop::runtime::host
