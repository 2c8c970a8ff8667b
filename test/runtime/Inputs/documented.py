# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every function of C headers has a comment right above it. Prints those that have not.

Usage: documented.py HEADER...
"""

import pathlib
import re
import sys

DECLARATION = re.compile(r"^(?:FA_API|FA_COMPILER_API|MLIR_CAPI_EXPORTED)\b[^;]*?(\w+)\(", re.M)


def main():
    missing = count = 0
    for name in sys.argv[1:]:
        text = pathlib.Path(name).read_text()
        for found in DECLARATION.finditer(text):
            count += 1
            if not text[: found.start()].rstrip("\n").endswith("*/"):
                missing += 1
                print(f"{name}: {found[1]} has no comment")
    print(f"{count} functions, {missing} without a comment")
    return missing > 0


sys.exit(main())
