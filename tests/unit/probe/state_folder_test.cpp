#include "probe/state_folder.hpp"

#include <doctest/doctest.h>

#include "state_bench.hpp"

using namespace gpucoop;
using namespace gpucoop::probe;
using namespace gpucoop::probe::testing;

namespace {

unsigned mode_of(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

}  // namespace

TEST_CASE("Root's folder is fixed; a user's follows his environment where that says something absolute") {
  CHECK(state_place(true, "/x", "/root").path() == "/var/lib/gpucoop");
  CHECK(state_place(false, "/x/state", "/home/ann").path() == "/x/state/gpucoop");
  CHECK(state_place(false, "state", "/home/ann").path() == "/home/ann/.local/state/gpucoop");
  CHECK(state_place(false, "", "/home/ann").path() == "/home/ann/.local/state/gpucoop");
  CHECK(state_place(false, "", "").path().empty());
  CHECK(open_state({}, true).error().code == ExitCode::no_such_input);
}

TEST_CASE("The folder is made for this user alone, with what is above it") {
  const StateHome home;
  const StatePlace place{home.path(), {".local", "state", "gpucoop"}, false};
  CHECK(open_state(place, false).error().code == ExitCode::no_such_input);
  CHECK_FALSE(std::filesystem::exists(home.path() + "/.local"));
  CHECK(open_state(place, true));
  CHECK(mode_of(place.path()) == 0700);
  ::chmod(place.path().c_str(), 0755);
  CHECK(open_state(place, true));
  CHECK(mode_of(place.path()) == 0700);
  CHECK(open_state(place, false));
  CHECK(open_state({home.path() + "/xdg", {"gpucoop"}, true}, true));
  CHECK(open_state({home.path() + "/nobody", {"gpucoop"}, false}, true).error().code == ExitCode::no_such_input);
  CHECK_FALSE(std::filesystem::exists(home.path() + "/nobody"));
}

TEST_CASE("A link, a file and what everybody can write to are no folder") {
  const StateHome home;
  std::filesystem::create_directory(home.path() + "/target");
  std::filesystem::create_directory_symlink("target", home.folder());
  CHECK(open_state(home.place(), true).error().code == ExitCode::permission);
  CHECK(open_state(home.place(), true).error().what.find("it is a link") == 0);
  CHECK(open_state(home.place(), true).error().where == home.folder());
  std::filesystem::remove(home.folder());
  std::ofstream(home.folder()) << "x";
  CHECK_FALSE(open_state(home.place(), true));
  std::filesystem::remove(home.folder());
  const StatePlace deep{home.path(), {"open", "gpucoop"}, false};
  std::filesystem::create_directory(home.path() + "/open");
  ::chmod((home.path() + "/open").c_str(), 0777);
  CHECK(open_state(deep, true).error().code == ExitCode::permission);
}

TEST_CASE("A folder or file of another user is not used") {
  if (::geteuid() != 0) return;  // only root can make one
  const StateHome home;
  std::filesystem::create_directory(home.folder());
  REQUIRE(::chown(home.folder().c_str(), 65534, 65534) == 0);
  CHECK(open_state(home.place(), true).error().code == ExitCode::permission);
  REQUIRE(::chown(home.folder().c_str(), 0, 0) == 0);
  const auto folder = open_state(home.place(), true);
  REQUIRE(folder);
  home.write("", "foreign");
  REQUIRE(::chown((home.folder() + "/foreign").c_str(), 65534, 65534) == 0);
  CHECK(open_state_file(folder.value(), "foreign", O_RDWR).error().code == ExitCode::permission);
}

TEST_CASE("Only a regular file with one name is a file of ours") {
  const StateHome home;
  const auto folder = open_state(home.place(), true);
  REQUIRE(folder);
  CHECK(open_state_file(folder.value(), "none", O_RDONLY).error().code == ExitCode::no_such_input);
  CHECK(open_state_file(folder.value(), "new", O_RDWR | O_CREAT));
  CHECK(mode_of(home.folder() + "/new") == 0600);
  std::filesystem::create_symlink("new", home.folder() + "/link");
  CHECK(open_state_file(folder.value(), "link", O_RDWR | O_CREAT).error().code == ExitCode::permission);
  std::filesystem::create_hard_link(home.folder() + "/new", home.folder() + "/second");
  CHECK(open_state_file(folder.value(), "new", O_RDWR).error().code == ExitCode::permission);
  REQUIRE(::mkfifo((home.folder() + "/pipe").c_str(), 0600) == 0);
  CHECK_FALSE(open_state_file(folder.value(), "pipe", O_RDWR));
  CHECK_FALSE(open_state_file(folder.value(), "pipe", O_RDONLY));
}
