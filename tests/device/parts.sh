# What the scripts for hosts with GPUs share; they source it.

# The folder `out`, whose files are packed into $1/NAME.tar.gz when the script ends ($2: NAME), with all that is printed as
# summary.txt.
pack_into() {
  packed=$(realpath "$1")/$2.tar.gz
  out=$(mktemp -d)
  exec 3>&1 > >(tee "$out/summary.txt") 2>&1
  tee=$!
  # It is complete when tee has ended.
  trap 'exec >&3 2>&3; wait "$tee"; tar -czf "$packed" -C "$out" . && rm -rf "$out"' EXIT
}

# Puts the bundle $1 where ranks may load it from: `here`, with `gpucoop` and `rank`; the library ($2, or that of the Python
# environment): `nccl`, as words: `library`; `state`: where probes keep theirs.
prepare() {
  nccl=${2:-}
  # Multicast over NVLink is a matter of the whole machine, also of others that share it.
  export NCCL_NVLS_ENABLE=0 CUDA_CACHE_DISABLE=1
  if [[ -z $nccl ]]; then
    nccl=$(python3 -c 'import nvidia.nccl, os; print(os.path.join(list(nvidia.nccl.__path__)[0], "lib", "libnccl.so.2"))' \
      2>/dev/null || true)
  fi
  library=()
  [[ -z $nccl ]] || library=(--library "$nccl")
  # As root nothing may come from where others can write, and LD_LIBRARY_PATH does not count.
  here=$(realpath "$1")
  if [[ $EUID == 0 ]]; then
    here=$(mktemp -d /opt/gpucoop-device-XXXXXX)
    chmod 755 "$here"
    cp -r "$1"/* "$here"
    chown -R 0:0 "$here"
    chmod -R go-w "$here"
    for file in "$here"/lib/*; do [[ -e /usr/local/lib/${file##*/} ]] || cp "$file" /usr/local/lib; done
    ldconfig
  else
    export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  fi
  gpucoop=$here/bin/gpucoop
  rank=$here/libexec/gpucoop/gpucoop-rank
  state=$(mktemp -d)
  export XDG_STATE_HOME=$state
}

clean_up() {
  [[ $EUID != 0 ]] || rm -rf "$here"
  rm -rf "$state"
}

# Date, machine and versions, as machine.txt in `out`.
describe_machine() {
  {
    date -u +%F
    uname -sr
    "$gpucoop" --version
    nvidia-smi --query-gpu=index,name,driver_version,pci.bus_id,memory.used --format=csv,noheader
    echo "nccl: ${nccl:-by the loader}"
  } >"$out/machine.txt" 2>&1
  cat "$out/machine.txt"
}

declare -A took
most=345 # seconds for all parts
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
