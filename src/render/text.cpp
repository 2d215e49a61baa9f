#include <algorithm>

#include "render/escape.hpp"
#include "render/render.hpp"
#include "render/text_parts.hpp"
#include "render/words.hpp"

namespace gpucoop {
namespace text {

std::vector<const Gpu*> compute_gpus(const Topology& topology) {
  std::vector<const Gpu*> result;
  for (const Gpu& gpu : topology.gpus) {
    if (gpu.compute) result.push_back(&gpu);
  }
  return result;
}

bool atomics_matter(const Gpu& gpu) { return gpu.vendor == Vendor::amd; }

void put_source(Page& page, const Report& report, std::string mode) {
  std::vector<std::pair<std::string, std::string>> kinds;  // a file may hold several
  for (const Source& source : report.topology.sources) {
    const std::string file = source.file == "-" ? "standard input" : source.file;
    const bool copy = source.kind == SourceKind::live && !report.topology.host.live;
    const std::string kind(copy ? "a copy of a host" : to_string(source.kind));
    const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == file; });
    if (it == kinds.end()) {
      kinds.emplace_back(file, kind);
    } else if (it->second.find(kind) == std::string::npos) {
      it->second += ", " + kind;
    }
  }
  std::vector<std::string> files;
  files.reserve(kinds.size());
  for (const auto& [file, kind] : kinds) files.push_back(file + " (" + kind + ")");
  if (files.empty()) return;
  page.blank();
  const auto container = words::container_in_words(report.topology.host);
  const std::string article = container.rfind("lxc", 0) == 0 ? "an " : "a ";
  const std::string inside = container.empty() ? "" : ", inside " + article + container;
  page.paragraph(0, "Read from " + words::list(files) + inside + ". " + measured_sentence(report), Style::dim, 2);
  const auto& sets = report.judgement.sets;
  if (mode.empty() && !sets.empty()) {
    const ModeVerdict* main = main_mode(report, sets.front().gpus);
    if (main != nullptr) mode = main->id;
  }
  if (!mode.empty()) page.paragraph(0, "What a word means: gpucoop explain " + mode, Style::dim, 2);
}

}  // namespace text

namespace {

void put_answers(Page& page, const Report& report) {
  for (const text::Answer& answer : text::answers(report)) {
    page.paragraph(0, answer.headline, answer.style == Style::bad ? Style::bad : Style::bold);
    if (!answer.rest.empty()) page.paragraph(2, answer.rest);
  }
}

}  // namespace

std::string render_text(const Report& report, const TextOptions& options) {
  Page page(options.columns, options.color);
  put_answers(page, report);
  text::put_modes(page, report, options.verbose);
  if (options.verbose) text::put_engines(page, report);
  text::put_costs(page, report, options.verbose);
  text::put_remedies(page, report, options.verbose);
  text::put_gpus(page, report, options.verbose);
  text::put_pairs(page, report, options.verbose);
  text::put_log(page, report);
  text::put_unknowns(page, report);
  text::put_warnings(page, report, options.verbose);
  if (options.verbose) text::put_facts(page, report);
  text::put_source(page, report);
  return page.take();
}

std::string render_answer(const Report& report, const TextOptions&) {
  std::string line;
  for (const text::Answer& answer : text::answers(report)) {
    if (!line.empty()) line += ' ';
    line += answer.headline;
    if (!answer.rest.empty()) line += ' ' + answer.rest;
  }
  return escape(line) + '\n';
}

}  // namespace gpucoop
