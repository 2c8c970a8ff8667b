#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times artefacts against the other attention kernels in one process: CUDA graphs, shuffled turns, random inputs.

  bench.py PACK            PACK: what tools/bench/pack.sh made

Prints a table for each point and writes one JSON object a point to --json. TFLOP/s count 4 * B * H * Sq * Sk * D, half of
that when causal. A figure is the median of --rounds turns; every turn runs a graph of about --ms milliseconds; the SM
clock is read behind it. Only ratios within one run mean anything: the card is at its power limit under load.
"""

import argparse
import json
import math
import random
import statistics
import sys
import time
from pathlib import Path

import torch

import peers
from fa_runtime import Runtime

TOLERANCE = {torch.float16: 6e-4, torch.bfloat16: 5e-3}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ints = lambda text: [int(x) for x in text.split(",")]
    parser.add_argument("pack", type=Path)
    parser.add_argument("--seqlens", type=ints, default=[512, 1024, 2048, 4096, 8192, 16384])
    parser.add_argument("--dims", type=ints, default=[64, 128, 256])
    parser.add_argument("--masks", default="none,causal")
    parser.add_argument("--types", default="f16,bf16")
    parser.add_argument("--peers", default="cudnn,flash2,flash3,flash4")
    parser.add_argument("--tokens", type=int, default=16384, help="batch * sequence")
    parser.add_argument("--width", type=int, default=2048, help="heads * head dim")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--ms", type=float, default=8.0)
    parser.add_argument("--data", default="normal", choices=["normal", "growing", "sharp", "negative"])
    parser.add_argument("--burst", action="store_true", help="single launches after a rest as well")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="artefacts whose name contains this")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def inputs(options, batch, heads, seq, dim, dtype):
    q, k, v = (torch.randn(batch, heads, seq, dim, device="cuda") for _ in range(3))
    if options.data == "growing":  # the row maxima keep rising, from the last key to the first
        k = k * torch.linspace(3, 0.3, seq, device="cuda")[None, None, :, None]
    if options.data == "sharp":
        q = q * 4
    if options.data == "negative":
        direction = torch.randn(1, 1, 1, dim, device="cuda")
        q, k = q * 0.3 + direction, k * 0.3 - direction
    return [x.to(dtype) for x in (q, k, v)]


class Clock:
    """The SM clock in MHz, 0 where NVML cannot be asked."""

    def __init__(self):
        try:
            import pynvml

            pynvml.nvmlInit()
            device = pynvml.nvmlDeviceGetHandleByIndex(0)
            self.read = lambda: pynvml.nvmlDeviceGetClockInfo(device, pynvml.NVML_CLOCK_SM)
        except Exception as error:
            print(f"no SM clock: {error!r:.100}")
            self.read = lambda: 0


def elapsed(call, count):
    start, stop = torch.cuda.Event(True), torch.cuda.Event(True)
    start.record()
    for _ in range(count):
        call()
    stop.record()
    torch.cuda.synchronize()
    return start.elapsed_time(stop) / count


def graph(call, count):
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        for _ in range(count):
            call()
    return captured


def error_of(output, expected, rows):
    got = output[0, 0, rows].double()
    return ((got - expected).norm() / expected.norm()).item()


class Point:
    """One problem, all kernels that take it."""

    def __init__(self, options, runtime, artifacts, others, dim, mask, seq):
        self.options, self.causal = options, mask == "causal"
        self.dim, self.mask, self.seq = dim, mask, seq
        batch, heads = max(1, options.tokens // seq), options.width // dim
        self.flop = 4 * batch * heads * seq * seq * dim * (0.5 if self.causal else 1)
        self.calls, self.errors, self.flops = {}, {}, {}
        rows = torch.randint(0, seq, (64,), device="cuda")
        # Whatever the artefacts' types: they are held against the best peer of either.
        for tag, dtype in (("f16", torch.float16), ("bf16", torch.bfloat16)):
            q, k, v = inputs(options, batch, heads, seq, dim, dtype)
            expected = peers.reference(q, k, v, self.causal, rows)
            for name, make in others.items():
                call = make(q, k, v, self.causal)
                if call:
                    self.add(f"{name} {tag}", call, error_of(call(), expected, rows))
            for entry in artifacts:
                if tag in options.types.split(",") and (entry["dim"], entry["mask"], entry["type"]) == (dim, mask, tag):
                    self.add_artifact(runtime, entry, q, k, v, expected, rows)
        call, flop = CUBLAS
        self.calls["cublas"], self.flops["cublas"] = call, flop

    def add(self, name, call, error):
        self.calls[name], self.errors[name] = call, error
        self.flops[name] = self.flop

    def add_artifact(self, runtime, entry, q, k, v, expected, rows):
        o = torch.full_like(q, math.nan)
        launch, kernel = runtime.prepare(
            entry["artifact"], {"q": q, "k": k, "v": v, "o": o}, 1 / math.sqrt(self.dim), None
        )
        call = lambda: launch(torch.cuda.current_stream().cuda_stream)
        call()
        torch.cuda.synchronize()
        self.add("fa " + entry["name"], call, error_of(o, expected, rows))

    def measure(self, clock):
        counts = {n: max(1, int(self.options.ms / max(elapsed(f, 2), 1e-3))) for n, f in self.calls.items()}
        graphs = {n: graph(f, counts[n]) for n, f in self.calls.items()}
        times, clocks = ({n: [] for n in self.calls} for _ in range(2))
        for _ in range(self.options.rounds):
            for name in random.sample(list(graphs), len(graphs)):
                times[name].append(elapsed(graphs[name].replay, 1) / counts[name])
                clocks[name].append(clock.read())
        burst = self.measure_burst() if self.options.burst else {}
        return [
            {
                "name": name,
                "tflops": self.flops[name] / statistics.median(t) / 1e9,
                "spread": (max(t) - min(t)) / statistics.median(t),
                "clock": statistics.median(clocks[name]),
                "burst": burst.get(name),
                "error": self.errors.get(name),
            }
            for name, t in times.items()
        ]

    def measure_burst(self):
        singles = {n: graph(f, 1) for n, f in self.calls.items()}
        times = {n: [] for n in singles}
        for _ in range(5):
            for name in random.sample(list(singles), len(singles)):
                time.sleep(0.015)
                times[name].append(elapsed(singles[name].replay, 1))
        return {n: self.flops[n] / statistics.median(t) / 1e9 for n, t in times.items()}

    def report(self, rows):
        print(f"== D {self.dim} {self.mask} {self.seq} keys, {self.options.data} data", flush=True)
        best = max((r["tflops"] for r in rows if r["name"].split()[0] in peers.MAKERS), default=math.nan)
        second = max((r["tflops"] for r in rows if r["name"].startswith("flash2")), default=math.nan)
        for row in sorted(rows, key=lambda r: -r["tflops"]):
            wrong = ""
            if row["error"] is not None and not row["error"] < TOLERANCE[
                torch.bfloat16 if "bf16" in row["name"] else torch.float16
            ]:
                wrong = " WRONG"
            burst = f" burst {row['burst']:6.1f}" if row["burst"] else ""
            error = f"{row['error']:.1e}" if row["error"] is not None else "-"
            print(
                f"  {row['name']:44} {row['tflops']:6.1f} TFLOP/s +-{50 * row['spread']:3.1f}%{burst} {row['clock']:4.0f} MHz"
                f" error {error}{wrong}  {row['tflops'] / best:5.3f} of the best peer, {row['tflops'] / second:5.3f} of flash2",
                flush=True,
            )


def main():
    options = parse()
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    print(f"seed {options.seed}, {torch.cuda.get_device_name()}, torch {torch.__version__}")
    runtime = Runtime(str(options.pack / "libfa_runtime.so"))
    artifacts = [json.loads(line) for line in (options.pack / "list.json").read_text().splitlines()]
    artifacts = [a for a in artifacts if options.only in a["name"]]
    torch.zeros(1, device="cuda")
    for entry in artifacts:
        entry["artifact"] = runtime.open(options.pack / entry["file"])
    others, clock = peers.load(options.peers.split(",")), Clock()
    global CUBLAS
    CUBLAS = peers.cublas()
    failed = False
    for dim in options.dims:
        for mask in options.masks.split(","):
            for seq in options.seqlens:
                point = Point(options, runtime, artifacts, others, dim, mask, seq)
                rows = point.measure(clock)
                point.report(rows)
                failed |= any(r["error"] is not None and r["error"] != r["error"] for r in rows)
                if options.json:
                    with options.json.open("a") as file:
                        record = {"dim": dim, "mask": mask, "seq": seq, "data": options.data, "rows": rows}
                        file.write(json.dumps(record) + "\n")
                del point
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
