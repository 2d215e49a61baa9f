#include <string>
#include <vector>

#include "base/version.hpp"
#include "render/inspect.hpp"
#include "render/json_value.hpp"

namespace gpucoop {
namespace {

using json::Value;

template <class List, class Make>
Value each(const List& list, Make make) {
  Value result = Value::array();
  for (const auto& item : list) result.push_back(make(item));
  return result;
}

Value texts(const std::vector<std::string>& list) {
  return each(list, [](const std::string& text) { return Value(text); });
}

Value warning(const Warning& w) { return {{"code", w.code}, {"text", w.text}, {"where", json::text(w.where)}}; }

Value gpu(const InspectedGpu& g) {
  return {{"address", to_string(g.address)},
          {"name", json::known(g.name)},
          {"vendor", to_string(g.vendor)},
          {"target", json::text(g.target)},
          {"atomics", to_string(g.atomics)}};
}

Value target(const CodeTarget& t) {
  const bool lists = t.vendor == Vendor::amd;
  return {{"name", t.name},
          {"vendor", to_string(t.vendor)},
          {"form", to_string(t.form)},
          {"ptx_version", json::text(t.ptx_version)},
          {"code_objects", t.code_objects},
          {"unread", t.unread},
          {"bytes", t.bytes},
          {"kernels", lists ? Value(t.kernels) : Value(nullptr)},
          {"hostcall_kernels", lists ? Value(t.hostcall_kernels) : Value(nullptr)},
          {"hostcall_names", texts(t.hostcall_names)}};
}

Value answer(const LibraryAnswer& a) {
  return {{"gpu", to_string(a.gpu)},
          {"code", a.code},
          {"why", json::text(a.why)},
          {"targets", texts(a.targets)},
          {"kernels", a.hostcall_kernels.is_known() ? Value(a.kernels) : Value(nullptr)},
          {"hostcall_kernels", json::known(a.hostcall_kernels)},
          {"hostcall_names", texts(a.hostcall_names)},
          {"needs_atomics", to_string(a.needs_atomics)}};
}

Value archive(const KpackFile& a) { return {{"path", a.path}, {"found", a.found}, {"target", json::text(a.target)}}; }

Value library(const InspectedLibrary& inspected) {
  const auto& installed = inspected.installed;
  const auto& l = installed.library;
  return {{"path", l.path},
          {"found_by", to_string(installed.found_by)},
          {"found", json::text(installed.place)},
          {"also_found", texts(inspected.also)},
          {"kind", to_string(l.kind)},
          {"vendor", to_string(l.vendor)},
          {"soname", json::text(l.soname)},
          {"version", json::known(l.version)},
          {"version_of", json::text(l.version_of)},
          {"sha256", json::text(l.sha256)},
          {"size", l.size},
          {"packaging", to_string(l.packaging)},
          {"complete", l.complete},
          {"targets", each(l.targets, target)},
          {"archives", each(l.kpacks, archive)},
          {"plugins", texts(l.plugins)},
          {"answers", each(inspected.answers, answer)},
          {"warnings", each(l.warnings, warning)}};
}

}  // namespace

std::string render_inspection_json(const Inspection& inspection) {
  Value document = {{"schema", "gpucoop.inspection/1"},
                    {"tool", {{"name", "gpucoop"}, {"version", kVersion}}},
                    {"live", inspection.live},
                    {"gpus", each(inspection.gpus, gpu)},
                    {"searched", inspection.searched},
                    {"looked_in", texts(inspection.looked_in)},
                    {"libraries", each(inspection.libraries, library)},
                    {"warnings", each(inspection.warnings, warning)}};
  return document.dump(2, ' ', false, Value::error_handler_t::replace) + "\n";
}

}  // namespace gpucoop
