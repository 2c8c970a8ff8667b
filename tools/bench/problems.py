# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The problems that are measured, as numbers: no torch here."""

import dataclasses
import json
import re

DATA = ["normal", "growing", "sharp", "negative"]


@dataclasses.dataclass(frozen=True)
class Problem:
    """One point of the grid. Sq = Sk = seq; `tokens` and `width` fix batch and heads."""

    dim: int
    dv: int
    mask: str  # none, causal, or window-N: a query sees itself and N keys to the left
    seq: int
    data: str = "normal"
    tokens: int = 16384
    width: int = 2048

    def __post_init__(self):
        if not re.fullmatch(r"none|causal|window-\d+", self.mask):
            raise ValueError(f"expects mask none, causal or window-N, got {self.mask!r}")

    @property
    def batch(self):
        return max(1, self.tokens // self.seq)

    @property
    def heads(self):
        return max(1, self.width // self.dim)

    @property
    def left(self):
        """Keys left of the diagonal that are kept; None: all."""
        return int(self.mask.split("-")[1]) if self.mask.startswith("window") else None

    @property
    def flop(self):
        """Of both products; causal counts as half of all pairs, as the published figures do."""
        pairs = self.seq * self.seq
        if self.mask == "causal":
            pairs /= 2
        elif self.left is not None:
            short = min(self.left, self.seq)  # rows that the window does not yet cut
            pairs = short * (short + 1) / 2 + (self.seq - short) * (self.left + 1)
        return 2 * self.batch * self.heads * pairs * (self.dim + self.dv)

    def label(self):
        dims = f"{self.dim}" if self.dim == self.dv else f"{self.dim}/{self.dv}"
        return f"D {dims} {self.mask} {self.seq} keys, {self.data} data"

    def tiles(self, query_tile, key_tile):
        """Query tiles, and key tiles that are visited for all of them together."""
        starts, visited = range(0, self.seq, query_tile), 0
        for start in starts:
            last = min(start + query_tile, self.seq) - 1
            end = self.seq if self.mask == "none" else last + 1
            first = 0 if self.left is None else max(0, start - self.left)
            visited += -(-end // key_tile) - first // key_tile
        many = self.batch * self.heads
        return many * len(starts), many * visited


def grid(dims, masks, seqs, data, tokens, width):
    """All points, those that share compiled kernels next to each other."""
    return [Problem(d, dv, m, s, x, tokens, width) for d, dv in dims for m in masks for x in data for s in seqs]


def read_dims(text):
    """[(64, 64), (192, 128)] from "64,192:128"."""
    pairs = [[int(x) for x in part.split(":")] for part in text.split(",")]
    return [(pair[0], pair[-1]) for pair in pairs]


def read_pack(path):
    """The artefacts of a pack, from its list.json."""
    entries = []
    for line in path.read_text().splitlines():
        entry = {"variant": "", "score": "", "schedules": {}, **json.loads(line)}
        entries.append({"dv": entry["dim"], **entry})
    return entries


def read_records(path):
    """The points that a JSON-lines file holds; a last line that was cut off is no point."""
    records = []
    if path and path.exists():
        for line in path.read_text().splitlines():
            try:
                records.append(json.loads(line))
            except json.JSONDecodeError:
                continue
    return records


def problem_of(record):
    return Problem(**{field.name: record[field.name] for field in dataclasses.fields(Problem)})
