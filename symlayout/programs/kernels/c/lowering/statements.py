"""C's statements: blocks with scopes of their own, branches, what ends early."""

from __future__ import annotations

from functools import partial

from symlayout.programs.kernels.c.lowering.changes import assignment, update
from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.declarations import (
    declare,
    skip,
    variable_declaration,
    with_effects,
)
from symlayout.programs.kernels.c.lowering.deduction import value_type
from symlayout.programs.kernels.c.lowering.expressions import evaluated_first
from symlayout.programs.kernels.c.lowering.leaving import is_broken
from symlayout.programs.kernels.c.lowering.parentheses import declared_alike, named_by
from symlayout.programs.kernels.c.lowering.trees import (
    NO_TYPE,
    Tree,
    aliases_of,
    assign,
    base_of,
    callee,
    children,
    place,
    text_of,
)
from symlayout.programs.kernels.program.nodes import (
    NOWHERE,
    Break,
    Cast,
    Comparison,
    Constant,
    Continue,
    Effect,
    Expression,
    Flag,
    If,
    Junction,
    Name,
    Not,
    Nothing,
    Operation,
    Return,
    Statement,
    Stop,
)
from symlayout.programs.kernels.program.reading import leaves
from symlayout.text.patterns import regex

TEMPLATE = regex(r"([\w:]+\s*<[^;()]*>)\s*\w+")
ACTING_WORDS = """
assignment_expression update_expression comma_expression call_expression conditional_expression
gnu_asm_expression lambda_expression new_expression delete_expression number_literal null true false
string_literal
"""
ACTING = frozenset(ACTING_WORDS.split())  # each is followed, or tells of itself
ENDS = ("break_statement", "return_statement", "continue_statement")


def block_of(low: Lowering, trees: list[Tree]) -> list[Statement]:
    """Statements in a scope of their own."""
    with low.nested():
        return [s for t in trees for s in statement(low, t)]


def body_of(low: Lowering, tree: Tree | None) -> list[Statement]:
    """A statement, or those of a block; never empty."""
    if tree is None:
        return [Nothing(place=NOWHERE)]
    statements = block_of(low, children(tree) if tree.type == "compound_statement" else [tree])
    return statements or [place(Nothing(), tree)]


def statement(low: Lowering, tree: Tree) -> list[Statement]:
    """One statement, with what its expressions do before and after it."""
    rule = low.rules.statements.get(tree.type)
    if tree.has_error and is_broken(tree):
        return skip(low, tree, "this is no C++ that is understood")
    if rule is None:
        return with_effects(low, partial(skip, low, tree, f"a statement {tree.type}"))
    return with_effects(low, partial(rule, low, tree))


def compound_statement(low: Lowering, tree: Tree) -> list[Statement]:
    return block_of(low, children(tree))


def expression_statement(low: Lowering, tree: Tree) -> list[Statement]:
    kids = children(tree)
    return effect(low, kids[0]) if kids else []


def effect(low: Lowering, tree: Tree) -> list[Statement]:
    """An expression for what it does."""
    alike = declared_alike(tree)
    if alike is not None and (declared := _in_parentheses(low, tree, *alike)) is not None:
        return declared
    if tree.type == "assignment_expression":
        left = tree.child_by_field_name("left")
        match = TEMPLATE.fullmatch(text_of(left)) if left.type == "binary_expression" else None
        if match is not None:  # the grammar takes `T<32> x = ...` for comparisons
            word = next(c for c in reversed(children(left)) if c.type == "identifier")
            return variable_declaration(
                low, word, low.read(match[1]), tree.child_by_field_name("right")
            )
        return assignment(low, tree)
    last = tree.child_by_field_name("right") if tree.type == "binary_expression" else None
    if last is not None and last.type == "assignment_expression":
        match = TEMPLATE.fullmatch(text_of(tree).split("=")[0].strip())
        if match is not None:
            word, value = (last.child_by_field_name(k) for k in ("left", "right"))
            return variable_declaration(low, word, low.read(match[1]), value)
    if tree.type == "update_expression":
        return update(low, tree)
    if tree.type == "comma_expression":
        both = (tree.child_by_field_name(k) for k in ("left", "right"))
        return [s for t in both for s in with_effects(low, partial(effect, low, t))]
    if not _is_followed(low, tree):
        return skip(low, tree, f"{text_of(tree)[:40]} is not followed")
    return [place(Effect(low.expression(tree)), tree)]


