# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same tensor program as text of each front end: one class a form, all with the operations of `Emitter`."""

NINF = {"f16": "0xFC00", "bf16": "0xFF80", "f32": "0xFF800000"}


class Dynamic(int):
    """An extent that the types do not say; `name` is its value as an index."""

    def __new__(cls, number, name):
        made = super().__new__(cls, number)
        made.name = name
        return made


def kind(shape, element):
    return f"tensor<{''.join('?x' if isinstance(n, Dynamic) else f'{n}x' for n in shape)}{element}>"


def literal(number, element):
    if isinstance(number, bool):
        return "true" if number else "false"
    if number == float("-inf"):
        return NINF[element]
    return f"{number:.9e}" if element in ("f16", "bf16", "f32", "f64") else str(int(number))


class Emitter:
    """Values are names; `kinds` has shape and element type of each."""

    terminator = "return"

    def __init__(self, name):
        self.name, self.lines, self.arguments, self.kinds, self.count = name, [], [], {}, 0

    def type(self, value):
        return kind(*self.kinds[value])

    def shape(self, value):
        return self.kinds[value][0]

    def element(self, value):
        return self.kinds[value][1]

    def new(self, shape, element):
        self.count += 1
        value = f"%v{self.count}"
        self.kinds[value] = (list(shape), element)
        return value

    def argument(self, shape, element):
        value = f"%arg{len(self.arguments)}"
        self.kinds[value] = (list(shape), element)
        self.arguments.append(value)
        for place, extent in enumerate(shape):
            if isinstance(extent, Dynamic):
                self.measure(value, place, extent.name)
        return value

    def measure(self, value, place, name):
        """Gives a dynamic extent its name, where operations ask for it."""

    def op(self, shape, element, text):
        value = self.new(shape, element)
        self.lines.append(f"{value} = {text}")
        return value

    def generic_op(self, name, operands, shape, element, attributes="", regions=""):
        """An operation in generic form."""
        attributes = f" <{{{attributes}}}>" if attributes else ""
        return self.op(shape, element, f'"{name}"({", ".join(operands)}){attributes}{regions} : '
                       f"({', '.join(self.type(o) for o in operands)}) -> {kind(shape, element)}")

    def finish(self, *results):
        arguments = ", ".join(f"{a}: {self.type(a)}" for a in self.arguments)
        types = ", ".join(self.type(r) for r in results)
        body = "\n    ".join(self.lines)
        if self.terminator == "return":
            end = f"return {', '.join(results)} : {types}"
        else:
            end = f'"{self.terminator}"({", ".join(results)}) : ({types}) -> ()'
        return f"module {{\n  func.func @{self.name}({arguments}) -> ({types}) {{\n    {body}\n    {end}\n  }}\n}}\n"

    # What the forms have in common, in terms of what each defines.

    def scalar(self, number, element, shape):
        """A constant for all of a shape."""
        return self.broadcast(self.constant(number, element), shape, [])

    def table(self, rows):
        """A constant of booleans, given as rows."""
        shape = [len(rows), len(rows[0])]
        text = ", ".join("[" + ", ".join(literal(bool(n), "i1") for n in row) + "]" for row in rows)
        return self.dense(f"dense<[{text}]> : {kind(shape, 'i1')}", shape, "i1")

    def dense(self, text, shape, element):
        name, attribute = self.CONSTANT
        return self.op(shape, element, f'"{name}"() <{{{attribute} = {text}}}> : () -> {kind(shape, element)}')

    def joined(self, values):
        """The shape of these one behind another along the last dimension."""
        return self.shape(values[0])[:-1] + [sum(self.shape(value)[-1] for value in values)]

    def row(self, value, shape):
        """A reduced value (without the last dimension) for all of a shape."""
        return self.broadcast(value, shape, list(range(len(shape) - 1)))


FLOAT = {"add": "addf", "sub": "subf", "mul": "mulf", "div": "divf", "max": "maximumf", "min": "minimumf"}
INTEGER = {"add": "addi", "sub": "subi", "mul": "muli", "and": "andi", "or": "ori", "xor": "xori"}


