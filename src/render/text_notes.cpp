#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "render/text_parts.hpp"
#include "render/words.hpp"

namespace gpucoop::text {
namespace {

constexpr std::size_t kWarningsOfAKind = 2;  ///< different texts with one code; --verbose shows all

/// What an unknown fact leaves open, in words; only those that a reader would miss.
std::string open_question(std::string_view id) {
  if (id == "atomics.state") return "whether AtomicOps reach the CPU";
  if (id == "link.rate") return "the speed of the link";
  if (id == "path.complete") return "the bridges above it";
  if (id == "gpu.driver") return "which driver is bound";
  return {};
}

bool concerns(const Report& report, const Fact& fact) {
  if (fact.subject.kind != SubjectKind::gpu || fact.subject.of.size() != 1) return false;
  const Gpu* gpu = find_gpu(report.topology, fact.subject.of.front());
  if (gpu == nullptr || !gpu->compute || (gpu->integrated && !judged(report, *gpu))) return false;
  if (fact.value.reason() == Reason::not_derivable) return false;  // said with the GPU
  if (fact.id == "atomics.state") return atomics_matter(*gpu);
  return !(gpu->integrated && fact.id == "link.rate");
}

const Fact* host_fact(const Report& report, std::string_view id) {
  return find_fact(report.topology.facts, id, {SubjectKind::host, {}});
}

/// What a live reading could not see for want of rights, and what nothing else in the report says.
std::vector<std::string> withheld_from(const Report& report) {
  std::vector<std::string> what;
  if (report.topology.host.source != SourceKind::live || compute_gpus(report.topology).empty()) return what;
  const auto* registers = host_fact(report, "host.registers");
  if (registers != nullptr && registers->value.is(FactValue(false))) {
    what.emplace_back("the registers of the ports (AtomicOps, ACS)");
  }
  const auto& facts = report.topology.facts;
  const auto no_right = [](const Fact& f) { return f.value.is_unknown() && f.value.reason() == Reason::no_root; };
  if (std::any_of(facts.begin(), facts.end(), [&](const Fact& f) { return f.id == "slot.name" && no_right(f); })) {
    what.emplace_back("the names of slots");
  }
  const auto* log = host_fact(report, "kernel.log");
  if (log != nullptr && no_right(*log)) what.emplace_back("the kernel log");
  return what;
}

/// `it` at the end of what is said about one thing becomes `them` for several, as registers and slots are anyway.
std::string with_number(std::string text, const std::vector<std::string>& things) {
  constexpr std::string_view kOne = " it";
  const bool one = things.size() == 1 && things.front() == "the kernel log";
  if (one || text.size() < kOne.size() || text.substr(text.size() - kOne.size()) != kOne) return text;
  return text.substr(0, text.size() - kOne.size()) + " them";
}

struct Question {
  std::string text;
  Reason reason;
  std::vector<Address> about;
};

std::string evidence(const Fact& fact) {
  if (const FactValue* value = fact.value.get()) {
    if (const bool* b = std::get_if<bool>(value)) return *b ? "yes" : "no";
    if (const double* d = std::get_if<double>(value)) return fmt::format("{:.6g}", *d);
    return std::get<std::string>(*value);
  }
  return fact.value.is_absent() ? "none" : "unknown, " + std::string(to_string(fact.value.reason()));
}

}  // namespace

void put_unknowns(Page& page, const Report& report) {
  std::vector<Question> questions;
  for (const Fact& fact : report.topology.facts) {
    const std::string text = fact.value.is_unknown() ? open_question(fact.id) : std::string();
    if (text.empty() || !concerns(report, fact)) continue;
    const Reason reason = fact.value.reason();
    auto it = std::find_if(questions.begin(), questions.end(),
                           [&](const Question& q) { return q.text == text && q.reason == reason; });
    if (it == questions.end()) it = questions.insert(questions.end(), Question{text, reason, {}});
    it->about.push_back(fact.subject.of.front());
  }
  const auto withheld = withheld_from(report);
  const bool more_gpus = report.topology.lists_devices && !report.topology.listing_complete.is(true) &&
                         !compute_gpus(report.topology).empty();
  const auto holders = hidden_holders(report);
  if (questions.empty() && withheld.empty() && !more_gpus && holders.text.empty()) return;
  page.blank();
  page.heading("Not known");
  std::vector<std::string> commands;
  for (const Question& q : questions) {
    const words::Missing missing = words::missing(q.reason, report.topology.host);
    const bool all = q.about.size() > 2 && q.about.size() == compute_gpus(report.topology).size();
    page.paragraph(2, (all ? "every GPU" : words::list(q.about, 6)) + ": " + q.text + ": " + missing.why + ".",
                   Style::plain, 2);
    if (!missing.next.empty() && !says(report.judgement.remedies, missing.next) &&
        std::find(commands.begin(), commands.end(), missing.next) == commands.end()) {
      commands.push_back(missing.next);
    }
  }
  if (!withheld.empty()) {
    const auto missing = words::missing(Reason::no_root, report.topology.host);
    page.paragraph(2, words::sentence(words::list(withheld) + ": " + with_number(missing.why, withheld)), Style::plain,
                   2);
    if (std::find(commands.begin(), commands.end(), missing.next) == commands.end()) commands.push_back(missing.next);
  }
  if (more_gpus)
    page.paragraph(2,
                   report.topology.host.source == SourceKind::live
                       ? "Whether the host has more GPUs: some devices may not be read here."
                       : "Whether the host has more GPUs: the input may not list every device.",
                   Style::plain, 2);
  if (!holders.text.empty()) page.paragraph(2, words::sentence(holders.text), Style::plain, 2);
  if (!holders.next.empty() && std::find(commands.begin(), commands.end(), holders.next) == commands.end()) {
    commands.push_back(holders.next);
  }
  for (const std::string& command : commands) page.paragraph(2, "To know more: " + command, Style::bold, 2);
}

void put_warnings(Page& page, const Report& report, bool verbose) {
  struct Group {
    const Warning* first;
    std::vector<std::string> where;
  };
  std::vector<Group> groups;
  for (const auto* list : {&report.topology.warnings, &report.judgement.warnings}) {
    for (const Warning& warning : *list) {
      if (!verbose && warning.code == kLeftOut) continue;  // said where the GPUs are shown
      auto it = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
        return g.first->code == warning.code && g.first->text == warning.text;
      });
      if (it == groups.end()) it = groups.insert(groups.end(), Group{&warning, {}});
      if (!warning.where.empty()) it->where.push_back(warning.where);
    }
  }
  if (groups.empty()) return;
  page.blank();
  page.heading("Warnings");
  std::map<std::string, std::size_t> of_code;
  std::size_t hidden = 0;
  for (const Group& group : groups) {
    if (!verbose && ++of_code[group.first->code] > kWarningsOfAKind) {
      ++hidden;
      continue;
    }
    // An address that the sentence names itself is not put before it.
    const auto address = group.where.size() == 1 ? parse_address(group.where.front()) : std::nullopt;
    const bool named = address && group.first->text.find(short_form(*address)) != std::string::npos;
    const std::string where = named ? "" : words::list(group.where, verbose ? 9999 : 4);
    page.paragraph(2, (where.empty() ? "" : where + ": ") + words::sentence(group.first->text), Style::plain, 2);
  }
  if (hidden != 0) page.paragraph(2, std::to_string(hidden) + " more of these kinds with --verbose.", Style::dim);
}

void put_log(Page& page, const Report& report) {
  if (report.topology.log.empty()) return;
  page.blank();
  page.heading("The kernel log says");
  for (const LogFinding& finding : report.topology.log) {
    std::string text = finding.device.is_known() ? short_form(finding.device.value()) + ": " : "";
    text += finding.title + " (" + finding.cause + "): \"" + finding.text + "\"";
    if (finding.lines > 1) text += ", " + std::to_string(finding.lines) + " lines";
    page.paragraph(2, text + (finding.where.empty() ? "" : " (" + finding.where + ")"), Style::plain, 2);
  }
}

void put_facts(Page& page, const Report& report) {
  if (report.topology.facts.empty()) return;
  page.blank();
  page.heading("Facts");
  for (const auto* facts : {&report.topology.facts, &report.judgement.facts}) {
    for (const Fact& fact : *facts) {
      std::string text = reference(fact) + " = " + evidence(fact);
      if (!fact.evidence.empty()) text += " (" + fact.evidence + ")";
      page.paragraph(2, text, Style::plain, 2);
    }
  }
}

}  // namespace gpucoop::text
