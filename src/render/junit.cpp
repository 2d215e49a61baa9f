#include "render/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "render/escape.hpp"
#include "render/words.hpp"

namespace gpucoop {
namespace {

/// Character data or the value of an attribute. XML 1.0 has no way to hold control characters or the noncharacters
/// U+FFFE and U+FFFF; the former are escaped as in text, the latter replaced.
std::string xml(std::string_view text) {
  std::string result;
  std::string safe = escape(text);
  for (const char* none : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    for (auto at = safe.find(none); at != std::string::npos; at = safe.find(none, at)) {
      safe.replace(at, 3, "\xef\xbf\xbd");
    }
  }
  for (const char c : safe) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string lines(const std::vector<std::string>& texts) {
  std::string result;
  for (const auto& text : texts) result += xml(text) + '\n';
  return result;
}

std::string host_name(const Report& report) {
  const Topology& t = report.topology;
  if (t.host.board.is_known()) return t.host.board.value();
  if (t.host.label.is_known()) return t.host.label.value();
  for (const Source& source : t.sources) {
    if (source.kind != SourceKind::live) return source.file == "-" ? "standard input" : source.file;
  }
  return "this host";
}

std::string gpus_of(const RequirementVerdict& verdict) {
  return verdict.set.empty() ? "no GPU" : words::list(verdict.set, 16);
}

std::vector<std::string> details(const Report& report, const RequirementVerdict& verdict) {
  std::vector<std::string> texts;
  if (!verdict.why.empty()) texts.push_back(words::sentence(verdict.why));
  for (const Remedy& remedy : report.judgement.remedies) {
    if (std::find(verdict.remedies.begin(), verdict.remedies.end(), remedy.id) == verdict.remedies.end()) continue;
    texts.push_back("What would change it: " + words::sentence(remedy.text));
  }
  if (verdict.state == ModeState::unknown && verdict.settled_by.is_known()) {
    texts.push_back("What would prove it: " + verdict.settled_by.value());
  }
  return texts;
}

enum class Kind { passed, failure, error };

Kind kind_of(const Verdict& verdict, const RequirementVerdict& one) {
  if (verdict.exit_code == ExitCode::no_gpu || one.exit_code == ExitCode::hung) return Kind::error;
  return one.exit_code == ExitCode::ok ? Kind::passed : Kind::failure;
}

/// `no`, `degraded`, `unknown`, `hung`: what failed, in one word.
std::string_view type_of(const Verdict& verdict, const RequirementVerdict& one) {
  if (verdict.exit_code == ExitCode::no_gpu) return "no-gpu";
  switch (one.exit_code) {
    case ExitCode::hung: return "hung";
    case ExitCode::no: return "no";
    case ExitCode::degraded: return "degraded";
    default: return "unknown";
  }
}

std::string test_case(const Report& report, const Verdict& verdict, const RequirementVerdict& one) {
  std::string text =
      fmt::format("    <testcase name=\"{}\" classname=\"{}\"", xml(to_string(one.requirement)), xml(gpus_of(one)));
  const Kind kind = kind_of(verdict, one);
  const std::string body = lines(details(report, one));
  if (kind == Kind::passed) {
    if (!one.accepted) return text + "/>\n";
    return text + fmt::format(">\n      <system-out>expected, unproven\n{}</system-out>\n    </testcase>\n", body);
  }
  const char* element = kind == Kind::error ? "error" : "failure";
  return text + fmt::format(">\n      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n    </testcase>\n", element,
                            type_of(verdict, one), xml(outcome(one)), body);
}

}  // namespace

std::string render_junit(const Report& report, const Verdict& verdict) {
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::string cases;
  for (const RequirementVerdict& one : verdict.requirements) {
    const Kind kind = kind_of(verdict, one);
    failures += kind == Kind::failure ? 1 : 0;
    errors += kind == Kind::error ? 1 : 0;
    cases += test_case(report, verdict, one);
  }
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", verdict.requirements.size(), failures, errors);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpucoop\" {0}>\n  <testsuite name=\"{1}\" {0} "
      "skipped=\"0\" timestamp=\"{2}\">\n{3}  </testsuite>\n</testsuites>\n",
      counts, xml(host_name(report)), xml(report.taken_at), cases);
}

}  // namespace gpucoop
