# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""constraints.py README.md TEST.mlir...: each numbered constraint has a test of its name, and each such test a number."""
import pathlib
import re
import sys

listed = set()
for cell in re.findall(r"^\| ([A-Z]\d[A-Z0-9 to]*?) \|", pathlib.Path(sys.argv[1]).read_text(), re.M):
    numbers = re.findall(r"([A-Z])(\d+)", cell)
    first, last = (int(number) for _, number in (numbers[0], numbers[-1]))
    if " to " in cell:
        listed |= {f"{numbers[0][0]}{number}" for number in range(first, last + 1)}
    else:
        listed |= {letter + number for letter, number in numbers}
tested = set()
for path in sys.argv[2:]:
    tested |= set(re.findall(r"(?:func\.func|gpu\.func)(?: private)? @([A-Z]\d+)(?:_\w*)?\(", pathlib.Path(path).read_text()))
by_number = lambda name: (name[0], int(name[1:]))
print("no test:", *sorted(listed - tested, key=by_number))
print("not listed:", *sorted(tested - listed, key=by_number))
sys.exit(listed != tested)
