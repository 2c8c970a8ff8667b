# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The case list as data. caselist.py DIR CHIP FA-COMPILE [REGEX]: packs what its GPU cases (of these names) need into
DIR."""

import concurrent.futures
import fcntl
import os
import pathlib
import re
import shlex
import subprocess
import sys

import gen

HERE = pathlib.Path(__file__).resolve().parent
# Flags of `gen.py module` that put a region on the op: fa-run then needs the reference artefact.
REGIONS = {"--softcap", "--tanh2", "--bias", "--alibi", "--keep"}


class Artefact:
    def __init__(self, name, flags):
        self.name, self.flags = name, flags

    @property
    def needs_reference(self):
        return bool(REGIONS & set(self.flags))

    def module(self):
        return gen.module(gen.module_parser().parse_args(self.flags))


class Case:
    def __init__(self, name, artefact, where, flags, refusal):
        self.name, self.artefact, self.where, self.flags, self.refusal = name, artefact, where, flags, refusal


def parse(lines):
    """The artefacts by name and the cases in order."""
    artefacts, cases, names = {}, [], set()
    for number, line in enumerate(lines, 1):
        line, _, refusal = line.partition(" | ")
        words = shlex.split(line, comments=True)
        if not words:
            continue
        kind, name, *rest = words
        if (kind, name) in names:
            raise ValueError(f"line {number}: expects a new name, got {name}")
        names.add((kind, name))
        if kind == "artefact":
            artefacts[name] = Artefact(name, rest)
        elif kind in ("case", "refused") and rest[0] in artefacts and rest[1] in ("both", "cpu", "gpu"):
            if (kind == "refused") != bool(refusal):
                raise ValueError(f"line {number}: expects '| TEXT' after a refused case, and only there")
            cases.append(Case(name, artefacts[rest[0]], rest[1], rest[2:], refusal.strip()))
        else:
            raise ValueError(f"line {number}: expects an artefact, or a case of one that stands above, got: {line}")
    return artefacts, cases


def all_lines():
    return (HERE / "cases.txt").read_text().splitlines() + list(gen.sweep())


class Refused(Exception):
    """fa-compile said no, in its own words."""


def build(artefact, folder, chip, compiler, reference=True):
    """Compiles an artefact, and its reference where it needs one, unless what is there is newer than the compiler."""
    source = folder / f"{artefact.name}.mlir"
    outputs = [(folder / f"{artefact.name}.{'so' if chip == 'cpu' else 'ptx'}", [f"--chip={chip}"])]
    if artefact.needs_reference and reference:
        outputs.append((folder / f"{artefact.name}.ref.so", ["--chip=cpu", "--reference"]))
    folder.mkdir(parents=True, exist_ok=True)
    # Cases that share an artefact may run at the same time.
    with open(folder / f"{artefact.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        text = artefact.module()
        if not source.exists() or source.read_text() != text:
            source.write_text(text)
        needed = max(source.stat().st_mtime, os.stat(compiler).st_mtime)
        for output, flags in outputs:
            if not output.exists() or output.stat().st_mtime < needed:
                compile_one([compiler, str(source), *flags, "-o", str(output)])


def compile_one(command):
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode == 1:
        raise Refused(next((line for line in run.stderr.splitlines() if "error:" in line), run.stderr))
    if run.returncode != 0:
        raise RuntimeError(f"{shlex.join(command)} ended with status {run.returncode}:\n{run.stderr}")


def refusal(artefact, folder, chip, compiler):
    """Builds an artefact; what fa-compile said where it refused to."""
    try:
        build(artefact, folder, chip, compiler)
    except Refused as reason:
        return str(reason)
    return None


def pack(folder, chip, compiler, names="."):
    """Compiles what the GPU cases of these names need into a folder and writes the cases.txt that run.sh reads."""
    artefacts, cases = parse(all_lines())
    cases = [case for case in cases if case.where != "cpu" and re.search(names, case.name)]
    needed = sorted({case.artefact.name for case in cases})
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        answers = workers.map(lambda name: refusal(artefacts[name], folder, chip, compiler), needed)
        refused = {name: answer for name, answer in zip(needed, answers) if answer}
    for name, answer in refused.items():
        print(f"{name}: {answer}")
    # A case is a line, with tabs between: name, artefact, why it is left out or -, what fa-run says when it refuses
    # or -, flags.
    rows = []
    for case in cases:
        left_out = refused.get(case.artefact.name, "-").replace("\t", " ")
        rows.append("\t".join([case.name, case.artefact.name, left_out, case.refusal or "-", shlex.join(case.flags)]))
    (folder / "cases.txt").write_text("\n".join(rows) + "\n")
    for left_over in [*folder.glob("*.lock"), *folder.glob("*.mlir")]:
        left_over.unlink()
    print(f"{len(cases)} cases, {len(refused)} artefacts refused")


if __name__ == "__main__":
    pack(pathlib.Path(sys.argv[1]), *sys.argv[2:5])
