#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "probe/state_folder.hpp"

namespace gpucoop::probe {

/// What was about to be done.
struct JournalEntry {
  std::string id;             ///< no other entry has it
  std::string boot;           ///< /proc/sys/kernel/random/boot_id
  std::int32_t pid = 0;       ///< of the probe
  std::uint64_t started = 0;  ///< when that process did, in ticks since boot: numbers of processes are used again
  std::string at;             ///< RFC 3339, UTC
  std::string rung;
  std::vector<Address> of;
};

/// An entry that was never closed.
struct Unfinished {
  enum class Why : std::uint8_t {
    host_down,  ///< the host has been started since
    killed,     ///< the probe is gone
    running     ///< the probe is still at it
  };
  JournalEntry entry;
  Why why = Why::killed;
};
/// `p2p.write on 0000:0b:00.0 and 0000:0c:00.0 had begun at 2026-11-30T12:00:00Z and had not ended when the host went
/// down`
[[nodiscard]] std::string sentence(const Unfinished& unfinished);

struct JournalReading {
  std::vector<Unfinished> unfinished;  ///< in the order that they began
  std::uint64_t damaged = 0;           ///< lines that are none of a journal
};

/// The lines of a journal (src/probe/journal_lines.cpp says what they look like). `boot` is the running one;
/// `alive` tells whether a process that started then is there.
[[nodiscard]] JournalReading parse_journal(std::string_view text, std::string_view boot,
                                           bool (*alive)(std::int32_t pid, std::uint64_t started));

/// What is kept about probes that have begun, so that the next one knows which of them took the host down. Text lines
/// that are only ever added to; each is on the disk before the call returns. Several probes may write at once. Two
/// files, of which the older goes when the newer one is full: never more than 1 MiB.
class Journal {
 public:
  /// Opens it for writing; made where it is not there. Errors as `open_state`.
  static Result<Journal> open(const StatePlace& place);
  /// What is open in a journal, without making or changing anything. None of it where there is no journal, or one that
  /// cannot be trusted.
  [[nodiscard]] static Result<JournalReading> look(const StatePlace& place);

  /// Writes down that a rung begins on these devices. Gives the id to close it with. `cannot_create` where the disk is
  /// full or broken: then it must not begin.
  Result<std::string> begin(std::string_view rung, const std::vector<Address>& of);
  /// Closes it; `state` is a word of the report: `passed`, `hung`, …
  Status finish(const std::string& id, std::string_view state);
  /// Entries of probes that are gone.
  [[nodiscard]] JournalReading unfinished() const;
  /// Closes those that have been told to a person. Those that still run stay.
  Status acknowledge(const JournalReading& reading);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  Journal(Descriptor folder, std::string path) : folder_(std::move(folder)), path_(std::move(path)) {}
  Status append(const std::string& line);
  void rotate() const;

  Descriptor folder_;
  std::string path_;
  unsigned written_ = 0;
};

}  // namespace gpucoop::probe
