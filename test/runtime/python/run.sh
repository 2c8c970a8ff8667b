#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs what tools/pack-python-tests.sh packed, on a machine with a GPU and torch: bash run.sh [PYTHON]. Kernels come from
# the pack; there is no compiler.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
python=${1:-python3} failed=0
export FA_HOME=$PWD PYTHONPATH=$PWD FA_CACHE_DIR=$PWD/cache PYTHONDONTWRITEBYTECODE=1

step() {
  echo "== $*"
  "$@" || { failed=1; echo "FAILED: $*"; }
}

step "$python" -c 'import torch; print(torch.__version__, torch.cuda.get_device_name(), torch.cuda.get_device_capability())'
for kernel in kernels/*/attention-f16-d128-lse-sm_*.ptx; do
  step env LD_LIBRARY_PATH="$PWD/lib" bin/bench-launch "$kernel"
done
# The folder of a chip is all that `attention` finds: on sm_90 its own kernels, then those of sm_80.
for chip in sm_90a sm_80; do
  step env FA_ARTIFACT_PATH="$PWD/kernels/$chip" "$python" call.py
  step env FA_ARTIFACT_PATH="$PWD/kernels/$chip" "$python" torch_test.py -v
  step env FA_ARTIFACT_PATH="$PWD/kernels/$chip" "$python" sdpa.py
done
if command -v cc >/dev/null; then
  mkdir -p runtime && cp fa_runtime.h runtime/
  step cc -std=c99 -Wall -Wextra -pedantic -I. launch.c -Llib -lfa_runtime -lm -Wl,-rpath,"$PWD/lib" -o bin/launch
  step bin/launch launch.ptx
fi
[ "$failed" -eq 0 ] && echo "ALL PASSED" || echo "SOMETHING FAILED"
exit "$failed"
