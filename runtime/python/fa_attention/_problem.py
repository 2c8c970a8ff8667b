# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is to be computed, and its text for the compiler. Sizes are left open: one kernel serves every shape."""

import dataclasses
import hashlib
from typing import Optional


@dataclasses.dataclass(frozen=True)
class Problem:
    """One attention op of dialect/Fa/FaOps.td, as far as it shapes the code."""

    dtype: str  # of q, k and v: f16, bf16
    qk_dim: int
    v_dim: int
    out_dtype: str  # as dtype, or f32
    causal: bool = False
    left: Optional[int] = None
    right: Optional[int] = None
    bottom_right: bool = True
    scale_class: str = "positive"  # zero, negative
    softcap: Optional[float] = None
    bias: Optional[str] = None  # its type
    alibi: bool = False
    mask: bool = False
    sink: bool = False
    q_lengths: bool = False
    kv_lengths: bool = False
    packed: bool = False
    lse: bool = False

    def key(self, chip, options):
        """A hash of the text, the chip and the compiler's options, in hexadecimal."""
        parts = [self.text(), chip, *(f"{name}={value}" for name, value in sorted(options.items()))]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def file_name(self, chip, options):
        """What an artefact compiled ahead is called: words for people, then a part of the key."""
        dims = f"d{self.qk_dim}" if self.qk_dim == self.v_dim else f"d{self.qk_dim}x{self.v_dim}"
        words = [
            "attention",
            self.dtype,
            dims,
            "causal" * self.causal,
            "window" * self.has_window,
            "softcap" * bool(self.softcap),
            "bias" * bool(self.bias),
            "alibi" * self.alibi,
            "mask" * self.mask,
            "sink" * self.sink,
            "lengths" * self.has_lengths,
            "packed" * self.packed,
            "lse" * self.lse,
            options.get("cpu", chip),
            self.key(chip, options)[:12],
        ]
        return "-".join(word for word in words if word) + (".so" if chip == "cpu" else ".ptx")

    @property
    def has_window(self):
        return self.left is not None or self.right is not None

    @property
    def has_lengths(self):
        return self.q_lengths or self.kv_lengths

    def text(self):
        """The module: one function on memrefs, whose arguments are the artefact's tensors in order."""
        arguments = self._arguments()
        signature = ",\n    ".join(f"%{name}: {kind}{named}" for name, kind, named in arguments)
        return f"func.func @attention(\n    {signature}) {{\n{self._op(dict(a[:2] for a in arguments))}  return\n}}\n"

    def _arguments(self):
        """(name, type, attributes) of each argument. Captures need fa.name; the others are called as their roles."""
        rank = 3 if self.packed else 4
        rows = [("q", self.qk_dim, self.dtype), ("k", self.qk_dim, self.dtype), ("v", self.v_dim, self.dtype)]
        made = [(name, _rows(rank, dim, kind), "") for name, dim, kind in rows]
        for name in ("q_lengths", "kv_lengths"):
            if getattr(self, name):
                made.append((name, _any(1, "i32"), ""))
        if self.packed:
            made += [("q_offsets", _any(1, "i32"), ""), ("kv_offsets", _any(1, "i32"), "")]
        if self.sink:
            made.append(("sink", _any(1, "f32"), ""))
        captures = [("bias", 4, self.bias), ("alibi_slopes", 1, "f32" * self.alibi), ("mask", 4, "i1" * self.mask)]
        made += [(name, _any(r, kind), f' {{fa.name = "{name}"}}') for name, r, kind in captures if kind]
        made.append(("o", _rows(rank, self.v_dim, self.out_dtype), ""))
        if self.lse:
            made.append(("lse", _any(2 if self.packed else 3, "f32"), ""))
        return made

    def _op(self, types):
        outs = ["o", "lse"] if self.lse else ["o"]
        lines = [f"  fa.attention ins({_list(['q', 'k', 'v'], types)})", f"    outs({_list(outs, types)})"]
        for name in ("q_lengths", "kv_lengths", "q_offsets", "kv_offsets", "sink"):
            if name in types:
                lines.append(f"    {name}({_list([name], types)})")
        attributes = self._attributes()
        if attributes:
            lines.append("    {" + ", ".join(attributes) + "}")
        return "\n".join(lines + self._score(types) + self._keep(types)) + "\n"

    def _attributes(self):
        made = []
        if self.causal or self.has_window:
            words = ["bottom_right" if self.bottom_right else "top_left"]
            if self.causal:
                words.append("causal")
            if self.has_window:
                left, right = ("none" if bound is None else bound for bound in (self.left, self.right))
                words.append(f"window = [{left}, {right}]")
            made.append(f"mask = #fa.mask<{', '.join(words)}>")
        if self.scale_class != "positive":
            made.append(f"scale = {'0.0' if self.scale_class == 'zero' else '-1.0'} : f32")
        return made

    def _score(self, types):
        """The score region: softcap, then bias, then ALiBi."""
        lines, score = [], "%s"
        if self.softcap:
            lines += [
                f"%cap = arith.constant {self.softcap:.9e} : f32",
                "%scaled = arith.divf %s, %cap : f32",
                "%tanh = math.tanh %scaled : f32",
                "%capped = arith.mulf %tanh, %cap : f32",
            ]
            score = "%capped"
        if self.bias:
            lines.append(f"%b0 = memref.load %bias[%b, %h, %i, %j] : {types['bias']}")
            if self.bias != "f32":
                lines.append(f"%b1 = arith.extf %b0 : {self.bias} to f32")
            lines.append(f"%biased = arith.addf {score}, {'%b0' if self.bias == 'f32' else '%b1'} : f32")
            score = "%biased"
        if self.alibi:
            lines += [
                "%distance = arith.subi %j, %i : index",
                "%integer = arith.index_cast %distance : index to i64",
                "%float = arith.sitofp %integer : i64 to f32",
                f"%slope = memref.load %alibi_slopes[%h] : {types['alibi_slopes']}",
                "%line = arith.mulf %slope, %float : f32",
                f"%tilted = arith.addf {score}, %line : f32",
            ]
            score = "%tilted"
        if not lines:
            return []
        head = ["    score {", "    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):"]
        return head + ["      " + line for line in lines] + [f"      fa.yield {score} : f32", "    }"]

    def _keep(self, types):
        if not self.mask:
            return []
        return [
            "    mask {",
            "    ^bb0(%b: index, %h: index, %i: index, %j: index):",
            f"      %keep = memref.load %mask[%b, %h, %i, %j] : {types['mask']}",
            "      fa.yield %keep : i1",
            "    }",
        ]


def mask_fields(causal, window, bottom_right):
    """The fields of a Problem for a mask, equal ones for masks that keep the same keys. window: (left, right)."""
    left, right = window
    right = None if causal else right  # causal is the tighter bound
    bounded = causal or left is not None or right is not None
    return {"causal": causal, "left": left, "right": right, "bottom_right": bottom_right or not bounded}


def _rows(rank, dim, kind):
    """A tensor with rows of `dim` neighbouring elements."""
    return f"memref<{'?x' * (rank - 1)}{dim}x{kind}, strided<[{'?, ' * (rank - 1)}1], offset: ?>>"


def _any(rank, kind):
    return f"memref<{'?x' * rank}{kind}, strided<[{', '.join('?' * rank)}], offset: ?>>"


def _list(names, types):
    return ", ".join("%" + name for name in names) + " : " + ", ".join(types[name] for name in names)
