#include "read/recording/probe_words.hpp"

#include <algorithm>
#include <array>

#include "base/address.hpp"
#include "read/recording/form.hpp"
#include "read/text.hpp"

namespace gpucoop::recording_file {
namespace {

/// In lower case, in the order of the alphabet.
constexpr auto kWords = std::to_array<std::string_view>({"abandoned",
                                                         "access",
                                                         "algo",
                                                         "all",
                                                         "allgather",
                                                         "allgatherv",
                                                         "alloc",
                                                         "allreduce",
                                                         "alltoall",
                                                         "alltoallv",
                                                         "alone",
                                                         "alternate",
                                                         "atl",
                                                         "atomics",
                                                         "auto",
                                                         "avg",
                                                         "bandwidth",
                                                         "barrier",
                                                         "bcast",
                                                         "bf",
                                                         "bfloat",
                                                         "bidirectional",
                                                         "blocking",
                                                         "bool",
                                                         "broadcast",
                                                         "buffer",
                                                         "buffsize",
                                                         "bus",
                                                         "cache",
                                                         "careful",
                                                         "ccl",
                                                         "channels",
                                                         "char",
                                                         "check",
                                                         "checks",
                                                         "code",
                                                         "collective",
                                                         "collectives",
                                                         "collnet",
                                                         "comm",
                                                         "commuicator",
                                                         "communicator",
                                                         "concurrent",
                                                         "control",
                                                         "copies",
                                                         "copy",
                                                         "cpu",
                                                         "cross",
                                                         "crossed",
                                                         "cuda",
                                                         "cumem",
                                                         "default",
                                                         "device",
                                                         "direct",
                                                         "disable",
                                                         "dispatch",
                                                         "double",
                                                         "dp",
                                                         "drmfd",
                                                         "elements",
                                                         "enable",
                                                         "engine",
                                                         "ep",
                                                         "exchange",
                                                         "expert",
                                                         "fabric",
                                                         "fallback",
                                                         "faults",
                                                         "fine",
                                                         "float",
                                                         "force",
                                                         "gather",
                                                         "gatherv",
                                                         "gfx",
                                                         "gpu",
                                                         "gpucoop",
                                                         "grain",
                                                         "graph",
                                                         "group",
                                                         "groups",
                                                         "half",
                                                         "handles",
                                                         "handshake",
                                                         "hip",
                                                         "host",
                                                         "hostcall",
                                                         "hsa",
                                                         "implicit",
                                                         "init",
                                                         "inspect",
                                                         "int",
                                                         "ipc",
                                                         "kernel",
                                                         "kernels",
                                                         "latency",
                                                         "launch",
                                                         "legacy",
                                                         "level",
                                                         "lib",
                                                         "libccl",
                                                         "libnccl",
                                                         "library",
                                                         "librccl",
                                                         "link",
                                                         "ll",
                                                         "local",
                                                         "loopback",
                                                         "main",
                                                         "mapped",
                                                         "max",
                                                         "memory",
                                                         "min",
                                                         "mode",
                                                         "moe",
                                                         "mpi",
                                                         "msccl",
                                                         "mscclpp",
                                                         "nccl",
                                                         "nchannels",
                                                         "net",
                                                         "no",
                                                         "node",
                                                         "none",
                                                         "nvb",
                                                         "nvl",
                                                         "nvlink",
                                                         "nvls",
                                                         "nvlstree",
                                                         "object",
                                                         "off",
                                                         "ofi",
                                                         "on",
                                                         "oneccl",
                                                         "open",
                                                         "order",
                                                         "pat",
                                                         "path",
                                                         "pcie",
                                                         "peer",
                                                         "phb",
                                                         "pidfd",
                                                         "pinned",
                                                         "pipeline",
                                                         "pix",
                                                         "pool",
                                                         "pp",
                                                         "prod",
                                                         "proto",
                                                         "pxb",
                                                         "query",
                                                         "ranks",
                                                         "rate",
                                                         "rccl",
                                                         "read",
                                                         "receive",
                                                         "recovery",
                                                         "recv",
                                                         "reduce",
                                                         "reducescatter",
                                                         "reducescatterv",
                                                         "register",
                                                         "rendezvous",
                                                         "ring",
                                                         "rocr",
                                                         "runtime",
                                                         "scatter",
                                                         "scatterv",
                                                         "sdma",
                                                         "send",
                                                         "sendrecv",
                                                         "shm",
                                                         "simple",
                                                         "single",
                                                         "size",
                                                         "sizes",
                                                         "so",
                                                         "soak",
                                                         "socket",
                                                         "sockets",
                                                         "split",
                                                         "state",
                                                         "stream",
                                                         "sub",
                                                         "subgroup",
                                                         "subgroups",
                                                         "sum",
                                                         "switch",
                                                         "switching",
                                                         "sycl",
                                                         "sync",
                                                         "sys",
                                                         "tensor",
                                                         "threads",
                                                         "to",
                                                         "topo",
                                                         "tp",
                                                         "transport",
                                                         "tree",
                                                         "uint",
                                                         "use",
                                                         "variable",
                                                         "variant",
                                                         "vector",
                                                         "via",
                                                         "visible",
                                                         "wait",
                                                         "warm",
                                                         "window",
                                                         "without",
                                                         "worker",
                                                         "write",
                                                         "xelink",
                                                         "xgmi",
                                                         "ze",
                                                         "zero"});

/// Letters in a row: a known word, or one letter (`p2p`, `u8`, `gfx90a`).
bool is_word(std::string_view letters) {
  if (letters.size() <= 1) return true;
  std::string low;
  for (const char c : letters) low += to_lower(c);
  return std::find(kWords.begin(), kWords.end(), low) != kWords.end();
}

bool is_id(std::string_view text) {
  constexpr std::size_t kMost = 64;
  if (text.empty() || text.size() > kMost || text.find('.') == std::string_view::npos) return false;
  while (!text.empty()) {
    const bool ends = text.back() == '.';
    const auto part = next_part(text, '.');
    if (part.empty() || part[0] < 'a' || part[0] > 'z' || (ends && text.empty())) return false;
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_'; };
    if (!std::all_of(part.begin(), part.end(), fits)) return false;
  }
  return true;
}

}  // namespace

std::string admitted_probe_words(std::string_view text) {
  constexpr std::size_t kMost = 64;
  constexpr std::size_t kMostDigits = 5;
  constexpr std::size_t kMostLetters = 6;  // single ones: more would spell something
  if (text.empty() || text.size() > kMost || is_identity(text)) return {};
  std::size_t single = 0;
  for (auto rest = text; !rest.empty();) {
    std::size_t letters = 0;
    while (letters < rest.size() && is_alpha(rest[letters])) ++letters;
    std::size_t digits = 0;
    while (letters + digits < rest.size() && is_digit(rest[letters + digits])) ++digits;
    if (letters == 1) ++single;
    if (!is_word(rest.substr(0, letters)) || digits > kMostDigits || single > kMostLetters) return {};
    const bool other = letters == 0 && digits == 0;
    if (other && std::string_view("_-.=/:+, ").find(rest[0]) == std::string_view::npos) return {};
    rest.remove_prefix(std::max<std::size_t>(letters + digits, 1));
  }
  return text.front() == ' ' ? std::string() : std::string(text);
}

std::string admitted_fact_id(std::string_view text) { return is_id(text) ? std::string(text) : std::string(); }

std::string admitted_fact_reference(std::string_view text) {
  constexpr std::size_t kMost = 4096;
  if (text.size() > kMost) return {};
  auto rest = text;
  const auto id = next_part(rest, '@');
  if (!is_id(id)) return {};
  std::string result(id);
  for (char lead = '@'; !rest.empty(); lead = ',') {
    const auto address = parse_address(next_part(rest, ','));
    if (!address) return {};
    result += lead + to_string(*address);
  }
  return result;
}

}  // namespace gpucoop::recording_file
