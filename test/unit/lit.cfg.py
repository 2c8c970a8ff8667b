# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lit suite `fa-unit`: the cases of every GoogleTest executable of the build, each counted as one test."""

import os

import lit.formats

if not hasattr(config, "fa_obj_root"):
    lit_config.fatal("run lit on BUILD/test/unit instead: the suite is made of built executables")

config.name = "fa-unit"
config.test_source_root = config.test_exec_root = os.path.join(config.fa_obj_root, "test", "unit")
config.test_format = lit.formats.GoogleTest(".", "-unit-tests")
