#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# From an attention op in MLIR text to PTX and a checked result: bash tools/demo.sh
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
bash tools/setup.sh dev fa-opt fa-compile fa-run

example=test/examples/attention.mlir out=build/demo
mkdir -p "$out"
say() { printf '\n== %s\n' "$*"; }
# Prints a command as one would type it, then runs it.
show() {
  printf '$ %s\n' "$*"
  "$@"
}

say "the problem: $example"
grep -v '^//' "$example"
say "compiling it for GPUs from sm_80 on"
show build/bin/fa-compile "$example" --chip=sm_80 -o "$out/attention.ptx"
echo "PTX: $root/$out/attention.ptx ($(wc -l <"$out/attention.ptx") lines)"
say "compiling it for this machine's CPU, running and checking it"
show build/bin/fa-compile "$example" --chip=cpu -o "$out/attention.so"
show build/bin/fa-run "$out/attention.so"

say "running and checking the PTX"
status=0
show build/bin/fa-run "$out/attention.ptx" || status=$?
# 3: fa-run found no device for it.
if [ "$status" -eq 3 ]; then
  echo "No GPU here; the CPU's result above stands."
elif [ "$status" -ne 0 ]; then
  exit "$status"
fi
