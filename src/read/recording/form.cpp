#include "read/recording/form.hpp"

#include <algorithm>
#include <array>

#include "base/address.hpp"
#include "read/libraries/names.hpp"
#include "read/recording/label.hpp"
#include "read/recording/parameters.hpp"
#include "read/recording/probe_words.hpp"
#include "read/recording/release.hpp"
#include "read/text.hpp"

namespace gpucoop::recording_file {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool consists_of(std::string_view s, std::string_view others) {
  return std::all_of(s.begin(), s.end(),
                     [&](char c) { return is_alpha(c) || is_digit(c) || others.find(c) != std::string_view::npos; });
}

/// The text where it is at most `most` letters, digits and `others`.
std::string word(std::string_view s, std::size_t most, std::string_view others) {
  return s.size() <= most && consists_of(s, others) && !is_identity(s) ? std::string(s) : std::string();
}

template <std::size_t N>
std::string one_of(std::string_view s, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), s) != words.end() ? std::string(s) : std::string();
}

/// The words of a text that tell nothing apart, one blank between them. Characters that are not printable ASCII are
/// blanks. `strict`: words with many digits are left out too.
std::string words(std::string_view s, std::size_t most, bool strict, std::string_view instead) {
  constexpr std::ptrdiff_t kDigitsOfType = 5;
  std::string result;
  bool gap = false;
  s = s.substr(0, 4 * most);
  while (!s.empty()) {
    std::size_t n = 0;
    while (n < s.size() && s[n] > ' ' && s[n] <= '~') ++n;
    const auto w = s.substr(0, n);
    s.remove_prefix(std::max<std::size_t>(n, 1));
    if (w.empty()) continue;
    const bool many = strict && std::count_if(w.begin(), w.end(), is_digit) > kDigitsOfType;
    const bool out = many || is_identity(w) || w.find('\\') != std::string_view::npos;
    if (out && (gap || instead.empty())) continue;
    const auto shown = out ? instead : w;
    if (result.size() + 1 + shown.size() > most) break;
    if (!result.empty()) result += ' ';
    result += shown;
    gap = shown == instead;
  }
  return result;
}

std::string node_path(std::string_view s) {
  for (const std::string_view whole :
       {"/dev/kfd", "/dev/dxg", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-modeset"}) {
    if (s == whole) return std::string(s);
  }
  for (const std::string_view prefix : {"/dev/dri/renderD", "/dev/dri/card", "/dev/nvidia", "/dev/accel/accel",
                                        "/dev/nvidia-caps-imex-channels/channel"}) {
    if (!starts_with(s, prefix)) continue;
    const auto number = s.substr(prefix.size());
    constexpr std::size_t kMost = 7;
    const bool digits = number.find_first_not_of(kDigits) == std::string_view::npos;
    if (!number.empty() && number.size() <= kMost && digits) return std::string(s);
  }
  return {};
}

/// `\_SB_.PCI0.GPP0`: names of four capitals, digits and `_`.
std::string acpi_path(std::string_view s) {
  if (s.size() < 2 || s.size() > 128 || s[0] != '\\') return {};
  std::size_t in_name = 0;
  for (const char c : s.substr(1)) {
    const bool capital = (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
    if (c != '.' && !capital) return {};
    in_name = c == '.' ? 0 : in_name + 1;
    if (in_name > 4) return {};
  }
  return std::string(s);
}

/// `2026-11-30T06:44:55Z`
std::string time(std::string_view s) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00Z";
  if (s.size() != kShape.size()) return {};
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (kShape[i] == '0' ? !is_digit(s[i]) : s[i] != kShape[i]) return {};
  }
  return std::string(s);
}

/// `5c9f8e0d1b2a3746`
std::string hexadecimal(std::string_view s, std::size_t digits) {
  const bool hex = s.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return s.size() == digits && hex ? std::string(s) : std::string();
}

std::string library_file(std::string_view s) {
  constexpr std::size_t kMost = 40;
  return s.size() <= kMost && is_library_name(s) ? std::string(s) : std::string();
}

/// A processor as compilers name it, then the features that it must have. Lower case, and digits where a name has some.
std::string code_target(std::string_view s) {
  constexpr std::size_t kMost = 40;
  if (s.size() > kMost) return {};
  if (s == "amdgcnspirv" || s == "spirv") return std::string(s);
  auto rest = s;
  for (const std::string_view prefix : {"gfx", "sm_", "compute_"}) {
    if (starts_with(s, prefix)) rest = s.substr(prefix.size());
  }
  if (rest.size() == s.size() || rest.empty() || !is_digit(rest.front())) return {};
  for (const std::string_view feature : {":xnack+", ":xnack-", ":sramecc+", ":sramecc-", ":xnack+", ":xnack-"}) {
    if (rest.size() > feature.size() && rest.substr(rest.size() - feature.size()) == feature) {
      rest.remove_suffix(feature.size());
    }
  }
  constexpr std::string_view kGeneric = "-generic";
  if (rest.size() > kGeneric.size() && rest.substr(rest.size() - kGeneric.size()) == kGeneric) {
    rest.remove_suffix(kGeneric.size());
  }
  constexpr std::size_t kLongest = 6;
  return rest.size() <= kLongest && rest.find_first_not_of("0123456789abcdef-") == std::string_view::npos
             ? std::string(s)
             : std::string();
}

