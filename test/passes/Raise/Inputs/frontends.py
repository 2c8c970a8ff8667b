# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Definitions of TOSA, StableHLO, ONNX and fused operators for interpreter.py."""

import re

import numpy as np

import mlirtext
from interpreter import OPERATORS, affine_map, dense, operator, run_region, softmax_of
from mlirtext import numbers, shape_of

# TOSA

ELEMENTWISE = {
    "add": np.add, "sub": np.subtract, "maximum": np.maximum, "minimum": np.minimum, "exp": np.exp, "log": np.log,
    "tanh": np.tanh, "abs": np.abs, "floor": np.floor, "ceil": np.ceil, "pow": np.power, "greater": np.greater,
    "greater_equal": np.greater_equal, "equal": np.equal, "logical_and": np.logical_and, "logical_or": np.logical_or,
    "logical_xor": np.logical_xor, "logical_not": np.logical_not, "select": np.where, "reciprocal": np.reciprocal,
    "rsqrt": lambda x: 1 / np.sqrt(x), "cast": lambda x: x, "identity": lambda x: x,
    "mul": lambda a, b, shift: a * b, "negate": lambda x, *zero: -x,
}
for name, function in ELEMENTWISE.items():
    OPERATORS["tosa." + name] = lambda m, op, x, s, f=function: f(*x)


@operator("tosa.const", "tosa.const_shape")
def tosa_const(machine, op, x, scope):
    if op.name == "tosa.const_shape":
        return [[int(n) for n in np.reshape(dense(op.attributes["values"]), -1)]]
    return dense(op.attributes["values"])


@operator("tosa.reshape")
def tosa_reshape(machine, op, x, scope):
    return x[0].reshape(shape_of(op.result_types[0]))


@operator("tosa.clamp")
def tosa_clamp(machine, op, x, scope):
    low, high = (float(op.attributes[name].split(":")[0]) for name in ("min_val", "max_val"))
    return np.clip(x[0], low, high)


@operator("tosa.slice", "tosa.tile")
def tosa_slice(machine, op, x, scope):
    if op.name == "tosa.tile":
        return np.tile(x[0], x[1])
    return x[0][tuple(slice(start, start + size) for start, size in zip(x[1], x[2]))]


@operator("tosa.concat")
def tosa_concat(machine, op, x, scope):
    return np.concatenate(x, axis=numbers(op.attributes["axis"])[0])


@operator("tosa.transpose")
def tosa_transpose(machine, op, x, scope):
    return x[0].transpose(numbers(op.attributes["perms"]))


@operator("tosa.matmul")
def tosa_matmul(machine, op, x, scope):
    return np.matmul(x[0], x[1])


for name, function in {"max": np.max, "sum": np.sum, "min": np.min, "all": np.all, "any": np.any}.items():
    OPERATORS["tosa.reduce_" + name] = lambda m, op, x, s, f=function: f(
        x[0], axis=numbers(op.attributes["axis"])[0], keepdims=True)


# StableHLO

HLO = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "maximum": np.maximum,
    "minimum": np.minimum, "exponential": np.exp, "log": np.log, "tanh": np.tanh, "sqrt": np.sqrt, "abs": np.abs,
    "rsqrt": lambda x: 1 / np.sqrt(x), "negate": np.negative, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor, "not": np.logical_not, "convert": lambda x: x, "select": np.where,
    "clamp": lambda low, x, high: np.minimum(np.maximum(x, low), high), "power": np.power,
}
for name, function in HLO.items():
    OPERATORS["stablehlo." + name] = lambda m, op, x, s, f=function: f(*x)


@operator("stablehlo.constant", "onnx.Constant")
def constant(machine, op, x, scope):
    return dense(op.attributes["value"])


@operator("stablehlo.iota")
def iota(machine, op, x, scope):
    shape, dim = shape_of(op.result_types[0]), numbers(op.attributes["iota_dimension"])[0]
    return np.broadcast_to(np.arange(shape[dim]).reshape([-1 if i == dim else 1 for i in range(len(shape))]), shape)


@operator("stablehlo.is_finite")
def is_finite(machine, op, x, scope):
    return np.isfinite(x[0])


@operator("stablehlo.get_dimension_size")
def dimension_size(machine, op, x, scope):
    return np.asarray(x[0].shape[numbers(op.attributes["dimension"])[0]])


