#!/usr/bin/env bash
# On a host with two NVIDIA GPUs and NCCL: what `gpucoop probe` says there, as root and as nobody; what happens when a
# GPU is in use, a rank is missing or a kernel does not end; and how long it takes next to a bare NCCL program.
# What the parts say is packed into OUTPUT_FOLDER/probe.tar.gz. Where the guard refuses free GPUs, the rest is forced.
# Usage: tests/device/probe.sh BUNDLE OUTPUT_FOLDER [LIBNCCL]    (BUNDLE: of cuda-bundle.sh; at most 6 minutes)
set -uo pipefail
most=345 # seconds for all parts
bundle=$(realpath "$1")
packed=$(realpath "$2")/probe.tar.gz
out=$(mktemp -d)
# What is printed goes along as summary.txt; it is complete when tee has ended.
exec 3>&1 > >(tee "$out/summary.txt") 2>&1
tee=$!
trap 'exec >&3 2>&3; wait "$tee"; tar -czf "$packed" -C "$out" . && rm -rf "$out"' EXIT
nccl=${3:-}
# Multicast over NVLink is a matter of the whole machine, also of others that share it.
export NCCL_NVLS_ENABLE=0 CUDA_CACHE_DISABLE=1
if [[ -z $nccl ]]; then
  nccl=$(python3 -c 'import nvidia.nccl, os; print(os.path.join(list(nvidia.nccl.__path__)[0], "lib", "libnccl.so.2"))' \
    2>/dev/null || true)
fi
library=()
[[ -z $nccl ]] || library=(--library "$nccl")

# As root nothing may come from where others can write, and LD_LIBRARY_PATH does not count.
here=$bundle
if [[ $EUID == 0 ]]; then
  here=$(mktemp -d /opt/gpucoop-probe-XXXXXX)
  chmod 755 "$here"
  cp -r "$bundle"/* "$here"
  chown -R 0:0 "$here"
  chmod -R go-w "$here"
  for file in "$here"/lib/*; do [[ -e /usr/local/lib/${file##*/} ]] || cp "$file" /usr/local/lib; done
  ldconfig
else
  export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
state=$(mktemp -d)
export XDG_STATE_HOME=$state
gpucoop=$here/bin/gpucoop
rank=$here/libexec/gpucoop/gpucoop-rank
mapfile -t devices < <(nvidia-smi --query-gpu=pci.bus_id --format=csv,noheader | sed 's/^0000//' | tr 'A-F' 'a-f' | head -2)
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$state/nobody" XDG_STATE_HOME="$state/nobody")
mkdir -p "$state/nobody" && chmod 711 "$state"
[[ $EUID == 0 ]] && chown 65534:65534 "$state/nobody"

{
  date -u +%F
  uname -sr
  "$gpucoop" --version
  nvidia-smi --query-gpu=index,name,driver_version,pci.bus_id,memory.used --format=csv,noheader
  echo "nccl: ${nccl:-by the loader}"
} >"$out/machine.txt" 2>&1
cat "$out/machine.txt"

