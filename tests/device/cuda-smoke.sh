#!/usr/bin/env bash
# On a host with two NVIDIA GPUs: every operation of the CUDA and NCCL backends once, then every step that a probe would
# plan, by way of each transport.
# Usage: tests/device/cuda-smoke.sh FOLDER_OF_CUDA_BUNDLE OUTPUT_FOLDER [LIBNCCL]
set -uo pipefail
bundle=$(realpath "$1")
out=$(realpath "$2")
nccl=${3:-}
export LD_LIBRARY_PATH=$bundle/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
# Multicast over NVLink is a matter of the whole machine, also of others that share it.
export NCCL_NVLS_ENABLE=0 CUDA_CACHE_DISABLE=1
if [[ -z $nccl ]]; then
  nccl=$(python3 -c 'import nvidia.nccl, os; print(os.path.join(list(nvidia.nccl.__path__)[0], "lib", "libnccl.so.2"))' \
    2>/dev/null || true)
fi
{
  date -u +%F
  uname -sr
  nvidia-smi --query-gpu=index,name,driver_version,pci.bus_id,memory.used --format=csv,noheader
  nvidia-smi topo -m
  echo "nccl: ${nccl:-by the loader}"
} >"$out/machine.txt" 2>&1
mapfile -t devices < <(nvidia-smi --query-gpu=pci.bus_id --format=csv,noheader | sed 's/^0000//' | tr 'A-F' 'a-f' | head -2)
status=0
run() {
  local name=$1 limit=$2 begin=$SECONDS
  shift 2
  timeout -k 5 "$limit" "$@" >"$out/$name.txt" 2>&1
  local code=$?
  echo "== $name: exit $code, $((SECONDS - begin)) s, $(grep -c '^ok\|^passed' "$out/$name.txt") good," \
    "$(grep -vc '^ok\|^passed\|^-\|^team\|good' "$out/$name.txt") not"
  grep -v '^ok\|^passed\|^-' "$out/$name.txt" | cut -c1-300 | head -30
  [[ $code == 0 ]] || status=1
}
library=()
[[ -z $nccl ]] || library=(--nccl "$nccl")
rank_library=()
[[ -z $nccl ]] || rank_library=(--library "$nccl")
run smoke 150 "$bundle/bin/cuda_smoke" "${library[@]}"
grep '^-' "$out/smoke.txt" | grep -v NCCL_
grep '^ok.*\( open \|transport\|us a round\|handshake alone\)' "$out/smoke.txt"
ladder=("$bundle/bin/cuda_ladder" --rank "$bundle/libexec/gpucoop/gpucoop-rank" --device "${devices[0]}" --device "${devices[1]}" \
  "${rank_library[@]}")
run ladder 150 "${ladder[@]}" --wide yes
grep 'GB/s\|latency\|us$\|access\|team' "$out/ladder.txt" | cut -c1-260
for variant in "no-p2p NCCL_P2P_DISABLE=1" "no-shm NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1" "simple NCCL_PROTO=Simple" \
  "no-cumem NCCL_CUMEM_ENABLE=0"; do
  read -r name settings <<<"$variant"
  # shellcheck disable=SC2086
  run "ladder-$name" 45 env $settings "${ladder[@]}" --only ccl.latency
  grep 'ccl.latency' "$out/ladder-$name.txt" | cut -c1-400
done
"$bundle/libexec/gpucoop/gpucoop-rank" --query nvml >"$out/nvml.bin" 2>"$out/nvml.err"
echo "nvml: exit $?, $(stat -c %s "$out/nvml.bin") bytes"
tr -c '[:print:]' ' ' <"$out/nvml.bin" | tr -s ' ' | cut -c1-600
echo
exit $status
