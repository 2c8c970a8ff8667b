# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the code blocks of a Markdown file with the tested files that they are from.

Usage: check_snippets.py PAGE.md ROOT [--write]. A block that follows `<!-- FILE: NAME -->` has to be what stands in
ROOT/FILE between the lines with `embed: begin NAME` and `embed: end NAME`, without its indent. Every block has to have
such a line. --write puts the files' text into the page instead.
"""

import pathlib
import re
import sys
import textwrap

BLOCK = re.compile(r"(?P<head><!-- (?P<file>\S+): (?P<name>\S+) -->\n)?```(?P<kind>\w*)\n(?P<text>.*?)```\n", re.S)


def snippet(path, name):
    lines = path.read_text().split("\n")
    begin = next((i for i, line in enumerate(lines) if f"embed: begin {name}" in line), None)
    end = next((i for i, line in enumerate(lines) if f"embed: end {name}" in line), None)
    if begin is None or end is None:
        sys.exit(f"{path}: expects lines with 'embed: begin {name}' and 'embed: end {name}'")
    return textwrap.dedent("\n".join(lines[begin + 1 : end]) + "\n")


def main():
    page, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    wrong = []

    def put(block):
        if not block["head"]:
            wrong.append(f"a block without its file: {block['text'].splitlines()[0]}")
            return block[0]
        text = snippet(root / block["file"], block["name"])
        if text != block["text"]:
            wrong.append(f"{block['file']}: {block['name']} differs from the page")
        return f"{block['head']}```{block['kind']}\n{text}```\n"

    new = BLOCK.sub(put, page.read_text())
    if sys.argv[3:] == ["--write"]:
        page.write_text(new)
        return 0
    blocks = len(BLOCK.findall(new))
    print("\n".join(wrong) if wrong else f"{blocks} blocks are as tested")
    return 1 if wrong else 0


sys.exit(main())
