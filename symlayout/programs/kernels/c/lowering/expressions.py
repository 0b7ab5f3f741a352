"""Names, numbers, operators and choices as expressions of Python's tree."""

from __future__ import annotations

import ast
from functools import partial

from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.deduction import is_float
from symlayout.programs.kernels.c.lowering.operators import overloaded
from symlayout.programs.kernels.c.lowering.trees import (
    BINARY,
    COMPARED,
    Tree,
    assign,
    call,
    children,
    const,
    forget,
    is_float_literal,
    is_loose,
    is_whole,
    number_of,
    place,
    root_of,
    text_of,
    walk,
)
from symlayout.programs.kernels.c.macros import NESTED, REPLACED, too_many
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.syntax import assigned_names


def unfollowed(low: Lowering, tree: Tree) -> ast.expr:
    """A value that is not followed; what stands in it is, where it certainly does nothing else."""
    if tree.type not in VALUES:
        words = {"lambda_expression": "a lambda", "gnu_asm_expression": "assembly"}
        _capture(low, tree)
        return call("@skip", const(f"{words.get(tree.type, 'what')} is not followed"))
    parts = [low.expression(c) for c in children(tree) if _is_value(c)]
    if tree.type == "compound_literal_expression":
        values = children(tree.child_by_field_name("value"))
        type = low.read(text_of(tree.child_by_field_name("type")))
        if any(map(partial(is_made_of_address, low), values)):
            why = f"{type.spelling[:40]} is made of a pointer, and not followed"
            return call("@skip", const(why), *parts)
        if not low.is_certain(type):
            return call("@skip", const(low.why_uncertain(type)), *parts)
    if tree.type in ("subscript_expression", "pointer_expression"):
        base = tree.child_by_field_name("argument") or tree
        indices = tree.child_by_field_name("indices")
        if any(t is not None and is_made_of_address(low, t) for t in (base, indices)):
            return call("@skip", const(f"{text_of(tree)[:40]} is not followed"), *parts)
        low.before += of_object(low, tree)
    if any(_acts(c) for c in children(tree) if not _is_value(c)):
        return call("@skip", const(f"what stands in {text_of(tree)[:40]} is not followed"))
    return call("@data", *parts)


def of_object(low: Lowering, tree: Tree) -> list[ast.stmt]:
    """Tells of a part of an object that says itself what its parts are: a tensor's accessor."""
    variable = low.identifier(root_of(tree)) if tree.type in PARTS else None
    if variable is None or variable.shared or low.is_certain(variable.type):
        return []
    why = f"{text_of(tree)[:40]} is not followed"
    return [place(ast.Expr(call("@skip", const(why))), tree)]


def is_made_of_address(low: Lowering, tree: Tree) -> bool:
    """Whether an address is among the parts that an expression's value is made of."""
    ctype = low.type_of(tree)
    if ctype is not None:
        return ctype.is_address and not in_registers(low, tree)
    if tree.type in ("field_expression", "lambda_expression", "sizeof_expression"):
        return False
    return any(map(partial(is_made_of_address, low), children(tree)))


def in_registers(low: Lowering, tree: Tree) -> bool:
    """Whether it is a part of a local array or of a vector."""
    variable = low.identifier(root_of(tree))
    if variable is None or variable.shared or variable.type.depth > 0:
        return False
    return low.is_certain(CType(variable.type.word))


def initializer_pair(low: Lowering, tree: Tree) -> ast.expr:
    value = tree.child_by_field_name("value")
    return low.expression(value) if value is not None else call("@data")


def _capture(low: Lowering, tree: Tree) -> None:
    """Nothing is known any more of what code that is not followed gives a value."""
    keys = {"assignment_expression": "left", "update_expression": "argument"}
    for t in walk(tree):
        left = t.child_by_field_name(keys[t.type]) if t.type in keys else None
        variable = low.variable(text_of(left)) if left is not None else None
        if variable is not None and not variable.shared:
            low.captured[variable.name] = variable
    low.after += [forget(n, tree) for n in low.captured]


