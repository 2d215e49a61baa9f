#include "codeobj/identity.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace gpucoop::codeobj {
namespace {

constexpr std::size_t kMaxVersion = 64;

struct VersionText {
  std::string_view before;
  std::string_view of;
};
// `NCCL version 2.28.9+cuda13.0`, `RCCL version 2.18.3+hip6.0`, `RCCL version : 2.27.7-HEAD:…`, `Gold-2022.2.0 2026-…`.
constexpr std::array kTexts{VersionText{"RCCL version ", "RCCL"}, VersionText{"NCCL version ", "NCCL"},
                            VersionText{"Gold-20", "oneCCL"}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The version that begins `text`: digits, dots, and what is appended without a space. Empty where there is none.
std::string version_in(std::string_view text) {
  if (text.starts_with(": ")) text.remove_prefix(2);
  if (text.empty() || !is_digit(text.front())) return {};
  const auto end = std::ranges::find_if(text, [](char c) {
    return !(is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '+' || c == '-' ||
             c == '_');
  });
  auto version = std::string(text.begin(), end);
  if (version.find('.') == std::string::npos || version.size() >= kMaxVersion) return {};
  return version;
}

void read_version_in(Source& file, std::uint64_t from, std::uint64_t to, Library& library) {
  std::array<std::string_view, kTexts.size()> words;
  std::ranges::transform(kTexts, words.begin(), &VersionText::before);
  // Messages about versions begin in the same way, so it is not always the first.
  constexpr int kTries = 1000;
  auto at = find_first(file, from, to, words);
  for (int i = 0; at && i < kTries; ++i, at = find_first(file, *at + 1, to, words)) {
    const auto bytes = piece(file, *at, std::min<std::uint64_t>(kMaxVersion + 32, to - *at));
    if (!bytes) return;
    const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    const auto of = std::ranges::find_if(kTexts, [&](const VersionText& v) { return text.starts_with(v.before); });
    if (of == kTexts.end()) continue;
    const auto version = version_in(text.substr(of->of == "oneCCL" ? of->before.size() - 2 : of->before.size()));
    if (version.empty()) continue;
    library.version = version;
    library.version_of = of->of;
    return;
  }
}

}  // namespace

LibraryKind library_kind(std::string_view name) {
  name = name.substr(0, name.find(".so"));
  // Python wheels append part of a hash: `libnccl-0a1b2c3d.so.2`.
  constexpr std::size_t kHash = 9;
  if (name.size() > kHash && name[name.size() - kHash] == '-' &&
      name.find_first_not_of("0123456789abcdef", name.size() - kHash + 1) == std::string_view::npos) {
    name.remove_suffix(kHash);
  }
  if (name == "librccl") return LibraryKind::rccl;
  if (name == "libnccl") return LibraryKind::nccl;
  if (name == "libccl") return LibraryKind::oneccl;
  if (name == "libggml-hip") return LibraryKind::ggml_hip;
  if (name == "libggml-cuda") return LibraryKind::ggml_cuda;
  if (name == "libtorch" || name.starts_with("libtorch_")) return LibraryKind::torch;
  return LibraryKind::other;
}

Vendor library_vendor(LibraryKind kind) {
  switch (kind) {
    case LibraryKind::rccl:
    case LibraryKind::ggml_hip: return Vendor::amd;
    case LibraryKind::nccl:
    case LibraryKind::ggml_cuda: return Vendor::nvidia;
    case LibraryKind::oneccl: return Vendor::intel;
    case LibraryKind::torch:
    case LibraryKind::other: break;
  }
  return Vendor::other;
}

void read_version(Source& file, const std::vector<ElfSection>& sections, Library& library) {
  if (sections.empty()) {
    read_version_in(file, 0, file.size(), library);
    return;
  }
  for (const auto& s : sections) {
    if (!s.name.starts_with(".rodata") || s.type == kSectionNoBits || !within(s.offset, s.size, file.size())) continue;
    read_version_in(file, s.offset, s.offset + s.size, library);
    if (library.version.is_known()) return;
  }
}

std::vector<std::string> plugins_beside(const std::string& path, LibraryKind kind) {
  constexpr std::size_t kMaxListed = 20'000;
  constexpr std::size_t kMaxPlugins = 64;
  std::vector<std::string_view> prefixes;
  if (kind == LibraryKind::nccl || kind == LibraryKind::rccl) {
    prefixes = {"libnccl-net", "libnccl-tuner", "libnccl-profiler", "libnccl-env",
                "librccl-net", "librccl-tuner", "librccl-profiler"};
  } else if (kind == LibraryKind::oneccl) {
    prefixes = {"libccl_legacy", "libccl_null"};
  }
  std::vector<std::string> found;
  if (prefixes.empty()) return found;
  namespace fs = std::filesystem;
  const auto folder = fs::path(path).parent_path();
  std::error_code error;
  std::size_t listed = 0;
  for (fs::directory_iterator it(folder.empty() ? fs::path(".") : folder, error), end;
       !error && it != end && ++listed < kMaxListed; it.increment(error)) {
    const auto name = it->path().filename().string();
    if (name.find(".so") == std::string::npos) continue;
    if (std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); })) {
      found.push_back(name);
    }
  }
  std::ranges::sort(found);
  if (found.size() > kMaxPlugins) found.resize(kMaxPlugins);
  return found;
}

}  // namespace gpucoop::codeobj
