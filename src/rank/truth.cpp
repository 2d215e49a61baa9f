#include "rank/truth.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "rank/element.hpp"
#include "rank/pattern_bytes.hpp"

namespace gpucoop::rank {
namespace {

using collective::ReduceOp;
using runtime::Pattern;

/// What `from` sends to `to`; to all, where it does not matter.
Pattern moved_pattern(const Job& job, unsigned from, unsigned to) {
  return Pattern{job.seed * 0x9E3779B1U + from * 64 + to + 1, job.round};
}

/// Values that are reduced: a part of the index alone, and a part of the rank, so that the result is known without
/// reckoning over all ranks.
class Values {
 public:
  explicit Values(const Job& job)
      : op_(job.op), size_(job.size), pattern_{job.seed * 0x9E3779B1U, job.round}, spread_(spread(job)) {}

  void sent(const Job& job, std::uint64_t first, std::uint64_t count, std::byte* out) const {
    if (op_ == ReduceOp::sum) return scaled(job.type, first, count, {1, share(job.rank)}, out);
    if (op_ == ReduceOp::avg) return scaled(job.type, first, count, {1, even_share(job.rank)}, out);
    encode_each(job.type, count, out, [&](std::uint64_t i) { return of(job.rank, first + i); });
  }

  void reduced(const Job& job, std::uint64_t first, std::uint64_t count, std::byte* out) const {
    switch (op_) {
      case ReduceOp::sum: return scaled(job.type, first, count, {static_cast<std::int32_t>(size_), shares_}, out);
      case ReduceOp::avg: return scaled(job.type, first, count, {1, 1}, out);
      case ReduceOp::max: return scaled(job.type, first, count, {1, static_cast<std::int32_t>(size_) - 1}, out);
      case ReduceOp::min: return scaled(job.type, first, count, {1, 0}, out);
      case ReduceOp::prod: break;
    }
    encode_each(job.type, count, out, [&](std::uint64_t i) { return 6 * (1 + base(first + i) % 4); });
  }

 private:
  struct Scale {
    std::int32_t times;
    std::int32_t plus;
  };

  /// How many different values the part of the index has: 4096 at most.
  std::uint32_t spread(const Job& job) {
    const std::int64_t limit = largest_integer(job.type);
    for (unsigned rank = 0; rank < size_; ++rank) shares_ += share(rank);
    std::int64_t most = limit - size_;
    if (op_ == ReduceOp::sum) most = (limit - shares_) / size_;
    if (op_ == ReduceOp::avg) most = limit / size_ - 1;
    if (op_ == ReduceOp::sum && most < 1) {
      small_ = true;
      shares_ = 0;
      most = limit / size_;
    }
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(most, 0, 4095)) + 1;
  }
  /// Without a division and within 32 bits, since it is done for every element.
  [[nodiscard]] static std::int32_t within(std::uint32_t spread, std::uint32_t word) {
    return static_cast<std::int32_t>((word >> 16U) * spread >> 16U);
  }
  [[nodiscard]] std::int32_t base(std::uint64_t index) const { return within(spread_, pattern_.word(index)); }
  [[nodiscard]] std::int32_t share(unsigned rank) const { return small_ ? 0 : static_cast<std::int32_t>(rank % 3); }
  /// Of which the mean is 1.
  [[nodiscard]] std::int32_t even_share(unsigned rank) const {
    if (size_ == 1) return 1;
    if (rank == 0) return 0;
    return rank + 1 == size_ ? 2 : 1;
  }

  /// Of the operators for which what a rank sends depends on the index in other ways.
  [[nodiscard]] std::int64_t of(unsigned rank, std::uint64_t index) const {
    const std::int64_t a = base(index);
    if (op_ != ReduceOp::prod) return a + static_cast<std::int64_t>((rank + index) % size_);
    std::int64_t product = 1;
    if (rank == index % size_) product *= 2;
    if (rank == index / size_ % size_) product *= 3;
    if (rank == (index + 1) % size_) product *= 1 + a % 4;
    return product;
  }

  /// The parts of the index, times something and plus something.
  void scaled(collective::DataType type, std::uint64_t first, std::uint64_t count, Scale scale, std::byte* out) const {
    constexpr std::uint64_t kBlock = 1024;
    const std::uint64_t element = collective::bytes_of(type);
    std::array<std::uint32_t, kBlock> words;
    std::array<std::int32_t, kBlock> values;
    for (std::uint64_t done = 0; done < count; done += kBlock) {
      const std::uint64_t now = std::min(kBlock, count - done);
      fill_words(pattern_, first + done, now, words.data());
      // All of them, of which the last ones may be of no use: of a known number compilers make several at once.
      for (std::uint64_t i = 0; i < kBlock; ++i) values[i] = within(spread_, words[i]) * scale.times + scale.plus;
      encode_each(type, now, out + done * element, [&](std::uint64_t i) { return values[i]; });
    }
  }

