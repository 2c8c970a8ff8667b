# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The half of the tuner that measures, on a machine with a GPU: every candidate checked, then timed with the incumbent
in shuffled turns. Two processes: a candidate may fault or never end, and then only the inner one is lost."""

import contextlib
import itertools
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import problems

LEFT, FAULT_LIMIT = 3, 40  # exit status of an inner run that has points left; faults after which the outer one gives up
CHECK_SECONDS, TURNS_SECONDS = 20, 120


class Results:
    """A JSON-lines file: a record for each measured point, and one for each candidate that failed."""

    def __init__(self, path):
        self.path, self.current = path, path.with_suffix(".current")

    def note(self, record):
        with self.path.open("a") as file:
            file.write(json.dumps(record) + "\n")

    def failed(self):
        return {record["failed"]: record["reason"] for record in problems.read_records(self.path) if "failed" in record}

    def points(self):
        return [record for record in problems.read_records(self.path) if "rows" in record]

    @contextlib.contextmanager
    def watched(self, name, seconds):
        """What runs inside is put down to `name` where it kills the process, and the alarm does where it hangs."""
        self.current.write_text(name)
        signal.alarm(seconds)
        yield
        signal.alarm(0)
        self.current.unlink()

    def blame(self, status):
        """Puts a dead process down to what it ran; False where that is nothing known."""
        if not self.current.exists():
            return False
        name = self.current.read_text()
        self.current.unlink()
        reason = "did not end" if status == -signal.SIGALRM else f"ended the process with status {status}"
        self.note({"failed": name, "reason": reason})
        return True


def shape_of(entry):
    return (entry["chip"], entry["dim"], entry["dv"], entry["mask"], entry["type"])


def groups(entries):
    """Lists of entries that are measured together: one shape each."""
    return [list(group) for _, group in itertools.groupby(sorted(entries, key=shape_of), shape_of)]


def turns_of(group):
    """What a fault while all of a group are timed is put down to: the group is then left out."""
    return "turns of " + " ".join(map(str, shape_of(group[0])))


def todo(entries, results, seqs, data, tokens, width):
    """(group, problem) that have no record yet, or one without some candidate of the pack."""
    measured = {}
    for record in results.points():
        names = {row["name"] for row in record["rows"]}
        measured.setdefault((problems.problem_of(record), record["type"]), set()).update(names)
    left, failed = [], results.failed()
    for group in groups(entries):
        if turns_of(group) in failed:
            continue
        first, names = group[0], {entry["name"] for entry in group if entry["name"] not in failed}
        for problem in problems.grid([(first["dim"], first["dv"])], [first["mask"]], seqs, data, tokens, width):
            if not names <= measured.get((problem, first["type"]), set()):
                left.append((group, problem))
    return left


def supervise(command, results, limit, started=None):
    """Runs inner processes until one says that all is measured (0), or time is up (LEFT)."""
    started = time.monotonic() if started is None else started
    for _ in range(FAULT_LIMIT):
        left = limit - (time.monotonic() - started)
        if left <= 0:
            return LEFT
        status = subprocess.run([*command, "--limit", str(left)]).returncode
        if status in (0, LEFT):
            return status
        if not results.blame(status):
            return status
        print(f"inner run ended with status {status}: going on without the candidate", flush=True)
    return 1


class Inner:
    """The measuring process. torch is imported here and not by the outer one."""

    def __init__(self, folder, results, options):
        import torch

        import point
        from fa_runtime import Runtime

        self.torch, self.point, self.folder, self.results, self.options = torch, point, folder, results, options
        torch.manual_seed(options.seed)
        torch.zeros(1, device="cuda")
        self.runtime, self.clock = Runtime(str(folder / "libfa_runtime.so")), point.Clock()
        self.machine = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__}

    def launch(self, entry, q, k, v, problem):
        if "artifact" not in entry:
            entry["artifact"] = self.runtime.open(self.folder / entry["file"])
        o = self.torch.full((*q.shape[:3], problem.dv), float("nan"), device="cuda", dtype=q.dtype)
        launch, kernel = self.runtime.prepare(entry["artifact"], {"q": q, "k": k, "v": v, "o": o}, problem.dim**-0.5)
        call = lambda: launch(self.torch.cuda.current_stream().cuda_stream)
        call()
        self.torch.cuda.synchronize()
        return call, o, kernel

    def check(self, entry, problem, tensors, expected):
        """(call, output, kernel) of a candidate that is right on this problem; else a reason."""
        with self.results.watched(entry["name"], CHECK_SECONDS):
            try:
                call, o, kernel = self.launch(entry, *tensors, problem)
            except RuntimeError as error:
                if "CUDA error" in str(error):  # the context is gone: let the outer process note it
                    raise
                return f"{problem.label()}: {error}"
        error, excess = expected.error(o)
        if error <= self.point.TOLERANCE[entry["type"]] and excess <= 1 and self.torch.isfinite(o).all():
            return call, o, kernel
        return f"{problem.label()}: error {error:.1e}, {excess:.2f} of the element-wise limit"

    def checked(self, group):
        """The group's candidates that are right on ragged lengths and on all kinds of data; others are noted."""
        first, left = group[0], list(group)
        for seq, data in itertools.product((777, 1024), problems.DATA):
            problem = problems.Problem(first["dim"], first["dv"], first["mask"], seq, data, 2 * seq, 4 * first["dim"])
            tensors = self.point.inputs(problem, self.point.TYPES[first["type"]])
            expected = self.point.Expected(problem, *tensors)
            for entry in list(left):
                answer = self.check(entry, problem, tensors, expected)
                if isinstance(answer, str):
                    self.results.note({"failed": entry["name"], "reason": answer})
                    print(f"  {entry['name']} is wrong: {answer}", flush=True)
                    left.remove(entry)
        return left

    def measure(self, group, problem):
        kind = group[0]["type"]
        tensors = self.point.inputs(problem, self.point.TYPES[kind])
        expected, calls, rows, outputs = self.point.Expected(problem, *tensors), {}, {}, {}
        for entry in group:
            answer = self.check(entry, problem, tensors, expected)
            if isinstance(answer, str):
                self.results.note({"failed": entry["name"], "reason": answer})
                continue
            calls[entry["name"]], o, kernel = answer
            outputs[entry["name"]] = (o, o.clone())
            rows[entry["name"]] = {"name": entry["name"], "kernel": kernel, "schedule": schedule_of(entry, kernel)}
            rows[entry["name"]] |= {"incumbent": not entry["schedule"], "flop": problem.flop}
        with self.results.watched(turns_of(group), TURNS_SECONDS):
            times, clocks = self.point.in_turns(calls, self.options.rounds, self.options.ms, self.clock)
        for name, (after, before) in outputs.items():
            if not self.torch.equal(after, before):
                self.results.note({"failed": name, "reason": f"{problem.label()}: launches gave different results"})
                del rows[name]
        for name, row in rows.items():
            row |= {"times": [round(t, 6) for t in times[name]], "clock": clocks[name]}
        return {**vars(problem), "type": kind, "chip": group[0]["chip"], **self.machine, "rows": list(rows.values())}