declare -A took
# run NAME LIMIT EXPECTED COMMAND...: its output goes to NAME.txt, the exit codes that are right are EXPECTED (a|b).
bad=0
last=0
run() {
  local name=$1 limit=$2 expected=$3 begin end code
  shift 3
  if ((SECONDS + 5 > most)); then
    echo "== $name: NOT RUN, no time is left"
    took[$name]=0
    bad=$((bad + 1))
    return
  fi
  ((limit <= most - SECONDS)) || limit=$((most - SECONDS))
  begin=$(date +%s.%N)
  timeout -k 5 "$limit" "$@" >"$out/$name.txt" 2>"$out/$name.err"
  code=$?
  last=$code
  end=$(date +%s.%N)
  took[$name]=$(awk -v a="$begin" -v b="$end" 'BEGIN { printf "%.3f", b - a }')
  [[ -s $out/$name.err ]] || rm -f "$out/$name.err"
  if [[ "|$expected|" == *"|$code|"* ]]; then
    echo "== $name: exit $code, ${took[$name]} s"
  else
    echo "== $name: exit $code INSTEAD OF $expected, ${took[$name]} s"
    bad=$((bad + 1))
    tail -n 6 "$out/$name.err" 2>/dev/null | cut -c1-200
  fi
}
# What of a report in JSON did not pass, and how many did.
summary() {
  [[ -s $1 ]] || return 0
  python3 - "$1" <<'PY' || true
import collections, json, sys
try:
    report = json.load(open(sys.argv[1]))
except Exception as error:
    sys.exit(f"   no report: {error}")
states = collections.Counter(p["state"] for p in report["probes"])
print("  ", ", ".join(f"{n} {s}" for s, n in states.most_common()))
for p in report["probes"]:
    if p["state"] not in ("passed", "skipped"):
        print("  ", p["state"], p["rung"], p.get("op") or "", p.get("variant") or "", "|", (p.get("reason") or "")[:220])
        for f in p.get("findings", [])[:3]:
            print("      ", (f if isinstance(f, str) else json.dumps(f))[:220])
transports = collections.Counter(p["transport"] for p in report["probes"] if p.get("transport"))
if transports:
    print("   transports:", dict(transports))
PY
}
# Where the time of a probe went: what its steps took by rungs, and what was outside of them.
timeline() {
  [[ -s $1 ]] || return 0
  python3 - "$1" "$2" <<'PY' || true
import collections, json, sys
report, wall = json.load(open(sys.argv[1])), float(sys.argv[2])
rungs = collections.Counter()
for p in report["probes"]:
    rungs[p["rung"]] += p.get("seconds") or 0
inside = sum(rungs.values())
print(f"   steps {inside:.3f} s, outside of them {wall - inside:.3f} s:",
      ", ".join(f"{name} {seconds:.3f}" for name, seconds in rungs.most_common(8)))
PY
}
# The timed all-reduce under each of the library's settings.
variants() {
  [[ -s $1 ]] || return 0
  python3 - "$1" <<'PY' || true
import json, sys
for p in json.load(open(sys.argv[1]))["probes"]:
    if p["rung"] == "ccl.latency":
        print(f"   {p['state']:9} {p.get('variant') or 'as it is':38} {p.get('transport') or '-':20}",
              f"{p.get('latency_us') or 0:8.2f} us {p.get('bus_gbytes_per_s') or 0:8.2f} GB/s of {p.get('bytes')} bytes",
              p.get("reason") or "")
PY
}
# Fresh processes can use both GPUs.
healthy() {
  run "$1" 30 '0|3' "$gpucoop" probe --dispatch --gpus 0,1 "${library[@]}" "${force[@]}" --format json
  summary "$out/$1.txt"
}
guarded=("$gpucoop" probe --gpus "0,1" "${library[@]}")
force=()

run topo 20 0 "$gpucoop" topo
timeout 10 "$rank" --query nvml >"$out/nvml.bin" 2>"$out/nvml.err"
echo "NVML: exit $?, $(wc -c <"$out/nvml.bin") bytes; pid namespace $(readlink /proc/self/ns/pid)"
run free 30 '0|3' "${guarded[@]}" --dispatch --format json
summary "$out/free.txt"
if [[ $last == 75 ]]; then
  echo "   THE GUARD REFUSES: from here on with --force"
  force=(--force)
else
  python3 -c 'import json, sys
for w in json.load(open(sys.argv[1]))["warnings"]: print("  ", w["code"], w["text"])' "$out/free.txt"
fi
probe=("${guarded[@]}" "${force[@]}")
run probe-collective 60 '0|2|3' "${probe[@]}" --collective --format json
summary "$out/probe-collective.txt"
timeline "$out/probe-collective.txt" "${took[probe-collective]}"
run bare 45 0 "$here/bin/bare_nccl" ${nccl:+--nccl "$nccl"}
grep -h '^FAIL\|^  *[0-9.]* s \|good:' "$out/bare.txt" | tail -n 8
run probe-collective-2 60 '0|2|3' "${probe[@]}" --collective --format json
timeline "$out/probe-collective-2.txt" "${took[probe-collective-2]}"
run bare-2 45 0 "$here/bin/bare_nccl" ${nccl:+--nccl "$nccl"}
run ladder-rates 45 0 "$here/bin/cuda_ladder" --rank "$rank" --device "${devices[0]}" --device "${devices[1]}" \
  "${library[@]}" --only ccl.latency
echo "wall: probe --collective ${took[probe-collective]} and ${took[probe-collective-2]} s, bare ${took[bare]} and" \
  "${took[bare-2]} s, ratio $(awk -v a="${took[probe-collective]}" -v b="${took[probe-collective-2]}" \
    -v c="${took[bare]}" -v d="${took[bare-2]}" 'BEGIN { printf "%.2f", (a < b ? a : b) / (c < d ? c : d) }')"
grep -s '^rate' "$out/bare-2.txt"
grep -s 'ccl.latency' "$out/ladder-rates.txt" | cut -c1-900

