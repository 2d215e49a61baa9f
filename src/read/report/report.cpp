#include "read/report/report.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "read/report/document.hpp"
#include "read/report/hardware.hpp"

namespace gpucoop {
namespace {

using report_file::kMostParts;
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

/// Sets a value that the report shows as null to what the fact says: that there is no such thing.
template <class T>
void set_absent(Known<T>& value) {
  if (!value.is_known()) value = Known<T>::absent();
}

void tell_absent(Gpu& gpu, const std::string& id) {
  if (id == "gpu.driver") set_absent(gpu.driver);
  if (id == "slot.name") set_absent(gpu.slot);
  if (id == "bar.size") set_absent(gpu.bar_bytes);
  if (id == "link.rate") set_absent(gpu.link.gbytes_per_s);
  if (id == "link.ceiling") set_absent(gpu.link.ceiling_gbytes_per_s);
  if (id == "link.card") set_absent(gpu.link.card_gbytes_per_s);
  if (id == "atomics.requester_enabled") set_absent(gpu.atomics.requester_enabled);
}

void tell_absent(Pair& pair, const Fact& fact) {
  if (fact.value.is_absent() && fact.id == "acs.redirect") set_absent(pair.acs_redirect);
  if (fact.value.is_absent() && fact.id == "p2p.ceiling") set_absent(pair.ceiling_gbytes_per_s);
  const bool none = fact.value.is_absent() || fact.value.is(FactValue(false));
  if (none && fact.id == "fabric.direct") set_absent(pair.fabric);
}

/// In the views of GPUs and pairs null stands for unknown and for absent; the facts say which.
void tell_absent(Topology& topology) {
  std::map<Address, Gpu*> gpus;
  for (auto& gpu : topology.gpus) gpus.emplace(gpu.address, &gpu);
  std::map<std::pair<Address, Address>, Pair*> pairs;
  for (auto& pair : topology.pairs) pairs.emplace(std::minmax(pair.a, pair.b), &pair);
  for (const auto& fact : topology.facts) {
    const auto& of = fact.subject.of;
    if (of.size() == 1 && fact.value.is_absent()) {
      const auto gpu = gpus.find(of[0]);
      if (gpu != gpus.end()) tell_absent(*gpu->second, fact.id);
    } else if (of.size() == 2) {
      const auto pair = pairs.find(std::minmax(of[0], of[1]));
      if (pair != pairs.end()) tell_absent(*pair->second, fact);
    }
  }
}

/// Refuses what stands twice in a list: which of the two is meant is anybody's guess.
class Once {
 public:
  explicit Once(std::string what) : what_(std::move(what)) {}
  void add(const Node& node, const std::string& name) {
    if (!seen_.insert(name).second) node.fail("is the second " + what_ + " of " + name);
  }

 private:
  std::string what_;
  std::set<std::string> seen_;
};

std::string named(std::string id, std::vector<Address> set) {
  std::sort(set.begin(), set.end());
  id += '@';
  for (const auto& address : set) id += (id.back() == '@' ? "" : ",") + to_string(address);
  return id;
}

void read_pairs(Topology& topology, const Node& list) {
  Once once("pair");
  std::set<Address> gpus;
  for (const auto& gpu : topology.gpus) gpus.insert(gpu.address);
  list.each([&](const Node& node) {
    const auto pair = report_file::read_pair(node);
    for (const char* end : {"a", "b"}) {
      const auto address = node.at(end).address();
      if (gpus.count(address) == 0) node.at(end).fail("is no GPU of this report");
    }
    if (pair.a == pair.b) node.fail("pairs a GPU with itself");
    once.add(node, named("pair", {pair.a, pair.b}).substr(5));
    topology.pairs.push_back(pair);
  });
}

void read_facts(Topology& topology, const Node& list) {
  Once once("entry");
  list.each([&](const Node& node) {
    topology.facts.push_back(report_file::read_fact(node));
    const auto& fact = topology.facts.back();
    once.add(node, fact.subject.kind == SubjectKind::set ? named(fact.id, fact.subject.of) : reference(fact));
  });
}

void read_judgement(Judgement& judgement, const Node& document) {
  document.at("sets").each([&](const Node& node) {
    judgement.sets.push_back({node.at("gpus").addresses(), node.text_or_empty("why")});
  });
  Once modes("verdict");
  document.at("modes").each(
      [&](const Node& node) {
        judgement.modes.push_back(read_mode(node));
        modes.add(node, named(judgement.modes.back().id, judgement.modes.back().set));
      },
      kMostParts);
  Once engines("verdict");
  document.at("engines").each(
      [&](const Node& node) {
        judgement.engines.push_back(read_engine(node));
        engines.add(node, named(judgement.engines.back().id, judgement.engines.back().set));
      },
      kMostParts);
}

void fill(Report& report, const std::string& name, const Node& document) {
  report.taken_at = read_time(document.at("taken_at"));
  report.simulated = document.at("simulated").boolean();
  if (const auto measured = document.find("measured_at")) report.measured_at = read_time(*measured);
  auto& topology = report.topology;
  topology.host = report_file::read_host(document.at("host"));
  topology.sources = {{name, topology.host.source}};
  topology.lists_devices = true;
  Once gpus("GPU");
  document.at("gpus").each(
      [&](const Node& node) {
        topology.gpus.push_back(report_file::read_gpu(node));
        const auto& address = topology.gpus.back().address;
        if (is_simulated(address) && !report.simulated)
          node.fail("is a simulated device, and the report is of a real run");
        gpus.add(node, to_string(address));
      },
      kMostParts);
  read_pairs(topology, document.at("pairs"));
  read_facts(topology, document.at("facts"));
  tell_absent(topology);
  read_judgement(report.judgement, document);
  document.at("probes").each([&](const Node& node) { report.probes.push_back(report_file::read_run(node)); },
                             kMostParts);
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
