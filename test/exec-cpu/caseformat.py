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

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "test" / "gpu"), str(ROOT / "tools" / "tune")]
import caselist  # noqa: E402
import schedules  # noqa: E402

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
    "all") or two for each head dim, drawn with the seed `drawn`: one for sm_80 and one for another chip. And regions for
    sm_90a."""

    MASKS = {"none": "", "causal": "--mask bottom_right,causal", "window": "--mask top_left,window=[64,16]"}
    TYPES = ["f16", "bf16"]
    REGIONS = {
        "alibi": "--alibi",
        "bias": "--bias",
        "softcap": "--softcap 30.0",
        "all-causal": "--softcap 30.0 --bias --alibi --mask top_left,causal",
    }
    SHAPES = {
        "known": "--sizes B=1,Hq=16,Hkv=16,Sq=1280,Sk=1536",
        "ragged": "--sizes B=2,Hq=4,Sk=1000",
        "bshd": "--layout bshd --no-lse",
        "f32": "--out f32",
        "lengths": "--q-lengths --kv-lengths",
        "packed": "--layout packed",
    }
    OTHER_CHIPS = ["sm_86", "sm_89", "sm_90a"]

    def __init__(self, ptxas, drawn):
        self.ptxas, self.drawn = ptxas, drawn

    def items(self):
        _, cases = caselist.parse(caselist.all_lines())
        listed = {case.artefact.name: (case.artefact, "sm_80") for case in cases if case.where != "cpu"}
        made = itertools.chain(self.sweep(), self.regions(), self.shapes())
        return listed | {artefact.name: (artefact, chip) for artefact, chip in made}

    def regions(self):
        for d, name in itertools.product([64, 128, 256], self.REGIONS):
            flags = ["--type", "f16", "--d", str(d), *self.REGIONS[name].split()]
            yield caselist.Artefact(f"sm_90a-d{d}-{name}", flags), "sm_90a"

    def shapes(self):
        if self.drawn == "all":
            points = itertools.product(["sm_80", "sm_86", "sm_90a"], [64, 96, 128, 192, 256], self.SHAPES)
        else:
            points = [("sm_80", 128, name) for name in self.SHAPES]
            points += itertools.product(["sm_86", "sm_90a"], [128], ["ragged", "lengths"])
        for (chip, d, name), mask in itertools.product(points, self.MASKS):
            flags = ["--d", str(d), *self.SHAPES[name].split(), *self.MASKS[mask].split()]
            yield caselist.Artefact(f"{chip}-d{d}-{name}-{mask}", flags), chip

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
        clean = spills and not any(spills)
        return done.returncode == 0 and clean and not re.search(r"\bC7[56]\d\d\b", log) and not re.search(
            r"^\s*\.extern \.func", ptx.read_text(), re.MULTILINE
        ), log


class TableFormat(ListFormat):
    """The compiler takes each row of the schedule table for what the row is for, and ptxas takes the PTX: no spill, no
    message, no local memory; where tiles come by TMA, with wgmma and setmaxnreg."""

    MASKS = AssembleFormat.MASKS | {"left": "--mask bottom_right,window=[64,none]"}

    def __init__(self, ptxas):
        self.ptxas = ptxas

    def items(self):
        found = {}
        for number, row, schedule in schedules.read_table(ROOT / "dialect" / "Target" / "schedules.txt"):
            if row["chip"] == "cpu":
                continue
            # Registers do not depend on which of the two types it is.
            element = "f16" if row["type"] == "any" else row["type"]
            for mask in AssembleFormat.MASKS if row["mask"] == "any" else row["mask"].split("|"):
                flags = ["--type", element, "--d", str(row["qk_dim"]), "--dv", str(row["v_dim"])]
                if row["region"]:
                    flags += ["--alibi"]
                name = f"line-{number}-{row['chip']}-d{row['qk_dim']}-{mask}"
                artefact = caselist.Artefact(name, [*flags, *self.MASKS[mask].split()])
                found[name] = (artefact, row, schedule)
        return found

    def check(self, item, programs, folder, environment):
        artefact, row, schedule = item
        compiler = str(programs / "fa-compile")
        caselist.build(artefact, folder, row["chip"], compiler, reference=False)
        # The kernel's schedule is the row's; the order of query tiles follows from the mask.
        command = [compiler, str(folder / f"{artefact.name}.mlir"), f"--chip={row['chip']}", "--stage=buffers"]
        stage, log = run(command, environment)
        chosen = [schedules.parse(text) for text in re.findall(r"schedule = #fa\.schedule<([^>]*)>", stage.stdout)]
        if schedule not in [{**one, "order": schedule["order"]} for one in chosen]:
            return False, f"{schedules.row(row, schedule)}\nis not among\n{log}"
        ptx = folder / f"{artefact.name}.ptx"
        done, log = run([self.ptxas, f"-arch={row['chip']}", "-v", str(ptx), "-o", "/dev/null"], environment)
        spills = [int(bytes) for bytes in re.findall(r"(\d+) bytes (?:stack frame|spill)", log)]
        text = ptx.read_text()
        wanted = ["wgmma.mma_async", "setmaxnreg"] if row["tma"] else ["mma.sync"]
        clean = spills and not any(spills) and not re.search(r"\bC\d{4}\b|warning", log) and ".local" not in text
        return done.returncode == 0 and clean and all(word in text for word in wanted), log
