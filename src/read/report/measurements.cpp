#include <algorithm>

#include "read/recording/recording.hpp"
#include "read/report/document.hpp"
#include "read/report/report.hpp"
#include "read/text.hpp"

namespace gpucoop {
namespace {

using report_file::Node;

FactType type_of(const FactValue& value) {
  if (std::holds_alternative<bool>(value)) return FactType::boolean;
  return std::holds_alternative<double>(value) ? FactType::number : FactType::text;
}

std::size_t members_of(SubjectKind kind) {
  if (kind == SubjectKind::host) return 0;
  return kind == SubjectKind::pair || kind == SubjectKind::link ? 2 : 1;
}

/// `ccl.allreduce@A,B` as facts are cited: addresses in full, those of a set in order. What names no fact stays.
std::string cited(const std::string& name, const Rules& rules) {
  const auto at = name.find('@');
  const auto* rule = at == std::string::npos ? nullptr : find_fact_rule(rules, name.substr(0, at));
  if (rule == nullptr) return name;
  Fact fact;
  fact.id = rule->id;
  for (std::size_t begin = at + 1; begin < name.size();) {
    const auto end = std::min(name.find(',', begin), name.size());
    const auto address = parse_address(name.substr(begin, end - begin));
    if (!address) return name;
    fact.subject.of.push_back(*address);
    begin = end + 1;
  }
  if (rule->subject == SubjectKind::set) std::sort(fact.subject.of.begin(), fact.subject.of.end());
  return reference(fact);
}

void check_subject(const Node& node, const Fact& fact, const FactRule& rule) {
  const auto subject = node.at("subject");
  if (fact.subject.kind != rule.subject) {
    subject.at("kind").fail("`" + rule.id + "` is about a " + std::string(to_string(rule.subject)));
  }
  const auto& of = fact.subject.of;
  const bool set = rule.subject == SubjectKind::set;
  if (set ? of.empty() : of.size() != members_of(rule.subject)) {
    subject.at("of").fail("has not as many addresses as a " + std::string(to_string(rule.subject)) + " has");
  }
  auto sorted = of;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) subject.at("of").fail("names a GPU twice");
}

class Taker {
 public:
  Taker(const std::string& name, const Rules& rules) : name_(name), rules_(rules) {}

  void take(const Node& document) {
    if (document.at("simulated").boolean()) document.at("simulated").fail(kSimulated, kRealNext);
    auto& measured = results_.measured;
    const auto host = document.at("host");
    measured.fingerprint = host.text_or_empty("fingerprint");
    const auto own = document.find("measured_at");
    measured.taken_at = read_time(own ? *own : document.at("taken_at"));
    document.at("probes").each([&](const Node& node) { take_run(node); }, report_file::kMostParts);
    document.at("facts").each([&](const Node& node) { take_fact(node); });
    if (measured.empty()) {
      document.fail("holds no results: nothing was probed or asked of a driver", "give the report of a probe");
    }
    if (measured.fingerprint.empty()) host.fail("has no `fingerprint`, so the results may be of any host");
    if (unknown_ > 0) {
      // Their names stay out of it: the warning gets into recordings, and the names are of another program.
      results_.warnings.push_back({"probe-results.unknown-fact",
                                   std::to_string(unknown_) + (unknown_ == 1 ? " fact" : " facts") +
                                       " of the results of probes " + (unknown_ == 1 ? "is" : "are") +
                                       " not known to this version and left out; a newer one may have made them.",
                                   name_});
    }
  }

  [[nodiscard]] ProbeResults results() && { return std::move(results_); }

 private:
  static constexpr const char* kSimulated = "is of a simulated run, which says nothing about GPUs";
  static constexpr const char* kRealNext = "probe the GPUs themselves, without `--backend host`";

  void take_run(const Node& node) {
    auto run = report_file::read_run(node);
    const bool host =
        std::any_of(run.gpus.begin(), run.gpus.end(), [](const std::string& gpu) { return starts_with(gpu, "host:"); });
    if (run.simulated || host) node.fail(kSimulated, kRealNext);
    for (auto& fact : run.facts) fact = cited(fact, rules_);
    results_.measured.runs.push_back(std::move(run));
  }

  void take_fact(const Node& node) {
    const auto id = node.at("id").text();
    const auto* rule = find_fact_rule(rules_, id);
    if (rule == nullptr) {
      ++unknown_;
      return;
    }
    if (rule->tier == Tier::static_) return;
    auto fact = report_file::read_fact(node);
    const auto& of = fact.subject.of;
    if (std::any_of(of.begin(), of.end(), is_simulated)) node.fail(kSimulated, kRealNext);
    if (fact.tier == Tier::static_ || fact.value.is_unknown()) return;
    check_subject(node, fact, *rule);
    if (fact.value.is_known() && type_of(fact.value.value()) != rule->type) {
      node.at("value").fail("`" + id + "` has to be " +
                            (rule->type == FactType::boolean  ? "true or false"
                             : rule->type == FactType::number ? "a number"
                                                              : "text"));
    }
    if (fact.value.is_absent() && node.find("value")) node.at("value").fail("is given, though `status` is absent");
    if (rule->subject == SubjectKind::set) std::sort(fact.subject.of.begin(), fact.subject.of.end());
    results_.measured.facts.push_back(std::move(fact));
  }

  const std::string& name_;
  const Rules& rules_;
  ProbeResults results_;
  std::size_t unknown_ = 0;
};

bool says_recording(std::string_view bytes) {
  return bytes.find("\"gpucoop.recording/") != std::string_view::npos &&
         bytes.find("\"gpucoop.report/") == std::string_view::npos;
}

Result<ProbeResults> embedded(const std::string& name, std::string_view bytes) {
  auto recording = read_recording(name, bytes);
  if (!recording) return recording.error();
  if (recording.value().measured.empty()) {
    return Error{ExitCode::bad_input, "is a recording without results of probes", name,
                 "give the report of a probe, or a recording that `gpucoop record --probe-results` made"};
  }
  return ProbeResults{std::move(recording.value().measured), {}};
}

}  // namespace

Result<ProbeResults> read_measurements(const std::string& name, std::string_view bytes, const Rules& rules) {
  if (says_recording(bytes)) return embedded(name, bytes);
  Taker taker(name, rules);
  if (auto error = report_file::with_document(name, bytes, [&](const Node& document) { taker.take(document); })) {
    return *error;
  }
  return std::move(taker).results();
}

}  // namespace gpucoop
