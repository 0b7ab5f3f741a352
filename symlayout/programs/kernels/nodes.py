"""Terms of kernels: numbers fold, and nothing is multiplied out.

So every intermediate value of the code has its term.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from symlayout.expr.arrays import STEPS
from symlayout.expr.facts import COMPARE, NEGATED
from symlayout.expr.machine import INT, INT64, UINT32, UINT64, Machine, common
from symlayout.expr.term import LEAVES, SHIFTS, Term
from symlayout.expr.terms import CeilDiv, TruncDiv, TruncMod

PARTS = 1_500  # nodes of one expression; a larger one is not understood
DEEP = 160  # nodes inside one another, likewise
WORDS = 31  # the largest power of two of a 32-bit integer


class TooLarge(Exception):
    """An expression has more than `PARTS` nodes, or more than `DEEP` inside one another."""

    def __str__(self) -> str:
        return "an expression that is too large"


def put(term: Term, change: Callable[[Term], Term | None]) -> Term:
    """The term with leaves replaced where `change` gives something else."""
    if term.op == "num":
        return term
    if term.op in ("name", "lane"):
        return change(term) or term
    args = tuple(put(a, change) for a in term.args)
    if term.op == "unknown":
        term = term.with_args(args)
        return change(term) or term
    return term if args == term.args else rebuilt(term, args)


def num(value: int, type: Machine | None = None) -> Term:
    """A number."""
    return Term("num", number=value, type=type)


def name(word: str, type: Machine | None = INT) -> Term:
    """A parameter, a program id or a loop's counter."""
    return Term("name", word=word, type=type)


def lane(axis: int) -> Term:
    """The place in a block along an axis."""
    return Term("lane", number=axis, type=INT)


def wide(node: Term) -> Term:
    """The node with what it computes in 32 bits computed in 64: its value where none leaves its type.

    >>> c = compare("<", binary("+", name("i"), name("k", UINT32)), name("n"))
    >>> c.text({}, typed=True), wide(c).text({}, typed=True)
    ('i + uint32(k) < n', 'int64(i) + int64(uint32(k)) < int64(n)')
    """
    if not node.args or node.op == "unknown":
        return cast(INT64, node) if 1 < node.bits < 64 and node.op != "num" else node
    args = tuple(map(wide, node.args))
    return args[0] if node.op == "cast" and node.bits < 64 else rebuilt(node, args)


def cast(type: Machine | None, a: Term) -> Term:
    """The value in a type; that of a condition is 1 or 0."""
    a = number_of(a)
    return a if a.type == type else Term("cast", (a,), type=type)


def typed(a: Term) -> Term:
    """A number that the compiler knows as one of run time, in the type that Triton chooses for it.

    >>> [str(typed(num(n)).type) for n in (-7, 1 << 31, 1 << 32)]
    ['int32', 'uint32', 'int64']
    """
    if a.type is not None:
        return a
    if a.op != "num":
        return Term("cast", (a,), FITTING, type=INT)
    return num(a.number, next((t for t in (INT, UINT32) if t.holds(a.number)), INT64))


FITTING = "fitting"  # of a cast to a type that is chosen as its value needs it
TRUE, FALSE = Term("true"), Term("false")


def binary(op: str, a: Term, b: Term) -> Term:
    """An arithmetic operation; numbers fold, and what adds nothing is left away.

    Raises `TooLarge`, and `ZeroDivisionError` for a number divided by 0.
    """
    if a.op == "num" and b.op == "num" and op in FOLDED:
        return _fold(op, a, b)
    if op == "+" and a == num(0, INT64):
        return cast(INT64, b)
    kind = common([a.type, b.type])
    if a.type == kind:
        if op in ("+", "-") and b.value == 0:
            return a
        if op in ("*", "//", "cdiv") and b.value == 1:
            return a
    if b.type == kind and ((op == "+" and a.value == 0) or (op == "*" and a.value == 1)):
        return b
    if op == "*" and 0 in (a.value, b.value) and not (a.divides or b.divides):
        return num(0, kind)
    small = a.op != "num" or abs(a.number) << max(0, min(b.number, WORDS)) < 1 << WORDS
    if op in SHIFTS and b.value in range(WORDS) and small:
        return binary("*" if op == "<<" else "//", a, num(1 << b.number))
    return _within_limits(Term(op, (a, b)))


