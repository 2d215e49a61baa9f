#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "read/recording/recording.hpp"
#include "recording_sample.hpp"

// The schema is what the tables say. GPUCOOP_UPDATE=1 writes it again after a change of the model.

using namespace gpucoop;
using namespace gpucoop::recording_sample;

namespace {

using Json = nlohmann::ordered_json;

class Schema {
 public:
  Json document() {
    Json root = object<Recording>();
    Json result = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"$id", "https://gpucoop.invalid/schema/recording-1.json"},
                   {"title", "gpucoop.recording/1"},
                   {"description",
                    "What gpucoop read about the GPUs of one host, nothing concluded. A key that is missing: not in "
                    "the input. null: the hardware or the source says that there is no such thing. {\"unknown\": "
                    "REASON}: it could not be read."},
                   {"$comment", "Written from the tables of src/read/recording. Keys may be added within /1."},
                   {"type", "object"}};
    result["required"] = {"schema", "tool", "sources"};
    result["properties"] = {
        {"schema", {{"const", kRecordingSchema}}},
        {"tool",
         {{"type", "object"},
          {"required", {"name", "version"}},
          {"properties",
           {{"name", {{"const", "gpucoop"}}},
            {"version", {{"type", "string"}, {"pattern", "^[0-9]+\\.[0-9]+\\.[0-9]+"}}}}}}},
        {"sources", {{"type", "array"}, {"items", {{"type", "string"}, {"pattern", "^[a-z-]+$"}}}}}};
    for (auto& [key, value] : root["properties"].items()) result["properties"][key] = value;
    definitions_["address"] = {{"type", "string"}, {"pattern", std::string(pattern_of(Form::where))}};
    Json reasons = Json::array();
    for (const auto reason : Values<Reason>::all) reasons.push_back(to_string(reason));
    definitions_["unknown"] = {{"type", "object"},
                               {"required", {"unknown"}},
                               {"additionalProperties", false},
                               {"properties", {{"unknown", {{"enum", reasons}}}}}};
    result["$defs"] = Json::object();
    for (const auto& [name, value] : definitions_) result["$defs"][name] = value;
    return result;
  }

 private:
  template <class T>
  Json object() {
    Json properties = Json::object();
    Json required = Json::array();
    for_each_row<T>([&](const auto& row) {
      using Row = std::decay_t<decltype(row)>;
      if constexpr (Row::kRecorded) {
        using M = typename Row::Type;
        properties[std::string(row.key)] = value<M>(row.form);
        constexpr bool optional = IsKnown<M>::value || IsVector<M>::value || HasTable<M> || std::is_same_v<M, bool> ||
                                  std::is_same_v<M, std::string> || std::is_same_v<M, char>;
        if (!optional || row.needed) required.push_back(row.key);
      }
    });
    Json result = {{"type", "object"}};
    if (!required.empty()) result["required"] = required;
    result["properties"] = properties;
    return result;
  }

  template <class T>
  Json value(Form form) {
    if constexpr (IsKnown<T>::value) {
      return {{"anyOf", {value<typename IsKnown<T>::Inside>(form), {{"type", "null"}}, {{"$ref", "#/$defs/unknown"}}}}};
    } else if constexpr (IsVector<T>::value) {
      return {{"type", "array"}, {"items", value<typename IsVector<T>::Inside>(form)}};
    } else if constexpr (HasTable<T>) {
      if (definitions_.count(Table<T>::name) == 0) {
        auto inside = object<T>();
        // An object of one key `unknown` is no such thing: that one has no other meaning.
        inside["not"] = {{"required", {"unknown"}}};
        definitions_[Table<T>::name] = std::move(inside);
      }
      return {{"$ref", std::string("#/$defs/") + Table<T>::name}};
    } else if constexpr (std::is_same_v<T, std::string>) {
      return {{"type", "string"}, {"pattern", std::string(pattern_of(form))}};
    } else if constexpr (std::is_same_v<T, FactValue>) {
      return {{"anyOf", {value<bool>(form), value<double>(form), value<std::string>(form)}}};
    } else if constexpr (std::is_same_v<T, char>) {
      return {{"type", "string"}, {"pattern", "^[A-Za-z]$"}};
    } else if constexpr (std::is_same_v<T, bool>) {
      return {{"type", "boolean"}};
    } else if constexpr (std::is_same_v<T, Address>) {
      return {{"$ref", "#/$defs/address"}};
    } else if constexpr (std::is_same_v<T, LinkSpeed>) {
      Json speeds = Json::array();
      for (const auto speed : Values<LinkSpeed>::all) speeds.push_back(gigatransfers(speed));
      return {{"enum", speeds}};
    } else if constexpr (std::is_enum_v<T>) {
      Json words = Json::array();
      for (const auto word : Values<T>::all) words.push_back(to_string(word));
      return {{"enum", words}};
    } else if constexpr (std::is_same_v<T, double>) {
      return {{"type", "number"}};
    } else {
      if (!pattern_of(form).empty()) return {{"type", "string"}, {"pattern", std::string(pattern_of(form))}};
      if (form == Form::lanes) return {{"enum", {0, 1, 2, 4, 8, 12, 16, 32}}};
      Json result = {{"type", "integer"}};
      if (std::is_unsigned_v<T>) result["minimum"] = 0;
      return result;
    }
  }

  std::map<std::string, Json> definitions_;
};

/// What fits in a line is on one.
std::string laid_out(const Json& value, std::size_t indent) {
  constexpr std::size_t kLine = 116;
  auto line = value.dump();
  if (!value.is_object() || line.size() + indent <= kLine) return line;
  std::string text = "{";
  for (const auto& [key, inside] : value.items()) {
    text += (text.size() > 1 ? ",\n" : "\n") + std::string(indent + 2, ' ') + Json(key).dump() + ": ";
    text += laid_out(inside, indent + 2);
  }
  return text + "\n" + std::string(indent, ' ') + "}";
}

}  // namespace

TEST_CASE("the schema of recordings is what the tables say") {
  const std::string name = std::string(GPUCOOP_SOURCE_DIR) + "/src/read/recording/recording.schema.json";
  const std::string wanted = laid_out(Schema().document(), 0) + "\n";
  const char* update = std::getenv("GPUCOOP_UPDATE");
  if (update != nullptr && std::string(update) == "1") std::ofstream(name) << wanted;
  std::ifstream file(name);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  CHECK_MESSAGE(text == wanted, "GPUCOOP_UPDATE=1 and this test again writes " << name);
}
