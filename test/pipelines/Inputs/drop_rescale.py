# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints IR at stage `online` without the step that rescales the accumulator."""
import re
import sys

text = open(sys.argv[1]).read()
step = re.search(
    r"\n *(%\S+) = linalg\.generic [^\n]*outs\((%\w+)[^\n]*\"rescale_acc\"\} \{.*?\n *\} -> [^\n]*", text, re.S
)
if not step:
    sys.exit("no step that rescales the accumulator")
result, accumulator = step.groups()
text = text[: step.start()] + text[step.end() :]
print(re.sub(re.escape(result) + r"\b", accumulator, text))
