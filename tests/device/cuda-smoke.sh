#!/usr/bin/env bash
# On a host with two NVIDIA GPUs: every operation of the CUDA and NCCL backends once.
# Usage: tests/device/cuda-smoke.sh FOLDER_OF_CUDA_SMOKE OUTPUT_FOLDER [LIBNCCL]
set -uo pipefail
smoke=$(realpath "$1")/cuda_smoke
out=$(realpath "$2")
nccl=${3:-}
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
status=0
run() {
  local name=$1
  shift
  local begin=$SECONDS
  timeout -k 5 "$@" >"$out/$name.txt" 2>&1
  local code=$?
  echo "$name: exit $code, $((SECONDS - begin)) s, $(grep -c '^ok' "$out/$name.txt") ok, $(grep -c '^FAIL' "$out/$name.txt") failed"
  grep '^FAIL' "$out/$name.txt" | head -40
  [[ $code == 0 ]] || status=1
}
library=()
[[ -z $nccl ]] || library=(--nccl "$nccl")
run smoke 300 "$smoke" "${library[@]}"
grep '^-' "$out/smoke.txt"
grep 'transport\|us a round\|handshake alone' "$out/smoke.txt"
run no-p2p 100 env NCCL_P2P_DISABLE=1 "$smoke" "${library[@]}" --only nccl
run no-shm 100 env NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1 "$smoke" "${library[@]}" --only nccl
for name in no-p2p no-shm; do grep "transport\|all_reduce 8 B\|all_reduce 1048576 B\|all_reduce 134217728" "$out/$name.txt" | sed "s/^/$name /"; done
exit $status