def identifier_expression(low: Lowering, tree: Tree) -> ast.expr:
    word = text_of(tree)
    entry = low.variable(word)
    if entry is not None and entry.alias:
        return call("@load", ast.Name(entry.name, ast.Load()), const(entry.type))
    if entry is not None and word in low.exposed and not entry.shared and not entry.type.array:
        return call("@data", const(f"{word}, whose address is taken"))
    if entry is not None and entry.shared and not entry.type.is_address:
        return call("@load", ast.Name(entry.name, ast.Load()), const(entry.type))
    if entry is None and word in low.source.macros:
        value = low.source.macros[word]
        if value is None and word not in low.source.reaching:
            return call("@data", const(f"the macro {word} is not followed"))
        bare = value is not None and is_loose(value) and not is_whole(tree)
        if value is None or bare:
            return call("@skip", const(f"the macro {word} is not followed"))
        low.inside += 1
        low.source.replaced += 1
        if low.source.replaced > REPLACED:
            raise too_many(word, f"{REPLACED:,}")
        if low.inside > NESTED:
            raise too_many(word, f"{NESTED} nested")
        try:
            return low.expression(value)
        finally:
            low.inside -= 1
    return ast.Name(entry.name if entry else word, ast.Load())


def qualified_identifier(low: Lowering, tree: Tree) -> ast.expr:
    return ast.Name("".join(text_of(tree).split()), ast.Load())


def parenthesized_expression(low: Lowering, tree: Tree) -> ast.expr:
    kids = children(tree)
    return low.expression(kids[0]) if kids else call("@data")


def condition_clause(low: Lowering, tree: Tree) -> ast.expr:
    return low.expression(tree.child_by_field_name("value"))


def number_literal(low: Lowering, tree: Tree) -> ast.expr:
    literal = number_of(tree)
    if literal is None:
        whole = not is_float_literal(text_of(tree))
        return call("@data", const("a number of no type")) if whole else const(0.5)
    value, word = literal
    number: ast.expr = const(abs(value))
    if word != "int":
        number = call("@as", number, const(word))
    return ast.UnaryOp(ast.USub(), number) if value < 0 else number


def text_literal(low: Lowering, tree: Tree) -> ast.expr:
    return const(text_of(tree))


def truth_literal(low: Lowering, tree: Tree) -> ast.expr:
    return const(tree.type == "true")


def null_literal(low: Lowering, tree: Tree) -> ast.expr:
    return const(None)


def field_expression(low: Lowering, tree: Tree) -> ast.expr:
    base, word = (tree.child_by_field_name(k) for k in ("argument", "field"))
    if text_of(base) in ("threadIdx", "blockIdx", "blockDim", "gridDim"):
        return ast.Name(f"{text_of(base)}.{text_of(word)}", ast.Load())
    own = low.variable_of(tree)
    if own is not None:
        return ast.Name(own.name, ast.Load())
    at = low.expression(base)
    inner = low.type_of(base)
    arrow = "->" in (text_of(c) for c in tree.children)
    if arrow and inner is not None and inner.depth == 1 and not inner.array:
        at = call("@load", at, const(inner.element))  # `p->a` is `(*p).a`
    attribute = ast.Attribute(at, text_of(word), ast.Load())
    attribute.ctype = low.field_type(tree)  # type: ignore[attr-defined]
    return attribute


def binary_expression(low: Lowering, tree: Tree) -> ast.expr:
    left, right = (tree.child_by_field_name(k) for k in ("left", "right"))
    op = text_of(tree.child_by_field_name("operator"))
    if op in ("&&", "||", "and", "or"):
        every = op in ("&&", "and")
        a = evaluated_first(low, left)
        b, done = _alone(low, right)
        a = _after_either(low, a, done if every else [], [] if every else done, left)
        return ast.BoolOp(ast.And() if every else ast.Or(), [a, b])
    a, b = low.expression(left), low.expression(right)
    low.before += overloaded(low, op, tree, [left, right])
    if op in COMPARED:
        return ast.Compare(a, [COMPARED[op]()], [b])
    expr = operation(low, op, a, b, low.type_of(left), low.type_of(right))
    if isinstance(expr, ast.BinOp):
        expr.floating = is_float(low, left) or is_float(low, right)  # type: ignore[attr-defined]
    return expr


