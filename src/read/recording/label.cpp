#include "read/recording/label.hpp"

#include <algorithm>
#include <array>

#include "read/recording/form.hpp"
#include "read/text.hpp"

namespace gpucoop::recording_file {
namespace {

constexpr std::size_t kMost = 64;

/// In lower case.
constexpr auto kWords = std::to_array<std::string_view>(
    {"pci",      "pcie",      "pciex",  "pciexp",  "pciexpress", "express",     "slot",    "slots",      "cpu",
     "pch",      "peg",       "agp",    "isa",     "mini",       "hyper",       "oculink", "ocp",        "nic",
     "mezz",     "mezzanine", "riser",  "gpu",     "gfx",        "vga",         "igd",     "video",      "display",
     "graphics", "nvme",      "ssd",    "sata",    "sas",        "raid",        "usb",     "lan",        "wlan",
     "wifi",     "ethernet",  "audio",  "sound",   "onboard",    "on",          "board",   "integrated", "embedded",
     "internal", "external",  "front",  "rear",    "top",        "bottom",      "left",    "right",      "middle",
     "center",   "upper",     "lower",  "primary", "secondary",  "main",        "bay",     "drive",      "device",
     "port",     "connector", "socket", "key",     "gen",        "chassis",     "system",  "controller", "adapter",
     "storage",  "network",   "card",   "switch",  "chipset",    "thunderbolt", "tbt",     "bmc",        "node",
     "module",   "sxm",       "oam",    "edsff",   "flexible",   "flexiblelom", "lom",     "standard",   "host"});

/// Letters in a row: a known word, or so few that they are a designator (`J`, `M2`, `DC`).
bool is_word(std::string_view letters) {
  constexpr std::size_t kDesignator = 2;
  if (letters.size() <= kDesignator) return true;
  std::string low;
  for (const char c : letters) low += to_lower(c);
  if (std::find(kWords.begin(), kWords.end(), low) != kWords.end()) return true;
  // `PCIEX`, `SLOTA`
  low.pop_back();
  return std::find(kWords.begin(), kWords.end(), low) != kWords.end();
}

bool is_label_word(std::string_view word) {
  constexpr std::size_t kMostDigits = 4;
  if (is_identity(word)) return false;
  std::size_t all_digits = 0;
  while (!word.empty()) {
    std::size_t letters = 0;
    while (letters < word.size() && is_alpha(word[letters])) ++letters;
    std::size_t digits = 0;
    while (digits < word.size() && is_digit(word[digits])) ++digits;
    all_digits += digits;
    if (!is_word(word.substr(0, letters)) || digits > kMostDigits) return false;
    const bool other = letters == 0 && digits == 0;
    if (other && std::string_view("_-./()#:+&,").find(word[0]) == std::string_view::npos) return false;
    word.remove_prefix(std::max<std::size_t>(letters + digits, 1));
  }
  constexpr std::size_t kMostOfAll = 6;
  return all_digits <= kMostOfAll;
}

}  // namespace

std::string admitted_label(std::string_view text) {
  std::string result;
  text = text.substr(0, 4 * kMost);
  while (!text.empty()) {
    std::size_t n = 0;
    while (n < text.size() && text[n] > ' ' && text[n] <= '~') ++n;
    const auto word = text.substr(0, n);
    text.remove_prefix(std::max<std::size_t>(n, 1));
    if (word.empty() || !is_label_word(word)) continue;
    if (result.size() + 1 + word.size() > kMost) break;
    if (!result.empty()) result += ' ';
    result += word;
  }
  return result;
}

}  // namespace gpucoop::recording_file
