"""Integer expressions and relations as Rocq writes them: part of what a theorem's statement says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both as BothHold
from symlayout.expr.conditions import Condition, Less
from symlayout.expr.facts import Relation
from symlayout.expr.terms import Application, Where
from symlayout.expr.tree import Expr, Integer, Symbol

KEYWORDS = """
    as at cofix do else end exists exists2 fix for forall fun if in let match mod return Prop Set
    SProp then Type using where with by Definition Lemma Theorem Z list nat
"""
# a pattern with such a name would not be a variable
CONSTRUCTORS = """
    O S I Z0 Zpos Zneg xH xO xI Eq Lt Gt true false nil cons Some None left right tt pair conj
    inl inr inleft inright ex_intro or_introl or_intror eq_refl
"""
LIBRARY = """
    shape offset size defined inside at_least product number digit buffer some greatest least
    ceildiv truncdiv truncmod exp2 choose modes strided xla fractal formula equal bitcast
    Range Result lands takes reaches ranges linear swizzle swizzled aligned reinterpret
    permuted tiles padding separates stays covers injective bounded onto valid bijective block
    within each each2 cut physical joined digit numbered counted signed places points below
    leaf places hit well counts known alike
    value error except holds decided element summed added number dot offsets addresses
"""
# what no size is called; one with such a name gets one more underscore
RESERVED = frozenset(re.findall(r"\w+", KEYWORDS + CONSTRUCTORS + LIBRARY))
AND = " /\\ "  # between propositions
RELATIONS = {"==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
# how an operator is written, by the name of its row; an operator without a template has no meaning
OPERATORS = {
    "FloorDiv": "{0} / {1}",
    "Mod": "{0} mod {1}",
    "CeilDiv": "ceildiv {0} {1}",
    "TruncDiv": "truncdiv {0} {1}",
    "TruncMod": "truncmod {0} {1}",
    "Min": "Z.min {0} {1}",
    "Max": "Z.max {0} {1}",
    "Exp2": "exp2 {0}",
    "BitXor": "Z.lxor {0} {1}",
    "BitOr": "Z.lor {0} {1}",
    "BitAnd": "Z.land {0} {1}",
    "Gcd": "Z.gcd {0} {1}",
    "Where": "choose {0} {1} {2} {3}",
}


def missing(what: str) -> LayoutError:
    """What is said of something that has no theorem in Rocq yet."""
    return LayoutError("SL106", f"no theorem for Rocq: {what} is not in its library yet")


def name(word: str) -> str:
    """The name of a size or a coordinate.

    >>> name("M"), name("at"), name("at_")
    ('M', 'at_', 'at__')
    """
    return f"{word}_" if word.rstrip("_") in RESERVED or word == "_" else word


def number(n: int) -> str:
    """A number."""
    return str(n) if n >= 0 else f"(-{-n})"


def term(e: Expr, texts: Mapping[Expr, str] = MappingProxyType({})) -> str:
    """An expression, in brackets where it is more than one word; `texts` has texts for parts of it.

    >>> from symlayout.expr.reader import read_expression
    >>> term(read_expression("x//8 + min(x, y, 3) - 2*y"))
    '((-2) * y + x / 8 + Z.min (Z.min x y) 3)'
    """
    if e in texts:
        return texts[e]
    if isinstance(e, Integer):
        return number(int(e))
    if isinstance(e, Symbol):
        return name(e.name)
    if e.is_Pow:
        return f"({' * '.join([term(e.base, texts)] * int(e.exp))})"
    args = [term(a, texts) for a in e.args]
    if e.is_Add:
        whole = [a in texts or a.is_Integer for a in e.args]
        terms = [t if keep else outer(t) for keep, t in zip(whole, args)]
        return f"({' + '.join(terms)})"
    if e.is_Mul:
        return f"({' * '.join(args)})"
    if not isinstance(e, Application) or e.row.name not in OPERATORS:
        raise missing(f"the operation in {e}")
    template = OPERATORS[e.row.name]
    return str(e.row.joined(lambda *some: f"({template.format(*some)})", args))


def relation(r: Relation, texts: Mapping[Expr, str] = MappingProxyType({})) -> str:
    """A relation."""
    left, right = (outer(term(e, texts)) for e in (r.left, r.right))
    return f"{left} {RELATIONS[r.op]} {right}"


def outer(text: str) -> str:
    """The text without the brackets around all of it.

    >>> outer("((a) + b)"), outer("(a) + (b)")
    ('(a) + b', '(a) + (b)')
    """
    if not text.startswith("("):
        return text
    depth = 0
    for k, c in enumerate(text):
        depth += {"(": 1, ")": -1}.get(c, 0)
        if depth == 0:
            return text[1:-1] if k == len(text) - 1 else text
    return text


def condition(c: Condition) -> str:
    """A condition as a proposition."""
    if isinstance(c, Less):
        return f"({outer(term(c.left))} < {outer(term(c.right))})"
    sign = "/\\" if isinstance(c, BothHold) else "\\/"
    return f"({condition(c.first)} {sign} {condition(c.second)})"


def implied(premises: Sequence[str], conclusion: str) -> str:
    """Premises, and what follows from them."""
    return " ->\n  ".join([*premises, conclusion])


def needs(*expressions: Expr) -> list[str]:
    """What must hold for expressions to have a value: no divisor is 0, no exponent is negative.

    >>> from symlayout.expr.reader import read_expression
    >>> needs(read_expression("x//8 + x//(y + 1)"))
    ['1 + y <> 0']
    """
    texts: dict[str, None] = {}
    for e in expressions:
        for a in e.args:
            texts |= dict.fromkeys(needs(a))
        if isinstance(e, Where) and any(needs(a) for a in e.args):
            raise missing("a conditional whose branches may have no value")
        if isinstance(e, Application):
            for k in e.row.natural:
                texts |= dict.fromkeys([f"0 <= {outer(term(e.args[k]))}"])
            d = None if e.row.divisor is None else e.args[e.row.divisor]
            if d is not None and not (d.is_Integer and d != 0):
                texts |= dict.fromkeys([f"{outer(term(d))} <> 0"])
    return list(texts)
