#!/usr/bin/env bash
# Puts what the scripts beside it run into a folder, laid out as an installation, with the libraries that another
# machine may not have.
# Usage: tests/device/cuda-bundle.sh BUILD_FOLDER NEW_FOLDER
set -euo pipefail
build=$(realpath "$1")
mkdir -p "$2/bin" "$2/libexec/gpucoop" "$2/lib"
out=$(realpath "$2")
put() {
  cp "$1" "$2"
  strip "$2/${1##*/}"
  ldd "$1" | awk '$2 == "=>" && $1 !~ /^lib(c|m|dl|pthread|rt|gcc_s|stdc\+\+)\.so/ { print $1, $3 }' |
    while read -r name file; do cp -L "$file" "$out/lib/$name"; done
}
put "$build/tools/gpucoop/gpucoop" "$out/bin"
put "$build/tools/gpucoop-rank/gpucoop-rank" "$out/libexec/gpucoop"
for program in cuda_smoke cuda_ladder bare_nccl; do put "$build/tests/device/$program" "$out/bin"; done
strip --strip-unneeded "$out"/lib/*.so* 2>/dev/null || true
du -sh "$out"
ls "$out"/*
