# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One call of attention, checked: the problem that it poses and its tensors in the kernel's order."""

from typing import NamedTuple

from . import _abi, _checks
from ._errors import ArgumentError
from ._problem import Problem, mask_fields
from ._tensors import view

# Where (batch, head, sequence, dim) stand in q, k, v and out.
_ORDERS = {"bhsd": (0, 1, 2, 3), "bshd": (0, 2, 1, 3)}
_REAL = (_abi.F16, _abi.BF16, _abi.F32)


class Options(NamedTuple):
    """The arguments of attention that are no tensors."""

    causal: bool
    window: object
    alignment: str
    scale: object
    softcap: object
    layout: str
    return_lse: bool


class Call(NamedTuple):
    problem: Problem
    scalars: dict
    device: tuple
    inputs: dict  # name -> View, in bhsd order
    out_sizes: tuple  # as the caller has it
    out_type: int
    lse_sizes: tuple
    layout: str

    def output(self, name, x, stream):
        """The View of an output for the kernel, checked. x: what the caller gave, or what was allocated."""
        v = view(name, x, stream, writable=True)
        _checks.device(name, v, self.device)
        if name == "lse_out":
            _checks.types(name, v, (_abi.F32,))
            _checks.sizes(name, v, self.lse_sizes)
            return v
        _checks.types(name, v, (self.out_type,))
        _checks.sizes(name, v, self.out_sizes)
        _checks.unit_stride(name, v)
        return v.permuted(_ORDERS[self.layout]) if self.layout in _ORDERS else v


def _check_options(options):
    _checks.flag("causal", options.causal)
    _checks.flag("return_lse", options.return_lse)
    _checks.choice("alignment", options.alignment, ("bottom_right", "top_left"))
    _checks.choice("layout", options.layout, ("bhsd", "bshd", "packed"))


def _scale(value):
    """The launch parameters and the class of the scale."""
    if value is None:
        return {}, "positive"
    value = _checks.finite("scale", value)
    return {"scale": value}, "positive" if value > 0 else "negative" if value < 0 else "zero"


def _main_tensors(given, options, stream):
    """q, k and v as Views in the kernel's order."""
    rank = 3 if options.layout == "packed" else 4
    views = {}
    for name in ("q", "k", "v"):
        v = view(name, given[name], stream)
        if len(v.sizes) != rank:
            _checks.fail(name, f"{rank} dimensions in the layout {options.layout}", len(v.sizes))
        _checks.unit_stride(name, v)
        views[name] = v.permuted(_ORDERS[options.layout]) if rank == 4 else v
    q, k, v = views.values()
    _checks.types("q", q, (_abi.F16, _abi.BF16))
    for name, other in (("k", k), ("v", v)):
        _checks.types(name, other, (q.type,))
        _checks.device(name, other, q.device)
    _checks.head_dim("q", q.sizes[-1])
    _checks.head_dim("v", v.sizes[-1])
    if k.sizes[-1] != q.sizes[-1]:
        _checks.fail("k", f"the head dim of q, {q.sizes[-1]}", k.sizes[-1])
    if k.sizes[:-1] != v.sizes[:-1]:
        _checks.fail(
            "v",
            "the sizes of k but for the head dim",
            f"{list(given_sizes(v, options))} and " f"{list(given_sizes(k, options))}",
        )
    if rank == 4 and k.sizes[0] != q.sizes[0]:
        _checks.fail("k", f"the batch size of q, {q.sizes[0]}", k.sizes[0])
    if k.sizes[1] == 0 and q.sizes[1] or k.sizes[1] and q.sizes[1] % k.sizes[1]:
        _checks.fail("k", f"a number of heads that divides q's {q.sizes[1]}", k.sizes[1])
    return views


def given_sizes(v, options):
    """A View's sizes in the caller's order (both orders are their own inverse)."""
    return v.permuted(_ORDERS[options.layout]).sizes if options.layout in _ORDERS else v.sizes


def _vector(name, x, size, kind, device, stream, why):
    v = view(name, x, stream)
    _checks.types(name, v, (kind,))
    _checks.sizes(name, v, (size,), why)
    _checks.device(name, v, device)
    return v


