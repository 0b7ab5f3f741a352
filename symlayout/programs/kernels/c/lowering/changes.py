"""What changes a variable or a place in memory inside of an expression."""

from __future__ import annotations

from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.expressions import (
    evaluated_first,
    in_registers,
    of_object,
    operation,
)
from symlayout.programs.kernels.c.lowering.operators import overloaded
from symlayout.programs.kernels.c.lowering.places import address_of
from symlayout.programs.kernels.c.lowering.trees import (
    BINARY,
    Tree,
    Variable,
    children,
    forget,
    place,
    root_of,
    text_of,
    words_in,
)
from symlayout.programs.kernels.c.types import PROMOTED, CType
from symlayout.programs.kernels.program.nodes import (
    Again,
    Assign,
    Change,
    Constant,
    Data,
    Effect,
    Expression,
    Load,
    Name,
    Part,
    Statement,
    Store,
    Unfollowed,
)


def assignment_expression(low: Lowering, tree: Tree) -> Expression:
    left = tree.child_by_field_name("left")
    _alone_there(low, tree, left)
    low.before += assignment(low, tree)
    return low.expression(left) if left.type == "identifier" else Data()


def update_expression(low: Lowering, tree: Tree) -> Expression:
    inner = tree.child_by_field_name("argument")
    _alone_there(low, tree, inner)
    changed = update(low, tree)
    if text_of(tree).startswith(("++", "--")):
        low.before += changed
    else:
        low.after += changed
    return low.expression(inner) if inner.type == "identifier" else Data()


def comma_expression(low: Lowering, tree: Tree) -> Expression:
    left, right = (tree.child_by_field_name(k) for k in ("left", "right"))
    low.before.append(place(Effect(evaluated_first(low, left)), left))
    return low.expression(right)


def _alone_there(low: Lowering, tree: Tree, changed: Tree) -> None:
    """Tells of a variable that is changed and read in one expression, in no order that is known."""
    whole = tree
    while whole.parent is not None and not _is_turn(whole):
        whole = whole.parent
    word = text_of(changed)
    if changed.type == "identifier" and _count(whole, word) > _count(tree, word):
        note = Unfollowed(f"{word} is changed and read in one expression")
        low.before.append(place(Effect(note), tree))
        variable = low.variable(word)
        if variable is not None and not variable.shared:
            low.before.append(forget(variable.name, tree))


def update(low: Lowering, tree: Tree) -> list[Statement]:
    """`++x` and `x--`."""
    op = text_of(tree.child_by_field_name("operator"))[0]
    return change(low, tree, tree.child_by_field_name("argument"), op, Constant(1), None)


def assignment(low: Lowering, tree: Tree) -> list[Statement]:
    """`x = e`, `x += e`, `a[i] = e`."""
    left, right = (tree.child_by_field_name(k) for k in ("left", "right"))
    op = text_of(tree.child_by_field_name("operator")).removesuffix("=")
    return change(low, tree, left, op, low.expression(right), low.type_of(right))


def change(
    low: Lowering, tree: Tree, left: Tree, op: str, value: Expression, right: CType | None
) -> list[Statement]:
    """A variable or a place in memory that gets another value."""
    while left.type == "parenthesized_expression":
        left = children(left)[0]
    if left.type in ("identifier", "field_expression"):
        variable = low.variable_of(left)
        if variable is not None and not variable.shared and not variable.alias:
            if not low.is_certain(variable.type):
                return [place(Effect(value), tree), *uncertain_change(low, tree, variable.type)]
            notes = overloaded(low, f"{op}=", tree, [left]) if op else []
            return [*notes, place(_assignment(low, variable, op, value, right), tree)]
    at = address_of(low, left)
    if at is not None:
        statements: list[Statement] = overloaded(low, f"{op}=", tree, [left]) if op else []
        if not low.is_certain(at[1]):
            statements += uncertain_change(low, tree, at[1])
        if op:
            statements.append(Effect(place(Load(at[0], at[1]), left)))
        statements.append(Effect(place(Store(at[0], at[1], [value]), left)))
        return [place(s, tree) for s in statements]
    made_of: Expression = Data([value])
    known = low.type_of(left)
    if left.type == "identifier" or (known is not None and known.reference):
        made_of = Unfollowed("a value is given to what is not declared here")
    elif left.type not in ("subscript_expression", "field_expression"):
        made_of = Unfollowed(f"a value is given to {text_of(left)[:40]}")
    elif not in_registers(low, left):
        made_of = Unfollowed(f"a value is stored to {text_of(left)[:40]}")
    lost: list[Statement] = []
    if left.type == "call_expression":  # `T (x) = ..` may declare x
        lost = [forget(word, tree) for word in sorted(variables_in(low, left))]
    notes = [*of_object(low, left), *lost]
    return [place(s, tree) for s in (*notes, Effect(made_of), *without_part(low, left))]


def uncertain_change(low: Lowering, tree: Tree, type: CType) -> list[Statement]:
    """An object whose class says what is done: that may be anything."""
    sides = [tree.child_by_field_name(k) for k in ("left", "right", "argument")]
    roots = [root_of(t) for t in sides if t is not None]
    variables = [v for v in map(low.identifier, roots) if v is not None and not v.shared]
    lost = [forget(name, tree) for name in sorted({v.name for v in variables})]
    return [place(Effect(Unfollowed(low.why_uncertain(type))), tree), *lost]


def variables_in(low: Lowering, tree: Tree) -> set[str]:
    """The variables that stand in it."""
    variables = map(low.variable, words_in(tree))
    return {v.name for v in variables if v is not None and not v.shared}


def without_part(low: Lowering, left: Tree) -> list[Statement]:
    """Nothing is known any more of a variable of which a part gets another value."""
    root = root_of(left)
    variable = low.identifier(root)
    if variable is None or root == left or variable.shared or variable.type.is_address:
        return []
    old = Part(Name(variable.name))
    return [Assign(variable.name, old)]


def _assignment(
    low: Lowering, variable: Variable, op: str, value: Expression, right: CType | None
) -> Statement:
    name, old = variable.name, Name(variable.name)
    deduced = variable.type.word in ("auto", PROMOTED.word)
    if op and (deduced or variable.type.is_address or op not in BINARY):
        value = operation(low, op, old, value, variable.type, right)
    if deduced and not variable.type.is_address:
        return Assign(name, Again(old, value, variable.type))
    if not op or variable.type.is_address or op not in BINARY:
        return Assign(name, value)
    return Change(name, BINARY[op], value)


def _is_turn(tree: Tree) -> bool:
    """Whether an expression is evaluated whole before or after what stands beside it."""
    above = tree.parent
    if above.type == "binary_expression":
        return text_of(above.child_by_field_name("operator")) in ("&&", "||", "and", "or")
    if above.type.endswith(("_statement", "_clause")) or above.type == "declaration":
        return True
    return above.type in ("comma_expression", "conditional_expression", "init_declarator")


def _count(tree: Tree, word: str) -> int:
    """How often a name stands there."""
    if tree.type == "identifier":
        return int(text_of(tree) == word)
    return sum(_count(c, word) for c in tree.named_children)
