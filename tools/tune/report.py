# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tuning found: for each shape the fastest schedules, as ratios to the incumbent, and the table rows they make."""

import math

import problems
import schedules
import summary


class Shape:
    """All measurements of one chip, head dims, mask and data: {schedule: {(type, keys): (ratio, spread)}}."""

    def __init__(self):
        self.ratios, self.incumbents, self.points = {}, {}, set()

    def add(self, record):
        incumbent = next((row for row in record["rows"] if row["incumbent"]), None)
        if not incumbent:
            return
        point = (record["type"], record["seq"])
        self.points.add(point)
        self.incumbents[point] = incumbent["schedule"]
        for row in record["rows"]:
            if not row["incumbent"]:
                self.ratios.setdefault(row["schedule"], {})[point] = summary.ratio(row, incumbent)

    def mean(self, schedule, points):
        """Geometric mean over these points and the mean spread; None where the schedule misses one."""
        found = [self.ratios[schedule].get(point) for point in points]
        if not points or None in found:
            return None
        return summary.geometric_mean([ratio for ratio, _ in found]), sum(s for _, s in found) / len(found)

    def ranked(self, points):
        means = {schedule: self.mean(schedule, points) for schedule in self.ratios}
        return sorted(((*mean, schedule) for schedule, mean in means.items() if mean), reverse=True)

    def best(self, points):
        """(ratio, spread, schedule) of the best row for these points; the incumbent, 1, if none passes its spread."""
        ranked = self.ranked(points)
        if ranked and ranked[0][0] - ranked[0][1] > 1:
            return ranked[0]
        return 1.0, 0.0, ""

    def rows(self, gain=0.005):
        """[(most keys or 0, ratio, spread, schedule)]: two length classes where that gains more than `gain` in the
        mean over one."""
        points, lengths = sorted(self.points), sorted({seq for _, seq in self.points})
        one = [(0, *self.best(points))]
        best, best_score = one, math.log(one[0][1]) + gain
        for most in lengths[:-1]:
            parts = [[p for p in points if p[1] <= most], [p for p in points if p[1] > most]]
            two = [(keys, *self.best(part)) for keys, part in zip((most, 0), parts)]
            score = sum(len(part) * math.log(row[1]) for row, part in zip(two, parts)) / len(points)
            if two[0][3] != two[1][3] and score > best_score:
                best, best_score = two, score
        return best


def collect(records):
    shapes = {}
    for record in records:
        key = (record["chip"], record["dim"], record["dv"], record["mask"], record["data"])
        shapes.setdefault(key, Shape()).add(record)
    return shapes


def title(key):
    chip, dim, dv, mask, data = key
    return f"{chip}, D {dim if dim == dv else f'{dim}/{dv}'}, {mask}, {data} data"


def table_row(key, shape, keys, ratio, spread, schedule):
    """A row for dialect/Target/schedules.txt under a comment with its figure."""
    chip, dim, dv, mask, _ = key
    measured = ", ".join(str(seq) for seq in sorted({seq for _, seq in shape.points}))
    types = {kind for kind, _ in shape.points}
    about = f"# {title(key)}, {keys or 'any number of'} keys (measured at {measured}): "
    if not schedule:
        return [about + "the incumbent stays."]
    conditions = {
        "chip": chip,
        "type": types.pop() if len(types) == 1 else "any",
        "qk_dim": dim,
        "v_dim": dv,
        "mask": "window" if mask.startswith("window-") else mask,
        "most_keys": keys,
    }
    if chip == "sm_90a":
        conditions |= {"dim_multiple": 16, "tma": True}
    row = schedules.row(conditions, schedules.parse(schedule, known=False))
    return [f"{about}{ratio:.3f} ± {spread:.3f} of the incumbent.", row]


def report(records, failed, most=5):
    lines = []
    for key, shape in collect(records).items():
        points = sorted(shape.points)
        lengths = sorted({seq for _, seq in points})
        lines += [f"## {title(key)}", "", f"{len(shape.ratios)} candidates; ratio to the incumbent"]
        for part, name in [(points, "all"), *(([p for p in points if p[1] == seq], f"{seq} keys") for seq in lengths)]:
            lines.append(f"* {name}:")
            lines += [
                f"  * {ratio:.3f} ± {spread:.3f} {schedule}" for ratio, spread, schedule in shape.ranked(part)[:most]
            ]
        lines.append("")
    lines += ["## Rows", "", "```"]
    for key, shape in collect(records).items():
        for keys, ratio, spread, schedule in shape.rows():
            lines += table_row(key, shape, keys, ratio, spread, schedule)
    lines.append("```")
    if failed:
        lines += ["", "## Failed", "", *(f"* {name}: {reason}" for name, reason in failed.items())]
    return "\n".join(lines)


def read(paths):
    records = [record for path in paths for record in problems.read_records(path)]
    failed = {record["failed"]: record["reason"] for record in records if "failed" in record}
    return [record for record in records if "rows" in record], failed