run probe-all 110 '0|2|3' "${probe[@]}" --all --budget 75 --format json
summary "$out/probe-all.txt"
variants "$out/probe-all.txt"
run probe-text 60 '0|2|3' "${probe[@]}" --budget 40
head -n 25 "$out/probe-text.txt"
run probe-groups 40 '0|2|3' "${probe[@]}" --groups tp=2 --format json
summary "$out/probe-groups.txt"
cp "$out/probe-all.txt" "$state/all.json"
for engine in vllm sglang llama-cpp; do
  run "verdict-$engine" 10 '0|1|2|3' "$gpucoop" verdict --engine "$engine" --require tensor=2 --probe-results "$state/all.json"
  head -n 4 "$out/verdict-$engine.txt"
done

# Another process holds the second GPU.
python3 - "$out/holder" <<'PY' &
import ctypes, sys, time
cuda = ctypes.CDLL("libcuda.so.1")
device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
assert cuda.cuInit(0) == 0 and cuda.cuDeviceGet(ctypes.byref(device), 1) == 0
assert cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device) == 0
assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(1 << 28)) == 0
open(sys.argv[1], "w").write("holds\n")
time.sleep(60)
PY
holder=$!
for _ in $(seq 100); do [[ -s $out/holder ]] || sleep 0.1; done
run guard 20 75 "${guarded[@]}" --dispatch
cut -c1-200 "$out/guard.err" 2>/dev/null
[[ $EUID != 0 ]] || run guard-nobody 20 75 "${nobody[@]}" "${guarded[@]}" --dispatch
cut -c1-200 "$out/guard-nobody.err" 2>/dev/null
echo "   (the holder is process $holder)"
kill "$holder" 2>/dev/null
wait "$holder" 2>/dev/null
sleep 1
healthy after-holder

# A rank that never joins, and a kernel that does not end for 100 s: found at the deadline of 8 s, killed, GPUs usable.
run missing-rank 60 '4|3' "${probe[@]}" --collective --inject hang:rank1@all_reduce --timeout 8 --budget 12 --format json
summary "$out/missing-rank.txt"
healthy after-missing-rank
run hung-kernel 60 '4|3' "${probe[@]}" --collective --inject spin:rank1@all_reduce --timeout 8 --budget 12 --format json
summary "$out/hung-kernel.txt"
healthy after-hung-kernel
run team-hung-kernel 40 1 "$here/bin/cuda_ladder" --rank "$rank" --device "${devices[0]}" --device "${devices[1]}" \
  "${library[@]}" --only ccl.allreduce --inject spin:rank1@all_reduce --deadline 8000
grep -s -m 2 'timed-out\|team' "$out/team-hung-kernel.txt" | cut -c1-200
nvidia-smi --query-gpu=index,memory.used,utilization.gpu --format=csv,noheader

if [[ $EUID == 0 ]]; then
  # Who cannot see all processes is refused, unless the driver proves the GPUs free.
  run nobody-guard 60 '0|2|3|75' "${nobody[@]}" "${guarded[@]}" --dispatch
  cut -c1-200 "$out/nobody-guard.err" 2>/dev/null | tail -n 4
  run nobody-probe 60 '0|2|3' "${nobody[@]}" "${guarded[@]}" --budget 40 --force --format json
  summary "$out/nobody-probe.txt"
fi

sanitizer=$(command -v compute-sanitizer || find /usr/local /opt -name compute-sanitizer -type f -perm -1 2>/dev/null | head -1)
if [[ -n $sanitizer ]]; then
  for tool in memcheck racecheck; do
    run "$tool" 60 0 "$sanitizer" --tool "$tool" --target-processes all --error-exitcode 9 "$here/bin/cuda_smoke" \
      --only device --small yes
    grep 'ERROR SUMMARY\|RACECHECK SUMMARY\|^FAIL' "$out/$tool.txt" | sort | uniq -c | head -8
    grep -m 1 -A 6 '========= \(Invalid\|Error\|Program hit\|Warning\|Race\)' "$out/$tool.txt" | cut -c1-160
    # The kernels over a peer's memory: both GPUs in one process, and each by itself over mapped memory of the host.
    run "$tool-peers" 90 0 "$sanitizer" --tool "$tool" --target-processes all --error-exitcode 9 "$here/bin/cuda_ladder" \
      --rank "$rank" --device "${devices[0]}" --device "${devices[1]}" --only p2p. --most 65536 --deadline 60000
    grep 'ERROR SUMMARY\|RACECHECK SUMMARY' "$out/$tool-peers.txt" | sort | uniq -c | head -8
    grep -v '^=========' "$out/$tool-peers.txt" | cut -c1-110
    grep -m 1 -A 6 '========= \(Invalid\|Error\|Program hit\|Warning\|Race\)' "$out/$tool-peers.txt" | cut -c1-160
  done
else
  echo "== no compute-sanitizer here"
fi
[[ $EUID != 0 ]] || rm -rf "$here"
rm -rf "$state"
echo "$bad parts did not end as they should"
[[ $bad == 0 ]]
