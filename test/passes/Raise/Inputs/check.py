# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs modules before and after `fa-raise` and compares.

    check.py FILE.mlir...                 each function of each file; `// shapes: 2x6, ..` gives its arguments' extents
    check.py --variants COUNT [--first N] [--forms a,b] [--verbose]   generated programs, COUNT of each form

Every module must compute the same afterwards, and one in which nothing was raised must have been told why.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import frontends  # noqa: F401  (registers its operators)
import interpreter
import mlirtext
import variants
from emitters import FORMS

OPTIONS = ["--allow-unregistered-dialect", "--mlir-print-op-generic"]
# What other compilers do to a module before it gets here.
PREPARATIONS = [[], ["--canonicalize", "--cse"], ["--linalg-fuse-elementwise-ops", "--canonicalize"]]


def fa_opt(text, *passes):
    done = subprocess.run(["fa-opt", *OPTIONS, *passes, "-"], input=text, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def arguments_of(function, seed, shapes):
    """Random arguments; `shapes` says what dynamic extents are, which else are 3."""
    rng = np.random.default_rng(seed)
    values = []
    for place, (_, kind) in enumerate(function.regions[0][0].arguments):
        shape = [3 if n is None else n for n in mlirtext.shape_of(kind)]
        if shapes:
            shape = [int(n) for n in shapes[place]]
        element = mlirtext.element_of(kind)
        if element == "i1":
            values.append(rng.random(shape) < 0.7)
        elif element.startswith("i"):
            values.append(rng.integers(0, 6, shape))
        else:
            # Weights are scaled so that sums over them stay of order 1.
            scale = shape[0] ** -0.5 if len(shape) == 2 else 1
            values.append(interpreter.rounded(rng.standard_normal(shape) * scale, element))
    return values


def difference(before, after):
    """The largest relative error; rows without a key are NaN before, and 0, -inf (LSE) or NaN after."""
    if before is None or np.shape(before) != np.shape(after):
        return 0.0 if before is None else np.inf
    undefined = np.isnan(before)
    if not np.all(np.isnan(after[undefined]) | (after[undefined] == 0) | (after[undefined] == -np.inf)):
        return np.inf
    undefined |= np.isinf(before) & (before == after)
    scale = np.linalg.norm(before[~undefined])
    return float(np.linalg.norm(before[~undefined] - after[~undefined]) / (scale or 1))


def compare(before, after, seed, shapes):
    """Error of each function of a module."""
    first, second = (mlirtext.Parser(text).module() for text in (before, after))
    errors = {}
    for name, function in first.items():
        if function.attributes.get("sym_visibility", "") == '"private"' or not function.regions[0]:
            continue
        values = arguments_of(function, seed, shapes)
        results = [interpreter.Machine(module).call(name, values) for module in (first, second)]
        errors[name] = max(difference(b, a) for b, a in zip(*results))
    return errors


class Outcome:
    def __init__(self, name, raised=False, error=0.0, problem="", remarks=()):
        self.name, self.raised, self.error, self.problem = name, raised, error, problem
        self.remarks = list(remarks)


def examine(name, text, preparation=(), seed=0, options=(), shapes=None):
    status, before, log = fa_opt(text)
    if status:
        return Outcome(name, problem=f"does not parse: {log.strip()[:300]}")
    flag = "--fa-raise" + (f"={' '.join(options)}" if options else "")
    status, after, log = fa_opt(text, *preparation, flag)
    remarks = re.findall(r"remark: (?:not raised: )?(.*)", log)
    if status:
        return Outcome(name, problem=f"fa-raise fails: {log.strip()[:500]}")
    raised = '"fa.attention"' in after
    try:
        errors = compare(before, after, seed, shapes)
    except Exception as reason:  # noqa: BLE001  (the program is what is to be seen)
        return Outcome(name, raised, problem=f"does not run: {type(reason).__name__}: {reason}", remarks=remarks)
    error = max(errors.values(), default=0.0)
    problem = "" if error < 1e-5 else f"computes something else: relative error {error:.3g}"
    if not raised and not remarks:
        problem = problem or "declined without a remark"
    return Outcome(name, raised, error, problem, remarks)


def run_files(names):
    failed = 0
    for name in names:
        text = pathlib.Path(name).read_text()
        given = re.search(r"^// shapes: (.*)", text, re.MULTILINE)
        shapes = [shape.split("x") for shape in given[1].split(", ")] if given else None
        outcome = examine(name, text, shapes=shapes)
        failed += bool(outcome.problem)
        state = outcome.problem or f"equal to {outcome.error:.1e}"
        print(f"{pathlib.Path(name).name}: {'raised' if outcome.raised else 'declined'}, {state}")
    return failed


def jobs(arguments):
    for form in arguments.forms.split(",") if arguments.forms else [*FORMS, *variants.FUSED]:
        for number, program in enumerate(variants.programs(form, arguments.variants, arguments.first)):
            try:
                text = program.build()
            except NotImplementedError:
                continue
            preparation = PREPARATIONS[number % 3 if form in ("linalg", "named") else number % 2]
            yield form, program, text, preparation


def run_variants(arguments):
    counts = collections.defaultdict(lambda: [0, 0, 0])
    reasons, failures, total = collections.Counter(), [], 0

    def one(job):
        form, program, text, preparation = job
        shapes = [program.e.shape(argument) for argument in program.e.arguments]
        return job, examine(program.e.name, text, preparation, seed=total, shapes=shapes)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(one, jobs(arguments)))
    for (form, program, text, preparation), outcome in outcomes:
        total += 1
        if program.mutation and outcome.raised and not outcome.problem:
            outcome.problem = f"raised, although a near miss ({program.mutation})"
        label = f"{form} {outcome.name} {program.mutation or program.mask} {program.notes} {' '.join(preparation)}"
        if outcome.problem:
            failures.append(f"{label}: {outcome.problem}")
            pathlib.Path(arguments.keep or tempfile.gettempdir(), f"{form}-{outcome.name}.mlir").write_text(text)
        elif arguments.verbose:
            print(f"{label}: {'raised' if outcome.raised else outcome.remarks}")
        counts[form][2 if program.mutation else 0 if outcome.raised else 1] += 1
        if not outcome.raised and not program.mutation:
            reasons[(form, outcome.remarks[0] if outcome.remarks else "")] += 1
    for form, (raised, declined, misses) in counts.items():
        share = 100 * raised / max(raised + declined, 1)
        print(f"{form}: raised {raised} of {raised + declined} ({share:.0f} %), near misses declined {misses}")
    for (form, reason), count in sorted(reasons.items()):
        print(f"  declined, {form}, {count} times: {reason}")
    print(f"programs {total}, wrong {len(failures)}")
    print("\n".join(failures))
    least = {form: arguments.least for form in counts}
    for form, (raised, declined, _) in counts.items():
        if 100 * raised < least[form] * (raised + declined):
            failures.append(form)
            print(f"expects at least {least[form]} % raised of {form}")
    return len(failures)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*")
    parser.add_argument("--variants", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--least", type=int, default=0, help="percentage of each form that must be raised")
    parser.add_argument("--forms", default="")
    parser.add_argument("--keep", default="", help="folder for programs that fail")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    failed = run_files(arguments.files)
    if arguments.variants:
        failed += run_variants(arguments)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