class Linalg(Emitter):
    """linalg on tensors as torch-mlir prints it: a generic op each."""

    CONSTANT = ("arith.constant", "value")

    def map(self, rank, dims):
        return f"affine_map<({', '.join(f'd{i}' for i in range(rank))}) -> ({', '.join(dims)})>"

    def constant(self, number, element):
        return self.op([], element, f"arith.constant dense<{literal(number, element)}> : tensor<{element}>")

    def number(self, number, element):
        self.count += 1
        name = f"%c{self.count}"
        self.lines.append(f"{name} = arith.constant {literal(number, element)}" +
                          ("" if element == "i1" else f" : {element}"))
        return name

    def measure(self, value, place, name):
        if not any(line.startswith(f"{name} = ") for line in self.lines):
            self.lines.append(f"{name}_at = arith.constant {place} : index")
            self.lines.append(f"{name} = tensor.dim {value}, {name}_at : {self.type(value)}")

    def empty(self, shape, element):
        sizes = ", ".join(n.name for n in shape if isinstance(n, Dynamic))
        return self.op(shape, element, f"tensor.empty({sizes}) : {kind(shape, element)}")

    def filled(self, number, shape, element):
        init = self.empty(shape, element)
        value = self.number(number, element)
        t = kind(shape, element)
        return self.op(shape, element, f"linalg.fill ins({value} : {element}) outs({init} : {t}) -> {t}")

    def generic(self, operands, maps, init, out_map, kinds, body):
        """`body` gets names of the block's arguments and gives lines, the last one being the yielded value."""
        shape, element = self.kinds[init]
        names = [f"%a{i}" for i in range(len(operands))] + ["%out"]
        elements = [self.element(o) for o in operands] + [element]
        arguments = ", ".join(f"{n}: {e}" for n, e in zip(names, elements))
        rank = len(kinds)
        every = ", ".join([self.map(rank, m) for m in maps] + [self.map(rank, out_map)])
        ins = (f" ins({', '.join(operands)} : {', '.join(self.type(o) for o in operands)})" if operands else "")
        lines, result = body(names)
        block = "".join(f"\n      {line}" for line in lines)
        iterators = ", ".join(f'"{k}"' for k in kinds)
        return self.op(shape, element,
                       f"linalg.generic {{indexing_maps = [{every}], iterator_types = [{iterators}]}}{ins} "
                       f"outs({init} : {self.type(init)}) {{\n    ^bb0({arguments}):{block}\n"
                       f"      linalg.yield {result} : {element}\n    }} -> {self.type(init)}")

    def pointwise(self, operands, shape, element, body):
        rank = len(shape)
        dims = [f"d{i}" for i in range(rank)]
        return self.generic(operands, [dims] * len(operands), self.empty(shape, element), dims, ["parallel"] * rank,
                            body)

    def iota(self, shape, dim):
        def body(names):
            return [f"%i = linalg.index {dim} : index", "%r = arith.index_cast %i : index to i64"], "%r"

        return self.pointwise([], shape, "i64", body)

    def binary(self, which, a, b):
        e = self.element(a)
        name = (FLOAT if "f" in e else INTEGER)[which]
        return self.pointwise([a, b], self.shape(a), e, lambda n: ([f"%r = arith.{name} {n[0]}, {n[1]} : {e}"], "%r"))

    def unary(self, which, a):
        e = self.element(a)
        name = {"exp": "math.exp", "tanh": "math.tanh", "sqrt": "math.sqrt", "log": "math.log", "exp2": "math.exp2"}
        return self.pointwise([a], self.shape(a), e, lambda n: ([f"%r = {name[which]} {n[0]} : {e}"], "%r"))

    def invert(self, a):
        return self.pointwise([a], self.shape(a), "i1", lambda n: (
            ["%t = arith.constant true", f"%r = arith.xori {n[0]}, %t : i1"], "%r"))

    def compare(self, which, a, b):
        e = self.element(a)
        signed = which if which in ("eq", "ne") else "s" + which
        name = f"arith.cmpf o{which}" if "f" in e else f"arith.cmpi {signed}"
        return self.pointwise([a, b], self.shape(a), "i1", lambda n: ([f"%r = {name}, {n[0]}, {n[1]} : {e}"], "%r"))

    def select(self, c, a, b):
        e = self.element(a)
        return self.pointwise([c, a, b], self.shape(a), e, lambda n: (
            [f"%r = arith.select {n[0]}, {n[1]}, {n[2]} : {e}"], "%r"))

    def cast(self, a, to):
        e = self.element(a)
        if e == to:
            return a
        if "f" in e:
            name = "extf" if to == "f32" else "truncf"
        else:
            name = ("uitofp" if e == "i1" else "sitofp") if "f" in to else "extui" if e == "i1" else "extsi"
        return self.pointwise([a], self.shape(a), to, lambda n: ([f"%r = arith.{name} {n[0]} : {e} to {to}"], "%r"))

    def transpose(self, a, perm):
        shape = [self.shape(a)[p] for p in perm]
        init = self.empty(shape, self.element(a))
        return self.op(shape, self.element(a), f"linalg.transpose ins({a} : {self.type(a)}) outs({init} : "
                       f"{self.type(init)}) permutation = {perm}")

    def groups(self, long, short):
        result, i = [], 0
        for n in short:
            group, product = [i], long[i]
            i += 1
            while product < n:
                product *= long[i]
                group.append(i)
                i += 1
            result.append(group)
        while i < len(long):
            result[-1].append(i)
            i += 1
        return result

    def reshape(self, a, shape):
        old, e = self.shape(a), self.element(a)
        if old == list(shape):
            return a
        if len(shape) < len(old):
            return self.op(shape, e, f"tensor.collapse_shape {a} {self.groups(old, shape)} : {self.type(a)} into "
                           f"{kind(shape, e)}")
        sizes = ", ".join(n.name if isinstance(n, Dynamic) else str(n) for n in shape)
        return self.op(shape, e, f"tensor.expand_shape {a} {self.groups(shape, old)} output_shape [{sizes}] : "
                       f"{self.type(a)} into {kind(shape, e)}")

    def concat(self, values):
        shape, e = self.joined(values), self.element(values[0])
        return self.op(shape, e, f"tensor.concat dim({len(shape) - 1}) {', '.join(values)} : "
                       f"({', '.join(self.type(v) for v in values)}) -> {kind(shape, e)}")

    def cut(self, a, start, length):
        """`length` of the last dimension from `start` on."""
        shape = self.shape(a)[:-1] + [length]
        sizes = ", ".join(n.name if isinstance(n, Dynamic) else str(n) for n in shape)
        return self.op(shape, self.element(a), f"tensor.extract_slice {a}{[0] * (len(shape) - 1) + [start]} [{sizes}] "
                       f"{[1] * len(shape)} : {self.type(a)} to {kind(shape, self.element(a))}")

    def broadcast(self, a, shape, dims):
        rank = len(shape)
        source = ["0" if n == 1 and shape[d] != 1 else f"d{d}" for n, d in zip(self.shape(a), dims)]
        return self.generic([a], [source], self.empty(shape, self.element(a)), [f"d{i}" for i in range(rank)],
                            ["parallel"] * rank, lambda n: ([], n[0]))

    def reduce(self, which, a):
        shape, e = self.shape(a), self.element(a)
        start = {"max": float("-inf"), "add": 0, "and": True, "or": False}[which]
        init = self.filled(start, shape[:-1], e)
        rank = len(shape)
        name = {"max": "maximumf", "add": "addf", "and": "andi", "or": "ori"}[which]
        dims = [f"d{i}" for i in range(rank)]
        return self.generic([a], [dims], init, dims[:-1], ["parallel"] * (rank - 1) + ["reduction"],
                            lambda n: ([f"%r = arith.{name} {n[0]}, {n[1]} : {e}"], "%r"))

    def contract(self, a, b, spec, to):
        """`spec` as in einsum; the accumulator is f32."""
        left, right, out = spec.replace("->", ",").split(",")
        letters = list(dict.fromkeys(out + left + right))
        extents = dict(zip(left, self.shape(a))) | dict(zip(right, self.shape(b)))
        init = self.filled(0, [extents[c] for c in out], "f32")
        dims = [[f"d{letters.index(c)}" for c in term] for term in (left, right, out)]
        kinds = ["parallel" if c in out else "reduction" for c in letters]

        def body(n):
            lines = []
            for i, value in enumerate((a, b)):
                if self.element(value) != "f32":
                    lines.append(f"%x{i} = arith.extf {n[i]} : {self.element(value)} to f32")
                else:
                    lines.append(f"%x{i} = arith.addf {n[i]}, %zero : f32")
            lines = [line for line in lines if "%zero" not in line]
            x = [f"%x{i}" if self.element(v) != "f32" else n[i] for i, v in enumerate((a, b))]
            return lines + [f"%p = arith.mulf {x[0]}, {x[1]} : f32", f"%r = arith.addf %p, {n[2]} : f32"], "%r"

        return self.cast(self.generic([a, b], dims[:2], init, dims[2], kinds, body), to)


    def exp_and_sum(self, s, m):
        """exp(s - m) and its sums, as two results of one operation."""
        shape, e = self.shape(s), self.element(s)
        rank = len(shape)
        dims = [f"d{i}" for i in range(rank)]
        every = ", ".join(self.map(rank, d) for d in (dims, dims[:-1], dims, dims[:-1]))
        iterators = ", ".join(['"parallel"'] * (rank - 1) + ['"reduction"'])
        inits = [self.empty(shape, e), self.filled(0, shape[:-1], e)]
        types = ", ".join(self.type(i) for i in inits)
        self.count += 1
        name = f"%pair{self.count}"
        self.lines.append(f"{name}:2 = linalg.generic {{indexing_maps = [{every}], iterator_types = [{iterators}]}} "
                          f"ins({s}, {m} : {self.type(s)}, {self.type(m)}) outs({', '.join(inits)} : {types}) {{\n"
                          f"    ^bb0(%a0: {e}, %a1: {e}, %out: {e}, %sum: {e}):\n"
                          f"      %d = arith.subf %a0, %a1 : {e}\n      %x = math.exp %d : {e}\n"
                          f"      %r = arith.addf %x, %sum : {e}\n      linalg.yield %x, %r : {e}, {e}\n"
                          f"    }} -> ({types})")
        self.kinds[f"{name}#0"], self.kinds[f"{name}#1"] = (shape, e), (shape[:-1], e)
        return f"{name}#0", f"{name}#1"


