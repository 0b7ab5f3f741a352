"""Names, numbers, operators and choices as expressions of the lowered language."""

from __future__ import annotations

from functools import partial

from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.deduction import is_float
from symlayout.programs.kernels.c.lowering.operators import overloaded
from symlayout.programs.kernels.c.lowering.trees import (
    BINARY,
    COMPARED,
    Tree,
    assign,
    children,
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
from symlayout.programs.kernels.program.nodes import (
    Assign,
    Cast,
    Change,
    Choice,
    Comparison,
    Constant,
    Count,
    Data,
    Effect,
    Element,
    Expression,
    Field,
    If,
    Junction,
    Load,
    Name,
    Not,
    Nothing,
    Operation,
    Sign,
    Statement,
    Unfollowed,
)
from symlayout.programs.kernels.program.reading import assigned_names


def unfollowed(low: Lowering, tree: Tree) -> Expression:
    """A value that is not followed; what stands in it is, where it certainly does nothing else."""
    if tree.type not in VALUES:
        words = {"lambda_expression": "a lambda", "gnu_asm_expression": "assembly"}
        _capture(low, tree)
        return Unfollowed(f"{words.get(tree.type, 'what')} is not followed")
    parts = [low.expression(c) for c in children(tree) if _is_value(c)]
    if tree.type == "compound_literal_expression":
        values = children(tree.child_by_field_name("value"))
        type = low.read(text_of(tree.child_by_field_name("type")))
        if any(map(partial(is_made_of_address, low), values)):
            why = f"{type.spelling[:40]} is made of a pointer, and not followed"
            return Unfollowed(why, parts)
        if not low.is_certain(type):
            return Unfollowed(low.why_uncertain(type), parts)
    if tree.type in ("subscript_expression", "pointer_expression"):
        base = tree.child_by_field_name("argument") or tree
        indices = tree.child_by_field_name("indices")
        if any(t is not None and is_made_of_address(low, t) for t in (base, indices)):
            return Unfollowed(f"{text_of(tree)[:40]} is not followed", parts)
        low.before += of_object(low, tree)
    if any(_acts(c) for c in children(tree) if not _is_value(c)):
        return Unfollowed(f"what stands in {text_of(tree)[:40]} is not followed")
    return Data(parts)


def of_object(low: Lowering, tree: Tree) -> list[Statement]:
    """Tells of a part of an object that says itself what its parts are: a tensor's accessor."""
    variable = low.identifier(root_of(tree)) if tree.type in PARTS else None
    if variable is None or variable.shared or low.is_certain(variable.type):
        return []
    why = f"{text_of(tree)[:40]} is not followed"
    return [place(Effect(Unfollowed(why)), tree)]


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


def initializer_pair(low: Lowering, tree: Tree) -> Expression:
    value = tree.child_by_field_name("value")
    return low.expression(value) if value is not None else Data()


def _capture(low: Lowering, tree: Tree) -> None:
    """Nothing is known any more of what code that is not followed gives a value."""
    keys = {"assignment_expression": "left", "update_expression": "argument"}
    for t in walk(tree):
        left = t.child_by_field_name(keys[t.type]) if t.type in keys else None
        variable = low.variable(text_of(left)) if left is not None else None
        if variable is not None and not variable.shared:
            low.captured[variable.name] = variable
    low.after += [forget(n, tree) for n in low.captured]


def identifier_expression(low: Lowering, tree: Tree) -> Expression:
    word = text_of(tree)
    entry = low.variable(word)
    if entry is not None and entry.alias:
        return Load(Name(entry.name), entry.type)
    if entry is not None and word in low.exposed and not entry.shared and not entry.type.array:
        return Data(why=f"{word}, whose address is taken")
    if entry is not None and entry.shared and not entry.type.is_address:
        return Load(Name(entry.name), entry.type)
    if entry is None and word in low.source.macros:
        value = low.source.macros[word]
        if value is None and word not in low.source.reaching:
            return Data(why=f"the macro {word} is not followed")
        bare = value is not None and is_loose(value) and not is_whole(tree)
        if value is None or bare:
            return Unfollowed(f"the macro {word} is not followed")
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
    return Name(entry.name if entry else word)


def qualified_identifier(low: Lowering, tree: Tree) -> Expression:
    return Name("".join(text_of(tree).split()))


def parenthesized_expression(low: Lowering, tree: Tree) -> Expression:
    kids = children(tree)
    return low.expression(kids[0]) if kids else Data()


def condition_clause(low: Lowering, tree: Tree) -> Expression:
    return low.expression(tree.child_by_field_name("value"))


def number_literal(low: Lowering, tree: Tree) -> Expression:
    literal = number_of(tree)
    if literal is None:
        whole = not is_float_literal(text_of(tree))
        return Data(why="a number of no type") if whole else Constant(0.5)
    value, word = literal
    number: Expression = Constant(abs(value))
    if word != "int":
        number = Cast(number, word)
    return Sign("-", number) if value < 0 else number


def text_literal(low: Lowering, tree: Tree) -> Expression:
    return Constant(text_of(tree))


def truth_literal(low: Lowering, tree: Tree) -> Expression:
    return Constant(tree.type == "true")


def null_literal(low: Lowering, tree: Tree) -> Expression:
    return Constant(None)


def field_expression(low: Lowering, tree: Tree) -> Expression:
    base, word = (tree.child_by_field_name(k) for k in ("argument", "field"))
    if text_of(base) in ("threadIdx", "blockIdx", "blockDim", "gridDim"):
        return Name(f"{text_of(base)}.{text_of(word)}")
    own = low.variable_of(tree)
    if own is not None:
        return Name(own.name)
    at = low.expression(base)
    inner = low.type_of(base)
    arrow = "->" in (text_of(c) for c in tree.children)
    if arrow and inner is not None and inner.depth == 1 and not inner.array:
        at = Load(at, inner.element)  # `p->a` is `(*p).a`
    attribute = Field(at, text_of(word))
    attribute.type = low.field_type(tree)
    return attribute


def binary_expression(low: Lowering, tree: Tree) -> Expression:
    left, right = (tree.child_by_field_name(k) for k in ("left", "right"))
    op = text_of(tree.child_by_field_name("operator"))
    if op in ("&&", "||", "and", "or"):
        every = op in ("&&", "and")
        a = evaluated_first(low, left)
        b, done = _alone(low, right)
        a = _after_either(low, a, done if every else [], [] if every else done, left)
        return Junction("and" if every else "or", [a, b])
    a, b = low.expression(left), low.expression(right)
    low.before += overloaded(low, op, tree, [left, right])
    if op in COMPARED:
        return Comparison(COMPARED[op], a, b)
    expr = operation(low, op, a, b, low.type_of(left), low.type_of(right))
    if isinstance(expr, Operation):
        expr.floating = is_float(low, left) or is_float(low, right)
    return expr


def operation(
    low: Lowering, op: str, a: Expression, b: Expression, left: CType | None, right: CType | None
) -> Expression:
    """An arithmetic operation; with a pointer it counts elements."""
    if op not in BINARY:
        return Data([a, b])
    if left is not None and left.is_address and op in ("+", "-"):
        if right is not None and right.is_address:
            return Data([a, b])
        by = b if op == "+" else Sign("-", Count(b))
        return Element(a, by, left.element)
    if right is not None and right.is_address and op == "+":
        return Element(b, a, right.element)
    return Operation(BINARY[op], a, b)


def unary_expression(low: Lowering, tree: Tree) -> Expression:
    op = text_of(tree.child_by_field_name("operator"))
    inner = low.expression(tree.child_by_field_name("argument"))
    low.before += overloaded(low, op, tree, [tree.child_by_field_name("argument")])
    if op == "!":
        return Not(inner)
    return Sign(op, inner) if op in ("-", "+", "~") else Data([inner])


def conditional_expression(low: Lowering, tree: Tree) -> Expression:
    condition = tree.child_by_field_name("condition")
    if tree.child_by_field_name("consequence") is None:  # `a ?: b` of GNU
        return unfollowed(low, tree)
    c = evaluated_first(low, condition)
    a, then = _alone(low, tree.child_by_field_name("consequence"))
    b, other = _alone(low, tree.child_by_field_name("alternative"))
    return Choice(_after_either(low, c, then, other, condition), a, b)


def evaluated_first(low: Lowering, tree: Tree) -> Expression:
    """An expression that is evaluated, with all that it does, before others are."""
    after, low.after = low.after, []
    expr = low.expression(tree)
    if low.after:
        expr = _temporary(low, expr, tree)
        low.before += low.after
    low.after = after
    return expr


def _temporary(low: Lowering, value: Expression, tree: Tree) -> Expression:
    """The value under a name of its own, as it is before what follows."""
    low.source.calls += 1
    word = f"kept_{low.source.calls}"
    low.before.append(assign(word, value, tree))
    return Name(word)


def _alone(low: Lowering, tree: Tree) -> tuple[Expression, list[Statement]]:
    """An expression that is not always evaluated, and what it does: what it changes is lost."""
    before, after, low.before, low.after = low.before, low.after, [], []
    expr = low.expression(tree)
    done = [*low.before, *low.after]
    low.before, low.after = before, after
    for n in sorted(assigned_names(done)):
        low.before.append(forget(n, tree))
        low.after.append(forget(n, tree))
    return expr, [s for s in done if not isinstance(s, (Assign, Change))]


def _after_either(
    low: Lowering, c: Expression, then: list[Statement], other: list[Statement], tree: Tree
) -> Expression:
    """The condition, after what is done where it is true, or else is not."""
    if then or other:
        c = _temporary(low, c, tree)
        branch = If(c, then or [Nothing()], other)
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