def _fold(op: str, a: Term, b: Term) -> Term:
    """The number: modulo its type's size where that has no sign; what leaves one with a sign stays."""
    value, kind = FOLDED[op](a.number, b.number), common([a.type, b.type])
    if kind is None:
        return num(value)
    if kind.signed and not kind.holds(value):
        return _within_limits(Term(op, (a, b)))
    return num(kind.wrapped(value), kind)


def compare(op: str, a: Term, b: Term) -> Term:
    """A comparison; of numbers it is decided."""
    if a.op == "num" and b.op == "num":
        return TRUE if COMPARE[op](a.number, b.number) else FALSE
    return _within_limits(Term(op, (a, b)))


def both(a: Term, b: Term) -> Term:
    """The first and the second."""
    if FALSE in (a, b):
        return FALSE
    if TRUE in (a, b) or a == b:
        return b if a == TRUE else a
    if b.op == "==" and (value := _number_of(b)) is not None:
        a = _substitution(a, *value)
    elif b.op in COMPARE and (compared := _leaf_of(b)) is not None:
        values = [v for c in conjuncts(a) if c.op == "==" and (v := _number_of(c)) is not None]
        b = next((_substitution(b, x, n) for x, n in values if x == compared), b)
    if FALSE in (a, b) or TRUE in (a, b):
        return FALSE if FALSE in (a, b) else b if a == TRUE else a
    return _within_limits(Term("and", (a, b)))


def _leaf_of(c: Term) -> Term | None:
    """What a comparison compares with a number: a name, which has a value everywhere."""
    x, y = c.args
    x, y = (y, x) if x.op == "num" else (x, y)
    return x if y.op == "num" and not x.args and x.op != "unknown" else None


def _number_of(c: Term) -> tuple[Term, Term] | None:
    """The name and the number that an equation says it is."""
    x = _leaf_of(c)
    return None if x is None else (x, c.args[1] if c.args[0] == x else c.args[0])


def _substitution(c: Term, x: Term, number: Term) -> Term:
    """The condition where a name is that number: a chain of `else if` has one comparison left."""
    left: list[Term] = []
    for part in conjuncts(c):
        if part.op in COMPARE and _leaf_of(part) == x:
            part = compare(part.op, *[number if y == x else y for y in part.args])
        if part == FALSE:
            return FALSE
        left += [part] * (part != TRUE)
    condition = TRUE
    for part in left:
        condition = part if condition == TRUE else _within_limits(Term("and", (condition, part)))
    return condition


def either(a: Term, b: Term) -> Term:
    """The first or the second."""
    if TRUE in (a, b):
        return TRUE
    if FALSE in (a, b) or a == b:
        return b if a == FALSE else a
    return _within_limits(Term("or", (a, b)))


def negation(a: Term) -> Term:
    """True exactly where the condition is false."""
    if a.op in NEGATED:
        return compare(NEGATED[a.op], *a.args)
    if a.op in ("true", "false"):
        return FALSE if a.op == "true" else TRUE
    if a.op == "not":
        return a.args[0]
    return Term("not", (a,))


def where(c: Term, a: Term, b: Term) -> Term:
    """`a` where the condition is true, else `b`."""
    if c in (TRUE, FALSE):
        return a if c == TRUE else b
    if a.is_condition and b.is_condition:
        return either(both(c, a), both(negation(c), b))
    a, b = number_of(a), number_of(b)  # one of them at most is a condition
    return a if a == b else _within_limits(Term("where", (c, a, b)))


