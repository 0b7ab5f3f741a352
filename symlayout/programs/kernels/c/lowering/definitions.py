"""Calls of functions that the files define, and of those that are not followed."""

from __future__ import annotations

import re

from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.deduction import value_type
from symlayout.programs.kernels.c.lowering.expressions import is_made_of_address
from symlayout.programs.kernels.c.lowering.language import is_harmless
from symlayout.programs.kernels.c.lowering.library import TELLING, is_of_language
from symlayout.programs.kernels.c.lowering.places import address_of
from symlayout.programs.kernels.c.lowering.trees import (
    ATOMS,
    Tree,
    assign,
    children,
    forget,
    is_whole,
    place,
    root_of,
    text_of,
)
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.program.nodes import (
    Call,
    Changed,
    Data,
    Effect,
    Expression,
    MaybeBarrier,
    Reach,
    Statement,
    Store,
    Unfollowed,
)
from symlayout.text.patterns import regex

JOINS = regex(r"sync(?!warp)|barrier|wait|arrive|reduce|block|Block|Sum|cta|group", re.I)
BRANCHES = regex(r"\?|\b(if|for|while|do|return|switch|goto)\b")
SWAPS = regex(r"(std::)?(swap|exchange|iter_swap)")
CHANGING = regex(r"\+\+|--|(?<![<>=!])=(?!=)")


def template_arguments(low: Lowering, tree: Tree) -> list[Expression | None]:
    """The arguments of a template; those that are types are None."""
    trees = _template_arguments(tree)
    values = [t if t.type != "type_descriptor" else _plain_name(t) for t in trees]
    return [low.expression(t) if t is not None else None for t in values]


def template_types(low: Lowering, tree: Tree) -> list[CType | None]:
    """The arguments of a template that are types, None for the others."""
    return [
        low.read(text_of(t)) if t.type == "type_descriptor" else None
        for t in _template_arguments(tree)
    ]


def function_call(
    low: Lowering, tree: Tree, word: str, kids: list[Tree], args: list[Expression]
) -> Expression:
    """A function of the file, or one that is not followed and may change its arguments."""
    known = low.source.references.get(word) if word in low.source.functions else None
    if low.variable(word) is not None:  # a lambda
        low.after += [forget(n, tree) for n in low.captured]
    types = [low.type_of(k) for k in kids]
    if word in low.source.reaching:
        return Unfollowed(f"the macro {word} is not followed", args)
    if known is not None and _falls_apart(low, word, tree, kids):
        return Unfollowed(f"the macro {word}, whose text has too few parentheses")
    if known is None:
        low.before += _not_defined(low, tree, word, kids, types)
        why = "" if is_of_language(low, tree) else f"{word} is not followed"
        expr: Expression = Data(args, why)
        template = list[Expression | None]()
    else:
        template = template_arguments(low, tree)
    key = low.source.calls
    low.source.calls += 1
    if known is not None:
        deduced = [value_type(low, k) for k in kids]
        expr = Call(word, args, types, template, template_types(low, tree), deduced, key)
    for k, kid in enumerate(kids):
        variable = low.identifier(kid)
        if known is not None and known.get(k):
            low.after += _stored_by(low, word, kid)
        if variable is not None and variable.type.is_address and SWAPS.fullmatch(word):
            low.after.append(forget(variable.name, tree))
        if variable is None or variable.type.constant or variable.type.is_address:
            continue
        if known is not None and known.get(k):
            value = Changed(key, k)
            low.after.append(assign(variable.name, value, tree))
        elif known is None and not is_of_language(low, tree):
            low.after.append(forget(variable.name, tree))
    return expr


def _not_defined(
    low: Lowering, tree: Tree, word: str, kids: list[Tree], types: list[CType | None]
) -> list[Statement]:
    """What a function does that the files do not define: one that is not known, anything."""
    why = f"{word} is not followed"
    if not is_of_language(low, tree):
        return [place(Effect(Unfollowed(why)), tree), *_handed_on(low, tree, word)]
    notes: list[Statement] = []
    if JOINS.search(word):
        notes.append(place(Effect(MaybeBarrier()), tree))
    own = [k for k, t in zip(kids, types) if t is not None and t.is_address]
    if own and not is_harmless(word):  # it may load and store there
        plain = not any(op in text_of(k) for k in own for op in ("++", "--", "=", "("))
        note = Reach(why, [low.expression(k) for k in own]) if plain else None
        notes.append(place(Effect(note or Unfollowed(why)), tree))
    return notes


def _handed_on(low: Lowering, tree: Tree, word: str) -> list[Statement]:
    """Objects that a function that is not followed is one of: nothing is known of them any more."""
    variable = low.identifier(root_of(tree.child_by_field_name("function")))
    if variable is None or variable.shared or variable.type.is_address:
        return []
    return [forget(variable.name, tree)] if word not in TELLING else []


def _stored_by(low: Lowering, word: str, tree: Tree) -> list[Statement]:
    """The place in memory that a function of the file is given as a reference, and changes."""
    at = address_of(low, tree)
    if at is None:
        if not is_made_of_address(low, tree):
            return []
        at_all = False
    else:
        at_all = not any(BRANCHES.search(text_of(t)) for t in low.source.functions[word])
    why = f"{text_of(tree)[:40]} is given to {word}, which may change it"
    note = Store(at[0], at[1]) if at is not None and at_all else None
    return [place(Effect(note or Unfollowed(why)), tree)]


def _falls_apart(low: Lowering, word: str, tree: Tree, kids: list[Tree]) -> bool:
    """Whether the text of a macro means something else in its place than its value."""
    loose = low.source.loose.get(word)
    if loose is None:
        return False
    whole, bare = loose
    if whole and not is_whole(tree):
        return True
    changed = any(CHANGING.search(text_of(k)) for k in kids)
    return changed or any(
        k in bare and (kid.type not in ATOMS or text_of(kid) in low.source.macros)
        for k, kid in enumerate(kids)
    )


def _template_arguments(tree: Tree) -> list[Tree]:
    """The arguments between `<` and `>` of a function that is called."""
    function = tree.child_by_field_name("function")
    while function.type == "qualified_identifier":
        function = children(function)[-1]
    listed = function.child_by_field_name("arguments")
    return children(listed) if function.type == "template_function" and listed is not None else []


def _plain_name(tree: Tree) -> Tree | None:
    """The name that the grammar takes for a type, which may be a number's."""
    kids = children(tree)
    return kids[0] if len(kids) == 1 and kids[0].type == "type_identifier" else None
