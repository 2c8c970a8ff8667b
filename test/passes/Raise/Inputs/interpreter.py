# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs modules in generic form on float64 arrays, by the definitions of the operators.

Independent of the compiler: it follows the operators one by one, in the order of the text. What inputs go
into is not rounded to its element type, so that two texts of one meaning agree to 1e-6 and better; what is made of
constants alone is, since these are folded with rounding.
"""

import re

import numpy as np

import mlirtext
from mlirtext import element_of, numbers, shape_of

OPERATORS = {}


def operator(*names):
    def register(function):
        for name in names:
            OPERATORS[name] = function
        return function

    return register


def rounded(value, kind):
    """`value` in the element type `kind`."""
    value = np.asarray(value)
    if kind not in ("f16", "bf16", "f32", "f64"):
        if kind == "i1":
            return value != 0
        return np.trunc(value).astype(np.int64) if value.dtype.kind == "f" else value.astype(np.int64)
    value = value.astype(np.float64)
    with np.errstate(over="ignore"):
        if kind == "f16":
            return value.astype(np.float16).astype(np.float64)
        if kind == "f32":
            return value.astype(np.float32).astype(np.float64)
    if kind == "bf16":
        bits = np.atleast_1d(value.astype(np.float32)).view(np.uint32).astype(np.int64)
        bits = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16
        return bits.astype(np.uint32).view(np.float32).astype(np.float64).reshape(value.shape)
    return value


def plain(value, kind):
    """`value` as an array of the kind of number that `kind` is, without rounding."""
    value = np.asarray(value)
    if kind.startswith(("f", "bf")):
        return value.astype(np.float64)
    return rounded(value, kind)


class Undefined:
    """A result that nothing computes because nothing may read it."""


def number(text, kind):
    text = text.strip()
    if text in ("true", "false"):
        return text == "true"
    if text.lower().startswith("0x"):
        bits = int(text, 16)
        width = {"f16": np.uint16, "bf16": np.uint16, "f32": np.uint32, "f64": np.uint64}[kind]
        if kind == "bf16":
            return float(np.array(bits << 16, np.uint32).view(np.float32))
        return float(np.array(bits, width).view({"f16": np.float16, "f32": np.float32, "f64": np.float64}[kind]))
    return float(text) if kind.startswith(("f", "bf")) else int(text)


def dense(text):
    """The array of `dense<..> : tensor<..>` or of a scalar attribute."""
    value, _, kind = text.rpartition(":")
    value, kind = value.strip(), kind.strip()
    if not value:
        return np.asarray(text.strip() == "true")
    element = element_of(kind)
    if not value.startswith("dense"):
        return rounded(number(value, element), element)
    inner = value[len("dense<") : -1].strip()
    flat = re.findall(r"0x[0-9A-Fa-f]+|-?\d[\d.eE+-]*|true|false", inner)
    if inner.startswith('"0x'):
        data = bytes.fromhex(inner.strip('"')[2:])
        types = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}
        if element == "bf16":
            values = (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)
        elif element == "i1":
            values = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")
            values = values[: int(np.prod(shape_of(kind)))]
        else:
            values = np.frombuffer(data, types[element])
    else:
        values = np.array([number(part, element) for part in flat])
    values = rounded(values, element)
    shape = shape_of(kind)
    return np.broadcast_to(values.reshape(()) if values.size == 1 else values.reshape(shape), shape)


class Machine:
    def __init__(self, functions):
        self.functions = functions
        self.constants = set()  # names of what only constants go into

    def call(self, name, arguments):
        block = self.functions[name].regions[0][0]
        self.constants.difference_update(name for name, _ in block.arguments)
        scope = dict(zip((name for name, _ in block.arguments), arguments))
        return self.block(block, scope)

    def block(self, block, scope):
        for op in block.ops:
            if op.name in ("func.return", "onnx.Return"):
                return [scope[name] for name in op.operands]
            if op.name in ("linalg.yield", "fa.yield", "scf.yield", "tensor.yield", "stablehlo.return",
                           "iree_linalg_ext.yield", "linalg_ext.yield"):
                return [scope[name] for name in op.operands]
            results = self.run(op, scope)
            scope.update(zip(op.results, results))
        return []

    def run(self, op, scope):
        function = OPERATORS.get(op.name)
        if not function:
            raise NotImplementedError(f"no definition of {op.name}")
        operands = [scope[name] for name in op.operands]
        with np.errstate(all="ignore"):
            results = function(self, op, operands, scope)
        if not isinstance(results, (list, tuple)):
            results = [results]
        fixed = all(name in self.constants for name in op.operands)
        if fixed:
            self.constants.update(op.results)
        else:
            self.constants.difference_update(op.results)
        convert = rounded if fixed else plain
        return [r if isinstance(r, type) or r is None or kind.startswith("!") or kind == "none" else
                convert(r, element_of(kind)) for r, kind in zip(results, op.result_types)]


# Arithmetic on numbers and, element by element, on arrays.

UNARY = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "tanh": np.tanh, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "absf": np.abs, "floor": np.floor, "ceil": np.ceil,
}
for name, function in UNARY.items():
    OPERATORS["math." + name] = lambda m, op, x, s, f=function: f(x[0])
BINARY = {
    "addf": np.add, "addi": np.add, "subf": np.subtract, "subi": np.subtract, "mulf": np.multiply, "muli": np.multiply,
    "divf": np.divide, "divsi": lambda a, b: np.trunc(a / b), "divui": lambda a, b: a // b,
    "floordivsi": lambda a, b: a // b, "remsi": np.fmod, "maximumf": np.maximum, "maxnumf": np.fmax,
    "minimumf": np.minimum, "minnumf": np.fmin, "maxsi": np.maximum, "minsi": np.minimum,
}
for name, function in BINARY.items():
    OPERATORS["arith." + name] = lambda m, op, x, s, f=function: f(x[0], x[1])
LOGIC = {"andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor}
for name, function in LOGIC.items():
    OPERATORS["arith." + name] = lambda m, op, x, s, f=function: f(x[0], x[1])
for name in "extf truncf extui sitofp uitofp fptosi index_cast index_castui trunci".split():
    OPERATORS["arith." + name] = lambda m, op, x, s: x[0]


@operator("arith.extsi")
def extsi(machine, op, x, scope):
    return -x[0].astype(np.int64) if x[0].dtype == bool else x[0]


@operator("arith.negf")
def negf(machine, op, x, scope):
    return -x[0]


@operator("arith.select")
def select(machine, op, x, scope):
    return np.where(x[0], x[1], x[2])


@operator("arith.constant")
def constant(machine, op, x, scope):
    return dense(op.attributes["value"])


@operator("arith.cmpi")
def cmpi(machine, op, x, scope):
    predicates = [np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, np.less, np.less_equal,
                  np.greater, np.greater_equal]
    return predicates[numbers(op.attributes["predicate"])[0]](x[0], x[1])


@operator("arith.cmpf")
def cmpf(machine, op, x, scope):
    which = numbers(op.attributes["predicate"])[0]
    if which == 14:
        return np.isnan(x[0]) | np.isnan(x[1])
    names = {1: np.equal, 2: np.greater, 3: np.greater_equal, 4: np.less, 5: np.less_equal, 6: np.not_equal,
             13: np.not_equal, 8: np.equal, 9: np.greater, 10: np.greater_equal, 11: np.less, 12: np.less_equal}
    return names[which](x[0], x[1])


def affine_map(text):
    """(number of dimensions, number of symbols, result expressions as Python)."""
    found = re.match(r"affine_map<\(([^)]*)\)(?:\[([^\]]*)\])? -> \((.*)\)>$", text.strip())
    dims, symbols = found.group(1).split(","), (found.group(2) or "").split(",")
    names = [n.strip() for n in dims + symbols if n.strip()]
    results = [r.replace("floordiv", "//").replace("mod", "%") for r in mlirtext.split(found.group(3))]
    return names, results


@operator("affine.apply")
def affine_apply(machine, op, x, scope):
    names, results = affine_map(op.attributes["map"])
    return eval(results[0], {}, dict(zip(names, x)))


@operator("scf.if")
def scf_if(machine, op, x, scope):
    return machine.block(op.regions[0 if x[0] else 1][0], dict(scope))


# func, cf, tensor

@operator("func.call")
def call(machine, op, x, scope):
    return machine.call(op.attributes["callee"].lstrip("@"), x)


@operator("cf.assert")
def check(machine, op, x, scope):
    assert x[0], op.attributes["msg"]
    return []


@operator("tensor.dim")
def dim(machine, op, x, scope):
    return np.asarray(x[0].shape[int(x[1])])


def static_shape(op, sizes=()):
    sizes = [int(s) for s in sizes]
    return [sizes.pop(0) if n is None else n for n in shape_of(op.result_types[0])]


@operator("tensor.empty")
def empty(machine, op, x, scope):
    # Reads of it show.
    kind = element_of(op.result_types[0])
    return np.full(static_shape(op, x), 12345 if kind.startswith("i") else np.nan)


@operator("tensor.splat")
def splat(machine, op, x, scope):
    return np.full(static_shape(op, x[1:]), x[0])


@operator("tensor.from_elements")
def from_elements(machine, op, x, scope):
    return np.array(x).reshape(shape_of(op.result_types[0]))


@operator("tensor.cast")
def tensor_cast(machine, op, x, scope):
    return x[0]


@operator("tensor.collapse_shape")
def collapse(machine, op, x, scope):
    groups = [numbers(g) for g in mlirtext.split(op.attributes["reassociation"].strip()[1:-1])]
    return x[0].reshape([int(np.prod([x[0].shape[d] for d in g])) for g in groups])


@operator("tensor.expand_shape")
def expand(machine, op, x, scope):
    sizes = [int(s) for s in x[1:]]
    return x[0].reshape([sizes.pop(0) if n < 0 else n for n in numbers(op.attributes["static_output_shape"])])


@operator("tensor.extract")
def extract(machine, op, x, scope):
    indices = np.broadcast_arrays(*x[1:]) if len(x) > 1 else ()
    for index, extent in zip(indices, x[0].shape):
        assert index.size == 0 or (index.min() >= 0 and index.max() < extent), "a read out of bounds"
    return x[0][tuple(indices)]


@operator("tensor.extract_slice")
def extract_slice(machine, op, x, scope):
    dynamic = [int(v) for v in x[1:]]
    minimum = -(2**63)
    lists = [[dynamic.pop(0) if n == minimum else n for n in numbers(op.attributes[name])]
             for name in ("static_offsets", "static_sizes", "static_strides")]
    cut = x[0][tuple(slice(o, o + n * s, s) for o, n, s in zip(*lists))]
    same = cut.ndim == len(shape_of(op.result_types[0]))
    return cut if same else cut.reshape(static_shape(op, cut.shape))


@operator("tensor.concat")
def concat(machine, op, x, scope):
    return np.concatenate(x, axis=numbers(op.attributes["dim"])[0])


# linalg

def linalg_maps(op):
    text = op.attributes.get("indexing_maps")
    return [affine_map(part) for part in mlirtext.split(text.strip()[1:-1])] if text else None


def einsum(maps, x):
    letters = {name: chr(97 + i) for i, name in enumerate(maps[0][0])}
    terms = ["".join(letters[r] for r in results) for _, results in maps]
    return np.einsum(f"{terms[0]},{terms[1]}->{terms[2]}", x[0], x[1], optimize=True)


def is_product(op):
    names = [inner.name for inner in op.regions[0][0].ops]
    rest = [n for n in names if n not in ("arith.extf", "arith.mulf", "arith.addf", "linalg.yield")]
    return not rest and names.count("arith.mulf") == 1 and names.count("arith.addf") == 1 and len(op.operands) == 3


@operator("linalg.matmul", "linalg.batch_matmul")
def matmul(machine, op, x, scope):
    maps = linalg_maps(op)
    plain = maps is None or [r for _, r in maps][1][-2:] == [maps[0][1][-1], maps[2][1][-1]]
    return (np.matmul(x[0], x[1]) if plain else einsum(maps, x)) + x[2]


@operator("linalg.contract")
def contract(machine, op, x, scope):
    return einsum(linalg_maps(op), x) + x[2]


@operator("linalg.fill")
def fill(machine, op, x, scope):
    return np.full(x[1].shape, x[0])


@operator("linalg.transpose")
def transpose(machine, op, x, scope):
    return x[0].transpose(numbers(op.attributes["permutation"]))


@operator("linalg.broadcast")
def broadcast(machine, op, x, scope):
    return np.broadcast_to(np.expand_dims(x[0], tuple(numbers(op.attributes["dimensions"]))), x[1].shape)


@operator("linalg.softmax")
def softmax(machine, op, x, scope):
    return softmax_of(x[0], numbers(op.attributes["dimension"])[0])


def softmax_of(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


for name, function in {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
                       "max": np.maximum}.items():
    OPERATORS["linalg." + name] = lambda m, op, x, s, f=function: f(x[0], x[1])
for name, function in {"exp": np.exp, "log": np.log, "tanh": np.tanh, "reciprocal": np.reciprocal}.items():
    OPERATORS["linalg." + name] = lambda m, op, x, s, f=function: f(x[0])


@operator("linalg.map")
def linalg_map(machine, op, x, scope):
    block = op.regions[0][0]
    inner = dict(scope)
    inner.update(zip((name for name, _ in block.arguments), x))
    return np.broadcast_to(machine.block(block, inner)[0], x[-1].shape)


class Indices:
    def __init__(self, loops):
        self.loops = loops


@operator("linalg.index")
def linalg_index(machine, op, x, scope):
    return scope["loops"].loops[numbers(op.attributes["dim"])[0]]


REDUCERS = {"arith.addf": np.add, "arith.addi": np.add, "arith.mulf": np.multiply, "arith.maximumf": np.maximum,
            "arith.maxnumf": np.fmax, "arith.minimumf": np.minimum, "arith.andi": np.logical_and,
            "arith.ori": np.logical_or, "arith.maxsi": np.maximum}


@operator("linalg.generic", "linalg.reduce")
def generic(machine, op, x, scope):
    maps = linalg_maps(op)
    if op.name == "linalg.reduce":
        rank, dims = x[0].ndim, numbers(op.attributes["dimensions"])
        names = [f"d{i}" for i in range(rank)]
        kept = [n for i, n in enumerate(names) if i not in dims]
        maps = [(names, names), (names, kept)]
        kinds = ["reduction" if i in dims else "parallel" for i in range(rank)]
    else:
        kinds = re.findall(r"parallel|reduction", op.attributes["iterator_types"])
    if "reduction" in kinds and is_product(op):
        return einsum(maps, x) + x[2]
    names = maps[0][0]
    extents = {}
    for (_, results), value in zip(maps, x):
        for result, extent in zip(results, np.shape(value)):
            if result in names:
                extents[result] = extent
    shape = [extents[name] for name in names]
    loops = [np.arange(n).reshape([-1 if i == j else 1 for j in range(len(shape))]) for i, n in enumerate(shape)]
    inner = dict(scope)
    inner["loops"] = Indices(loops)
    block = op.regions[0][0]
    for (name, _), value, (_, results) in zip(block.arguments, x, maps):
        inner[name] = spread(value, results, names)
    outputs = len(op.results)
    if "reduction" not in kinds:
        values = machine.block(block, inner)
        return [gathered(np.broadcast_to(v, shape), results, names)
                for v, (_, results) in zip(values, maps[len(x) - outputs:])]
    return reduce_generic(machine, op, block, inner, x, maps, names, shape, kinds)


def spread(value, results, names):
    """An operand over all loops, with extent 1 where it does not vary."""
    value = np.asarray(value)
    order = [i for i, r in enumerate(results) if r in names]
    fixed = tuple(slice(None) if r in names else int(r) for r in results)
    value = value[fixed]
    value = value.transpose(np.argsort([names.index(results[i]) for i in order]))
    full = [1] * len(names)
    for i, extent in zip(sorted(names.index(results[i]) for i in order), value.shape):
        full[i] = extent
    return value.reshape(full)


def gathered(value, results, names):
    order = [names.index(r) for r in results if r in names]
    rest = [i for i in range(len(names)) if i not in order]
    value = value.transpose(order + rest)
    shape = iter(value.shape[: len(order)])
    return value.reshape([next(shape) if r in names else 1 for r in results])


def computed(machine, block, scope, wanted):
    """`scope` with what is computed up to `wanted` of the values in it."""
    scope = dict(scope)
    for o in block.ops:
        if wanted in scope:
            break
        if all(name in scope for name in o.operands):
            scope.update(zip(o.results, machine.run(o, scope)))
    return scope


def reads(block, value, names):
    """Whether one of `names` goes into `value`."""
    if value in names:
        return True
    producer = next((o for o in block.ops if value in o.results), None)
    return producer is not None and any(reads(block, operand, names) for operand in producer.operands)


def reduce_generic(machine, op, block, inner, x, maps, names, shape, kinds):
    accumulators = [name for name, _ in block.arguments[len(x) - len(op.results):]]
    producers = {result: o for o in block.ops for result in o.results}
    results = []
    for which, yielded in enumerate(block.ops[-1].operands):
        last = producers.get(yielded)
        accumulator = accumulators[which]
        _, out = maps[len(x) - len(op.results) + which]
        if sorted(out) == sorted(names) and not reads(block, yielded, accumulators):
            scope = computed(machine, block, inner, yielded)
            results.append(gathered(np.broadcast_to(scope[yielded], shape), out, names))
            continue
        if not last or last.name not in REDUCERS or accumulator not in last.operands:
            results.append(Undefined)
            continue
        term = last.operands[1 - last.operands.index(accumulator)]
        scope = computed(machine, block, {n: v for n, v in inner.items() if n not in accumulators}, term)
        value = np.broadcast_to(scope[term], shape)
        axes = tuple(i for i, kind in enumerate(kinds) if kind == "reduction")
        value = REDUCERS[last.name].reduce(value, axis=axes, keepdims=True)
        kept = [1 if i in axes else n for i, n in enumerate(shape)]
        value = gathered(np.broadcast_to(value, kept), [r if r in names and kinds[names.index(r)] == "parallel" else "0"
                                                        for r in out], names)
        results.append(REDUCERS[last.name](value, x[len(x) - len(op.results) + which]))
    return results


# fa

@operator("fa.attention")
def attention(machine, op, x, scope):
    segments = numbers(op.attributes["operandSegmentSizes"])
    parts = []
    for size in segments:
        parts.append(x[:size])
        x = x[size:]
    q, k, v = (part[0] for part in parts[:3])
    bshd = "bshd" in op.attributes.get("layout", "")
    if bshd:
        q, k, v = (t.transpose(0, 2, 1, 3) for t in (q, k, v))
    group = q.shape[1] // k.shape[1]
    k, v = (np.repeat(t, group, axis=1) for t in (k, v))
    scale = float(dense(op.attributes["scale"])) if "scale" in op.attributes else q.shape[-1] ** -0.5
    s = scale * np.einsum("bhid,bhjd->bhij", q, k)
    b, h, i, j = np.ogrid[tuple(slice(n) for n in s.shape)]
    index = [np.asarray(n) for n in (b, h, i, j)]
    if op.regions[0]:
        s = np.broadcast_to(run_region(machine, op.regions[0][0], scope, [s] + index), s.shape)
    kept = np.ones(s.shape, bool)
    if len(op.regions) > 1 and op.regions[1]:
        kept &= run_region(machine, op.regions[1][0], scope, index)
    keys = np.full(s.shape[0], s.shape[3])
    if parts[5]:
        keys = np.clip(parts[5][0], 0, s.shape[3])
    kept = kept & (j < keys[:, None, None, None])
    kept &= band(op.attributes.get("mask", ""), i, j, s.shape[2], keys[:, None, None, None])
    s = np.where(kept, s, -np.inf)
    m = s.max(axis=-1, keepdims=True)
    sink = parts[8][0].reshape(1, -1, 1, 1) if parts[8] else np.full((1, 1, 1, 1), -np.inf)
    m = np.maximum(m, sink)
    m = np.where(np.isinf(m), 0, m)
    e = np.exp(s - m)
    l = e.sum(axis=-1, keepdims=True) + np.exp(sink - m)
    o = np.einsum("bhij,bhje->bhie", e / np.where(l == 0, 1, l), v)
    o = o.transpose(0, 2, 1, 3) if bshd else o
    return [o, (m + np.log(l))[..., 0]][: len(op.results)]


def run_region(machine, block, scope, arguments):
    inner = dict(scope)
    inner.update(zip((name for name, _ in block.arguments), arguments))
    return machine.block(block, inner)[0]


def band(text, i, j, rows, keys):
    if not text:
        return True
    offset = keys - rows if "bottom_right" in text else 0
    left = right = None
    window = re.search(r"window = \[(\w+), (\w+)\]", text)
    if window:
        left, right = (None if w == "none" else int(w) for w in window.groups())
    if "causal" in text:
        right = 0
    kept = np.ones(np.broadcast_shapes(np.shape(i), np.shape(j), np.shape(offset)), bool)
    if right is not None:
        kept &= j <= i + offset + right
    if left is not None:
        kept &= j >= i + offset - left
    return kept
