#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws measured points as an SVG that reads on light and dark pages: plot.py POINTS.jsonl... -o results.svg

TFLOP/s over keys, a panel for each head dim and mask. A kernel that was not measured in --type is drawn in the other
type, and the legend says so.
"""

import argparse
import math
import sys
from pathlib import Path
from xml.sax.saxutils import escape

import problems
import summary

# In drawing order: ours last, on top. Name, colour on light and on dark pages, marker as a path around 0 0.
SERIES = {
    "flash2": ("#8c959f", "#7d8590", "M-3,-3H3V3H-3Z"),
    "triton": ("#bf8700", "#d29922", "M0,-4L4,3H-4Z"),
    "cudnn": ("#0969da", "#58a6ff", "M0,-4L4,0L0,4L-4,0Z"),
    "flash4": ("#8250df", "#bc8cff", "M-4,-3H4L0,4Z"),
    "flash3": ("#1a7f37", "#3fb950", "M-3,-3H3V3H-3Z"),
    "fa": ("#cf222e", "#ff7b72", "M-3.5,0A3.5,3.5 0 1 0 3.5,0A3.5,3.5 0 1 0 -3.5,0Z"),
}
NAMES = {"fa": "this compiler", **summary.PEERS}
WIDTH, HEIGHT = 270, 190  # of a panel's axes
LEFT, TOP, GAP_X, GAP_Y = 48, 64, 46, 58

STYLE = """
text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
.title { font-weight: 600; font-size: 13px } .small { font-size: 11px; fill: #59636e }
.grid { stroke: #d1d9e0; stroke-width: 1 } path.line { fill: none; stroke-width: 1.6 } path.fa { stroke-width: 2.6 }
.scale { stroke: #59636e; stroke-width: 1; stroke-dasharray: 2 4 }
"""
DARK = "text { fill: #e6edf3 } .small { fill: #9198a1 } .grid { stroke: #3d444d } .scale { stroke: #9198a1 }"


def style():
    light = "".join(f".{m} {{ stroke: {c[0]} }} .{m}.dot {{ fill: {c[0]} }}\n" for m, c in SERIES.items())
    dark = "".join(f".{m} {{ stroke: {c[1]} }} .{m}.dot {{ fill: {c[1]} }}\n" for m, c in SERIES.items())
    return f"<style>{STYLE}{light}@media (prefers-color-scheme: dark) {{ {DARK}\n{dark}}}</style>"


def lines_of(records, kind):
    """{(dim, dv, mask): {maker: {seq: TFLOP/s}}}, and for each maker the types drawn; of several artefacts the best."""
    panels, types = {}, {}
    for record in records:
        if record["data"] != "normal":
            continue
        panel = panels.setdefault((record["dim"], record["dv"], record["mask"]), {})
        for maker in {row["maker"] for row in record["rows"]}:
            rows = [row for row in summary.rows_of(record, maker) if not row.get("score") and not row.get("wrong")]
            rows = [row for row in rows if row["type"] == kind] or rows
            if not rows:
                continue
            best = max(rows, key=summary.tflops)
            panel.setdefault(maker, {})[record["seq"]] = summary.tflops(best)
            types.setdefault(maker, set()).add(best["type"])
    return panels, types


def short(keys):
    return f"{keys // 1024}k" if keys >= 1024 and keys % 1024 == 0 else str(keys)


class Axes:
    """One panel: where its values lie on the page."""

    def __init__(self, x, y, seqs, top):
        self.x, self.y, self.seqs, self.top = x, y, seqs, top

    def across(self, seq):
        low, high = math.log2(self.seqs[0]), math.log2(self.seqs[-1])
        return self.x + (WIDTH * (math.log2(seq) - low) / (high - low) if high > low else WIDTH / 2)

    def down(self, value):
        return self.y + HEIGHT * (1 - value / self.top)

    def frame(self, title):
        yield f'<text class="title" x="{self.x}" y="{self.y - 10}">{escape(title)}</text>'
        for value in range(0, self.top + 1, 200):
            y = self.down(value)
            yield f'<line class="grid" x1="{self.x}" x2="{self.x + WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>'
            yield f'<text class="small" x="{self.x - 6}" y="{y + 4:.1f}" text-anchor="end">{value}</text>'
        for seq in self.seqs:
            x, y = self.across(seq), self.y + HEIGHT + 16
            yield f'<text class="small" x="{x:.1f}" y="{y}" text-anchor="middle">{short(seq)}</text>'

    def line(self, maker, values):
        points = [(self.across(seq), self.down(value)) for seq, value in sorted(values.items())]
        path = "L".join(f"{x:.1f},{y:.1f}" for x, y in points)
        yield f'<path class="line {maker}" d="M{path}"/>'
        for x, y in points:
            yield f'<path class="dot {maker}" d="{SERIES[maker][2]}" transform="translate({x:.1f},{y:.1f})"/>'

    def scale(self, values):
        y = self.down(sum(values.values()) / len(values))
        yield f'<line class="scale" x1="{self.x}" x2="{self.x + WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>'


def legend(makers, types, kind):
    x = LEFT
    for maker in reversed(SERIES):
        if maker in makers:
            other = sorted(types[maker] - {kind})
            label = NAMES[maker] + (f" ({', '.join(other)})" if other else "")
            yield f'<path class="line {maker}" d="M{x},22h22"/>'
            yield f'<path class="dot {maker}" d="{SERIES[maker][2]}" transform="translate({x + 11},22)"/>'
            yield f'<text x="{x + 28}" y="26">{escape(label)}</text>'
            x += 46 + 7 * len(label)
    if "cublas" in makers:
        yield f'<line class="scale" x1="{x}" x2="{x + 22}" y1="22" y2="22"/>'
        yield f'<text x="{x + 28}" y="26">cuBLAS 8192³</text>'


def draw(records, kind="f16"):
    panels, types = lines_of(records, kind)
    if not panels:
        raise ValueError("expects measured points on normal data, got none")
    dims = sorted({key[:2] for key in panels})
    masks = sorted({key[2] for key in panels}, key=lambda mask: (mask != "none", mask))
    seqs = sorted({seq for panel in panels.values() for values in panel.values() for seq in values})
    top = 200 * math.ceil(max(v for p in panels.values() for values in p.values() for v in values.values()) / 200)
    width, height = LEFT + len(dims) * (WIDTH + GAP_X), TOP + len(masks) * (HEIGHT + GAP_Y)
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    title = f"Attention forward, TFLOP/s over keys, {kind}, {records[0]['gpu']}"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">', f"<title>{escape(title)}</title>", style()]
    parts += legend(set(types), types, kind)
    for (dim, dv, mask), panel in panels.items():
        column, row = dims.index((dim, dv)), masks.index(mask)
        axes = Axes(LEFT + column * (WIDTH + GAP_X), TOP + row * (HEIGHT + GAP_Y), seqs, top)
        parts += axes.frame(f"D {dim if dim == dv else f'{dim}/{dv}'}, {'no mask' if mask == 'none' else mask}")
        if "cublas" in panel:
            parts += axes.scale(panel["cublas"])
        for maker in SERIES:
            if maker in panel:
                parts += axes.line(maker, panel[maker])
    parts.append(
        f'<text class="small" x="{LEFT}" y="{height - 8}">{escape(records[0]["gpu"])}, {kind}: TFLOP/s over keys</text>'
    )
    return "\n".join([*parts, "</svg>\n"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("points", type=Path, nargs="+")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--type", default="f16", choices=["f16", "bf16"])
    options = parser.parse_args()
    records = [record for path in options.points for record in problems.read_records(path)]
    try:
        options.output.write_text(draw(records, options.type))
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