def _is_followed(low: Lowering, tree: Tree) -> bool:
    """Whether what an expression does alone is known: a name may be a macro, `a << b` a store."""
    if tree.type in ACTING:
        return True
    if tree.type in ("identifier", "qualified_identifier"):
        known = low.source.macros.get(text_of(tree)) is not None
        return known or low.variable(text_of(tree)) is not None
    if tree.type == "parenthesized_expression" and len(children(tree)) == 1:
        return _is_followed(low, children(tree)[0])
    if tree.type == "cast_expression":
        return _is_followed(low, tree.child_by_field_name("value"))
    return value_type(low, tree) is not None


def _in_parentheses(
    low: Lowering, tree: Tree, first: Tree, parts: list[tuple[Tree, Tree | None]]
) -> list[Statement] | None:
    """`int (x) = 3, (y);`, whose names are new ones; None for a call."""
    to, names = low.target_of_cast(first), [named_by(t) for t, _ in parts]
    if to is None:
        known = callee(first).split("::")[-1] in low.source.functions
        value = parts[0][1]
        is_list = value is not None and value.type == "argument_list"
        either = (is_list or tree.type == "comma_expression") and not known and names[0] is not None
        return skip(low, tree, "a call, or a declaration") if either else None
    if None in names:
        return skip(low, tree, "a declaration that is not followed")
    rows = [(n, v) for n, (_, v) in zip(names, parts) if n is not None]
    return [
        s for n, v in rows for s in with_effects(low, partial(variable_declaration, low, n, to, v))
    ]


def no_statement(low: Lowering, tree: Tree) -> list[Statement]:
    return []


def type_definition(low: Lowering, tree: Tree) -> list[Statement]:
    """Names of types, which are those of the block."""
    type = tree.child_by_field_name("type")
    has_body = type is not None and type.child_by_field_name("body") is not None
    statements = statement(low, type) if has_body else []
    for word, meaning in aliases_of(tree):
        low.named_types[-1][word] = meaning or NO_TYPE
    return statements


def using_declaration(low: Lowering, tree: Tree) -> list[Statement]:
    """`using a::b;`: what the names of a namespace hide is not followed."""
    text = " ".join(text_of(tree).removeprefix("using").strip("; \n").split())
    if text.startswith("namespace "):
        space, names = text.split("::")[-1].split()[-1], low.source.names
        hides = space not in names.spaces and names.stand_in(space)
        return skip(low, tree, f"using {text} inside of a function") if hides else []
    low.named_types[-1][text.split("::")[-1]] = text
    return []


def struct_specifier(low: Lowering, tree: Tree) -> list[Statement]:
    """A class of a function's own, which hides others of its name."""
    named = tree.child_by_field_name("name")
    if named is not None:
        low.named_types[-1][text_of(named)] = NO_TYPE
    return skip(low, tree, "a class inside of a function")


def enum_specifier(low: Lowering, tree: Tree) -> list[Statement]:
    """The numbers of an enumeration inside of a function, each one more than the one before it."""
    body, named = tree.child_by_field_name("body"), tree.child_by_field_name("name")
    if body is None or any(c.type in ("class", "struct") for c in tree.children):
        return skip(low, tree, "an enumeration with a scope of its own")
    type = low.read(base_of(tree))
    if named is not None:
        low.named_types[-1][text_of(named)] = base_of(tree)
    statements: list[Statement] = []
    last: Expression = Constant(-1)
    for c in children(body):
        if c.type != "enumerator":
            return [*statements, *skip(low, tree, "an enumeration that is not followed")]
        value = c.child_by_field_name("value")
        more = Operation("+", last, Constant(1))
        number = low.expression(value) if value is not None else more
        variable = declare(low, c.child_by_field_name("name"), type)
        statements.append(assign(variable.name, number, c))
        last = Name(variable.name)
    return statements


def goto_statement(low: Lowering, tree: Tree) -> list[Statement]:
    return [place(Stop("a statement goto_statement"), tree)]


