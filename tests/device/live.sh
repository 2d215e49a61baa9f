#!/usr/bin/env bash
# On a host with GPUs, as root: `topo` and `record` as root and as nobody, each recording replayed and compared, and the
# system calls of one run. Usage: tests/device/live.sh GPUCOOP OUTPUT_FOLDER
set -euo pipefail
gpucoop=$(realpath "$1")
out=$(realpath "$2")
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
    "${run[@]}" "$gpucoop" topo --format json --from recording.json >replay.json || true
  )
  cp "$work/$who/topo.txt" "$out/$who-topo.txt"
  cp "$work/$who/record.txt" "$out/$who-record.txt"
  cp "$work/$who/recording.json" "$out/$who-recording.json"
  python3 - "$work/$who" "$who" <<'END' | tee "$out/$who-replay.txt" || status=1
import json, sys
folder, who = sys.argv[1:]
reports = []
for name in ("live", "replay"):
    report = json.load(open(f"{folder}/{name}.json"))
    for key in ("sources", "taken_at"):
        report.pop(key, None)
    for key in ("source", "live", "holders_complete"):
        report["host"].pop(key, None)
    for gpu in report["gpus"]:
        gpu.pop("holders", None)
    reports.append(report)
differ = [key for key in reports[0] if reports[0][key] != reports[1].get(key)]
for key in differ:
    print(who, key, "\n  live  ", json.dumps(reports[0][key])[:400], "\n  replay", json.dumps(reports[1].get(key))[:400])
print(f"{who}: the replay gives the report of the live run:", "no" if differ else "yes")
sys.exit(bool(differ))
END
done
if command -v strace >/dev/null; then
  strace -f -o "$work/trace" "$gpucoop" topo >/dev/null 2>&1 || true
  {
    echo "vendor libraries opened: $(grep -cE 'open.*lib(cuda|nvidia-ml|amdhip64|hsa-runtime|ze_loader|OpenCL)' "$work/trace" || true)"
    echo "device nodes opened:     $(grep -cE 'open[^"]*"/dev/(nvidia|dri|kfd)' "$work/trace" || true)"
    echo "files opened to write:   $(grep -E 'open.*O_(WRONLY|RDWR|CREAT|TRUNC)' "$work/trace" | grep -vc '/dev/null' || true)"
  } | tee "$out/trace.txt"
fi
exit $status