  ReduceOp op_;
  unsigned size_;
  Pattern pattern_;
  bool small_ = false;
  std::int32_t shares_ = 0;
  std::uint32_t spread_;
};

/// The first index of what this rank gets of a reduction.
std::uint64_t first_index(const Job& job) {
  const bool scatters = job.collective == Collective::reduce_scatter || job.collective == Collective::reduce_scatter_v;
  return scatters ? job.block_offset(job.rank) : 0;
}

}  // namespace

std::string_view to_string(Collective collective) {
  switch (collective) {
    case Collective::all_reduce: return "all_reduce";
    case Collective::reduce: return "reduce";
    case Collective::broadcast: return "broadcast";
    case Collective::all_gather: return "all_gather";
    case Collective::reduce_scatter: return "reduce_scatter";
    case Collective::send_recv: return "send_recv";
    case Collective::all_to_all: return "all_to_all";
    case Collective::all_gather_v: return "all_gather_v";
    case Collective::reduce_scatter_v: return "reduce_scatter_v";
    case Collective::barrier: return "barrier";
  }
  return "?";
}

bool Job::reduces() const {
  switch (collective) {
    case Collective::all_reduce:
    case Collective::reduce:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
    case Collective::barrier: return true;
    default: return false;
  }
}

std::uint64_t Job::block(unsigned of) const { return counts.empty() ? count : counts[of]; }

std::uint64_t Job::block_offset(unsigned of) const {
  if (counts.empty()) return count * of;
  return std::accumulate(counts.begin(), counts.begin() + of, std::uint64_t{0});
}

std::uint64_t Job::sent() const {
  switch (collective) {
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
    case Collective::all_to_all: return block_offset(size);
    case Collective::all_gather_v: return block(rank);
    default: return count;
  }
}

std::uint64_t Job::received() const {
  switch (collective) {
    case Collective::reduce: return rank == root ? count : 0;
    case Collective::all_gather:
    case Collective::all_gather_v:
    case Collective::all_to_all: return block_offset(size);
    case Collective::reduce_scatter_v: return block(rank);
    default: return count;
  }
}

Job job_of(Collective collective, std::uint64_t bytes, collective::DataType type, ReduceOp op, unsigned size,
           unsigned rank, std::uint32_t round) {
  Job job;
  job.collective = collective;
  job.type = type;
  job.op = op;
  job.size = size;
  job.rank = rank;
  job.root = round % size;
  job.round = round;
  const std::uint64_t elements = bytes / collective::bytes_of(type);
  switch (collective) {
    case Collective::barrier: job.count = 1; break;
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::all_to_all: job.count = std::max<std::uint64_t>(1, elements / size); break;
    case Collective::all_gather_v:
    case Collective::reduce_scatter_v: {
      const std::uint64_t most = std::max<std::uint64_t>(1, elements / size);
      for (unsigned i = 0; i < size; ++i) {
        const unsigned kind = (i + round) % 3;
        job.counts.push_back(kind == 0 ? most : kind == 1 ? most / 2 + 1 : 0);
      }
      break;
    }
    default: job.count = std::max<std::uint64_t>(1, elements); break;
  }
  return job;
}

void fill_sent(const Job& job, std::uint64_t first, std::uint64_t count, std::byte* out) {
  const std::uint64_t element = collective::bytes_of(job.type);
  if (job.reduces()) return Values(job).sent(job, first, count, out);
  if (job.collective != Collective::all_to_all) {
    return fill_bytes(moved_pattern(job, job.rank, 0), first * element, count * element, out);
  }
  for (unsigned to = 0; to < job.size; ++to) {
    const std::uint64_t begin = std::max(first, job.block_offset(to));
    const std::uint64_t end = std::min(first + count, job.block_offset(to) + job.block(to));
    if (begin >= end) continue;
    fill_bytes(moved_pattern(job, job.rank, to), (begin - job.block_offset(to)) * element, (end - begin) * element,
               out + (begin - first) * element);
  }
}

void fill_expected(const Job& job, std::uint64_t first, std::uint64_t count, std::byte* out) {
  const std::uint64_t element = collective::bytes_of(job.type);
  if (job.reduces()) return Values(job).reduced(job, first_index(job) + first, count, out);
  if (job.collective == Collective::broadcast) {
    return fill_bytes(moved_pattern(job, job.root, 0), first * element, count * element, out);
  }
  if (job.collective == Collective::send_recv) {
    const unsigned from = (job.rank + job.size - 1) % job.size;
    return fill_bytes(moved_pattern(job, from, 0), first * element, count * element, out);
  }
  const unsigned to = job.collective == Collective::all_to_all ? job.rank : 0;
  for (unsigned from = 0; from < job.size; ++from) {
    const std::uint64_t begin = std::max(first, job.block_offset(from));
    const std::uint64_t end = std::min(first + count, job.block_offset(from) + job.block(from));
    if (begin >= end) continue;
    fill_bytes(moved_pattern(job, from, to), (begin - job.block_offset(from)) * element, (end - begin) * element,
               out + (begin - first) * element);
  }
}

}  // namespace gpucoop::rank
