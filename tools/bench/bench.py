#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times artefacts against the other attention kernels in one process: CUDA graphs, shuffled turns, random inputs.

  bench.py PACK [options]      PACK: what tools/bench/pack.sh made

Prints a table for each point, and at the end what summary.py says of all points in --json. There, each point is one
line; points that the file already has are not measured again, so a run that ended at --limit goes on when started
again. TFLOP/s count 2 * B * H * Sq * Sk * (Dqk + Dv), half of that when causal. A figure is the median of --rounds
turns (one more in front warms up); every turn runs a graph of about --ms milliseconds. Every result is checked on
sampled rows against float64. Only ratios within one run mean anything: the card is at its power limit under load.

Exit status: 0 all points are there and all artefacts right, 1 an artefact's result is wrong, 3 points are left.
"""

import argparse
import json
import random
import sys
import time
from pathlib import Path

import problems
import summary

PEERS = "cudnn,flash2,flash3,flash4,triton"


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pack", type=Path)
    parser.add_argument("--seqlens", default="512,1024,2048,4096,8192,16384")
    parser.add_argument("--dims", default="64,128,256", help="Dqk, or Dqk:Dv, with commas (96,192:128)")
    parser.add_argument("--masks", default="none,causal", help="none, causal, window-N (N keys left of the diagonal)")
    parser.add_argument("--types", default="f16,bf16", help="of the artefacts; peers always run in both")
    parser.add_argument("--data", default="normal", help=f"of {', '.join(problems.DATA)}, with commas")
    parser.add_argument("--peers", default=PEERS)
    parser.add_argument("--tokens", type=int, default=16384, help="batch * sequence")
    parser.add_argument("--width", type=int, default=2048, help="heads * Dqk")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--ms", type=float, default=8.0)
    parser.add_argument("--burst", action="store_true", help="single launches after a rest as well")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="artefacts whose name contains this")
    parser.add_argument("--json", type=Path, help="where the points go; those it has are not measured again")
    parser.add_argument("--limit", type=float, default=540, help="seconds after which no further point is begun")
    parser.add_argument("--dry-run", action="store_true", help="list the points and artefacts; needs no GPU")
    options = parser.parse_args(arguments)
    try:
        check(options)
    except ValueError as error:
        parser.error(str(error))
    return options


def check(options):
    data = options.data.split(",")
    for given, known in (
        (data, problems.DATA),
        (options.types.split(","), ["f16", "bf16"]),
        (options.peers.split(","), PEERS.split(",")),
    ):
        unknown = [name for name in given if name and name not in known]
        if unknown:
            raise ValueError(f"expects {', '.join(known)}, got {unknown[0]}")
    if not (options.pack / "list.json").exists():
        raise ValueError(f"expects a pack with a list.json, got {options.pack}")
    seqs = [int(x) for x in options.seqlens.split(",")]
    options.points = problems.grid(
        problems.read_dims(options.dims), options.masks.split(","), seqs, data, options.tokens, options.width
    )
    options.artifacts = [
        entry
        for entry in problems.read_pack(options.pack / "list.json")
        if options.only in entry["name"] and entry["type"] in options.types.split(",")
    ]


def left_to_do(options):
    done = {problems.problem_of(record) for record in problems.read_records(options.json)}
    return [point for point in options.points if point not in done]


def describe(options, points):
    for point in points:
        names = [
            e["name"] for e in options.artifacts if (e["dim"], e["dv"], e["mask"]) == (point.dim, point.dv, point.mask)
        ]
        print(f"{point.label()}: batch {point.batch}, heads {point.heads}; {', '.join(names) or 'no artefact'}")
    print(f"{len(points)} points left of {len(options.points)}")


class Session:
    """What all points share: the runtime with the artefacts loaded, the peers, the clock."""

    def __init__(self, options):
        import torch

        import peers
        import point
        from fa_runtime import Runtime

        self.options, self.point, self.torch = options, point, torch
        random.seed(options.seed)
        torch.manual_seed(options.seed)
        torch.zeros(1, device="cuda")
        self.machine = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "seed": options.seed}
        print(", ".join(f"{name} {value}" for name, value in self.machine.items()))
        self.runtime = Runtime(str(options.pack / "libfa_runtime.so"))
        for entry in options.artifacts:
            entry["artifact"] = self.runtime.open(options.pack / entry["file"])
        self.others = peers.load([name for name in options.peers.split(",") if name])
        self.clock, self.scale = point.Clock(), peers.cublas()

    def measure(self, problem):
        options = self.options
        one = self.point.Point(problem, self.runtime, options.artifacts, self.others, self.scale)
        rows = one.measure(self.clock, options.rounds, options.ms, options.burst)
        failed = one.failed
        del one
        self.torch.cuda.empty_cache()
        return {
            **vars(problem),
            **self.machine,
            "rounds": options.rounds,
            "ms": options.ms,
            "rows": rows,
            "failed": failed,
        }


def main():
    options = parse()
    todo = left_to_do(options)
    if options.dry_run:
        describe(options, todo)
        return 0
    began, longest, measured = time.monotonic(), 0.0, []
    session = Session(options) if todo else None
    for number, problem in enumerate(todo):
        start = time.monotonic()
        if start - began + longest > options.limit:
            break
        record = session.measure(problem)
        if options.json:
            with options.json.open("a") as file:
                file.write(json.dumps(record) + "\n")
        measured.append(record)
        longest = max(longest, time.monotonic() - start) if number else 0.0  # the first one also warms up
        print(f"[{number + 1}/{len(todo)}, {time.monotonic() - began:.0f} s] {summary.table(record)}", flush=True)
    records = problems.read_records(options.json) if options.json else measured
    print(summary.summarise(records), flush=True)
    if len(measured) < len(todo):
        print(f"{len(todo) - len(measured)} of {len(todo)} points are left: start again with the same --json")
        return 3
    return 1 if summary.wrong_artefacts(records) else 0


if __name__ == "__main__":
    sys.exit(main())
