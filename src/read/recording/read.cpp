#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "read/recording/bounds.hpp"
#include "read/recording/enum_words.hpp"
#include "read/recording/problems.hpp"
#include "read/recording/recording.hpp"
#include "read/recording/table.hpp"
#include "read/text.hpp"

namespace gpucoop {
namespace recording_file {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostEntries = 65536;  ///< of a list, devices too

class Reader {
 public:
  explicit Reader(std::string name) : problems_(std::move(name)) {}

  Result<Recording> run(const Json& document) {
    const At root;
    if (!document.is_object()) return bad("is no JSON object", root);
    if (auto error = check_schema(document)) return *error;
    Recording recording;
    get(document, recording, Form::plain, root);
    if (problems_.failed()) return *problems_.failed();
    if (auto error = check_order(recording)) return *error;
    recording.sources = {{problems_.name(), SourceKind::recording}};
    for (auto& device : recording.devices) device.places = {Place{0, 0}};
    for (auto& warning : problems_.warnings(writer_of(document))) recording.warnings.push_back(std::move(warning));
    return recording;
  }

 private:
  template <class... T>
  Error bad(T&&... about) const {
    return problems_.error(std::forward<T>(about)...);
  }
  void fail(std::string what, const At& at) { problems_.fail(std::move(what), at); }

  Status check_schema(const Json& document) const {
    const At root;
    const At at{&root, "schema"};
    const auto schema = document.find("schema");
    if (schema == document.end()) return bad("is JSON, but no recording: the key `schema` is missing", root);
    if (!schema->is_string()) return bad("has to be text", at);
    const auto& text = schema->get_ref<const std::string&>();
    if (text == kRecordingSchema) return std::nullopt;
    if (starts_with(text, "gpucoop.report/")) {
      return bad("is a report, which is not judged again", root, "give the recording that it was made from");
    }
    if (starts_with(text, "gpucoop.recording/")) {
      return bad("is a recording of a format that this version does not know", at, "read it with a newer gpucoop");
    }
    return bad("is JSON, but no recording of gpucoop", at);
  }

  Status check_order(const Recording& recording) const {
    const At root;
    const At list{&root, "devices"};
    const auto& devices = recording.devices;
    for (std::size_t i = 1; i < devices.size(); ++i) {
      if (devices[i - 1].address < devices[i].address) continue;
      const At at{&list, {}, i};
      const bool twice = devices[i - 1].address == devices[i].address;
      return bad(to_string(devices[i].address) + (twice ? " is there twice" : " stands behind a higher address"), at);
    }
    return std::nullopt;
  }

  /// `gpucoop 1.2.0`, as the recording says.
  static std::string writer_of(const Json& document) {
    const auto tool = document.find("tool");
    if (tool == document.end() || !tool->is_object()) return "another program";
    const auto version = tool->find("version");
    const bool text = version != tool->end() && version->is_string();
    const auto word = text ? admitted(Form::version, version->get_ref<const std::string&>()) : std::string();
    return word.empty() ? "another program" : "gpucoop " + word;
  }

  template <class T>
  void get(const Json& json, T& to, Form form, const At& at) {
    if (problems_.failed()) return;
    if constexpr (IsKnown<T>::value) {
      get_known(json, to, form, at);
    } else if constexpr (IsVector<T>::value) {
      get_list(json, to, form, at);
    } else if constexpr (HasTable<T>) {
      get_struct(json, to, at);
    } else {
      auto value = one<T>(json, form, at);
      if (value) {
        to = std::move(*value);
      } else if (!problems_.failed() && !std::is_same_v<T, std::string>) {
        fail("is no possible value", at);
      } else if (!problems_.failed()) {
        problems_.damaged(at);
      }
    }
  }

