# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of tools/tune needs neither a compiler nor a GPU: enumeration, legality, ptxas' words, going on, the report."""

import argparse
import json
import pathlib
import signal
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tools" / "tune"), str(ROOT / "tools" / "bench")]
import packing
import problems
import report
import running
import schedules

HOPPER = schedules.parse("query_tile = 128, key_tile = 128, warps = 8, mask = split, walk = backward, rotate = true")
AMPERE = schedules.parse("query_tile = 128, key_tile = 64, stages = 1")


class Schedules(unittest.TestCase):
    def test_text_and_back(self):
        text = "query_tile = 192, key_tile = 128, warps = 12, rotate = true, threshold = 8, grid = counter"
        self.assertEqual(schedules.text(schedules.parse(text)), text)
        self.assertEqual(schedules.text(AMPERE), "query_tile = 128, key_tile = 64, stages = 1")
        later = text + ", unheard = of"  # a field of a newer compiler
        self.assertEqual(schedules.text(schedules.parse(later, known=False)), later)
        for bad in ("warp = 4", "warps"):
            with self.assertRaisesRegex(ValueError, "expects fields of #fa.schedule"):
                schedules.parse(bad)

    def test_what_does_not_fit_is_left_out(self):
        change = lambda base, **fields: {**base, **fields}
        legal = lambda chip, schedule, dim, dv: schedules.illegal(chip, schedule, dim, dv) is None
        self.assertTrue(legal("sm_90a", HOPPER, 128, 128))
        self.assertTrue(legal("sm_90a", change(HOPPER, key_tile=64), 256, 256))
        self.assertTrue(legal("sm_80", AMPERE, 128, 128))
        for text, chip, schedule, dim in (
            ("registers", "sm_90a", change(HOPPER, warps=12, query_tile=192), 128),
            ("shared memory", "sm_90a", change(HOPPER, stages=8), 64),
            ("v_wait within", "sm_90a", change(HOPPER, v_wait=136), 128),
            ("multiple of 16 rows", "sm_80", change(AMPERE, query_tile=96), 64),
            ("whole warpgroups", "sm_90a", change(HOPPER, query_tile=256), 64),
            ("whole warpgroups", "sm_90a", HOPPER, 72),
            ("stay for several tiles", "sm_90a", change(HOPPER, q_buffers=2), 64),
            ("two warpgroups", "sm_90a", change(HOPPER, warps=4, query_tile=64, ping_pong=True), 64),
            (f"has {99 * 1024}", "sm_86", change(AMPERE, stages=2, query_tile=256, warps=8), 128),
        ):
            self.assertIn(text, schedules.illegal(chip, schedule, dim, dim) or "", schedule)

    def test_neighbours_differ_in_as_many_axes_as_asked_for(self):
        for changes in (1, 2):
            found = schedules.candidates("sm_90a", (128, 128, "causal"), [HOPPER], changes=changes, most=10**6)
            self.assertNotIn(HOPPER, found)
            differ = [{n for n in s if s[n] != HOPPER[n]} - {"query_tile"} for s in found]
            self.assertEqual({len(names) for names in differ}, set(range(1, changes + 1)))
        axes = set().union(*differ)
        self.assertEqual(axes, set(schedules.axes("sm_90a", "causal")))
        masked = schedules.candidates("sm_90a", (128, 128, "none"), [HOPPER], most=10**6)
        self.assertTrue(all(s["order"] == "natural" and s["mask"] == "split" for s in masked))

    def test_products_and_samples(self):
        varied = {"key_tile": [64, 96, 128], "stages": [2, 3], "q_buffers": [2]}
        found = schedules.candidates("sm_90a", (64, 64, "none"), [HOPPER], varied)
        self.assertEqual(found, [])  # with one tile a block there is nothing to buffer
        varied["grid"] = ["counter", "strided"]
        found = schedules.candidates("sm_90a", (64, 64, "none"), [HOPPER], varied)
        self.assertEqual(len(found), 12)
        one, two = (schedules.candidates("sm_90a", (64, 64, "none"), [HOPPER], varied, most=5, seed=s) for s in (1, 2))
        self.assertEqual(len(one), 5)
        self.assertNotEqual(one, two)
        self.assertEqual(one, schedules.candidates("sm_90a", (64, 64, "none"), [HOPPER], varied, most=5, seed=1))


SAID = """ptxas info    : Compiling entry function 'attention' for 'sm_80'
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers
ptxas info    : Compiling entry function 'attention_wide' for 'sm_80'
    0 bytes stack frame, {} bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 16 barriers
"""


