#include "probe/driver_list.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>

#include "probe/ask.hpp"
#include "read/live/namespaces.hpp"
#include "wire/frame.hpp"

namespace gpucoop::probe {
namespace {

/// A driver without persistence starts each GPU first.
constexpr std::chrono::milliseconds kDeadline{6000};
/// Far less than any context takes, and more than a driver keeps for itself on an idle GPU.
constexpr std::uint64_t kIdleBytes = std::uint64_t{16} << 20U;

const wire::NvmlGpu* gpu_of(const wire::NvmlState& state, const Address& address) {
  const auto name = to_string(address);
  const auto found =
      std::find_if(state.gpus.begin(), state.gpus.end(), [&](const wire::NvmlGpu& gpu) { return gpu.address == name; });
  return found == state.gpus.end() ? nullptr : &*found;
}

bool holds(const std::vector<Holder>& holders, const Address& gpu, std::uint32_t pid) {
  return std::any_of(holders.begin(), holders.end(),
                     [&](const Holder& holder) { return holder.gpu == gpu && holder.pid == pid; });
}

Holder holder_of(const Address& gpu, const wire::NvmlProcess& process, const ListQuestion& question,
                 const Rules& rules) {
  Holder holder;
  // Who holds another GPU has been looked at there.
  for (const auto& other : question.holders) {
    if (other.pid == process.pid) holder = other;
  }
  holder.gpu = gpu;
  holder.pid = process.pid;
  holder.memory_bytes = process.memory_bytes;
  holder.evidence = "NVML";
  if (holder.process.empty() && question.name) holder.process = question.name(process.pid);
  holder.use = holder.process.empty() ? HolderClass::compute : holder_class(rules, holder.process);
  return holder;
}

std::string why_open(const Reason reason) {
  switch (reason) {
    case Reason::no_root: return "its driver does not list processes to this user";
    case Reason::timeout: return "its driver did not answer in time";
    case Reason::device_lost: return "its driver has lost it";
    default: return "its driver gave no list of processes";
  }
}

}  // namespace

Result<wire::NvmlState> ask_nvml(const std::string& executable) {
  const auto bytes =
      ask_program(executable, {"gpucoop-rank", "--query", "nvml"}, kDeadline, wire::kMostFrame + sizeof(std::uint32_t));
  if (!bytes) return Error{ExitCode::internal, "the question to the driver " + bytes.error().what, executable, ""};
  wire::FrameReader reader;
  reader.feed(bytes.value());
  std::string payload;
  if (reader.next(payload) != wire::FrameReader::Got::frame || reader.pending() != 0) {
    return Error{ExitCode::internal, "the driver's answer is not one", executable, ""};
  }
  auto state = wire::decode_nvml(payload);
  if (!state) return state.error();
  if (!state.value().trouble.empty()) return Error{ExitCode::internal, state.value().trouble, "", ""};
  return state;
}

ListAnswer read_list(const wire::NvmlState& state, const ListQuestion& question, const Rules& rules) {
  ListAnswer answer;
  for (const auto& gpu : question.gpus) {
    const auto* told = gpu_of(state, gpu);
    if (told == nullptr) {
      answer.open[gpu] = "its driver's library (NVML) does not show this GPU";
      continue;
    }
    if (!told->processes.is_known()) {
      answer.open[gpu] = told->processes.is_absent() ? "its driver does not list processes of this GPU"
                                                     : why_open(told->processes.reason());
      continue;
    }
    for (const auto& process : told->processes.value()) {
      const bool own = std::find(question.own.begin(), question.own.end(), static_cast<std::int32_t>(process.pid)) !=
                       question.own.end();
      if (own || holds(question.holders, gpu, process.pid) || holds(answer.holders, gpu, process.pid)) continue;
      answer.holders.push_back(holder_of(gpu, process, question, rules));
    }
    if (question.first_namespace) {
      answer.complete.push_back(gpu);
    } else if (!told->used_bytes.is_known()) {
      answer.open[gpu] = "its driver lists only processes of this container, and does not say whether memory is in use";
    } else if (told->used_bytes.value() >= kIdleBytes) {
      answer.open[gpu] = std::to_string(told->used_bytes.value() >> 20U) + " MiB of its memory are in use";
    } else {
      answer.complete.push_back(gpu);
    }
  }
  return answer;
}

bool in_first_namespace() {
  std::array<char, 64> text{};
  const auto length = ::readlink("/proc/self/ns/pid", text.data(), text.size() - 1);
  return length > 0 && std::string(text.data(), static_cast<std::size_t>(length)) == kFirstPidNamespace;
}

std::string process_name(std::uint32_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

}  // namespace gpucoop::probe
