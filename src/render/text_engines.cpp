#include <algorithm>

#include "render/text_parts.hpp"
#include "render/words.hpp"

namespace gpucoop::text {
namespace {

constexpr std::size_t kAt = 27;
constexpr std::size_t kAdviceAt = 13;

}  // namespace

void put_advice(Page& page, const EngineVerdict& way) {
  for (const std::string& flag : way.flags) page.item(2, "turned on by", Style::bold, kAdviceAt + 2, flag);
  for (const Advice& advice : way.advice) {
    page.item(2, to_string(advice.kind), advice.kind == Advice::Kind::set ? Style::bold : Style::warning, kAdviceAt + 2,
              advice.text);
    if (!advice.why.empty()) page.paragraph(6, words::sentence(advice.why));
    if (!advice.otherwise.empty()) page.paragraph(6, "Otherwise one sees: " + advice.otherwise, Style::dim, 2);
  }
}

void put_engines(Page& page, const Report& report, const std::string& mode) {
  bool headed = false;
  for (const EngineVerdict& way : report.judgement.engines) {
    if (!mode.empty() && way.mode != mode) continue;
    if (!headed) {
      page.blank();
      page.heading(mode.empty() ? "Engines" : "Ways in which engines do " + mode);
      headed = true;
    }
    page.item(2, way.id, words::style(way.state, way.expected), kAt, words::state(way.state, way.expected));
    if (report.judgement.sets.size() > 1) page.paragraph(6, "on " + words::list(way.set, 4), Style::dim);
    if (!way.flags.empty()) page.paragraph(6, "turned on by " + words::list(way.flags), Style::plain, 2);
    const bool plain = way.state == ModeState::unknown && way.expected.is(ModeState::yes);
    if (!plain && !way.why.empty()) page.paragraph(6, words::sentence(way.why));
    for (const Advice& advice : way.advice) {
      page.paragraph(6, std::string(to_string(advice.kind)) + " " + advice.text + ": " + advice.why, Style::plain, 2);
    }
  }
}

}  // namespace gpucoop::text
