#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Packs the GPU suite: bash tools/pack-gpu-tests.sh [DIR] [CHIP] [REGEX]. DIR (.pack/gpu unless given; git ignores
# .pack/) then holds fa-run, the artefacts of test/gpu/cases.txt for CHIP (sm_80 unless given; of the cases whose names
# match) and run.sh, and needs nothing else on the machine with the GPU than its driver.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${FA_BUILD:-$root/build} dir=${1:-$root/.pack/gpu} chip=${2:-sm_80} names=${3:-.} limit_mb=60

cmake --build "$build" --target fa-compile fa-run
rm -rf "$dir"
mkdir -p "$dir"
python3 "$root/test/gpu/caselist.py" "$dir" "$chip" "$build/bin/fa-compile" "$names"
install -m 755 "$build/bin/fa-run" "$root/test/gpu/run.sh" "$dir"
size_mb=$(du -sm "$dir" | cut -f 1)
echo "$dir: $size_mb MB"
if [ "$size_mb" -ge "$limit_mb" ]; then
  echo "error: expects a pack below $limit_mb MB" >&2
  exit 1
fi
