#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "render/escape.hpp"
#include "render/probe.hpp"
#include "render/text_parts.hpp"
#include "render/words.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kWordAt = 2;
constexpr std::size_t kRungAt = 16;
constexpr std::size_t kTextAt = 36;
constexpr std::size_t kMostTold = 6;  ///< runs of one rung that are told one by one; JSON has them all

std::string word_of(ProbeState state) {
  switch (state) {
    case ProbeState::wrong_data: return "WRONG DATA";
    case ProbeState::failed: return "FAILED";
    case ProbeState::crashed: return "CRASHED";
    case ProbeState::hung: return "HUNG";
    default: return std::string(to_string(state));
  }
}

Style style_of(ProbeState state) {
  switch (state) {
    case ProbeState::passed: return Style::good;
    case ProbeState::skipped: return Style::dim;
    case ProbeState::refused:
    case ProbeState::invalid:
    case ProbeState::inconclusive: return Style::warning;
    default: return Style::bad;
  }
}

int gravity(ProbeState state) {
  switch (state) {
    case ProbeState::passed: return 0;
    case ProbeState::skipped: return 1;
    case ProbeState::refused: return 2;
    case ProbeState::inconclusive: return 3;
    case ProbeState::invalid: return 4;
    case ProbeState::failed: return 5;
    case ProbeState::wrong_data: return 6;
    case ProbeState::crashed: return 7;
    case ProbeState::hung: return 8;
  }
  return 0;
}

/// All runs of one rung, apart from second tries.
struct RungRuns {
  std::string rung;
  std::vector<const ProbeRun*> runs;
};

std::vector<RungRuns> by_rung(const Report& report) {
  std::vector<RungRuns> rungs;
  for (const auto& run : report.probes) {
    if (!run.variant.empty()) continue;
    auto found = std::find_if(rungs.begin(), rungs.end(), [&](const RungRuns& r) { return r.rung == run.rung; });
    if (found == rungs.end()) found = rungs.insert(rungs.end(), RungRuns{run.rung, {}});
    found->runs.push_back(&run);
  }
  return rungs;
}

ProbeState worst_of(const RungRuns& rung) {
  auto worst = ProbeState::passed;
  for (const auto* run : rung.runs) {
    if (gravity(run->state) > gravity(worst)) worst = run->state;
  }
  return worst;
}

std::string gpus_in_words(const ProbeRun& run) {
  std::vector<std::string> names;
  for (const auto& gpu : run.gpus) {
    const auto address = parse_device(gpu);
    names.push_back(address ? short_form(*address) : gpu);
  }
  // A pair has a direction, a set of two has none.
  const bool directed = run.rung.rfind("ccl.", 0) != 0 && run.rung != "host.loopback";
  if (names.size() == 2 && directed) return names[0] + " to " + names[1];
  return words::list(names, 4);
}

/// `64 MiB`, `1 MiB` for a few bytes more, `4084 B`.
std::string size_in_words(std::uint64_t bytes) {
  constexpr std::uint64_t kMiB = 1U << 20U;
  constexpr std::uint64_t kKiB = 1U << 10U;
  const auto unit = bytes >= kMiB ? kMiB : bytes >= 8 * kKiB ? kKiB : 1;
  const auto text = fmt::format("{:.3g}", static_cast<double>(bytes) / static_cast<double>(unit));
  return unit == 1 ? std::to_string(bytes) + " B" : text + (unit == kMiB ? " MiB" : " KiB");
}

std::string size_in_words(const ProbeRun& run) {
  return run.bytes.is_known() && run.bytes.value() > 0 ? size_in_words(run.bytes.value()) : std::string();
}

/// `63.2 us`, `1.03 ms`
std::string short_time(double microseconds) {
  constexpr double kThousand = 1000;
  return microseconds < kThousand ? fmt::format("{:.3g} us", microseconds)
                                  : fmt::format("{:.3g} ms", microseconds / kThousand);
}

