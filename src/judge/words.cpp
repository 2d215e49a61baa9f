#include "judge/words.hpp"

#include <fmt/core.h>

#include <cmath>

namespace gpucoop {

std::string fill(std::string_view text, const Fill& values) {
  std::string filled;
  while (!text.empty()) {
    const auto open = text.find('{');
    filled += text.substr(0, open);
    if (open == std::string_view::npos) break;
    text.remove_prefix(open);
    const auto close = text.find('}');
    const auto name = close == std::string_view::npos ? std::string_view() : text.substr(1, close - 1);
    const std::string* value = nullptr;
    for (const auto& [key, filling] : values) {
      if (!name.empty() && key == name) value = &filling;
    }
    if (value == nullptr) {
      filled += text.substr(0, 1);
      text.remove_prefix(1);
    } else {
      filled += *value;
      text.remove_prefix(close + 1);
    }
  }
  return filled;
}

std::string list_of(const std::vector<std::string>& items, std::size_t most) {
  const bool cut = items.size() > most;
  const std::size_t shown = cut ? most - 1 : items.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == shown && !cut ? " and " : ", ";
    text += items[i];
  }
  if (cut) text += fmt::format(" and {} more", items.size() - shown);
  return text;
}

std::string list_of(const std::vector<Address>& items, std::size_t most) {
  std::vector<std::string> texts;
  texts.reserve(items.size());
  for (const auto& a : items) texts.push_back(short_form(a));
  return list_of(texts, most);
}

std::string how_many(const std::vector<Address>& gpus) {
  if (gpus.empty()) return "no GPU";
  if (gpus.size() == 1) return "only one GPU (" + list_of(gpus) + ")";
  return fmt::format("{} GPUs ({})", gpus.size(), list_of(gpus));
}

std::string_view vendor_name(std::string_view vendor) {
  if (vendor == "amd") return "AMD";
  if (vendor == "nvidia") return "NVIDIA";
  if (vendor == "intel") return "Intel";
  return {};
}

std::string reason_words(Reason reason) {
  switch (reason) {
    case Reason::not_in_input: return "what was read does not say";
    case Reason::no_root: return "it can only be read as root";
    case Reason::not_printed: return "the lspci that made the input does not print it";
    case Reason::truncated: return "the input ends in the middle of it";
    case Reason::damaged: return "what was read is damaged there";
    case Reason::device_lost: return "the device does not answer";
    case Reason::vm: return "a virtual machine does not see the real bridges";
    case Reason::asleep: return "the device is asleep";
    case Reason::timeout: return "reading it took too long";
    case Reason::hidden_by_container: return "the container hides it";
    case Reason::disagreement: return "two sources disagree about it";
    case Reason::not_probed: return "nobody has tried it";
    case Reason::not_inspected: return "nobody has looked into the library";
    case Reason::not_derivable: return "something that it follows from is not known";
  }
  return "what was read does not say";
}

std::string value_words(const FactValue& value) {
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "yes" : "no";
  if (const auto* d = std::get_if<double>(&value)) {
    return std::abs(*d) >= 999.5 ? fmt::format("{:.0f}", *d) : fmt::format("{:.3g}", *d);
  }
  return std::get<std::string>(value);
}

std::string inside_sentence(std::string text) {
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (text.size() > 1 && upper(text[0]) && !upper(text[1]) && (text[1] == ' ' || (text[1] >= 'a' && text[1] <= 'z'))) {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}

}  // namespace gpucoop
