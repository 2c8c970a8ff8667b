#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Packs a program whose attention is launched by gpu.launch_func, for a GPU machine with neither LLVM nor a compiler:
# bash tools/pack-launch-func.sh [DIR] [CHIP]. DIR (.pack/launch-func unless given; git ignores .pack/) then holds the
# program and run.sh; CHIP is sm_90a unless given.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${FA_BUILD:-$root/build} dir=${1:-$root/.pack/launch-func} chip=${2:-sm_90a}
source=$root/test/gpu/Inputs/launch-func
if bin=$(llvm-config-22 --bindir 2>/dev/null); then PATH=$bin:$PATH; fi # Debian's; another LLVM's are on the PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$build/bin/fa-opt" "$source/attention.mlir" --fa-embed="chip=$chip host=launch_func" |
  mlir-opt --pass-pipeline='builtin.module(expand-strided-metadata,lower-affine,convert-scf-to-cf,gpu-to-llvm,
    finalize-memref-to-llvm,convert-func-to-llvm,convert-to-llvm,reconcile-unrealized-casts)' |
  mlir-translate --mlir-to-llvmir -o "$work/attention.ll"

# The driver is the GPU machine's: here an empty library of its name takes its place at the link.
flags=(-O2 -march=x86-64-v3 -Wno-override-module -Wno-unused-command-line-argument "-I$root")
objects=()
for file in "$work/attention.ll" "$source/main.c" "$source/tensor.c" "$root/test/lowering/Embed/Inputs/GpuRuntime.c"; do
  objects+=("$work/$(basename "$file").o")
  clang "${flags[@]}" -fPIE -c "$file" -o "${objects[-1]}"
done
llvm-nm --undefined-only --just-symbol-name "${objects[@]}" | sed -n 's/^\(cu[A-Z].*\)/void \1(void) {}/p' | sort -u >"$work/driver.c"
clang -shared -fPIC -Wl,-soname,libcuda.so.1 "$work/driver.c" -o "$work/libcuda.so"

mkdir -p "$dir"
clang -pie "${objects[@]}" -L"$work" -lcuda -lm -lpthread -o "$dir/launch-func"
install -m 755 "$source/run.sh" "$dir"
du -sh "$dir"
