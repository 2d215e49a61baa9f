#include "rank/communicators.hpp"

#include <algorithm>

#include "rank/session.hpp"

namespace gpucoop::rank {
namespace {

using runtime::Failure;
using runtime::Outcome;

constexpr std::size_t kMost = 24;

bool same(const wire::Group& a, const wire::Group& b) { return a.name == b.name && a.ranks == b.ranks; }

std::uint64_t id_key(const wire::Group& group, std::uint32_t step) {
  std::uint64_t members = 0;
  for (const unsigned rank : group.ranks) members = members * 67 + rank + 1;
  return board_key("id " + group.name, step, members);
}

}  // namespace

Outcome<collective::Communicator*> Communicators::get(const wire::Group& group, std::uint32_t step,
                                                      runtime::Deadline deadline, bool limited) {
  if (tools_.library == nullptr) return Failure{tools_.no_library_state, tools_.no_library};
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return same(entry.group, group); });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().communicator.get();
  }
  const auto self = std::find(group.ranks.begin(), group.ranks.end(), tools_.rank);
  if (self == group.ranks.end()) return Failure{ProbeState::skipped, "this rank is not in " + group.name};
  const auto index = static_cast<unsigned>(self - group.ranks.begin());
  std::string id;
  if (index == 0) {
    auto made = tools_.library->make_id();
    if (!made.ok()) return made.failure();
    id = made.value();
    if (!tools_.board.give(id_key(group, step), id)) {
      return Failure{ProbeState::failed, "the id of a communicator cannot be handed to the other ranks"};
    }
  } else if (!tools_.board.take(id_key(group, step), id, deadline)) {
    return Failure{ProbeState::hung, "rank " + std::to_string(group.ranks.front()) + " made no id for " + group.name};
  }
  const auto size = static_cast<unsigned>(group.ranks.size());
  auto& library = *tools_.library;
  auto joined = limited ? library.join(device_, id, size, index, deadline)
                        : library.join_unlimited(device_, id, size, index, deadline);
  if (!joined.ok()) return joined.failure();
  entries_.push_front({group, std::move(joined).value()});
  if (entries_.size() > kMost) entries_.pop_back();
  return entries_.front().communicator.get();
}

void Communicators::forget(const wire::Group& group) {
  entries_.remove_if([&](const Entry& entry) { return same(entry.group, group); });
}

}  // namespace gpucoop::rank
