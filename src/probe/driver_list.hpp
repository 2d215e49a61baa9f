#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/address.hpp"
#include "base/error.hpp"
#include "model/holder.hpp"
#include "rules/rules.hpp"
#include "wire/nvml.hpp"

namespace gpucoop::probe {

/// Asks `gpucoop-rank --query nvml` (`executable`) what NVIDIA's management library says; an error where that cannot be
/// had within seconds, or where the library itself failed.
[[nodiscard]] Result<wire::NvmlState> ask_nvml(const std::string& executable);

/// What is known beside the driver's own lists of processes.
struct ListQuestion {
  std::vector<Address> gpus;
  std::vector<Holder> holders;    ///< seen otherwise
  std::vector<std::int32_t> own;  ///< processes of this probe, also those that have ended
  /// Processes are numbered as the host does. Elsewhere the driver leaves out whoever has no number in the namespace of
  /// who asks (nvidia's os_find_ns_pid), so that an empty list alone proves nothing there.
  bool first_namespace = false;
  /// The name of a process, or nothing.
  std::function<std::string(std::uint32_t)> name = {};
};

/// What the driver's lists settle.
struct ListAnswer {
  std::vector<Address> complete;  ///< GPUs of which nobody but the known holders, these ones and this probe is a user
  std::vector<Holder> holders;    ///< listed by the driver, and not known before
  std::map<Address, std::string> open;  ///< of the other GPUs: why the list settles nothing
};

/// A GPU counts as listed where the driver answered with its processes that compute and that draw, and, in a namespace
/// that may hide some, nobody has memory of it. Holders whose name is not known are taken for ones that compute.
[[nodiscard]] ListAnswer read_list(const wire::NvmlState& state, const ListQuestion& question, const Rules& rules);

/// Whether this process is in the pid namespace that the kernel starts with; false where that cannot be seen.
[[nodiscard]] bool in_first_namespace();
/// The kernel's name for a process, as /proc/PID/comm has it; empty where there is none.
[[nodiscard]] std::string process_name(std::uint32_t pid);

}  // namespace gpucoop::probe
