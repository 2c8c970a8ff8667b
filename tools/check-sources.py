#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the sources themselves: licence lines, the agreed top level, words that must not stay, links, the format.

Usage: check-sources.py [ROOT]. Prints one line for each finding; the exit status says whether there was one.
"""

import pathlib
import re
import shutil
import subprocess
import sys

TOP_LEVEL = set(
    """.ci .clang-format .clang-tidy .gitignore CMakeLists.txt CMakePresets.json LICENSE README.md
    dialect passes lowering runtime tools test""".split()
)
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
CODE = {".h", ".cpp", ".c", ".td", ".py", ".sh", ".cmake", ".in", ".inc"}
# Left-over notes, and paths of one person's machine.
DENIED = [
    re.compile(r"\b(?:TO{1}DO|FIX{1}ME|X{3})\b"),
    re.compile(r"(?<![\w.])/(?:home|root|work|Users)/[\w.]"),
]


def files(root):
    """What git tracks or would add; without git, every file that is not hidden, built or packed."""
    if (root / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=root, check=True, capture_output=True, text=True,
        ).stdout
        names = [name for name in listed.split("\0") if name]
    else:
        names = [str(path.relative_to(root)) for path in root.rglob("*")]
        names = [name for name in names if not name.startswith(("build/", ".pack/"))]
    return sorted(name for name in names if (root / name).is_file())


LINK = re.compile(r"\]\(([^)#:]+)\)")


def dead_links(root, name, lines):
    """Links of a Markdown file to files that are not there."""
    for number, line in enumerate(lines, 1):
        for target in LINK.findall(line):
            if not (root / name).parent.joinpath(target).exists():
                yield f"{name}:{number}: expects a file, got a link to nothing: {target}"


def is_code(name):
    path = pathlib.PurePath(name)
    return path.suffix in CODE or path.name == "CMakeLists.txt"


def findings(root, names):
    for name in names:
        if name.split("/")[0] not in TOP_LEVEL:
            yield f"{name}: expects one of the agreed top-level names, got {name.split('/')[0]}"
        try:
            lines = (root / name).read_text().split("\n")
        except UnicodeDecodeError:
            yield f"{name}: expects text, got a binary file"
            continue
        if name.endswith(".md"):
            yield from dead_links(root, name, lines)
        # The first line, or the one after a script's interpreter.
        if is_code(name) and not any(LICENCE in line for line in lines[:2]):
            yield f"{name}:1: expects the licence line '{LICENCE}'"
        for number, line in enumerate(lines, 1):
            for pattern in DENIED:
                found = pattern.search(line)
                if found:
                    yield f"{name}:{number}: expects no '{found.group()}'"


def format_findings(root, names):
    formatter = shutil.which("clang-format-22")
    if not formatter:
        print("skipped the format: clang-format-22 is not installed")
        return
    sources = [name for name in names if name.endswith((".h", ".cpp", ".c"))]
    if not sources:
        return
    run = subprocess.run(
        [formatter, "--dry-run", "-Werror", *sources], cwd=root, capture_output=True, text=True
    )
    yield from (line for line in run.stderr.split("\n") if "error:" in line)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    names = files(root)
    found = [*findings(root, names), *format_findings(root, names)]
    print("\n".join(found) if found else f"{len(names)} files, nothing found")
    return 1 if found else 0


sys.exit(main())