class Named(Linalg):
    """Upstream's named operators, arith on tensors, linalg.softmax."""

    softmax_op = True

    def binary(self, which, a, b):
        e = self.element(a)
        if "f" in e and which in ("add", "sub", "mul", "div"):
            init = self.empty(self.shape(a), e)
            t = self.type(a)
            return self.op(self.shape(a), e, f"linalg.{which} ins({a}, {b} : {t}, {t}) outs({init} : {t}) -> {t}")
        name = (FLOAT if "f" in e else INTEGER)[which]
        return self.op(self.shape(a), e, f"arith.{name} {a}, {b} : {self.type(a)}")

    def select(self, c, a, b):
        return self.op(self.shape(a), self.element(a),
                       f"arith.select {c}, {a}, {b} : {self.type(c)}, {self.type(a)}")

    def cast(self, a, to):
        e = self.element(a)
        if "f" not in e or "f" not in to or e == to:
            return super().cast(a, to)
        name = "extf" if to == "f32" else "truncf"
        return self.op(self.shape(a), to, f"arith.{name} {a} : {self.type(a)} to {kind(self.shape(a), to)}")

    def broadcast(self, a, shape, dims):
        if any(n != shape[d] for n, d in zip(self.shape(a), dims)):
            return super().broadcast(a, shape, dims)
        added = [d for d in range(len(shape)) if d not in dims]
        init = self.empty(shape, self.element(a))
        return self.op(shape, self.element(a), f"linalg.broadcast ins({a} : {self.type(a)}) outs({init} : "
                       f"{self.type(init)}) dimensions = {added}")

    def softmax(self, a):
        init = self.empty(self.shape(a), self.element(a))
        t = self.type(a)
        return self.op(self.shape(a), self.element(a), f"linalg.softmax dimension({len(self.shape(a)) - 1}) "
                       f"ins({a} : {t}) outs({init} : {t}) -> {t}")


