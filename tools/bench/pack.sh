#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Packs the benchmark for a GPU machine: bash tools/bench/pack.sh [DIR] [CHIP] [DIMS] [-- fa-compile options...]. DIR
# (.pack/bench unless given) then holds the runtime, the artefacts of CHIP (sm_80) for the head dims DIMS ("64 128 256";
# 192:128 is Dqk 192, Dv 128) and the scripts; `python3 DIR/bench.py DIR` runs it there. Narrowed or widened by
#   FA_TYPES ("f16 bf16")   FA_MASKS ("none causal"; window-N: N keys left of the diagonal)
#   FA_SCORES ("plain"; also softcap, alibi: the same kernel with a score region)
# Options behind -- make a variant: their values become part of the artefacts' names. Earlier packs in DIR are kept.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${FA_BUILD:-$root/build}
words=()
while [ $# -gt 0 ] && [ "$1" != "--" ]; do words+=("$1"); shift; done
[ $# -gt 0 ] && shift
dir=${words[0]:-$root/.pack/bench} chip=${words[1]:-sm_80} dims=${words[2]:-64 128 256}
variant=$(printf '%s' "$*" | sed -e 's/--//g' -e 's/[^A-Za-z0-9._]\{1,\}/-/g')

# The schedules by kernel, as a JSON object: what the compiler chose, for the tables.
schedules() {
  "$build/bin/fa-compile" "$1" --chip="$chip" "${@:2}" --stage=buffers | sed -n \
    -e 's/.*func\.func @\([A-Za-z0-9_]*\)(.*/fa_\1/p' -e 's/.*schedule = #fa\.schedule<\([^>]*\)>.*/ \1/p' |
    awk '!/^ / { name = $0 } /^ / { printf "%s\"%s\": \"%s\"", comma, name, substr($0, 2); comma = ", " }'
}

# add DIM DV TYPE MASK SCORE [fa-compile options...]
add() {
  local dim=$1 dv=$2 type=$3 mask=$4 score=${5#plain} name flags
  shift 5
  name=$chip-d$dim$([ "$dim" = "$dv" ] || echo "-$dv")-$mask-$type${score:+-$score}${variant:+-$variant}
  flags=(--type "$type" --d "$dim" --dv "$dv" --no-lse)
  case $mask in
  causal) flags+=(--mask top_left,causal) ;;
  window-*) flags+=(--mask "top_left,causal,window=[${mask#window-},0]") ;;
  esac
  case $score in
  softcap) flags+=(--softcap 30.0) ;;
  alibi) flags+=(--alibi) ;;
  esac
  python3 "$root/test/gpu/gen.py" module "${flags[@]}" >"$dir/$name.mlir"
  if "$build/bin/fa-compile" "$dir/$name.mlir" --chip="$chip" "$@" -o "$dir/$name.ptx"; then
    grep -v "\"name\": \"$name\"" "$dir/list.json" 2>/dev/null >"$dir/list.new" || true
    {
      printf '{"name": "%s", "file": "%s.ptx", "dim": %s, "dv": %s, ' "$name" "$name" "$dim" "$dv"
      printf '"mask": "%s", "type": "%s", "score": "%s", "variant": "%s", ' "$mask" "$type" "$score" "$variant"
      printf '"schedules": {%s}}\n' "$(schedules "$dir/$name.mlir" "$@")"
    } >>"$dir/list.new"
    mv "$dir/list.new" "$dir/list.json"
  fi
  rm -f "$dir/$name.mlir"
}

mkdir -p "$dir"
for dim in $dims; do
  for type in ${FA_TYPES:-f16 bf16}; do
    for mask in ${FA_MASKS:-none causal}; do
      for score in ${FA_SCORES:-plain}; do
        add "${dim%:*}" "${dim#*:}" "$type" "$mask" "$score" "$@"
      done
    done
  done
done
cp "$root"/tools/bench/*.py "$dir"
cp -L "$build/lib/libfa_runtime.so" "$dir"
du -sh "$dir"
