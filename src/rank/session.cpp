#include "rank/session.hpp"

namespace gpucoop::rank {

std::uint64_t board_key(std::string_view what, std::uint64_t a, std::uint64_t b) {
  // FNV-1a.
  std::uint64_t hash = 0xCBF29CE484222325U;
  const auto add = [&](std::uint64_t byte) { hash = (hash ^ (byte & 0xFFU)) * 0x100000001B3U; };
  for (const char c : what) add(static_cast<unsigned char>(c));
  for (unsigned shift = 0; shift < 64; shift += 8) add(a >> shift);
  for (unsigned shift = 0; shift < 64; shift += 8) add(b >> shift);
  return hash >> 1U;
}

void Session::announce() { tools_.board.give(board_key("device", rank()), device_->info().address); }

runtime::Outcome<runtime::Device*> Session::peer(unsigned rank, runtime::Deadline deadline) {
  if (rank == tools_.rank) return device_.get();
  auto& known = peers_[rank];
  if (known != nullptr) return known.get();
  std::string address;
  if (!tools_.board.take(board_key("device", rank), address, deadline)) {
    return runtime::Failure{ProbeState::hung, "rank " + std::to_string(rank) + " does not say which device it has"};
  }
  auto opened = tools_.runtime.open(address);
  if (!opened.ok()) return opened.failure();
  known = std::move(opened).value();
  return known.get();
}

}  // namespace gpucoop::rank
