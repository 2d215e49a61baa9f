#include "rules/archive.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace gpucoop {

namespace {

class Writer {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  std::string bytes;

 private:
  void number(std::uint64_t v) {
    while (v >= 0x80) {
      bytes += static_cast<char>((v & 0x7f) | 0x80);
      v >>= 7;
    }
    bytes += static_cast<char>(v);
  }
  void put(const std::string& text) {
    number(text.size());
    bytes += text;
  }
  void put(bool v) { number(v ? 1 : 0); }
  void put(double v) { number(std::bit_cast<std::uint64_t>(v)); }
  template <class T>
  requires std::is_enum_v<T> || std::is_integral_v<T>
  void put(T v) { number(static_cast<std::uint64_t>(v)); }
  template <class T>
  void put(const std::vector<T>& list) {
    number(list.size());
    for (const auto& entry : list) put(entry);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  void put(const FactValue& value) {
    number(value.index());
    std::visit([this](const auto& v) { put(v); }, value);
  }
  template <class T>
  requires std::is_class_v<T>
  void put(const T& entry);
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }

 private:
  std::uint64_t number() {
    std::uint64_t v = 0;
    for (unsigned shift = 0; !rest_.empty() && shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      v |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) break;
    }
    return v;
  }
  void get(std::string& text) {
    const auto taken = rest_.substr(0, number());
    text.assign(taken);
    rest_.remove_prefix(taken.size());
  }
  void get(bool& v) { v = number() != 0; }
  void get(double& v) { v = std::bit_cast<double>(number()); }
  template <class T>
  requires std::is_enum_v<T> || std::is_integral_v<T>
  void get(T& v) { v = static_cast<T>(number()); }
  template <class T>
  void get(std::vector<T>& list) {
    const auto n = number();
    if (n > rest_.size()) return;
    list.resize(n);
    for (auto& entry : list) get(entry);
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool there = false;
    get(there);
    if (there) get(value.emplace());
  }
  void get(FactValue& value) {
    switch (number()) {
      case 0: get(value.emplace<bool>()); break;
      case 1: get(value.emplace<double>()); break;
      default: get(value.emplace<std::string>()); break;
    }
  }
  template <class T>
  requires std::is_class_v<T>
  void get(T& entry);

  std::string_view rest_;
};

// One list of fields a struct, for both directions: T is const for the writer.
template <class A, class T>
void fields(A& archive, T& e) {
  using R = std::remove_const_t<T>;
  if constexpr (std::is_same_v<R, Condition>) {
    archive(e.fact, e.gate, e.op, e.value, e.unless_known, e.holds);
  } else if constexpr (std::is_same_v<R, Clause>) {
    archive(e.any_of, e.unless, e.vendors, e.why, e.open, e.remedies);
  } else if constexpr (std::is_same_v<R, Expectation>) {
    archive(e.vendors, e.when, e.gate, e.value);
  } else if constexpr (std::is_same_v<R, FactRule>) {
    archive(e.id, e.subject, e.type, e.tier, e.title, e.meaning, e.established, e.expected, e.settle, e.floor_unless,
            e.source);
  } else if constexpr (std::is_same_v<R, GateRule>) {
    archive(e.id, e.title, e.meaning, e.require, e.source);
  } else if constexpr (std::is_same_v<R, SettledBy>) {
    archive(e.vendors, e.command);
  } else if constexpr (std::is_same_v<R, ModeRule>) {
    archive(e.id, e.title, e.meaning, e.require, e.prefer, e.unproven, e.settled_by, e.source);
  } else if constexpr (std::is_same_v<R, RemedyRule>) {
    archive(e.id, e.title, e.text, e.command, e.when, e.unless, e.changes, e.cost, e.risk, e.source);
  } else if constexpr (std::is_same_v<R, LogCause>) {
    archive(e.id, e.patterns, e.title, e.meaning, e.next, e.sets_fact, e.sets_value, e.source);
  } else if constexpr (std::is_same_v<R, DeviceRule>) {
    archive(e.kind, e.vendor, e.first_device, e.last_device, e.title, e.name_contains, e.source);
  } else if constexpr (std::is_same_v<R, HolderRule>) {
    archive(e.use, e.title, e.names, e.source);
  } else {
    static_assert(std::is_same_v<R, Rules>);
    archive(e.facts, e.gates, e.modes, e.remedies, e.log_causes, e.devices, e.holders);
  }
}

template <class T>
requires std::is_class_v<T>
void Writer::put(const T& entry) { fields(*this, entry); }

template <class T>
requires std::is_class_v<T>
void Reader::get(T& entry) { fields(*this, entry); }

}  // namespace

std::string write_archive(const Rules& rules) {
  Writer writer;
  writer(rules);
  return std::move(writer.bytes);
}

Rules read_archive(std::string_view bytes) {
  Rules rules;
  Reader reader(bytes);
  reader(rules);
  return rules;
}

}  // namespace gpucoop
