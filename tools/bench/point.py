# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One problem, measured: all kernels that take it, checked, then timed as CUDA graphs in shuffled turns."""

import ctypes
import math
import random
import statistics
import time

import torch

import peers

TYPES = {"f16": torch.float16, "bf16": torch.bfloat16}
# Relative Frobenius error that the op's contract allows.
TOLERANCE = {"f16": 6e-4, "bf16": 5e-3}
# Heads to check: the first and the last; rows: both ends, around tile edges, and random ones.
EDGES = [0, 1, 63, 64, 127, 128, 191, 192, -129, -128, -65, -64, -1]
SOFTCAP = 30.0


def inputs(problem, dtype):
    shape = (problem.batch, problem.heads, problem.seq)
    q, k = (torch.randn(*shape, problem.dim, device="cuda") for _ in range(2))
    v = torch.randn(*shape, problem.dv, device="cuda")
    if problem.data == "growing":  # the row maxima keep rising, from the last key to the first
        k = k * torch.linspace(3, 0.3, problem.seq, device="cuda")[None, None, :, None]
    if problem.data == "sharp":
        q = q * 4
    if problem.data == "negative":
        direction = torch.randn(1, 1, 1, problem.dim, device="cuda")
        q, k = q * 0.3 + direction, k * 0.3 - direction
    return [x.to(dtype) for x in (q, k, v)]


class Expected:
    """Sampled rows in float64, and in the input type's precision: what the element-wise criterion is held against."""

    def __init__(self, problem, q, k, v, score="", slopes=None):
        drawn = torch.randint(0, problem.seq, (48,)).tolist()
        self.rows = sorted({row % problem.seq for row in EDGES if -problem.seq <= row < problem.seq} | set(drawn))
        self.samples = []
        for b, h in sorted({(0, 0), (problem.batch - 1, problem.heads - 1)}):
            slope = None if slopes is None else slopes[h]
            part = (q[b, h, self.rows], k[b, h], v[b, h])
            exact = attention(problem, self.rows, *(x.double() for x in part), score, slope, torch.float64)
            low = attention(problem, self.rows, *(x.float() for x in part), score, slope, q.dtype)
            self.samples.append((b, h, exact, (low.double() - exact).abs().max().item()))

    def error(self, output):
        """The worst relative error, and the worst element in units of what the criterion allows."""
        worst, excess = 0.0, 0.0
        for b, h, exact, low in self.samples:
            off = output[b, h, self.rows].double() - exact
            relative, element = (off.norm() / exact.norm()).item(), off.abs().max().item() / (2 * low + 1e-5)
            # A NaN is the worst error there is; max() would drop it.
            worst = max(worst, relative) if math.isfinite(relative) else math.inf
            excess = max(excess, element) if math.isfinite(element) else math.inf
        return worst, excess


def attention(problem, rows, q, k, v, score, slope, rounding):
    """Rows of the result; scores, probabilities and result rounded to `rounding`."""
    rounded = lambda x: x.to(rounding).to(q.dtype)
    query, key = torch.tensor(rows, device=q.device)[:, None], torch.arange(problem.seq, device=q.device)[None]
    s = q @ k.T / math.sqrt(problem.dim)
    if score == "softcap":
        s = SOFTCAP * torch.tanh(s / SOFTCAP)
    if score == "alibi":
        s = s + slope.to(q.dtype) * (key - query)
    s = rounded(s)
    if problem.mask != "none":
        s.masked_fill_(key > query, -math.inf)
    if problem.left is not None:
        s.masked_fill_(key < query - problem.left, -math.inf)
    p = (s - s.amax(-1, keepdim=True)).exp()
    return rounded(rounded(p) @ v / p.sum(-1, keepdim=True))


class Clock:
    """The SM clock in MHz by NVML; 0 where there is none."""

    SM = 1

    def __init__(self):
        self.device = ctypes.c_void_p()
        try:
            self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
            status = self.nvml.nvmlInit_v2() or self.nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device))
        except OSError as error:
            status = error
        if status:
            print(f"no SM clock: NVML says {status}")
            self.nvml = None

    def read(self):
        value = ctypes.c_uint(0)
        if self.nvml:
            self.nvml.nvmlDeviceGetClockInfo(self.device, self.SM, ctypes.byref(value))
        return value.value


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


def in_turns(calls, rounds, milliseconds, clock):
    """Milliseconds a call of each, one list entry a turn, and the clocks behind the turns. The first turn warms up."""
    counts = {n: max(1, int(milliseconds / max(elapsed(f, 2), 1e-3))) for n, f in calls.items()}
    graphs = {n: graph(f, counts[n]) for n, f in calls.items()}
    times, clocks = ({n: [] for n in calls} for _ in range(2))
    for turn in range(rounds + 1):
        for name in random.sample(list(graphs), len(graphs)):
            time_taken = elapsed(graphs[name].replay, 1) / counts[name]
            if turn:
                times[name].append(time_taken)
                clocks[name].append(clock.read())
    return times, {n: statistics.median(c) for n, c in clocks.items()}