def schedule_of(entry, kernel):
    return entry["schedule"] or entry["kernels"].get(kernel.removesuffix("_wide"), "")


def run_inner(folder, entries, results, options):
    began, longest, right = time.monotonic(), 0.0, {}
    left = todo(entries, results, options.seqs, options.data, options.tokens, options.width)
    inner = Inner(folder, results, options) if left else None
    for number, (group, problem) in enumerate(left):
        start, name = time.monotonic(), shape_of(group[0])
        if start - began + longest > options.limit:
            print(f"{len(left) - number} points are left: start again with the same --json", flush=True)
            return LEFT
        failed = results.failed()
        if name not in right:
            right[name] = inner.checked([entry for entry in group if entry["name"] not in failed])
        if not any(not entry["schedule"] for entry in right[name]):
            print(f"  {problem.label()} {group[0]['type']}: left out, the incumbent is wrong", flush=True)
            continue
        record = inner.measure(right[name], problem)
        results.note(record)
        longest = max(longest, time.monotonic() - start) if number else 0.0
        best = max(record["rows"], key=lambda row: row["flop"] / sorted(row["times"])[len(row["times"]) // 2])
        progress = f"[{number + 1}/{len(left)}, {time.monotonic() - began:.0f} s] {problem.label()} {record['type']}"
        fastest = best["schedule"] + (" (incumbent)" if best["incumbent"] else "")
        print(
            f"{progress}: {len(record['rows'])} timed, the fastest {fastest}",
            flush=True,
        )
    return 0