class Stablehlo(Emitter):
    CONSTANT = ("stablehlo.constant", "value")
    NAMES = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "max": "maximum", "min": "minimum",
             "and": "and", "or": "or", "exp": "exponential", "tanh": "tanh", "sqrt": "sqrt", "log": "log"}

    def constant(self, number, element):
        return self.op([], element, f'"stablehlo.constant"() <{{value = dense<{literal(number, element)}> : '
                       f"tensor<{element}>}}> : () -> tensor<{element}>")

    def iota(self, shape, dim):
        return self.op(shape, "i32", f'"stablehlo.iota"() <{{iota_dimension = {dim} : i64}}> : () -> '
                       f"{kind(shape, 'i32')}")

    def binary(self, which, a, b):
        return self.generic_op("stablehlo." + self.NAMES[which], [a, b], self.shape(a), self.element(a))

    def unary(self, which, a):
        return self.generic_op("stablehlo." + self.NAMES[which], [a], self.shape(a), self.element(a))

    def invert(self, a):
        return self.generic_op("stablehlo.not", [a], self.shape(a), "i1")

    def compare(self, which, a, b):
        return self.generic_op("stablehlo.compare", [a, b], self.shape(a), "i1",
                               f"comparison_direction = #stablehlo<comparison_direction {which.upper()}>")

    def select(self, c, a, b):
        return self.generic_op("stablehlo.select", [c, a, b], self.shape(a), self.element(a))

    def cast(self, a, to):
        return a if self.element(a) == to else self.generic_op("stablehlo.convert", [a], self.shape(a), to)

    def transpose(self, a, perm):
        return self.generic_op("stablehlo.transpose", [a], [self.shape(a)[p] for p in perm], self.element(a),
                               f"permutation = array<i64: {', '.join(map(str, perm))}>")

    def reshape(self, a, shape):
        return self.generic_op("stablehlo.reshape", [a], shape, self.element(a))

    def concat(self, values):
        return self.generic_op("stablehlo.concatenate", values, self.joined(values), self.element(values[0]),
                               f"dimension = {len(self.shape(values[0])) - 1} : i64")

    def cut(self, a, start, length):
        shape = self.shape(a)
        rank = len(shape)
        bounds = {"start_indices": [0] * (rank - 1) + [start], "limit_indices": shape[:-1] + [start + length],
                  "strides": [1] * rank}
        text = ", ".join(f"{name} = array<i64: {', '.join(map(str, n))}>" for name, n in bounds.items())
        return self.generic_op("stablehlo.slice", [a], shape[:-1] + [length], self.element(a), text)

    def broadcast(self, a, shape, dims):
        listed = f"array<i64: {', '.join(map(str, dims))}>" if dims else "array<i64>"
        return self.generic_op("stablehlo.broadcast_in_dim", [a], shape, self.element(a),
                               f"broadcast_dimensions = {listed}")

    def reduce(self, which, a):
        start = {"max": float("-inf"), "add": 0, "and": True, "or": False}[which]
        e = self.element(a)
        t = f"tensor<{e}>"
        region = (f" ({{\n    ^bb0(%x: {t}, %y: {t}):\n"
                  f'      %z = "stablehlo.{self.NAMES[which]}"(%x, %y) : ({t}, {t}) -> {t}\n'
                  f'      "stablehlo.return"(%z) : ({t}) -> ()\n    }})')
        return self.generic_op("stablehlo.reduce", [a, self.constant(start, e)], self.shape(a)[:-1], e,
                               f"dimensions = array<i64: {len(self.shape(a)) - 1}>", region)

    def contract(self, a, b, spec, to):
        left, right, out = spec.replace("->", ",").split(",")
        batch = [c for c in left if c in right and c in out]
        summed = [c for c in left if c in right and c not in out]
        listed = []
        for name, letters in (("batching", batch), ("contracting", summed)):
            for side, term in (("lhs", left), ("rhs", right)):
                listed.append(f"{side}_{name}_dimensions = {[term.index(c) for c in letters]}")
        extents = dict(zip(left, self.shape(a))) | dict(zip(right, self.shape(b)))
        made = batch + [c for c in left + right if c not in batch and c not in summed]
        value = self.generic_op("stablehlo.dot_general", [a, b], [extents[c] for c in made], to,
                                f"dot_dimension_numbers = #stablehlo.dot<{', '.join(listed)}>")
        perm = [made.index(c) for c in out]
        return value if perm == sorted(perm) else self.transpose(value, perm)


