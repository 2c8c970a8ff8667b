# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeded programs of attention in every form, and programs that are almost attention."""

import random

from emitters import FORMS, Dynamic, Emitter, kind, literal

NEAR_MISSES = ["denominator", "dropout", "mask_after", "other_axis", "scores_used", "weights_used", "f32", "factor",
               "sink_cut"]
MASKS = ["none", "none", "causal", "causal_add", "causal_shift", "window", "lengths", "lengths_add", "table", "boolean",
         "bias", "softcap", "alibi", "prefix", "causal_lengths", "bias_causal"]


DYNAMIC = ["linalg", "named", "onnx"]  # whose operations take dynamic extents as they are


class Program:
    """One program; `mutation` names the near miss that it is, if any."""

    def __init__(self, form, seed, mutation=None):
        self.random = random.Random(f"{form}/{seed}/{mutation}")
        self.form, self.mutation = form, mutation
        self.e = FORMS[form](f"f{seed}")
        pick = self.random.choice
        self.type = "f32" if mutation == "f32" else pick(["f16", "bf16"])
        self.wide = pick(["f32", self.type])
        self.batch, self.shared, self.group = pick([1, 2, 3]), pick([1, 2, 3]), pick([1, 1, 2, 4])
        self.rows, self.keys = pick([1, 5, 7, 12]), pick([6, 9, 12])
        self.depth, self.width = pick([8, 16, 24]), pick([8, 16])
        self.mask = pick(MASKS)
        self.grouped = self.group > 1 and form not in ("onnx",) and pick([True, False])
        if self.rows == 1 and self.mask in ("window", "causal_shift"):
            self.rows = 7
        if mutation == "other_axis":
            self.rows = self.keys = 12
        self.notes, self.keep, self.lse = [], None, None
        if form in DYNAMIC and self.mask != "table" and mutation != "sink_cut" and pick([True, False, False]):
            self.make_dynamic()

    def make_dynamic(self):
        """Some of batch size, rows and keys are known when the program runs only."""
        for name in self.random.sample(["batch", "rows", "keys"], self.random.choice([1, 2, 3])):
            setattr(self, name, Dynamic(getattr(self, name), f"%{name}"))
            self.notes.append(f"?{name}")

    @property
    def heads(self):
        return self.shared * self.group

    def operand(self, heads, length, last, letters):
        """An argument in some memory order, brought to [b, h, s, d], or `letters` with d and s swapped."""
        e, order = self.e, self.random.choice(["bhsd", "bshd", "packed", "bhds"])
        if letters == "q" and order == "bhds":
            order = "bshd"
        self.notes.append(f"{letters}:{order}")
        if order == "bhsd":
            return e.argument([self.batch, heads, length, last], self.type)
        if order == "bshd":
            return e.transpose(e.argument([self.batch, length, heads, last], self.type), [0, 2, 1, 3])
        if order == "packed":
            value = e.argument([self.batch, length, heads * last], self.type)
            return e.transpose(e.reshape(value, [self.batch, length, heads, last]), [0, 2, 1, 3])
        return e.transpose(e.argument([self.batch, heads, last, length], self.type), [0, 1, 3, 2])

    def repeated(self, value):
        """Keys or values for every query head."""
        if self.group == 1:
            return value
        e, (b, h, s, d) = self.e, self.e.shape(value)
        if self.form in ("tosa", "onnx"):
            value = e.broadcast(e.reshape(value, [b, h, 1, s, d]), [b, h, self.group, s, d], [0, 1, 2, 3, 4])
        else:
            value = e.broadcast(value, [b, h, self.group, s, d], [0, 1, 3, 4])
        return e.reshape(value, [b, h * self.group, s, d])

    def scaled(self, value, number, where):
        e = self.e
        constant = e.scalar(number, e.element(value), e.shape(value))
        if where == "div":
            return e.binary("div", value, e.scalar(1 / number, e.element(value), e.shape(value)))
        pair = (constant, value) if self.random.random() < 0.5 else (value, constant)
        return e.binary("mul", *pair)

    def scores(self, q, k):
        """[b, h, i, j], or [b, h, g, i, j] where query groups are a dimension."""
        e, pick = self.e, self.random.choice
        place = pick(["after", "after", "div", "q", "k", "both", "none"])
        number = pick([0.125, 0.25, 0.3125])
        self.notes.append(f"scale:{place}")
        if place in ("q", "both"):
            q = self.scaled(q, number, "mul")
        if place in ("k", "both"):
            k = self.scaled(k, 0.5, "mul")
        to = pick(["f32", self.type])
        if self.grouped:
            b, h, i, d = e.shape(q)
            q = e.reshape(q, [b, self.shared, self.group, i, d])
            spec = ("bhjd,bhgid->bhgij" if self.random.random() < 0.3 and self.form == "stablehlo"
                    else "bhgid,bhjd->bhgij")
        else:
            k = self.repeated(k)
            spec = "bhid,bhjd->bhij"
        if spec.startswith("bhj"):
            q, k = k, q
        s = e.contract(q, k, spec, to)
        if place in ("after", "div"):
            s = self.scaled(s, number, place)
        return s

    def positions(self, shape):
        rank = len(shape)
        return self.e.iota(shape, rank - 2), self.e.iota(shape, rank - 1)

    def condition(self, shape):
        """True where a key is kept; over all of the scores or over rows and keys only."""
        e, pick = self.e, self.random.choice
        small = list(shape[-2:])
        rows, columns = self.positions(small)
        integer = e.element(rows)
        if self.mask in ("causal", "causal_add", "causal_lengths", "bias_causal"):
            kept = e.compare("le", columns, rows) if pick([True, False]) else e.compare("ge", rows, columns)
            if pick([True, False]):
                kept = e.invert(e.compare("gt", columns, rows))
        elif self.mask == "causal_shift":
            shift = self.keys - self.rows if self.keys > self.rows else 1
            rows = e.binary("add", rows, e.scalar(shift, integer, small))
            kept = e.compare("le", columns, rows)
        elif self.mask == "table":
            self.notes.append("table")
            upper = pick([0, 1, 2])
            kept = e.table([[j <= i + upper for j in range(self.keys)] for i in range(self.rows)])
        elif self.mask == "window":
            left = e.binary("sub", rows, e.scalar(pick([2, 3]), integer, small))
            kept = e.binary("and", e.compare("ge", columns, left), e.compare("le", columns, rows))
        else:
            last = e.compare("le", columns, rows)
            prefix = e.compare("lt", columns, e.scalar(3, integer, small))
            kept = e.binary("or", last, prefix)
        return e.broadcast(kept, shape, [len(shape) - 2, len(shape) - 1])

    def lengths(self, shape):
        e = self.e
        _, columns = self.positions(shape)
        integer = e.element(columns)
        lengths = e.argument([self.batch], integer)
        self.length_argument = lengths
        full = e.broadcast(lengths, shape, [0])
        return e.compare(self.random.choice(["lt", "le"]), columns, full)

    def masked(self, s):
        e, pick, shape = self.e, self.random.choice, self.e.shape(s)
        t = e.element(s)
        fill = pick([float("-inf"), float("-inf"), {"f16": -65504.0, "bf16": -3.38e38, "f32": -3.4e38}[t]])
        if self.mask == "softcap":
            cap = e.scalar(2.0, t, shape)
            return e.binary("mul", e.unary("tanh", e.binary("div", s, cap)), cap)
        if self.mask in ("bias", "bias_causal"):
            head = [shape[0]] + [pick([1, n]) for n in shape[1:-2]] + [pick([1, shape[-2]]), shape[-1]]
            bias = e.argument(head, t)
            s = e.binary("add", s, e.broadcast(bias, shape, list(range(len(shape)))))
        if self.mask == "alibi" and not self.grouped:
            slopes = e.argument([shape[1]], t)
            rows, columns = self.positions(shape)
            distance = e.cast(e.binary("sub", columns, rows), t)
            s = e.binary("add", s, e.binary("mul", e.broadcast(slopes, shape, [1]), distance))
        keeps = []
        if self.mask in ("causal", "causal_add", "causal_shift", "window", "prefix", "causal_lengths", "bias_causal",
                         "table"):
            keeps.append(self.condition(shape))
        if self.mask in ("lengths", "lengths_add", "causal_lengths"):
            keeps.append(self.lengths(shape))
        if self.mask == "boolean":
            small = [shape[0]] + [1] * (len(shape) - 3) + list(shape[-2:])
            keeps.append(e.broadcast(e.argument(small, "i1"), shape, list(range(len(shape)))))
        if not keeps:
            return s
        self.notes.append(f"fill:{fill:g}")
        keep = self.keep = keeps[0] if len(keeps) == 1 else e.binary("and", *keeps)
        lowest = e.scalar(fill, t, shape)
        if self.form == "onnx":
            lowest = e.broadcast(lowest, shape, [])
        if self.mask.endswith("_add") or pick([True, False, False]):
            zero = e.scalar(0.0, t, shape)
            if self.form == "onnx":
                zero = e.broadcast(zero, shape, [])
            added = (e.select(keep, zero, lowest) if pick([True, False]) else e.select(e.invert(keep), lowest, zero))
            return e.binary("add", *((s, added) if pick([True, False]) else (added, s)))
        return e.select(keep, s, lowest) if pick([True, False]) else e.select(e.invert(keep), lowest, s)

    def column(self, s):
        """A sink as one more column of the scores, which is cut off again behind the softmax."""
        e, pick, shape = self.e, self.random.choice, self.e.shape(s)
        last = list(range(1, len(shape) - 2))
        sink = e.broadcast(e.argument(shape[1:-2], self.wide), shape[:-1] + [1], last)
        first = pick([True, False])
        c = e.concat([sink, s] if first else [s, sink])
        if hasattr(e, "softmax") and pick([True, False]):
            p = e.softmax(c)
        else:
            m = e.reduce("max", c)
            x = e.unary("exp", e.binary("sub", c, e.row(m, e.shape(c))))
            total = e.reduce("add", x)
            if not self.mutation and pick([True, False, False]):
                self.notes.append("lse")
                self.lse = e.binary("add", m, e.unary("log", total))
            p = e.binary("div", x, e.row(total, e.shape(c)))
        # The near miss drops a key, and has the sink among those that are left.
        return e.cut(p, int(first != (self.mutation == "sink_cut")), shape[-1])

    def softmax(self, s):
        """The weights; whether the sum is still to be divided by is told by the second value."""
        e, pick, shape = self.e, self.random.choice, self.e.shape(s)
        s = e.cast(s, self.wide)
        static = not isinstance(shape[-1], Dynamic)
        if self.mutation == "sink_cut" or (not self.mutation and static and self.random.random() < 0.1):
            self.notes.append("column")
            return self.column(s), None
        if hasattr(e, "softmax") and self.mutation not in ("denominator", "other_axis") and pick([True, False, True]):
            return e.softmax(s), None
        if self.mutation == "other_axis":
            perm = list(range(len(shape) - 2)) + [len(shape) - 1, len(shape) - 2]
            s = e.transpose(s, perm)
        m = e.reduce("max", s)
        if pick([True, False, False]):
            m = e.binary("max", m, e.scalar(float("-inf"), self.wide, e.shape(m)))
        x = e.unary("exp", e.binary("sub", s, e.row(m, shape)))
        total = e.reduce("add", x)
        if self.mutation == "denominator":
            total = e.binary("add", total, e.scalar(1.0, self.wide, e.shape(total)))
        styles = ["div", "div", "late", "recompute", "logsum"] + ["exp2", "joint"] * (self.form in ("linalg", "named"))
        if self.keep:
            styles.append("where")
        if self.form != "onnx":
            styles.append("sink")
        style = pick(styles) if not self.mutation else "div"
        if style == "logsum" and self.mask in ("boolean", "lengths", "lengths_add", "causal_lengths"):
            # log(sum) is lost beside a large finite fill where a row has no key: no form to compare with.
            style = "div"
        self.notes.append(style)
        if style == "sink":
            heads = list(shape[1:-2])
            sink = e.broadcast(e.argument(heads, self.wide), shape[:-1], list(range(1, len(shape) - 2)))
            m = e.binary("max", m, sink)
            x = e.unary("exp", e.binary("sub", s, e.row(m, shape)))
            total = e.binary("add", e.reduce("add", x), e.unary("exp", e.binary("sub", sink, m)))
        if style == "joint":
            x, total = e.exp_and_sum(s, m)
        if style == "where":
            x = e.select(self.keep, x, e.scalar(0.0, self.wide, shape))
            total = e.reduce("add", x)
        if style != "exp2" and not self.mutation and pick([True, False, False, False]):
            self.notes.append("lse")
            self.lse = e.binary("add", m, e.unary("log", total))
        if style == "logsum":
            lse = self.lse or e.binary("add", m, e.unary("log", total))
            return self.guarded(e.unary("exp", e.binary("sub", s, e.row(lse, shape))), s), None
        if style == "exp2":
            log2e = e.scalar(1.4426950408889634, self.wide, shape)
            x = e.unary("exp2", e.binary("mul", e.binary("sub", s, e.row(m, shape)), log2e))
            total = e.reduce("add", x)
        if style == "late":
            return x, total
        if style == "recompute":
            x = e.unary("exp", e.binary("sub", s, e.row(m, shape)))
        p = e.binary("div", x, e.row(total, shape))
        if self.mutation == "other_axis":
            return e.transpose(p, perm), None
        return self.guarded(p, s), None

    def guarded(self, p, s):
        """Sometimes with 0 for rows without a key."""
        e, shape = self.e, self.e.shape(p)
        if self.form == "onnx" or self.mutation or self.random.random() < 0.7:
            return p
        self.notes.append("guard")
        empty = e.reduce("and", e.compare("eq", s, e.scalar(float("-inf"), self.wide, shape)))
        return e.select(e.row(empty, shape), e.scalar(0.0, self.wide, shape), p)

    def changed(self, p):
        """What near misses do to the weights."""
        e, shape, t = self.e, self.e.shape(p), self.e.element(p)
        if self.mutation == "dropout":
            return e.binary("mul", p, e.cast(e.argument(shape, "i1"), t) if self.form != "tosa" else
                            e.cast(e.cast(e.argument(shape, "i1"), "i32"), t))
        if self.mutation == "mask_after":
            zero = e.scalar(0.0, t, shape)
            return e.select(e.argument(shape, "i1"), p, zero)
        if self.mutation == "factor":
            return e.binary("mul", p, e.scalar(1.25, t, shape))
        return p

    def build(self):
        e, pick = self.e, self.random.choice
        q = self.operand(self.heads, self.rows, self.depth, "q")
        k = self.operand(self.shared, self.keys, self.depth, "k")
        v = self.operand(self.shared, self.keys, self.width, "v")
        s = self.scores(q, k)
        s = self.masked(s)
        p, total = self.softmax(s)
        p = self.changed(p)
        rounded = e.cast(p, self.type)
        if self.grouped:
            out, spec = "bhgie", "bhgij,bhje->bhgie"
        else:
            v = self.repeated(v)
            out, spec = "bhie", "bhij,bhje->bhie"
        to = pick([self.type, "f32"]) if total is None else self.wide
        o = e.contract(rounded, v, spec, to)
        if total is not None:
            if pick([True, False]):
                o = e.binary("div", o, self.spread(total, e.shape(o)))
            else:
                self.notes.append("reciprocal")
                one = e.scalar(1.0, self.wide, e.shape(total))
                o = e.binary("mul", o, self.spread(e.binary("div", one, total), e.shape(o)))
            o = e.cast(o, self.type)
        if self.grouped:
            o = e.reshape(o, [self.batch, self.heads, self.rows, self.width])
        layout = pick(["bhsd", "bshd", "merged"])
        self.notes.append(f"o:{layout}")
        if layout != "bhsd":
            o = e.transpose(o, [0, 2, 1, 3])
        if layout == "merged":
            o = e.reshape(o, [self.batch, self.rows, self.heads * self.width])
        results = [o] + ([self.lse] if self.lse else [])
        if self.mutation == "scores_used":
            results.append(s)
        if self.mutation == "weights_used":
            results.append(p)
        return e.finish(*results)

    def spread(self, total, shape):
        e = self.e
        return e.row(total, shape)