def attributed_statement(low: Lowering, tree: Tree) -> list[Statement]:
    """`[[unroll]] for ..`."""
    inner = [c for c in children(tree) if c.type != "attribute_declaration"]
    return [s for c in inner for s in statement(low, c)]


def if_statement(low: Lowering, tree: Tree) -> list[Statement]:
    condition = tree.child_by_field_name("condition")
    with low.nested():
        first = children(condition.child_by_field_name("initializer"))
        statements = [s for c in first for s in statement(low, c)]
        value = condition.child_by_field_name("value") or condition
        if value.type == "declaration":
            return skip(low, tree, "a declaration in a condition")
        test = evaluated_first(low, value)
        low.before, before = [], low.before
        then = body_of(low, tree.child_by_field_name("consequence"))
        orelse = block_of(low, children(tree.child_by_field_name("alternative")))
        low.before, low.after = [], []
        return [*statements, *before, place(If(test, then, orelse), tree)]


def else_clause(low: Lowering, tree: Tree) -> list[Statement]:
    return block_of(low, children(tree))


def preproc_ifdef(low: Lowering, tree: Tree) -> list[Statement]:
    """What stands in `#if` is compiled or not: what is declared there is seen behind it."""
    other = tree.child_by_field_name("alternative")
    condition = tree.child_by_field_name("condition")
    if tree.type == "preproc_if" and text_of(condition).strip("() ") in ("0", "false"):
        return statement(low, other) if other is not None else []
    skip = {tree.child_by_field_name(k) for k in ("name", "condition", "alternative")}
    word = "".join(c if c.isalnum() else "_" for c in text_of(tree).splitlines()[0])
    test = Flag(f"macro{word[:60]}")
    then = [s for c in children(tree) if c not in skip for s in statement(low, c)]
    orelse = statement(low, other) if other is not None else []
    return [place(If(test, then or [Nothing()], orelse), tree)]


def preproc_else(low: Lowering, tree: Tree) -> list[Statement]:
    return [s for c in children(tree) for s in statement(low, c)]


def switch_statement(low: Lowering, tree: Tree) -> list[Statement]:
    """Each case by its number, and by those of the cases above that fall into it."""
    value = evaluated_first(low, tree.child_by_field_name("condition"))
    cases = children(tree.child_by_field_name("body"))
    if any(c.type != "case_statement" for c in cases):
        return skip(low, tree, "a switch with statements before its cases")
    word = f"switch_{tree.start_point[0]}_{tree.start_point[1]}"
    statements = [assign(word, value, tree)]
    numbers = [case.child_by_field_name("value") for case in cases]
    reached: list[Tree | None] = []
    for case, number in zip(cases, numbers):
        reached.append(number)
        inside = [c for c in children(case) if c != number]
        if len(inside) == 1 and inside[0].type == "compound_statement":
            inside = children(inside[0])
        leaving = [k for k, c in enumerate(inside) if c.type in ENDS]
        ends, inside = bool(leaving), inside[: leaving[0] + 1] if leaving else inside
        body = block_of(low, [c for c in inside if c.type != "break_statement"]) or [Nothing()]
        if leaves(body, Break):
            return skip(low, tree, "a switch with a break inside of a case")
        test = _is_one_of(low, word, [n for n in reached if n is not None])
        if None in reached:
            other = _is_one_of(low, word, [n for n in numbers if n is not None])
            test = Junction("or", [test, Not(other)])
        statements.append(place(If(test, body), case))
        reached = [] if ends else reached
    return statements


def _is_one_of(low: Lowering, word: str, numbers: list[Tree]) -> Expression:
    """Whether a switch's value is one of the numbers."""
    never = Comparison("==", Constant(0), Constant(1))
    tests: list[Expression] = [Comparison("==", Name(word), low.expression(n)) for n in numbers]
    return Junction("or", [never, *tests])


def return_statement(low: Lowering, tree: Tree) -> list[Statement]:
    kids = children(tree)
    value = low.expression(kids[0]) if kids else None
    if value is not None and low.result is not None:
        value = Cast(value, low.result.word)
    return [place(Return(value), tree)]


def break_statement(low: Lowering, tree: Tree) -> list[Statement]:
    return [place(Break(), tree)]


def continue_statement(low: Lowering, tree: Tree) -> list[Statement]:
    return [place(Continue(), tree)]