@operator("stablehlo.broadcast_in_dim", "stablehlo.dynamic_broadcast_in_dim")
def broadcast_in_dim(machine, op, x, scope):
    shape, dims = shape_of(op.result_types[0]), numbers(op.attributes["broadcast_dimensions"])
    if len(x) > 1:
        shape = [int(n) for n in x[1]]
    full = [1] * len(shape)
    for extent, dim in zip(x[0].shape, dims):
        full[dim] = extent
    return np.broadcast_to(x[0].reshape(full), shape)


@operator("stablehlo.reshape")
def reshape(machine, op, x, scope):
    return x[0].reshape(shape_of(op.result_types[0]))


@operator("stablehlo.transpose")
def transpose(machine, op, x, scope):
    return x[0].transpose(numbers(op.attributes["permutation"]))


@operator("stablehlo.slice")
def slice_op(machine, op, x, scope):
    lists = [numbers(op.attributes[n]) for n in ("start_indices", "limit_indices", "strides")]
    return x[0][tuple(slice(*part) for part in zip(*lists))]


@operator("stablehlo.concatenate")
def concatenate(machine, op, x, scope):
    return np.concatenate(x, axis=numbers(op.attributes["dimension"])[0])


@operator("stablehlo.compare")
def compare(machine, op, x, scope):
    word = re.search(r"comparison_direction (\w+)", op.attributes["comparison_direction"]).group(1)
    return {"EQ": np.equal, "NE": np.not_equal, "GE": np.greater_equal, "GT": np.greater, "LE": np.less_equal,
            "LT": np.less}[word](x[0], x[1])


@operator("stablehlo.reduce")
def reduce(machine, op, x, scope):
    combine = op.regions[0][0].ops[0].name
    function = {"stablehlo.add": np.add, "stablehlo.maximum": np.maximum, "stablehlo.minimum": np.minimum,
                "stablehlo.and": np.logical_and, "stablehlo.or": np.logical_or}[combine]
    return function(function.reduce(x[0], axis=tuple(numbers(op.attributes["dimensions"]))), x[1])


@operator("stablehlo.dot_general")
def dot_general(machine, op, x, scope):
    text = op.attributes["dot_dimension_numbers"]

    def listed(name):
        found = re.search(name + r" = \[([^\]]*)\]", text)
        return numbers(found.group(1)) if found else []

    letters = iter("abcdefghijklmnopqrstuvwxyz")
    left, right = [None] * x[0].ndim, [None] * x[1].ndim
    out = []
    for a, b in zip(listed("lhs_batching_dimensions"), listed("rhs_batching_dimensions")):
        left[a] = right[b] = next(letters)
        out.append(left[a])
    for a, b in zip(listed("lhs_contracting_dimensions"), listed("rhs_contracting_dimensions")):
        left[a] = right[b] = next(letters)
    for side in (left, right):
        for i, letter in enumerate(side):
            if letter is None:
                side[i] = next(letters)
                out.append(side[i])
    return np.einsum(f"{''.join(left)},{''.join(right)}->{''.join(out)}", x[0], x[1], optimize=True)


# ONNX

ONNX = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Exp": np.exp, "Log": np.log,
    "Tanh": np.tanh, "Sqrt": np.sqrt, "Neg": np.negative, "Reciprocal": np.reciprocal, "MatMul": np.matmul,
    "Where": np.where, "Greater": np.greater, "Less": np.less, "GreaterOrEqual": np.greater_equal,
    "LessOrEqual": np.less_equal, "Equal": np.equal, "And": np.logical_and, "Or": np.logical_or,
    "Not": np.logical_not, "Identity": lambda x: x, "IsNaN": np.isnan, "Abs": np.abs,
    "Max": np.maximum, "Min": np.minimum, "Pow": np.power,
}
for name, function in ONNX.items():
    OPERATORS["onnx." + name] = lambda m, op, x, s, f=function: f(*x)


@operator("onnx.Cast")
def onnx_cast(machine, op, x, scope):
    return x[0] != 0 if mlirtext.element_of(op.result_types[0]) == "i1" else x[0]


@operator("onnx.NoValue")
def no_value(machine, op, x, scope):
    return None


@operator("onnx.Dim")
def onnx_dim(machine, op, x, scope):
    return np.array([x[0].shape[numbers(op.attributes["axis"])[0]]])


