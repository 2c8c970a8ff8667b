#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types what README.md says: run-readme.py README BUILD OUT.

Runs each indented command line that starts with a program of build/bin or with grep, in the README's folder, with the
programs of BUILD and with OUT in the place of /tmp. The first that fails ends it.
"""

import pathlib
import re
import subprocess
import sys

readme, build, out = sys.argv[1:]
commands = re.findall(r"^    ((?:build/bin/|grep ).*)$", pathlib.Path(readme).read_text(), re.MULTILINE)
if not commands:
    sys.exit(f"{readme}: expects commands, got none")
for command in commands:
    # In one go: either folder may itself lie in /tmp.
    places = {"build/bin/": f"{build}/bin/", "/tmp/": f"{out}/"}
    command = re.sub("build/bin/|/tmp/", lambda found: places[found[0]], command)
    print("$", command, flush=True)
    run = subprocess.run(["bash", "-c", command], cwd=pathlib.Path(readme).parent)
    if run.returncode != 0:
        sys.exit(f"status {run.returncode}: {command}")