/// What was measured by runs that passed, the slowest of them.
std::string measured_by(const RungRuns& rung) {
  Known<double> latency;
  Known<double> rate;
  Known<double> bus;
  for (const auto* run : rung.runs) {
    if (run->state != ProbeState::passed) continue;
    const auto lower = [](Known<double>& kept, const Known<double>& other) {
      if (other.is_known() && (!kept.is_known() || other.value() < kept.value())) kept = other;
    };
    if (run->latency_us.is_known() && (!latency.is_known() || run->latency_us.value() > latency.value())) {
      latency = run->latency_us;
    }
    lower(rate, run->gbytes_per_s);
    lower(bus, run->bus_gbytes_per_s);
  }
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  const std::string lead = rung.runs.size() > 1 ? "slowest " : "";
  if (latency.is_known()) add(lead + short_time(latency.value()));
  if (bus.is_known()) {
    add(lead + words::rate(bus.value()) + " (bus)");
  } else if (rate.is_known()) {
    add(lead + words::rate(rate.value()));
  }
  return text;
}

std::string passed_in_words(const RungRuns& rung) {
  const auto& first = *rung.runs.front();
  std::vector<std::vector<std::string>> subjects;
  for (const auto* run : rung.runs) {
    if (std::find(subjects.begin(), subjects.end(), run->gpus) == subjects.end()) subjects.push_back(run->gpus);
  }
  std::string text;
  if (subjects.size() == 1) {
    text = first.gpus.size() > 2 ? "all " + std::to_string(first.gpus.size()) : gpus_in_words(first);
    const bool alike = std::all_of(rung.runs.begin(), rung.runs.end(), [&](const ProbeRun* run) {
      return run->op == first.op && run->dtype == first.dtype;
    });
    if (rung.runs.size() > 1) text += ", " + words::count(rung.runs.size(), alike ? "time" : "way");
  } else {
    text = (first.gpus.size() == 1 ? "each of " : "") + std::to_string(subjects.size()) +
           (first.gpus.size() == 1 ? "" : " pairs");
    if (rung.runs.size() > subjects.size())
      text += ", each " + std::to_string(rung.runs.size() / subjects.size()) + " ways";
  }
  std::uint64_t most = 0;
  for (const auto* run : rung.runs) most = std::max(most, run->bytes.value_or(0));
  if (most > 0) text += ", up to " + size_in_words(most);
  const auto measured = measured_by(rung);
  return measured.empty() ? text : text + ": " + measured;
}

void put_run(Page& page, const ProbeRun& run, bool named) {
  std::string lead = gpus_in_words(run);
  if (!run.op.empty()) lead += ", " + run.op;
  if (!run.dtype.empty()) lead += " of " + run.dtype;
  if (const auto size = size_in_words(run); !size.empty()) lead += ", " + size;
  const auto state = named ? word_of(run.state) + " " : std::string();
  page.paragraph(kRungAt,
                 state + lead + ": " + words::sentence(run.reason.empty() ? "no reason was given" : run.reason));
  for (const auto& finding : run.findings) page.paragraph(kRungAt, "- " + words::sentence(finding), Style::plain, 2);
}

/// Of a rung that was only partly tried: how far, and why no further.
std::string partly(const RungRuns& rung) {
  std::size_t passed = 0;
  std::string reason;
  for (const auto* run : rung.runs) {
    if (run->state == ProbeState::passed) ++passed;
    if (run->state == ProbeState::skipped && reason.empty()) reason = run->reason;
  }
  if (passed == 0) return reason;
  return fmt::format("{} of {} passed, the rest was skipped: {}", passed, rung.runs.size(), reason);
}

/// ` (3.2 s)`
std::string time_taken(const RungRuns& rung) {
  double seconds = 0;
  for (const auto* run : rung.runs) seconds += run->seconds.value_or(0);
  return fmt::format(" ({:.1f} s)", seconds);
}

std::string summary(const RungRuns& rung, ProbeState worst, bool verbose) {
  if (worst == ProbeState::passed) return passed_in_words(rung) + (verbose ? time_taken(rung) : "");
  return worst == ProbeState::skipped ? partly(rung) : std::string();
}

void put_rung(Page& page, const RungRuns& rung, bool verbose) {
  const auto worst = worst_of(rung);
  page.row(kWordAt, {{word_of(worst), kRungAt - kWordAt - 2, style_of(worst), {}},
                     {rung.rung, kTextAt - kRungAt - 2, Style::plain, {}},
                     {summary(rung, worst, verbose), page.width() - kTextAt, Style::plain, {}}});
  std::size_t told = 0;
  std::size_t more = 0;
  for (const auto* run : rung.runs) {
    if (run->state == ProbeState::passed) {
      for (const auto& finding : run->findings)
        page.paragraph(kRungAt, "- " + words::sentence(finding), Style::plain, 2);
      continue;
    }
    if (run->state == ProbeState::skipped) continue;
    if (told == kMostTold) {
      ++more;
      continue;
    }
    ++told;
    put_run(page, *run, run->state != worst);
  }
  if (more > 0) page.paragraph(kRungAt, std::to_string(more) + " more like these; JSON has them all.", Style::dim);
}

