#!/usr/bin/env bash
# On a host with GPUs, as root: `topo` and `record` as root and as nobody, each recording replayed and compared, and the
# system calls of one run. Usage: tests/device/live.sh GPUCOOP OUTPUT_FOLDER
set -euo pipefail
gpucoop=$(realpath "$1")
out=$(realpath "$2")
support=$(cd "$(dirname "${BASH_SOURCE[0]}")/../support" && pwd)
work=$(mktemp -d)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
{
  date -u +%F
  uname -sr
  "$gpucoop" --version
  cat /sys/module/nvidia/version /sys/module/amdgpu/version 2>/dev/null || true
} >"$out/machine.txt"
status=0
for who in root nobody; do
  mkdir "$work/$who"
  run=()
  if [[ $who == nobody ]]; then
    chown 65534:65534 "$work/$who"
    run=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  fi
  (
    cd "$work/$who"
    "${run[@]}" "$gpucoop" topo >topo.txt 2>&1 || echo "exit $?" >>topo.txt
    "${run[@]}" "$gpucoop" topo --format json >live.json || true
    "${run[@]}" "$gpucoop" record -o recording.json >record.txt 2>&1
  )
  cp "$work/$who/topo.txt" "$out/$who-topo.txt"
  cp "$work/$who/record.txt" "$out/$who-record.txt"
  cp "$work/$who/recording.json" "$out/$who-recording.json"
  python3 "$support/replay.py" "$gpucoop" "$work/$who/recording.json" "$work/$who/live.json" |
    tee "$out/$who-replay.txt" || status=1
done
if command -v strace >/dev/null; then
  strace -f -y -o "$work/trace" "$gpucoop" topo >/dev/null 2>&1 || true
  python3 "$support/system_calls.py" "$work/trace" | tee "$out/trace.txt" || status=1
fi
exit $status
