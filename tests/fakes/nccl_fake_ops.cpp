// Collectives in shared memory.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "nccl_fake.hpp"

namespace fake::nccl {

namespace {

float from_half(std::uint16_t h) {
  const int exponent = (h >> 10U) & 31;
  const float fraction = static_cast<float>(h & 1023U);
  const float size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (h & 0x8000U) != 0 ? -size : size;
}

std::uint16_t to_half(float value) {
  const std::uint16_t sign = value < 0 ? 0x8000U : 0;
  const float size = std::fabs(value);
  if (size == 0) return sign;
  int exponent = 0;
  const float fraction = std::frexp(size, &exponent);
  if (exponent > 16) return static_cast<std::uint16_t>(sign | 0x7C00U);
  const auto bits = static_cast<unsigned>(std::nearbyint(std::ldexp(fraction, 11)));
  return static_cast<std::uint16_t>(sign + (static_cast<unsigned>(exponent + 13) << 10U) + bits);
}

float from_bfloat(std::uint16_t b) {
  const std::uint32_t bits = static_cast<std::uint32_t>(b) << 16U;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

std::uint16_t to_bfloat(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

template <class T>
T combine(T a, T b, int op) {
  switch (op) {
    case 1: return static_cast<T>(a * b);
    case 2: return std::max(a, b);
    case 3: return std::min(a, b);
    default: return static_cast<T>(a + b);
  }
}

template <class Raw, class T, class From, class To>
void reduce_as(unsigned char* to, Communicator& c, std::size_t bytes, int op, From from, To back) {
  for (std::size_t i = 0; i < bytes / sizeof(Raw); ++i) {
    T value{};
    for (int r = 0; r < c.size; ++r) {
      Raw raw;
      std::memcpy(&raw, c.shared->slots[r] + i * sizeof raw, sizeof raw);
      value = r == 0 ? from(raw) : combine<T>(value, from(raw), op);
    }
    if (op == 4) value = static_cast<T>(value / static_cast<T>(c.size));
    const Raw raw = back(value);
    std::memcpy(to + i * sizeof raw, &raw, sizeof raw);
  }
}

template <class T>
void reduce_plain(unsigned char* to, Communicator& c, std::size_t bytes, int op) {
  reduce_as<T, T>(
      to, c, bytes, op, [](T v) { return v; }, [](T v) { return v; });
}

const unsigned char* bytes_at(const void* start, std::size_t offset) {
  return static_cast<const unsigned char*>(start) + offset;
}
unsigned char* bytes_at(void* start, std::size_t offset) { return static_cast<unsigned char*>(start) + offset; }

/// Piece by piece: all write theirs, all come together, `take` uses them, and all come together again.
template <class Write, class Take>
void by_pieces(Communicator& c, std::size_t bytes, Write write, Take take) {
  for (std::size_t offset = 0; offset < bytes; offset += kSlot) {
    const std::size_t piece = std::min(kSlot, bytes - offset);
    write(offset, piece);
    if (!meet(c)) return;
    take(offset, piece);
    if (!meet(c)) return;
  }
}

void spoil(Communicator& c, void* receive, std::size_t bytes) {
  const bool wrong = told("wrong-data", c.rank) || (told("wrong-large", c.rank) && bytes >= kSlot);
  if (wrong && receive != nullptr && bytes > 0) bytes_at(receive, bytes / 2)[0] ^= 0x10U;
}

}  // namespace

std::size_t size_of(int type) {
  constexpr std::size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return type >= 0 && type < 10 ? sizes[type] : 0;
}

bool meet(Communicator& c) {
  Shared& s = *c.shared;
  const std::uint32_t turn = s.turn.load();
  if (s.arrived.fetch_add(1) + 1 == c.size) {
    s.arrived = 0;
    ++s.turn;
    return true;
  }
  for (unsigned i = 0; s.turn.load() == turn; ++i) {
    if (c.given_up) return false;
    if (i < 2000)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

void reduce_into(unsigned char* to, Communicator& c, std::size_t bytes, int type, int op) {
  switch (type) {
    case 0: return reduce_plain<std::int8_t>(to, c, bytes, op);
    case 1: return reduce_plain<std::uint8_t>(to, c, bytes, op);
    case 2: return reduce_plain<std::int32_t>(to, c, bytes, op);
    case 3: return reduce_plain<std::uint32_t>(to, c, bytes, op);
    case 4: return reduce_plain<std::int64_t>(to, c, bytes, op);
    case 5: return reduce_plain<std::uint64_t>(to, c, bytes, op);
    case 6: return reduce_as<std::uint16_t, float>(to, c, bytes, op, from_half, to_half);
    case 7: return reduce_plain<float>(to, c, bytes, op);
    case 8: return reduce_plain<double>(to, c, bytes, op);
    case 9: return reduce_as<std::uint16_t, float>(to, c, bytes, op, from_bfloat, to_bfloat);
    default: return;
  }
}

void all_reduce(Communicator& c, const void* send, void* receive, std::size_t count, int type, int op, int root) {
  const std::size_t bytes = count * size_of(type);
  by_pieces(
      c, bytes,
      [&](std::size_t offset, std::size_t piece) {
        std::memcpy(c.shared->slots[c.rank], bytes_at(send, offset), piece);
      },
      [&](std::size_t offset, std::size_t piece) {
        if (root < 0 || root == c.rank) reduce_into(bytes_at(receive, offset), c, piece, type, op);
      });
  if (root < 0 || root == c.rank) spoil(c, receive, bytes);
  if (bytes >= 128 * kSlot && told("slow-largest", c.rank)) std::this_thread::sleep_for(std::chrono::seconds(2));
}

void broadcast(Communicator& c, const void* send, void* receive, std::size_t count, int type, int root) {
  const std::size_t bytes = count * size_of(type);
  by_pieces(
      c, bytes,
      [&](std::size_t offset, std::size_t piece) {
        if (c.rank == root) std::memcpy(c.shared->slots[root], bytes_at(send, offset), piece);
      },
      [&](std::size_t offset, std::size_t piece) {
        std::memmove(bytes_at(receive, offset), c.shared->slots[root], piece);
      });
  spoil(c, receive, bytes);
}

void all_gather(Communicator& c, const void* send, void* receive, std::size_t count, int type) {
  const std::size_t bytes = count * size_of(type);
  by_pieces(
      c, bytes,
      [&](std::size_t offset, std::size_t piece) {
        std::memcpy(c.shared->slots[c.rank], bytes_at(send, offset), piece);
      },
      [&](std::size_t offset, std::size_t piece) {
        for (int r = 0; r < c.size; ++r)
          std::memcpy(bytes_at(receive, static_cast<std::size_t>(r) * bytes + offset), c.shared->slots[r], piece);
      });
  spoil(c, receive, bytes);
}

void reduce_scatter(Communicator& c, const void* send, void* receive, std::size_t count, int type, int op) {
  const std::size_t bytes = count * size_of(type);
  for (int target = 0; target < c.size; ++target)
    by_pieces(
        c, bytes,
        [&](std::size_t offset, std::size_t piece) {
          std::memcpy(c.shared->slots[c.rank], bytes_at(send, static_cast<std::size_t>(target) * bytes + offset),
                      piece);
        },
        [&](std::size_t offset, std::size_t piece) {
          if (c.rank == target) reduce_into(bytes_at(receive, offset), c, piece, type, op);
        });
  spoil(c, receive, bytes);
}

void exchange(Communicator& c, std::vector<Letter> letters) {
  struct Going {
    Letter letter;
    std::size_t done = 0;
  };
  std::vector<Going> all;
  for (const Letter& letter : letters) all.push_back({letter, 0});
  for (bool open = true; open && !c.given_up;) {
    open = false;
    std::vector<std::pair<bool, int>> busy;  // letters of one direction and peer go in order
    for (Going& g : all) {
      if (g.done == g.letter.bytes) continue;
      open = true;
      const std::pair<bool, int> way{g.letter.sending, g.letter.peer};
      if (std::find(busy.begin(), busy.end(), way) != busy.end()) continue;
      busy.push_back(way);
      Mailbox& mail = g.letter.sending ? c.shared->mail[c.rank][g.letter.peer] : c.shared->mail[g.letter.peer][c.rank];
      if (g.letter.sending && mail.full.load() == 0) {
        mail.bytes = static_cast<std::uint32_t>(std::min(kMail, g.letter.bytes - g.done));
        std::memcpy(mail.data, g.letter.at + g.done, mail.bytes);
        g.done += mail.bytes;
        mail.full = 1;
      } else if (!g.letter.sending && mail.full.load() == 1) {
        const std::size_t piece = std::min<std::size_t>(mail.bytes, g.letter.bytes - g.done);
        std::memcpy(g.letter.at + g.done, mail.data, piece);
        g.done += piece;
        mail.full = 0;
      }
    }
    std::this_thread::yield();
  }
  for (const Letter& letter : letters)
    if (!letter.sending) spoil(c, letter.at, letter.bytes);
}

}  // namespace fake::nccl