def operation(
    low: Lowering, op: str, a: ast.expr, b: ast.expr, left: CType | None, right: CType | None
) -> ast.expr:
    """An arithmetic operation; with a pointer it counts elements."""
    if op not in BINARY:
        return call("@data", a, b)
    if left is not None and left.is_address and op in ("+", "-"):
        if right is not None and right.is_address:
            return call("@data", a, b)
        by = b if op == "+" else ast.UnaryOp(ast.USub(), call("@signed", b))
        return call("@place", a, by, const(left.element))
    if right is not None and right.is_address and op == "+":
        return call("@place", b, a, const(right.element))
    return ast.BinOp(a, BINARY[op](), b)


def unary_expression(low: Lowering, tree: Tree) -> ast.expr:
    op = text_of(tree.child_by_field_name("operator"))
    inner = low.expression(tree.child_by_field_name("argument"))
    low.before += overloaded(low, op, tree, [tree.child_by_field_name("argument")])
    signs: dict[str, ast.unaryop] = {
        "-": ast.USub(),
        "+": ast.UAdd(),
        "!": ast.Not(),
        "~": ast.Invert(),
    }
    return ast.UnaryOp(signs[op], inner) if op in signs else call("@data", inner)


def conditional_expression(low: Lowering, tree: Tree) -> ast.expr:
    condition = tree.child_by_field_name("condition")
    if tree.child_by_field_name("consequence") is None:  # `a ?: b` of GNU
        return unfollowed(low, tree)
    c = evaluated_first(low, condition)
    a, then = _alone(low, tree.child_by_field_name("consequence"))
    b, other = _alone(low, tree.child_by_field_name("alternative"))
    return ast.IfExp(_after_either(low, c, then, other, condition), a, b)


def evaluated_first(low: Lowering, tree: Tree) -> ast.expr:
    """An expression that is evaluated, with all that it does, before others are."""
    after, low.after = low.after, []
    expr = low.expression(tree)
    if low.after:
        expr = _temporary(low, expr, tree)
        low.before += low.after
    low.after = after
    return expr


def _temporary(low: Lowering, value: ast.expr, tree: Tree) -> ast.expr:
    """The value under a name of its own, as it is before what follows."""
    low.source.calls += 1
    word = f"kept_{low.source.calls}"
    low.before.append(assign(word, value, tree))
    return ast.Name(word, ast.Load())


def _alone(low: Lowering, tree: Tree) -> tuple[ast.expr, list[ast.stmt]]:
    """An expression that is not always evaluated, and what it does: what it changes is lost."""
    before, after, low.before, low.after = low.before, low.after, [], []
    expr = low.expression(tree)
    done = [*low.before, *low.after]
    low.before, low.after = before, after
    for n in sorted(assigned_names(done)):
        low.before.append(forget(n, tree))
        low.after.append(forget(n, tree))
    return expr, [s for s in done if not isinstance(s, (ast.Assign, ast.AugAssign))]


def _after_either(
    low: Lowering, c: ast.expr, then: list[ast.stmt], other: list[ast.stmt], tree: Tree
) -> ast.expr:
    """The condition, after what is done where it is true, or else is not."""
    if then or other:
        c = _temporary(low, c, tree)
        branch = ast.If(c, then or [ast.Pass()], other)
        low.before.append(place(branch, tree))
    return c


def _is_value(tree: Tree) -> bool:
    """Whether a node inside of an expression is one itself."""
    word = str(tree.type)
    of_values = word.endswith(("expression", "literal", "list"))
    return of_values or word in ("identifier", "initializer_pair")


PARTS = frozenset(["subscript_expression", "pointer_expression"])
VALUES_WORDS = """
initializer_list initializer_pair compound_literal_expression subscript_expression
pointer_expression binary_expression unary_expression conditional_expression concatenated_string
raw_string_literal alignof_expression offsetof_expression sizeof_expression field_expression
parenthesized_expression template_function qualified_identifier this nullptr type_descriptor
subscript_argument_list argument_list
"""
# of which a value is made of what stands in it
VALUES = frozenset(VALUES_WORDS.split())
ACTS_WORDS = """
subscript_expression pointer_expression call_expression update_expression
assignment_expression new_expression delete_expression
"""
ACTS = frozenset(ACTS_WORDS.split())
TYPES = frozenset(
    ["type_descriptor", "decltype", "template_argument_list", "sizeof_expression", "comment"]
)


def _acts(tree: Tree) -> bool:
    """Whether something in it may come to memory or change a variable."""
    if tree.type in TYPES:
        return False
    return tree.type in ACTS or any(map(_acts, tree.named_children))