class Fused:
    """The fused operators, with masks and head counts in all the ways that they take."""

    def __init__(self, form, seed):
        self.random = random.Random(f"{form}/{seed}")
        self.form, self.mutation, self.notes, self.mask = form, None, [], "?"
        self.e = Emitter(f"f{seed}")
        pick = self.random.choice
        self.type = pick(["f16", "bf16"])
        self.batch, self.shared, self.group = pick([1, 2, 3]), pick([1, 2]), pick([1, 2, 3])
        self.rows, self.keys, self.depth, self.width = pick([1, 5, 8]), pick([6, 9]), pick([8, 16]), pick([8, 24])

    def build(self):
        return {"tm_tensor": self.tm_tensor, "iree": self.iree, "onnx_attention": self.onnx}[self.form]()

    def tm_tensor(self):
        e, pick = self.e, self.random.choice
        heads = self.shared * self.group
        shared = pick([heads, self.shared])
        q = e.argument([self.batch, heads, self.rows, self.depth], self.type)
        k = e.argument([self.batch, shared, self.keys, self.depth], self.type)
        v = e.argument([self.batch, shared, self.keys, self.width], self.type)
        operands, self.mask = [q, k, v], pick(["none", "bias", "boolean"])
        if self.mask != "none":
            operands.append(e.argument([self.batch, heads, self.rows, self.keys],
                                       "i1" if self.mask == "boolean" else self.type))
        shape = [self.batch, heads, self.rows, self.width]
        operands.append(e.op(shape, self.type, f"tensor.empty() : {kind(shape, self.type)}"))
        attributes = f"operandSegmentSizes = array<i32: {len(operands) - 1}, 1>"
        if pick([True, False]):
            attributes += ", scale = 3.000000e-01 : f64"
        return e.finish(e.generic_op("tm_tensor.attention", operands, shape, self.type, attributes))

    def iree(self):
        e, pick = self.e, self.random.choice
        dims = dict(b=self.batch, h=self.shared, g=self.group, i=self.rows, d=self.depth, j=self.keys, n=self.width)
        terms = [pick(["bhgid", "bihgd"]), pick(["bhjd", "bjhd", "bhdj"]), pick(["bhjn", "bhnj", "bjhn"]), ""]
        values = [e.argument([dims[c] for c in term], self.type) for term in terms[:3]]
        scale = "%scale"
        e.kinds[scale] = ([], self.type)
        e.lines.append(f"{scale} = arith.constant {literal(0.25, self.type)} : {self.type}")
        values.append(scale)
        self.mask = pick(["none", "boolean", "bias"])
        if self.mask != "none":
            terms.append(pick(["bij", "bhgij", "j", "ij"]))
            values.append(e.argument([dims[c] for c in terms[-1]], "i1" if self.mask == "boolean" else self.type))
        terms.append(pick(["bhgin", "bihgn"]))
        shape = [dims[c] for c in terms[-1]]
        values.append(e.op(shape, self.type, f"tensor.empty() : {kind(shape, self.type)}"))
        letters = "bhgidjn"
        maps = ", ".join(f"affine_map<({', '.join(letters)}) -> ({', '.join(term)})>" for term in terms)
        capped = pick([True, False])
        body = ("%t = math.tanh %score : f32\n      " if capped else "")
        yielded = "%t" if capped else "%score"
        region = (f' ({{\n    ^bb0(%score: f32):\n      {body}"iree_linalg_ext.yield"({yielded}) : (f32) -> ()\n    }})')
        types = ", ".join(self.type if v == scale else e.type(v) for v in values)
        operands = ", ".join(values)
        result = e.op(shape, self.type, f'"iree_linalg_ext.attention"({operands}) <{{indexing_maps = [{maps}]}}>'
                      f"{region} : ({types}) -> {kind(shape, self.type)}")
        return e.finish(result)

    def onnx(self):
        e, pick = self.e, self.random.choice
        e.terminator = "onnx.Return"
        heads, packed, cached = self.shared * self.group, pick([True, False]), pick([0, 0, 4])
        none = e.op([], "none", '"onnx.NoValue"() <{value}> : () -> none')
        if packed:
            cached = 0
            q = e.argument([self.batch, self.rows, heads * self.depth], self.type)
            k = e.argument([self.batch, self.keys, self.shared * self.depth], self.type)
            v = e.argument([self.batch, self.keys, self.shared * self.width], self.type)
        else:
            q = e.argument([self.batch, heads, self.rows, self.depth], self.type)
            k = e.argument([self.batch, self.shared, self.keys, self.depth], self.type)
            v = e.argument([self.batch, self.shared, self.keys, self.width], self.type)
        keys = self.keys + cached
        operands = [q, k, v] + [none] * 4
        self.mask = pick(["none", "causal", "boolean", "bias", "lengths"])
        if self.mask in ("boolean", "bias"):
            shape = pick([[self.rows, keys], [self.batch, 1, self.rows, keys], [self.batch, heads, self.rows, keys]])
            operands[3] = e.argument(shape, "i1" if self.mask == "boolean" else self.type)
        if self.mask == "lengths":
            operands[6] = e.argument([self.batch], "i64")
        if cached:
            operands[4] = e.argument([self.batch, self.shared, cached, self.depth], self.type)
            operands[5] = e.argument([self.batch, self.shared, cached, self.width], self.type)
        attributes = [f"is_causal = {int(self.mask == 'causal')} : si64", "qk_matmul_output_mode = 0 : si64",
                      f"softcap = {pick(['0.000000e+00', '2.000000e+00'])} : f32"]
        if packed:
            attributes += [f"kv_num_heads = {self.shared} : si64", f"q_num_heads = {heads} : si64"]
        if pick([True, False]):
            attributes.append("scale = 2.000000e-01 : f32")
        out = ([self.batch, self.rows, heads * self.width] if packed else
               [self.batch, heads, self.rows, self.width])
        y = kind(out, self.type)
        extra = ["none", "none", "none"]
        if cached:
            extra = [kind([self.batch, self.shared, keys, n], self.type) for n in (self.depth, self.width)] + ["none"]
        types = ", ".join("none" if v == none else e.type(v) for v in operands)
        e.lines.append(f'%y:4 = "onnx.Attention"({", ".join(operands)}) <{{{", ".join(attributes)}}}> : ({types}) -> '
                       f"({y}, {', '.join(extra)})")
        results = ["%y#0"] + (["%y#1", "%y#2"] if cached else [])
        e.kinds["%y#0"] = (out, self.type)
        for which, n in (("%y#1", self.depth), ("%y#2", self.width)):
            e.kinds[which] = ([self.batch, self.shared, keys, n], self.type)
        return e.finish(*results)


FUSED = ["tm_tensor", "iree", "onnx_attention"]


def programs(form, count, first=0):
    """`count` programs of one form; every fifth is a near miss."""
    for seed in range(first, first + count):
        if form in FUSED:
            yield Fused(form, seed)
        else:
            yield Program(form, seed, NEAR_MISSES[seed // 5 % len(NEAR_MISSES)] if seed % 5 == 4 else None)
