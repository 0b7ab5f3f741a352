"""Integer expressions and relations as Rocq writes them: part of what a theorem's statement says."""

from __future__ import annotations

from collections.abc import Sequence

from symlayout.errors import LayoutError
from symlayout.expr.conditions import Condition, Less
from symlayout.expr.conditions import Both as BothHold
from symlayout.expr.facts import Relation
from symlayout.expr.terms import Application
from symlayout.expr.tree import Expr, Integer, Symbol

# words of Rocq that are no names; a size with such a name gets one more underscore
RESERVED = frozenset(
    """_ as at cofix do else end exists exists2 fix for forall fun if in let match mod return Prop
    Set SProp then Type using where with by Definition Lemma Theorem Z list nat""".split()
)
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


def term(e: Expr) -> str:
    """An expression, in brackets where it is more than one word.

    >>> from symlayout.expr.reader import read_expression
    >>> term(read_expression("x//8 + min(x, y, 3) - 2*y"))
    '(Z.min (Z.min 3 x) y + (-2) * y + x / 8)'
    """
    if isinstance(e, Integer):
        return number(int(e))
    if isinstance(e, Symbol):
        return name(e.name)
    if e.is_Pow:
        return f"({' * '.join([term(e.base)] * int(e.exp))})"
    args = [term(a) for a in e.args]
    if e.is_Add:
        terms = [t if a.is_Integer else outer(t) for a, t in zip(e.args, args)]
        return f"({' + '.join(terms)})"
    if e.is_Mul:
        return f"({' * '.join(args)})"
    if not isinstance(e, Application) or e.row.name not in OPERATORS:
        raise missing(f"the operation in {e}")
    template = OPERATORS[e.row.name]
    return str(e.row.joined(lambda *some: f"({template.format(*some)})", args))


def relation(r: Relation) -> str:
    """A relation."""
    return f"{outer(term(r.left))} {RELATIONS[r.op]} {outer(term(r.right))}"


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
