"""C: an inline function; right for negative operands too, fast where none can occur.

C's `/` and `%` round towards zero, which is floor division where nothing is negative.  Where that
cannot be seen from the expression, a division goes through `floor_div` or `floor_mod`.
"""

from __future__ import annotations

from dataclasses import replace

from symlayout.render.emit.clike import Language, body
from symlayout.render.emit.source import Source

_WORDS = """
    auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef
    union unsigned void volatile while bool true false nullptr alignas alignof constexpr
    static_assert thread_local typeof typeof_unqual and or not xor bitand bitor compl new
    delete class public private protected template this namespace operator try catch throw
    using virtual typename friend explicit export mutable int64_t int32_t int16_t int8_t
    uint64_t uint32_t uint16_t uint8_t main NULL EOF asm linux unix i386 errno stdin stdout stderr
    and_eq or_eq xor_eq not_eq _Alignas _Alignof _Atomic _BitInt _Bool _Complex _Decimal32 _Decimal64
    _Decimal128 _Float16 _Float32 _Float64 _Float128 _Generic _Imaginary _Noreturn _Pragma
    _Static_assert _Thread_local
"""
# stdint.h, which the code includes, defines these as numbers
_KINDS = [f"{kind}{bits}" for kind in ("", "_LEAST", "_FAST") for bits in (8, 16, 32, 64)]
_TYPES = [f"{u}INT{kind}" for u in ("", "U") for kind in (*_KINDS, "MAX", "PTR")]
_TYPES += ["SIZE", "PTRDIFF", "SIG_ATOMIC", "WCHAR", "WINT"]
_LIMITS = [f"{kind}_{end}" for kind in _TYPES for end in ("C", "MAX", "MIN", "WIDTH")]
RESERVED = frozenset([*_WORDS.split(), *_LIMITS])
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


RESULTS = "out"  # where a function writes what it cannot return


def emit(s: Source) -> str:
    """`static inline int64_t name(variables, sizes)`, with the helpers that it uses.

    Several results are written to a last argument; a guard's truth is returned.
    """
    included = "#include <stdbool.h>\n" * (s.f._guard is not None) + "#include <stdint.h>\n"
    return source(C, s, "static inline", included)


def source(language: Language, s: Source, words: str, head: str) -> str:
    """The function in C or in a language that writes functions as C does."""
    if not s.single:
        language = replace(language, reserved={*language.reserved, RESULTS})
    func = body(language, s)
    kind = f"{func.machine}_t"
    lines = [head, *[h.format(T=kind) for h in func.helpers]]
    lines += [f"// {comment}" for comment in func.comments]
    arguments = [f"{kind} {p}" for p in func.parameters]
    arguments += [] if s.single else [f"{kind} {RESULTS}[{len(func.results)}]"]
    returned = "bool" if func.guard else kind if s.single else "void"
    lines.append(f"{words} {returned} {s.name}({', '.join(arguments) or 'void'}) {{")
    lines += [f"  if (!({func.guard})) return false;"] if func.guard else []
    lines += [f"  const {kind} {part} = {code};" for part, code in func.parts]
    if s.single:
        lines.append(f"  return {func.results[0]};")
    else:
        lines += [f"  {RESULTS}[{k}] = {code};" for k, code in enumerate(func.results)]
    return "\n".join([*lines, *["  return true;"] * bool(func.guard), "}"]) + "\n"
