# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of tools/bench needs no GPU: counts, ratios, tables, going on with a file of points, the plot."""

import contextlib
import io
import json
import math
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools" / "bench"))
import bench
import plot
import problems
import summary


def row(maker, kind, tflops, flop, factors=(1.0, 1.0, 1.0, 1.0, 1.0), **fields):
    times = [factor * flop / tflops / 1e9 for factor in factors]
    fields = {"error": 3e-4, "excess": 0.5, "wrong": False, **fields}
    return {
        "name": f"{maker} {kind}",
        "maker": maker,
        "type": kind,
        "flop": flop,
        "times": times,
        "clock": 1700,
        **fields,
    }


def record(problem, *rows):
    made = [row(maker, kind, tflops, problem.flop, **fields) for maker, kind, tflops, fields in rows]
    return {**vars(problem), "gpu": "a <GPU>", "torch": "2", "seed": 1, "rounds": 5, "ms": 8.0, "rows": made}


def fa(kind, tflops, **fields):
    return ("fa", kind, tflops, {"variant": "", "score": "", "kernel": "attention_tma", **fields})


POINT = problems.Problem(128, 128, "none", 16384)
PLAIN = (("cudnn", "f16", 500, {}), ("flash3", "bf16", 600, {}), ("cublas", "f16", 700, {}))


class Problems(unittest.TestCase):
    def test_work_and_tiles_are_those_of_the_pairs_kept(self):
        for mask in ("none", "causal", "window-0", "window-70", "window-1000"):
            problem = problems.Problem(64, 32, mask, 300, tokens=600, width=128)
            self.assertEqual((problem.batch, problem.heads), (2, 2))
            kept = lambda i, j: mask == "none" or (j <= i and (problem.left is None or j >= i - problem.left))
            pairs = {(i, j) for i in range(300) for j in range(300) if kept(i, j)}
            if mask != "causal":  # counted as half
                self.assertEqual(problem.flop, 2 * 4 * len(pairs) * 96)
            # The tiles that a query tile visits lie between its first and its last kept key.
            visited = 0
            for tile in range(0, 300, 128):
                keys = [j for i, j in pairs if tile <= i < tile + 128]
                visited += max(keys) // 48 - min(keys) // 48 + 1
            self.assertEqual(problem.tiles(128, 48), (4 * 3, 4 * visited))

    def test_masks_and_dims_that_are_none_are_refused(self):
        with self.assertRaisesRegex(ValueError, "expects mask none, causal or window-N, got 'all'"):
            problems.Problem(64, 64, "all", 512)
        self.assertEqual(problems.read_dims("96,192:128"), [(96, 96), (192, 128)])


