#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/report.hpp"
#include "render/page.hpp"
#include "render/render.hpp"

// The parts of the text view, in the order in which they are printed. Each puts nothing where it has nothing to say.
namespace gpucoop::text {

/// The answer as sentences, the first of them the headline; one entry for each set of GPUs that is judged.
struct Answer {
  std::string headline;
  std::string rest;
  Style style = Style::plain;
};
[[nodiscard]] std::vector<Answer> answers(const Report& report);

/// `03:00.0, 0b:00.0 and 12:00.0 alone can; 0e:00.0 stands in the way`: the best part of a set that as a whole cannot.
[[nodiscard]] std::string best_sentence(const BestSubset& best, const std::vector<Address>& whole);

void put_modes(Page& page, const Report& report, bool verbose);
/// What sharing the model would cost, for each set; only where a model was named.
void put_costs(Page& page, const Report& report, bool verbose);
void put_remedies(Page& page, const Report& report, bool verbose);
void put_gpus(Page& page, const Report& report, bool verbose);
void put_pairs(Page& page, const Report& report, bool verbose);
void put_unknowns(Page& page, const Report& report);
/// The causes in the kernel log, each with its first line.
void put_log(Page& page, const Report& report);
void put_warnings(Page& page, const Report& report, bool verbose);
/// What probes were run, when, and how they ended; that none was.
[[nodiscard]] std::string measured_sentence(const Report& report);
/// Every fact with its evidence.
void put_facts(Page& page, const Report& report);

/// The engines' ways of putting the modes to work; those of `mode` alone where one is named.
void put_engines(Page& page, const Report& report, const std::string& mode = {});
/// What to tell an engine: flags, variables, and what one would see otherwise.
void put_advice(Page& page, const EngineVerdict& way);
/// What the answer rests on, and where the word `mode` is explained; "": that of the headline.
void put_source(Page& page, const Report& report, std::string mode = {});

using FactsByName = std::unordered_map<std::string, const Fact*>;
[[nodiscard]] FactsByName by_name(const Report& report);
/// The facts that decide something, each with its evidence; the first few where there are many.
void put_deciding(Page& page, const FactsByName& facts, const std::vector<std::string>& decided_by);
/// `1. text`, with its price below.
void put_remedy(Page& page, const Remedy& remedy, std::size_t number);
inline constexpr std::size_t kRemedies = 4;  ///< as many as a reader will weigh; --verbose shows all
/// A command that settles something, with its remark in brackets below.
void put_command(Page& page, const std::string& lead, const std::string& command);

/// `used by llama-server (pid 812, user ai, llama.service, 21.3 GiB, 3 h)`: who uses the GPU, or nothing.
[[nodiscard]] std::string holders_sentence(const Gpu& gpu, bool verbose);
/// That not all processes can be seen, and what would show them; nothing where all are seen or nobody has looked.
struct HiddenHolders {
  std::string text;  ///< empty: they are known
  std::string next;  ///< what would show them; empty where nothing does
};
[[nodiscard]] HiddenHolders hidden_holders(const Report& report);

/// The mode that the headline is about: `tensor` where it is judged, else the first; null where none is.
[[nodiscard]] const ModeVerdict* main_mode(const Report& report, const std::vector<Address>& set);
/// Whether the GPU is in one of the sets.
[[nodiscard]] bool judged(const Report& report, const Gpu& gpu);
/// Works or is expected to, be it with limits.
[[nodiscard]] bool hopeful(const ModeVerdict& mode);
/// Whether one of the remedies already names the command (its first part).
[[nodiscard]] bool says(const std::vector<Remedy>& remedies, std::string_view command);
/// The code of a judgement's warning about a GPU that is in no set.
inline constexpr std::string_view kLeftOut = "set.left-out";

/// GPUs that can compute: those that the view is about.
[[nodiscard]] std::vector<const Gpu*> compute_gpus(const Topology& topology);
/// Whether AtomicOps decide anything for this GPU: they do for AMD alone.
[[nodiscard]] bool atomics_matter(const Gpu& gpu);

}  // namespace gpucoop::text
