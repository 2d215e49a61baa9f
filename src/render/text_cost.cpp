#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "render/text_parts.hpp"
#include "render/words.hpp"

namespace gpucoop::text {
namespace {

constexpr std::string_view kUnknown = "?";

std::string three_digits(double value) {
  if (value == 0) return "0";
  if (value >= 99.5) return fmt::format("{:.0f}", value);
  return value >= 9.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

std::string number(const Known<double>& value) {
  return value.is_known() ? three_digits(value.value()) : std::string(kUnknown);
}

/// Megabytes; what is smaller than a hundredth of one is not nothing.
std::string megabytes(double bytes) {
  if (bytes > 0 && bytes < 5e3) return "< 0.01";
  return three_digits(bytes / 1e6);
}

std::string percent(const Known<double>& share) {
  if (!share.is_known()) return std::string(kUnknown);
  const double value = share.value() * 100;
  return value > 0 && value < 1 ? "< 1 %" : fmt::format("{:.0f} %", value);
}

// The widths and the gaps of two fill 78 columns.
void put_row(Page& page, const std::vector<std::string>& texts, Style style, Style last) {
  constexpr std::size_t kWidths[] = {23, 5, 6, 6, 5, 6, 13};
  std::vector<Page::Cell> cells;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    cells.push_back({texts[i], kWidths[i], i + 1 == texts.size() ? last : style, {}});
  }
  page.row(2, cells);
}

const ModeVerdict* mode_of(const Report& report, const CostEstimate& e) {
  const auto& modes = report.judgement.modes;
  const auto found =
      std::find_if(modes.begin(), modes.end(), [&](const ModeVerdict& m) { return m.id == e.mode && m.set == e.set; });
  return found == modes.end() ? nullptr : &*found;
}

bool impossible(const Report& report, const CostEstimate& e) {
  const ModeVerdict* mode = mode_of(report, e);
  return mode != nullptr && mode->state == ModeState::no;
}

bool unlikely(const Report& report, const CostEstimate& e) {
  const ModeVerdict* mode = mode_of(report, e);
  return mode != nullptr && mode->state == ModeState::unknown && mode->expected.is(ModeState::no);
}

using Shown = std::vector<const CostEstimate*>;

/// The modes of which `text_of` says the same, once: `tensor, expert` and what.
template <class TextOf>
std::vector<std::pair<std::string, std::string>> said_once(const Shown& shown, TextOf text_of) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const CostEstimate* e : shown) {
    const std::string text = text_of(*e);
    const auto it = std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.second == text; });
    if (it == list.end()) {
      list.emplace_back(e->mode, text);
    } else {
      it->first += ", " + e->mode;
    }
  }
  return list;
}

std::string_view verdict(const CostEstimate& e) {
  return e.beats_one_gpu == Tri::yes ? "expected" : e.beats_one_gpu == Tri::no ? "not expected" : "open";
}

Style style_of(const CostEstimate& e) {
  return e.beats_one_gpu == Tri::yes ? Style::good : e.beats_one_gpu == Tri::no ? Style::warning : Style::plain;
}

void put_table(Page& page, const Shown& shown) {
  put_row(page, {"", "calls", "MB", "ms of", "part", "ms of", "faster than"}, Style::dim, Style::dim);
  put_row(page, {"way of sharing", "/step", "/step", "a step", "of it", "prompt", "one GPU"}, Style::dim, Style::dim);
  for (const CostEstimate* e : shown) {
    put_row(page,
            {e->mode, fmt::format("{:.0f}", e->calls_per_step), megabytes(e->bytes_per_step), number(e->decode_ms),
             percent(e->share), number(e->prefill_ms), std::string(verdict(*e))},
            Style::plain, style_of(*e));
  }
}

void put_opinions(Page& page, const Shown& shown) {
  for (const auto& [modes, text] : said_once(shown, [](const CostEstimate& e) { return e.why; })) {
    page.paragraph(2, modes + ": " + text + ".", Style::plain, 2);
  }
}

