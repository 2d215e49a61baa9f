#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "render/diff.hpp"
#include "render/diff_words.hpp"
#include "render/words.hpp"

namespace gpucoop {
namespace {

constexpr std::string_view kTo = " → ";

std::string side_name(const DiffSide& side) {
  const std::string file = side.file == "-" ? "standard input" : side.file.empty() ? "this host" : side.file;
  switch (side.simulated) {
    case DiffSide::Simulated::no: return file + " (" + words::count(side.gpus, "GPU") + ")";
    case DiffSide::Simulated::faults: return file + " (" + words::count(side.gpus, "GPU") + ", faults injected)";
    case DiffSide::Simulated::devices: return file + " (" + words::count(side.gpus, "simulated device") + ")";
  }
  return file;
}

Style style_of(const VerdictChange& change) {
  if (!change.after) return Style::plain;
  return words::style(change.after->state, change.after->expected);
}

void put_verdicts(Page& page, const char* heading, const std::vector<VerdictChange>& changes, bool verbose) {
  if (changes.empty()) return;
  page.blank();
  page.heading(heading);
  const auto sets = [&] {
    std::set<std::vector<Address>> all;
    for (const auto& change : changes) all.insert(change.after_set.empty() ? change.before_set : change.after_set);
    return all.size();
  }();
  for (const auto& change : changes) {
    auto text = change.id + ": " + words::outcome(change.before) + std::string(kTo) + words::outcome(change.after);
    if (sets > 1) text += " (" + words::list(change.after_set.empty() ? change.before_set : change.after_set, 4) + ")";
    page.paragraph(2, text, style_of(change), 2);
    if (verbose && change.after && !change.after->why.empty()) page.paragraph(4, change.after->why, Style::dim, 0);
  }
}

/// One line of the hardware or of what is known: who, and what about it.
struct Entry {
  std::string who;
  std::string what;
};

void put_entries(Page& page, const char* heading, const std::vector<Entry>& entries) {
  if (entries.empty()) return;
  page.blank();
  page.heading(heading);
  for (const auto& entry : entries) page.paragraph(2, entry.who + ": " + entry.what, Style::plain, 2);
}

std::string pair_name(const PairChange& pair) { return short_form(pair.after_a) + " and " + short_form(pair.after_b); }

/// What the lines about cards, pairs and host say already, so that no fact says it again.
class Told {
 public:
  explicit Told(const Diff& diff) {
    for (const auto& gpu : diff.gpus) {
      for (const auto& change : gpu.changes) {
        if (gpu.after) add(change.what, {*gpu.after});
      }
      sizes_ = sizes_ || !gpu.before || !gpu.after;
    }
    for (const auto& pair : diff.pairs) {
      for (const auto& change : pair.changes) {
        add(change.what, {pair.after_a, pair.after_b});
        add(change.what, {pair.after_b, pair.after_a});
      }
    }
    for (const auto& change : diff.host) add(change.what, {});
  }
  [[nodiscard]] bool has(const FactChange& fact) const {
    return (sizes_ && fact.value.what == "set.gpus") || told_.count({fact.value.what, fact.after.of}) != 0;
  }

 private:
  void add(const std::string& what, const std::vector<Address>& of) {
    const auto insert = [&](const char* id) { told_.insert({id, of}); };
    told_.insert({what, of});
    if (what == "atomics.state") insert("atomics.path");
    if (what == "atomics.state") insert("atomics.driver");
    if (what == "link.rate") insert("link.state");
    if (what == "link.rate") insert("path.cpu_attached");
    if (what == "host.iommu") insert("iommu.translating");
    if (what == "gpu.driver") insert("gpu.driver_usable");
  }

  std::set<std::pair<std::string, std::vector<Address>>> told_;
  bool sizes_ = false;
};

struct FactLine {
  std::string text;
  std::vector<std::string> about;
};

std::string subject_name(const Subject& subject) {
  if (subject.of.empty()) return "the host";
  std::string text;
  for (const auto& address : subject.of) {
    if (!text.empty()) text += subject.kind == SubjectKind::pair ? " to " : "+";
    text += short_form(address);
  }
  return text;
}

std::string told(const ValueChange& change) {
  switch (change.kind) {
    case ChangeKind::now_known: return change.what + " now known: " + words::value(change.after);
    case ChangeKind::no_longer_known: return change.what + " no longer known, was " + words::value(change.before);
    case ChangeKind::changed: break;
  }
  return change.what + ": " + words::value(change.before) + std::string(kTo) + words::value(change.after);
}

void put_facts(Page& page, const Diff& diff, bool decisive, const char* heading) {
  const Told already(diff);
  std::vector<FactLine> lines;
  std::map<std::string, std::size_t> places;
  for (const auto& fact : diff.facts) {
    if (fact.decides != decisive || (decisive && already.has(fact))) continue;
    auto text = told(fact.value);
    const auto [place, added] = places.emplace(text, lines.size());
    if (added) lines.push_back({std::move(text), {}});
    lines[place->second].about.push_back(subject_name(fact.after));
  }
  if (lines.empty()) return;
  page.blank();
  page.heading(heading);
  for (const auto& line : lines)
    page.paragraph(2, line.text + " (" + words::list(line.about, 4) + ")", Style::plain, 2);
}

}  // namespace

std::string render_diff_text(const Diff& diff, const TextOptions& options) {
  Page page(options.columns, options.color);
  if (diff.before.simulated == DiffSide::Simulated::devices) {
    page.paragraph(0, "Simulated devices: nothing here is about a GPU.");
  }
  page.paragraph(0, "From " + side_name(diff.before) + " to " + side_name(diff.after) +
                        (diff.empty() ? ": nothing differs." : ":"));
  put_verdicts(page, "Modes", diff.modes, options.verbose);
  put_verdicts(page, "Engines", diff.engines, options.verbose);
  std::vector<Entry> real;
  std::vector<Entry> known;
  const auto add = [](std::vector<Entry>& to, const std::string& who, std::string what) {
    if (!what.empty()) to.push_back({who, std::move(what)});
  };
  for (const auto& gpu : diff.gpus) {
    add(real, words::card(gpu), words::card_changes(gpu));
    add(known, words::card(gpu), words::known_changes(gpu.changes));
  }
  for (const auto& pair : diff.pairs) {
    add(real, pair_name(pair), words::real_changes(pair.changes));
    add(known, pair_name(pair), words::known_changes(pair.changes));
  }
  add(real, "host", words::real_changes(diff.host));
  add(known, "host", words::known_changes(diff.host));
  put_entries(page, "Hardware", real);
  put_facts(page, diff, true, "Facts that a mode rests on");
  put_entries(page, "Known before or after only", known);
  if (options.verbose) put_facts(page, diff, false, "Other facts");
  return page.take();
}

}  // namespace gpucoop
