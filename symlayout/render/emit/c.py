"""C: an inline function; right for negative operands too, fast where none can occur.

C's `/` and `%` round towards zero, which is floor division where nothing is negative.  Where that
cannot be seen from the expression, a division goes through `floor_div` or `floor_mod`.
"""

from __future__ import annotations

from typing import Any

from symlayout.expr.facts import Facts
from symlayout.expr.tree import Expr
from symlayout.render.emit.clike import Language, body

_WORDS = """
    auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef
    union unsigned void volatile while bool true false nullptr alignas alignof constexpr
    static_assert thread_local typeof typeof_unqual and or not xor bitand bitor compl new
    delete class public private protected template this namespace operator try catch throw
    using virtual typename friend explicit export mutable int64_t int32_t int16_t int8_t
    uint64_t uint32_t uint16_t uint8_t main NULL asm linux unix i386 errno stdin stdout stderr INT64_C
"""
RESERVED = frozenset(_WORDS.split())
HELPERS = {
    "floor_div": "static inline {T} floor_div({T} a, {T} b) {{\n"
    "  return a / b - (a % b != 0 && (a < 0) != (b < 0));\n}}\n",
    "floor_mod": "static inline {T} floor_mod({T} a, {T} b) {{\n"
    "  return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);\n}}\n",
    "ceil_div": "static inline {T} ceil_div({T} a, {T} b) {{\n"
    "  return a / b + (a % b != 0 && (a < 0) == (b < 0));\n}}\n",
    "min_of": "static inline {T} min_of({T} a, {T} b) {{ return a < b ? a : b; }}\n",
    "max_of": "static inline {T} max_of({T} a, {T} b) {{ return a > b ? a : b; }}\n",
}
# what >> makes of a negative number is for the compiler to say
C = Language("C", RESERVED, HELPERS, shifts_down=False, one="({u}int{bits}_t)1")


def emit(layout: Any, formula: Expr, name: str, facts: Facts) -> str:
    """`static inline int64_t name(coordinates, sizes)`, with the helpers that it uses."""
    return source(C, layout, formula, name, facts, "static inline", "#include <stdint.h>\n")


def source(
    language: Language,
    layout: Any,
    formula: Expr,
    name: str,
    facts: Facts,
    words: str,
    head: str = "",
) -> str:
    """The function in C or in a language that writes functions as C does."""
    made = body(language, layout, formula, name, facts)
    kind = f"{made.width.machine}_t"
    lines = [head] if head else []
    lines += [h.format(T=kind) for h in made.helpers]
    lines += [f"// {made.width.comment}"] if made.width.comment else []
    arguments = ", ".join(f"{kind} {p}" for p in made.parameters) or "void"
    lines.append(f"{words} {kind} {name}({arguments}) {{")
    lines += [f"  const {kind} {part} = {code};" for part, code in made.parts]
    return "\n".join([*lines, f"  return {made.result};", "}"]) + "\n"