class Summary(unittest.TestCase):
    def test_an_artefact_is_held_against_the_best_peer_of_either_type(self):
        text = summary.summarise([record(POINT, *PLAIN, fa("f16", 660), fa("bf16", 540))])
        self.assertIn("f16: 660, 1.100 ± 0.000", text)
        self.assertIn("flash3 bf16 600", text)
        mean = math.sqrt(1.1 * 0.9)
        self.assertIn(f"geometric mean {mean:.3f}, lowest 0.900, 2 points, below 1 beyond the spread 1", text)
        self.assertIn("* D 128 none 16384 bf16: 540, 0.900 ± 0.000 of flash3 bf16", text)
        self.assertIn("* D 128 none f16: 0.943 ± 0.000", text)  # of the cuBLAS product
        self.assertIn("SM clock 1700 to 1700 MHz", text)
        self.assertNotIn("burst", text)

    def test_burst_is_held_against_the_fastest_burst(self):
        fast, slow = {"burst": 1.0}, {"burst": 2.0}
        records = [record(POINT, ("cudnn", "f16", 900, slow), ("flash3", "bf16", 600, fast), fa("f16", 660, burst=0.8))]
        self.assertIn("burst: geometric mean 1.250, lowest 1.250, 1 points", summary.summarise(records))

    def test_a_point_below_1_within_its_spread_does_not_count(self):
        shaky = (0.97, 1.0, 1.0, 1.03, 1.0)
        text = summary.summarise([record(POINT, *PLAIN, fa("f16", 597, factors=shaky))])
        self.assertIn("0.995 ± 0.000", text)  # the extreme turns are left out
        self.assertIn("below 1 beyond the spread 1", text)
        shaky = (0.97, 1.03, 1.0, 1.03, 0.97)
        text = summary.summarise([record(POINT, *PLAIN, fa("f16", 597, factors=shaky))])
        self.assertIn("0.995 ± 0.030", text)
        self.assertIn("below 1 beyond the spread 0", text)

    def test_wrong_results_are_named_and_a_wrong_peer_is_not_the_best(self):
        wrong = ("flash4", "f16", 900, {"wrong": True, "error": 0.5})
        records = [record(POINT, *PLAIN, wrong, fa("f16", 660, wrong=True, error=math.inf))]
        text = summary.summarise(records)
        self.assertIn("1.100 ± 0.000 WRONG", text)
        self.assertIn("flash4 f16, error 5.0e-01", text)
        self.assertEqual(summary.wrong_artefacts(records), ["fa f16"])
        records[0]["failed"] = {"fa bf16": "no kernel fits"}
        self.assertIn("fa bf16 was not launched: no kernel fits", summary.summarise(records))
        self.assertIn("fa bf16 FAILED: no kernel fits", summary.table(records[0]))
        self.assertEqual(len(summary.wrong_artefacts(records)), 2)

    def test_tiles_and_regions(self):
        schedule = "query_tile = 128, key_tile = 64, warps = 8"
        records = []
        for seq in (1024, 2048, 4096, 8192):
            for mask in ("none", "causal"):
                problem = problems.Problem(128, 128, mask, seq)
                queries, visited = problem.tiles(128, 64)
                time = (30 * queries + 5 * visited * (1 if mask == "none" or seq < 8192 else 1.5)) / 1e6
                made = record(problem, *PLAIN, fa("f16", problem.flop / time / 1e9, schedule=schedule))
                made["rows"].append(row(*fa("f16", 300)[:3], problem.flop, variant="", score="alibi"))
                records.append(made)
        text = summary.summarise(records)
        self.assertIn("| 128 f16 none | 128 x 64 | 8192: 5.23 | 30.0 + 5.00 |", text)
        self.assertRegex(
            text, r"\| 128 f16 causal \| 128 x 64 \| 8192: 7.96 \(\+52.\d %, TOO MUCH\) \| 30.0 \+ 5.00 \|"
        )
        self.assertIn("f16 alibi: 0.", text)

    def test_nothing_to_compare(self):
        self.assertIn("no point", summary.summarise([]))


class Bench(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.pack = pathlib.Path(self.folder.name)
        entry = {"name": "one", "file": "one.ptx", "dim": 128, "mask": "none", "type": "f16"}
        (self.pack / "list.json").write_text(json.dumps(entry) + "\n")
        self.points = self.pack / "points.jsonl"

    def parse(self, *arguments):
        return bench.parse([str(self.pack), "--json", str(self.points), "--dims", "128", *arguments])

    def test_a_run_goes_on_where_the_last_one_ended(self):
        done = record(POINT, *PLAIN, fa("f16", 660))
        # The second line was cut off when the machine went away.
        self.points.write_text(json.dumps(done) + "\n" + json.dumps(done)[:50])
        options = self.parse("--seqlens", "8192,16384", "--masks", "none")
        self.assertEqual([point.seq for point in bench.left_to_do(options)], [8192])
        options = self.parse("--seqlens", "16384", "--masks", "none", "--data", "normal,sharp")
        self.assertEqual([point.data for point in bench.left_to_do(options)], ["sharp"])

    def test_arguments(self):
        self.assertEqual(self.parse().artifacts[0]["dv"], 128)
        self.assertEqual(self.parse("--types", "bf16").artifacts, [])
        for bad in (["--data", "odd"], ["--types", "f8"], ["--peers", "flash9"], ["--masks", "full"]):
            with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
                self.parse(*bad)
            self.assertIn("expects", said.getvalue())


class Plot(unittest.TestCase):
    def test_every_kernel_has_a_line_in_every_panel(self):
        grid = problems.grid([(64, 64), (192, 128)], ["none", "causal"], [512, 2048], ["normal"], 16384, 2048)
        root = xml.etree.ElementTree.fromstring(plot.draw([record(p, *PLAIN, fa("f16", 660)) for p in grid]))
        classes = [element.get("class") for element in root.iter() if element.get("d")]
        for maker in ("fa", "cudnn", "flash3"):
            self.assertEqual(classes.count(f"line {maker}"), 4 + 1)  # and the legend
            self.assertEqual(classes.count(f"dot {maker}"), 8 + 1)
        texts = [element.text for element in root.iter() if element.text]
        self.assertIn("FA3 (bf16)", texts)
        self.assertIn("D 192/128, causal", texts)
        self.assertTrue(any("prefers-color-scheme: dark" in text for text in texts))

    def test_nothing_to_draw(self):
        with self.assertRaisesRegex(ValueError, "expects measured points"):
            plot.draw([])


unittest.main()
