# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves fa-mask-tiles and fa-expand-keep for small problems by running what they make.

A key loop that masks its tiles goes through fa-opt for every kind of mask, the result is translated to Python op by
op, and run for all small numbers of queries and keys and all query tiles, those past the last query included. Checked
against the definition of the mask (fa.attention's third step):

* every key that some row keeps lies in a visited tile, and each tile is visited once, in order;
* within a visited tile exactly the kept positions of existing rows stay;
* the work is not more than needed: where a query tile keeps any key, each visited tile holds one, and a masked tile
  holds a dropped position.

usage: mask_tiles.py STYLE WALK [rotate], with STYLE one of every, guard, split and WALK forward or backward; rotate is
the schedule's: the first visited tile stands in front of the loops, and may be masked for nothing
"""
import itertools
import re
import subprocess
import sys

ROWS, KEYS = 3, 4  # of a tile
ROTATE = ", rotate = true" if sys.argv[3:] == ["rotate"] else ""
BOUNDS = (None, 0, 1, 3, 6, 20)
MASKS = list(itertools.product(("top_left", "bottom_right"), BOUNDS, BOUNDS))


def kernel(number, schedule, alignment, left, right):
    window = f", window = [{'none' if left is None else left}, {'none' if right is None else right}]"
    return f"""
func.func @mask{number}(%first: index, %sq: index, %sk: index, %s: tensor<{ROWS}x{KEYS}xf32>) {{
  %zero = arith.constant 0 : index
  %step = arith.constant {KEYS} : index
  %lowest = arith.constant 0xFF800000 : f32
  scf.forall (%once) in (1) {{
  scf.for %j0 = %zero to %sk step %step {{
    %m = linalg.generic {{indexing_maps = [affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]}}
        outs(%s : tensor<{ROWS}x{KEYS}xf32>) {{
    ^bb0(%x: f32):
      %r = linalg.index 0 : index
      %c = linalg.index 1 : index
      %i = arith.addi %first, %r : index
      %j = arith.addi %j0, %c : index
      %kept = fa.keep #fa.mask<{alignment}{window}>(%i, %j) of (%sq, %sk)
      %y = arith.select %kept, %x, %lowest : f32
      linalg.yield %y : f32
    }} -> tensor<{ROWS}x{KEYS}xf32>
    "test.visit"(%j0, %m) : (index, tensor<{ROWS}x{KEYS}xf32>) -> ()
  }}
  }} {{fa.schedule = {schedule}}}
  return
}}"""


def lowered(style, walk):
    schedule = f"#fa.schedule<query_tile = {ROWS}, key_tile = 8, mask = {style}, walk = {walk}{ROTATE}>"
    text = "\n".join(kernel(n, schedule, *mask) for n, mask in enumerate(MASKS))
    command = ["fa-opt", "--allow-unregistered-dialect", "--mlir-print-op-generic", "--fa-mask-tiles",
               "--fa-expand-keep", "--canonicalize"]
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


# --- the result as Python ---

COMPARE = {"0": "==", "1": "!=", "2": "<", "3": "<=", "4": ">", "5": ">="}
INFIX = {"arith.addi": "+", "arith.subi": "-", "arith.muli": "*", "arith.floordivsi": "//", "arith.andi": "&",
         "arith.ori": "|"}
CALL = {"arith.minsi": "min", "arith.maxsi": "max", "arith.divsi": "truncated_quotient"}
OP = re.compile(r'\s*(?:(%\w+) = )?"([\w.]+)"\(([^)]*)\)(?: <\{(.*?)\}>)?(.*)')


def truncated_quotient(a, b):
    return -(-a // b) if a < 0 < b else a // b


def name(value):
    return "v_" + value.strip().lstrip("%").replace("#", "_")


class Translator:
    """Turns the generic form of a module into Python functions, line by line."""

    def __init__(self, text):
        self.lines = iter(text.splitlines())
        self.out = []

    def emit(self, depth, text):
        self.out.append("  " * depth + text)

    def block(self, depth, yields):
        """The ops up to the end of a region; `yields` says what its last op becomes. Gives that last line."""
        for line in self.lines:
            if line.lstrip().startswith(("^bb", "#")) or not line.strip():
                continue
            if line.lstrip().startswith("}"):
                return line
            self.op(line, depth, yields)
        return ""

    def op(self, line, depth, yields):
        match = OP.match(line)
        if not match:
            raise SystemExit(f"no translation for: {line}")
        result, op, operands, attributes, rest = match.groups()
        values = [name(value) for value in operands.split(",") if value.strip()]
        target = name(result) if result else "_"
        if op == "arith.constant":
            value = re.search(r"value = (\S+)", attributes).group(1)
            value = {"0xFF800000": "LOWEST", "true": "True", "false": "False"}.get(value, value)
            self.emit(depth, f"{target} = {value}")
        elif op in INFIX:
            self.emit(depth, f"{target} = {values[0]} {INFIX[op]} {values[1]}")
        elif op in CALL:
            self.emit(depth, f"{target} = {CALL[op]}({values[0]}, {values[1]})")
        elif op == "arith.cmpi":
            predicate = COMPARE[re.search(r"predicate = (\d+)", attributes).group(1)]
            self.emit(depth, f"{target} = {values[0]} {predicate} {values[1]}")
        elif op == "arith.select":
            self.emit(depth, f"{target} = {values[1]} if {values[0]} else {values[2]}")
        elif op == "arith.index_cast":
            narrow = rest.rstrip().endswith("i32")
            self.emit(depth, f"{target} = {'int32' if narrow else ''}({values[0]})")
        elif op == "linalg.index":
            self.emit(depth, f"{target} = index[{re.search(r'dim = ([0-9]+)', attributes).group(1)}]")
        elif op == "test.visit":
            self.emit(depth, f"visit({values[0]}, {values[1]})")
        elif op in ("scf.yield", "linalg.yield"):
            if yields and values:
                self.emit(depth, yields.format(values[0]))
        elif op == "scf.for":
            argument = name(re.match(r"\s*\^bb0\((%\w+)", next(self.lines)).group(1))
            self.emit(depth, f"for {argument} in range({', '.join(values)}):")
            self.block(depth + 1, "")
        elif op == "scf.if":
            self.emit(depth, f"if {values[0]}:")
            if not self.block(depth + 1, f"{target} = {{}}").lstrip().startswith("})"):
                self.emit(depth, "else:")
                self.emit(depth + 1, "pass")
                self.block(depth + 1, f"{target} = {{}}")
        elif op == "linalg.generic":
            argument = name(re.match(r"\s*\^bb0\((%\w+)", next(self.lines)).group(1))
            self.emit(depth, "masked()")
            self.emit(depth, f"{target} = dict({values[-1]})")
            self.emit(depth, f"for index in list({values[-1]}):")
            self.emit(depth + 1, f"{argument} = {values[-1]}[index]")
            self.block(depth + 1, f"{target}[index] = {{}}")
        elif op == "func.func":
            symbol = re.search(r'sym_name = "(\w+)"', attributes).group(1)
            arguments = re.findall(r"(%\w+):", next(self.lines))
            self.emit(depth, f"def {symbol}({', '.join(map(name, arguments))}, visit, masked):")
            self.block(depth + 1, "")
        elif op == "builtin.module":
            self.block(depth, "")
        elif op != "func.return":
            raise SystemExit(f"no translation for {op}")


def int32(value):
    assert -(2**31) <= value < 2**31, f"{value} does not fit in 32 bits"
    return value


def translate(text):
    translator = Translator(text)
    translator.block(0, "")
    scope = {"LOWEST": float("-inf"), "int32": int32, "truncated_quotient": truncated_quotient}
    exec("\n".join(translator.out), scope)  # only what Translator wrote
    return scope


# --- the definition ---


def keeps(alignment, left, right, i, j, sq, sk):
    diagonal = i + (sk - sq if alignment == "bottom_right" else 0)
    return j < sk and (left is None or j >= diagonal - left) and (right is None or j <= diagonal + right)


def check(run, mask, style, walk, first, sq, sk):
    visits, events = [], []
    tile = {(r, c): 1.0 for r in range(ROWS) for c in range(KEYS)}

    def visit(j0, result):
        visits.append((j0, result, bool(events)))
        events.clear()

    run(first, sq, sk, tile, visit, lambda: events.append(1))
    rows = range(max(0, min(ROWS, sq - first)))
    where = f"{mask} first={first} sq={sq} sk={sk}: visited {[(j, m) for j, _, m in visits]}"
    starts = [j0 for j0, _, _ in visits]
    assert starts == sorted(set(starts), reverse=walk == "backward") and all(j % KEYS == 0 for j in starts), where
    middle = first + (sk - sq if mask[0] == "bottom_right" else 0)
    near = range(sk) if sk < 100 else range(max(0, middle - 40), min(sk, middle + 40))
    needed = {j for r in rows for j in near if keeps(*mask, first + r, j, sq, sk)}
    for j in needed:
        assert j - j % KEYS in starts, f"{where}: key {j} is not visited"
    for j0, result, was_masked in visits:
        wanted = {(r, c): keeps(*mask, first + r, j0 + c, sq, sk) for r in rows for c in range(KEYS)}
        for at, kept in wanted.items():
            assert (result[at] == 1.0) == kept, f"{where}: tile {j0} at {at}"
        assert not needed or any(wanted.values()), f"{where}: tile {j0} is visited for nothing"
        if rows and style != "every" and not (ROTATE and j0 == starts[0]):
            assert was_masked == (not all(wanted.values())), f"{where}: tile {j0} is masked for nothing"


def main():
    style, walk = sys.argv[1:3]
    scope = translate(lowered(style, walk))
    count = 0
    for number, mask in enumerate(MASKS):
        run = scope[f"mask{number}"]
        for sq, sk, tile in itertools.product(range(0, 8), range(0, 11), range(3)):
            check(run, mask, style, walk, tile * ROWS, sq, sk)
            count += 1
        # Coordinates far beyond 32 bits.
        far = 2**40
        for di, dj in itertools.product(range(-4, 5, 2), range(-4, 5, 2)):
            if any(bound is None for bound in mask[1:]):
                continue
            check(run, mask, style, walk, far - far % ROWS, far + ROWS + di, far + dj)
            count += 1
    print(f"{count} problems checked")


main()
