#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints `PASSED FAILED SKIPPED` for a JSON file written by lit --output; fails where it holds no test."""

import json
import sys

PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}

with open(sys.argv[1]) as results:
    codes = [test["code"] for test in json.load(results)["tests"]]
if not codes:
    sys.exit(f"{sys.argv[1]}: no tests")
passed = sum(code in PASSED for code in codes)
skipped = sum(code in SKIPPED for code in codes)
print(passed, len(codes) - passed - skipped, skipped)
