#include "render/page.hpp"
#include "render/probe.hpp"
#include "render/words.hpp"

namespace gpucoop {

std::string render_plan_text(const std::vector<PlanLine>& plan, const std::string& devices, const std::string& limits,
                             const TextOptions& options) {
  Page page(options.columns, options.color);
  page.paragraph(0, "Nothing was run. A probe would try this on " + devices + ":", Style::bold);
  page.blank();
  page.row(2, {{"rung", 18, Style::dim, {}},
               {"ranks", 10, Style::dim, {}},
               {"what", 22, Style::dim, {}},
               {"sizes", 13, Style::dim, {}},
               {"within", 7, Style::dim, {}}});
  for (const auto& line : plan) {
    if (!line.skip.empty()) continue;
    page.row(2, {{line.rung, 18, Style::plain, {}},
                 {line.who, 10, Style::plain, {}},
                 {line.what, 22, Style::plain, {}},
                 {line.sizes, 13, Style::plain, {}},
                 {line.deadline, 7, Style::plain, {}}});
  }
  bool headed = false;
  for (const auto& line : plan) {
    if (line.skip.empty()) continue;
    if (!headed) {
      page.blank();
      page.heading("What it would skip");
      headed = true;
    }
    page.item(2, line.rung, Style::plain, 23, words::sentence(line.skip));
  }
  page.blank();
  page.paragraph(0, limits);
  return page.take();
}

}  // namespace gpucoop
