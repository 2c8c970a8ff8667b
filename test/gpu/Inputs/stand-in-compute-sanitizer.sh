#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Stands in for compute-sanitizer in run.test: runs the program, and reports by the artefact's name.
while [[ ${1:-} == --* ]]; do
  [ "$1" = --log-file ] && report=$2
  shift 2
done
case $2 in
*race*)
  echo "========= Hazard" >"$report"
  echo "========= ERROR SUMMARY: 1 error" >>"$report"
  exit 99
  ;;
*unseen*)
  echo "========= Error: Device not supported" >"$report"
  exit 0
  ;;
*) echo "========= ERROR SUMMARY: 0 errors" >"$report" ;;
esac
exec "$@"
