#include <algorithm>

#include "render/escape.hpp"
#include "render/text_parts.hpp"
#include "render/verdict.hpp"
#include "render/words.hpp"

namespace gpucoop {
namespace {

Style style_of(const RequirementVerdict& verdict) {
  if (verdict.exit_code == ExitCode::ok) return Style::good;
  if (verdict.exit_code == ExitCode::no || verdict.exit_code == ExitCode::hung) return Style::bad;
  return Style::warning;
}

std::string gpus_of(const RequirementVerdict& verdict) {
  if (verdict.set.empty()) return "no GPU";
  return words::count(verdict.set.size(), "GPU") + " (" + words::list(verdict.set, 8) + ")";
}

/// Where each GPU stands in the report's list: what `--gpus` takes.
std::string numbers(const Report& report, const std::vector<Address>& gpus) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < report.topology.gpus.size(); ++i) {
    const Address& a = report.topology.gpus[i].address;
    if (std::find(gpus.begin(), gpus.end(), a) != gpus.end()) texts.push_back(std::to_string(i));
  }
  std::string text;
  for (const auto& t : texts) text += (text.empty() ? "" : ",") + t;
  return text;
}

const std::vector<Address>& whole_of(const Report& report, const std::vector<Address>& part) {
  for (const GpuSet& set : report.judgement.sets) {
    if (std::includes(set.gpus.begin(), set.gpus.end(), part.begin(), part.end())) return set.gpus;
  }
  return part;
}

void put_best(Page& page, const Report& report, const BestSubset& best, const std::string& said) {
  std::string text = text::best_sentence(best, whole_of(report, best.gpus));
  if (!best.why.empty() && best.why != said) text += ": " + best.why;
  page.paragraph(2, words::sentence(text));
  page.paragraph(2, "To judge these alone: --gpus " + numbers(report, best.gpus), Style::dim);
}

void put_answer(Page& page, const Report& report, const RequirementVerdict& verdict,
                const text::FactsByName* evidence) {
  page.paragraph(0, outcome(verdict) + ": " + to_string(verdict.requirement) + " on " + gpus_of(verdict),
                 style_of(verdict), 4);
  if (!verdict.why.empty()) page.paragraph(2, words::sentence(verdict.why));
  if (verdict.best && !verdict.part && verdict.exit_code != ExitCode::ok)
    put_best(page, report, *verdict.best, verdict.why);
  if (evidence != nullptr) text::put_deciding(page, *evidence, verdict.decided_by);
}

/// The remedies of what is not met, those of the first requirement first.
std::vector<const Remedy*> wanted_remedies(const Report& report, const Verdict& verdict) {
  std::vector<const Remedy*> result;
  for (const RequirementVerdict& one : verdict.requirements) {
    if (one.exit_code == ExitCode::ok) continue;
    for (const std::string& id : one.remedies) {
      for (const Remedy& remedy : report.judgement.remedies) {
        if (remedy.id == id && std::find(result.begin(), result.end(), &remedy) == result.end()) {
          result.push_back(&remedy);
        }
      }
    }
  }
  return result;
}

void put_wanted_remedies(Page& page, const Report& report, const Verdict& verdict, bool verbose) {
  const auto remedies = wanted_remedies(report, verdict);
  if (remedies.empty()) return;
  page.blank();
  page.heading("What would change it");
  for (std::size_t i = 0; i < remedies.size(); ++i) {
    if (!verbose && i == text::kRemedies) {
      page.paragraph(2, std::to_string(remedies.size() - i) + " more with --verbose.", Style::dim);
      break;
    }
    text::put_remedy(page, *remedies[i], i + 1);
  }
}

void put_settling(Page& page, const Report& report, const Verdict& verdict) {
  std::vector<Remedy> told;
  for (const Remedy* remedy : wanted_remedies(report, verdict)) told.push_back(*remedy);
  bool headed = false;
  for (const RequirementVerdict& one : verdict.requirements) {
    if (one.state != ModeState::unknown || !one.settled_by.is_known()) continue;
    if (text::says(told, one.settled_by.value())) continue;
    if (!headed) {
      page.blank();
      page.heading("What would prove it");
      headed = true;
    }
    text::put_command(page, to_string(one.requirement), one.settled_by.value());
  }
}

/// What is wrong with the results of probes is no detail: somebody measured, and it does not count.
void put_doubts(Page& page, const Report& report) {
  bool headed = false;
  for (const Warning& warning : report.topology.warnings) {
    if (warning.code.rfind("probe-results.", 0) != 0) continue;
    if (!headed) {
      page.blank();
      page.heading("About the results of probes");
      headed = true;
    }
    page.paragraph(2, words::sentence(warning.text), Style::warning);
  }
}

void put_ways(Page& page, const Report& report, const Verdict& verdict, bool verbose) {
  std::vector<std::string> shown;
  for (const RequirementVerdict& one : verdict.requirements) {
    const std::string key = one.way ? one.way->id : one.requirement.mode;
    if (std::find(shown.begin(), shown.end(), key) != shown.end()) continue;
    shown.push_back(key);
    if (!one.way) {
      if (verbose && one.requirement.engine.empty()) text::put_engines(page, report, one.requirement.mode);
      continue;
    }
    if (one.way->flags.empty() && one.way->advice.empty()) continue;
    page.blank();
    const bool stands = one.state == ModeState::no || one.hung;
    page.paragraph(0, (stands ? "What would start it: " : "How to start it: ") + one.way->title, Style::bold, 2);
    text::put_advice(page, *one.way);
  }
}

void put_list(Page& page, const Report& report) {
  page.blank();
  page.heading("The GPUs, as --gpus counts them");
  for (std::size_t i = 0; i < report.topology.gpus.size(); ++i) {
    const Gpu& gpu = report.topology.gpus[i];
    const std::string note = gpu.compute ? "" : " (only a display)";
    page.item(2, std::to_string(i), Style::bold, 6, short_form(gpu.address) + "  " + words::name(gpu) + note);
  }
}

}  // namespace

std::string render_verdict_text(const Report& report, const Verdict& verdict, const TextOptions& options) {
  Page page(options.columns, options.color);
  const auto facts = options.verbose ? text::by_name(report) : text::FactsByName();
  for (const RequirementVerdict& one : verdict.requirements) {
    put_answer(page, report, one, options.verbose ? &facts : nullptr);
  }
  put_wanted_remedies(page, report, verdict, options.verbose);
  put_settling(page, report, verdict);
  put_doubts(page, report);
  put_ways(page, report, verdict, options.verbose);
  text::put_costs(page, report, options.verbose);
  if (options.verbose && !report.topology.gpus.empty()) put_list(page, report);
  text::put_source(page, report, verdict.requirements.front().requirement.mode);
  return page.take();
}

std::string render_verdict_line(const Report&, const Verdict& verdict) {
  std::string line;
  for (const RequirementVerdict& one : verdict.requirements) {
    if (!line.empty()) line += ' ';
    line += outcome(one) + ": " + to_string(one.requirement) + " on " + gpus_of(one);
    line += one.why.empty() ? "." : ": " + words::sentence(one.why);
  }
  return escape(line) + '\n';
}

}  // namespace gpucoop
