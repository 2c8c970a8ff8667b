# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads MLIR text in generic form (`--mlir-print-op-generic`) into plain Python objects.

Shares nothing with the compiler: operations of any dialect are names, operands, attributes as text, regions and types.
"""

import re
from dataclasses import dataclass, field


@dataclass
class Op:
    name: str
    results: list
    operands: list
    attributes: dict
    regions: list
    operand_types: list
    result_types: list


@dataclass
class Block:
    arguments: list = field(default_factory=list)  # (name, type)
    ops: list = field(default_factory=list)


OPEN, CLOSE = "([{<", ")]}>"


def balanced(text, start, stops):
    """The end of the piece at `start` before any of `stops` outside of brackets and strings."""
    depth, i = 0, start
    while i < len(text):
        c = text[i]
        if depth == 0 and any(text.startswith(stop, i) for stop in stops):
            return i
        if c == '"':
            i += 1
            while text[i] != '"':
                i += 2 if text[i] == "\\" else 1
        elif text.startswith("->", i):
            i += 1
        elif c in OPEN:
            depth += 1
        elif c in CLOSE:
            if depth == 0:
                return i
            depth -= 1
        i += 1
    return i


def split(text, separator=","):
    """Parts of `text` between separators outside of brackets."""
    parts, start = [], 0
    while start < len(text):
        end = balanced(text, start, [separator])
        parts.append(text[start:end].strip())
        start = end + len(separator)
    return [part for part in parts if part]


class Parser:
    def __init__(self, text):
        self.text, self.at, self.aliases = text, 0, {}

    def space(self):
        while self.at < len(self.text):
            if self.text[self.at].isspace():
                self.at += 1
            elif self.text.startswith("//", self.at):
                self.at = self.text.find("\n", self.at) % (len(self.text) + 1)
            else:
                return

    def peek(self, word):
        self.space()
        return self.text.startswith(word, self.at)

    def take(self, word):
        if not self.peek(word):
            return False
        self.at += len(word)
        return True

    def expect(self, word):
        if not self.take(word):
            raise ValueError(f"expects '{word}', got '{self.text[self.at:self.at + 40]}'")

    def match(self, pattern):
        self.space()
        found = re.compile(pattern).match(self.text, self.at)
        if not found:
            raise ValueError(f"expects {pattern}, got '{self.text[self.at:self.at + 40]}'")
        self.at = found.end()
        return found

    def until(self, stops):
        self.space()
        end = balanced(self.text, self.at, stops)
        piece, self.at = self.text[self.at:end], end
        return piece.strip()

    def module(self):
        """The functions of the module, by name."""
        while self.peek("#") or self.peek("!"):
            name = self.match(r"[#!][\w$.]+").group()
            self.expect("=")
            self.aliases[name] = self.until(["\n"])
        top = self.op()
        functions = {}
        for op in top.regions[0][0].ops:
            functions[op.attributes["sym_name"].strip('"')] = op
        return functions

    def dictionary(self, close):
        result = {}
        for part in split(self.until([close])):
            name, _, value = part.partition("=")
            value = value.strip()
            for alias, meaning in self.aliases.items():
                value = re.sub(re.escape(alias) + r"(?![\w.])", lambda _: meaning, value)
            result[name.strip().strip('"')] = value
        self.expect(close)
        return result

    def op(self):
        results = []
        if self.peek("%"):
            for part in self.until(["="]).split(","):
                name, _, count = part.strip().partition(":")
                results += [f"{name}#{i}" for i in range(int(count))] if count else [name]
            self.expect("=")
        name = self.match(r'"([^"]+)"').group(1)
        self.expect("(")
        operands = split(self.until([")"]))
        self.expect(")")
        attributes, regions = {}, []
        if self.take("<{"):
            attributes.update(self.dictionary("}>"))
        if self.take("("):
            regions.append(self.region())
            while self.take(","):
                regions.append(self.region())
            self.expect(")")
        if self.take("{"):
            attributes.update(self.dictionary("}"))
        self.expect(":")
        self.expect("(")
        operand_types = split(self.until([")"]))
        self.expect(")")
        self.expect("->")
        if self.take("("):
            result_types = split(self.until([")"]))
            self.expect(")")
        else:
            result_types = [self.until(["\n"])]
        return Op(name, results, operands, attributes, regions, operand_types, result_types)

    def region(self):
        self.expect("{")
        blocks = []
        while not self.take("}"):
            if self.peek("^"):
                self.match(r"\^\w+")
                block = Block()
                if self.take("("):
                    for part in split(self.until([")"])):
                        name, _, kind = part.partition(":")
                        block.arguments.append((name.strip(), kind.strip()))
                    self.expect(")")
                self.expect(":")
                blocks.append(block)
                continue
            if not blocks:
                blocks.append(Block())
            blocks[-1].ops.append(self.op())
        return blocks


def shape_of(kind):
    """Extents of a tensor type, None where dynamic."""
    sizes = re.match(r"(?:[\d?]+x)*", kind[kind.index("<") + 1 :])[0]
    return [None if n == "?" else int(n) for n in sizes.split("x")[:-1]]


def element_of(kind):
    if kind.startswith("tensor<"):
        return re.sub(r"^(?:[\d?]+x)*", "", kind[:-1].split("<", 1)[1])
    return kind


def numbers(text):
    """Integers of `[1, 2]`, `array<i64: 1, 2>`, `dense<[1, 2]> : ..` or `1 : i64`."""
    text = re.sub(r":\s*\w*tensor<.*$", "", text)
    text = re.sub(r"array<\w+:?", "", text)
    text = re.sub(r"\bsi?\d+\b|\bi\d+\b|dense", "", text)
    return [int(n) for n in re.findall(r"-?\d+", text)]
