#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/address.hpp"
#include "base/error.hpp"
#include "base/known.hpp"
#include "model/holder.hpp"
#include "model/warning.hpp"

namespace gpucoop::probe {

/// What is known of who uses the GPUs of a host, and what may be overridden.
struct GuardQuestion {
  std::vector<Address> gpus;  ///< that are to be probed; simulated ones are held by nobody
  bool live = false;          ///< the host is the one that this program runs on
  std::vector<Holder> holders;
  Known<bool> holders_complete;  ///< as Recording::holders_complete
  /// GPUs of which the driver itself has listed all users, and those are among `holders` or `own`; of the other ones
  /// why it has not, where it was asked.
  std::vector<Address> proven_free;
  std::map<Address, std::string> not_proven;
  /// What would let the driver list them, as a sentence; empty: nothing that is known.
  std::string for_proof = {};
  /// Processes of this probe that may hold GPUs: its ranks, of course, and not this program.
  std::vector<std::int32_t> own;
  std::string user;  ///< name of who runs this program; empty: not known
  bool root = false;
  bool allow_display = false;
  bool force = false;
};

/// One thing that stands against probing a GPU.
struct Objection {
  Address gpu;
  std::string text;                   ///< `0000:0b:00.0 is used by llama-server (pid 812, llama.service, user ann)`
  std::vector<std::string> commands;  ///< that end it, or that let it be seen; in this order
};

struct GuardAnswer {
  bool may = false;
  bool forced = false;  ///< it may although there are objections
  std::vector<Objection> objections;
  std::vector<std::string> monitors;  ///< who watches, and is let be: `nvidia-persistenced (pid 700)`

  /// Meaningful where it may not: `busy`, with the commands in `next`; of a host that is not live `usage`.
  Error refusal;
  /// To be recorded where it was forced: one for each objection.
  std::vector<Warning> warnings;
};

/// Whether these GPUs may be probed. A probe can hang a GPU, and the reset takes down whatever else runs on it: so
/// processes that compute refuse, those that show a desktop as well unless it is allowed, and what cannot be seen is
/// taken for somebody who computes unless the driver proves that there is nobody. `force` overrides all that, but never
/// that a host is a recorded one.
[[nodiscard]] GuardAnswer guard(const GuardQuestion& question);

/// How a holder is ended and kept from coming back, as commands of a shell: systemd unit (`--user` where it is the
/// user's own), container, or process.
[[nodiscard]] std::vector<std::string> commands_to_end(const Holder& holder, const std::string& user);

}  // namespace gpucoop::probe
