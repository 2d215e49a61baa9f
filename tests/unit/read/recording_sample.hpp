#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "read/recording/enum_words.hpp"
#include "read/recording/table.hpp"

// Recordings in which every field has a value, made by walking the tables that the reader and the writer walk.
namespace gpucoop::recording_sample {

using namespace gpucoop::recording_file;

inline const char* text_of(Form form) {
  switch (form) {
    case Form::driver: return "amdgpu";
    case Form::release: return "6.12.63+deb13-amd64";
    case Form::parameters: return "amd_iommu=on iommu=pt pci=disable_acs_redir=pci:1022:43f4";
    case Form::board: return "ASUSTeK COMPUTER INC. TUF GAMING B650-E";
    case Form::title: return "Advanced Micro Devices, Inc. [AMD/ATI] Navi 48 [Radeon AI PRO R9700]";
    case Form::label: return "PCIEX16_2";
    case Form::cpu_vendor: return "AuthenticAMD";
    case Form::container: return "docker";
    case Form::node_path: return "/dev/dri/renderD128";
    case Form::node_group: return "render";
    case Form::acpi_path: return "\\_SB_.PCI0.GPP0";
    case Form::runtime_status: return "active";
    case Form::power_state: return "D0";
    case Form::version: return "570.86.15";
    case Form::time: return "2026-11-30T06:44:55Z";
    case Form::code: return "input.truncated";
    case Form::register_name: return "LnkSta width";
    case Form::register_value: return "x16";
    case Form::message: return "The list of PCI devices (bus/pci/devices) may not be read.";
    case Form::where: return "0000:0b:00.0";
    case Form::probe_words: return "NCCL_P2P_DISABLE=1";
    case Form::fact_id: return "ccl.allreduce";
    case Form::fact_reference: return "p2p.write@0000:0b:00.0,10000:0c:00.0";
    case Form::fingerprint: return "5c9f8e0d1b2a3746";
    case Form::library_file: return "librccl.so.1";
    case Form::library_owner: return "RCCL";
    case Form::sha256: return "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    case Form::code_target: return "gfx90a:sramecc+:xnack-";
    case Form::log_line: return "amdgpu 0000:0b:00.0: amdgpu: PCIE atomic ops is not supported";
    default: return "";
  }
}

/// What every `Known` is.
enum class State { known, absent, unknown };

class Filler {
 public:
  explicit Filler(State state, Reason reason = Reason::not_in_input) : state_(state), reason_(reason) {}

  template <class T>
  void operator()(T& value, Form form) {
    if constexpr (IsKnown<T>::value) {
      if (state_ == State::absent) {
        value = T::absent();
      } else if (state_ == State::unknown) {
        value = T::unknown(reason_);
      } else {
        typename IsKnown<T>::Inside inside{};
        (*this)(inside, form);
        value = std::move(inside);
      }
    } else if constexpr (IsVector<T>::value) {
      value.resize(2);
      for (auto& entry : value) (*this)(entry, form);
    } else if constexpr (HasTable<T>) {
      for_each_row<T>([&](const auto& row) {
        if constexpr (std::decay_t<decltype(row)>::kRecorded) (*this)(value.*row.member, row.form);
      });
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = text_of(form);
    } else if constexpr (std::is_same_v<T, FactValue>) {
      value = count_++ % 2 == 0 ? FactValue(true) : FactValue(std::string("gfx1201"));
    } else if constexpr (std::is_same_v<T, bool>) {
      value = true;
    } else if constexpr (std::is_same_v<T, char>) {
      value = 'a';
    } else if constexpr (std::is_same_v<T, Address>) {
      value = {0x10000, 0x0b, 0x1f, static_cast<std::uint8_t>(count_++ % 8)};
    } else if constexpr (std::is_enum_v<T>) {
      value = Values<T>::all[count_++ % Values<T>::all.size()];
    } else if constexpr (std::is_same_v<T, double>) {
      value = 0.1 + static_cast<double>(count_++);
    } else {
      value = form == Form::lanes ? T{16} : static_cast<T>(1 + count_++ % 100);
    }
  }

 private:
  State state_;
  Reason reason_;
  std::size_t count_ = 0;
};

/// A recording whose every field is filled, with two devices in order.
inline Recording filled(State state, Reason reason = Reason::not_in_input) {
  Recording recording;
  Filler{state, reason}(recording, Form::plain);
  recording.sources = {{"before.json", SourceKind::recording}};
  for (auto& line : recording.log) line.cause = "amdgpu-no-atomics";
  for (auto& fact : recording.measured.facts) {
    fact.tier = Tier::probed;
    if (fact.value.is_unknown()) fact.value = FactValue(2.5);
  }
  for (auto& run : recording.measured.runs) run.facts = {reference(recording.measured.facts.front())};
  recording.devices.at(0).address = {0, 1, 0, 0};
  recording.devices.at(1).address = {0x10000, 0xe1, 0, 0};
  return recording;
}

/// Field by field; members without a row are not compared. `where` becomes the first key that differs.
template <class T>
bool same(const T& a, const T& b, std::string& where) {
  if constexpr (IsKnown<T>::value) {
    if (a.is_known() != b.is_known() || a.is_absent() != b.is_absent()) return false;
    if (a.is_known()) return same(a.value(), b.value(), where);
    return a.is_absent() || a.reason() == b.reason();
  } else if constexpr (IsVector<T>::value) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!same(a[i], b[i], where)) return false;
    }
    return true;
  } else if constexpr (HasTable<T>) {
    bool equal = true;
    for_each_row<T>([&](const auto& row) {
      if constexpr (std::decay_t<decltype(row)>::kRecorded) {
        if (!equal || same(a.*row.member, b.*row.member, where)) return;
        equal = false;
        where = std::string(row.key) + (where.empty() ? "" : "." + where);
      }
    });
    return equal;
  } else {
    return a == b;
  }
}

}  // namespace gpucoop::recording_sample
