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

Page::Cell cell(std::string text, std::size_t width, Style style = Style::plain) {
  return {std::move(text), width, style, {}};
}

// The widths and the gaps of two fill 78 columns.
void put_row(Page& page, const std::vector<std::string>& texts, Style style) {
  constexpr std::size_t kWidths[] = {23, 8, 9, 9, 8, 8};
  std::vector<Page::Cell> cells;
  for (std::size_t i = 0; i < texts.size(); ++i) cells.push_back(cell(texts[i], kWidths[i], style));
  page.row(2, cells);
}

bool impossible(const Report& report, const CostEstimate& e) {
  return std::any_of(report.judgement.modes.begin(), report.judgement.modes.end(), [&](const ModeVerdict& m) {
    return m.id == e.mode && m.set == e.set && m.state == ModeState::no;
  });
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

std::string opinion(const CostEstimate& e) {
  const std::string_view lead = e.beats_one_gpu == Tri::yes  ? "expected to decode faster than one GPU: "
                                : e.beats_one_gpu == Tri::no ? "not expected to decode faster than one GPU: "
                                                             : "faster than one GPU or not is open: ";
  return words::sentence(std::string(lead) + e.why);
}

Style style_of(const CostEstimate& e) {
  return e.beats_one_gpu == Tri::yes ? Style::good : e.beats_one_gpu == Tri::no ? Style::warning : Style::plain;
}

std::string term(std::string_view what, const Known<double>& value, std::string_view unit, const std::string& from) {
  if (!value.is_known()) return fmt::format("{} is not known: {}.", what, from);
  return fmt::format("{}: {} {}, {}.", what, three_digits(value.value()), unit, from);
}

void put_terms(Page& page, const Shown& shown) {
  page.blank();
  page.paragraph(2, "What this rests on", Style::bold);
  const auto latency = [](const CostEstimate& e) { return term("A small operation", e.alpha_us, "us", e.alpha_from); };
  const auto rate = [](const CostEstimate& e) { return term("A large one", e.beta_gbytes_per_s, "GB/s", e.beta_from); };
  for (const auto& [modes, text] :
       said_once(shown, [&](const CostEstimate& e) { return latency(e) + " " + rate(e); })) {
    page.paragraph(2, modes + ": " + text, Style::dim, 4);
  }
}

void put_set(Page& page, const Report& report, const std::vector<Address>& set) {
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
  page.heading(fmt::format("What sharing would cost{}: {}, batch {}, prompts of {} tokens{}",
                           measured ? "" : " (estimate)", first->model, first->batch, first->prompt,
                           report.judgement.sets.size() > 1 ? ", over " + words::list(set, 4) : std::string()));
  if (first->one_gpu_ms.is_known()) {
    page.paragraph(2, fmt::format("On one GPU a decode step takes at least {} ms: its weights read once.",
                                  three_digits(first->one_gpu_ms.value())));
  }
  put_row(page, {"", "calls", "MB", "ms of", "of the", "ms of a"}, Style::dim);
  put_row(page, {"way of sharing", "per step", "per step", "a step", "step", "prompt"}, Style::dim);
  for (const CostEstimate* e : shown) {
    put_row(page,
            {e->mode, three_digits(e->calls_per_step), megabytes(e->bytes_per_step), number(e->decode_ms),
             percent(e->share), number(e->prefill_ms)},
            Style::plain);
  }
  if (!left_out.empty()) {
    page.paragraph(2, "Left out, because it cannot work here: " + words::list(left_out, 99) + ".", Style::dim);
  }
  for (const auto& [modes, text] : said_once(shown, opinion)) {
    const auto* e =
        *std::find_if(shown.begin(), shown.end(), [&](const CostEstimate* s) { return opinion(*s) == text; });
    page.item(2, modes, style_of(*e), 4, "");
    page.paragraph(6, text);
  }
  put_terms(page, shown);
}

}  // namespace

void put_costs(Page& page, const Report& report) {
  std::vector<std::vector<Address>> sets;
  for (const CostEstimate& e : report.judgement.costs) {
    if (std::find(sets.begin(), sets.end(), e.set) == sets.end()) sets.push_back(e.set);
  }
  for (const auto& set : sets) put_set(page, report, set);
}

}  // namespace gpucoop::text