  template <class T>
  void get_known(const Json& json, Known<T>& to, Form form, const At& at) {
    if (json.is_null()) {
      to = Known<T>::absent();
      return;
    }
    if (json.is_object() && json.size() == 1 && json.begin().key() == "unknown") {
      const auto& word = json.front();
      if (!word.is_string()) return fail("has to be text", At{&at, "unknown"});
      const auto reason = from_word<Reason>(word.get_ref<const std::string&>());
      if (!reason) problems_.damaged(at);
      to = Known<T>::unknown(reason.value_or(Reason::not_in_input));
      return;
    }
    if constexpr (IsVector<T>::value || HasTable<T>) {
      T inside;
      get(json, inside, form, at);
      to = std::move(inside);
    } else {
      auto inside = one<T>(json, form, at);
      if (problems_.failed()) return;
      if (!inside) problems_.damaged(at);
      to = inside ? Known<T>(std::move(*inside)) : Known<T>::unknown(Reason::damaged);
    }
  }

  template <class T>
  void get_list(const Json& json, std::vector<T>& to, Form form, const At& at) {
    if (!json.is_array()) return fail("has to be a list", at);
    if (json.size() > kMostEntries) return fail("is longer than on any host", at);
    for (std::size_t i = 0; i < json.size(); ++i) {
      const At here{&at, {}, i};
      T entry{};
      get(json[i], entry, form, here);
      if (problems_.failed()) return;
      if (is_whole(entry, json[i], here)) to.push_back(std::move(entry));
      if (problems_.failed()) return;
    }
  }

  /// Whether an entry has the texts without which it means nothing. A missing one is an error, one that cannot be has
  /// been noted as damaged.
  template <class T>
  bool is_whole(const T& entry, const Json& json, const At& at) {
    bool whole = true;
    if constexpr (std::is_same_v<T, std::string>) {
      whole = !entry.empty();
    } else if constexpr (HasTable<T>) {
      for_each_row<T>([&](const auto& row) {
        using Row = std::decay_t<decltype(row)>;
        if constexpr (Row::kRecorded && std::is_same_v<typename Row::Type, std::string>) {
          if (!row.needed || !(entry.*row.member).empty()) return;
          if (!json.contains(std::string(row.key))) fail("`" + std::string(row.key) + "` is missing", at);
          whole = false;
        }
      });
    }
    return whole;
  }

  template <class T>
  static constexpr bool may_be_missing() {
    return IsKnown<T>::value || IsVector<T>::value || HasTable<T> || std::is_same_v<T, std::string> ||
           std::is_same_v<T, bool> || std::is_same_v<T, char>;
  }

  template <class T>
  void get_struct(const Json& json, T& to, const At& at) {
    if (!json.is_object()) return fail("has to be an object", at);
    std::size_t taken = 0;
    for_each_row<T>([&](const auto& row) {
      using Row = std::decay_t<decltype(row)>;
      if constexpr (Row::kRecorded) {
        const auto found = json.find(row.key);
        if (found != json.end()) {
          ++taken;
          get(*found, to.*row.member, row.form, At{&at, row.key});
        } else if (!may_be_missing<typename Row::Type>()) {
          fail("`" + std::string(row.key) + "` is missing", at);
        }
      }
    });
    if (taken < json.size()) note_unknown_keys<T>(json, at);
  }

  template <class T>
  void note_unknown_keys(const Json& json, const At& at) {
    for (auto entry = json.begin(); entry != json.end(); ++entry) {
      bool known = false;
      for_each_row<T>([&](const auto& row) {
        if constexpr (std::decay_t<decltype(row)>::kRecorded) known = known || row.key == entry.key();
      });
      if constexpr (std::is_same_v<T, Recording>) {
        known = known || entry.key() == "schema" || entry.key() == "tool" || entry.key() == "sources";
      }
      if (!known) problems_.unknown_key(At{&at, entry.key()});
    }
  }

