#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the modules and the sweep of the execution suites.

gen.py module FLAGS   prints a module with one fa.attention, of dynamic sizes but for --sizes (FLAGS: see module_parser)
gen.py sweep          prints artefact and case lines as in cases.txt: a seeded sample of the grid below
"""

import argparse
import itertools
import random


def module_parser():
    parser = argparse.ArgumentParser(prog="gen.py module")
    parser.add_argument("--type", default="f16", choices=["f16", "bf16"], help="of q, k and v")
    parser.add_argument("--out", default=None, choices=["f32"], help="type of o where it is not that of q")
    parser.add_argument("--d", type=int, default=64, help="head dim of q and k")
    parser.add_argument("--dv", type=int, default=None, help="head dim of v; that of q where absent")
    parser.add_argument("--layout", default="bhsd", choices=["bhsd", "bshd", "packed"])
    parser.add_argument("--sizes", default=None, help="extents that are static: B=2,Hq=4,Sk=0")
    parser.add_argument("--mask", default=None, help="inside of #fa.mask<...>")
    parser.add_argument("--scale", default=None, help="as the attribute")
    parser.add_argument("--scale-constant", default=None, help="as an operand that is a constant")
    parser.add_argument("--schedule", default=None, help="inside of #fa.schedule<...>")
    parser.add_argument("--no-lse", action="store_true", help="leave out the LSE output")
    parser.add_argument("--q-lengths", action="store_true")
    parser.add_argument("--kv-lengths", action="store_true")
    parser.add_argument("--sink", action="store_true")
    parser.add_argument("--softcap", default=None, help="caps the scores softly")
    parser.add_argument("--tanh2", action="store_true", help="score region 2 * tanh(s)")
    parser.add_argument("--bias", action="store_true", help="adds a tensor `bias` [B, Hq, Sq, Sk]")
    parser.add_argument("--alibi", action="store_true", help="adds slopes[h] * (j - i)")
    parser.add_argument("--keep", default=None, choices=list(KEEP), help="a mask region")
    return parser


# Mask regions: the body that yields %keep.
KEEP = {
    "nothing": "%keep = arith.constant false",
    # One dead row among live ones.
    "not-row-1": """%one = arith.constant 1 : index
      %keep = arith.cmpi ne, %i, %one : index""",
    "even-keys": """%one = arith.constant 1 : index
      %zero = arith.constant 0 : index
      %bit = arith.andi %j, %one : index
      %keep = arith.cmpi eq, %bit, %zero : index""",
    # Causal, and near or among the first four.
    "window-and-first": """%four = arith.constant 4 : index
      %width = arith.constant 1023 : index
      %distance = arith.subi %i, %j : index
      %near = arith.cmpi slt, %distance, %width : index
      %first = arith.cmpi slt, %j, %four : index
      %causal = arith.cmpi sle, %j, %i : index
      %some = arith.ori %near, %first : i1
      %keep = arith.andi %some, %causal : i1""",
}

SCORE = {
    "softcap": """%cap = arith.constant {value} : f32
      %capin = arith.divf {s}, %cap : f32
      %captanh = math.tanh %capin : f32
      %s.cap = arith.mulf %captanh, %cap : f32""",
    "tanh2": """%two = arith.constant 2.0 : f32
      %tanh = math.tanh {s} : f32
      %s.tanh2 = arith.mulf %tanh, %two : f32""",
    "bias": """%add = memref.load %bias[%b, %h, %i, %j] : memref<?x?x?x?xf32, strided<[?, ?, ?, 1], offset: ?>>
      %s.bias = arith.addf {s}, %add : f32""",
    "alibi": """%slope = memref.load %slopes[%h] : memref<?xf32, strided<[1], offset: ?>>
      %gap = arith.subi %j, %i : index
      %gapint = arith.index_cast %gap : index to i64
      %gapfloat = arith.sitofp %gapint : i64 to f32
      %slant = arith.mulf %slope, %gapfloat : f32
      %s.alibi = arith.addf {s}, %slant : f32""",
}


def memref(dims, element, sizes={}):
    """A memref of any strides but the last; dims are numbers, or names of extents that `sizes` may have."""
    shape = "x".join(str(sizes.get(dim, "?") if isinstance(dim, str) else dim) for dim in dims)
    strides = ", ".join(["?"] * (len(dims) - 1) + ["1"])
    return f"memref<{shape}x{element}, strided<[{strides}], offset: ?>>"


# The outer dimensions of q and of k and v.
ORDER = {
    "bhsd": (["B", "Hq", "Sq"], ["B", "Hkv", "Sk"]),
    "bshd": (["B", "Sq", "Hq"], ["B", "Sk", "Hkv"]),
    "packed": (["Tq", "Hq"], ["Tk", "Hkv"]),
}


def score_region(flags):
    """The score steps that were asked for, in the order softcap, tanh2, bias, ALiBi."""
    lines, score = [], "%s"
    for name, result in (("softcap", "%s.cap"), ("tanh2", "%s.tanh2"), ("bias", "%s.bias"), ("alibi", "%s.alibi")):
        value = getattr(flags, name)
        if value:
            lines.append(SCORE[name].format(s=score, value=value))
            score = result
    if not lines:
        return ""
    body = "\n      ".join(lines)
    return f"""
    score {{
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      {body}
      fa.yield {score} : f32
    }}"""


def mask_region(flags):
    if not flags.keep:
        return ""
    return f"""
    mask {{
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      {KEEP[flags.keep]}
      fa.yield %keep : i1
    }}"""


def attributes(flags):
    entries = []
    if flags.mask:
        entries.append(f"mask = #fa.mask<{flags.mask}>")
    if flags.scale:
        entries.append(f"scale = {flags.scale} : f32")
    if flags.schedule:
        entries.append(f"schedule = #fa.schedule<{flags.schedule}>")
    if flags.layout == "bshd":
        entries.append("layout = #fa.layout<bshd>")
    return "{" + ", ".join(entries) + "}" if entries else ""


def module(flags):
    packed = flags.layout == "packed"
    dv = flags.dv or flags.d
    sizes = dict(pair.split("=") for pair in flags.sizes.split(",")) if flags.sizes else {}
    queries, keys = ORDER[flags.layout]
    q, k, v = (
        memref(dims + [last], flags.type, sizes) for dims, last in ((queries, flags.d), (keys, flags.d), (keys, dv))
    )
    outs = {"o": memref(queries + [dv], flags.out or flags.type, sizes)}
    if not flags.no_lse:
        outs["lse"] = memref(["Hq", "Tq"] if packed else ["B", "Hq", "Sq"], "f32", sizes)
    counts = memref(["N"], "i32")
    extra = {}
    if packed:
        extra |= {"q_offsets": counts, "kv_offsets": counts}
    if flags.q_lengths:
        extra["q_lengths"] = counts
    if flags.kv_lengths:
        extra["kv_lengths"] = counts
    if flags.sink:
        extra["sink"] = memref(["Hq"], "f32", sizes)
    captures = {}
    if flags.bias:
        captures["bias"] = ["", "Hq", "", ""] if packed else ["B", "Hq", "Sq", "Sk"]
    if flags.alibi:
        captures["slopes"] = ["Hq"]

    order = ["q_lengths", "kv_lengths", "q_offsets", "kv_offsets", "sink"]
    clauses = "".join(f"\n    {name}(%{name} : {extra[name]})" for name in order if name in extra)
    arguments = [f"%q: {q}", f"%k: {k}", f"%v: {v}"]
    arguments += [f"%{name}: {type}" for name, type in extra.items()]
    for name, dims in captures.items():
        quoted = ", ".join(f'"{dim}"' for dim in dims)
        arguments.append(f'%{name}: {memref(dims, "f32")} {{fa.name = "{name}", fa.dims = [{quoted}]}}')
    arguments += [f"%{name}: {type}" for name, type in outs.items()]
    constant = ""
    if flags.scale_constant:
        constant = f"\n  %scale = arith.constant {flags.scale_constant} : f32"
        clauses += "\n    scale(%scale)"
    separator = ",\n    "
    return f"""func.func @attention(
    {separator.join(arguments)}) {{{constant}
  fa.attention
    ins(%q, %k, %v : {q}, {k}, {v})
    outs({", ".join("%" + name for name in outs)} : {", ".join(outs.values())}){clauses}
    {attributes(flags)}{score_region(flags)}{mask_region(flags)}
  return
}}
"""


# The grid of the FlashAttention test suite.
DIMS = [32, 40, 64, 80, 96, 128, 160, 192, 256]
LENGTHS = [
    (1, 1), (64, 128), (128, 192), (256, 256), (239, 1), (799, 3), (113, 203), (113, 128), (128, 217), (113, 211),
    (108, 256), (256, 512), (384, 256), (640, 128), (512, 256), (1024, 1024), (1023, 1024), (1024, 1023),
    (4096, 4096), (4224, 4224),
]  # fmt: skip
HEADS = {"mha": (6, 6), "gqa": (6, 2), "mqa": (6, 1)}
MASKS = {"full": "", "causal": "--mask bottom_right,causal", "window": "--mask bottom_right,window=[64,0]"}
# More multiplications than this are left to the GPU.
CPU_WORK = 1.5e8


def sweep(seed=1, lengths_a_kernel=4):
    """For each head dim and mask one kernel, its type and softcap drawn; for each kernel some lengths, heads drawn."""
    draw = random.Random(seed)
    unused = []
    for d, (mask, mask_flags) in itertools.product(DIMS, MASKS.items()):
        element = draw.choice(["f16", "bf16"])
        softcap = draw.random() < 0.25
        name = f"grid-d{d}-{mask}-{element}" + ("-softcap" if softcap else "")
        flags = ["--type", element, "--d", str(d)] + mask_flags.split() + (["--softcap", "15.0"] if softcap else [])
        yield "artefact " + " ".join([name] + flags)
        for _ in range(lengths_a_kernel):
            # Every pair of lengths is used before one is used again.
            if not unused:
                unused = draw.sample(LENGTHS, len(LENGTHS))
            sq, sk = unused.pop()
            group = draw.choice(list(HEADS))
            heads, kv_heads = HEADS[group]
            work = heads * sq * sk * d * (3 if softcap else 1)
            where = "both" if work < CPU_WORK else "gpu"
            yield (
                f"case {name}-{group}-{sq}x{sk} {name} {where} --batch 1 --heads {heads} --kv-heads {kv_heads}"
                f" --seqlen-q {sq} --seqlen-k {sk} --seed {draw.randrange(1000)}"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=["module", "sweep"])
    parser.add_argument("flags", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.verb == "module":
        print(module(module_parser().parse_args(options.flags)), end="")
    else:
        print("\n".join(sweep()))


if __name__ == "__main__":
    main()
