#include "collective/nccl/hygiene.hpp"

#include <array>
#include <cstdlib>

namespace gpucoop::collective::nccl {

namespace {

struct Rule {
  const char* name;
  const char* value;  // null: removed
  bool always;        // false: what the user has set stays
};

constexpr std::array<Rule, 7> kRules{{
    {"NCCL_SOCKET_IFNAME", "=lo", false},  // ranks are on this host: meet there, whatever the network is like
    {"NCCL_IB_DISABLE", "1", false},
    {"NCCL_RAS_ENABLE", "0", false},  // listens on a port of the host
    {"NCCL_DEBUG", "INFO", true},     // the log is where transports are told
    {"NCCL_DEBUG_SUBSYS", "INIT,GRAPH,P2P,SHM,NET,ENV", true},
    {"NCCL_COMM_ID", nullptr, true},        // one meeting place for all communicators: they would mix
    {"NCCL_COMM_BLOCKING", nullptr, true},  // would undo that a call comes back
}};

void change(const char* name, const char* value, bool always, std::vector<Change>& changes) {
  const char* before = std::getenv(name);
  if (before != nullptr && (!always || (value != nullptr && std::string(before) == value))) return;
  if (before == nullptr && value == nullptr) return;
  changes.push_back({name, value != nullptr ? value : "", before != nullptr ? before : ""});
  if (value != nullptr)
    setenv(name, value, 1);
  else
    unsetenv(name);
}

}  // namespace

std::vector<Change> apply_hygiene(const std::string& log) {
  std::vector<Change> changes;
  for (const Rule& rule : kRules) change(rule.name, rule.value, rule.always, changes);
  change("NCCL_DEBUG_FILE", log.c_str(), true, changes);
  return changes;
}

}  // namespace gpucoop::collective::nccl
