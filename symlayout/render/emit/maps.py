"""Index functions as code: guard, definitions and results in the order in which they are written.

Values are integers without end in Python and SymPy, and int64_t in C: casts, which change no value,
are gone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Condition, Less, leaves
from symlayout.expr.facts import Facts
from symlayout.expr.terms import symbol
from symlayout.expr.tree import Expr, Symbol
from symlayout.layouts.maps.function import IndexFunction
from symlayout.render.emit import c, latex, python, sympy
from symlayout.render.emit.bounds import least
from symlayout.render.emit.clike import Writer, check_numbers
from symlayout.render.emit.lines import Text, safe_names, write

RESULTS = "out"  # where a C function writes what it cannot return


class Source(NamedTuple):
    """An index function whose names the language allows."""

    f: IndexFunction
    name: str
    parameters: list[Symbol]
    names: dict[Symbol, str]

    @property
    def single(self) -> bool:
        """Whether it is one number at every point."""
        return self.f.guard is None and not self.f.tupled


def emit_function(f: IndexFunction, target: str, name: str, facts: Facts) -> str:
    """The code of the target language, ending in a line break.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> F = read_map("map i < M*N if i != s: q = i//N; (q, (i - q*N) ^ 1)")
    >>> print(emit_function(F, "python", "place", Facts()), end="")
    def place(i, M, N, s):
        if not (i < s or s < i):
            return None
        q = i//N
        return q, ((i - N*q) ^ 1)
    """
    words: dict[str, Any] = {
        "python": python.RESERVED,
        "c": c.RESERVED | set(c.HELPERS) | {RESULTS, "bool"},
    }
    parameters = [symbol(n) for n in (*[v.name for v in f.variables], *f.names)]
    own = [*parameters, *[symbol(n) for n, _ in f.lets]]
    kept = words.get(target, sympy.RESERVED | {"And", "Or"})
    source = Source(f, name, parameters, safe_names(own, kept, (name, f"{name}_guard")))
    writers = {"python": in_python, "c": in_c, "sympy": in_sympy, "latex": in_latex}
    if target not in writers:
        raise LayoutError(
            "SL600",
            f"{target} is for layouts and for maps without a guard, definitions or several results",
            help=f"such a map is written in {', '.join(writers)}",
        )
    return writers[target](source, facts)


def condition(g: Condition, code: Callable[[Expr], str], both: str, either: str) -> Text:
    """A condition in a language that has these words for `and` and `or`."""
    if isinstance(g, Less):
        return Text(f"{code(g.left)} < {code(g.right)}")
    parts = (condition(g.first, code, both, either), condition(g.second, code, both, either))
    texts = [
        t.code if isinstance(h, Less) else f"({t.code})" for h, t in zip((g.first, g.second), parts)
    ]
    return Text(f" {both if isinstance(g, Both) else either} ".join(texts))


def in_python(s: Source, facts: Facts) -> str:
    """A function that returns the result, or a tuple of them; None where the guard is false."""

    def code(e: Expr) -> str:
        return write(e, s.names, python.call).code

    lines = [f"def {s.name}({', '.join(s.names[p] for p in s.parameters)}):"]
    if s.f.guard is not None:
        lines += [
            f"    if not ({condition(s.f.guard, code, 'and', 'or').code}):",
            "        return None",
        ]
    lines += [f"    {s.names[symbol(n)]} = {code(e)}" for n, e in s.f.lets]
    row = ", ".join(map(code, s.f.results))
    lines.append(f"    return {row}{',' * (s.f.tupled and len(s.f.results) == 1)}")
    return "\n".join(lines) + "\n"


def in_c(s: Source, facts: Facts) -> str:
    """A function that returns the one result, or writes them: then whether the guard is true."""
    f, coords = s.f, {symbol(v.name) for v in s.f.variables}
    sides = [e for x in leaves(f.guard) for e in (x.left, x.right)] if f.guard else []
    for e in (*sides, *[e for _, e in f.lets], *f.results):
        check_numbers(e)
    known = facts.with_least(*[p for p in s.parameters if p not in coords])
    low = {p: known.domain(p.name).first for p in s.parameters if p not in coords}
    for v in f.variables:
        bound = least(v.low, low)
        if bound is not None:
            low[symbol(v.name)] = bound
    writer, body = Writer(c.C, low), list[str]()

    def code(e: Expr) -> str:
        return writer.code(e, s.names)

    if f.guard is not None:
        body.append(f"  if (!({condition(f.guard, code, '&&', '||').code})) return false;")
    for n, e in f.lets:
        body.append(f"  const int64_t {s.names[symbol(n)]} = {code(e)};")
        bound = least(e, low)
        if bound is not None:
            low[symbol(n)] = bound
    if s.single:
        body.append(f"  return {code(f.results[0])};")
    else:
        body += [f"  {RESULTS}[{k}] = {code(e)};" for k, e in enumerate(f.results)]
    body += ["  return true;"] if f.guard is not None else []
    given = [f"int64_t {s.names[p]}" for p in s.parameters]
    given += [] if s.single else [f"int64_t {RESULTS}[{len(f.results)}]"]
    kind = "bool" if f.guard is not None else "int64_t" if s.single else "void"
    head = f"static inline {kind} {s.name}({', '.join(given) or 'void'}) {{"
    included = [*(["#include <stdbool.h>"] if f.guard is not None else []), "#include <stdint.h>"]
    helpers = [c.HELPERS[h].format(T="int64_t") for h in c.HELPERS if h in writer.used]
    return "\n".join([*included, "", *helpers, head, *body, "}"]) + "\n"


def in_sympy(s: Source, facts: Facts) -> str:
    """Python source: symbols, the guard, the definitions, and the result or a tuple of them."""
    f = s.f
    sides = [e for x in leaves(f.guard) for e in (x.left, x.right)] if f.guard else []
    made = sympy.Made([*sides, *[e for _, e in f.lets], *f.results], s.names)
    lines = [f'{s.names[p]} = Symbol("{p.name}")' for p in s.parameters]
    words = {"Symbol"} if s.parameters else set[str]()
    if f.guard is not None:
        relations = _relations(f.guard, made.text)
        lines.append(f"{s.name}_guard = {relations}")
        words |= {w for w in ("And", "Or") if f"{w}(" in relations} | {"StrictLessThan"}
    lines += [f"{s.names[symbol(n)]} = {made.text(e)}" for n, e in f.lets]
    row = ", ".join(map(made.text, f.results))
    row = f"({row}{',' * (len(f.results) == 1)})" if f.tupled else row
    lines.append(f"{s.name} = {row}\n")
    used = sorted(words | made.words)
    head = [f"from sympy import {', '.join(used)}", ""] if used else []
    return "\n".join([*head, *made.classes, *lines])


def _relations(g: Condition, text: Callable[[Expr], str]) -> str:
    if isinstance(g, Less):
        return f"StrictLessThan({text(g.left)}, {text(g.right)})"
    word = "And" if isinstance(g, Both) else "Or"
    return f"{word}({_relations(g.first, text)}, {_relations(g.second, text)})"


def in_latex(s: Source, facts: Facts) -> str:
    """One line of display mathematics: the results, where the definitions, if the guard."""
    code: Any = latex.Printer().doprint
    f = s.f
    row = ", ".join(map(code, f.results))
    row = rf"\left({row}\right)" if f.tupled else row
    lets = r",\ ".join(f"{code(symbol(n))} = {code(e)}" for n, e in f.lets)
    where = rf" \quad \text{{where }} {lets}" if lets else ""
    guard = ""
    if f.guard is not None:
        said = condition(f.guard, code, r"\land", r"\lor").code
        guard = rf" \quad \text{{if }} {said}"
    coords = ", ".join(code(symbol(v.name)) for v in f.variables)
    return f"{latex.head(s.name, coords)} = {row}{where}{guard}\n"