  /// One value without parts. Nothing, and no error: of the right type, but not possible.
  template <class T>
  std::optional<T> one(const Json& json, Form form, const At& at) {
    if constexpr (std::is_same_v<T, bool>) {
      if (json.is_boolean()) return json.get<bool>();
      fail("has to be true or false", at);
      return std::nullopt;
    } else if constexpr (std::is_same_v<T, char>) {
      const auto text = json.is_string() ? json.get<std::string>() : std::string();
      return text.size() == 1 && is_alpha(text.front()) ? std::optional(text.front()) : std::nullopt;
    } else if constexpr (std::is_same_v<T, LinkSpeed>) {
      if (json.is_number()) return speed_from_gigatransfers(json.get<double>());
      fail("has to be a number", at);
      return std::nullopt;
    } else if constexpr (std::is_same_v<T, double>) {
      if (!json.is_number()) {
        fail("has to be a number", at);
        return std::nullopt;
      }
      const auto value = json.get<double>();
      return std::isfinite(value) ? std::optional(value) : std::nullopt;
    } else if constexpr (std::is_same_v<T, FactValue>) {
      return fact_value(json, form, at);
    } else if constexpr (std::is_same_v<T, Address>) {
      const auto address = json.is_string() ? parse_address(json.get_ref<const std::string&>()) : std::nullopt;
      if (!address) fail("has to be a PCI address such as 0000:0b:00.0", at);
      return address;
    } else if constexpr (std::is_same_v<T, std::string> || std::is_enum_v<T>) {
      if (!json.is_string()) {
        fail("has to be text", at);
        return std::nullopt;
      }
      const auto& text = json.get_ref<const std::string&>();
      if constexpr (std::is_enum_v<T>) {
        return from_word<T>(text);
      } else {
        auto word = admitted(form, text);
        return word.empty() ? std::nullopt : std::optional(std::move(word));
      }
    } else {
      return integer<T>(json, form, at);
    }
  }

  std::optional<FactValue> fact_value(const Json& json, Form form, const At& at) {
    const auto as_fact = [](const auto& value) { return value ? std::optional<FactValue>(*value) : std::nullopt; };
    if (json.is_boolean()) return as_fact(one<bool>(json, form, at));
    if (json.is_number()) return as_fact(one<double>(json, form, at));
    if (json.is_string()) return as_fact(one<std::string>(json, form, at));
    fail("has to be true, false, a number or text", at);
    return std::nullopt;
  }

  template <class T>
  std::optional<T> integer(const Json& json, Form form, const At& at) {
    if (form == Form::hex2 || form == Form::hex4 || form == Form::hex8) {
      if (!json.is_string()) {
        fail("has to be text of hexadecimal digits", at);
        return std::nullopt;
      }
      const std::size_t digits = form == Form::hex2 ? 2 : form == Form::hex4 ? 4 : 8;
      const auto& text = json.get_ref<const std::string&>();
      const auto value = text.size() == digits ? parse_hex(text, 0, digits) : std::nullopt;
      return value ? std::optional(static_cast<T>(*value)) : std::nullopt;
    }
    if (!json.is_number_integer()) {
      fail("has to be a whole number", at);
      return std::nullopt;
    }
    if (json.is_number_unsigned()) {
      const auto value = json.get<std::uint64_t>();
      const bool fits = value <= static_cast<std::uint64_t>(std::numeric_limits<T>::max());
      const bool lanes =
          form != Form::lanes || value == 0 || (value <= 32 && is_link_width(static_cast<unsigned>(value)));
      return fits && lanes ? std::optional(static_cast<T>(value)) : std::nullopt;
    }
    const auto value = json.get<std::int64_t>();
    if constexpr (std::is_signed_v<T>) {
      if (value >= static_cast<std::int64_t>(std::numeric_limits<T>::min())) return static_cast<T>(value);
    }
    return std::nullopt;
  }

  Problems problems_;
};

}  // namespace
}  // namespace recording_file

Result<Recording> read_recording(const std::string& name, std::string_view bytes) {
  using namespace recording_file;
  if (const auto excess = find_excess(bytes)) return not_json(name, bytes, excess->at, excess->what);
  try {
    return Reader(name).run(Json::parse(bytes));
  } catch (const Json::parse_error& error) {
    const bool end = error.byte > bytes.size();
    return not_json(name, bytes, error.byte == 0 ? 0 : error.byte - 1,
                    end ? "ends in the middle: the recording is not whole" : "is no JSON from here on");
  } catch (const Json::exception&) {
    return not_json(name, bytes, 0, "holds a number or text that JSON does not have");
  }
}

}  // namespace gpucoop