def after_rests(calls, rounds=5, rest=0.015):
    """Milliseconds of single calls, each behind a rest in which the card cools: the burst figure."""
    graphs = {n: graph(f, 1) for n, f in calls.items()}
    times = {n: [] for n in calls}
    for _ in range(rounds):
        for name in random.sample(list(graphs), len(graphs)):
            time.sleep(rest)
            times[name].append(elapsed(graphs[name].replay, 1))
    return {n: statistics.median(t) for n, t in times.items()}


SAID = set()


class Point:
    """All kernels that take one problem. Peers run in both types whatever the artefacts' types: an artefact is held
    against the best peer of either."""

    def __init__(self, problem, runtime, artifacts, others, scale_call=None):
        self.problem, self.runtime = problem, runtime
        self.calls, self.rows, self.again, self.failed = {}, {}, [], {}
        for tag, dtype in TYPES.items():
            q, k, v = inputs(problem, dtype)
            expected = Expected(problem, q, k, v)
            for name, make in others.items():
                self.add_peer(name, tag, make, (q, k, v), expected)
            for entry in artifacts:
                if (entry["dim"], entry["dv"], entry["mask"]) == (problem.dim, problem.dv, problem.mask):
                    if entry["type"] == tag:
                        try:
                            self.add_artifact(entry, q, k, v, expected)
                        except RuntimeError as error:
                            self.failed["fa " + entry["name"]] = str(error)
        if scale_call:
            call, flop = scale_call
            self.calls["cublas"], self.rows["cublas"] = call, {"maker": "cublas", "type": "f16", "flop": flop}

    def add(self, name, call, output, expected, **fields):
        error, excess = expected.error(output)
        limit = TOLERANCE[fields["type"]]
        if fields["maker"] == "fa":
            wrong = not error <= limit or not excess <= 1
        else:  # peers promise nothing of the kind: only nonsense keeps one from being the best
            wrong = not error <= 10 * limit
        self.calls[name] = call
        self.rows[name] = {**fields, "flop": self.problem.flop, "error": error, "excess": excess, "wrong": wrong}

    def add_peer(self, name, tag, make, tensors, expected):
        try:
            call = make(*tensors, self.problem)
            if call:
                self.add(f"{name} {tag}", call, call(), expected, maker=name, type=tag)
        except Exception as error:
            line = (
                f"{name} {tag} does not take D {self.problem.dim}/{self.problem.dv} {self.problem.mask}: {error!r:.160}"
            )
            if line not in SAID:  # once, not for every length
                print(f"  {line}", flush=True)
            SAID.add(line)

    def add_artifact(self, entry, q, k, v, expected):
        o = torch.full_like(q[..., :1], math.nan).expand(*q.shape[:3], self.problem.dv).contiguous()
        tensors = {"q": q, "k": k, "v": v, "o": o}
        if entry["score"] == "alibi":
            tensors["slopes"] = torch.rand(self.problem.heads, device="cuda") * 0.25
        if entry["score"]:
            expected = Expected(self.problem, q, k, v, entry["score"], tensors.get("slopes"))
        launch, kernel = self.runtime.prepare(entry["artifact"], tensors, 1 / math.sqrt(self.problem.dim))
        call = lambda: launch(torch.cuda.current_stream().cuda_stream)
        call()
        torch.cuda.synchronize()
        name = "fa " + entry["name"]
        fields = {"maker": "fa", **{x: entry[x] for x in ("type", "variant", "score")}}
        # The kernel for 16-byte access has a schedule of its own, or that of the one for any.
        schedules = entry["schedules"]
        schedule = schedules.get(kernel) or schedules.get(kernel.removesuffix("_wide"), "")
        self.add(name, call, o, expected, kernel=kernel, schedule=schedule, **fields)
        if not torch.isfinite(o).all():
            self.rows[name]["wrong"] = True
        self.again.append((name, o, o.clone()))

    def measure(self, clock, rounds=7, milliseconds=8.0, burst=False):
        times, clocks = in_turns(self.calls, rounds, milliseconds, clock)
        singles = after_rests(self.calls) if burst else {}
        for name, row in self.rows.items():
            row |= {"name": name, "times": [round(t, 6) for t in times[name]], "clock": clocks[name]}
            if burst:
                row["burst"] = round(singles[name], 6)
        # Runs are bit-equal: also the last of thousands of launches.
        for name, output, before in self.again:
            self.rows[name]["wrong"] |= not torch.equal(output, before)
        return list(self.rows.values())
