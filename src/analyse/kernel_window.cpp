#include "analyse/kernel_window.hpp"

#include <charconv>
#include <optional>

namespace gpucoop {
namespace {

struct Release {
  int major = 0;
  int minor = 0;
  int patch = 0;
  std::string_view rest;
};

std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<Release> parse(std::string_view text) {
  Release release;
  const auto major = take_number(text);
  if (!major || !take(text, ".")) return std::nullopt;
  const auto minor = take_number(text);
  if (!minor) return std::nullopt;
  release.major = *major;
  release.minor = *minor;
  if (take(text, ".")) {
    const auto patch = take_number(text);
    if (!patch) return std::nullopt;
    release.patch = *patch;
  }
  release.rest = text;
  return release;
}

bool in_mainline_window(const Release& r) {
  if (r.major != 7) return false;
  if (r.minor == 1 || r.minor == 2) return true;
  if (r.minor != 3 || r.patch != 0) return false;
  auto rest = r.rest;
  if (!take(rest, "-rc")) return false;
  const auto candidate = take_number(rest);
  return candidate && *candidate < 6;
}

bool is_ubuntu_window(const Release& r) {
  if (r.major != 6 || r.minor != 8 || r.patch != 0) return false;
  auto rest = r.rest;
  if (!take(rest, "-")) return false;
  const auto abi = take_number(rest);
  return abi && *abi >= 135;
}

}  // namespace

bool refuses_hidden_root_port(std::string_view release) {
  const auto r = parse(release);
  if (!r) return false;
  if (in_mainline_window(*r) || is_ubuntu_window(*r)) return true;
  if (r->major != 6) return false;
  if (r->minor == 12) return r->patch >= 91 && r->patch < 113;
  return r->minor == 1 && r->patch >= 175 && r->patch < 191;
}

}  // namespace gpucoop
