#!/bin/sh
# Instructions and wall time of `gpucoop topo --from DUMP` beside those of `lspci -F DUMP -vvv`, and how both grow
# with 1, 10 and 100 copies of the dump in one text. Prints; judges nothing.
#
#   tools/bench/topo-vs-lspci.sh GPUCOOP [DUMP [RUNS]]
#
# DUMP is a text with hex rows (lspci -xxxx); without one, 290 KB are made of a fixture, whose devices come again in
# further domains. RUNS (default 11) is for the median of
# the wall times. Instructions are counted by perf where it may be used, else by valgrind's callgrind.
set -eu

gpucoop=${1:?usage: topo-vs-lspci.sh GPUCOOP [DUMP [RUNS]]}
source=$(cd "$(dirname "$0")/../.." && pwd)
runs=${3:-11}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

dump=${2:-$work/dump}
if [ $# -lt 2 ]; then
  fixture=$source/fixtures/asus-proart-b850-dual-r9700/lspci-xxxx.txt
  { cat "$fixture"; sed 's/^0000:/0001:/' "$fixture"; } |
    awk '/^000[01]:/ && total >= 290000 { exit } { total += length($0) + 1; print }' >"$dump"
fi

for tool in "$gpucoop" lspci; do
  command -v "$tool" >/dev/null || { echo "topo-vs-lspci: there is no $tool" >&2; exit 66; }
done
[ -r "$dump" ] || { echo "topo-vs-lspci: cannot read $dump" >&2; exit 66; }

# lspci refuses long lines, a missing final newline and rows that it cannot read: header lines and whole rows only.
awk '/^([0-9a-f]+:)?[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f]\.[0-7] [^@]*: / { print ""; print substr($0, 1, 200) }
     /^[0-9a-f][0-9a-f][0-9a-f]?:( [0-9a-f][0-9a-f])+ *$/ { print }
     END { print "" }' "$dump" >"$work/clean"

event=instructions:u
column=16
. "$source/tools/bench/measure.sh"

echo "dump: $dump ($(wc -c <"$dump") bytes), instructions by $counter, wall: median of $runs runs"
printf '%-16s %14s %14s %8s\n' '' 'gpucoop topo' 'lspci -vvv' 'ratio'
row instructions "$(instructions "$gpucoop" topo --from "$dump")" "$(instructions lspci -F "$work/clean" -vvv)"
row wall-us "$(wall "$gpucoop" topo --from "$dump")" "$(wall lspci -F "$work/clean" -vvv)"

echo
echo 'copies of the dump in one text'
printf '%-16s %14s %14s %8s\n' copies instructions per-copy wall-us
runs=3
for copies in 1 10 100; do
  n=0
  while [ "$n" -lt "$copies" ]; do
    cat "$dump"
    echo
    n=$((n + 1))
  done >"$work/copies"
  counted=$(instructions "$gpucoop" topo --from "$work/copies")
  each=$([ "$counted" = '?' ] && echo '?' || echo $((counted / copies)))
  printf '%-16s %14s %14s %8s\n' "$copies" "$counted" "$each" "$(wall "$gpucoop" topo --from "$work/copies")"
done
