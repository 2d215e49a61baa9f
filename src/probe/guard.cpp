#include "probe/guard.hpp"

#include <algorithm>

namespace gpucoop::probe {
namespace {

/// A scope is made for processes that are there already: nothing starts it again, and there is nothing to mask.
bool is_service(std::string_view unit) {
  constexpr std::string_view kService = ".service";
  return unit.size() > kService.size() && unit.substr(unit.size() - kService.size()) == kService;
}

bool contains(const std::vector<Address>& list, const Address& a) {
  return std::find(list.begin(), list.end(), a) != list.end();
}

/// A word that a shell takes as it is; another one is put in quotes.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain = "-_.:@/+=,";
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return letter || kPlain.find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// What runs a command as the user whose container or unit it is.
std::string as_user(const Holder& holder, const std::string& user) {
  const auto* const owner = holder.user.get();
  if (!holder.user_manager || owner == nullptr || *owner == user) return {};
  return "sudo -u " + quoted(*owner) + " ";
}

std::vector<std::string> container_commands(const Holder& holder, const std::string& user) {
  const auto& text = holder.container.value();
  const auto blank = text.find(' ');
  const auto runtime = text.substr(0, blank);
  const auto id = blank == std::string::npos ? std::string("ID") : quoted(text.substr(blank + 1));
  const auto as = as_user(holder, user);
  if (runtime == "docker") return {as + "docker update --restart=no " + id, as + "docker stop " + id};
  if (runtime == "podman") return {as + "podman stop " + id};
  if (runtime == "lxc") return {"lxc-stop -n " + id};
  if (runtime == "nspawn") return {"machinectl disable " + id, "machinectl stop " + id};
  if (runtime == "containerd" || runtime == "cri-o" || runtime == "kubernetes") {
    // The group tells the container only; its pod would come back if it were deleted alone.
    return {"crictl ps --id " + id + "    # names its pod", "kubectl scale deployment/NAME -n NAMESPACE --replicas=0"};
  }
  return {};
}

std::vector<std::string> unit_commands(const Holder& holder, const std::string& user) {
  const auto unit = quoted(holder.unit.value());
  std::string systemctl = "systemctl ";
  if (holder.user_manager) {
    const auto* const owner = holder.user.get();
    const bool other = owner != nullptr && *owner != user;
    systemctl += other ? "--user --machine=" + quoted(*owner + "@.host") + " " : "--user ";
  } else if (user != "root") {
    systemctl = "sudo systemctl ";
  }
  if (!is_service(holder.unit.value())) return {systemctl + "stop " + unit};
  return {systemctl + "stop " + unit, systemctl + "mask --runtime " + unit};
}

std::string words(const Holder& holder) {
  std::string text = holder.process.empty() ? "a process" : holder.process;
  text += " (pid " + std::to_string(holder.pid);
  if (holder.unit.is_known()) text += ", " + holder.unit.value();
  if (holder.container.is_known()) text += ", container " + holder.container.value();
  if (holder.user.is_known()) text += ", user " + holder.user.value();
  return text + ")";
}

class Guarding {
 public:
  explicit Guarding(const GuardQuestion& question) : question_(question) {}

  GuardAnswer answer() {
    if (!question_.live) {
      answer_.refusal = {ExitCode::usage, "a recorded host cannot be probed: only the one that this runs on", "",
                         "run gpucoop probe on that host"};
      return std::move(answer_);
    }
    for (const auto& gpu : question_.gpus) {
      if (!is_simulated(gpu)) look_at(gpu);
    }
    answer_.may = answer_.objections.empty() || question_.force;
    answer_.forced = !answer_.objections.empty() && question_.force;
    if (answer_.forced) {
      for (const auto& objection : answer_.objections) {
        answer_.warnings.push_back(
            {"probe.forced", "probed in spite of this (--force): " + objection.text, to_string(objection.gpu)});
      }
    }
    if (!answer_.may) refuse();
    return std::move(answer_);
  }

 private:
  void look_at(const Address& gpu) {
    std::size_t nameless = 0;
    for (const auto& holder : question_.holders) {
      if (holder.gpu != gpu || is_own(holder, nameless)) continue;
      switch (holder.use) {
        case HolderClass::monitor: answer_.monitors.push_back(words(holder)); break;
        case HolderClass::display:
          if (!question_.allow_display) object_to_display(holder);
          break;
        case HolderClass::compute:
          answer_.objections.push_back(
              {gpu, to_string(gpu) + " is used by " + words(holder), commands_to_end(holder, question_.user)});
          break;
      }
    }
    if (!question_.holders_complete.is(true) && !contains(question_.proven_free, gpu)) object_to_darkness(gpu);
  }

  /// Inside a container the driver numbers processes as the host does: a rank of ours is then one that has no name
  /// here, and of these there can be as many as there are ranks.
  [[nodiscard]] bool is_own(const Holder& holder, std::size_t& nameless) const {
    const auto& own = question_.own;
    if (std::find(own.begin(), own.end(), static_cast<std::int32_t>(holder.pid)) != own.end()) return true;
    return holder.process.empty() && ++nameless <= own.size();
  }

  void object_to_display(const Holder& holder) {
    answer_.objections.push_back({holder.gpu,
                                  to_string(holder.gpu) + " shows the screen of " + words(holder) +
                                      ", which a hang or a reset of the GPU would take down",
                                  {"gpucoop probe --allow-display    # if that does not matter"}});
  }

  void object_to_darkness(const Address& gpu) {
    Objection objection{gpu, "who uses " + to_string(gpu) + " cannot all be seen", {}};
    if (question_.holders_complete.is_known()) objection.text += ": some processes are hidden from this one";
    const auto why = question_.not_proven.find(gpu);
    if (why != question_.not_proven.end()) objection.text += ", and " + why->second;
    if (!question_.for_proof.empty()) objection.commands.push_back(question_.for_proof);
    objection.commands.push_back(question_.root ? "run gpucoop probe on the host, outside of containers"
                                                : "sudo gpucoop probe    # ranks still run as you");
    answer_.objections.push_back(std::move(objection));
  }

  void refuse() {
    auto& refusal = answer_.refusal;
    refusal.code = ExitCode::busy;
    std::vector<std::string> told;
    for (const auto& objection : answer_.objections) {
      refusal.what += (refusal.what.empty() ? "" : "; ") + objection.text;
      for (const auto& command : objection.commands) {
        if (std::find(told.begin(), told.end(), command) != told.end()) continue;
        told.push_back(command);
        refusal.next += command + "\n";
      }
    }
    refusal.next += "gpucoop probe --force    # whatever happens to them";
  }

  const GuardQuestion& question_;
  GuardAnswer answer_;
};

}  // namespace

std::vector<std::string> commands_to_end(const Holder& holder, const std::string& user) {
  std::vector<std::string> commands;
  if (holder.container.is_known()) commands = container_commands(holder, user);
  if (commands.empty() && holder.unit.is_known()) commands = unit_commands(holder, user);
  if (!commands.empty()) return commands;
  const auto* const owner = holder.user.get();
  const bool others = user != "root" && (owner == nullptr || *owner != user);
  return {(others ? "sudo kill " : "kill ") + std::to_string(holder.pid)};
}

GuardAnswer guard(const GuardQuestion& question) { return Guarding(question).answer(); }

}  // namespace gpucoop::probe
