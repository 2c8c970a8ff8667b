#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a file of measured points says, as Markdown: summary.py POINTS.jsonl...

Per point and artefact the ratio to the best peer of either type with its spread, the points below 1 beyond it, the
geometric mean; the time a visited key tile takes; the share of the cuBLAS product at 16k keys; kernels with a score
region against the plain one.
"""

import math
import statistics
import sys
from pathlib import Path

import problems

PEERS = {"cudnn": "cuDNN", "flash2": "FA2", "flash3": "FA3", "flash4": "FA4", "triton": "Triton"}
LONG = 8192  # from so many keys on, a visited tile should cost the same with every mask
LONGEST = 16384  # where the share of the cuBLAS product counts


def tflops(row):
    return row["flop"] / statistics.median(row["times"]) / 1e9


def rows_of(record, maker):
    return [row for row in record["rows"] if row["maker"] == maker]


def best_peer(record):
    """The fastest peer's row, of either type, results right; None where there is none."""
    rows = [row for row in record["rows"] if row["maker"] in PEERS and not row["wrong"]]
    return max(rows, key=tflops, default=None)


def ratio(row, other):
    """How many times as fast `row` is, and the spread: half the range of the turns' ratios without their extremes."""
    per_turn = sorted(
        row["flop"] * t / (other["flop"] * s) for s, t in zip(row["times"], other["times"])
    )  # one turn holds both, so slow drifts of the clock cancel
    inner = per_turn[1:-1] if len(per_turn) > 4 else per_turn
    return tflops(row) / tflops(other), (inner[-1] - inner[0]) / 2


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def table(record):
    """The table of one point, fastest first."""
    best = best_peer(record)
    lines = [f"{problems.problem_of(record).label()} ({record['gpu']})"]
    for row in sorted(record["rows"], key=tflops, reverse=True):
        times = row["times"]
        spread = 50 * (max(times) - min(times)) / statistics.median(times)
        line = f"  {row['name']:40} {tflops(row):6.1f} TFLOP/s +-{spread:3.1f}%"
        if "burst" in row:
            line += f", burst {row['flop'] / row['burst'] / 1e9:6.1f}"
        line += f", {row['clock']:4.0f} MHz"
        if "error" in row:
            line += f", error {row['error']:.1e}{' WRONG' if row['wrong'] else ''}"
        if best and row is not best:
            line += ", {:5.3f} +-{:.3f} of {}".format(*ratio(row, best), best["name"])
        lines.append(line + (f" [{row['kernel']}]" if row.get("kernel") else ""))
    lines += [f"  {name} FAILED: {reason}" for name, reason in record.get("failed", {}).items()]
    return "\n".join(lines)


def plain(records):
    """(record, artefact's row) of all plain kernels."""
    for record in records:
        for row in rows_of(record, "fa"):
            if not row["score"]:
                yield record, row


def compared(records):
    """(record, artefact's row, best peer's row) of all plain kernels that have a peer."""
    for record, row in plain(records):
        if best := best_peer(record):
            yield record, row, best


def dims_of(record):
    return str(record["dim"]) if record["dim"] == record["dv"] else f"{record['dim']}/{record['dv']}"


def points_section(variant, data, triples):
    lines = [f"### {variant or 'shipped schedules'}, {data} data", ""]
    lines += ["| D, mask | keys | type: TFLOP/s, ratio ± spread | best peer |", "| --- | --- | --- | --- |"]
    ratios, below, cells = [], [], {}
    for record, row, best in triples:
        value, spread = ratio(row, best)
        ratios.append(value)
        cell = f"{row['type']}: {tflops(row):.0f}, {value:.3f} ± {spread:.3f}{' WRONG' if row['wrong'] else ''}"
        point = (
            f"| {dims_of(record)}, {record['mask']} | {record['seq']:,} |",
            f"| {best['name']} {tflops(best):.0f} |",
        )
        cells.setdefault(point, []).append(cell)
        if value + spread < 1:
            below.append(f"D {dims_of(record)} {record['mask']} {record['seq']} {cell} of {best['name']}")
    lines += [f"{left} {'; '.join(cell)} {right}" for (left, right), cell in cells.items()]
    mean = f"{variant or 'shipped'}, {data} data: geometric mean {geometric_mean(ratios):.3f}, lowest {min(ratios):.3f}"
    lines += ["", f"{mean}, {len(ratios)} points, below 1 beyond the spread {len(below)}", *aside(triples)]
    return lines + [f"* {line}" for line in below] + [""]


def aside(triples):
    """The range of the SM clock, and the mean ratio of single launches where those were measured."""
    clocks = [row["clock"] for record, _, _ in triples for row in record["rows"]]
    yield f"SM clock {min(clocks):.0f} to {max(clocks):.0f} MHz behind a turn"
    ratios = []
    for record, row, _ in triples:
        peers = [peer["flop"] / peer["burst"] for peer in record["rows"] if peer["maker"] in PEERS and "burst" in peer]
        if "burst" in row and peers:
            ratios.append(row["flop"] / row["burst"] / max(peers))
    if ratios:
        yield f"burst: geometric mean {geometric_mean(ratios):.3f}, lowest {min(ratios):.3f}, {len(ratios)} points"


