#include "probe/driver_list.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>

#include "probe/ask.hpp"
#include "probe/guard.hpp"

using namespace gpucoop;
using namespace gpucoop::probe;

namespace {

const Address kFirst{0, 0, 6, 0};
const Address kSecond{0, 0, 7, 0};

wire::NvmlState two_free() {
  wire::NvmlState state;
  for (const auto& address : {kFirst, kSecond}) {
    wire::NvmlGpu gpu;
    gpu.address = to_string(address);
    gpu.processes = std::vector<wire::NvmlProcess>{};
    gpu.used_bytes = std::uint64_t{2} << 20U;
    state.gpus.push_back(gpu);
  }
  return state;
}

void put(wire::NvmlGpu& gpu, std::uint32_t pid) {
  auto list = gpu.processes.value();
  list.push_back({pid, false, std::uint64_t{500} << 20U});
  gpu.processes = list;
}

ListQuestion question() {
  ListQuestion asked;
  asked.gpus = {kFirst, kSecond};
  asked.own = {100, 101};
  asked.first_namespace = true;
  asked.name = [](std::uint32_t pid) { return pid == 812 ? std::string("llama-server") : std::string(); };
  return asked;
}

GuardAnswer guarded(const ListAnswer& answer) {
  GuardQuestion asked;
  asked.gpus = {kFirst, kSecond};
  asked.live = true;
  asked.holders = answer.holders;
  asked.holders_complete = false;
  asked.proven_free = answer.complete;
  asked.not_proven = answer.open;
  asked.root = true;
  return guard(asked);
}

}  // namespace

TEST_CASE("An empty list of the driver proves that nobody uses a GPU, and so does one of our own ranks") {
  auto state = two_free();
  auto answer = read_list(state, question(), Rules{});
  CHECK(answer.complete == std::vector<Address>{kFirst, kSecond});
  CHECK(answer.holders.empty());
  CHECK(answer.open.empty());
  CHECK(guarded(answer).may);
  put(state.gpus[0], 100);
  put(state.gpus[1], 101);
  state.gpus[0].used_bytes = std::uint64_t{500} << 20U;
  answer = read_list(state, question(), Rules{});
  CHECK(answer.holders.empty());
  CHECK(guarded(answer).may);
}

TEST_CASE("Who is on the driver's list holds the GPU though /proc hides it, named as far as it is known") {
  auto state = two_free();
  put(state.gpus[1], 812);
  put(state.gpus[1], 812);  // computes and draws
  put(state.gpus[1], 4242);
  const auto answer = read_list(state, question(), Rules{});
  REQUIRE(answer.holders.size() == 2);
  CHECK(answer.holders[0].process == "llama-server");
  CHECK(answer.holders[0].memory_bytes.is(std::uint64_t{500} << 20U));
  CHECK(answer.holders[1].use == HolderClass::compute);
  const auto refused = guarded(answer);
  CHECK_FALSE(refused.may);
  CHECK(refused.refusal.code == ExitCode::busy);
  CHECK(refused.refusal.what ==
        "0000:00:07.0 is used by llama-server (pid 812); 0000:00:07.0 is used by a process (pid 4242)");

  auto asked = question();
  Holder known;
  known.gpu = kSecond;
  known.pid = 812;
  asked.holders = {known};
  CHECK(read_list(state, asked, Rules{}).holders.size() == 1);
}

TEST_CASE("A list that is not given, or not for this GPU, proves nothing") {
  auto state = two_free();
  state.gpus[0].processes = Known<std::vector<wire::NvmlProcess>>::unknown(Reason::no_root);
  state.gpus[1].processes = Known<std::vector<wire::NvmlProcess>>::absent();
  auto answer = read_list(state, question(), Rules{});
  CHECK(answer.complete.empty());
  CHECK(answer.open.at(kFirst) == "its driver does not list processes to this user");
  CHECK(answer.open.at(kSecond) == "its driver does not list processes of this GPU");
  const auto refused = guarded(answer);
  CHECK_FALSE(refused.may);
  CHECK(refused.refusal.what.find("some processes are hidden from this one, and its driver does not list processes to "
                                  "this user") != std::string::npos);
  state.gpus.clear();
  answer = read_list(state, question(), Rules{});
  CHECK(answer.complete.empty());
  CHECK(answer.open.size() == 2);
}

TEST_CASE("In a container, where the driver leaves out processes of others, memory in use shows them") {
  auto state = two_free();
  auto asked = question();
  asked.first_namespace = false;
  CHECK(read_list(state, asked, Rules{}).complete.size() == 2);
  state.gpus[0].used_bytes = std::uint64_t{700} << 20U;
  state.gpus[1].used_bytes = Known<std::uint64_t>::unknown(Reason::not_derivable);
  const auto answer = read_list(state, asked, Rules{});
  CHECK(answer.complete.empty());
  CHECK(answer.open.at(kFirst) == "700 MiB of its memory are in use");
  CHECK(answer.open.count(kSecond) == 1);
  asked.first_namespace = true;
  CHECK(read_list(state, asked, Rules{}).complete.size() == 2);
}

TEST_CASE("A program that is asked has a deadline, and its end is looked at") {
  using std::chrono::milliseconds;
  const auto ask = [](const char* script, milliseconds deadline, std::size_t most = 1000) {
    return ask_program("/bin/sh", {"sh", "-c", script}, deadline, most);
  };
  const auto said = ask("printf answer; echo lost >&2", milliseconds(60000));
  REQUIRE(said.ok());
  CHECK(said.value() == "answer");
  CHECK(ask("exit 3", milliseconds(60000)).error().what == "ended with 3");
  CHECK(ask("kill -9 $$", milliseconds(60000)).error().what == "died of signal 9");
  CHECK(ask("while :; do echo more; done", milliseconds(60000)).error().what == "says too much");
  const auto begin = std::chrono::steady_clock::now();
  CHECK(ask("sleep 600 & sleep 600", milliseconds(200)).error().what == "has not answered in time");
  CHECK(ask("exec >&-; sleep 600", milliseconds(200)).error().what == "has not ended in time");
  CHECK(std::chrono::steady_clock::now() - begin < milliseconds(60000));
  std::fflush(stdout);  // the thread sanitizer writes what is left there when the copy of this process ends
  CHECK(ask_program("/nonexistent", {"x"}, milliseconds(60000), 10).error().what == "ended with 126");
  CHECK_FALSE(ask_nvml("/bin/echo").ok());
}