def chooses(a: Term) -> bool:
    """Whether a condition in it chooses between values, which facts cannot say."""
    return a.op == "where" or any(map(chooses, a.args))


def truth(a: Term) -> Term:
    """The condition that a value is not 0."""
    return a if a.is_condition else compare("!=", a, num(0))


def number_of(a: Term) -> Term:
    """The value of a condition: 1 or 0."""
    return where(a, num(1, INT), num(0, INT)) if a.is_condition else a


def _within_limits(node: Term) -> Term:
    if node.size > PARTS or node.depth > DEEP:
        raise TooLarge
    return node


def rebuilt(node: Term, args: tuple[Term, ...]) -> Term:
    """The node's operation on other arguments."""
    if node.op == "cast":
        conversion = cast(node.type, args[0])
        is_cast = conversion.op == "cast"
        marked = Term("cast", conversion.args, node.word, node.number, node.type)
        return marked if is_cast else conversion
    if node.op == "where":
        return where(*args)
    if node.op in ("and", "or"):
        return (both if node.op == "and" else either)(*args)
    if node.op == "not":
        return negation(args[0])
    return (compare if node.op in NEGATED else binary)(node.op, *args)


def terms(node: Term, sign: int = 1) -> list[tuple[Term, int]]:
    """The terms of a sum, each with its sign.

    >>> a, b, c = map(name, "abc")
    >>> [(t.word, sign) for t, sign in terms(binary("-", a, binary("-", b, c)))]
    [('a', 1), ('b', -1), ('c', 1)]
    """
    if node.op not in ("+", "-"):
        return [(node, sign)]
    a, b = node.args
    return [*terms(a, sign), *terms(b, sign if node.op == "+" else -sign)]


def conjuncts(c: Term) -> list[Term]:
    """The conditions that `and` joins."""
    if c.op == "and":
        return [x for a in c.args for x in conjuncts(a)]
    return [] if c == TRUE else [c]


def under(node: Term, known: frozenset[Term]) -> Term:
    """The node where those conditions are true: choices by them are made."""
    if not node.args or node.op == "unknown":
        return node
    if node.op == "where" and known.issuperset(conjuncts(node.args[0])):
        return under(node.args[1], known)
    args = tuple(under(a, known) for a in node.args)
    return node if args == node.args else rebuilt(node, args)


def narrow(node: Term) -> list[Term]:
    """The largest parts that are computed in 32 bits; leaves are computed nowhere."""
    return [n for _, n in narrow_parts(node)]


Part = tuple[tuple[Term, ...], Term]  # what is computed, behind the conditions under which it is


def narrow_parts(node: Term, tests: tuple[Term, ...] = ()) -> list[Part]:
    """The largest parts that are computed in 32 bits, of choices and conditions each in its turn.

    What `and` and `or` join is asked from the left: a part that is never asked leaves no type.
    """
    if node.op in LEAVES or node.word == FITTING:
        return []
    if node.bits < 64 and not node.is_condition and node.op != "where":
        return [(tests, node)] if node.bits else []
    if node.op == "where" and _is_wrap(node.args[2]):
        return [(tests, node)]  # of a conversion only the way that is taken is computed
    return [part for more, a in in_turn(node) for part in narrow_parts(a, (*tests, *more))]


def in_turn(node: Term) -> list[Part]:
    """The arguments, each with the conditions that others of them put on it."""
    if node.op in ("and", "or"):
        a, b = node.args
        return [((), a), (tuple(conjuncts(a if node.op == "and" else negation(a))), b)]
    if node.op == "where":
        c, a, b = node.args
        return [((), c), (tuple(conjuncts(c)), a), (tuple(conjuncts(negation(c))), b)]
    return [((), a) for a in node.args]


