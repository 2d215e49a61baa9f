#pragma once

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "read/live/live.hpp"

namespace gpucoop::test {

/// A copy of sysfs and procfs in a temporary folder that goes away with this object.
class SysfsTree {
 public:
  SysfsTree() {
    std::string name = (std::filesystem::temp_directory_path() / "gpucoop-sysfs-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root_ = name;
    std::filesystem::create_directories(root_ / "sys/bus/pci/devices");
    std::filesystem::create_directories(root_ / "proc");
  }
  ~SysfsTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  SysfsTree(const SysfsTree&) = delete;
  SysfsTree& operator=(const SysfsTree&) = delete;

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return root_ / name; }

  SysfsTree& file(const std::string& name, std::string_view text) {
    std::filesystem::create_directories(path(name).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
    return *this;
  }
  SysfsTree& link(const std::string& name, const std::string& target) {
    std::filesystem::create_directories(path(name).parent_path());
    std::filesystem::create_symlink(target, path(name));
    return *this;
  }
  SysfsTree& fifo(const std::string& name) {
    std::filesystem::create_directories(path(name).parent_path());
    REQUIRE(::mkfifo(path(name).c_str(), 0600) == 0);
    return *this;
  }
  SysfsTree& remove(const std::string& name) {
    std::filesystem::remove_all(path(name));
    return *this;
  }

  /// A function with the folder `where` below sys/devices (`pci0000:00/0000:00:01.1`), and the attributes that the
  /// kernel makes of the header. `most`: how much of `config` may be read.
  SysfsTree& device(const std::string& where, const std::vector<std::uint8_t>& config, std::size_t most = 4096) {
    const auto name = where.substr(where.rfind('/') + 1);
    const auto at = "sys/devices/" + where + "/";
    const auto readable = std::span(config).first(std::min(most, config.size()));
    file(at + "config", std::string(readable.begin(), readable.end()));
    const auto hex = [&](std::size_t offset, int bytes) {
      std::string text = "0x";
      char digits[3];
      for (int i = bytes - 1; i >= 0; --i) {
        std::snprintf(digits, sizeof digits, "%02x", config.at(offset + static_cast<std::size_t>(i)));
        text += digits;
      }
      return text + "\n";
    };
    file(at + "vendor", hex(0x00, 2)).file(at + "device", hex(0x02, 2));
    file(at + "class", hex(0x09, 3)).file(at + "revision", hex(0x08, 1));
    file(at + "subsystem_vendor", hex(0x2c, 2)).file(at + "subsystem_device", hex(0x2e, 2));
    file(at + "power_state", "D0\n").file(at + "power/runtime_status", "active\n").file(at + "numa_node", "-1\n");
    return link("sys/bus/pci/devices/" + name, "../../../devices/" + where);
  }

  [[nodiscard]] Roots roots() const {
    auto roots = Roots::below(root_.string());
    roots.names = {path("nothing").string(), path("share").string()};
    return roots;
  }
  [[nodiscard]] Recording read() const {
    auto result = read_live(roots(), builtin_rules());
    REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().what));
    return std::move(result).value();
  }

 private:
  std::filesystem::path root_;
};

inline const PciDevice& device_in(const Recording& recording, std::string_view address) {
  const auto* found = find_device(recording, parse_address(address).value());
  REQUIRE(found != nullptr);
  return *found;
}

}  // namespace gpucoop::test
