# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""continue.py IN.mlir FOLDER CHIP: prints the stages on the way for the chip, from whose text the artefact is made again
with the same bytes; fails at the first that gives others."""
import pathlib
import subprocess
import sys

source, folder, chip = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
folder.mkdir(exist_ok=True)


def build(source, output, *options):
    subprocess.run(["fa-compile", str(source), f"--chip={chip}", "-o", str(output), *options], check=True)
    return output


def stages():
    run = subprocess.run(["fa-compile", f"--chip={chip}", "--stage=help"], check=True, capture_output=True, text=True)
    return run.stdout.split()


whole = build(source, folder / f"{chip}.whole").read_bytes()
names = stages()
for name in names:
    if name == names[-1]:
        again = build(source, folder / f"{chip}.again")
    else:
        text = build(source, folder / f"{chip}.{name}.mlir", f"--stage={name}")
        again = build(text, folder / f"{chip}.{name}")
    if again.read_bytes() != whole:
        sys.exit(f"other bytes from stage {name}: {again}")
print(*names)
