# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the code in pages is that of tested files: snippets.py PAGE...

An indented block behind a line "(FILE, NAME)" has to be the lines of FILE between "[NAME]" and "[NAME end]".
"""

import pathlib
import re
import sys
import textwrap

MARK = re.compile(r"^\(\[?([\w./-]+)\]?(?:\([\w./-]+\))?, `(\w+)`\)$")


def part(path, name):
    lines = path.read_text().split("\n")
    marks = [i for i, line in enumerate(lines) if f"[{name}]" in line or f"[{name} end]" in line]
    assert len(marks) == 2, f"{path}: expects one [{name}] and one [{name} end], got {len(marks)} marks"
    return textwrap.dedent("\n".join(lines[marks[0] + 1 : marks[1]])).strip()


def blocks(page):
    """(file, name, code) of each snippet."""
    lines = page.read_text().split("\n")
    for i, line in enumerate(lines):
        found = MARK.match(line)
        if found:
            end = next(
                (j for j in range(i + 1, len(lines)) if lines[j] and not lines[j].startswith("    ")), len(lines)
            )
            yield found[1], found[2], textwrap.dedent("\n".join(lines[i + 1 : end])).strip()


def main():
    root = pathlib.Path(__file__).resolve().parents[3]
    for page in map(pathlib.Path, sys.argv[1:]):
        found = list(blocks(page))
        assert found, f"{page}: expects snippets, got none"
        for file, name, code in found:
            expected = part(root / file, name)
            assert code == expected, f"{page}: [{name}] is not as in {file}:\n{code}\n--- expects ---\n{expected}"


main()
