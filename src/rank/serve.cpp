#include <unistd.h>

#include <string_view>

#include "rank/steps.hpp"
#include "wire/frame.hpp"

namespace gpucoop::rank {
namespace {

using runtime::Failure;
using runtime::Outcome;

void put(wire::StepResult& result, const Failure& failure) {
  result.state = failure.state == ProbeState::passed ? ProbeState::failed : failure.state;
  result.reason = failure.text;
}

Outcome<std::unique_ptr<Session>> open(Tools& tools, const std::string& address) {
  auto device = tools.runtime.open(address);
  if (!device.ok()) return device.failure();
  auto stream = device.value()->make_stream();
  if (!stream.ok()) return stream.failure();
  auto session = std::make_unique<Session>(tools, std::move(device).value(), std::move(stream).value());
  auto begun = session->injector().before("start", "");
  if (!begun.ok()) return begun.failure();
  session->announce();
  return session;
}

void tell_versions(Tools& tools, wire::StepResult& ready) {
  ready.answers.emplace_back("runtime", tools.runtime.name());
  ready.answers.emplace_back("runtime_version", tools.runtime.version());
  if (tools.library == nullptr) {
    ready.answers.emplace_back("no_library", tools.no_library);
    return;
  }
  const auto info = tools.library->info();
  ready.library_name = info.name;
  ready.library_version = info.version;
  ready.answers.emplace_back("library_path", info.path);
  for (const auto& [name, change] : tools.environment) ready.answers.emplace_back("environment " + name, change);
}

bool answer(Session& session, int channel, const wire::Step& step, const wire::StepResult& result) {
  if (step.id != 0 && session.injector().garbles(step.rung, step.op)) {
    constexpr std::string_view kGarbage = "\xff\xff\xff\xffinjected fault: garbage instead of a result\n";
    return ::write(channel, kGarbage.data(), kGarbage.size()) > 0;
  }
  return wire::send_frame(channel, wire::encode(result));
}

wire::StepResult perform(Session& session, const wire::Step& step) {
  wire::StepResult result;
  result.id = step.id;
  result.rank = session.rank();
  const auto function = step_function(step.rung);
  if (function == nullptr) {
    result.reason = "this rank knows no rung " + step.rung;
    return result;
  }
  const auto began = std::chrono::steady_clock::now();
  StepRun run(session, step, result);
  const auto outcome = function(run);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (outcome.ok()) {
    result.state = ProbeState::passed;
  } else {
    put(result, outcome.failure());
  }
  session.board()
      .progress(session.rank())
      .doing.store(static_cast<std::uint32_t>(wire::Progress::Doing::done), std::memory_order_relaxed);
  return result;
}

}  // namespace

ExitCode serve(Tools& tools, const std::string& device, int channel) {
  wire::StepResult ready;
  ready.rank = tools.rank;
  auto session = open(tools, device);
  if (!session.ok()) {
    put(ready, session.failure());
    (void)wire::send_frame(channel, wire::encode(ready));
    return ExitCode::no_gpu;
  }
  ready.state = ProbeState::passed;
  const auto& info = session.value()->device().info();
  ready.answers.emplace_back("address", info.address);
  ready.answers.emplace_back("name", info.name);
  ready.answers.emplace_back("architecture", info.architecture);
  ready.answers.emplace_back("memory_bytes", std::to_string(info.memory_bytes));
  tell_versions(tools, ready);
  if (!wire::send_frame(channel, wire::encode(ready))) return ExitCode::ok;
  wire::FrameReader reader;
  std::string payload;
  while (wire::receive_frame(channel, reader, payload)) {
    const auto step = wire::decode_step(payload);
    if (!step.ok()) return ExitCode::bad_input;
    const auto result = perform(*session.value(), step.value());
    if (!answer(*session.value(), channel, step.value(), result)) break;
  }
  session.value()->communicators().end();
  if (tools.ends_with_process) static_cast<void>(std::move(session).value().release());
  return ExitCode::ok;
}

}  // namespace gpucoop::rank
