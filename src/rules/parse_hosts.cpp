#include <algorithm>
#include <utility>

#include "rules/parser.hpp"

namespace gpucoop::rules_file {

namespace {

/// `NAME=value`, as an environment holds it; no value has a blank.
bool is_setting(std::string_view text) {
  const auto equal = text.find('=');
  if (equal == 0 || equal == std::string_view::npos || equal + 1 == text.size()) return false;
  const auto in_name = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  const auto name = text.substr(0, equal);
  return std::all_of(name.begin(), name.end(), in_name) && (name[0] < '0' || name[0] > '9') &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

/// Programs are found and loaded by these: rules say how a library works, not which one it is.
bool chooses_code(std::string_view setting) {
  const auto name = setting.substr(0, setting.find('='));
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  return name.substr(0, 3) == "LD_" || has("PLUGIN") || has("PATH") || has("PRELOAD") || has("FILE");
}

}  // namespace

void Parser::device(Entry& e) {
  DeviceRule r;
  r.kind = word_of<DeviceKind>(e, "kind", DeviceKind::chip);
  const auto number = [&e](std::string_view key) { return e.integer(key, 0, 0xffff); };
  r.vendor = static_cast<std::uint16_t>(e.required_integer("vendor", 0, 0xffff));
  if (e.has("device")) {
    if (e.has("first_device") || e.has("last_device")) {
      e.fail_at("device", "'device' stands alone, a range is 'first_device' and 'last_device'");
    }
    r.first_device = r.last_device = static_cast<std::uint16_t>(*number("device"));
  } else {
    r.first_device = static_cast<std::uint16_t>(number("first_device").value_or(0));
    r.last_device = static_cast<std::uint16_t>(number("last_device").value_or(0xffff));
  }
  if (r.first_device > r.last_device) e.fail_at("last_device", "the range of devices is empty");
  r.title = e.text("title");
  e.rename("device '" + r.title + "'");
  for (auto& [text, origin] : e.texts("name_contains")) r.name_contains.push_back(std::move(text));
  r.gfx = e.text_or_empty("gfx");
  r.compute_capability = e.number("compute_capability", 1, 99);
  r.fabric = e.boolean("fabric");
  const bool told = !r.gfx.empty() || r.compute_capability || r.fabric;
  if (told != (r.kind == DeviceKind::chip)) {
    e.fail_at("kind", "a chip, and nothing else, has 'gfx', 'compute_capability' or 'fabric'");
  }
  r.source = e.text("source");
  e.finish();
  catalogue_.rules.devices.push_back(std::move(r));
}

void Parser::log_cause(Entry& e) {
  LogCause r;
  r.id = id(e, "log-cause");
  for (auto& [text, origin] : e.texts("patterns")) {
    if (text.find_first_not_of("* ") == std::string::npos) {
      fail(origin, e.title() + ": the pattern '" + text + "' fits every line");
    }
    r.patterns.push_back(std::move(text));
  }
  if (r.patterns.empty()) e.fail_at("patterns", "a log cause needs 'patterns'");
  r.title = e.text("title");
  r.meaning = e.text("meaning");
  r.next = e.text("next");
  if (const auto fact = e.text_or_empty("sets_fact"); !fact.empty()) {
    const auto value = e.boolean("sets_value");
    if (!value) e.fail_at("sets_fact", "'sets_fact' needs 'sets_value'");
    Condition sets;
    sets.fact = fact;
    sets.value = *value;
    catalogue_.mentions.push_back({Mention::Kind::fact, fact, from_, e.origin("sets_fact"), sets});
    r.sets_fact = fact;
    r.sets_value = *value;
  }
  r.source = e.text("source");
  e.finish();
  catalogue_.rules.log_causes.push_back(std::move(r));
}

void Parser::variant(Entry& e) {
  VariantRule r;
  r.id = id(e, "variant");
  r.title = e.text("title");
  const std::vector<std::string> known = {"nccl", "rccl", "oneccl", "host"};
  for (auto& [text, origin] : e.texts("libraries")) {
    if (std::find(known.begin(), known.end(), text) == known.end()) {
      fail(origin, e.title() + ": unknown library '" + text + "'", "a library is " + alternatives(known));
    }
    r.libraries.push_back(std::move(text));
  }
  if (r.libraries.empty()) e.fail_at("libraries", "a variant needs 'libraries'");
  for (auto& [text, origin] : e.texts("set")) {
    if (!is_setting(text)) {
      fail(origin, e.title() + ": '" + text + "' is no NAME=value without blanks", "for example NCCL_PROTO=Simple");
    }
    if (chooses_code(text)) {
      fail(origin, e.title() + ": '" + text.substr(0, text.find('=')) + "' chooses files or code that is loaded",
           "a variant changes how a library works, not what is loaded");
    }
    r.set.push_back(std::move(text));
  }
  if (r.set.empty()) e.fail_at("set", "a variant needs 'set'");
  r.control = e.boolean("control").value_or(false);
  r.meaning = e.text("meaning");
  r.cost = e.text("cost");
  r.source = e.text("source");
  e.finish();
  catalogue_.rules.variants.push_back(std::move(r));
}

void Parser::holder(Entry& e) {
  HolderRule r;
  r.use = word_of<HolderClass>(e, "use", HolderClass::monitor);
  r.title = e.text("title");
  e.rename("holder '" + r.title + "'");
  for (auto& [text, origin] : e.texts("names")) r.names.push_back(std::move(text));
  if (r.names.empty()) e.fail_at("names", "a holder needs 'names'");
  r.source = e.text("source");
  e.finish();
  catalogue_.rules.holders.push_back(std::move(r));
}

}  // namespace gpucoop::rules_file
