#include <utility>

#include "rules/parser.hpp"

namespace gpucoop::rules_file {

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