void put_rungs(Page& page, const Report& report, bool verbose) {
  const auto rungs = by_rung(report);
  if (rungs.empty()) return;
  page.blank();
  page.heading("What was tried");
  // Rungs that were skipped for one reason stand together.
  std::vector<std::pair<std::string, std::vector<std::string>>> skipped;
  for (const auto& rung : rungs) {
    if (worst_of(rung) == ProbeState::skipped &&
        std::all_of(rung.runs.begin(), rung.runs.end(),
                    [](const ProbeRun* run) { return run->state == ProbeState::skipped; })) {
      const auto& reason = rung.runs.front()->reason;
      auto found = std::find_if(skipped.begin(), skipped.end(), [&](const auto& s) { return s.first == reason; });
      if (found == skipped.end()) found = skipped.insert(skipped.end(), {reason, {}});
      found->second.push_back(rung.rung);
      continue;
    }
    put_rung(page, rung, verbose);
  }
  for (const auto& [reason, names] : skipped) {
    page.item(kWordAt, "skipped", Style::dim, kRungAt, words::list(names, 99) + ": " + words::sentence(reason));
  }
}

/// `13 us, 27.8 GB/s over SHM/direct/direct`; empty where nothing was timed.
std::string rate_in_words(const ProbeRun& run) {
  if (run.state != ProbeState::passed || !run.latency_us.is_known() || !run.bus_gbytes_per_s.is_known()) return {};
  return fmt::format("{:.3g} us, {:.3g} GB/s{}{}", run.latency_us.value(), run.bus_gbytes_per_s.value(),
                     run.transport.empty() ? "" : " over ", run.transport);
}

void put_second_tries(Page& page, const Report& report) {
  bool headed = false;
  for (const auto& run : report.probes) {
    if (run.variant.empty()) continue;
    if (!headed) {
      page.blank();
      page.heading("Under other settings, in fresh processes");
      headed = true;
    }
    page.row(kWordAt, {{word_of(run.state), kRungAt - kWordAt - 2, style_of(run.state), {}},
                       {run.rung, kTextAt - kRungAt - 2, Style::plain, {}},
                       {run.variant, page.width() - kTextAt, Style::plain, {}}});
    if (run.state != ProbeState::passed && !run.reason.empty()) page.paragraph(kRungAt, words::sentence(run.reason));
    if (const auto rate = rate_in_words(run); !rate.empty()) page.paragraph(kTextAt, rate);
  }
}

std::vector<std::string> marks(const Report& report, const std::vector<std::string>& injected) {
  std::vector<std::string> texts;
  if (report.simulated) texts.emplace_back("Simulated devices: nothing here is about a GPU.");
  if (!injected.empty()) {
    texts.push_back("Injected on request: " + words::list(injected) +
                    ". What fails below may fail because of that alone.");
  }
  return texts;
}

}  // namespace

std::string render_probe_text(const Report& report, const std::vector<std::string>& injected,
                              const TextOptions& options) {
  Page page(options.columns, options.color);
  for (const auto& mark : marks(report, injected)) page.paragraph(0, mark, Style::warning);
  put_rungs(page, report, options.verbose);
  put_second_tries(page, report);
  page.blank();
  for (const text::Answer& answer : text::answers(report)) {
    page.paragraph(0, answer.headline, answer.style == Style::bad ? Style::bad : Style::bold);
    if (!answer.rest.empty()) page.paragraph(2, answer.rest);
  }
  text::put_modes(page, report, options.verbose);
  if (options.verbose) text::put_engines(page, report);
  if (!report.simulated) text::put_remedies(page, report, options.verbose);
  text::put_warnings(page, report, options.verbose);
  if (options.verbose) text::put_facts(page, report);
  return page.take();
}

std::string render_probe_line(const Report& report, const std::vector<std::string>& injected) {
  std::string line;
  for (const auto& mark : marks(report, injected)) line += mark + ' ';
  return escape(line) + render_answer(report, {});
}

}  // namespace gpucoop