@operator("onnx.Shape")
def onnx_shape(machine, op, x, scope):
    start, end = (numbers(op.attributes.get(name, "none")) for name in ("start", "end"))
    return np.array(x[0].shape[start[0] if start else None:end[0] if end else None])


@operator("onnx.Slice")
def onnx_slice(machine, op, x, scope):
    starts, ends, axes = ([int(n) for n in part] for part in x[1:4])
    steps = [int(n) for n in x[4]] if len(x) > 4 and x[4] is not None else [1] * len(starts)
    for start, end, axis, step in zip(starts, ends, axes, steps):
        size = x[0].shape[axis]
        start, end = (n + size if n < 0 else n for n in (start, end))
        # What is out of range is moved to the ends, which for steps backwards are one place further down.
        back = step < 0
        start, end = min(max(start, 0), size - back), min(max(end, -back), size)
        x = [np.take(x[0], np.arange(start, end, step), axis=axis)]
    return x[0]


@operator("onnx.Concat")
def onnx_concat(machine, op, x, scope):
    return np.concatenate(x, axis=numbers(op.attributes["axis"])[0])


@operator("onnx.Reshape")
def onnx_reshape(machine, op, x, scope):
    copies = numbers(op.attributes.get("allowzero", "0"))[0] == 0
    return x[0].reshape([x[0].shape[i] if n == 0 and copies else int(n) for i, n in enumerate(x[1])])


@operator("onnx.Unsqueeze")
def unsqueeze(machine, op, x, scope):
    return np.expand_dims(x[0], tuple(int(a) for a in x[1]))


@operator("onnx.Squeeze")
def squeeze(machine, op, x, scope):
    return np.squeeze(x[0], tuple(int(a) for a in x[1]))


@operator("onnx.Expand")
def onnx_expand(machine, op, x, scope):
    return np.broadcast_to(x[0], np.broadcast_shapes(x[0].shape, tuple(int(n) for n in x[1])))


@operator("onnx.Transpose")
def onnx_transpose(machine, op, x, scope):
    return x[0].transpose(numbers(op.attributes["perm"]))


@operator("onnx.Softmax")
def onnx_softmax(machine, op, x, scope):
    return softmax_of(x[0], numbers(op.attributes.get("axis", "-1"))[0])


@operator("onnx.Gather")
def gather(machine, op, x, scope):
    return np.take(x[0], x[1].astype(int), axis=numbers(op.attributes.get("axis", "0"))[0])


@operator("onnx.ConstantOfShape")
def constant_of_shape(machine, op, x, scope):
    return np.full([int(n) for n in x[0]], dense(op.attributes["value"]).reshape(-1)[0])


@operator("onnx.Split")
def split(machine, op, x, scope):
    axis = numbers(op.attributes.get("axis", "0"))[0]
    return np.split(x[0], np.cumsum([int(n) for n in x[1]])[:-1], axis=axis)


@operator("onnx.Trilu")
def trilu(machine, op, x, scope):
    k = int(np.reshape(x[1], -1)[0]) if len(x) > 1 and x[1] is not None else 0
    function = np.triu if numbers(op.attributes.get("upper", "1"))[0] else np.tril
    return np.where(function(np.ones(x[0].shape[-2:], bool), k), x[0], 0)


@operator("onnx.Range")
def onnx_range(machine, op, x, scope):
    return np.arange(*(int(np.reshape(n, -1)[0]) for n in x))


@operator("onnx.ReduceMax", "onnx.ReduceSum", "onnx.ReduceMaxV13")
def onnx_reduce(machine, op, x, scope):
    function = np.max if op.name.startswith("onnx.ReduceMax") else np.sum
    keep = bool(numbers(op.attributes.get("keepdims", "1"))[0])
    axes = numbers(op.attributes["axes"]) if "axes" in op.attributes else np.reshape(x[1], -1)
    return function(x[0], axis=tuple(int(a) for a in axes), keepdims=keep)


def attend(q, k, v, scale, change):
    """Over [.., heads, rows, columns]; fewer heads of k and v serve neighbouring heads of q."""
    if q.ndim > 2 and q.shape[-3] != k.shape[-3]:
        group = q.shape[-3] // k.shape[-3]
        k, v = np.repeat(k, group, axis=-3), np.repeat(v, group, axis=-3)
    s = change(scale * np.einsum("...id,...jd->...ij", q, k))
    return np.einsum("...ij,...je->...ie", softmax_of(s, -1), v)


