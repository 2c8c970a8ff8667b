#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles the example for x86-64-v3 and, where this machine runs it, v4, and reports GFLOP/s of a core's time against
# the measured multiply-add peak. Usage: tools/bench-cpu.sh [BUILD]; FA_NUM_THREADS is taken as 1 unless it is set.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$here/build}
out=$build/bench-cpu
mkdir -p "$out"

cpus=(x86-64-v3)
if grep -qw avx512vl /proc/cpuinfo; then cpus+=(x86-64-v4); fi
artefacts=()
for cpu in "${cpus[@]}"; do
  for example in attention attention-causal; do
    artefact=$out/$example-$cpu.so
    "$build/bin/fa-compile" "$here/test/examples/$example.mlir" --chip=cpu --cpu="$cpu" -o "$artefact"
    artefacts+=("$example-$cpu.so")
  done
done
cd "$out"
FA_NUM_THREADS=${FA_NUM_THREADS:-1} "$build/bin/bench-cpu" "${artefacts[@]}"
