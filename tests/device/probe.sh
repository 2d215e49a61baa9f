#!/usr/bin/env bash
# On a host with two NVIDIA GPUs and NCCL: what `gpucoop probe` says there, as root and as nobody; what happens when a
# GPU is in use, a rank is missing or a kernel does not end; and how long it takes next to a bare NCCL program.
# What the parts say is packed into OUTPUT_FOLDER/probe.tar.gz. Where the guard refuses free GPUs, the rest is forced.
# Usage: tests/device/probe.sh BUNDLE OUTPUT_FOLDER [LIBNCCL]    (BUNDLE: of cuda-bundle.sh; at most 6 minutes)
set -uo pipefail
bundle=$1
source "$(dirname "${BASH_SOURCE[0]}")/parts.sh"
pack_into "$2" probe
prepare "$bundle" "${3:-}"
mapfile -t devices < <(nvidia-smi --query-gpu=pci.bus_id --format=csv,noheader | sed 's/^0000//' | tr 'A-F' 'a-f' | head -2)
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$state/nobody" XDG_STATE_HOME="$state/nobody")
mkdir -p "$state/nobody" && chmod 711 "$state"
[[ $EUID == 0 ]] && chown 65534:65534 "$state/nobody"
describe_machine

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
clean_up
echo "$bad parts did not end as they should"
[[ $bad == 0 ]]
