#include <fmt/format.h>

#include <string>
#include <vector>

#include "render/escape.hpp"
#include "render/inspect.hpp"
#include "render/inspect_words.hpp"
#include "render/words.hpp"

namespace gpucoop {
namespace {

std::string size_words(std::uint64_t bytes) {
  constexpr double kMebi = 1024.0 * 1024.0;
  const auto mebi = static_cast<double>(bytes) / kMebi;
  return mebi < 1 ? words::count(bytes, "byte") : fmt::format("{:.{}f} MiB", mebi, mebi < 10 ? 1 : 0);
}

std::string gpus_words(const words::SameAnswer& group) {
  const auto& target = group.gpu->target;
  return words::list(group.gpus) + (target.empty() ? "" : " (" + target + ")");
}

std::string target_words(const CodeTarget& target) {
  std::string text = target.name;
  if (!target.ptx_version.empty()) text += ", PTX " + target.ptx_version;
  if (target.vendor == Vendor::amd && target.kernels > 0) {
    text += ": " + words::count(target.kernels, "kernel") + ", " +
            (target.hostcall_kernels == 0 ? std::string("none") : std::to_string(target.hostcall_kernels)) +
            " with a hostcall buffer";
  } else {
    text += ": " + words::count(target.code_objects, "code object");
  }
  if (target.unread > 0) text += fmt::format("; {} could not be read", target.unread);
  return text;
}

class InspectionText {
 public:
  InspectionText(const Inspection& inspection, const TextOptions& options)
      : inspection_(inspection), options_(options), page_(options.columns, options.color) {}

  std::string run() {
    put_gpus();
    if (inspection_.libraries.empty()) put_none();
    for (const auto& library : inspection_.libraries) put(library);
    put_warnings(inspection_.warnings, 0);
    return page_.take();
  }

 private:
  void put_gpus() {
    if (inspection_.gpus.empty()) {
      page_.paragraph(0,
                      "No GPU is known here that a library could be compared with. --from FILE takes the GPUs of a "
                      "recorded host.");
      return;
    }
    std::vector<std::string> names;
    for (const auto& gpu : inspection_.gpus) {
      names.push_back(short_form(gpu.address) + (gpu.target.empty() ? "" : " " + gpu.target));
    }
    page_.paragraph(0, words::count(names.size(), "GPU") + ": " + words::list(names) + ".", Style::plain, 2);
  }

  void put_none() {
    page_.blank();
    page_.paragraph(0, "No collective library was found, and none that uses one.", Style::bold);
    page_.paragraph(2, "Looked in: " + words::list(inspection_.looked_in, 16) + ".", Style::plain, 2);
    page_.paragraph(2,
                    "If there is one elsewhere: gpucoop inspect FILE, or --env DIR for a Python environment, or "
                    "--root DIR for a container's files.",
                    Style::plain, 2);
  }

  void put(const InspectedLibrary& inspected) {
    const auto& installed = inspected.installed;
    const auto& library = installed.library;
    page_.blank();
    page_.heading(library.path);
    auto about = words::library_name(library) + ", " + size_words(library.size);
    if (!installed.place.empty()) about += ", found by: " + installed.place;
    for (const auto& way : inspected.also) about += "; " + way;
    page_.paragraph(2, about, Style::plain, 2);
    const auto groups = words::grouped(inspected, inspection_.gpus);
    for (const auto& group : groups) put(group);
    const bool every_target = options_.verbose || groups.empty();
    if (every_target) put_targets(library);
    if (!every_target && !library.targets.empty()) {
      std::vector<std::string> names;
      for (const auto& target : library.targets) names.push_back(target.name);
      page_.paragraph(2, "Code for: " + words::list(names, 24), Style::dim, 2);
    }
    if (!library.complete) {
      page_.paragraph(2, "Part of its device code could not be read.", Style::warning, 2);
    }
    for (const auto& archive : library.kpacks) {
      if (!archive.found) page_.paragraph(2, "Missing archive: " + archive.path, Style::warning, 2);
    }
    if (options_.verbose) put_details(library);
    put_warnings(library.warnings, 2);
  }

  void put(const words::SameAnswer& group) {
    auto text = gpus_words(group) + ": " + words::code(*group.answer, *group.gpu);
    const auto hostcall = words::hostcall(*group.answer, *group.gpu);
    if (!hostcall.empty()) text += "; " + hostcall;
    if (group.answer->code == "no") text += ". That is a no with this library, and not a fault of the host";
    page_.paragraph(2, text + ".", words::style(*group.answer, *group.gpu), 2);
    if (!options_.verbose || group.answer->hostcall_names.empty()) return;
    page_.paragraph(4, "Declared by: " + words::list(group.answer->hostcall_names, 64), Style::dim, 2);
  }

  void put_targets(const Library& library) {
    if (library.targets.empty()) {
      page_.paragraph(2, library.packaging == Packaging::kpack ? "Its device code is in archives beside it."
                                                               : "It has no device code that is listed here.");
      return;
    }
    page_.paragraph(2, "Code for:");
    for (const auto& target : library.targets) page_.paragraph(4, target_words(target), Style::plain, 2);
  }

  void put_details(const Library& library) {
    if (!library.soname.empty()) page_.paragraph(2, "soname " + library.soname);
    if (!library.sha256.empty()) page_.paragraph(2, "SHA-256 " + library.sha256, Style::dim, 2);
    if (library.packaging != Packaging::none) {
      page_.paragraph(2, "packaging: " + std::string(to_string(library.packaging)));
    }
    for (const auto& archive : library.kpacks) {
      if (archive.found) page_.paragraph(2, "archive " + archive.path, Style::plain, 2);
    }
    if (!library.plugins.empty()) {
      page_.paragraph(2, "plugins beside it: " + words::list(library.plugins, 16), Style::plain, 2);
    }
  }

  void put_warnings(const std::vector<Warning>& warnings, std::size_t indent) {
    if (warnings.empty()) return;
    if (indent == 0) page_.blank();
    for (const auto& warning : warnings) {
      const auto where = warning.where.empty() ? std::string() : warning.where + ": ";
      page_.paragraph(indent, where + warning.text, Style::warning, 2);
    }
  }

  const Inspection& inspection_;
  const TextOptions& options_;
  Page page_;
};

}  // namespace

std::string render_inspection_text(const Inspection& inspection, const TextOptions& options) {
  return InspectionText(inspection, options).run();
}

std::string render_inspection_line(const Inspection& inspection) {
  std::string line;
  for (const auto& library : inspection.libraries) {
    for (const auto& group : words::grouped(library, inspection.gpus)) {
      if (!line.empty()) line += "; ";
      line += words::library_name(library.installed.library) + " for " + gpus_words(group) + ": ";
      line += words::code(*group.answer, *group.gpu);
      const auto hostcall = words::hostcall(*group.answer, *group.gpu);
      if (!hostcall.empty()) line += ", " + hostcall;
    }
  }
  if (line.empty()) {
    line = inspection.libraries.empty() ? "no collective library was found"
                                        : words::count(inspection.libraries.size(), "file") +
                                              " looked into, and no GPU is known that it could be for";
  }
  return escape(line) + "\n";
}

}  // namespace gpucoop
