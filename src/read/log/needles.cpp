#include "read/log/needles.hpp"

#include <algorithm>

namespace gpucoop {
namespace {

/// Small enough for the first-level cache. Pairs that share an entry only make a shift shorter.
constexpr std::size_t kEntries = 4096;

/// The entry of the last two characters of a window of `text` that ends before `end`.
std::size_t pair_at(std::string_view text, std::size_t end) {
  const std::size_t a = static_cast<unsigned char>(text[end - 2]);
  const std::size_t b = static_cast<unsigned char>(text[end - 1]);
  return ((a << 5) ^ b) % kEntries;
}

}  // namespace

Needles::Needles(std::vector<std::string_view> needles) : needles_(std::move(needles)) {
  window_ = 255;
  bool any = false;
  for (const std::string_view n : needles_) {
    if (n.size() < 2) continue;
    window_ = std::min(window_, n.size());
    any = true;
  }
  if (!any) {
    window_ = 0;
    return;
  }
  shift_.assign(kEntries, static_cast<std::uint8_t>(window_ - 1));
  first_.assign(kEntries, 0);
  next_.assign(needles_.size(), 0);
  for (std::size_t i = needles_.size(); i-- > 0;) {
    if (needles_[i].size() < 2 || i >= 0xffff) continue;
    for (std::size_t end = 2; end <= window_; ++end) {
      std::uint8_t& shift = shift_[pair_at(needles_[i], end)];
      shift = std::min(shift, static_cast<std::uint8_t>(window_ - end));
    }
    std::uint16_t& first = first_[pair_at(needles_[i], window_)];
    next_[i] = first;
    first = static_cast<std::uint16_t>(i + 1);
  }
}

std::size_t Needles::find(std::string_view text, std::size_t& from) const {
  if (window_ == 0) return npos;
  std::size_t end = from + window_;
  while (end <= text.size()) {
    const std::size_t pair = pair_at(text, end);
    const std::size_t shift = shift_[pair];
    if (shift != 0) {
      end += shift;
      continue;
    }
    const std::size_t begin = end - window_;
    for (std::size_t i = first_[pair]; i != 0; i = next_[i - 1]) {
      if (text.compare(begin, needles_[i - 1].size(), needles_[i - 1]) == 0) {
        from = begin;
        return i - 1;
      }
    }
    ++end;
  }
  return npos;
}

}  // namespace gpucoop
