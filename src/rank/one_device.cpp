#include <algorithm>
#include <memory>

#include "rank/pattern_bytes.hpp"
#include "rank/steps.hpp"

namespace gpucoop::rank {
namespace {

using runtime::Buffer;
using runtime::Done;
using runtime::Failure;
using runtime::Outcome;
using runtime::Pattern;

const std::uint32_t* words(const Buffer& buffer) { return static_cast<const std::uint32_t*>(buffer.pointer()); }

std::uint64_t whole_words(std::uint64_t bytes) { return std::max<std::uint64_t>(4, (bytes + 3) / 4 * 4); }

std::vector<std::uint64_t> sizes_of(const wire::Step& step) {
  if (!step.sizes.empty()) return step.sizes;
  return {4, 4096, (1U << 20U) + 4, 16U << 20U};
}

/// Host, device and host memory again.
struct Copies {
  std::unique_ptr<Buffer> from;
  std::unique_ptr<Buffer> on_device;
  std::unique_ptr<Buffer> back;
};

Outcome<Copies> make_copies(runtime::Device& device, std::uint64_t bytes) {
  Copies out;
  auto from = device.allocate_host(bytes);
  if (!from.ok()) return from.failure();
  out.from = std::move(from).value();
  auto on_device = device.allocate(bytes);
  if (!on_device.ok()) return on_device.failure();
  out.on_device = std::move(on_device).value();
  auto back = device.allocate_host(bytes);
  if (!back.ok()) return back.failure();
  out.back = std::move(back).value();
  return out;
}

void write_words(StepRun& run, Buffer& buffer, std::uint64_t bytes, const Pattern& pattern) {
  auto* const out = static_cast<std::uint32_t*>(buffer.pointer());
  for (std::uint64_t first = 0; first < bytes / 4; first += StepRun::kPieceWords) {
    fill_words(pattern, first, std::min(StepRun::kPieceWords, bytes / 4 - first), out + first);
    run.beat();
  }
}

Outcome<> check_copies(StepRun& run, Copies& copies, std::uint64_t bytes, std::uint32_t round) {
  auto& device = run.session().device();
  auto& stream = run.session().stream();
  const Pattern sent{static_cast<std::uint32_t>(run.step().seed), round};
  const Pattern before{~sent.seed, round};
  write_words(run, *copies.from, bytes, sent);
  write_words(run, *copies.back, bytes, before);
  auto outcome = device.store(stream, *copies.on_device, {0, bytes}, before);
  if (outcome.ok()) outcome = device.copy(stream, *copies.on_device, 0, *copies.from, {0, bytes});
  if (!outcome.ok()) return outcome;
  const std::string what = std::to_string(bytes) + " bytes";
  auto there = device.verify(stream, *copies.on_device, {0, bytes}, sent, before, run.deadline());
  if (!there.ok()) return there.failure();
  outcome = run.judge(there.value(), "a copy of " + what + " to the device");
  if (outcome.ok()) outcome = device.copy(stream, *copies.back, 0, *copies.on_device, {0, bytes});
  if (outcome.ok()) outcome = run.settle(stream);
  if (!outcome.ok()) return outcome;
  if (run.spoils(run.step().op)) *static_cast<std::uint32_t*>(copies.back->pointer()) = before.word(0);
  return run.judge(run.compare(words(*copies.back), bytes / 4, sent, before), "a copy of " + what + " from the device");
}

}  // namespace

Outcome<> gpu_dispatch(StepRun& run) {
  auto begun = run.begin(run.step().op);
  if (!begun.ok()) return begun;
  if (run.spoils(run.step().op)) {
    return Failure{ProbeState::wrong_data, "injected fault: the kernel's word is not there"};
  }
  run.waiting();
  const auto& info = run.session().device().info();
  auto& answers = run.result().answers;
  answers.emplace_back("name", info.name);
  answers.emplace_back("memory_bytes", std::to_string(info.memory_bytes));
  if (!info.architecture.empty()) answers.emplace_back("architecture", info.architecture);
  if (info.host_atomics.is_known()) {
    answers.emplace_back("gpu.host_atomics", info.host_atomics.value() ? "true" : "false");
  }
  auto done = run.session().device().dispatch(run.deadline());
  if (done.ok()) run.result().checked_words = 1;
  return done;
}

Outcome<> hostcall_dispatch(StepRun& run) {
  // The host backend's kernels are the host.
  if (run.session().tools().runtime.name() == "host") return gpu_dispatch(run);
  return Failure{ProbeState::skipped, "this runtime has no kernels that call back into the host"};
}

Outcome<> host_copy(StepRun& run) {
  const auto sizes = sizes_of(run.step());
  auto copies = make_copies(run.session().device(), whole_words(*std::max_element(sizes.begin(), sizes.end())));
  if (!copies.ok()) return copies.failure();
  const std::uint32_t rounds = std::max(1U, run.step().rounds);
  for (const std::uint64_t size : sizes) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      auto outcome = run.begin(run.step().op, {0, round, 0});
      run.result().bytes = whole_words(size);
      if (outcome.ok()) outcome = check_copies(run, copies.value(), whole_words(size), round + 1);
      if (!outcome.ok()) return outcome;
    }
  }
  return Done{};
}

