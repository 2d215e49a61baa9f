#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyse/library_facts.hpp"
#include "command.hpp"
#include "libraries.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pipeline.hpp"
#include "render/inspect.hpp"
#include "streams.hpp"

namespace gpucoop {
namespace {

struct InspectCommand {
  std::vector<std::string> files;
  std::vector<std::string> environments;
  std::optional<std::string> root;
  InputOptions input;
  OutputOptions output;
};

Status conflict(const InspectCommand& options) {
  if (auto error = conflict(options.output)) return error;
  if (auto error = conflict(options.input)) return error;
  if (!options.files.empty() && (options.root || !options.environments.empty())) {
    return Error{ExitCode::usage, "--env and --root say where to look, and the files are named already", "",
                 "leave out the files, or the options"};
  }
  return std::nullopt;
}

LibrarySearch search_of(const InspectCommand& options) {
  LibrarySearch search;
  search.environments = options.environments;
  if (options.root && std::filesystem::path(*options.root).lexically_normal() != "/") search.root = *options.root;
  if (search.root == "/") take_environment(search);
  return search;
}

std::vector<std::string> places_of(const LibrarySearch& search) {
  std::vector<std::string> places;
  if (search.root != "/") places.push_back("below " + search.root);
  places.emplace_back("the loader's cache (/etc/ld.so.cache)");
  if (!search.library_path.empty()) places.emplace_back("LD_LIBRARY_PATH");
  for (const auto& environment : search.environments) places.push_back(environment);
  for (const auto& active : {search.virtual_env, search.conda_prefix}) {
    if (!active.empty()) places.push_back(active);
  }
  places.emplace_back("the system's Python");
  places.emplace_back("the system's folders of libraries");
  places.emplace_back("/opt/rocm*");
  places.emplace_back("/opt/intel/oneapi");
  return places;
}

Result<Inspection> inspected(const InspectCommand& options, const Topology& topology) {
  if (!options.files.empty()) {
    auto libraries = inspect_named(options.files, topology, true);
    if (!libraries) return libraries.error();
    return inspection_of(std::move(libraries).value(), topology);
  }
  const auto search = search_of(options);
  auto host = inspect_found(search, false, topology, true);
  if (!host) return host.error();
  auto inspection = inspection_of(std::move(host.value().libraries), topology);
  inspection.searched = true;
  inspection.looked_in = places_of(search);
  inspection.warnings = std::move(host.value().warnings);
  return inspection;
}

std::string rendered(const Inspection& inspection, const OutputOptions& options) {
  if (options.format == Format::json) return render_inspection_json(inspection);
  if (options.quiet) return render_inspection_line(inspection);
  TextOptions text;
  text.color = wants_color(options);
  text.verbose = options.verbose;
  return render_inspection_text(inspection, text);
}

ExitCode run_inspect(const InspectCommand& options) {
  if (const auto error = conflict(options)) return fail(*error);
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  // A library can be looked into on a host without GPUs, and where its devices cannot be read.
  auto report = load_report(options.input, builtin_rules());
  if (!report && options.input.named()) return fail(report.error());
  const auto topology = report ? std::move(report.value().topology) : Topology();
  const auto inspection = inspected(options, topology);
  if (!inspection) return fail(inspection.error());
  if (const auto error = output.value().finish(rendered(inspection.value(), options.output))) return fail(*error);
  return ExitCode::ok;
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  auto options = std::make_shared<InspectCommand>();
  options->input.own_libraries = true;
  CLI::App* command = app.add_subcommand("inspect", "What collective libraries carry for the GPUs");
  command
      ->add_option("FILE", options->files,
                   "Libraries to look into (librccl, libnccl, …);\nwith none, those that this host would load")
      ->type_name("");
  command
      ->add_option("--env", options->environments,
                   "Look in this Python environment, too (pip or\nconda); an active one is found without. Repeat it\n"
                   "for more.")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command
      ->add_option("--root", options->root,
                   "Look below this folder as if it were `/`: the\nfiles of a container or of another system")
      ->type_name("DIR");
  add_input_options(*command, options->input);
  add_output_options(*command, options->output);
  command->callback([options, &action] { action = [options] { return run_inspect(*options); }; });
}

}  // namespace gpucoop
