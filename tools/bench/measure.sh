# Sourced by the benchmarks here. Before: $work, a folder for files; $runs, how many runs a median is of; $event, what perf
# counts (`instructions`, or `instructions:u` for the user's alone); $column, how wide a row's name is. Sets $counter.

if perf stat -x, -e "$event" -o "$work/perf" true 2>/dev/null && grep -q '^[0-9]' "$work/perf"; then
  counter=perf
elif command -v valgrind >/dev/null; then
  counter=callgrind
else
  counter=none
fi

# instructions COMMAND...: prints a number, or ? where nothing can count them.
instructions() {
  case $counter in
    perf) perf stat -x, -e "$event" -o "$work/perf" "$@" >/dev/null 2>&1 || :
          sed -n 's/^\([0-9][0-9]*\),.*/\1/p' "$work/perf" ;;
    callgrind) valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
                 sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p' | head -1 ;;
    none) echo '?' ;;
  esac
}

# wall COMMAND...: the median of the runs in microseconds.
wall() {
  n=0
  while [ "$n" -lt "$runs" ]; do
    begin=$(date +%s%N)
    "$@" >/dev/null 2>&1 || :
    echo $((($(date +%s%N) - begin) / 1000))
    n=$((n + 1))
  done | sort -n | sed -n "$(((runs + 1) / 2))p"
}

# row NAME TOPO LSPCI
row() {
  echo "$1 $2 $3" | awk -v column="$column" '{ r = ($2 > 0 && $3 > 0) ? sprintf("%.3f", $2 / $3) : "?"
                                               printf "%-" column "s %14s %14s %8s\n", $1, $2, $3, r }'
}
