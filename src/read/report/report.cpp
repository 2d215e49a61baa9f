#include "read/report/report.hpp"

#include <map>
#include <utility>

#include "read/report/document.hpp"
#include "read/report/hardware.hpp"

namespace gpucoop {
namespace {

using report_file::Node;

/// `expected` is null where nothing is, and wherever the state is no question.
Known<ModeState> read_expected(const Node& node) {
  const auto expected = node.find("expected");
  return expected ? Known<ModeState>(expected->word<ModeState>()) : Known<ModeState>();
}

ModeVerdict read_mode(const Node& node) {
  ModeVerdict mode;
  mode.id = node.at("id").text();
  mode.title = node.text_or_empty("title");
  mode.set = node.at("set").addresses();
  mode.state = node.at("state").word<ModeState>();
  mode.expected = read_expected(node);
  mode.why = node.text_or_empty("why");
  if (const auto decided = node.find("decided_by")) mode.decided_by = decided->texts();
  return mode;
}

EngineVerdict read_engine(const Node& node) {
  EngineVerdict verdict;
  verdict.engine = node.at("engine").text();
  verdict.mode = node.at("mode").text();
  verdict.id = node.text_or_empty("id");
  if (verdict.id.empty()) verdict.id = verdict.engine + "." + verdict.mode;
  verdict.title = node.text_or_empty("title");
  verdict.set = node.at("set").addresses();
  verdict.state = node.at("state").word<ModeState>();
  verdict.expected = read_expected(node);
  verdict.why = node.text_or_empty("why");
  return verdict;
}

/// In the views of a GPU null stands for unknown and for absent; the facts say which.
void tell_absent(Topology& topology) {
  std::map<Address, Gpu*> gpus;
  for (auto& gpu : topology.gpus) gpus.emplace(gpu.address, &gpu);
  std::map<std::pair<Address, Address>, Pair*> pairs;
  for (auto& pair : topology.pairs) pairs.emplace(std::minmax(pair.a, pair.b), &pair);
  for (const auto& fact : topology.facts) {
    const auto& of = fact.subject.of;
    const auto gpu = of.size() == 1 ? gpus.find(of[0]) : gpus.end();
    if (gpu != gpus.end() && fact.value.is_absent()) {
      if (fact.id == "gpu.driver") gpu->second->driver = Known<std::string>::absent();
      if (fact.id == "slot.name") gpu->second->slot = Known<std::string>::absent();
    }
    if (of.size() == 2 && fact.id == "fabric.direct" && fact.value.is(FactValue(false))) {
      const auto pair = pairs.find(std::minmax(of[0], of[1]));
      if (pair != pairs.end()) pair->second->fabric = Known<Fabric>::absent();
    }
  }
}

void fill(Report& report, const std::string& name, const Node& document) {
  report.taken_at = read_time(document.at("taken_at"));
  report.simulated = document.at("simulated").boolean();
  if (const auto measured = document.find("measured_at")) report.measured_at = read_time(*measured);
  auto& topology = report.topology;
  topology.host = report_file::read_host(document.at("host"));
  topology.sources = {{name, topology.host.source}};
  topology.lists_devices = true;
  document.at("gpus").each([&](const Node& node) { topology.gpus.push_back(report_file::read_gpu(node)); });
  document.at("pairs").each([&](const Node& node) { topology.pairs.push_back(report_file::read_pair(node)); });
  document.at("facts").each([&](const Node& node) { topology.facts.push_back(report_file::read_fact(node)); });
  tell_absent(topology);
  auto& judgement = report.judgement;
  document.at("sets").each([&](const Node& node) {
    judgement.sets.push_back({node.at("gpus").addresses(), node.text_or_empty("why")});
  });
  document.at("modes").each([&](const Node& node) { judgement.modes.push_back(read_mode(node)); });
  document.at("engines").each([&](const Node& node) { judgement.engines.push_back(read_engine(node)); });
  document.at("probes").each([&](const Node& node) { report.probes.push_back(report_file::read_run(node)); });
}

}  // namespace

bool is_report(std::string_view bytes) {
  constexpr std::string_view kBlanks = " \t\r\n";
  if (bytes.substr(0, 3) == "\xef\xbb\xbf") bytes.remove_prefix(3);
  const auto first = bytes.find_first_not_of(kBlanks);
  return first != std::string_view::npos && bytes[first] == '{' &&
         bytes.find("\"gpucoop.report/") != std::string_view::npos;
}

Result<Report> read_report(const std::string& name, std::string_view bytes) {
  Report report;
  if (auto error =
          report_file::with_document(name, bytes, [&](const Node& document) { fill(report, name, document); })) {
    return *error;
  }
  return report;
}

}  // namespace gpucoop
