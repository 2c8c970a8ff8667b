#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds faster schedules.

tune.py pack DIR [options]            here: compiles legal schedules of the shapes, and the incumbents, into DIR
python3 DIR/tune.py run DIR --json F  on a GPU machine: checks and times them; ends at --limit seconds, and goes on
                                      where it was when started again with the same file
tune.py report F...                   the best schedules, and the table rows they make, with the measured ratios
"""

import argparse
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# In a pack all scripts stand in one folder.
sys.path += [str(HERE), str(HERE.parent / "bench")]

import problems  # noqa: E402

import packing  # noqa: E402
import report  # noqa: E402
import running  # noqa: E402
import schedules  # noqa: E402


def parser():
    words = lambda text: text.split(",")
    numbers = lambda text: [int(word) for word in text.split(",")]
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = made.add_subparsers(dest="verb", required=True)
    pack = verbs.add_parser("pack", help="compile candidates")
    pack.add_argument("folder", type=Path)
    pack.add_argument("--chip", default="sm_90a", choices=list(schedules.SHARED))
    pack.add_argument("--types", type=words, default=["f16", "bf16"])
    pack.add_argument("--dims", type=problems.read_dims, default="64,128,256", help="Dqk, or Dqk:Dv, with commas")
    pack.add_argument("--masks", type=words, default=["none", "causal"])
    pack.add_argument(
        "--vary", action="append", default=[], metavar="AXIS=V,V", help="the product of these axes' values"
    )
    pack.add_argument("--changes", type=int, default=1, help="without --vary: axes that may differ from the incumbent")
    pack.add_argument(
        "--base", action="append", default=[], metavar="SCHEDULE", help="start from this, not the incumbent"
    )
    pack.add_argument("--most", type=int, default=60, help="candidates a shape; beyond, a seeded sample")
    pack.add_argument("--seed", type=int, default=1)
    pack.add_argument("--jobs", type=int, default=1)
    pack.add_argument("--build", type=Path, default=packing.ROOT / "build")
    pack.add_argument("--ptxas", default=shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas")
    pack.add_argument("--dry-run", action="store_true", help="list the candidates, compile only the incumbents' choice")
    run = verbs.add_parser("run", help="check and time them")
    run.add_argument("folder", type=Path)
    run.add_argument("--json", type=Path, required=True, help="where the results go")
    run.add_argument("--seqs", type=numbers, default=[1024, 4096, 16384])
    run.add_argument("--data", type=words, default=["normal"])
    run.add_argument("--only", default="", help="artefacts whose name contains this")
    run.add_argument("--tokens", type=int, default=16384)
    run.add_argument("--width", type=int, default=2048)
    run.add_argument("--rounds", type=int, default=7)
    run.add_argument("--ms", type=float, default=6.0)
    run.add_argument("--seed", type=int, default=1)
    run.add_argument("--limit", type=float, default=540, help="seconds")
    run.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    told = verbs.add_parser("report", help="what they found")
    told.add_argument("files", type=Path, nargs="+")
    told.add_argument("--most", type=int, default=5, help="schedules listed for each length")
    return made


def varied(options):
    """{axis: values} from --vary."""
    found = {}
    for text in options.vary:
        axis, _, values = text.partition("=")
        found[axis] = [schedules.parse(f"{axis} = {value}")[axis] for value in values.split(",")]
    return found


def shapes(options):
    grid = [(d, dv, m, t) for d, dv in options.dims for m in options.masks for t in options.types]
    return [packing.Shape(options.chip, t, d, dv, m) for d, dv, m, t in grid]


def dry_run(options, compiler):
    for shape in shapes(options):
        bases = [schedules.parse(base) for base in options.base] or packing.bases_of(compiler.chosen(shape))
        key = (shape.dim, shape.dv, shape.mask)
        tried = schedules.candidates(
            options.chip, key, bases, options.varied, options.changes, options.most, options.seed
        )
        print(f"{shape.name}: {len(tried)} candidates")
        print("".join(f"  {schedules.text(schedule)}\n" for schedule in tried), end="")


def main():
    made = parser()
    options = made.parse_args()
    if options.verb == "report":
        records, failed = report.read(options.files)
        print(report.report(records, failed, options.most))
        return 0
    if options.verb == "pack":
        try:
            options.varied = varied(options)
        except ValueError as error:
            made.error(str(error))
        compiler = packing.Compiler(options.build, options.ptxas)
        if options.dry_run:
            dry_run(options, compiler)
            return 0
        packing.pack(options.folder, compiler, shapes(options), options)
        shutil.copy(options.build / "lib" / "libfa_runtime.so", options.folder)
        return 0
    results = running.Results(options.json)
    entries = [entry for entry in problems.read_pack(options.folder / "list.json") if options.only in entry["name"]]
    if options.inner:
        return running.run_inner(options.folder, entries, results, options)
    return running.supervise([sys.executable, *sys.argv, "--inner"], results, options.limit)


if __name__ == "__main__":
    sys.exit(main())