def _is_wrap(node: Term) -> bool:
    """Whether it is a number below 0 in a type of 32 bits without a sign."""
    return node.op == "cast" and node.args[0].op == "+" and node.args[0].args[1] == WRAP


def differences(node: Term, tests: tuple[Term, ...] = ()) -> list[Part]:
    """Differences of 64 bits without a sign, and sums with what may be below 0, inner ones first."""
    parts = in_turn(node) if node.op != "unknown" else []
    inner = [part for more, a in parts for part in differences(a, (*tests, *more))]
    below = any(a.op == "cast" and a.number for a in node.args)
    own = node.op == "-" or (node.op in ("+", "*") and below)
    return [*inner, (tests, node)] if own and node.type == UINT64 else inner


def nonnegative(a: Term, known: Callable[[Term], bool]) -> bool:
    """Whether a value is certainly not below 0; `known` tells it of leaves, and of what is noted."""
    if a.op == "num":
        return a.number >= 0
    if known(a):
        return True
    match a.op:
        case "+" | "*" | "&" | "//" | "cdiv" | "min" | "|" | "^" | "/":
            return all(nonnegative(x, known) for x in a.args)
        case "cast" | "<<" | ">>" | "rem":
            return nonnegative(a.args[0], known)
        case "%":
            return nonnegative(a.args[1], known)
        case "max":
            return any(nonnegative(x, known) for x in a.args)
        case "where":
            return all(nonnegative(x, known) for x in a.args[1:])
    return False


def least(a: Term, positive: Callable[[str], bool], known: Callable[[Term], bool]) -> int:
    """What a value is at least, at least 0; `positive` tells it of names, `known` as above.

    >>> a = binary("+", binary("*", name("n"), num(4)), num(3))
    >>> least(a, lambda word: True, lambda leaf: True)
    7
    """
    if a.op == "num":
        return max(a.number, 0)
    if a.op == "name":
        return int(positive(a.word))
    if a.op in ("lane", "unknown") or not all(nonnegative(x, known) for x in a.args[-2:]):
        return 0
    parts = [least(x, positive, known) for x in a.args]
    match a.op:
        case "+":
            return sum(parts)
        case "*":
            return parts[0] * parts[1]
        case "cdiv":
            return int(min(parts) > 0)
        case "cast":
            return parts[0]
        case "min" | "max":
            return (min if a.op == "min" else max)(parts)
        case "where":
            return min(parts[1:])
        case "//" if parts[1] > 0 and (divisor := _largest(a.args[1])):
            return parts[0] // divisor
    return 0


def most(a: Term, high: Callable[[str], int | None]) -> int | None:
    """What an expression of names that are not below 0 is at most; None where that is not known.

    >>> most(binary("+", name("n"), num(1)), lambda word: 9)
    10
    """
    if a.op in ("num", "name"):
        return a.number if a.op == "num" else high(a.word)
    parts = [most(x, high) for x in a.args]
    known = [x for x in parts if x is not None]
    if a.op == "min":
        return min(known, default=None)
    if a.op in ("-", "//", "/", "%", "cdiv"):
        return parts[0]
    if len(known) < len(parts) or a.op not in ("+", "*", "max", "cast"):
        return None
    if a.op == "*":
        return prod(known)
    return max(known) if a.op == "max" else sum(known)


def _largest(node: Term) -> int:
    """The largest of the numbers that a choice is from; 0 where it is none of numbers."""
    if node.op == "cast":
        return _largest(node.args[0])
    if node.op != "where":
        return node.value or 0
    a, b = map(_largest, node.args[1:])
    return max(a, b) if a and b else 0


WRAP = num(1 << 32, INT64)
FOLDED: dict[str, Callable[[int, int], int]] = {
    **{op: STEPS[op].value for op in ("+", "-", "*", "//", "%", "min", "max", "&", "|", "^")},
    **{"cdiv": CeilDiv.row.value, "/": TruncDiv.row.value, "rem": TruncMod.row.value},
}