/// `20 us    tensor, pipeline: typical of …`
void put_term(Page& page, const Shown& shown, Known<double> CostEstimate::*value, std::string_view unit,
              std::string CostEstimate::*from) {
  const auto told = [&](const CostEstimate& e) {
    return std::pair(number(e.*value) + ((e.*value).is_known() ? " " + std::string(unit) : std::string()), e.*from);
  };
  const auto joined = [&](const CostEstimate& e) { return told(e).first + '\n' + told(e).second; };
  const auto all = said_once(shown, joined);
  for (const auto& [modes, text] : all) {
    const auto end = text.find('\n');
    const std::string who = all.size() == 1 ? std::string() : modes + ": ";
    page.item(2, text.substr(0, end), Style::plain, 14, who + text.substr(end + 1));
  }
}

void put_terms(Page& page, const Shown& shown, bool verbose) {
  page.paragraph(2, "What a call costs, and what the bytes run at:", Style::dim);
  put_term(page, shown, &CostEstimate::alpha_us, "us", &CostEstimate::alpha_from);
  put_term(page, shown, &CostEstimate::beta_gbytes_per_s, "GB/s", &CostEstimate::beta_from);
  if (!verbose) return;
  for (const auto& [modes, text] : said_once(shown, [](const CostEstimate& e) { return e.alpha_source; })) {
    if (!text.empty()) page.paragraph(2, "Source (" + modes + "): " + text, Style::dim, 2);
  }
}

/// What is run, and what it takes on one GPU.
std::string workload(const CostEstimate& e) {
  auto text = fmt::format("{}, batch {}, prompts of {} tokens.", e.model, e.batch, e.prompt);
  if (e.one_gpu_ms.is_known()) {
    text += fmt::format(" On one GPU a decode step takes at least {} ms: its weights read once.",
                        three_digits(e.one_gpu_ms.value()));
  } else if (e.fits_one_gpu.is(false)) {
    text += " It does not fit on one GPU.";
  }
  return text;
}

void put_set(Page& page, const Report& report, const std::vector<Address>& set, bool verbose) {
  Shown shown;
  std::vector<std::string> left_out;
  const CostEstimate* first = nullptr;
  for (const CostEstimate& e : report.judgement.costs) {
    if (e.set != set) continue;
    if (first == nullptr) first = &e;
    if (impossible(report, e)) {
      left_out.push_back(e.mode);
    } else {
      shown.push_back(&e);
    }
  }
  if (first == nullptr) return;
  const bool measured =
      !shown.empty() && std::all_of(shown.begin(), shown.end(), [](const CostEstimate* e) { return e->measured(); });
  page.blank();
  page.heading(std::string(measured ? "What sharing would cost" : "What sharing would cost (estimate)") +
               (report.judgement.sets.size() > 1 ? ": " + words::list(set, 4) : std::string()));
  page.paragraph(2, workload(*first));
  if (!shown.empty()) put_table(page, shown);
  if (!left_out.empty()) {
    page.paragraph(2, "Left out, because it cannot work here: " + words::list(left_out, 99) + ".", Style::dim);
  }
  std::vector<std::string> doubtful;
  for (const CostEstimate* e : shown) {
    if (unlikely(report, *e)) doubtful.push_back(e->mode);
  }
  if (!doubtful.empty()) {
    page.paragraph(2,
                   "Not expected to work here at all: " + words::list(doubtful, 99) +
                       ". Their figures are for a host on which they do.",
                   Style::warning);
  }
  put_opinions(page, shown);
  if (!shown.empty()) put_terms(page, shown, verbose);
}

}  // namespace

void put_costs(Page& page, const Report& report, bool verbose) {
  std::vector<std::vector<Address>> sets;
  for (const CostEstimate& e : report.judgement.costs) {
    if (std::find(sets.begin(), sets.end(), e.set) == sets.end()) sets.push_back(e.set);
  }
  for (const auto& set : sets) put_set(page, report, set, verbose);
}

}  // namespace gpucoop::text
