#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles the example, in f16 and bf16, for x86-64-v3 and, where this machine runs it, v4, and reports GFLOP/s of a
# core's time against the measured multiply-add peak. Usage: tools/bench-cpu.sh [BUILD]; FA_NUM_THREADS is taken as 1 unless it is set.
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
    for type in f16 bf16; do
      artefact=$example-$type-$cpu.so
      sed "s/xf16/x$type/g" "$here/test/examples/$example.mlir" |
        "$build/bin/fa-compile" --chip=cpu --cpu="$cpu" -o "$out/$artefact"
      artefacts+=("$artefact")
    done
  done
done
cd "$out"
FA_NUM_THREADS=${FA_NUM_THREADS:-1} "$build/bin/bench-cpu" "${artefacts[@]}"
