// Does every operation of the CUDA and NCCL backends once, on the GPUs of this host. For people who change them.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <vector>

#include "collective/nccl/nccl.hpp"
#include "cuda_checks.hpp"
#include "runtime/cuda/cuda.hpp"

namespace {

using namespace smoke;
using namespace gpucoop;

struct Arguments {
  std::string cuda;
  std::string nccl;
  std::string only;
};

/// A process of its own, that is killed when its time is over.
pid_t start(const std::function<int()>& what, unsigned seconds) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child != 0) return child;
  alarm(seconds);
  const int failed = what();
  std::fflush(stdout);
  _exit(failed > 0 ? 1 : 0);
}

int end_of(const char* section, pid_t child) {
  int status = 0;
  if (child <= 0 || waitpid(child, &status, 0) != child) return 1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  std::printf("FAIL  %-6s %s %d\n", section, WIFSIGNALED(status) ? "ended by signal" : "exit",
              WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  return 1;
}

std::unique_ptr<runtime::Runtime> runtime_of(Report& r, const Arguments& arguments) {
  auto loaded = runtime::cuda::load(arguments.cuda);
  if (!r.check(loaded, "load", loaded.ok() ? loaded.value()->version() : "")) return nullptr;
  return std::move(loaded).value();
}

std::unique_ptr<runtime::Device> device_of(Report& r, runtime::Runtime& runtime, unsigned index) {
  auto all = runtime.devices();
  if (!r.check(all, "devices")) return nullptr;
  if (all.value().size() <= index) {
    r.note("devices", fmt::format("only {}", all.value().size()));
    return nullptr;
  }
  const auto& info = all.value()[index];
  const auto begin = std::chrono::steady_clock::now();
  auto opened = runtime.open(info.address);
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!r.check(opened, "open",
               fmt::format("{} {} {} {} MiB, host atomics {}, {:.3f} s", info.address, info.name, info.architecture,
                           info.memory_bytes >> 20U, info.host_atomics.value_or(false), took)))
    return nullptr;
  return std::move(opened).value();
}

int one_process(const Arguments& arguments) {
  Report r("device");
  auto runtime = runtime_of(r, arguments);
  if (runtime == nullptr) return r.failed();
  r.check(!runtime->open("0000:ff:1f.7").ok(), "a device that is not there is refused");
  auto a = device_of(r, *runtime, 0);
  if (a == nullptr) return r.failed();
  check_device(r, *a);
  auto b = device_of(r, *runtime, 1);
  if (b == nullptr) return r.failed();
  Report pair("pair");
  check_pair(pair, *a, *b);
  return r.failed() + pair.failed();
}

int two_processes(const char* section, unsigned seconds, const std::function<int(unsigned rank, int channel)>& what) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  const pid_t first = start(
      [&] {
        close(ends[1]);
        return what(0, ends[0]);
      },
      seconds);
  const pid_t second = start(
      [&] {
        close(ends[0]);
        return what(1, ends[1]);
      },
      seconds);
  close(ends[0]);
  close(ends[1]);
  return end_of(section, first) + end_of(section, second);
}

int ipc(const Arguments& arguments, unsigned rank, int channel) {
  Report r("ipc " + std::to_string(rank));
  auto runtime = runtime_of(r, arguments);
  auto d = runtime != nullptr ? device_of(r, *runtime, rank) : nullptr;
  if (d != nullptr) check_ipc(r, *d, rank, channel);
  return r.failed();
}

int nccl(const Arguments& arguments, bool blocking, unsigned rank, int channel) {
  Report r(fmt::format("nccl{}{}", blocking ? "b" : " ", rank));
  auto loaded = collective::nccl::load({arguments.nccl, blocking, std::chrono::milliseconds(30000)});
  if (!r.check(loaded, "load")) return r.failed();
  for (const auto& change : loaded.value().changes)
    r.note(change.name, fmt::format("{:?} (was {:?})", change.value, change.before));
  auto runtime = runtime_of(r, arguments);
  auto d = runtime != nullptr ? device_of(r, *runtime, rank) : nullptr;
  if (d != nullptr) check_collectives(r, *d, *loaded.value().library, rank, channel);
  return r.failed();
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--cuda") arguments.cuda = argv[i + 1];
    if (name == "--nccl") arguments.nccl = argv[i + 1];
    if (name == "--small") wants_small = std::strcmp(argv[i + 1], "yes") == 0;
    if (name == "--only") arguments.only = argv[i + 1];
  }
  const auto wanted = [&](const char* part) { return arguments.only.empty() || arguments.only == part; };
  int failed = 0;
  if (wanted("device")) failed += end_of("device", start([&] { return one_process(arguments); }, 120));
  if (wanted("ipc"))
    failed += two_processes("ipc", 60, [&](unsigned rank, int channel) { return ipc(arguments, rank, channel); });
  for (const bool blocking : {false, true})
    if (wanted("nccl"))
      failed += two_processes("nccl", 120,
                              [&](unsigned rank, int channel) { return nccl(arguments, blocking, rank, channel); });
  std::printf("%s\n", failed == 0 ? "all good" : "NOT all good");
  return failed == 0 ? 0 : 1;
}
