#include "runtime/cuda/stream.hpp"

#include <fmt/format.h>

#include <utility>

#include "runtime/patience.hpp"

namespace gpucoop::runtime::cuda {

namespace {

class CudaStream final : public Stream {
 public:
  CudaStream(std::shared_ptr<Context> context, void* handle) : context_(std::move(context)), handle_(handle) {}
  ~CudaStream() override {
    if (!context_->leaves_everything() && context_->make_current()) context_->driver().stream_destroy(handle_);
  }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  Outcome<> wait(Deadline deadline) override {
    if (auto current = context_->make_current(); !current) return current;
    Patience patience(deadline);
    for (;;) {
      const int code = context_->driver().stream_query(handle_);
      if (code == kSuccess) {
        context_->recovered();
        return Done{};
      }
      if (code != kNotReady) return context_->driver().failure("cuStreamQuery", code);
      if (!patience.wait()) break;
    }
    context_->leave_everything();
    return Failure{ProbeState::hung,
                   fmt::format("cuStreamQuery: work on {} has not ended at the deadline", context_->address())};
  }
  [[nodiscard]] void* handle() const override { return handle_; }

 private:
  std::shared_ptr<Context> context_;
  void* handle_;
};

class Event {
 public:
  explicit Event(const Context& context) : context_(context) {}
  ~Event() {
    if (handle_ != nullptr && !context_.leaves_everything()) context_.driver().event_destroy(handle_);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  [[nodiscard]] Outcome<> create() {
    return context_.driver().check("cuEventCreate", context_.driver().event_create(&handle_, 0));
  }
  [[nodiscard]] Outcome<> record(const Stream& stream) const {
    return context_.driver().check("cuEventRecord", context_.driver().event_record(handle_, stream.handle()));
  }
  [[nodiscard]] Outcome<double> seconds_since(const Event& begin) const {
    float milliseconds = 0;
    const int code = context_.driver().event_elapsed(&milliseconds, begin.handle_, handle_);
    if (code != kSuccess) return context_.driver().failure("cuEventElapsedTime", code);
    return static_cast<double>(milliseconds) / 1e3;
  }

 private:
  const Context& context_;
  void* handle_ = nullptr;
};

class CudaGraph final : public Graph {
 public:
  CudaGraph(std::shared_ptr<Context> context, void* handle) : context_(std::move(context)), handle_(handle) {}
  ~CudaGraph() override {
    if (!context_->leaves_everything() && context_->make_current()) context_->driver().graph_exec_destroy(handle_);
  }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;
  [[nodiscard]] void* handle() const { return handle_; }

 private:
  std::shared_ptr<Context> context_;
  void* handle_;
};

}  // namespace

Outcome<std::unique_ptr<Stream>> make_stream(std::shared_ptr<Context> context) {
  if (auto current = context->make_current(); !current) return current.failure();
  void* handle = nullptr;
  const int code = context->driver().stream_create(&handle, kStreamNonBlocking);
  if (auto made = context->driver().check("cuStreamCreate", code); !made) return made.failure();
  return std::unique_ptr<Stream>(std::make_unique<CudaStream>(std::move(context), handle));
}

Outcome<double> timed(Context& context, Stream& stream, unsigned repetitions, const std::function<Outcome<>()>& enqueue,
                      Deadline deadline) {
  if (auto current = context.make_current(); !current) return current.failure();
  Event begin(context);
  Event end(context);
  if (auto made = begin.create(); !made) return made.failure();
  if (auto made = end.create(); !made) return made.failure();
  if (auto put = begin.record(stream); !put) return put.failure();
  for (unsigned i = 0; i < repetitions; ++i)
    if (auto put = enqueue(); !put) return put.failure();
  if (auto current = context.make_current(); !current) return current.failure();
  if (auto put = end.record(stream); !put) return put.failure();
  if (auto waited = stream.wait(deadline); !waited) return waited.failure();
  return end.seconds_since(begin);
}

Outcome<std::unique_ptr<Graph>> record(std::shared_ptr<Context> context, Stream& stream,
                                       const std::function<Outcome<>()>& enqueue) {
  const Driver& driver = context->driver();
  if (driver.graph_instantiate == nullptr)
    return Failure{ProbeState::refused, "cuGraphInstantiateWithFlags: not in this driver (CUDA 11.4 has it)"};
  if (auto current = context->make_current(); !current) return current.failure();
  // Of this thread only: a collective library's own threads may do what a capture forbids.
  const int begun = driver.stream_begin_capture(stream.handle(), kCaptureThreadLocal);
  if (auto started = driver.check("cuStreamBeginCapture", begun); !started) return started.failure();
  auto put = enqueue();
  void* graph = nullptr;
  auto ended = driver.check("cuStreamEndCapture", driver.stream_end_capture(stream.handle(), &graph));
  void* exec = nullptr;
  Outcome<> made = Done{};
  if (put.ok() && ended.ok())
    made = driver.check("cuGraphInstantiateWithFlags", driver.graph_instantiate(&exec, graph, 0));
  if (graph != nullptr) driver.graph_destroy(graph);
  if (!put) return put.failure();
  if (!ended) return ended.failure();
  if (!made) return made.failure();
  return std::unique_ptr<Graph>(std::make_unique<CudaGraph>(std::move(context), exec));
}

Outcome<> replay(Context& context, Stream& stream, Graph& graph) {
  auto* ours = dynamic_cast<CudaGraph*>(&graph);
  if (ours == nullptr) return Failure{ProbeState::failed, "a graph of another runtime"};
  if (auto current = context.make_current(); !current) return current;
  return context.driver().check("cuGraphLaunch", context.driver().graph_launch(ours->handle(), stream.handle()));
}

}  // namespace gpucoop::runtime::cuda
