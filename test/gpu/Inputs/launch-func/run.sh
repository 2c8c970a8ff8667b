#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs a pack of tools/pack-launch-func.sh on a machine with a GPU; needs its driver. Lines begin with PASS or FAIL, and
# the last one says it of all. With a folder OUT the log is kept there.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
log=/dev/null
[ -z "${OUT:-}" ] || log=$OUT/launch-func.log
"$here/launch-func" 2>&1 | tee "$log"
