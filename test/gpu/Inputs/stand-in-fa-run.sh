#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Stands in for fa-run in run.test: what it does is in the artefact's name.
echo "{\"arguments\": \"$*\"}"
case $1 in
*right*) exit 0 ;;
*wrong*) echo 'wrong: "o" is off' >&2; exit 1 ;;
*crash*) kill -SEGV $$ ;;
*no*) echo "error: heads must be a multiple" >&2; exit 2 ;;
esac
