# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two lit test formats over the case list: CPU cases that are run, and GPU artefacts that are assembled."""

import itertools
import os
import pathlib
import random
import re
import subprocess
import sys

import lit.formats
import lit.Test

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "gpu"))
import caselist  # noqa: E402

# Seconds; no case comes near it unless it hangs.
LIMIT = 300
# What a case has unless it says otherwise: the same inputs each time, two launches that must agree to the bit.
DEFAULTS = {"--seed": "1", "--warmup": "0", "--repeat": "2"}


class ListFormat(lit.formats.TestFormat):
    """One test for each name that the subclass's items() has; its check() says whether it passed, and its log."""

    def getTestsInDirectory(self, suite, path, lit_config, local_config):
        for name in self.items():
            yield lit.Test.Test(suite, path + (name,), local_config)

    def execute(self, test, lit_config):
        if test.config.unsupported:
            return lit.Test.UNSUPPORTED, "test is unsupported here"
        build = pathlib.Path(test.config.fa_obj_root)
        environment = {**os.environ, **test.config.environment}
        folder = pathlib.Path(test.getExecPath()).parent
        try:
            passed, log = self.check(self.items()[test.path_in_suite[-1]], build / "bin", folder, environment)
        except (caselist.Refused, RuntimeError) as reason:
            return lit.Test.FAIL, f"fa-compile: {reason}"
        except subprocess.TimeoutExpired as reason:
            return lit.Test.TIMEOUT, str(reason)
        return (lit.Test.PASS if passed else lit.Test.FAIL), log


def run(command, environment):
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=environment)
    return done, f"{' '.join(command)}\n{done.stdout}{done.stderr}\nexit status {done.returncode}"


class CaseFormat(ListFormat):
    def items(self):
        _, cases = caselist.parse(caselist.all_lines())
        return {case.name: case for case in cases if case.where != "gpu"}

    def check(self, case, programs, folder, environment):
        caselist.build(case.artefact, folder, "cpu", str(programs / "fa-compile"))
        command = [str(programs / "fa-run"), str(folder / f"{case.artefact.name}.so"), "--device", "cpu", *case.flags]
        for flag, value in DEFAULTS.items():
            if flag not in case.flags:
                command += [flag, value]
        if case.artefact.needs_reference:
            command += ["--reference", str(folder / f"{case.artefact.name}.ref.so")]
        done, log = run(command, environment)
        if case.refusal:
            return done.returncode > 0 and case.refusal in done.stderr, log
        return done.returncode == 0, log


class AssembleFormat(ListFormat):
    """ptxas takes the PTX: no spill, no remark on its schedule (C75xx, C76xx), nothing left to be linked.

    The GPU cases' artefacts for sm_80, and of a sweep over chips, head dims, masks and types either all (`drawn` is
    "all") or two for each head dim, drawn with the seed `drawn`: one for sm_80 and one for another chip."""

    # Most bytes that ptxas 13.0 may spill for an artefact, all others none: here the tile's first row, stored in front of
    # the key loop and read behind it.
    KNOWN_SPILLS = {"cute-bshd": 8}
    MASKS = {"none": "", "causal": "--mask bottom_right,causal", "window": "--mask top_left,window=[64,16]"}
    TYPES = ["f16", "bf16"]
    OTHER_CHIPS = ["sm_86", "sm_89", "sm_90a"]

    def __init__(self, ptxas, drawn):
        self.ptxas, self.drawn = ptxas, drawn

    def items(self):
        _, cases = caselist.parse(caselist.all_lines())
        listed = {case.artefact.name: (case.artefact, "sm_80") for case in cases if case.where != "cpu"}
        return listed | {artefact.name: (artefact, chip) for artefact, chip in self.sweep()}

    def sweep(self):
        draw = random.Random(self.drawn)
        for d in range(8, 257, 8):
            points = [itertools.product([chip], self.MASKS, self.TYPES) for chip in ["sm_80", *self.OTHER_CHIPS]]
            if self.drawn != "all":
                sm_80, *others = map(list, points)
                points = [[draw.choice(sm_80)], [draw.choice(draw.choice(others))]]
            for chip, mask, element in itertools.chain(*points):
                flags = ["--type", element, "--d", str(d), *self.MASKS[mask].split()]
                yield caselist.Artefact(f"{chip}-d{d}-{mask}-{element}", flags), chip

    def check(self, item, programs, folder, environment):
        artefact, chip = item
        caselist.build(artefact, folder, chip, str(programs / "fa-compile"), reference=False)
        ptx = folder / f"{artefact.name}.ptx"
        done, log = run([self.ptxas, f"-arch={chip}", "-v", str(ptx), "-o", "/dev/null"], environment)
        spills = [int(bytes) for bytes in re.findall(r"(\d+) bytes (?:stack frame|spill)", log)]
        clean = spills and max(spills) <= self.KNOWN_SPILLS.get(artefact.name, 0)
        return done.returncode == 0 and clean and not re.search(r"\bC7[56]\d\d\b", log) and not re.search(
            r"^\s*\.extern \.func", ptx.read_text(), re.MULTILINE
        ), log
