# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules as dictionaries: the axes, which points of them can be legal, and their text as `#fa.schedule` has it.

The bounds here only keep hopeless points from being compiled. What counts is what the compiler and ptxas say.
"""

import itertools
import random

# Fields of #fa.schedule in its order, with the values that it does not print; None: always printed.
DEFAULTS = {
    "query_tile": None, "key_tile": None, "warps": 4, "stages": 2, "mask": "guard", "order": "natural",
    "walk": "forward", "q_buffers": 1, "rotate": False, "threshold": 0, "v_wait": 0,
    "ping_pong": False, "grid": "blocks", "tma_store": False, "head_group": 0,
    "overlap_tiles": False, "q_registers": 0,
}  # fmt: skip
# What stands in front of the colon in a row of dialect/Target/schedules.txt, likewise.
CONDITIONS = {
    "chip": None, "type": "any", "qk_dim": None, "v_dim": None, "dim_multiple": 8, "mask": "any", "most_keys": 0,
    "tma": False, "wide": False, "region": False,
}  # fmt: skip

# Registers a thread has, for a group's number of warps (sm_90a: behind setmaxnreg), and what addresses, rows and loop
# state take of them; bytes of shared memory a block can have.
HOPPER_REGISTERS = {4: 240, 8: 240, 12: 160}
SPARE_REGISTERS = 16
SHARED = {"sm_80": 163 * 1024, "sm_86": 99 * 1024, "sm_89": 99 * 1024, "sm_90a": 227 * 1024}


def parse(text, known=True, defaults=DEFAULTS):
    """A schedule from the inside of `#fa.schedule<...>`; fields that are not `known` here are kept as they are."""
    schedule = dict(defaults)
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = (word.strip() for word in part.partition("="))
        if (known and name not in defaults) or not value:
            raise ValueError(f"expects fields of #fa.schedule as 'name = value', got '{part}'")
        schedule[name] = {"true": True, "false": False}.get(value, int(value) if value.isdigit() else value)
    return schedule


def text(schedule, defaults=DEFAULTS):
    spelled = lambda value: str(value).lower() if isinstance(value, bool) else str(value)
    return ", ".join(f"{n} = {spelled(v)}" for n, v in schedule.items() if v != defaults.get(n))


def row(conditions, schedule):
    """A row as dialect/Target/schedules.txt has it; `order` is no field of one, it follows from the mask."""
    for_what = text({**CONDITIONS, **conditions}, CONDITIONS)
    return f"{for_what} : {text({n: v for n, v in schedule.items() if n != 'order'})}"


def read_table(path):
    """(line number, conditions, schedule) of each row of schedules.txt; the compiler says what is wrong with one."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        conditions, colon, schedule = line.partition("#")[0].partition(":")
        if colon:
            yield number, parse(conditions, defaults=CONDITIONS), parse(schedule)


def axes(chip, mask):
    """The values each axis is tried with. On sm_90a `query_tile` follows `warps`."""
    flags, masked = [False, True], mask != "none"
    common = {"mask": ["guard", "split"] if masked else ["split"], "walk": ["forward", "backward"]}
    if masked:
        common["order"] = ["natural", "heaviest_first"]
    if chip == "sm_90a":
        return common | {
            "warps": [8, 12],
            "key_tile": list(range(48, 193, 16)),
            "stages": [2, 3],
            "q_buffers": [1, 2],
            "rotate": flags,
            "threshold": [0, 8],
            "v_wait": [0, 16, 32, 48, 64],
            "q_registers": [0, 32, 64, 96],
            "ping_pong": flags,
            "grid": ["blocks", "counter"],
            "tma_store": flags,
        }
    return common | {
        "query_tile": [64, 128, 192, 256],
        "warps": [4, 8],
        "key_tile": [16, 32, 48, 64, 80, 96, 112, 128],
        "stages": [1, 2],
    }


def with_axis(chip, schedule, changes):
    changed = {**schedule, **changes}
    if chip == "sm_90a":
        changed["query_tile"] = 16 * changed["warps"]
    return changed


def accumulators(schedule, dv):
    """Registers a thread needs for the scores, the probabilities packed in pairs, and the output."""
    rows = schedule["query_tile"] // schedule["warps"]
    scores, packed = rows * schedule["key_tile"] // 32, rows * schedule["key_tile"] // 64
    return scores + packed + rows * dv // 32


def shared_bytes(chip, schedule, dim, dv):
    """What Q, K and V need; where O's tile stands, and in how many rounds, is the compiler's affair."""
    panel = 64 if chip == "sm_90a" else 8  # columns that a tile's width is rounded up to
    dim, dv = (-(-x // panel) * panel for x in (dim, dv))
    keys = 2 * schedule["stages"] * schedule["key_tile"] * (dim + dv)
    return keys + 2 * schedule["q_buffers"] * schedule["query_tile"] * dim


def illegal(chip, schedule, dim, dv):
    """Why a schedule cannot be one for this chip and these head dims; None where it can."""
    rows, warps = schedule["query_tile"], schedule["warps"]
    if rows % (16 * warps) != 0:
        return f"expects warps with a multiple of 16 rows each, got {warps} for {rows} rows"
    if schedule["v_wait"] > schedule["key_tile"]:
        return f"expects v_wait within the key tile, got {schedule['v_wait']} of {schedule['key_tile']}"
    if chip == "sm_90a":
        if warps not in HOPPER_REGISTERS or rows != 16 * warps or dim % 16 or dv % 16:
            return "expects whole warpgroups of 64 rows and head dims in steps of 16"
        if schedule["ping_pong"] and warps < 8:
            return "expects two warpgroups or more for ping_pong"
        if schedule["q_buffers"] > 1 and schedule["grid"] == "blocks":
            return "expects blocks that stay for several tiles for more than one q buffer"
    registers = HOPPER_REGISTERS[warps] if chip == "sm_90a" else 255
    needed = accumulators(schedule, dv) + SPARE_REGISTERS
    if needed > registers:
        return f"needs about {needed} registers, has {registers}"
    needed = shared_bytes(chip, schedule, dim, dv)
    if needed > SHARED[chip]:
        return f"needs {needed} bytes of shared memory, {chip} has {SHARED[chip]}"
    return None


def candidates(chip, shape, bases, varied=None, changes=1, most=60, seed=1):
    """Legal schedules that are none of `bases`; shape: (dim, dv, mask). Without `varied` those that differ from a base
    in `changes` axes at most; with `varied`, {axis: values}, the product of these axes' values over each base. Beyond
    `most` a seeded sample."""
    dim, dv, mask = shape
    found = {}
    for base in bases:
        if varied:
            points = (dict(zip(varied, values)) for values in itertools.product(*varied.values()))
        else:
            points = neighbours(base, axes(chip, mask), changes)
        for point in points:
            schedule = with_axis(chip, base, point)
            if schedule not in bases and not illegal(chip, schedule, dim, dv):
                found.setdefault(text(schedule), schedule)
    names = sorted(found)
    if len(names) > most:
        names = sorted(random.Random(seed).sample(names, most))
    return [found[name] for name in names]


def neighbours(base, values, changes):
    """What to change in `base` so that up to `changes` axes differ."""
    moves = {axis: [v for v in tried if v != base[axis]] for axis, tried in values.items()}
    for count in range(1, changes + 1):
        for chosen in itertools.combinations(moves, count):
            for picked in itertools.product(*(moves[axis] for axis in chosen)):
                yield dict(zip(chosen, picked))
