"""What programs say by themselves: the variables that they change, where they leave, how they read."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from symlayout.programs.kernels.program.nodes import (
    Action,
    Assign,
    Barrier,
    Break,
    Call,
    Cast,
    Change,
    Choice,
    Comparison,
    Constant,
    Continue,
    Copy,
    Expression,
    Field,
    Fold,
    For,
    Junction,
    Load,
    MethodCall,
    Name,
    Node,
    Not,
    Operation,
    Range,
    Return,
    Sign,
    Statement,
    Store,
    While,
    every_part,
    parts,
)
from symlayout.programs.kernels.syntax import COMPARED, OPERATORS

OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "!=": "==", "==": "!="}
SPOKEN = {Load: "a load", Store: "a store", Copy: "a copy", Barrier: "a barrier"}
PYTHON = {sign: kind for kind, sign in OPERATORS.items()}
COMPARING = {sign: kind for kind, sign in COMPARED.items()}
SIGNS: dict[str, type[ast.unaryop]] = {"-": ast.USub, "+": ast.UAdd, "~": ast.Invert}


def names_in(node: Node) -> set[str]:
    """The variables that stand there."""
    return {x.word for x in every_part(node) if isinstance(x, Name)}


def assigned_names(body: Iterable[Node]) -> set[str]:
    """The variables that get a value there."""
    return {x.word for s in body for x in every_part(s) if isinstance(x, (Assign, Change, For))}


def leaves(body: Iterable[Node], *kinds: type[Statement]) -> bool:
    """Whether a `break` or `continue` leaves these statements, those of inner loops left out.

    >>> one = Name("a")
    >>> body = [While(one, [Continue()])]
    >>> leaves(body), leaves([*body, Break()]), leaves([*body, Break()], Continue)
    (False, True, False)
    """
    waiting = list(body)
    while waiting:
        x = waiting.pop()
        if isinstance(x, kinds or (Break, Continue)):
            return True
        if not isinstance(x, (For, While)):
            waiting += parts(x)
    return False


def leaves_early(body: Iterable[Node]) -> bool:
    """Whether a `break` or `return` may end a loop."""
    return any(isinstance(x, (Break, Return)) for s in body for x in every_part(s))


def returns_inside(body: Iterable[Node]) -> bool:
    """Whether a `return` stands there."""
    return any(isinstance(x, Return) for s in body for x in every_part(s))


def negated(test: Expression) -> Expression:
    """The opposite condition.

    >>> spoken(negated(Junction("or", [Not(Name("a")), Comparison(">=", Name("i"), Name("n"))])))
    'a and i < n'
    """
    opposite: Expression = Not(test)
    if isinstance(test, Not):
        opposite = test.operand
    elif isinstance(test, Junction):
        op = "and" if test.op == "or" else "or"
        opposite = Junction(op, [negated(v) for v in test.values])
    elif isinstance(test, Comparison):
        opposite = Comparison(OPPOSITE[test.op], test.left, test.right)
    opposite.place = test.place  # which may be a part of it
    return opposite


def conditions_of(test: Expression) -> list[Expression]:
    """The conditions that `and` joins, also where `not` stands before what `or` joins."""
    if isinstance(test, Junction) and test.op == "and":
        return [c for v in test.values for c in conditions_of(v)]
    if isinstance(test, Not):
        inner = negated(test.operand)
        return [test] if isinstance(inner, Not) else conditions_of(inner)
    return [test]


def spoken(node: Expression, most: int = 40) -> str:
    """The text of an expression for people.

    >>> spoken(Operation("//", Cast(Name("n"), "int"), Load(Name("p"), None)))
    'n // ...'
    """
    text = whole_text(node)
    return text if len(text) <= most else f"{text[: most - 3]}..."


def whole_text(node: Expression) -> str:
    """The text of an expression, in Python's words."""
    return ast.unparse(ast.fix_missing_locations(_in_python(node)))


def _in_python(node: Expression) -> ast.expr:
    """The expression as Python writes it, for what is read by people alone."""
    to = _in_python
    match node:
        case Name():
            return ast.Name(node.word)
        case Constant():
            return ast.Constant(node.value)
        case Operation():
            return ast.BinOp(to(node.left), PYTHON[node.op](), to(node.right))
        case Sign():
            return ast.UnaryOp(SIGNS[node.op](), to(node.operand))
        case Not():
            return ast.UnaryOp(ast.Not(), to(node.operand))
        case Junction():
            op = ast.And() if node.op == "and" else ast.Or()
            return ast.BoolOp(op, [to(v) for v in node.values])
        case Comparison():
            return ast.Compare(to(node.left), [COMPARING[node.op]()], [to(node.right)])
        case Choice():
            return ast.IfExp(to(node.test), to(node.then), to(node.other))
        case Field():
            return ast.Attribute(to(node.base), node.word)
        case Cast():
            return to(node.value)
        case Fold():
            return ast.Call(ast.Name(node.op), [to(v) for v in node.values], [])
        case Call():
            return ast.Call(ast.Name(node.word), [to(v) for v in node.arguments], [])
        case Range():
            return ast.Call(
                ast.Name("range"), [to(v) for v in (node.start, node.end, node.step)], []
            )
    return ast.Name("...")


def called(node: Action) -> str:
    """What is called, for people.

    >>> [called(x) for x in (Load(Name("p"), None), Call("f", []), Cast(Name("n"), "int"))]
    ['a load', 'f', 'what stands here']
    """
    match node:
        case Call() | MethodCall():
            return node.word
        case Fold():
            return node.op
        case Range():
            return "range"
    return SPOKEN.get(type(node), "what stands here")
