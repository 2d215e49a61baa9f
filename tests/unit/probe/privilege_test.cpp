#include "probe/privilege.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

using namespace gpucoop::probe;
using Kind = Privilege::Kind;
using Names = std::vector<std::string>;

TEST_CASE("Under sudo ranks are the user who called it, else root is root and a user a user") {
  CHECK(privilege_of(1000, {"SUDO_UID=0", "SUDO_GID=0"}).kind == Kind::user);
  CHECK(privilege_of(0, {}).kind == Kind::root);
  CHECK(privilege_of(0, {"SUDO_UID=0", "SUDO_GID=0"}).kind == Kind::root);
  CHECK(privilege_of(0, {"SUDO_UID=1000"}).kind == Kind::root);
  CHECK(privilege_of(0, {"SUDO_UID=-1", "SUDO_GID=1000"}).kind == Kind::root);
  CHECK(privilege_of(0, {"SUDO_UID=4294967295", "SUDO_GID=1000"}).kind == Kind::root);
  CHECK(privilege_of(0, {"SUDO_UID=1000x", "SUDO_GID=1000"}).kind == Kind::root);
  const auto privilege = privilege_of(0, {"A=b", "SUDO_UID=4242424", "SUDO_GID=4242425"});
  CHECK(privilege.kind == Kind::sudo);
  CHECK(privilege.user.user == 4242424);
  CHECK(privilege.user.group == 4242425);
  CHECK(privilege.user.groups == std::vector<std::uint32_t>{4242425});
  CHECK(privilege.user.name.empty());
}

TEST_CASE("Root's ranks get no variable that chooses what code is loaded; what was taken out is told") {
  const Names inherited = {"PATH=/bin",
                           "LD_PRELOAD=/tmp/x.so",
                           "LD_LIBRARY_PATH=/opt/lib",
                           "NCCL_NET_PLUGIN=x",
                           "NCCL_DEBUG=INFO",
                           "RCCL_TUNER_PLUGIN_PATH=/x",
                           "NCCL_CONF_FILE=/x",
                           "GCONV_PATH=/x",
                           "CUDA_VISIBLE_DEVICES=0",
                           "CUDA_INJECTION64_PATH=/x",
                           "EMPTY=",
                           "=broken",
                           "broken"};
  const auto root = rank_environment(inherited, {Kind::root, {}}, {}, {});
  CHECK(root.variables == Names{"CUDA_VISIBLE_DEVICES=0", "EMPTY=", "NCCL_DEBUG=INFO", "PATH=/bin"});
  CHECK(root.stripped == Names{"CUDA_INJECTION64_PATH", "GCONV_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "NCCL_CONF_FILE",
                               "NCCL_NET_PLUGIN", "RCCL_TUNER_PLUGIN_PATH"});
  const auto user = rank_environment(inherited, {Kind::user, {}}, {}, {});
  CHECK(user.stripped.empty());
  CHECK(user.variables.size() == 11);
}

TEST_CASE("What is set wins over what is inherited, and a dropped user has his own home") {
  Privilege sudo{Kind::sudo, {1000, 1000, {1000}, "ann", "/home/ann"}};
  const auto made = rank_environment({"HOME=/root", "USER=root", "A=1", "B=2", "LD_PRELOAD=/x"}, sudo, {"B", "C"},
                                     {{"A", "3"}, {"D", ""}});
  CHECK(made.variables == Names{"A=3", "D=", "HOME=/home/ann", "LD_PRELOAD=/x", "LOGNAME=ann", "USER=ann"});
}

TEST_CASE("A process that takes on a user does not come back") {
  if (::geteuid() != 0) return;  // only root can
  const pid_t child = ::fork();
  if (child == 0) {
    const Privilege sudo{Kind::sudo, {65534, 65534, {65534, 4242}, "", ""}};
    const bool done = take_on(sudo) && ::getuid() == 65534 && ::getegid() == 65534 && ::getgroups(0, nullptr) == 2;
    ::_exit(done && ::setuid(0) != 0 && ::setgid(0) != 0 ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
}
