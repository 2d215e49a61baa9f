#include "read/live/container.hpp"

#include <array>
#include <string>
#include <string_view>

#include "read/live/device_values.hpp"
#include "read/live/namespaces.hpp"
#include "read/text.hpp"

namespace gpucoop {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// The inode numbers of the namespaces that the kernel starts with (include/linux/proc_ns.h PROC_*_INIT_INO).
bool in_first_namespaces(const Folder& self) {
  struct First {
    const char* link;
    std::string_view target;
  };
  constexpr std::array<First, 4> kFirst = {{{"pid", kFirstPidNamespace},
                                            {"ipc", "ipc:[4026531839]"},
                                            {"uts", "uts:[4026531838]"},
                                            {"cgroup", "cgroup:[4026531835]"}}};
  const auto namespaces = self.folder("ns");
  for (const auto& [link, target] : kFirst) {
    if (!namespaces.link(link).is(std::string(target))) return false;
  }
  return true;
}

/// The name of the runtime; other names may be personal.
std::string runtime_word(std::string_view name) {
  for (const std::string_view known : {"docker", "podman", "lxc", "systemd-nspawn", "kubernetes", "crio", "rkt"}) {
    if (starts_with(name, known)) return std::string(known == "crio" ? "kubernetes" : known);
  }
  return "container";
}

std::string runtime_of_groups(std::string_view groups) {
  struct Mark {
    std::string_view part;
    const char* runtime;
  };
  constexpr std::array<Mark, 7> kMarks = {{{"/kubepods", "kubernetes"},
                                           {"/docker/", "docker"},
                                           {"/docker-", "docker"},
                                           {"/libpod-", "podman"},
                                           {"/lxc.payload", "lxc"},
                                           {"/lxc/", "lxc"},
                                           {"/machine.slice/systemd-nspawn", "systemd-nspawn"}}};
  for (const auto& [part, runtime] : kMarks) {
    if (contains(groups, part)) return runtime;
  }
  return {};
}

std::string runtime(const Roots& roots, const Folder& proc, const Folder& self) {
  constexpr std::size_t kMost = 65536;
  if (auto name = runtime_of_groups(self.text("cgroup", kMost).value_or("")); !name.empty()) return name;
  const auto run = roots.open(roots.run);
  if (const auto name = run.text("systemd/container"); name.is_known()) return runtime_word(name.value());
  if (!run.bytes(".containerenv", kMost).is_absent()) return "podman";
  if (!roots.open(roots.top).bytes(".dockerenv", kMost).is_absent()) return "docker";
  const auto environment = '\0' + proc.folder("1").bytes("environ", kMost).value_or("");
  constexpr std::string_view kKey("\0container=", 11);
  if (const auto at = environment.find(kKey); at != std::string::npos) {
    return runtime_word(std::string_view(environment).substr(at + kKey.size()));
  }
  return {};
}

/// `0 0 4294967295`: every id is itself.
Known<bool> maps_users(const Folder& self) {
  return converted<bool>(self.text("uid_map"), [](std::string_view map) {
    std::string words;
    for (const char c : map) {
      if (!is_blank(c)) {
        words += c;
      } else if (!words.empty() && words.back() != ' ') {
        words += ' ';
      }
    }
    return Known<bool>(words != "0 0 4294967295");
  });
}

}  // namespace

void read_container(const Roots& roots, HostReading& host) {
  const auto proc = roots.open(roots.proc);
  const auto self = proc.folder("self");
  if (!self.ok()) return;
  host.user_namespace = maps_users(self);
  const auto name = in_first_namespaces(self) ? std::string() : runtime(roots, proc, self);
  host.container = name.empty() ? Known<std::string>::absent() : Known<std::string>(name);
}

}  // namespace gpucoop
