#include "probe/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace gpucoop::probe {
namespace {

Result<Descriptor> open_device(const Address& device, const std::string& devices) {
  const auto path = devices + "/" + to_string(device);
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return Error{ExitCode::no_such_input, std::string("no such device: ") + std::strerror(errno), path, ""};
  return folder;
}

std::string text_of(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Error taken(const Address& device, const Descriptor& file) {
  Error error{ExitCode::busy, "another probe is using it", to_string(device), "wait until that probe has ended"};
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return error;
  const auto pid = lock_owner(text_of("/proc/locks"), ::major(status.st_dev), ::minor(status.st_dev), status.st_ino);
  if (pid > 0) error.what += " (pid " + std::to_string(pid) + ")";
  return error;
}

}  // namespace

Result<DeviceLocks> DeviceLocks::take(const std::vector<Address>& of, const std::string& devices) {
  std::vector<Descriptor> locked;
  auto sorted = of;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (const auto& device : sorted) {
    if (is_simulated(device)) continue;
    auto file = open_device(device, devices);
    if (!file) return file.error();
    if (::flock(file.value().get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return taken(device, file.value());
      return Error{ExitCode::internal, std::string("it cannot be locked: ") + std::strerror(errno), to_string(device),
                   ""};
    }
    locked.push_back(std::move(file).value());
  }
  return DeviceLocks(std::move(locked));
}

std::int32_t lock_owner(const std::string& locks, unsigned device_major, unsigned device_minor, std::uint64_t inode) {
  // `1: FLOCK  ADVISORY  WRITE 812 00:15:1234 0 EOF`; the device in hexadecimal (man proc_locks).
  std::istringstream lines(locks);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, kind, mode, access, place;
    std::int32_t pid = 0;
    if (!(words >> number >> kind >> mode >> access >> pid >> place) || kind != "FLOCK") continue;
    std::array<std::uint64_t, 3> parts{};
    const char* at = place.data();
    const char* const end = place.data() + place.size();
    bool whole = true;
    for (std::size_t i = 0; i < parts.size() && whole; ++i) {
      constexpr int kHexadecimal = 16;
      constexpr int kDecimal = 10;
      const auto [after, error] = std::from_chars(at, end, parts[i], i < 2 ? kHexadecimal : kDecimal);
      whole = error == std::errc() && (i == 2 ? after == end : after != end && *after == ':');
      if (whole && i < 2) at = after + 1;
    }
    if (whole && parts[0] == device_major && parts[1] == device_minor && parts[2] == inode) return pid;
  }
  return 0;
}

}  // namespace gpucoop::probe
