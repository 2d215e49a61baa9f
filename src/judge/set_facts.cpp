#include "judge/set_facts.hpp"

#include <algorithm>
#include <utility>

#include "judge/words.hpp"

namespace gpucoop {

namespace {

/// Each different known text of the GPUs once; `all` where every GPU has one.
struct Texts {
  std::vector<std::string> different;
  bool all = true;
};

Texts texts_of(std::string_view id, const std::vector<Address>& gpus, const FactIndex& facts) {
  Texts texts;
  for (const auto& gpu : gpus) {
    const auto* text = facts.text(id, focus_on(gpu));
    if (text == nullptr) {
      texts.all = false;
    } else {
      add_once(texts.different, *text);
    }
  }
  return texts;
}

Fact about_set(std::string_view id, const std::vector<Address>& gpus) {
  Fact fact;
  fact.id = id;
  fact.subject = {SubjectKind::set, gpus};
  return fact;
}

Fact size(const std::vector<Address>& gpus) {
  auto fact = about_set("set.gpus", gpus);
  fact.value = FactValue(static_cast<double>(gpus.size()));
  fact.evidence = gpus.empty() ? "no GPU that can be used" : "counted: " + list_of(gpus, 16);
  return fact;
}

Fact one_vendor(const std::vector<Address>& gpus, const FactIndex& facts) {
  auto fact = about_set("set.one_vendor", gpus);
  const auto vendors = texts_of("gpu.vendor", gpus, facts);
  fact.value = FactValue(vendors.different.size() <= 1);
  fact.evidence = "PCI vendor ids: " + list_of(vendors.different);
  return fact;
}

/// GPUs of one device id are alike, and so are those of one instruction set.
Fact alike(const std::vector<Address>& gpus, const FactIndex& facts) {
  auto fact = about_set("set.alike", gpus);
  const auto devices = texts_of("gpu.device", gpus, facts);
  const auto gfx = texts_of("gpu.gfx", gpus, facts);
  if (gfx.all && gfx.different.size() == 1) {
    fact.value = FactValue(true);
    fact.evidence = "all " + gfx.different.front();
  } else if (devices.all && devices.different.size() <= 1) {
    fact.value = FactValue(true);
    fact.evidence = devices.different.empty() ? "no GPU" : "device ids: " + devices.different.front();
  } else if (devices.different.size() > 1) {
    fact.value = FactValue(false);
    fact.evidence = "device ids: " + list_of(devices.different);
  } else {
    fact.value = Known<FactValue>::unknown(Reason::not_in_input);
    fact.evidence = reason_words(Reason::not_in_input);
  }
  return fact;
}

}  // namespace

std::vector<Fact> facts_of_set(const std::vector<Address>& gpus, const FactIndex& facts) {
  return {size(gpus), one_vendor(gpus, facts), alike(gpus, facts)};
}

const Evaluator& Evaluators::of(const std::vector<Address>& gpus, std::string_view vendor) {
  auto& entry = entries_[gpus];
  if (!entry) {
    entry = std::make_unique<Entry>();
    entry->gpus = gpus;
    entry->vendor = vendor;
    entry->facts = facts_of_set(gpus, facts_);
    for (const auto& fact : entry->facts) facts_.add(fact);
    entry->evaluator = std::make_unique<Evaluator>(facts_, rules_, entry->gpus, entry->vendor);
  }
  return *entry->evaluator;
}

const std::vector<Fact>& Evaluators::facts_of(const std::vector<Address>& gpus) const {
  return entries_.at(gpus)->facts;
}

}  // namespace gpucoop
