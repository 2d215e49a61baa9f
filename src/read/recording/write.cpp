#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/version.hpp"
#include "read/recording/recording.hpp"
#include "read/recording/table.hpp"

namespace gpucoop {
namespace recording_file {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
std::optional<Json> spelled(const T& value, Form form);

std::string hex(std::uint64_t value, int digits) {
  char text[24];
  std::snprintf(text, sizeof text, "%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

template <class T>
Json number(T value, Form form) {
  switch (form) {
    case Form::hex2: return hex(static_cast<std::uint64_t>(value), 2);
    case Form::hex4: return hex(static_cast<std::uint64_t>(value), 4);
    case Form::hex8: return hex(static_cast<std::uint64_t>(value), 8);
    default: return value;
  }
}

template <class T>
std::optional<Json> spelled_known(const Known<T>& value, Form form) {
  if (value.is_absent()) return Json(nullptr);
  if (value.is_unknown()) {
    if (value.reason() == Known<T>().reason()) return std::nullopt;
    return Json{{"unknown", to_string(value.reason())}};
  }
  if constexpr (std::is_same_v<T, double>) {
    if (!std::isfinite(value.value())) return Json{{"unknown", to_string(Reason::damaged)}};
  }
  auto inside = spelled(value.value(), form);
  // Known to be false, empty or without any known part is not the same as left out.
  if (!inside) {
    if constexpr (std::is_same_v<T, bool>) {
      inside = false;
    } else if constexpr (IsVector<T>::value) {
      inside = Json::array();
    } else {
      inside = Json::object();
    }
  }
  return inside;
}

template <class T>
std::optional<Json> spelled_struct(const T& value) {
  Json object = Json::object();
  const T left_out{};
  for_each_row<T>([&](const auto& row) {
    using Row = std::decay_t<decltype(row)>;
    if constexpr (Row::kRecorded && std::is_same_v<typename Row::Type, bool>) {
      if (value.*row.member != left_out.*row.member) object[std::string(row.key)] = value.*row.member;
    } else if constexpr (Row::kRecorded) {
      if (auto inside = spelled(value.*row.member, row.form)) object[std::string(row.key)] = std::move(*inside);
    }
  });
  if (object.empty()) return std::nullopt;
  return object;
}

/// Nothing for what a reader takes a missing key for.
template <class T>
std::optional<Json> spelled(const T& value, Form form) {
  if constexpr (IsKnown<T>::value) {
    return spelled_known(value, form);
  } else if constexpr (IsVector<T>::value) {
    if (value.empty()) return std::nullopt;
    Json list = Json::array();
    for (const auto& entry : value) {
      auto inside = spelled(entry, form);
      list.push_back(inside ? std::move(*inside) : Json::object());
    }
    return list;
  } else if constexpr (HasTable<T>) {
    return spelled_struct(value);
  } else if constexpr (std::is_same_v<T, FactValue>) {
    return std::visit([](const auto& inside) { return std::optional<Json>(inside); }, value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.empty() ? std::nullopt : std::optional<Json>(value);
  } else if constexpr (std::is_same_v<T, Address>) {
    return Json(to_string(value));
  } else if constexpr (std::is_same_v<T, LinkSpeed>) {
    return Json(gigatransfers(value));
  } else if constexpr (std::is_enum_v<T>) {
    return Json(to_string(value));
  } else if constexpr (std::is_same_v<T, bool>) {
    return Json(value);
  } else if constexpr (std::is_same_v<T, char>) {
    return value == 0 ? std::nullopt : std::optional<Json>(std::string(1, value));
  } else {
    return number(value, form);
  }
}

/// A list of entries has one a line, so that two recordings can be compared by lines.
std::string laid_out(const Json& value) {
  if (!value.is_array() || value.empty() || !value.front().is_object()) return value.dump();
  std::string text = "[\n";
  for (std::size_t i = 0; i < value.size(); ++i) text += value[i].dump() + (i + 1 < value.size() ? ",\n" : "\n");
  return text + "]";
}

/// What the sources are, once each; never which files.
Json kinds_of(const std::vector<Source>& sources) {
  Json kinds = Json::array();
  for (const auto& source : sources) {
    const Json kind(to_string(source.kind));
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  return kinds;
}

}  // namespace
}  // namespace recording_file

std::string write_recording(const Recording& recording, const Rules& rules) {
  using recording_file::Json;
  Recording own = recording;
  admit(own, rules);
  Json file = Json::object();
  file["schema"] = kRecordingSchema;
  file["tool"] = {{"name", "gpucoop"}, {"version", kVersion}};
  file["sources"] = recording_file::kinds_of(own.sources);
  if (const auto rest = recording_file::spelled(own, recording_file::Form::plain)) file.update(*rest);
  std::string text = "{";
  for (auto entry = file.begin(); entry != file.end(); ++entry) {
    text +=
        (text.size() > 1 ? ",\n" : "\n") + Json(entry.key()).dump() + ": " + recording_file::laid_out(entry.value());
  }
  return text + "\n}\n";
}

}  // namespace gpucoop
