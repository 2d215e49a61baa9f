#include "wire/injection.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/nearest.hpp"

namespace gpucoop::wire {
namespace {

using Fault = Injection::Fault;

constexpr std::array<std::pair<std::string_view, Fault>, 9> kFaults = {{{"hang", Fault::hang},
                                                                        {"wrong-data", Fault::wrong_data},
                                                                        {"crash", Fault::crash},
                                                                        {"slow", Fault::slow},
                                                                        {"refuse", Fault::refuse},
                                                                        {"exit", Fault::exit},
                                                                        {"garbage", Fault::garbage},
                                                                        {"spin", Fault::spin},
                                                                        {"global-state", Fault::global_state}}};

/// What ranks announce in front of an operation: rungs of the ladder, and operations of more than one rung.
constexpr std::array<std::string_view, 47> kPlaces = {"start",
                                                      "gpu.dispatch",
                                                      "host.copy",
                                                      "host.copy_rate",
                                                      "host.handshake",
                                                      "host.loopback",
                                                      "host.mapped",
                                                      "p2p.access",
                                                      "p2p.write",
                                                      "p2p.read",
                                                      "p2p.handshake",
                                                      "p2p.atomics",
                                                      "p2p.rate",
                                                      "p2p.ipc",
                                                      "peer.copy",
                                                      "ccl.init",
                                                      "ccl.allreduce",
                                                      "ccl.broadcast",
                                                      "ccl.reduce",
                                                      "ccl.allgather",
                                                      "ccl.reducescatter",
                                                      "ccl.sendrecv",
                                                      "ccl.alltoall",
                                                      "ccl.allgatherv",
                                                      "ccl.reducescatterv",
                                                      "ccl.barrier",
                                                      "ccl.subgroups",
                                                      "ccl.switching",
                                                      "ccl.concurrent",
                                                      "ccl.graph",
                                                      "ccl.latency",
                                                      "ccl.bandwidth",
                                                      "ccl.recovery",
                                                      "ccl.soak",
                                                      "hostcall.dispatch",
                                                      "all_reduce",
                                                      "broadcast",
                                                      "reduce",
                                                      "all_gather",
                                                      "reduce_scatter",
                                                      "send_recv",
                                                      "all_to_all",
                                                      "all_gather_v",
                                                      "reduce_scatter_v",
                                                      "barrier",
                                                      "copy-engine",
                                                      "kernel"};

std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c != '_' && c != '-' && c != '.') out += c;
  }
  return out;
}

bool same(const std::string& where, std::string_view name) {
  if (name.empty()) return false;
  if (where == plain(name)) return true;
  const auto dot = name.find('.');
  return dot != std::string_view::npos && where == plain(name.substr(dot + 1));
}

/// The kinds of groups that engines make, each with its number.
bool names_group(std::string_view plain_name) {
  constexpr std::array<std::string_view, 6> kKinds = {"tp", "pp", "dp", "ep", "attntp", "moetp"};
  const auto number = plain_name.find_first_of("0123456789");
  return number != std::string_view::npos &&
         plain_name.find_first_not_of("0123456789", number) == std::string_view::npos &&
         std::find(kKinds.begin(), kKinds.end(), plain_name.substr(0, number)) != kKinds.end();
}

Error wrong(std::string what, std::string_view spec, std::string next) {
  return {ExitCode::usage, std::move(what), "--inject " + std::string(spec), std::move(next)};
}

template <class Words>
std::string meant(std::string_view word, const Words& words) {
  const auto found = nearest(word, {words.begin(), words.end()}, 3);
  if (found.empty()) return "";
  std::string out = "did you mean ";
  for (std::size_t i = 0; i < found.size(); ++i) out += (i == 0 ? "`" : ", `") + found[i] + "`";
  return out + "?";
}

}  // namespace

std::string_view to_string(Fault fault) {
  for (const auto& entry : kFaults) {
    if (entry.second == fault) return entry.first;
  }
  return "?";
}

std::string to_string(const Injection& injection) {
  std::string out(to_string(injection.fault));
  if (injection.rank) out += ":rank" + std::to_string(*injection.rank);
  if (!injection.where.empty()) out += "@" + injection.where;
  return out;
}

bool Injection::strikes(unsigned who, std::string_view rung, std::string_view op, std::string_view group) const {
  if (rank && *rank != who) return false;
  if (where.empty()) return true;
  const std::string wanted = plain(where);
  return same(wanted, rung) || same(wanted, op) || same(wanted, group);
}

bool Injection::in_group() const { return names_group(plain(where)); }

Result<Injection> parse_injection(std::string_view spec, unsigned ranks) {
  Injection out;
  const auto at = spec.find('@');
  std::string_view head = spec.substr(0, at);
  if (at != std::string_view::npos) {
    out.where = spec.substr(at + 1);
    const std::string wanted = plain(out.where);
    const bool known = std::any_of(kPlaces.begin(), kPlaces.end(), [&](auto place) { return same(wanted, place); });
    if (!known && !names_group(wanted)) {
      const auto hint = meant(out.where, kPlaces);
      return wrong("`" + out.where + "` is neither a rung nor an operation nor a group", spec,
                   hint.empty() ? "name one like `ccl.allreduce`, `all_reduce` or `dp1`" : hint);
    }
  }
  const auto colon = head.find(':');
  if (colon != std::string_view::npos) {
    const auto who = head.substr(colon + 1);
    unsigned rank = 0;
    const auto digits = who.substr(std::min<std::size_t>(4, who.size()));
    const auto end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, rank);
    if (who.substr(0, 4) != "rank" || digits.empty() || read.ec != std::errc() || read.ptr != end) {
      return wrong("`" + std::string(who) + "` is no rank", spec, "write it like `rank1`");
    }
    if (rank >= ranks) {
      return wrong("there is no rank " + std::to_string(rank), spec,
                   "ranks are 0 to " + std::to_string(ranks == 0 ? 0 : ranks - 1));
    }
    out.rank = rank;
    head = head.substr(0, colon);
  }
  for (const auto& entry : kFaults) {
    if (entry.first != head) continue;
    out.fault = entry.second;
    if (out.fault == Fault::global_state && (out.rank || !out.where.empty())) {
      return wrong("`global-state` is a property of the library: it has neither a rank nor an operation", spec, "");
    }
    if (out.in_group() && (out.fault == Fault::wrong_data || out.fault == Fault::garbage)) {
      return wrong("`" + std::string(head) + "` is a fault of results, not of a group", spec,
                   "name an operation or `ccl.switching`");
    }
    return out;
  }
  std::vector<std::string> names;
  names.reserve(kFaults.size());
  for (const auto& entry : kFaults) names.emplace_back(entry.first);
  const auto hint = meant(head, names);
  return wrong(
      "`" + std::string(head) + "` is no fault", spec,
      hint.empty() ? "faults are hang, wrong-data, crash, slow, refuse, exit, garbage, spin, global-state" : hint);
}

}  // namespace gpucoop::wire
