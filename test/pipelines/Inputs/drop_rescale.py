# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints IR at stage `online` without the steps that rescale the accumulator, one in each function."""
import re
import sys

STEP = r"\n *(%\S+) = linalg\.generic [^\n]*outs\((%\w+)[^\n]*\"rescale_acc\"\} \{.*?\n *\} -> [^\n]*"


def without(function):
    step = re.search(STEP, function, re.S)
    if not step:
        sys.exit("no step that rescales the accumulator")
    result, accumulator = step.groups()
    function = function[: step.start()] + function[step.end() :]
    return re.sub(re.escape(result) + r"\b", accumulator, function)


head, *functions = re.split(r"(?m)^(?= *func\.func )", open(sys.argv[1]).read())
print(head + "".join(without(function) for function in functions))
