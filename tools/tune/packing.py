# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The half of the tuner that compiles: candidates of each shape into a folder, without those that spill."""

import concurrent.futures
import dataclasses
import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import schedules

ROOT = Path(__file__).resolve().parents[2]
# ptxas messages that cost a kernel half of its speed or more: products in sequence, waits put in, setmaxnreg dropped.
MESSAGE = re.compile(r"\bC7[56]\d\d\b")


@dataclasses.dataclass(frozen=True)
class Shape:
    chip: str
    type: str
    dim: int
    dv: int
    mask: str  # as in tools/bench/problems.py

    @property
    def name(self):
        dims = f"{self.dim}" if self.dim == self.dv else f"{self.dim}-{self.dv}"
        return f"{self.chip}-d{dims}-{self.mask}-{self.type}"

    def module(self, schedule=None):
        """The text of a module with this attention, and the schedule where there is one."""
        flags = ["--type", self.type, "--d", str(self.dim), "--dv", str(self.dv), "--no-lse"]
        if self.mask == "causal":
            flags += ["--mask", "top_left,causal"]
        elif self.mask.startswith("window-"):
            flags += ["--mask", f"top_left,causal,window=[{self.mask.split('-')[1]},0]"]
        if schedule:
            flags += ["--schedule", schedules.text(schedule)]
        generator = [sys.executable, str(ROOT / "test" / "gpu" / "gen.py"), "module", *flags]
        return subprocess.run(generator, check=True, capture_output=True, text=True).stdout


class Refused(Exception):
    """A schedule that the compiler or ptxas does not take."""


class Compiler:
    def __init__(self, build, ptxas):
        self.compile, self.ptxas = str(build / "bin" / "fa-compile"), ptxas

    def run(self, module, *flags):
        run = subprocess.run([self.compile, "-", *flags], input=module, capture_output=True, text=True)
        if run.returncode:
            errors = [line for line in run.stderr.splitlines() if "error:" in line] or [run.stderr.strip()]
            raise Refused(errors[0].split("error: ")[-1][:300])
        return run.stdout

    def chosen(self, shape):
        """The schedules that the compiler takes by itself: {kernel: schedule}."""
        printed, found, name = self.run(shape.module(), f"--chip={shape.chip}", "--stage=buffers"), {}, ""
        for match in re.finditer(r"func\.func @(\w+)|schedule = #fa\.schedule<([^>]*)>", printed):
            if match[1]:
                name = "fa_" + match[1]  # what its kernel is called
            else:
                found[name] = schedules.parse(match[2], known=False)
        return found

    def check(self, path, chip):
        """Registers of the kernel that a launch would take; refused where it spills or ptxas has something to say."""
        entries = [word for name in tried_kernels(path.read_text()) for word in ("--entry", name)]
        command = [self.ptxas, f"-arch={chip}", "-v", *entries, str(path), "-o", "/dev/null"]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            raise Refused("ptxas: " + run.stderr.strip()[:300])
        return read_ptxas(run.stdout + run.stderr)


def tried_kernels(ptx):
    """The kernels that a candidate's schedule is about: those with TMA, else all."""
    names = re.findall(r"^\.visible \.entry (\w+)", ptx, re.MULTILINE)
    return [name for name in names if name.endswith("_tma")] or names


def read_ptxas(said):
    """The most registers of the kernels that `ptxas -v` speaks of; refused where one has local memory or a message of
    the listed kind is there."""
    message = MESSAGE.search(said)
    if message:
        line = next(line for line in said.splitlines() if message[0] in line)
        raise Refused(line.strip()[:300])
    parts = re.split(r"Compiling entry function '(\w+)'", said)[1:]
    for name, part in zip(parts[::2], parts[1::2]):
        local = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", part)
        if local and any(int(count) for count in local.groups()):
            raise Refused(f"{name}: {local[0]}")
    return max(int(count) for count in re.findall(r"Used (\d+) registers", said))


class Pack:
    """A folder with artefacts and list.json, a line each; refused.json has a line for each candidate left out. What
    either names is not compiled again."""

    def __init__(self, folder, compiler):
        self.folder, self.compiler = folder, compiler
        folder.mkdir(parents=True, exist_ok=True)
        self.seen = {entry["name"] for file in ("list.json", "refused.json") for entry in self.lines(file)}

    def lines(self, file):
        path = self.folder / file
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def note(self, file, entry):
        with (self.folder / file).open("a") as out:
            out.write(json.dumps(entry) + "\n")

    def add(self, shape, schedule, incumbent=None):
        """Compiles one candidate; incumbent: the schedules by kernel of the artefact that is to be beaten."""
        what = schedules.text(schedule) if schedule else ""
        name = f"{shape.name}-{hashlib.sha256(what.encode()).hexdigest()[:10]}" if what else f"{shape.name}-incumbent"
        if name in self.seen:
            return "known"
        entry = {"name": name, **dataclasses.asdict(shape), "schedule": what}
        path = self.folder / f"{name}.ptx"
        try:
            path.write_text(self.compiler.run(shape.module(schedule), f"--chip={shape.chip}"))
            entry["registers"] = None if incumbent else self.compiler.check(path, shape.chip)
        except Refused as reason:
            path.unlink(missing_ok=True)
            self.note("refused.json", {**entry, "reason": str(reason)})
            return f"refused: {reason}"
        if incumbent:
            entry["kernels"] = {kernel: schedules.text(s) for kernel, s in incumbent.items()}
        self.note("list.json", {**entry, "file": path.name})
        return "packed"


def bases_of(chosen):
    """The schedules to start from: those of kernels with TMA, else all."""
    tma = {name: s for name, s in chosen.items() if name.endswith("_tma")}
    return list((tma or chosen).values())


def pack(folder, compiler, shapes, options):
    packed, work = Pack(folder, compiler), []
    for shape in shapes:
        chosen = compiler.chosen(shape)
        print(f"{shape.name}: incumbent {packed.add(shape, None, chosen)}", flush=True)
        bases = [schedules.parse(base) for base in options.base] or bases_of(chosen)
        tried = schedules.candidates(
            shape.chip,
            (shape.dim, shape.dv, shape.mask),
            bases,
            options.varied,
            options.changes,
            options.most,
            options.seed,
        )
        work += [(shape, s) for s in [*(schedules.parse(base) for base in options.base), *tried]]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as workers:
        results = workers.map(lambda one: packed.add(*one), work)
        for number, ((shape, schedule), result) in enumerate(zip(work, results), 1):
            print(f"[{number}/{len(work)}] {shape.name} {schedules.text(schedule)}: {result}", flush=True)
    for source in [*(ROOT / "tools" / "bench").glob("*.py"), *(ROOT / "tools" / "tune").glob("*.py")]:
        shutil.copy(source, folder)
    return packed
