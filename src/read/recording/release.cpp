#include "read/recording/release.hpp"

#include <algorithm>
#include <array>

#include "read/recording/form.hpp"
#include "read/text.hpp"

namespace gpucoop::recording_file {
namespace {

/// Words of kernels that are built for many: distributions, clouds, architectures, flavours.
constexpr auto kWords = std::to_array<std::string_view>(
    {"generic",  "lowlatency", "hwe",      "oem",     "edge",   "amd64",   "arm64",    "x86",        "i686",
     "aarch64",  "cloud",      "server",   "desktop", "rt",     "preempt", "default",  "lts",        "zen",
     "hardened", "arch",       "manjaro",  "cachyos", "bore",   "xanmod",  "liquorix", "tkg",        "gentoo",
     "dist",     "deb",        "bpo",      "debian",  "ubuntu", "pve",     "truenas",  "production", "unraid",
     "nixos",    "el",         "fc",       "amzn",    "azl",    "cm",      "ol",       "uek",        "el8uek",
     "azure",    "aws",        "gcp",      "gke",     "kvm",    "oracle",  "ibm",      "nvidia",     "tegra",
     "64k",      "microsoft",  "standard", "WSL",     "raspi",  "rpi",     "v8",       "stable",     "mainline",
     "git",      "longterm",   "next",     "dirty",   "clear",  "native",  "synology", "slackware",  "void",
     "xcp",      "esos"});

/// Letters at the start of a word: `deb` of `deb13`.
std::string_view letters_of(std::string_view word) {
  std::size_t n = 0;
  while (n < word.size() && is_alpha(word[n])) ++n;
  return word.substr(0, n);
}

/// A number, with letters behind it where it is a version's (`45`, `1ubuntu2`, `0rc3`), or a known word with a number.
bool is_public(std::string_view word) {
  constexpr std::size_t kMost = 8;
  if (word.empty()) return true;
  if (word.size() > 16) return false;
  const auto known = [](std::string_view w) { return std::find(kWords.begin(), kWords.end(), w) != kWords.end(); };
  if (known(word)) return true;
  std::size_t digits = 0;
  while (digits < word.size() && is_digit(word[digits])) ++digits;
  if (digits > kMost) return false;
  if (digits > 0) {
    const auto rest = word.substr(digits);
    return rest.empty() || rest == "k" || (rest.size() > 1 && is_public(rest));
  }
  const auto letters = letters_of(word);
  const auto rest = word.substr(letters.size());
  const bool number = rest.size() <= kMost && std::all_of(rest.begin(), rest.end(), is_digit);
  return number && (known(letters) || letters == "rc" || letters == "beta" || letters == "v");
}

std::string admitted_words(std::string_view text, std::size_t most) {
  if (text.empty() || !is_digit(text[0])) return {};
  text = text.substr(0, most);
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto next = std::min(text.find_first_of(".+~_-", at), text.size());
    const auto word = text.substr(at, next - at);
    if (!std::all_of(word.begin(), word.end(), [](char c) { return is_alpha(c) || is_digit(c); })) break;
    if (!is_public(word)) break;
    if (!word.empty()) end = next;
    at = next + 1;
  }
  std::string result(text.substr(0, end));
  // A trailing `+` is the kernel's own mark of a changed source.
  if (end + 1 == text.size() && text[end] == '+') result += '+';
  return result;
}

}  // namespace

std::string admitted_release(std::string_view text) {
  constexpr std::size_t kMost = 64;
  return admitted_words(text, kMost);
}

std::string admitted_version(std::string_view text) {
  constexpr std::size_t kMost = 40;
  auto version = admitted_words(text, kMost);
  return is_identity(version) ? std::string() : version;
}

}  // namespace gpucoop::recording_file
