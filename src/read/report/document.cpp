#include "read/report/document.hpp"

#include <unordered_set>
#include <vector>

#include "read/recording/bounds.hpp"
#include "read/recording/form.hpp"
#include "read/recording/problems.hpp"
#include "read/text.hpp"

namespace gpucoop::report_file {
namespace {

constexpr const char* kAgain = "make the report again: --format json -o FILE";
constexpr std::string_view kSchema = "gpucoop.report/1";

void check_schema(const Node& document) {
  const auto schema = document.find("schema");
  if (!schema) document.fail("is JSON, but no report: the key `schema` is missing");
  const auto text = schema->text();
  if (text == kSchema) return;
  if (starts_with(text, "gpucoop.report/")) {
    schema->fail("is a report of a format that this version does not know", "read it with a newer gpucoop");
  }
  schema->fail("is JSON, but no report of gpucoop");
}

/// Refuses a key that stands twice in an object: readers differ in which one they take.
class KeysOnce {
 public:
  bool operator()(int /*depth*/, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) open_.emplace_back();
    if (event == Json::parse_event_t::object_end) open_.pop_back();
    if (event == Json::parse_event_t::key && !open_.back().insert(parsed.get_ref<const std::string&>()).second) {
      throw Mistake{
          "has the key `" + parsed.get_ref<const std::string&>().substr(0, 40) + "` twice in one object", {}, {}};
    }
    return true;
  }

 private:
  std::vector<std::unordered_set<std::string>> open_;
};

}  // namespace

Status with_document(const std::string& name, std::string_view bytes, const std::function<void(const Node&)>& use) {
  const auto broken = [&](std::size_t at, std::string what) {
    return recording_file::not_json(name, bytes, at, std::move(what),
                                    "copy the report again, whole, or make it again: --format json -o FILE");
  };
  if (const auto excess = recording_file::find_excess(bytes, "report")) return broken(excess->at, excess->what);
  try {
    const Json document = Json::parse(bytes, KeysOnce());
    const Node root(document);
    if (!document.is_object()) root.fail("is no JSON object");
    check_schema(root);
    use(root);
    return std::nullopt;
  } catch (const Mistake& mistake) {
    return Error{ExitCode::bad_input, mistake.what, mistake.pointer.empty() ? name : name + ": " + mistake.pointer,
                 mistake.next.empty() ? kAgain : mistake.next};
  } catch (const Json::parse_error& error) {
    const bool end = error.byte > bytes.size();
    return broken(error.byte == 0 ? 0 : error.byte - 1,
                  end ? "ends in the middle: the report is not whole" : "is no JSON from here on");
  } catch (const Json::exception&) {
    return broken(0, "holds a number or text that JSON does not have");
  }
}

std::string read_time(const Node& node) {
  auto time = recording_file::admitted(recording_file::Form::time, node.text());
  if (time.empty()) node.fail("has to be a time such as 2026-11-30T06:44:55Z");
  return time;
}

namespace {

FactValue read_value(const Node& node) {
  if (node.is_boolean()) return node.boolean();
  if (node.is_number()) return node.number();
  if (node.is_text()) return node.text();
  node.fail("has to be true, false, a number or text");
}

}  // namespace

Fact read_fact(const Node& node) {
  Fact fact;
  fact.id = node.at("id").text();
  const auto subject = node.at("subject");
  fact.subject.kind = subject.at("kind").word<SubjectKind>();
  fact.subject.of = subject.at("of").addresses();
  const auto status = node.at("status");
  const auto word = status.text();
  if (word == "known") {
    fact.value = read_value(node.at("value"));
  } else if (word == "absent") {
    fact.value = Known<FactValue>::absent();
  } else if (word == "unknown") {
    fact.value = Known<FactValue>::unknown(node.at("reason").word<Reason>());
  } else {
    status.fail("has to be known, absent or unknown");
  }
  fact.tier = node.at("tier").word<Tier>();
  fact.evidence = node.text_or_empty("evidence");
  return fact;
}

ProbeRun read_run(const Node& node) {
  ProbeRun run;
  run.rung = node.at("rung").label();
  run.op = node.label_or_empty("op");
  node.at("gpus").each([&](const Node& gpu) {
    const auto text = gpu.text();
    const bool simulated = starts_with(text, "host:") && parse_decimal(text.substr(5)).has_value();
    run.gpus.push_back(simulated ? text : to_string(gpu.address()));
  });
  if (const auto ranks = node.find("ranks")) run.ranks = ranks->small_whole();
  run.backend = node.label_or_empty("backend");
  run.variant = node.label_or_empty("variant");
  run.state = node.at("state").word<ProbeState>();
  run.reason = node.text_or_empty("reason");
  run.bytes = node.known_whole("bytes");
  run.dtype = node.label_or_empty("dtype");
  run.wrong_words = node.known_whole("wrong_words");
  run.seconds = node.known_amount("seconds");
  run.deadline_s = node.known_amount("deadline_s");
  run.latency_us = node.known_amount("latency_us");
  run.gbytes_per_s = node.known_amount("gbytes_per_s");
  run.bus_gbytes_per_s = node.known_amount("bus_gbytes_per_s");
  run.transport = node.label_or_empty("transport");
  if (const auto library = node.find("library")) {
    run.library_name = library->at("name").label();
    run.library_version = library->label_or_empty("version");
  }
  if (const auto simulated = node.find("simulated")) run.simulated = simulated->boolean();
  if (const auto findings = node.find("findings")) run.findings = findings->texts();
  if (const auto facts = node.find("facts")) run.facts = facts->texts();
  return run;
}

}  // namespace gpucoop::report_file
