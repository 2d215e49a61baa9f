#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "probe/state_folder.hpp"

namespace gpucoop::probe::testing {

/// A home of its own for what is kept about probes.
class StateHome {
 public:
  StateHome() {
    std::string name = "/tmp/gpucoop-state-XXXXXX";
    path_ = ::mkdtemp(name.data()) == nullptr ? "" : name;
    REQUIRE_FALSE(path_.empty());
  }
  ~StateHome() { std::filesystem::remove_all(path_); }
  StateHome(const StateHome&) = delete;
  StateHome& operator=(const StateHome&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] StatePlace place() const { return {path_, {"gpucoop"}, false}; }
  [[nodiscard]] std::string folder() const { return path_ + "/gpucoop"; }
  [[nodiscard]] std::string read(const std::string& name = "journal") const {
    std::ifstream file(folder() + "/" + name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void write(const std::string& text, const std::string& name = "journal") const {
    std::ofstream(folder() + "/" + name, std::ios::binary) << text;
  }

 private:
  std::string path_;
};

}  // namespace gpucoop::probe::testing
