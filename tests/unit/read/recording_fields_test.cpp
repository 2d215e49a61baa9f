#include <doctest/doctest.h>

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "read/recording/recording.hpp"
#include "recording_sample.hpp"

using namespace gpucoop;
using namespace gpucoop::recording_sample;

namespace {

Recording read(const std::string& bytes) {
  auto result = read_recording("host.json", bytes);
  if (!result.ok()) FAIL(result.error().where << ": " << result.error().what);
  return result.value();
}

void check_round_trip(const Recording& recording) {
  const auto bytes = write_recording(recording, builtin_rules());
  const auto again = read(bytes);
  std::string where;
  CHECK_MESSAGE(same(recording, again, where), where);
  CHECK(again.warnings.size() == recording.warnings.size());
  CHECK(write_recording(again, builtin_rules()) == bytes);
}

/// Every row names another member: with `covers`, which counts, no member is forgotten.
template <class S>
void check_rows() {
  const S object{};
  std::set<const void*> members;
  std::set<std::string_view> keys;
  std::size_t recorded = 0;
  for_each_row<S>([&](const auto& row) {
    members.insert(&(object.*row.member));
    if constexpr (std::decay_t<decltype(row)>::kRecorded) {
      keys.insert(row.key);
      ++recorded;
    }
  });
  INFO(Table<S>::name);
  CHECK(members.size() == std::tuple_size_v<std::remove_const_t<decltype(Table<S>::rows)>>);
  CHECK(keys.size() == recorded);
}

template <class... S>
void check_all_rows() {
  (check_rows<S>(), ...);
}

}  // namespace

TEST_CASE("every member of the model has one row") {
  check_all_rows<BusNumbers, AcsBits, Acs, PciExpress, Bar, ResizableBar, SrIov, AerStatus, AerCounters, KfdReading,
                 PciDevice, FirmwareSlot, KernelModule, DeviceNode, HostReading, FabricLink, DriverLink, LogLine,
                 Disagreement, Warning, Subject, Fact, ProbeRun, Measurements, CodeTarget, KpackFile, Library,
                 InstalledLibrary, Recording>();
}

TEST_CASE("every field is read as it was written") { check_round_trip(filled(State::known)); }

TEST_CASE("absent is not unknown") { check_round_trip(filled(State::absent)); }

TEST_CASE("unknown keeps its reason") {
  for (const auto reason : Values<Reason>::all) {
    INFO(to_string(reason));
    check_round_trip(filled(State::unknown, reason));
  }
  CHECK(Values<Reason>::all.size() == static_cast<std::size_t>(Reason::not_derivable) + 1);
}

TEST_CASE("false, empty and nothing known inside are not unknown") {
  Recording recording;
  recording.sources = {{"a", SourceKind::recording}};
  recording.listing_complete = false;
  recording.host.hypervisor = false;
  recording.host.slots = std::vector<FirmwareSlot>{};
  PciDevice device;
  device.express = PciExpress{};
  device.kfd = KfdReading{};
  device.header_type = std::uint8_t{0};
  recording.devices.push_back(device);
  check_round_trip(recording);
  const auto again = read(write_recording(recording, builtin_rules()));
  CHECK(again.listing_complete.is(false));
  CHECK(again.host.slots.is_known());
  CHECK(again.devices.at(0).express.is_known());
}

TEST_CASE("every key of the tables is in a file where everything is known") {
  const auto bytes = write_recording(filled(State::known), builtin_rules());
  const auto check = [&](auto tag) {
    using S = decltype(tag);
    for_each_row<S>([&](const auto& row) {
      if constexpr (std::decay_t<decltype(row)>::kRecorded) {
        CHECK_MESSAGE(bytes.find("\"" + std::string(row.key) + "\":") != std::string::npos, row.key);
      }
    });
  };
  check(PciDevice{});
  check(PciExpress{});
  check(HostReading{});
  check(Recording{});
}

TEST_CASE("what is of the running host alone is in no file") {
  auto recording = filled(State::known);
  Holder holder;
  holder.process = "MARK-process";
  holder.user = std::string("MARK-user");
  holder.unit = std::string("MARK-unit");
  holder.evidence = "MARK-evidence";
  recording.holders = {holder};
  recording.holders_complete = true;
  recording.live = true;
  recording.sources = {{"/home/MARK/sys", SourceKind::live}, {"MARK.log", SourceKind::kernel_log}};
  const auto bytes = write_recording(recording, builtin_rules());
  CHECK(bytes.find("MARK") == std::string::npos);
  const auto again = read(bytes);
  CHECK(again.holders.empty());
  CHECK(again.holders_complete.is_unknown());
  CHECK_FALSE(again.live);
  REQUIRE(again.sources.size() == 1);
  CHECK(again.sources[0].file == "host.json");
  CHECK(again.sources[0].kind == SourceKind::recording);
}

namespace {

/// Puts a mark into every text of a recording.
struct Marker {
  std::string mark;
  template <class T>
  void operator()(T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
      value = value + " " + mark + " /home/" + mark + "/x " + mark + "@host.example";
    } else if constexpr (IsKnown<T>::value) {
      if (!value.is_known()) return;
      auto inside = value.value();
      (*this)(inside);
      value = inside;
    } else if constexpr (IsVector<T>::value) {
      for (auto& entry : value) (*this)(entry);
    } else if constexpr (HasTable<T>) {
      for_each_row<T>([&](const auto& row) { (*this)(value.*row.member); });
    }
  }
};

}  // namespace

TEST_CASE("no text lets through what tells hosts and people apart") {
  for (const std::string mark : {"aa:bb:cc:dd:ee:0f", "AA-BB-CC-DD-EE-0F", "5e0b7f9c-52c1-4f0e-9a3b-1c2d3e4f5a6b",
                                 "PF3K102093847261", "4711081512345", "192.168.17.23", "fe80::abcd:12ff:fe34:5678",
                                 "somebody@mail.example", "/home/somebody/models", "~somebody/x"}) {
    INFO(mark);
    auto recording = filled(State::known);
    Marker{mark}(recording);
    CHECK(write_recording(recording, builtin_rules()).find(mark) == std::string::npos);
  }
}
