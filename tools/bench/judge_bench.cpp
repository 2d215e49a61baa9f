// What rules cost: unpacking the built-in ones at start, reading them from files (--rules), and judging eight GPUs with
// all of them. The host is a recorded one, given as the argument before Google Benchmark's own.
//
//   judge-bench fixtures/epyc-eight-mi210-four-switches/lspci-vv.txt

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <fstream>
#include <iterator>
#include <string>

#include "analyse/analyse.hpp"
#include "judge/judge.hpp"
#include "read/read.hpp"
#include "rules/archive.hpp"
#include "rules/builtin.hpp"
#include "rules/load.hpp"

namespace {

using namespace gpucoop;

Topology host;

void unpack_builtin_rules(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(read_archive(builtin_rules_bytes()));
  state.SetLabel(fmt::format("{} KiB packed", builtin_rules_bytes().size() / 1024));
}

void read_rules_files(benchmark::State& state) {
  const auto texts = builtin_rules_texts();
  for (auto _ : state) benchmark::DoNotOptimize(load_rules(texts));
}

void judge_all(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(judge(host.facts, builtin_rules()));
  const auto judgement = judge(host.facts, builtin_rules());
  state.SetLabel(fmt::format("{} GPUs, {} modes, {} ways of engines", host.gpus.size(), judgement.modes.size(),
                             judgement.engines.size()));
}

}  // namespace

BENCHMARK(unpack_builtin_rules)->Unit(benchmark::kMicrosecond);
BENCHMARK(read_rules_files)->Unit(benchmark::kMicrosecond);
BENCHMARK(judge_all)->Unit(benchmark::kMicrosecond);

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: judge-bench LISTING [options of Google Benchmark]\n");
    return static_cast<int>(ExitCode::usage);
  }
  std::ifstream in(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const auto recording = read_inputs({{argv[1], bytes}}, builtin_rules(), {});
  if (!recording) {
    fmt::print(stderr, "{}: {}\n", recording.error().where, recording.error().what);
    return static_cast<int>(recording.error().code);
  }
  host = analyse(recording.value(), builtin_rules());
  --argc;
  argv[1] = argv[0];
  benchmark::Initialize(&argc, argv + 1);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
