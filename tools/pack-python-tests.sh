#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Packs the tests of the Python package and of launching for a GPU machine: bash tools/pack-python-tests.sh [DIR]. DIR
# (.pack/python unless given; git ignores .pack/) then needs the driver, Python and torch there: bash run.sh.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${FA_BUILD:-$root/build} dir=${1:-$root/.pack/python}

cmake --build "$build" --target fa_runtime fa-compile bench-launch
rm -rf "$dir"
mkdir -p "$dir/lib" "$dir/bin" "$dir/kernels"
cp "$build/lib/libfa_runtime.so" "$dir/lib"
cp "$build/bin/bench-launch" "$dir/bin"
cp -r "$root/runtime/python/fa_attention" "$root/test/runtime/python/"{torch_test.py,torch_cases.py,run.sh} "$dir"
cp "$root/test/examples/python/sdpa.py" "$root/test/examples/c/launch.c" "$root/runtime/fa_runtime.h" "$dir"
cp "$root/tools/bench-launch/call.py" "$dir"
rm -rf "$dir/fa_attention/__pycache__"
PYTHONPATH=$root/runtime/python FA_HOME=$build python3 "$root/test/runtime/python/torch_cases.py" "$dir/kernels" \
  sm_80 sm_90a
"$build/bin/fa-compile" "$root/test/examples/attention-gqa-dynamic.mlir" --chip=sm_80 -o "$dir/launch.ptx"
tar -czf "$dir.tar.gz" -C "$(dirname "$dir")" "$(basename "$dir")"
echo "$dir, $dir.tar.gz: $(du -sm "$dir.tar.gz" | cut -f 1) MB"
