#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs a pack of tools/pack-gpu-tests.sh on a machine with a GPU; needs bash, coreutils and the driver.
#   run.sh [--limit SECONDS] [--filter REGEX] [--log FILE] [--device DEVICE] [--sanitize memcheck,racecheck,synccheck]
# Prints each artefact's sha256, a line for each case, and last `N passed, N failed` (and `, N skipped`). The log is one
# JSON object with the hashes and what fa-run said of each case. Cases that the limit leaves no time for have failed.
# --sanitize: a small set of cases, or those of --filter, under these tools of CUDA's compute-sanitizer.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
limit=1500 filter='' log='' device=cuda case_limit=120 tools=none
# For the sanitizers: tails, dead rows, no keys, masks, windows, lengths, regions, narrow access, every kind of head dim,
# and more tiles than an H200 has multiprocessors.
small='^(c7-5x8-bottom|c5-255|c13-uneven|lengths-sink|c15-no-keys|c17-(d40|d80|d256|192-128)|c18-5-3|c19-6-2'
small+='|c20-(pad-8|pad-1)|region-order|cute-causal|tiles-(192-128|d256)-causal|long-d128-bf16)$'
usage() {
  echo "error: expects [--limit SECONDS] [--filter REGEX] [--log FILE] [--device DEVICE] [--sanitize TOOLS], got '$1'" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  [ $# -gt 1 ] || usage "$1"
  case "$1" in
  --limit) limit=$2 ;;
  --filter) filter=$2 ;;
  --log) log=$2 ;;
  --device) device=$2 ;;
  --sanitize) tools=$2 ;;
  *) usage "$1" ;;
  esac
  shift 2
done

[ "$tools" = none ] || filter=${filter:-$small}
sanitizer=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer)
if [ "$tools" != none ] && [ -z "$sanitizer" ]; then
  echo "error: expects compute-sanitizer on the PATH or in /usr/local/cuda/bin" >&2
  exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

json_string() {
  local text=${1//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\n'/\\n}
  printf '"%s"' "${text//[$'\t\r']/ }"
}

# record NAME STATUS SECONDS TEXT [FILE]: a line for people, and an object for the log.
record() {
  printf '%-7s %6ss  %s%s\n' "$2" "$3" "$1" "${4:+: $4}"
  {
    [ ! -s "$work/cases" ] || printf ',\n'
    printf '{"name": "%s", "status": "%s", "seconds": %s, "text": ' "$1" "$2" "$3"
    json_string "$4"
    if [ -n "${5:-}" ] && [ "$(head -c 1 "$5")" = '{' ]; then printf ', "run": %s' "$(cat "$5")"; fi
    printf '}'
  } >>"$work/cases"
  case $2 in
  passed) passed=$((passed + 1)) ;;
  skipped) skipped=$((skipped + 1)) ;;
  *) failed=$((failed + 1)) ;;
  esac
}

# run_case NAME ARTEFACT REFUSAL FLAGS TOOL
run_case() {
  local name=$1 artefact=$here/$2 refusal=$3 tool=$5 flags under=() status=0 start=${EPOCHREALTIME/[.,]/}
  local tenths seconds text
  read -r -a flags <<<"$4"
  if [ "$tool" != none ]; then
    name+=" under $tool"
    under=("$sanitizer" --tool "$tool" --error-exitcode 99 --print-limit 5 --log-file "$work/report")
    flags+=(--warmup 0 --repeat 1)
    rm -f "$work/report"
  fi
  [ ! -e "$artefact.ref.so" ] || flags+=(--reference "$artefact.ref.so")
  timeout -k 5 "$case_limit" "${under[@]}" "$here/fa-run" "$artefact.ptx" --device "$device" --json "${flags[@]}" \
    >"$work/out" 2>"$work/err" </dev/null || status=$?
  tenths=$(((${EPOCHREALTIME/[.,]/} - start) / 100000))
  seconds=$((tenths / 10)).$((tenths % 10))
  text=$(head -c 2000 "$work/err")
  if [ "$refusal" != - ]; then
    if [ "$status" -ne 0 ] && [ "$status" -lt 124 ] && grep -qF -- "$refusal" "$work/err"; then
      record "$name" passed "$seconds" "refused: $text" "$work/out"
    else
      record "$name" failed "$seconds" "expects a refusal with '$refusal', got status $status: $text" "$work/out"
    fi
  elif [ "$tool" != none ] && ! grep -q 'SUMMARY: 0 ' "$work/report"; then
    # Also where the tool did not come to watch: then its report has no summary.
    record "$name" failed "$seconds" "status $status: $(head -c 1500 "$work/report" 2>&1)" "$work/out"
  elif [ "$status" -eq 0 ]; then
    record "$name" passed "$seconds" "" "$work/out"
  else
    record "$name" failed "$seconds" "status $status: $text" "$work/out"
  fi
}

(cd "$here" && sha256sum fa-run ./*.ptx ./*.so 2>/dev/null) | tee "$work/hashes"
for tool in ${tools//,/ }; do
  while IFS=$'\t' read -r name artefact left_out refusal flags; do
    [[ $name =~ ${filter:-.} ]] || continue
    if [ "$left_out" != - ]; then
      record "$name" skipped 0 "$left_out"
    elif [ "$SECONDS" -ge "$limit" ]; then
      record "$name" failed 0 "not run: the limit of $limit s was reached"
    else
      run_case "$name" "$artefact" "$refusal" "$flags" "$tool"
    fi
  done <"$here/cases.txt"
done

if [ -n "$log" ]; then
  {
    printf '{"passed": %d, "failed": %d, "skipped": %d,\n"sha256": {' "$passed" "$failed" "$skipped"
    comma=''
    while read -r hash file; do
      printf '%s\n"%s": "%s"' "$comma" "${file#./}" "$hash"
      comma=,
    done <"$work/hashes"
    printf '},\n"cases": [\n'
    cat "$work/cases"
    printf '\n]}\n'
  } >"$log"
fi
line="$passed passed, $failed failed"
[ "$skipped" -eq 0 ] || line+=", $skipped skipped"
echo "$line"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
