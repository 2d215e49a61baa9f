#!/usr/bin/env bash
# On a host with four NVIDIA GPUs and NCCL: what `gpucoop topo` and `gpucoop probe` say there; groups that cross, as the
# library is and under other settings; what is said of a kernel that never ends in one group while the rest wait in
# others; and the rates of each pair and of all, next to a bare NCCL program.
# What the parts say is packed into OUTPUT_FOLDER/crossed.tar.gz. Where the guard refuses free GPUs, the rest is forced.
# Usage: tests/device/crossed.sh BUNDLE OUTPUT_FOLDER [LIBNCCL]    (BUNDLE: of cuda-bundle.sh; at most 9 minutes)
set -uo pipefail
scripts=$(dirname "${BASH_SOURCE[0]}")
source "$scripts/parts.sh"
most=540
pack_into "$2" crossed
prepare "$1" "${3:-}"
describe_machine
if (($(nvidia-smi --query-gpu=index --format=csv,noheader | wc -l) < 4)); then
  echo "tests/device/crossed.sh: this host has fewer than four GPUs" >&2
  clean_up
  exit 69
fi
force=()

# The crossed groups of a report: what was done with them, how often, and what became of it.
switching() {
  [[ -s $1 ]] || return 0
  python3 - "$1" <<'PY' || true
import json, sys
for p in json.load(open(sys.argv[1]))["probes"]:
    if p["rung"] == "ccl.switching":
        print(f"   {p['state']:12} {p.get('op') or '-':26} {p.get('variant') or 'as it is':38} {p.get('seconds') or 0:7.2f} s",
              (p.get("reason") or "")[:300])
PY
}
# The all-reduce times of a report beside those of the bare program.
beside_bare() {
  [[ -s $1 && -s $2 ]] || return 0
  python3 "$scripts/all_reduce_times.py" "$1" "$2" || true
}

run topo 20 0 "$gpucoop" topo
head -n 30 "$out/topo.txt"
run free 40 '0|3' "$gpucoop" probe --dispatch "${library[@]}" --format json
summary "$out/free.txt"
if [[ $last == 75 ]]; then
  echo "   THE GUARD REFUSES: from here on with --force"
  force=(--force)
fi
probe=("$gpucoop" probe --gpus 0,1,2,3 "${library[@]}" "${force[@]}")

# Both sequences of mixtures of experts are in the first; what alternates, without waiting, with each rank's own wait and
# with meetings of all, comes with --all.
run groups-dp 60 '0|2|3' "${probe[@]}" --groups tp=2,dp=2 --budget 50 --format json
switching "$out/groups-dp.txt"
run groups-pp 110 '0|2|3' "${probe[@]}" --groups tp=2,pp=2 --all --budget 90 --format json
switching "$out/groups-pp.txt"
run groups-sglang 60 '0|2|3' "${probe[@]}" --groups tp=4,dp=2,ep=2,order=sglang --budget 50 --format json
switching "$out/groups-sglang.txt"
for setting in NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1 "NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1"; do
  name=groups-${setting//[^A-Z0-9]/-}
  # shellcheck disable=SC2086
  run "$name" 60 '0|2|3' env $setting "${probe[@]}" --groups tp=2,dp=2 --budget 50 --format json
  switching "$out/$name.txt"
done

# A kernel that does not end in rank 1's data-parallel group; its partner waits there, the rest in other groups.
run hung-in-group 60 4 "${probe[@]}" --groups tp=2,dp=2 --inject spin:rank1@dp1 --timeout 8 --budget 15 --format json
switching "$out/hung-in-group.txt"
run after-hung-in-group 40 '0|3' "${probe[@]}" --dispatch --format json
summary "$out/after-hung-in-group.txt"
nvidia-smi --query-gpu=index,memory.used,utilization.gpu --format=csv,noheader

run collective 60 '0|2|3' "${probe[@]}" --collective --format json
run bare 45 0 "$here/bin/bare_nccl" --ranks 4 ${nccl:+--nccl "$nccl"}
echo "all four:"
beside_bare "$out/collective.txt" "$out/bare.txt"
for pair in 0,1 0,2 0,3 1,2 1,3 2,3; do
  run "pair-$pair" 30 '0|2|3' "$gpucoop" probe --gpus "$pair" "${library[@]}" "${force[@]}" --collective --format json
  run "bare-$pair" 30 0 env CUDA_VISIBLE_DEVICES="$pair" "$here/bin/bare_nccl" --only rates ${nccl:+--nccl "$nccl"}
  beside_bare "$out/pair-$pair.txt" "$out/bare-$pair.txt"
done

run all 150 '0|2|3' "${probe[@]}" --groups tp=2,dp=2 --all --budget 120 --format json
switching "$out/all.txt"
summary "$out/all.txt"
variants "$out/all.txt"
cp "$out/all.txt" "$state/all.json"
for engine in vllm sglang; do
  for required in tensor=4 "tensor=2 pipeline=2" "tensor=2 expert-dp"; do
    words=()
    for one in $required; do words+=(--require "$one"); done
    name=verdict-$engine-${required//[^a-z0-9]/-}
    run "$name" 10 '0|1|2|3' "$gpucoop" verdict --engine "$engine" "${words[@]}" --probe-results "$state/all.json"
    head -n 6 "$out/$name.txt"
  done
done
clean_up
echo "$bad parts did not end as they should"
[[ $bad == 0 ]]
