#pragma once

#include "rank/step_run.hpp"
#include "rank/workspace.hpp"

namespace gpucoop::rank {

[[nodiscard]] Pace pace_of(StepRun& run);

/// Makes room for the operands of a job and fills them: Workspace::reserve and prepare.
runtime::Outcome<> prepare(StepRun& run, Workspace& space, runtime::Stream& stream, const Job& job, bool in_place);

/// Puts the operation on the stream. `library`: for those that are groups of others.
runtime::Outcome<> enqueue(collective::Library& library, collective::Communicator& communicator, const Job& job,
                           collective::Place send, collective::Place receive, runtime::Stream& stream,
                           runtime::Deadline deadline);

/// Compares what was fetched, once the stream was waited for; `what` is put in front of the reason.
runtime::Outcome<> judge(StepRun& run, Workspace& space, runtime::Stream& stream, const Job& job,
                         const std::string& what);

/// One collective from preparing its operands to comparing every element.
runtime::Outcome<> run_checked(StepRun& run, Workspace& space, collective::Communicator& communicator, const Job& job,
                               const At& at);

/// This rank's end of a communicator, which all of its ranks ask for; the result tells the library. `limited`: see
/// Communicators.
runtime::Outcome<collective::Communicator*> join(StepRun& run, const wire::Group& group, bool limited = true);
/// The same of a second communicator of all ranks of the step, whose calls wait for other ranks without a limit, as
/// those of engines do. The supervisor ends a rank that hangs in one.
runtime::Outcome<collective::Communicator*> join_second(StepRun& run);

/// Adds to the result how the data of a communicator travel. Libraries connect ranks at the first operation of a kind:
/// to be called after it.
void note_ways(StepRun& run, const collective::Communicator& communicator);

/// The data type and the operator that a step names; `skipped` for words that are neither. Empty: float32 and sum.
runtime::Outcome<collective::DataType> type_of(const wire::Step& step);
runtime::Outcome<collective::ReduceOp> operator_of(const wire::Step& step);

}  // namespace gpucoop::rank
