# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""names.py MODULE.mlir FOLDER CHIP NAME...: compiles the module under each name, then runs what came out (cpu) or has
PTXAS, an environment variable, assemble it."""

import os
import pathlib
import subprocess
import sys

text = pathlib.Path(sys.argv[1]).read_text()
folder, chip, names = pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
folder.mkdir(exist_ok=True)
source, output = folder / "named.mlir", folder / "named.out"
for name in names:
    source.write_text(text.replace("@attention", f"@{name}"))
    subprocess.run(["fa-compile", source, f"--chip={chip}", "-o", output], check=True)
    if chip == "cpu":
        sizes = ["--seqlen-q", "4", "--seqlen-k", "4", "--warmup", "0", "--repeat", "1", "--quiet"]
        subprocess.run(["fa-run", output, *sizes], check=True)
    else:
        subprocess.run([os.environ["PTXAS"], f"-arch={chip}", output, "-o", os.devnull], check=True)
    print("right:", name)
