#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets up, builds and runs every test: bash tools/test.sh [--sanitize]. The last line counts them over all suites:
# `N passed, N failed`, with `, N skipped` where some were; a build or suite that breaks counts as one failure.
# --sanitize: the same tests in an ASan + UBSan build, then the runtime's unit tests in a TSan build.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

passed=0 failed=0 skipped=0
log=$root/build/test-results

finish() {
  local line="$passed passed, $failed failed"
  [ "$skipped" -eq 0 ] || line+=", $skipped skipped"
  echo "$line"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
  exit
}

broken() {
  echo "FAILED: $*"
  failed=$((failed + 1))
}

# Adds up the results that lit left in a JSON file; a missing or empty file is a suite that broke.
count() {
  local name=$1 file=$2 p f s
  if ! read -r p f s < <(python3 "$root/tools/count-tests.py" "$file"); then
    broken "$name: left no results"
    return
  fi
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

# run_suites NAME BUILD DIR...: runs lit on test directories of a build, with the lit that CMake found.
run_suites() {
  local name=$1 build=$2 status=0 lit
  shift 2
  echo "== testing: $name"
  rm -f "$log/$name.json"
  lit=$(sed -n 's/^FA_LIT:FILEPATH=//p' "$build/CMakeCache.txt")
  timeout 3600 "$lit" -sv --output "$log/$name.json" "${@/#/$build/}" || status=$?
  count "$name" "$log/$name.json"
  # lit says 1 where tests failed, and those are counted; anything else is lit itself.
  [ "$status" -le 1 ] || broken "$name: lit ended with status $status"
}

build() {
  if bash "$root/tools/setup.sh" --ptxas "$@"; then return 0; fi
  broken "set-up and build: $1"
  return 1
}

sanitize=false
case "${1:-}" in
"") ;;
--sanitize) sanitize=true ;;
*)
  echo "error: expects --sanitize or nothing, got '$1'" >&2
  exit 2
  ;;
esac
mkdir -p "$log"

if ! $sanitize; then
  if build dev; then run_suites tests "$root/build" test test/unit; fi
  finish
fi

# The distribution's libMLIR is not instrumented: its arenas poison memory that our instrumented templates then read.
export ASAN_OPTIONS=allow_user_poisoning=0:detect_leaks=1:${ASAN_OPTIONS:-}
export UBSAN_OPTIONS=print_stacktrace=1:${UBSAN_OPTIONS:-}
if build sanitize; then
  run_suites sanitize "$root/build/sanitize" test test/unit
fi
if build tsan runtime-unit-tests; then run_suites tsan "$root/build/tsan" test/unit; fi
finish
