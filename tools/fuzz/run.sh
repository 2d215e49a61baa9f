#!/usr/bin/env bash
# Builds the fuzz targets (clang, address and undefined-behaviour sanitizers) and runs each for a while.
# usage: tools/fuzz/run.sh SECONDS [TARGET…]
#   TARGET   name without _fuzz; default: all of tests/fuzz
#   CORPUS   environment: where found inputs are kept between runs (default: build/fuzz/corpus)
# Prints for each target the executions, their rate and the coverage at the end. Exit status 1 where one crashed;
# its input is then in CORPUS/TARGET-crash/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [[ ! ${1-} =~ ^[0-9]+$ ]]; then
  sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 64
fi
seconds=$1
shift
targets=("$@")
if ((${#targets[@]} == 0)); then
  for source in tests/fuzz/*_fuzz.cpp; do
    name=$(basename "$source" _fuzz.cpp)
    targets+=("$name")
  done
fi

launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
cmake --preset fuzz "${launcher[@]}" >/dev/null
cmake --build --preset fuzz -j "$(nproc)" --target "${targets[@]/%/_fuzz}" | tail -1

corpus=${CORPUS:-build/fuzz/corpus}
status=0
for name in "${targets[@]}"; do
  mkdir -p "$corpus/$name" "$corpus/$name-crash"
  seeds=(fixtures)
  if [[ -d tests/fuzz/corpus/$name ]]; then seeds+=("tests/fuzz/corpus/$name"); fi
  log="$corpus/$name.log"
  options=(-max_total_time="$seconds" -print_final_stats=1 -rss_limit_mb=3000 -timeout=10
           -artifact_prefix="$corpus/$name-crash/" -max_len=65536)
  if [[ -f tests/fuzz/$name.dict ]]; then options+=(-dict="tests/fuzz/$name.dict"); fi
  if ! "build/fuzz/tests/fuzz/${name}_fuzz" "${options[@]}" "$corpus/$name" "${seeds[@]}" >"$log" 2>&1; then
    status=1
    echo "$name: FAILED"
    grep -E 'ERROR|SUMMARY|runtime error|Test unit written' "$log" | head -5
    continue
  fi
  printf '%s: %s executions (%s/s), %s, %s new inputs, peak %s MB\n' "$name" \
    "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
    "$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")" \
    "$(grep -oE 'cov: [0-9]+ ft: [0-9]+' "$log" | tail -1)" \
    "$(sed -n 's/^stat::new_units_added: *//p' "$log")" \
    "$(sed -n 's/^stat::peak_rss_mb: *//p' "$log")"
done
exit "$status"