class Stub:
    """In the place of the compiler: refuses stages = 3."""

    def __init__(self):
        self.compiled = 0

    def run(self, module, *flags):
        self.compiled += 1
        if "stages = 3" in module:
            raise packing.Refused("needs 300000 bytes")
        return "ptx"

    def check(self, path, chip):
        return 168


class Packing(unittest.TestCase):
    def test_ptxas_is_asked_about_the_kernels_that_are_tried(self):
        entries = "".join(f".visible .entry {name}(\n)\n" for name in ("attention_wide", "attention"))
        self.assertEqual(packing.tried_kernels(entries), ["attention_wide", "attention"])
        self.assertEqual(packing.tried_kernels(entries + ".visible .entry attention_tma("), ["attention_tma"])

    def test_what_ptxas_says_refuses_a_candidate(self):
        self.assertEqual(packing.read_ptxas(SAID.format(0)), 255)
        with self.assertRaisesRegex(packing.Refused, "attention_wide: 0 bytes stack frame, 8 bytes spill stores"):
            packing.read_ptxas(SAID.format(8))
        for message in ("C7510", "C7602"):
            with self.assertRaisesRegex(packing.Refused, message):
                packing.read_ptxas(SAID.format(0) + f"info    : ({message}) Potential Performance Loss")

    def test_a_pack_goes_on_without_compiling_again(self):
        shape = packing.Shape("sm_90a", "f16", 192, 128, "window-64")
        self.assertIn("schedule = #fa.schedule<query_tile = 128, key_tile = 64, stages = 1>", shape.module(AMPERE))
        self.assertIn("causal,window=[64,0]", shape.module())
        with tempfile.TemporaryDirectory() as folder:
            compiler = Stub()
            for expected in (("packed", "packed", "refused: needs 300000 bytes"), ("known",) * 3):
                pack = packing.Pack(pathlib.Path(folder), compiler)
                answers = [pack.add(shape, None, {"attention_tma": HOPPER}), pack.add(shape, HOPPER)]
                answers.append(pack.add(shape, {**HOPPER, "stages": 3}))
                self.assertEqual(tuple(answers), expected)
            self.assertEqual(compiler.compiled, 3)
            entries = problems.read_pack(pathlib.Path(folder) / "list.json")
            self.assertEqual([entry["registers"] for entry in entries], [None, 168])
            self.assertTrue(all((pathlib.Path(folder) / entry["file"]).exists() for entry in entries))
            self.assertEqual(running.schedule_of(entries[0], "attention_tma"), schedules.text(HOPPER))


def entry(schedule, kind="f16"):
    shape = {"chip": "sm_90a", "type": kind, "dim": 128, "dv": 128, "mask": "none"}
    return {"name": f"{kind} {schedule}", "schedule": schedule, "kernels": {}, **shape}


def record(kind, seq, **times):
    """A measured point: milliseconds by schedule; `incumbent` is that."""
    problem, rows = problems.Problem(128, 128, "none", seq), []
    for name, time in times.items():
        spread = [time * factor for factor in (0.99, 1.0, 1.01)]
        schedule = "" if name == "incumbent" else name
        row = {"name": f"{kind} {schedule}", "schedule": name, "incumbent": not schedule, "flop": problem.flop}
        rows.append({**row, "times": spread, "clock": 0, "kernel": "attention_tma"})
    return {**vars(problem), "chip": "sm_90a", "type": kind, "gpu": "one", "torch": "2", "rows": rows}


