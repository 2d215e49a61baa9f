#!/usr/bin/env bash
# Puts what cuda-smoke.sh runs into a folder, with the libraries that another machine may not have.
# Usage: tests/device/cuda-bundle.sh BUILD_FOLDER NEW_FOLDER
set -euo pipefail
build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
programs=("$build/tests/device/cuda_smoke" "$build/tests/device/cuda_ladder" "$build/tools/gpucoop-rank/gpucoop-rank")
for program in "${programs[@]}"; do
  cp "$program" "$out"
  strip "$out/${program##*/}"
  ldd "$program" | awk '$2 == "=>" { print $1, $3 }' | grep -v '^lib\(c\|m\|dl\|pthread\|rt\|gcc_s\|stdc++\)\.so' |
    while read -r name file; do cp -L "$file" "$out/$name"; done
done
ls -la "$out"