/// `input.truncated`, `amdgpu-no-atomics`
std::string code(std::string_view s) {
  const bool lower = s.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") == std::string_view::npos;
  return !s.empty() && s.size() <= 64 && lower && is_alpha(s[0]) && !is_identity(s) ? std::string(s) : std::string();
}

}  // namespace

std::string admitted(Form form, std::string_view text) {
  switch (form) {
    case Form::driver: return word(text, 40, "_-");
    case Form::release: return admitted_release(text);
    case Form::parameters: return recorded_parameters(text);
    case Form::board: return words(text, 160, true, "");
    case Form::title: return words(text, 200, false, "");
    case Form::label: return admitted_label(text);
    case Form::cpu_vendor: return word(text, 24, "");
    case Form::container:
      return one_of<7>(text, {"docker", "podman", "lxc", "systemd-nspawn", "kubernetes", "rkt", "container"});
    case Form::node_path: return node_path(text);
    case Form::node_group: return one_of<3>(text, {"render", "video", "root"});
    case Form::acpi_path: return acpi_path(text);
    case Form::runtime_status:
      return one_of<6>(text, {"active", "suspended", "suspending", "resuming", "error", "unsupported"});
    case Form::power_state: return one_of<7>(text, {"D0", "D1", "D2", "D3hot", "D3cold", "unknown", "error"});
    case Form::version: return admitted_version(text);
    case Form::time: return time(text);
    case Form::code: return code(text);
    case Form::register_name: return words(text, 64, true, "");
    case Form::register_value: return words(text, 64, true, "...");
    case Form::message: return words(text, 400, false, "...");
    case Form::where: return parse_address(text) ? std::string(text) : std::string();
    case Form::probe_words: return admitted_probe_words(text);
    case Form::fact_id: return admitted_fact_id(text);
    case Form::fact_reference: return admitted_fact_reference(text);
    case Form::fingerprint: return hexadecimal(text, 16);
    case Form::library_file: return library_file(text);
    case Form::library_owner: return one_of<3>(text, {"RCCL", "NCCL", "oneCCL"});
    case Form::sha256: return hexadecimal(text, 64);
    case Form::code_target: return code_target(text);
    case Form::log_line: return words(text, 300, false, "...");
    case Form::plain:
    case Form::hex2:
    case Form::hex4:
    case Form::hex8:
    case Form::lanes: break;
  }
  return {};
}

std::string_view pattern_of(Form form) {
  switch (form) {
    case Form::hex2: return "^[0-9a-f]{2}$";
    case Form::hex4: return "^[0-9a-f]{4}$";
    case Form::hex8: return "^[0-9a-f]{8}$";
    case Form::driver: return "^[A-Za-z0-9_-]{1,40}$";
    case Form::release: return "^[0-9][0-9A-Za-z.+~_-]{0,63}$";
    case Form::parameters: return "^[A-Za-z0-9_.,:;=@ -]{1,1024}$";
    case Form::board: return "^[!-~][ -~]{0,159}$";
    case Form::title: return "^[!-~][ -~]{0,199}$";
    case Form::label: return "^[!-~][ -~]{0,63}$";
    case Form::cpu_vendor: return "^[A-Za-z0-9]{1,24}$";
    case Form::container: return "^(docker|podman|lxc|systemd-nspawn|kubernetes|rkt|container)$";
    case Form::node_path:
      return "^/dev/(kfd|dxg|nvidiactl|nvidia-uvm|nvidia-modeset|(dri/renderD|dri/card|nvidia|accel/"
             "accel|nvidia-caps-imex-channels/channel)[0-9]{1,7})$";
    case Form::node_group: return "^(render|video|root)$";
    case Form::acpi_path: return "^\\\\[A-Z0-9_.]{1,127}$";
    case Form::runtime_status: return "^(active|suspended|suspending|resuming|error|unsupported)$";
    case Form::power_state: return "^(D0|D1|D2|D3hot|D3cold|unknown|error)$";
    case Form::version: return "^[0-9][0-9A-Za-z.+~_-]{0,39}$";
    case Form::time: return "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$";
    case Form::code: return "^[a-z][a-z0-9.-]{0,63}$";
    case Form::register_name:
    case Form::register_value: return "^[!-~][ -~]{0,63}$";
    case Form::message: return "^[!-~][ -~]{0,399}$";
    case Form::where: return "^[0-9a-f]{4,8}:[0-9a-f]{2}:[01][0-9a-f]\\.[0-7]$";
    case Form::probe_words: return "^[A-Za-z0-9_.=/:+,-][A-Za-z0-9_.=/:+, -]{0,63}$";
    case Form::fact_id: return "^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+$";
    case Form::fact_reference: return "^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+(@[0-9a-f:.,]+)?$";
    case Form::fingerprint: return "^[0-9a-f]{16}$";
    case Form::library_file: return "^lib[a-z]+([_-][a-z]+)?\\.so(\\.[0-9]+)*$";
    case Form::library_owner: return "^(RCCL|NCCL|oneCCL)$";
    case Form::sha256: return "^[0-9a-f]{64}$";
    case Form::code_target:
      return "^(spirv|amdgcnspirv|(gfx|sm_|compute_)[0-9][0-9a-f-]{0,5}(-generic)?(:(sramecc|xnack)[+-]){0,2})$";
    case Form::log_line: return "^[!-~][ -~]{0,299}$";
    case Form::plain:
    case Form::lanes: break;
  }
  return {};
}

}  // namespace gpucoop::recording_file