class Tosa(Emitter):
    CONSTANT = ("tosa.const", "values")
    NAMES = {"add": "add", "sub": "sub", "max": "maximum", "min": "minimum", "exp": "exp", "tanh": "tanh",
             "and": "logical_and", "or": "logical_or", "log": "log"}

    def attributed(self, name, operands, shape, element, attributes=""):
        return self.op(shape, element, f"tosa.{name} {', '.join(operands)}{attributes} : "
                       f"({', '.join(self.type(o) for o in operands)}) -> {kind(shape, element)}")

    def const(self, number, shape, element):
        return self.op(shape, element, f'"tosa.const"() <{{values = dense<{literal(number, element)}> : '
                       f"{kind(shape, element)}}}> : () -> {kind(shape, element)}")

    def constant(self, number, element):
        return self.const(number, [1], element)

    def scalar(self, number, element, shape):
        return self.const(number, shape, element)

    def iota(self, shape, dim):
        one = [n if i == dim else 1 for i, n in enumerate(shape)]
        text = "dense<" + "[" * len(one) + "%s" + "]" * len(one) + ">"
        numbers = range(shape[dim])
        inner = ", ".join(map(str, numbers))
        for i in range(dim + 1, len(one)):
            inner = None
            break
        if inner is None:
            rest = len(one) - dim - 1
            inner = ", ".join("[" * rest + str(n) + "]" * rest for n in numbers)
            text = "dense<" + "[" * (dim + 1) + "%s" + "]" * (dim + 1) + ">"
        value = self.op(one, "i32", f'"tosa.const"() <{{values = {text % inner} : {kind(one, "i32")}}}> : () -> '
                        f"{kind(one, 'i32')}")
        return self.spread(value, shape)

    def spread(self, a, shape):
        if self.shape(a) == list(shape):
            return a
        e = self.element(a)
        if e == "i1":
            yes = self.const(True, shape, e)
            return self.attributed("logical_and", [a, yes], shape, e)
        return self.binary("mul", a, self.const(1, shape, e))

    def binary(self, which, a, b):
        shape = [max(m, n) for m, n in zip(self.shape(a), self.shape(b))]
        e = self.element(a)
        if which == "mul":
            shift = self.const(0, [1], "i8")
            return self.attributed("mul", [a, b, shift], shape, e)
        if which == "div":
            return self.binary("mul", a, self.attributed("reciprocal", [b], self.shape(b), e))
        return self.attributed(self.NAMES[which], [a, b], shape, e)

    def unary(self, which, a):
        return self.attributed(self.NAMES[which], [a], self.shape(a), self.element(a))

    def invert(self, a):
        return self.attributed("logical_not", [a], self.shape(a), "i1")

    def compare(self, which, a, b):
        if which in ("lt", "le"):
            a, b, which = b, a, {"lt": "gt", "le": "ge"}[which]
        name = {"gt": "greater", "ge": "greater_equal", "eq": "equal"}[which]
        return self.attributed(name, [a, b], self.shape(a), "i1")

    def select(self, c, a, b):
        return self.attributed("select", [c, a, b], self.shape(a), self.element(a))

    def cast(self, a, to):
        return a if self.element(a) == to else self.attributed("cast", [a], self.shape(a), to)

    def transpose(self, a, perm):
        return self.attributed("transpose", [a], [self.shape(a)[p] for p in perm], self.element(a),
                               f" {{perms = array<i32: {', '.join(map(str, perm))}>}}")

    def sizes(self, shape):
        self.count += 1
        size = f"%s{self.count}"
        self.lines.append(f"{size} = tosa.const_shape {{values = dense<{list(shape)}> : tensor<{len(shape)}xindex>}} : "
                          f"() -> !tosa.shape<{len(shape)}>")
        return size

    def concat(self, values):
        return self.attributed("concat", values, self.joined(values), self.element(values[0]),
                               f" {{axis = {len(self.shape(values[0])) - 1} : i32}}")

    def cut(self, a, start, length):
        shape, e = self.shape(a)[:-1] + [length], self.element(a)
        starts, sizes, t = self.sizes([0] * (len(shape) - 1) + [start]), self.sizes(shape), f"!tosa.shape<{len(shape)}>"
        return self.op(shape, e, f"tosa.slice {a}, {starts}, {sizes} : ({self.type(a)}, {t}, {t}) -> {kind(shape, e)}")

    def reshape(self, a, shape):
        size = self.sizes(shape)
        return self.op(shape, self.element(a), f"tosa.reshape {a}, {size} : ({self.type(a)}, "
                       f"!tosa.shape<{len(shape)}>) -> {kind(shape, self.element(a))}")

    def broadcast(self, a, shape, dims):
        full = [1] * len(shape)
        for n, d in zip(self.shape(a), dims):
            full[d] = n
        if self.shape(a) != full:
            a = self.reshape(a, full)
        return self.spread(a, shape)

    def reduce(self, which, a):
        name = {"max": "reduce_max", "add": "reduce_sum", "and": "reduce_all", "or": "reduce_any"}[which]
        rank = len(self.shape(a))
        value = self.attributed(name, [a], self.shape(a)[:-1] + [1], self.element(a), f" {{axis = {rank - 1} : i32}}")
        return self.reshape(value, self.shape(a)[:-1])

    def contract(self, a, b, spec, to):
        """Transposed to [batch, row, inner] and [batch, inner, column], of rank 3."""
        left, right, out = spec.replace("->", ",").split(",")
        batch = [c for c in out if c in left and c in right]
        rows = [c for c in out if c in left and c not in right]
        columns = [c for c in out if c in right and c not in left]
        inner = [c for c in left if c in right and c not in out]
        extents = dict(zip(left, self.shape(a))) | dict(zip(right, self.shape(b)))

        def arranged(value, term, groups):
            order = [c for group in groups for c in group]
            perm = [term.index(c) for c in order]
            if perm != sorted(perm):
                value = self.transpose(value, perm)
            sizes = []
            for group in groups:
                product = 1
                for c in group:
                    product *= extents[c]
                sizes.append(product)
            return self.reshape(value, sizes) if self.shape(value) != sizes else value

        x, y = arranged(a, left, (batch, rows, inner)), arranged(b, right, (batch, inner, columns))
        e = self.element(a)
        zero = self.const(0.0, [1], e)
        shape = [self.shape(x)[0], self.shape(x)[1], self.shape(y)[2]]
        made = "f32" if e == "f32" else e
        value = self.attributed("matmul", [x, y, zero, zero], shape, made,
                                " {acc_type = f32}" if e == "f16" else "")
        order = batch + rows + columns
        value = self.reshape(value, [extents[c] for c in order])
        perm = [order.index(c) for c in out]
        if perm != sorted(perm):
            value = self.transpose(value, perm)
        return self.cast(value, to)


