#include "rank/checked.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace gpucoop::rank {
namespace {

using collective::Communicator;
using collective::DataType;
using collective::Library;
using collective::Place;
using collective::ReduceOp;
using runtime::Deadline;
using runtime::Done;
using runtime::Failure;
using runtime::Outcome;
using runtime::Stream;

Place after(Place place, std::uint64_t bytes) { return {place.buffer, place.offset + bytes}; }

/// Calls `one` for each rank, between the start and the end of a group.
template <class One>
Outcome<> in_group(Library& library, unsigned size, Deadline deadline, const One& one) {
  auto outcome = library.group_start();
  for (unsigned i = 0; outcome.ok() && i < size; ++i) outcome = one(i);
  // A group that was started is ended, whatever came in between.
  auto ended = library.group_end(deadline);
  return outcome.ok() ? ended : outcome;
}

}  // namespace

Pace pace_of(StepRun& run) {
  return {[&run] { run.beat(); },
          [&run](Stream& stream) {
            auto waited = run.settle(stream);
            run.working();
            return waited;
          }};
}

Outcome<> prepare(StepRun& run, Workspace& space, Stream& stream, const Job& job, bool in_place) {
  auto& device = run.session().device();
  const std::uint64_t element = collective::bytes_of(job.type);
  auto outcome = space.reserve(device, job.sent() * element, job.received() * element);
  return outcome.ok() ? space.prepare(device, stream, job, in_place, pace_of(run)) : outcome;
}

Outcome<> enqueue(Library& library, Communicator& communicator, const Job& job, Place send, Place receive,
                  Stream& stream, Deadline deadline) {
  const std::uint64_t element = collective::bytes_of(job.type);
  switch (job.collective) {
    case Collective::barrier:
    case Collective::all_reduce: return communicator.all_reduce(send, receive, job.count, job.type, job.op, stream);
    case Collective::reduce: return communicator.reduce(send, receive, job.count, job.type, job.op, job.root, stream);
    case Collective::broadcast: return communicator.broadcast(send, receive, job.count, job.type, job.root, stream);
    case Collective::all_gather: return communicator.all_gather(send, receive, job.count, job.type, stream);
    case Collective::reduce_scatter:
      return communicator.reduce_scatter(send, receive, job.count, job.type, job.op, stream);
    case Collective::send_recv:
      return in_group(library, 2, deadline, [&](unsigned i) {
        return i == 0
                   ? communicator.send(send, job.count, job.type, (job.rank + 1) % job.size, stream)
                   : communicator.receive(receive, job.count, job.type, (job.rank + job.size - 1) % job.size, stream);
      });
    case Collective::all_to_all:
      return in_group(library, job.size, deadline, [&](unsigned i) {
        const std::uint64_t offset = job.block_offset(i) * element;
        auto sent = communicator.send(after(send, offset), job.block(i), job.type, i, stream);
        if (!sent.ok()) return sent;
        return communicator.receive(after(receive, offset), job.block(i), job.type, i, stream);
      });
    case Collective::all_gather_v:
      return in_group(library, job.size, deadline, [&](unsigned i) -> Outcome<> {
        if (job.block(i) == 0) return Done{};
        return communicator.broadcast(send, after(receive, job.block_offset(i) * element), job.block(i), job.type, i,
                                      stream);
      });
    case Collective::reduce_scatter_v:
      return in_group(library, job.size, deadline, [&](unsigned i) -> Outcome<> {
        if (job.block(i) == 0) return Done{};
        return communicator.reduce(after(send, job.block_offset(i) * element), receive, job.block(i), job.type, job.op,
                                   i, stream);
      });
  }
  return Failure{ProbeState::failed, "there is no such collective"};
}

Outcome<> judge(StepRun& run, Workspace& space, Stream& stream, const Job& job, const std::string& what) {
  run.working();
  if (run.spoils(to_string(job.collective))) space.spoil(job);
  const auto found = space.check(run.session().device(), stream, job, pace_of(run));
  return found.ok() ? run.judge(found.value(), what) : Outcome<>(found.failure());
}

Outcome<> run_checked(StepRun& run, Workspace& space, Communicator& communicator, const Job& job, const At& at) {
  auto& session = run.session();
  auto& stream = session.stream();
  const std::string name(to_string(job.collective));
  auto outcome = run.begin(name, at);
  if (!outcome.ok()) return outcome;
  const bool in_place = job.collective == Collective::all_reduce && job.round % 2 == 1;
  outcome = prepare(run, space, stream, job, in_place);
  run.waiting();
  if (outcome.ok()) {
    outcome = enqueue(*session.tools().library, communicator, job, in_place ? space.receive() : space.send(),
                      space.receive(), stream, run.deadline());
  }
  if (outcome.ok()) outcome = space.fetch(session.device(), stream, job);
  if (!outcome.ok()) return outcome;
  outcome = communicator.settle(stream, run.deadline());
  note_ways(run, communicator);
  if (!outcome.ok()) return outcome;
  run.beat();
  const std::uint64_t bytes = std::max(job.sent(), job.received()) * collective::bytes_of(job.type);
  run.result().bytes = std::max(run.result().bytes, bytes);
  auto judged = judge(run, space, stream, job, name + " of " + std::to_string(bytes) + " bytes");
  if (!judged.ok()) run.result().bytes = bytes;
  return judged;
}

Outcome<Communicator*> join(StepRun& run, const wire::Group& group, bool limited) {
  run.waiting();
  auto communicator = run.session().communicators().get(group, run.step().id, run.deadline(), limited);
  if (!communicator.ok()) return communicator;
  run.beat();
  auto& result = run.result();
  const auto info = run.session().tools().library->info();
  result.library_name = info.name;
  result.library_version = info.version;
  note_ways(run, *communicator.value());
  return communicator;
}

Outcome<Communicator*> join_second(StepRun& run) { return join(run, {"second", run.step().ranks}, false); }

void note_ways(StepRun& run, const Communicator& communicator) {
  std::set<std::string> ways;
  const auto add = [&ways](std::string_view list) {
    while (!list.empty()) {
      const auto end = std::min(list.find(','), list.size());
      auto way = list.substr(0, end);
      way.remove_prefix(std::min(way.find_first_not_of(' '), way.size()));
      if (!way.empty()) ways.emplace(way);
      list.remove_prefix(std::min(end + 1, list.size()));
    }
  };
  auto& text = run.result().transport;
  add(text);
  for (const auto& way : communicator.transports()) add(way);
  text.clear();
  for (const auto& way : ways) text += (text.empty() ? "" : ", ") + way;
}

Outcome<DataType> type_of(const wire::Step& step) {
  if (step.dtype.empty()) return DataType::float32;
  for (unsigned i = 0; i <= static_cast<unsigned>(DataType::bfloat16); ++i) {
    const auto type = static_cast<DataType>(i);
    if (collective::to_string(type) == step.dtype) return type;
  }
  return Failure{ProbeState::skipped, "there is no data type " + step.dtype};
}

Outcome<ReduceOp> operator_of(const wire::Step& step) {
  if (step.reduce.empty()) return ReduceOp::sum;
  for (unsigned i = 0; i <= static_cast<unsigned>(ReduceOp::avg); ++i) {
    const auto op = static_cast<ReduceOp>(i);
    if (collective::to_string(op) == step.reduce) return op;
  }
  return Failure{ProbeState::skipped, "there is no operator " + step.reduce};
}

}  // namespace gpucoop::rank