Outcome<> host_copy_rate(StepRun& run) {
  auto& device = run.session().device();
  auto& stream = run.session().stream();
  const std::uint64_t bytes = run.step().sizes.empty() ? 32U << 20U : whole_words(run.step().sizes.back());
  auto copies = make_copies(device, bytes);
  if (!copies.ok()) return copies.failure();
  auto outcome = run.begin(run.step().op);
  run.result().bytes = bytes;
  if (outcome.ok()) outcome = check_copies(run, copies.value(), bytes, 1);
  if (!outcome.ok()) return outcome;
  double slower = 0;
  for (const bool back : {false, true}) {
    const auto copy = [&]() -> Outcome<> {
      return back ? device.copy(stream, *copies.value().back, 0, *copies.value().on_device, {0, bytes})
                  : device.copy(stream, *copies.value().on_device, 0, *copies.value().from, {0, bytes});
    };
    std::vector<double> rates;
    const std::uint32_t samples = std::max(3U, run.step().repetitions);
    for (std::uint32_t i = 0; i < samples + run.step().warmups; ++i) {
      run.waiting();
      auto seconds = device.timed(stream, 4, copy, run.deadline());
      if (!seconds.ok()) return seconds.failure();
      run.beat();
      if (i >= run.step().warmups && seconds.value() > 0) {
        rates.push_back(4.0 * static_cast<double>(bytes) / seconds.value() / 1e9);
      }
    }
    const double rate = median(rates);
    run.result().answers.emplace_back(back ? "device_to_host_gbytes_per_s" : "host_to_device_gbytes_per_s",
                                      std::to_string(rate));
    slower = slower == 0 ? rate : std::min(slower, rate);
  }
  run.result().gbytes_per_s = slower;
  return Done{};
}

Outcome<> host_mapped(StepRun& run) {
  auto& device = run.session().device();
  auto& stream = run.session().stream();
  const auto sizes = sizes_of(run.step());
  auto copies = make_copies(device, whole_words(*std::max_element(sizes.begin(), sizes.end())));
  if (!copies.ok()) return copies.failure();
  auto& memory = copies.value();
  for (const std::uint64_t size : sizes) {
    const std::uint64_t bytes = whole_words(size);
    auto outcome = run.begin(run.step().op);
    if (!outcome.ok()) return outcome;
    run.result().bytes = bytes;
    const Pattern sent{static_cast<std::uint32_t>(run.step().seed), 1};
    const Pattern before{~sent.seed, 1};
    write_words(run, *memory.from, bytes, before);
    write_words(run, *memory.back, bytes, before);
    // A kernel writes into host memory, and one reads it from there.
    outcome = device.store(stream, *memory.from, {0, bytes}, sent);
    if (outcome.ok()) outcome = device.load(stream, *memory.on_device, 0, *memory.from, {0, bytes});
    if (outcome.ok()) outcome = device.copy(stream, *memory.back, 0, *memory.on_device, {0, bytes});
    if (outcome.ok()) outcome = run.settle(stream);
    if (!outcome.ok()) return outcome;
    outcome = run.judge(run.compare(words(*memory.from), bytes / 4, sent, before), "a kernel's write to the host");
    if (!outcome.ok()) return outcome;
    outcome = run.judge(run.compare(words(*memory.back), bytes / 4, sent, before), "a kernel's read of the host");
    if (!outcome.ok()) return outcome;
  }
  return Done{};
}

}  // namespace gpucoop::rank