class Onnx(Emitter):
    terminator = "onnx.Return"
    CONSTANT = ("onnx.Constant", "value")
    NAMES = {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "max": "Max", "min": "Min", "and": "And",
             "or": "Or", "exp": "Exp", "tanh": "Tanh", "sqrt": "Sqrt", "log": "Log"}
    softmax_op = True

    def listed(self, numbers):
        return self.op([len(numbers)], "i64", f'"onnx.Constant"() <{{value = dense<{list(numbers)}> : '
                       f"tensor<{len(numbers)}xi64>}}> : () -> tensor<{len(numbers)}xi64>")

    def constant(self, number, element):
        return self.op([], element, f'"onnx.Constant"() <{{value = dense<{literal(number, element)}> : '
                       f"tensor<{element}>}}> : () -> tensor<{element}>")

    def scalar(self, number, element, shape):
        return self.constant(number, element)

    def row(self, value, shape):
        return self.generic_op("onnx.Unsqueeze", [value, self.listed([-1])], list(shape[:-1]) + [1],
                               self.element(value))

    def iota(self, shape, dim):
        bounds = [self.constant(n, "i64") for n in (0, shape[dim], 1)]
        value = self.generic_op("onnx.Range", bounds, [shape[dim]], "i64")
        return self.broadcast(value, shape, [dim])

    def binary(self, which, a, b):
        x, y = self.shape(a), self.shape(b)
        rank = max(len(x), len(y))
        x, y = [1] * (rank - len(x)) + x, [1] * (rank - len(y)) + y
        shape = [m if isinstance(m, Dynamic) or m > n else n for m, n in zip(x, y)]
        return self.generic_op("onnx." + self.NAMES[which], [a, b], shape, self.element(a))

    def unary(self, which, a):
        return self.generic_op("onnx." + self.NAMES[which], [a], self.shape(a), self.element(a))

    def invert(self, a):
        return self.generic_op("onnx.Not", [a], self.shape(a), "i1")

    def compare(self, which, a, b):
        name = {"gt": "Greater", "lt": "Less", "ge": "GreaterOrEqual", "le": "LessOrEqual", "eq": "Equal"}[which]
        shape = self.shape(a) if len(self.shape(a)) >= len(self.shape(b)) else self.shape(b)
        return self.generic_op("onnx." + name, [a, b], shape, "i1")

    def select(self, c, a, b):
        shape = max((self.shape(v) for v in (c, a, b)),
                    key=lambda s: (len(s), s, sum(isinstance(n, Dynamic) for n in s)))
        return self.generic_op("onnx.Where", [c, a, b], shape, self.element(a))

    def cast(self, a, to):
        return a if self.element(a) == to else self.generic_op("onnx.Cast", [a], self.shape(a), to,
                                                               f"saturate = 1 : si64, to = {to}")

    def transpose(self, a, perm):
        return self.generic_op("onnx.Transpose", [a], [self.shape(a)[p] for p in perm], self.element(a),
                               f"perm = {list(perm)}")

    def concat(self, values):
        return self.generic_op("onnx.Concat", values, self.joined(values), self.element(values[0]), "axis = -1 : si64")

    def cut(self, a, start, length):
        bounds = [self.listed([n]) for n in (start, start + length, -1, 1)]
        return self.generic_op("onnx.Slice", [a, *bounds], self.shape(a)[:-1] + [length], self.element(a))

    def reshape(self, a, shape):
        return self.generic_op("onnx.Reshape", [a, self.listed(shape)], shape, self.element(a), "allowzero = 0 : si64")

    def broadcast(self, a, shape, dims):
        full = [1] * len(shape)
        for n, d in zip(self.shape(a), dims):
            full[d] = n
        if self.shape(a) != full:
            a = self.reshape(a, full)
        if full == list(shape):
            return a
        return self.generic_op("onnx.Expand", [a, self.listed(shape)], shape, self.element(a))

    def reduce(self, which, a):
        name = {"max": "ReduceMax", "add": "ReduceSum"}[which]
        rank = len(self.shape(a))
        return self.generic_op("onnx." + name, [a, self.listed([rank - 1])], self.shape(a)[:-1], self.element(a),
                               "keepdims = 0 : si64")

    def softmax(self, a):
        return self.generic_op("onnx.Softmax", [a], self.shape(a), self.element(a), "axis = -1 : si64")

    def contract(self, a, b, spec, to):
        left, right, out = spec.replace("->", ",").split(",")
        batch = [c for c in out if c in left and c in right]
        rows = [c for c in out if c in left and c not in right]
        columns = [c for c in out if c in right and c not in left]
        inner = [c for c in left if c in right and c not in out]
        extents = dict(zip(left, self.shape(a))) | dict(zip(right, self.shape(b)))
        if len(rows) + len(columns) + len(inner) != 3:
            # One row dimension is all that MatMul has: the others join it.
            raise NotImplementedError
        for side, (term, order) in enumerate(((left, batch + rows + inner), (right, batch + inner + columns))):
            perm = [term.index(c) for c in order]
            if perm != sorted(perm):
                if side == 0:
                    a = self.transpose(a, perm)
                else:
                    b = self.transpose(b, perm)
        made = batch + rows + columns
        value = self.generic_op("onnx.MatMul", [a, b], [extents[c] for c in made], self.element(a))
        perm = [made.index(c) for c in out]
        if perm != sorted(perm):
            value = self.transpose(value, perm)
        return self.cast(value, to)


FORMS = {"linalg": Linalg, "named": Named, "stablehlo": Stablehlo, "tosa": Tosa, "onnx": Onnx}