def _extra_tensors(given, q, k, options, stream):
    """The optional tensors that were given, in the order of the artefact's arguments."""
    packed = options.layout == "packed"
    for name in ("q_offsets", "kv_offsets"):
        if packed != (given[name] is not None):
            _checks.fail(name, "offsets with the layout packed, and with no other", f"layout {options.layout}")
    for name in ("q_lengths", "kv_lengths", "bias", "mask"):
        if packed and given[name] is not None:
            _checks.fail(name, "None in the layout packed", "a tensor")
    batch = q.sizes[0]
    made = {}
    for name in ("q_lengths", "kv_lengths"):
        if given[name] is not None:
            made[name] = _vector(name, given[name], batch, _abi.I32, q.device, stream, ", one a batch entry")
    if packed:
        first = view("q_offsets", given["q_offsets"], stream)
        entries = first.sizes[0] if len(first.sizes) == 1 else 0
        if entries < 1:
            _checks.fail("q_offsets", "one dimension of batch + 1 offsets", list(first.sizes))
        for name in ("q_offsets", "kv_offsets"):
            made[name] = _vector(name, given[name], entries, _abi.I32, q.device, stream, ", batch + 1")
    if given["sink"] is not None:
        made["sink"] = _vector("sink", given["sink"], q.sizes[1], _abi.F32, q.device, stream, ", one a query head")
    scores = (batch, q.sizes[1], q.sizes[2], k.sizes[2])
    if given["bias"] is not None:
        bias = view("bias", given["bias"], stream)
        _checks.types("bias", bias, _REAL)
        _checks.device("bias", bias, q.device)
        made["bias"] = bias.expanded("bias", scores)
    if given["alibi_slopes"] is not None:
        made["alibi_slopes"] = _vector(
            "alibi_slopes", given["alibi_slopes"], q.sizes[1], _abi.F32, q.device, stream, ", one a query head"
        )
    if given["mask"] is not None:
        mask = view("mask", given["mask"], stream)
        _checks.types("mask", mask, (_abi.I1,))
        _checks.device("mask", mask, q.device)
        made["mask"] = mask.expanded("mask", scores)
    return made


def analyse(given, options, out, lse_wanted, stream):
    """Checks a call. given: name -> tensor or None, for q, k, v and all optional inputs; out: the caller's, or None."""
    _check_options(options)
    window = _checks.window(options.window)
    scalars, scale_class = _scale(options.scale)
    softcap = None if options.softcap is None else _checks.finite("softcap", options.softcap, positive=True)
    inputs = _main_tensors(given, options, stream)
    q, k, v = inputs.values()
    inputs.update(_extra_tensors(given, q, k, options, stream))
    out_type = q.type
    if out is not None:
        out_type = view("out", out, stream).type
        if out_type not in (q.type, _abi.F32):
            _checks.fail("out", f"elements of {_abi.TYPE_NAMES[q.type]} or f32", _abi.TYPE_NAMES[out_type])
    name = _abi.TYPE_NAMES
    problem = Problem(
        dtype=name[q.type],
        qk_dim=q.sizes[-1],
        v_dim=v.sizes[-1],
        out_dtype=name[out_type],
        **mask_fields(options.causal, window, options.alignment == "bottom_right"),
        scale_class=scale_class,
        softcap=softcap,
        bias=name[inputs["bias"].type] if "bias" in inputs else None,
        alibi="alibi_slopes" in inputs,
        mask="mask" in inputs,
        sink="sink" in inputs,
        q_lengths="q_lengths" in inputs,
        kv_lengths="kv_lengths" in inputs,
        packed=options.layout == "packed",
        lse=lse_wanted,
    )
    out_sizes = given_sizes(q, options)[:-1] + (v.sizes[-1],)
    lse_sizes = q.sizes[:-1] if options.layout != "packed" else (q.sizes[1], q.sizes[0])
    return Call(problem, scalars, q.device, inputs, out_sizes, out_type, lse_sizes, options.layout)


def renamed(error):
    """The runtime's error with this package's names for the outputs."""
    text = str(error)
    for theirs, ours in (("o: ", "out: "), ("lse: ", "lse_out: ")):
        if text.startswith(theirs):
            return ArgumentError(ours + text[len(theirs) :])
    return error
