# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two lit test formats over the case list: CPU cases that are run, and GPU artefacts that are assembled."""

import os
import pathlib
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
    """ptxas takes the PTX: no spill, no remark on its schedule (C75xx, C76xx), nothing left to be linked."""

    def __init__(self, ptxas, chip):
        self.ptxas, self.chip = ptxas, chip

    def items(self):
        _, cases = caselist.parse(caselist.all_lines())
        return {case.artefact.name: case.artefact for case in cases if case.where != "cpu"}

    def check(self, artefact, programs, folder, environment):
        caselist.build(artefact, folder, self.chip, str(programs / "fa-compile"), reference=False)
        ptx = folder / f"{artefact.name}.ptx"
        done, log = run([self.ptxas, f"-arch={self.chip}", "-v", str(ptx), "-o", "/dev/null"], environment)
        spills = re.findall(r"[1-9]\d* bytes (?:stack frame|spill)", log)
        return done.returncode == 0 and not spills and not re.search(r"\bC7[56]\d\d\b", log) and not re.search(
            r"^\s*\.extern \.func", ptx.read_text(), re.MULTILINE
        ), log
