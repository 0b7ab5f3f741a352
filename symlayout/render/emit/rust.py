"""Rust: a public function."""

from __future__ import annotations

from symlayout.render.emit.clike import Language, body
from symlayout.render.emit.source import Source

_WORDS = """
    as async await break const continue crate dyn else enum extern false fn for if impl in let loop
    match mod move mut pub ref return self Self static struct super trait true type union unsafe use
    where while abstract become box do final macro override priv try typeof unsized virtual yield gen
    i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize bool char str f32 f64 std core main _
    Some None Ok Err
"""
RUST = Language(
    "Rust",
    frozenset(_WORDS.split()),
    {
        "floor_div": "fn floor_div(a: {T}, b: {T}) -> {T} {{\n"
        "    a / b - (a % b != 0 && (a < 0) != (b < 0)) as {T}\n}}\n",
        "floor_mod": "fn floor_mod(a: {T}, b: {T}) -> {T} {{\n"
        "    a % b + if a % b != 0 && (a < 0) != (b < 0) {{ b }} else {{ 0 }}\n}}\n",
        "ceil_div": "fn ceil_div(a: {T}, b: {T}) -> {T} {{\n"
        "    a / b + (a % b != 0 && (a < 0) == (b < 0)) as {T}\n}}\n",
    },
    where="(if ({p}) < ({q}) {{ {a} }} else {{ {b} }})",
    least="std::cmp::min({a}, {b})",
    greatest="std::cmp::max({a}, {b})",
    one="1{int}{bits}",
)
ALLOWED = "#[allow(non_snake_case, unused_variables, unused_parens, unused_comparisons)]"


def emit(s: Source) -> str:
    """`pub fn name(variables, sizes) -> i64`, or a tuple; an `Option` where there is a guard."""
    func = body(RUST, s)
    kind = f"{'i' if func.machine.signed else 'u'}{func.machine.bits}"
    lines = [f"{ALLOWED}\n{h.format(T=kind)}" for h in func.helpers]
    lines += [f"/// {comment}" for comment in func.comments]
    lines += [ALLOWED, "#[inline]"]
    arguments = ", ".join(f"{p}: {kind}" for p in func.parameters)
    returned, result = (_row(s, texts) for texts in ([kind] * len(func.results), func.results))
    if func.guard:
        returned, result = f"Option<{returned}>", f"Some({result})"
    lines.append(f"pub fn {s.name}({arguments}) -> {returned} {{")
    lines += [f"    if !({func.guard}) {{\n        return None;\n    }}"] if func.guard else []
    lines += [f"    let {part}: {kind} = {code};" for part, code in func.parts]
    return "\n".join([*lines, f"    {result}", "}"]) + "\n"


def _row(s: Source, texts: list[str]) -> str:
    return f"({', '.join(texts)}{',' * (len(texts) == 1)})" if s.f.tupled else texts[0]