def comparison(records):
    groups = {}
    for record, row, best in compared(records):
        groups.setdefault((row["variant"], record["data"]), []).append((record, row, best))
    return [line for key, triples in groups.items() for line in points_section(*key, triples)]


def tile_of(row):
    """(query_tile, key_tile) of the kernel that ran, as its schedule says; None where that is not known."""
    fields = dict(part.split(" = ", 1) for part in row.get("schedule", "").split(", ") if " = " in part)
    if "query_tile" not in fields or "key_tile" not in fields:
        return None
    return int(fields["query_tile"]), int(fields["key_tile"])


def fit(samples):
    """(a, b) with time = a * query tiles + b * visited key tiles, least squares of the relative errors."""
    rows = [(q / t, k / t) for q, k, t in samples]
    qq, qk, kk = (sum(x[i] * x[j] for x in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
    q, k = sum(x[0] for x in rows), sum(x[1] for x in rows)
    determinant = qq * kk - qk * qk
    if len(rows) < 2 or determinant <= 1e-9 * qq * kk:
        return None
    return (q * kk - k * qk) / determinant, (k * qq - q * qk) / determinant


def tile_costs(records):
    """A row for each kernel: what a visited key tile takes from LONG keys on, and below that the fixed part a query
    tile and the part a key tile."""
    long, short = {}, {}
    for record, row in plain(records):
        tile = tile_of(row)
        if not tile or record["data"] != "normal":
            continue
        queries, visited = problems.problem_of(record).tiles(*tile)
        time = statistics.median(row["times"]) * 1e6
        key = (row["variant"], dims_of(record), row["type"], tile, record["mask"])
        long.setdefault(key, {})
        if record["seq"] >= LONG:
            long[key][record["seq"]] = time / visited
        else:
            short.setdefault(key, []).append((queries, visited, time))
    lines = []
    for key, costs in long.items():
        none = long.get((*key[:4], "none"), {})
        cells = []
        for seq, cost in costs.items():
            over = cost / none[seq] - 1 if key[4] != "none" and seq in none else None
            more = "" if over is None else f" ({100 * over:+.1f} %{', TOO MUCH' if over > 0.05 else ''})"
            cells.append(f"{seq}: {cost:.2f}{more}")
        parts = fit(short.get(key, []))
        below = f"{parts[0]:.1f} + {parts[1]:.2f}" if parts else ""
        name = " ".join(filter(None, [key[0], *key[1:3], key[4]]))
        lines.append(f"| {name} | {key[3][0]} x {key[3][1]} | {', '.join(cells)} | {below} |")
    if not lines:
        return []
    head = f"| kernel | tile | ns a visited tile (over none) | below {LONG}: ns a query tile + ns a key tile |"
    return ["### Cost of a tile, whole chip", "", head, "| --- | --- | --- | --- |", *lines, ""]


def scale_share(records):
    lines = []
    for record, row in plain(records):
        for product in rows_of(record, "cublas"):
            if record["seq"] == LONGEST and record["data"] == "normal":
                name = f"D {dims_of(record)} {record['mask']} {row['type']} {row['variant']}".strip()
                lines.append("* {}: {:.3f} ± {:.3f}".format(name, *ratio(row, product)))
    return [f"### Share of the cuBLAS product (8192^3, f16) at {LONGEST} keys", "", *lines, ""] if lines else []


def regions(records):
    lines = []
    for record in records:
        bases = {(r["type"], r["variant"]): r for r in rows_of(record, "fa") if not r["score"]}
        for row in rows_of(record, "fa"):
            base = bases.get((row["type"], row["variant"]))
            if row["score"] and base:
                value, spread = ratio(row, base)
                label = f"{problems.problem_of(record).label()} {row['type']} {row['score']}"
                lines.append(f"* {label}: {value:.3f} ± {spread:.3f}")
    return ["### Score regions, of the plain kernel", "", *lines, ""] if lines else []


def wrong_artefacts(records):
    """Names of artefacts whose result is wrong or that could not be launched."""
    wrong = [row["name"] for record in records for row in rows_of(record, "fa") if row["wrong"]]
    return wrong + [name for record in records for name in record.get("failed", {})]


def wrong_results(records):
    lines = [
        f"* {problems.problem_of(record).label()}: {row['name']}, error {row['error']:.1e},"
        f" {row['excess']:.2f} of the element-wise limit"
        for record in records
        for row in record["rows"]
        if row.get("wrong")
    ]
    for record in records:
        for name, reason in record.get("failed", {}).items():
            lines.append(f"* {problems.problem_of(record).label()}: {name} was not launched: {reason}")
    return ["### Wrong results (a peer's is not taken as the best)", "", *lines, ""] if lines else []


def summarise(records):
    parts = (tile_costs, scale_share, regions, wrong_results, comparison)
    return "\n".join(line for part in parts for line in part(records)) or "no point with an artefact and a peer"


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 0 if "--help" in sys.argv else 2
    records = [record for name in sys.argv[1:] for record in problems.read_records(Path(name))]
    print(summarise(records))
    return 1 if wrong_artefacts(records) else 0


if __name__ == "__main__":
    sys.exit(main())