class Running(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.results = running.Results(pathlib.Path(folder.name) / "results.jsonl")

    def left(self):
        entries = [entry(s, kind) for kind in ("f16", "bf16") for s in ("", "a", "b")]
        todo = running.todo(entries, self.results, [512, 1024], ["normal"], 16384, 2048)
        return [(group[0]["type"], problem.seq) for group, problem in todo]

    def test_what_is_measured_is_not_measured_again(self):
        self.assertEqual(self.left(), [("bf16", 512), ("bf16", 1024), ("f16", 512), ("f16", 1024)])
        self.results.note(record("f16", 512, incumbent=1, a=1, b=1))
        self.assertEqual(self.left(), [("bf16", 512), ("bf16", 1024), ("f16", 1024)])
        # A record that lacks a candidate does not count, unless the candidate has failed.
        self.results.note(record("bf16", 512, incumbent=1, a=1))
        self.assertEqual(self.left(), [("bf16", 512), ("bf16", 1024), ("f16", 1024)])
        self.results.note({"failed": "bf16 b", "reason": "wrong"})
        self.assertEqual(self.left(), [("bf16", 1024), ("f16", 1024)])
        self.results.note({"failed": running.turns_of([entry("", "f16")]), "reason": "did not end"})
        self.assertEqual(self.left(), [("bf16", 1024)])

    def supervise(self, script, limit=60):
        return running.supervise([sys.executable, "-c", script, str(self.results.current)], self.results, limit)

    def test_a_candidate_that_kills_its_process_is_noted_and_left_out(self):
        crash = "import os, sys; p = sys.argv[1]; open(p, 'w').write('f16 a'); os.kill(os.getpid(), {})"
        once = "import os, sys; sys.exit(0) if os.path.exists(sys.argv[1] + '.seen') else open(sys.argv[1] + '.seen', 'w');"
        self.assertEqual(self.supervise(once + crash.format(int(signal.SIGSEGV))), 0)
        self.assertEqual(self.results.failed(), {"f16 a": "ended the process with status -11"})
        pathlib.Path(str(self.results.current) + ".seen").unlink()
        self.assertEqual(self.supervise(once + crash.format(int(signal.SIGALRM))), 0)
        self.assertEqual(self.results.failed(), {"f16 a": "did not end"})

    def test_other_ends_are_handed_on(self):
        self.assertEqual(self.supervise("raise SystemExit(3)"), running.LEFT)
        self.assertEqual(self.supervise("raise SystemExit(7)"), 7)
        self.assertEqual(self.supervise("raise SystemExit(0)", limit=0), running.LEFT)


class Report(unittest.TestCase):
    A, B = schedules.text({**HOPPER, "stages": 3}), schedules.text({**HOPPER, "order": "heaviest_first"})

    def times(self, incumbent, a=None, b=None):
        return {"incumbent": incumbent, **({self.A: a} if a else {}), **({self.B: b} if b else {})}

    def test_rows_of_two_length_classes_where_that_pays(self):
        kinds, rows = ("f16", "bf16"), []
        for kind in kinds:
            rows += [record(kind, 512, **self.times(1.0, 0.8, 1.1)), record(kind, 8192, **self.times(1.0, 1.05, 0.9))]
        text = report.report(rows, {"f16 c": "spoke"})
        self.assertIn(f"* 1.250 ± 0.000 {self.A}", text)
        self.assertIn(
            "# sm_90a, D 128, none, normal data, 512 keys (measured at 512, 8192): 1.250 ± 0.000 of the incumbent.\n"
            "chip = sm_90a, qk_dim = 128, v_dim = 128, dim_multiple = 16, mask = none, most_keys = 512, tma = true : "
            f"{self.A}\n",
            text,
        )
        self.assertIn("any number of keys (measured at 512, 8192): 1.111 ± 0.000 of the incumbent.\n", text)
        order = ", order = heaviest_first"  # follows from the mask: no row has it
        self.assertIn(order, self.B)
        self.assertIn(f"mask = none, tma = true : {self.B.replace(order, '')}\n", text)
        self.assertIn("* f16 c: spoke", text)

    def test_one_row_or_the_incumbent(self):
        text = report.report([record("f16", seq, **self.times(1.0, 0.9)) for seq in (512, 8192)], {})
        self.assertIn("any number of keys (measured at 512, 8192): 1.111 ± 0.000 of the incumbent.\n", text)
        self.assertIn("chip = sm_90a, type = f16, qk_dim = 128,", text)
        text = report.report([record("f16", 512, **self.times(1.0, 1.2))], {})
        self.assertIn("any number of keys (measured at 512): the incumbent stays.\n", text)
        # A schedule that was not measured at every point gets no row for all of them.
        rows = [record("f16", 512, **self.times(1.0, a=0.5)), record("f16", 8192, **self.times(1.0, b=1.0))]
        shape = report.collect(rows)[("sm_90a", 128, 128, "none", "normal")]
        self.assertEqual(shape.ranked(sorted(shape.points)), [])

    def test_rows_are_written_as_the_table_has_them(self):
        table = ROOT / "dialect" / "Target" / "schedules.txt"
        lines, rows = table.read_text().splitlines(), list(schedules.read_table(table))
        self.assertGreater(len(rows), 10)
        for number, conditions, schedule in rows:
            self.assertEqual(schedules.row(conditions, schedule), lines[number - 1])


unittest.main()
