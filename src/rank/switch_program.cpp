#include "rank/switch_program.hpp"

#include <algorithm>

namespace gpucoop::rank {
namespace {

std::string kind_of(const std::string& name) { return name.substr(0, name.find_last_not_of("0123456789") + 1); }

bool has(const wire::Group& group, unsigned rank) {
  return std::find(group.ranks.begin(), group.ranks.end(), rank) != group.ranks.end();
}

/// The index of the group of a kind that a rank is in; groups of one rank have nothing to do.
std::optional<unsigned> group_of(const wire::Step& step, const std::string& kind, unsigned rank) {
  for (unsigned i = 0; i < step.groups.size(); ++i) {
    const auto& group = step.groups[i];
    if (kind_of(group.name) == kind && group.ranks.size() > 1 && has(group, rank)) return i;
  }
  return std::nullopt;
}

/// Builds the places of one rank.
class Program {
 public:
  Program(const wire::Step& step, unsigned rank, std::uint64_t elements)
      : step_(step), rank_(rank), elements_(elements) {}

  void all_reduce(const std::string& kind, std::uint64_t count) {
    if (auto* const op = add(kind, Collective::all_reduce)) op->count = std::max<std::uint64_t>(1, count);
  }
  void all_gather(const std::string& kind, std::uint64_t count) {
    if (auto* const op = add(kind, Collective::all_gather)) op->count = std::max<std::uint64_t>(1, count);
  }
  /// Blocks by what each member holds.
  template <class Held>
  void with_blocks(const std::string& kind, Collective collective, const Held& held) {
    auto* const op = add(kind, collective);
    if (op == nullptr) return;
    for (const unsigned member : step_.groups[op->group].ranks) op->counts.push_back(held(member));
  }

  /// Elements of the tokens of the replica that a rank belongs to: half as many in every other one.
  [[nodiscard]] std::uint64_t tokens(unsigned rank) const {
    std::uint64_t replicas = 0;
    std::uint64_t own = rank;
    for (const auto& group : step_.groups) {
      if (kind_of(group.name) != "tp") continue;
      if (has(group, rank)) own = replicas;
      ++replicas;
    }
    const std::uint64_t each = std::max<std::uint64_t>(1, elements_ / std::max<std::uint64_t>(1, replicas));
    return own % 2 == 0 ? each : each / 2 + 1;
  }
  /// What of them one rank of the tensor-parallel group holds where the sequence is cut.
  [[nodiscard]] std::uint64_t share(unsigned rank) const {
    const auto group = group_of(step_, "tp", rank);
    const std::uint64_t ranks = group ? step_.groups[*group].ranks.size() : 1;
    return (tokens(rank) + ranks - 1) / ranks;
  }

  std::vector<SwitchOp> ops;

 private:
  SwitchOp* add(const std::string& kind, Collective collective) {
    ops.emplace_back();
    const auto group = group_of(step_, kind, rank_);
    if (!group) return nullptr;
    auto& op = ops.back();
    op.idle = false;
    op.group = *group;
    op.collective = collective;
    return &op;
  }

  const wire::Step& step_;
  unsigned rank_;
  std::uint64_t elements_;
};

/// Router logits are a small part of what the hidden states are.
std::uint64_t router(std::uint64_t hidden) { return hidden / 16 + 1; }

}  // namespace

std::optional<std::vector<SwitchOp>> switch_program(const wire::Step& step, unsigned rank, std::uint64_t elements) {
  Program program(step, rank, elements);
  const auto tokens = [&](unsigned member) { return program.tokens(member); };
  const auto share = [&](unsigned member) { return program.share(member); };
  if (step.sequence.empty() || step.sequence == "alternate") {
    std::vector<std::string> kinds;
    for (const auto& group : step.groups) {
      const auto kind = kind_of(group.name);
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    }
    for (const auto& kind : kinds) program.all_reduce(kind, elements);
  } else if (step.sequence == "moe-dp") {
    program.all_reduce("tp", tokens(rank));
    program.with_blocks("dp", Collective::all_gather_v, tokens);
    program.with_blocks("dp", Collective::all_gather_v, [&](unsigned member) { return router(tokens(member)); });
    program.with_blocks("dp", Collective::reduce_scatter_v, tokens);
    program.all_reduce("tp", tokens(rank));
  } else if (step.sequence == "moe-ep") {
    program.all_reduce("tp", tokens(rank));
    program.with_blocks("ep", Collective::all_gather_v, share);
    program.with_blocks("ep", Collective::all_gather_v, [&](unsigned member) { return router(share(member)); });
    program.with_blocks("ep", Collective::reduce_scatter_v, share);
    program.all_gather("tp", share(rank));
  } else {
    return std::nullopt;
  }
  return program.ops;
}

Job switch_job(const wire::Step& step, const SwitchOp& op, unsigned rank, std::uint32_t place, std::uint32_t round,
               collective::DataType type) {
  const auto& ranks = step.groups[op.group].ranks;
  Job job;
  job.collective = op.collective;
  job.type = type;
  job.size = static_cast<unsigned>(ranks.size());
  job.rank = static_cast<unsigned>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
  job.count = op.count;
  job.counts = op.counts;
  job.seed = static_cast<std::uint32_t>(step.seed) + place * 101 + op.group;
  job.round = round;
  return job;
}

}  // namespace gpucoop::rank
