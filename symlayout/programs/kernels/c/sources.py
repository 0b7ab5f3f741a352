"""The text that the grammar reads: attributes that say nothing are blanked in their places."""

from __future__ import annotations

import re
from collections.abc import Callable

from symlayout.programs.kernels.c.types import CType
from symlayout.text.limits import READ_CHARACTERS, READ_FILES
from symlayout.text.patterns import regex

INCLUDE = regex(r'^[ \t]*#[ \t]*include[ \t]+"([^"\n]+)"', re.M)
NESTED = r"\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\)"
ATTRIBUTES = regex(
    rf"\b(?:__align__|alignas|__launch_bounds__|__maxnreg__|__cluster_dims__|__attribute__)\s*{NESTED}"
    r"|\[\[(?:maybe_unused|nodiscard|fallthrough)\]\]|\b__grid_constant__\b"
)
EMPTY = regex(r"^[ \t]*#[ \t]*if[^\n]*\n(?:[ \t]*\n)*[ \t]*#[ \t]*endif[^\n]*$", re.M)
OPENCL = regex(
    r"\b(?:(?:__)?kernel|__local|(?:__)?(?:global|constant|private|read_only|write_only|read_write))\b"
    r"|\blocal\s(?=\s*\w)"
)
CONSTANTS = regex(r"\bconstant\s+(\w+)\s+(\w+)\s*\[\[\s*function_constant\b")
ASCEND = regex(r"\b__(?:aicore|gm|ubuf|cbuf|ca|cb|cc|inout_pipe|in_pipe|out_pipe)__\b")
Beside = Callable[[str, str], tuple[str, str] | None]


DIRECTIVE = regex(r"^[ \t]*#(?>\\\r?\n|[^\n])*", re.M)
STRING = regex(
    r"""//.*|/\*.*?(?:\*/|$)|"(?:(?>\\.|[^"\\\n]))*+"|'(?:(?>\\.|[^'\\\n])){1,16}+'""", re.S
)


def plain(text: str) -> str:
    """The text without attributes, every character in its place; no string in it opens a comment.

    The grammar takes a line of the preprocessor as it stands, and the `/*` of a string there for one.

    >>> plain("extern __shared__ __align__(16) char s[];")
    'extern __shared__               char s[];'
    >>> plain('#define ALL "/*"  // "/*"')
    '#define ALL "__"  // "/*"'
    """
    text = DIRECTIVE.sub(lambda m: STRING.sub(_without_slashes, m[0]), text)
    if "(" not in text:
        return text
    text = ATTRIBUTES.sub(lambda m: " " * len(m[0]), text)
    return EMPTY.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def _without_slashes(match: re.Match[str]) -> str:
    """A string without what looks like a comment; a comment as it is."""
    text = match[0]
    return text if text[0] == "/" else text.replace("/*", "__").replace("//", "__")


def plain_opencl(text: str) -> str:
    """OpenCL's words as C++ has them: kernels, and what the threads of a group share, are `extern`.

    >>> plain_opencl("__kernel void f(__global float* x, __local int* s)")
    'extern   void f(         float* x, extern  int* s)'
    """
    return OPENCL.sub(lambda m: _word(m[0]), text)


def _word(word: str) -> str:
    is_extern = word.strip().strip("_") in ("kernel", "local")
    return ("extern" if is_extern else "").ljust(len(word))


def outside(text: str) -> dict[str, CType]:
    """Metal's constants that a pipeline gives numbers.

    >>> outside("constant bool flag [[function_constant(1)]];")["flag"].word
    'bool'
    """
    return {m[2]: CType(m[1]) for m in CONSTANTS.finditer(text)}


def plain_ascend(text: str) -> str:
    """The text without AscendC's qualifiers."""
    return ASCEND.sub(lambda m: " " * len(m[0]), text)


def included_files(file: str, text: str, beside: Beside) -> list[tuple[str, str]]:
    """The files of the same tree that a file includes by a quoted name, and those that they include.

    The last of them is included first, so that what stands nearer comes later.
    """
    files: dict[str, str] = {}
    waiting = [(file, text)]
    count = 0
    while waiting:
        path, inside = waiting.pop(0)
        for name in INCLUDE.findall(inside):
            if len(files) >= READ_FILES:
                break
            one = beside(path, name)
            if one is None or one[0] in files or one[0] == file:
                continue
            count += len(one[1])
            if count > READ_CHARACTERS:
                break
            files[one[0]] = one[1]
            waiting.append(one)
    return list(files.items())[::-1]