def with_mask(s, mask):
    if mask is None:
        return s
    return np.where(mask, s, -np.inf) if mask.dtype == bool else s + mask


@operator("onnx.Attention")
def onnx_attention(machine, op, x, scope):
    q, k, v, mask, past_k, past_v, lengths = (list(x) + [None] * 7)[:7]
    attributes = {n: float(t.split(":")[0]) for n, t in op.attributes.items() if re.match(r"-?\d", t)}
    packed = q.ndim == 3
    if packed:
        heads = [int(attributes["q_num_heads"])] + 2 * [int(attributes["kv_num_heads"])]
        q, k, v = (t.reshape(*t.shape[:2], h, -1).transpose(0, 2, 1, 3) for t, h in zip((q, k, v), heads))
    cached = 0
    if past_k is not None:
        cached = past_k.shape[2]
        k, v = np.concatenate([past_k, k], 2), np.concatenate([past_v, v], 2)
    scale = attributes.get("scale", q.shape[-1] ** -0.5)
    cap = attributes.get("softcap", 0)

    def change(s):
        i, j = np.ogrid[: s.shape[-2], : s.shape[-1]]
        if cap:
            s = cap * np.tanh(s / cap)
        s = with_mask(s, mask)
        if lengths is not None:
            s = np.where(j < np.reshape(lengths, (-1, 1, 1, 1)), s, -np.inf)
        return np.where(j <= i + cached, s, -np.inf) if attributes.get("is_causal", 0) else s

    y = attend(q, k, v, scale, change)
    if packed:
        y = y.transpose(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1)
    return [y, k, v, None]


@operator("tm_tensor.attention")
def tm_attention(machine, op, x, scope):
    mask = x[3] if len(x) == 5 else None
    scale = float(op.attributes["scale"].split(":")[0]) if "scale" in op.attributes else x[0].shape[-1] ** -0.5

    def change(s):
        i, j = np.ogrid[: s.shape[-2], : s.shape[-1]]
        s = np.where(j <= i, s, -np.inf) if op.attributes.get("is_causal") == "true" else s
        return with_mask(s, mask)

    return attend(*x[:3], scale, change)


@operator("iree_linalg_ext.index")
def iree_index(machine, op, x, scope):
    return scope["along"][numbers(op.attributes["dim"])[0]]


@operator("iree_linalg_ext.attention", "iree_linalg_ext.online_attention")
def iree_attention(machine, op, x, scope):
    online = op.name.endswith("online_attention")
    maps = [affine_map(part) for part in mlirtext.split(op.attributes["indexing_maps"].strip()[1:-1])]
    letters = {name: chr(97 + n) for n, name in enumerate(maps[0][0])}
    terms = ["".join(letters[r] for r in results) for _, results in maps]
    inits = 3 if online else 1
    out = terms[-inits]
    key = next(c for c in terms[2] if c not in out)
    rows = "".join(c for c in letters.values() if c in out and c in terms[0]) + key
    s = np.einsum(f"{terms[0]},{terms[1]}->{rows}", x[0], x[1], optimize=True) * x[3]
    along = {n: np.arange(s.shape[rows.index(c)]).reshape([-1 if c == r else 1 for r in rows])
             for n, c in enumerate(letters.values()) if c in rows}
    s = np.broadcast_to(run_region(machine, op.regions[0][0], scope | {"along": along}, [s]), s.shape)
    if len(maps) == 5 + inits:
        mask = x[4]
        full = [mask.shape[terms[4].index(c)] if c in terms[4] else 1 for c in rows]
        order = np.argsort([rows.index(c) for c in terms[4]])
        s = with_mask(s, mask.transpose(order).reshape(full))
    if not online:
        return np.einsum(f"{rows},{terms[2]}->{out}", softmax_of(s, -1), x[2], optimize=True)
    m = s.max(axis=-1)
    p = np.exp(s - m[..., None])
    product = np.einsum(f"{rows},{terms[2]}->{out}", p, x[2], optimize=True)
    return [product] + [np.einsum(f"{rows[:-1]}->{term}", value) for term, value in zip(terms[-2:], (m, p.sum(-1)))]
