#include "read/recording/log_words.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/address.hpp"
#include "read/recording/form.hpp"
#include "read/text.hpp"

namespace gpucoop::recording_file {
namespace {

constexpr std::string_view kGap = "...";

/// Words of the kernel's lines beside those of the patterns.
constexpr std::string_view kVocabulary =
    "pci pcie pcieport amdgpu kfd radeon nvidia NVRM nouveau i915 xe vfio drm iommu DMAR AMD Vi arm smmu GPU Xid RAS "
    "link at capable of with limited by available bandwidth Gb GT MB GB KB ms us s x default domain type set via "
    "kernel "
    "command line Passthrough Translated Lazy strict mode error errors fatal non corrected uncorrected correctable "
    "uncorrectable severity layer Physical Data Link Transaction Layer Receiver Transmitter ID Requester Completer "
    "status mask first received multiple device devices address addr domain flags fault reason not present write read "
    "permission timeout hub gfxhub mmhub vm vmid pasid ring src id IO PAGE FAULT event logged reset recovered failed "
    "succeeded begin source bus bridge slot port root upstream downstream client provider parameter add the this a an "
    "is are was be been has have from to for in on off and or no by it its fallen lost seqno guc job signaled emitted "
    "seq mem pref size range assigned assign space region BAR resize resizing memory compute engine context channel "
    "Graphics Exception ESR warp SM MMU graphics page ecc ECC SRAM DRAM row remapper HBM NVLink fatal error Timeout "
    "waiting RPC GSP response function expected after ats recovery action required process";

/// Names of rings, blocks and functions of drivers begin so.
constexpr auto kBlocks = std::to_array<std::string_view>(
    {"gfx", "sdma", "comp", "vcn", "jpeg", "mes", "kiq",     "uvd",  "vce",   "page", "rcs",  "bcs", "ccs",
     "vcs", "vecs", "gt",   "hub", "GT",   "BAR", "amdgpu_", "kfd_", "i915_", "xe_",  "guc_", "nv_", "drm_"});

bool in_word(char c) { return is_alpha(c) || is_digit(c) || c == '_'; }

/// `12`, `0x1f`, `0b`, `16GT`, `x16`, `744c`
bool is_number(std::string_view w) {
  if (starts_with(w, "0x"))
    return w.size() <= 18 && std::all_of(w.begin() + 2, w.end(), [](char c) { return hex_value(c) >= 0; });
  if (starts_with(w, "x")) w.remove_prefix(1);
  std::size_t digits = 0;
  while (digits < w.size() && is_digit(w[digits])) ++digits;
  const auto unit = w.substr(digits);
  constexpr std::size_t kMost = 9;
  if (digits > 0 && digits <= kMost) {
    for (const std::string_view known : {"", "GT", "Gb", "MB", "GB", "KB", "M", "G", "K", "ms", "us", "s", "bit"}) {
      if (unit == known) return true;
    }
  }
  // Ids and parts of addresses.
  return (w.size() == 2 || w.size() == 4) &&
         std::all_of(w.begin(), w.end(), [](char c) { return hex_value(c) >= 0; }) &&
         std::any_of(w.begin(), w.end(), is_digit);
}

/// `REMOVE_QUEUE`
bool is_constant(std::string_view w) {
  return w.find('_') != std::string_view::npos && w.size() <= 40 &&
         std::all_of(w.begin(), w.end(), [](char c) { return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; });
}

/// `gfx_0`, `sdma0`, `amdgpu_job_timedout`
bool is_block(std::string_view w) {
  for (const auto block : kBlocks) {
    if (!starts_with(w, block)) continue;
    const auto rest = w.substr(block.size());
    if (block.back() == '_') {
      return rest.size() <= 40 && std::all_of(rest.begin(), rest.end(),
                                              [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_'; });
    }
    if (rest.size() <= 8 && rest.find_first_not_of("0123456789_") == std::string_view::npos) return true;
  }
  return false;
}

void add_gap(std::string& to) {
  if (to.size() >= kGap.size() && std::string_view(to).substr(to.size() - kGap.size()) == kGap) return;
  to += kGap;
}

struct Piece {
  std::size_t begin;
  std::size_t end;
};

/// Where the literal parts of a pattern stand, one after the other.
std::optional<std::vector<Piece>> match(std::string_view text, std::string_view pattern) {
  std::vector<Piece> pieces;
  std::size_t from = 0;
  while (!pattern.empty()) {
    const auto literal = next_part(pattern, '*');
    if (literal.empty()) continue;
    const auto at = text.find(literal, from);
    if (at == std::string_view::npos) return std::nullopt;
    pieces.push_back({at, at + literal.size()});
    from = at + literal.size();
  }
  return pieces;
}

}  // namespace

LogWords::LogWords(const Rules& rules) : rules_(&rules) {
  const auto add = [&](std::string_view text) {
    while (!text.empty()) {
      std::size_t n = 0;
      while (n < text.size() && in_word(text[n])) ++n;
      if (n > 0) words_.emplace(text.substr(0, n));
      text.remove_prefix(std::max<std::size_t>(n, 1));
    }
  };
  add(kVocabulary);
  for (const auto& cause : rules.log_causes) {
    for (const auto& pattern : cause.patterns) add(pattern);
  }
}

bool LogWords::is_known(std::string_view word) const {
  return words_.find(word) != words_.end() || is_number(word) || is_constant(word) || is_block(word);
}

void LogWords::add_rest(std::string_view text, std::string& to) const {
  while (!text.empty()) {
    std::size_t length = 0;
    if (parse_address_prefix(text, length)) {
      to += text.substr(0, length);
      text.remove_prefix(length);
      continue;
    }
    // A whole word between blanks first: what is an identity is none of its parts.
    const bool starts = to.empty() || to.back() == ' ';
    const auto blank = std::min(text.find(' '), text.size());
    if (starts && is_identity(text.substr(0, blank))) {
      add_gap(to);
      text.remove_prefix(blank);
      continue;
    }
    std::size_t n = 0;
    while (n < text.size() && in_word(text[n])) ++n;
    if (n == 0) {
      if (text[0] >= ' ' && text[0] <= '~') to += text[0];
      text.remove_prefix(1);
      continue;
    }
    if (is_known(text.substr(0, n))) {
      to += text.substr(0, n);
    } else {
      add_gap(to);
    }
    text.remove_prefix(n);
  }
}

std::string LogWords::rebuilt(std::string_view cause, std::string_view text) const {
  constexpr std::size_t kMost = 300;
  text = text.substr(0, kMost);
  const auto rule = std::find_if(rules_->log_causes.begin(), rules_->log_causes.end(),
                                 [&](const LogCause& c) { return c.id == cause; });
  if (rule == rules_->log_causes.end()) return {};
  for (const auto& pattern : rule->patterns) {
    const auto pieces = match(text, pattern);
    if (!pieces) continue;
    std::string result;
    std::size_t from = 0;
    for (const auto& piece : *pieces) {
      add_rest(text.substr(from, piece.begin - from), result);
      result += text.substr(piece.begin, piece.end - piece.begin);
      from = piece.end;
    }
    add_rest(text.substr(from), result);
    return admitted(Form::log_line, result);
  }
  return {};
}

}  // namespace gpucoop::recording_file
