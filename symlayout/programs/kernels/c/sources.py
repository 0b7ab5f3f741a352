"""The text that the grammar reads: attributes that say nothing blanked, macros of loops said.

Lines stay where they are, and columns too but in a line whose loop is a macro's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from symlayout.text.patterns import regex

FILES = 40  # that are read for one
CHARACTERS = 3_000_000  # of them together
INCLUDE = regex(r'^[ \t]*#[ \t]*include[ \t]+"([^"\n]+)"', re.M)
NESTED = r"\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\)"
ATTRIBUTES = regex(
    rf"\b(?:__align__|alignas|__launch_bounds__|__maxnreg__|__cluster_dims__|__attribute__)\s*{NESTED}"
    r"|\[\[(?:maybe_unused|nodiscard|fallthrough)\]\]|\b__grid_constant__\b"
)
EMPTY = regex(r"^[ \t]*#[ \t]*if[^\n]*\n(?:[ \t]*\n)*[ \t]*#[ \t]*endif[^\n]*$", re.M)
LOOP = regex(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(([^)\n]*)\)((?:[ \t]|\\\r?\n)*(?:_Pragma\([^)\n]*\))?"
    r"(?:[ \t]|\\\r?\n)*for\b(?:[^\n\\]|\\(?!\r?\n)|\\\r?\n)*)",
    re.M,
)
OPENCL = regex(
    r"\b(?:(?:__)?kernel|__local|(?:__)?(?:global|constant|private|read_only|write_only|read_write))\b"
    r"|\blocal\s(?=\s*\w)"
)
ASCEND = regex(r"\b__(?:aicore|gm|ubuf|cbuf|ca|cb|cc|inout_pipe|in_pipe|out_pipe)__\b")
Beside = Callable[[str, str], tuple[str, str] | None]


def plain(text: str) -> str:
    """The text without attributes, every character in its place.

    >>> plain("extern __shared__ __align__(16) char s[];")
    'extern __shared__                char s[];'
    """
    if "(" not in text:
        return text
    text = ATTRIBUTES.sub(lambda m: " " * len(m[0]), text)
    return EMPTY.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def plain_opencl(text: str) -> str:
    """OpenCL's words as C++ has them: kernels, and what the threads of a group share, are `extern`.

    >>> plain_opencl("__kernel void f(__global float* x, __local int* s)")
    'extern   void f(         float* x, extern  int* s)'
    """
    return OPENCL.sub(lambda m: _word(m[0]), text)


def _word(word: str) -> str:
    kept = word.strip().strip("_") in ("kernel", "local")
    return ("extern" if kept else "").ljust(len(word))


def plain_ascend(text: str) -> str:
    """The text without AscendC's qualifiers."""
    return ASCEND.sub(lambda m: " " * len(m[0]), text)


def loop_macros(texts: Iterable[str]) -> dict[str, tuple[list[str], str]]:
    """The macros that are the head of one `for`, with their parameters."""
    macros: dict[str, tuple[list[str], str]] = {}
    for text in texts:
        if "define" not in text:
            continue
        for m in LOOP.finditer(text):
            body = " ".join(re.sub(r"\\\r?\n", " ", m[3]).split())
            body = re.sub(r"_Pragma\([^)]*\)\s*", "", body)
            if body.count("for") == 1 and body.endswith(")") and "#" not in body:
                names = [p.strip() for p in m[2].split(",")]
                known = macros.get(m[1])
                macros[m[1]] = (names, body) if known in (None, (names, body)) else ([], "")
    return {word: macro for word, macro in macros.items() if macro[1]}


def with_loops(text: str, macros: dict[str, tuple[list[str], str]]) -> str:
    """The text with the heads of loops in the place of their macros."""
    if not any(f"{word}(" in text for word in macros):
        return text
    words = "|".join(map(re.escape, macros))
    use = re.compile(rf"^([ \t]*)({words})({NESTED})(?=\s*(?:\{{|\w))", re.M)

    def head(m: re.Match[str]) -> str:
        names, body = macros[m[2]]
        values = _arguments(m[3][1:-1])
        if len(values) != len(names):
            return m[0]
        table = dict(zip(names, values))
        pattern = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")
        return m[1] + pattern.sub(lambda x: table[x[1]], body)

    return use.sub(head, text)


def _arguments(text: str) -> list[str]:
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts]


def included(file: str, text: str, beside: Beside) -> list[tuple[str, str]]:
    """The files of the same tree that a file includes by a quoted name, and those that they include.

    The last of them is included first, so that what stands nearer comes later.
    """
    files: dict[str, str] = {}
    waiting = [(file, text)]
    count = 0
    while waiting:
        path, inside = waiting.pop(0)
        for name in INCLUDE.findall(inside):
            if len(files) >= FILES:
                break
            one = beside(path, name)
            if one is None or one[0] in files or one[0] == file:
                continue
            count += len(one[1])
            if count > CHARACTERS:
                break
            files[one[0]] = one[1]
            waiting.append(one)
    return list(files.items())[::-1]
