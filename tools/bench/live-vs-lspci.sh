#!/bin/sh
# Instructions and wall time of `gpucoop topo` beside those of `lspci -vvv`, on this host and on a tree of 512 functions,
# and where the time of topo goes. Prints; judges nothing.
#
#   tools/bench/live-vs-lspci.sh GPUCOOP [RUNS]
#
# RUNS (default 21) is for the median of the wall times. User and kernel instructions are counted by perf where it may be
# used, else the user's alone by valgrind's callgrind. Run it as root: without, lspci reads 64 bytes of each function.
set -eu

gpucoop=${1:?usage: live-vs-lspci.sh GPUCOOP [RUNS]}
source=$(cd "$(dirname "$0")/../.." && pwd)
runs=${2:-21}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

for tool in "$gpucoop" lspci python3; do
  command -v "$tool" >/dev/null || { echo "live-vs-lspci: there is no $tool" >&2; exit 66; }
done
python3 "$source/tests/support/make_fixture.py" --tree epyc-many-functions "$work/tree"

event=instructions
column=14
. "$source/tools/bench/measure.sh"

# system_calls COMMAND...: how many, and the most frequent.
system_calls() {
  command -v strace >/dev/null || { echo '(no strace)'; return; }
  strace -f -c -o "$work/calls" "$@" >/dev/null 2>&1 || :
  awk '/^ *[0-9]/ && $NF != "total" { calls[$NF] = $4; all += $4 }
       END { printf "%d:", all; for (name in calls) if (calls[name] * 25 >= all) printf " %s %d", name, calls[name]; print "" }' \
    "$work/calls"
}

# Where the time inside system calls goes: by what they are about. Tracing adds some 10 us to each of the calls.
by_subject() {
  command -v strace >/dev/null || { echo '(no strace)'; return; }
  strace -f -y -T -o "$work/times" "$@" >/dev/null 2>&1 || :
  awk '{ time = $NF; if (time !~ /^<[0-9.]+>$/) next; gsub(/[<>]/, "", time); subject = "other"
         if ($0 ~ /pread64.*\/config>/) subject = "registers of devices"
         else if ($0 ~ /kmsg/) subject = "kernel log"
         else if ($0 ~ /poll\(|wait4\(/) subject = "waiting for the reader child"
         else if ($0 ~ /\/proc[\/>"]/) subject = "procfs"
         else if ($0 ~ /\/sys[\/>"]/) subject = "sysfs"
         else if ($0 ~ /\.so|ld\.so|mmap\(|mprotect\(|execve\(/) subject = "start and libraries"
         calls[subject]++; sum[subject] += time }
       END { for (name in calls) printf "  %-30s %6d calls %9.0f us\n", name, calls[name], sum[name] * 1e6 }' "$work/times" |
    sort -k1
}

# Where the user's instructions go, by the source files of the functions (needs debug information).
by_function() {
  command -v callgrind_annotate >/dev/null || { echo '(no valgrind)'; return; }
  valgrind --tool=callgrind --callgrind-out-file="$work/grind" "$@" >/dev/null 2>&1 || :
  callgrind_annotate "$work/grind" 2>/dev/null | sed -n 's/^ *\([0-9,]* *([ 0-9.]*%)\)  *[^ ]*[:/]\([^ ].*\)/\1  \2/p' |
    cut -c1-110 | sed -n 1,12p
}

functions=$(find /sys/bus/pci/devices -type l 2>/dev/null | wc -l)
echo "instructions by $counter, wall: median of $runs runs"
printf '\n%-14s %14s %14s %8s\n' "live, $functions" 'gpucoop topo' 'lspci -vvv' 'ratio'
row instructions "$(instructions "$gpucoop" topo)" "$(instructions lspci -vvv)"
row wall-us "$(wall "$gpucoop" topo)" "$(wall lspci -vvv)"

tree="$work/tree"
printf '\n%-14s %14s %14s %8s\n' 'tree, 512' 'gpucoop topo' 'lspci -vvv' 'ratio'
row instructions "$(instructions "$gpucoop" topo --sysroot "$tree")" \
  "$(instructions lspci -A linux-sysfs -O sysfs.path="$tree/sys/bus/pci" -vvv)"
row wall-us "$(wall "$gpucoop" topo --sysroot "$tree")" \
  "$(wall lspci -A linux-sysfs -O sysfs.path="$tree/sys/bus/pci" -vvv)"

echo
echo 'system calls'
echo "  topo, live   $(system_calls "$gpucoop" topo)"
echo "  lspci, live  $(system_calls lspci -vvv)"
echo "  topo, tree   $(system_calls "$gpucoop" topo --sysroot "$tree")"
echo "  lspci, tree  $(system_calls lspci -A linux-sysfs -O sysfs.path="$tree/sys/bus/pci" -vvv)"
echo
echo "start alone (gpucoop --version): $(wall "$gpucoop" --version) us of wall time"
echo 'time in system calls, topo live'
by_subject "$gpucoop" topo
echo 'time in system calls, lspci -vvv live'
by_subject lspci -vvv
echo
echo 'functions of topo on the tree'
by_function "$gpucoop" topo --sysroot "$tree"
echo
echo 'functions of topo, live'
by_function "$gpucoop" topo
