#include <algorithm>

#include "render/text_parts.hpp"
#include "render/words.hpp"

namespace gpucoop::text {
namespace {

std::string kind_of(const Report& report, const std::vector<Address>& set) {
  Vendor vendor = Vendor::other;
  bool same = true;
  bool integrated = !set.empty();
  for (std::size_t i = 0; i < set.size(); ++i) {
    const Gpu* gpu = find_gpu(report.topology, set[i]);
    if (gpu == nullptr) continue;
    same = same && (i == 0 || gpu->vendor == vendor);
    vendor = gpu->vendor;
    integrated = integrated && gpu->integrated;
  }
  if (!set.empty() && std::all_of(set.begin(), set.end(), is_simulated)) return "simulated device";
  const std::string maker = same ? words::vendor(vendor) : "";
  return (integrated ? "integrated " : "") + maker + (maker.empty() ? "GPU" : " GPU");
}

const ModeVerdict* find_mode(const Report& report, const std::vector<Address>& set, std::string_view id) {
  for (const ModeVerdict& mode : report.judgement.modes) {
    if (mode.set == set && (id.empty() || mode.id == id)) return &mode;
  }
  return nullptr;
}

/// The modes that are left, grouped by how sure they are: `layer-split and data-parallel (should work, not proven)`.
std::string what_is_left(const Report& report, const std::vector<Address>& set) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const ModeVerdict& mode : report.judgement.modes) {
    if (mode.set != set || !hopeful(mode)) continue;
    const std::string state = words::state(mode);
    const auto it = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == state; });
    if (it == groups.end()) {
      groups.push_back({state, {mode.id}});
    } else {
      it->second.push_back(mode.id);
    }
  }
  std::string text;
  for (const auto& [state, ids] : groups) {
    text += (text.empty() ? "What is left: " : "; ") + words::list(ids) + " (" + state + ")";
  }
  return text.empty() ? text : text + ".";
}

Answer answer_for(const Report& report, const GpuSet& set) {
  Answer answer;
  const std::string who =
      words::count(set.gpus.size(), kind_of(report, set.gpus)) + " (" + words::list(set.gpus, 4) + ")";
  const ModeVerdict* mode = main_mode(report, set.gpus);
  if (mode == nullptr) {
    answer.headline = words::sentence(who);
    answer.rest = words::sentence(set.why);
    return answer;
  }
  answer.style = words::style(*mode);
  const std::string title = mode->id == "tensor" ? "tensor parallelism" : mode->id;
  const bool alone = set.gpus.size() == 1 && mode->state == ModeState::no;
  answer.headline =
      who + ": " + (alone ? "no second one to share work with" : title + " " + words::predicate(*mode)) + ".";
  answer.rest = words::sentence(mode->why);
  if (mode->best) answer.rest += " " + words::sentence(best_sentence(*mode->best, set.gpus));
  if (!hopeful(*mode)) {
    const std::string left = what_is_left(report, set.gpus);
    if (!left.empty()) answer.rest += (answer.rest.empty() ? "" : " ") + left;
  }
  return answer;
}

Answer without_sets(const Report& report) {
  const Topology& t = report.topology;
  const auto gpus = compute_gpus(t);
  if (!gpus.empty()) {
    std::vector<Address> which;
    which.reserve(gpus.size());
    for (const Gpu* gpu : gpus) which.push_back(gpu->address);
    std::string why;
    for (const Warning& warning : report.judgement.warnings) {
      if (warning.code == kLeftOut) why += (why.empty() ? "" : " ") + words::sentence(warning.text);
    }
    return {words::count(gpus.size(), "GPU") + " (" + words::list(which, 4) + "), none of which can be put to work.",
            why, Style::bad};
  }
  const bool live = t.host.source == SourceKind::live;
  if (!t.lists_devices && live) {
    return {"No answer: the kernel lists no PCI devices here.", "In a container: run gpucoop on the host.",
            Style::warning};
  }
  if (!t.lists_devices) {
    return {"No answer: the input lists no PCI devices.",
            "On the host: sudo lspci -D -nnvvvxxxx > host.txt, then gpucoop topo --from host.txt", Style::warning};
  }
  const std::string displays = t.gpus.empty() ? "" : " The only graphics device is a display that cannot compute.";
  if (t.listing_complete.is(true)) return {"No GPU in this host.", "The listing is complete." + displays, Style::bad};
  if (live)
    return {"No GPU among the devices that may be read here.", "There may be others." + displays, Style::warning};
  return {"No GPU in this input.", "It may not list every device of the host." + displays, Style::warning};
}

}  // namespace

const ModeVerdict* main_mode(const Report& report, const std::vector<Address>& set) {
  const ModeVerdict* tensor = find_mode(report, set, "tensor");
  return tensor != nullptr ? tensor : find_mode(report, set, "");
}

bool judged(const Report& report, const Gpu& gpu) {
  const auto& sets = report.judgement.sets;
  return std::any_of(sets.begin(), sets.end(), [&](const GpuSet& set) {
    return std::find(set.gpus.begin(), set.gpus.end(), gpu.address) != set.gpus.end();
  });
}

bool hopeful(const ModeVerdict& mode) {
  const ModeState outlook = likely(mode.state, mode.expected);
  return outlook == ModeState::yes || outlook == ModeState::degraded;
}

std::vector<Answer> answers(const Report& report) {
  std::vector<Answer> result;
  for (const GpuSet& set : report.judgement.sets) result.push_back(answer_for(report, set));
  if (result.empty()) result.push_back(without_sets(report));
  return result;
}

}  // namespace gpucoop::text
