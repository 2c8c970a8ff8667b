#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Packs the benchmark for a GPU machine: bash tools/bench/pack.sh [DIR] [CHIP] [DIMS] [-- fa-compile options...]. DIR
# (.pack/bench unless given) then holds the runtime, the artefacts of CHIP (sm_80) for the head dims DIMS ("64 128 256")
# without mask and causal, in f16 and bf16, and the scripts; `python3 DIR/bench.py DIR` runs it there. Options behind --
# make a variant ($FA_TYPES and $FA_MASKS narrow the rest): their values become part of the artefacts' names, and earlier packs in DIR are kept.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${FA_BUILD:-$root/build}
words=()
while [ $# -gt 0 ] && [ "$1" != "--" ]; do words+=("$1"); shift; done
[ $# -gt 0 ] && shift
dir=${words[0]:-$root/.pack/bench} chip=${words[1]:-sm_80} dims=${words[2]:-64 128 256}
variant=$(printf '%s' "$*" | sed -e 's/--//g' -e 's/[ =]/-/g')

mkdir -p "$dir"
for dim in $dims; do
  for type in ${FA_TYPES:-f16 bf16}; do
    for mask in ${FA_MASKS:-none causal}; do
      name=$chip-d$dim-$mask-$type${variant:+-$variant}
      flags=()
      [ "$mask" = causal ] && flags=(--mask top_left,causal)
      python3 "$root/test/gpu/gen.py" module --type "$type" --d "$dim" --no-lse "${flags[@]}" >"$dir/$name.mlir"
      if "$build/bin/fa-compile" "$dir/$name.mlir" --chip="$chip" "$@" -o "$dir/$name.ptx"; then
        grep -v "\"name\": \"$name\"" "$dir/list.json" 2>/dev/null >"$dir/list.new" || true
        printf '{"name": "%s", "file": "%s.ptx", "dim": %s, "mask": "%s", "type": "%s"}\n' \
          "$name" "$name" "$dim" "$mask" "$type" >>"$dir/list.new"
        mv "$dir/list.new" "$dir/list.json"
      fi
      rm -f "$dir/$name.mlir"
    done
  done
done
cp "$root"/tools/bench/*.py "$dir"
cp -L "$build/lib/libfa_runtime.so" "$dir"
du -sh "$dir"
