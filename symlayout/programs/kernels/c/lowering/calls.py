"""Casts and calls: functions of the file, of the language, and those that are not followed."""

from __future__ import annotations

import ast
import re

from symlayout.programs.kernels.c.lowering.callees import (
    comes_to_memory,
    computed_callee,
    is_in_space,
)
from symlayout.programs.kernels.c.lowering.intrinsics import Intrinsics
from symlayout.programs.kernels.c.lowering.trees import (
    ATOMS,
    Tree,
    assign,
    call,
    callee,
    children,
    const,
    is_whole,
    place,
    root_of,
    text_of,
)
from symlayout.programs.kernels.c.types import VECTOR, CType
from symlayout.programs.kernels.syntax import is_ceiling
from symlayout.text.patterns import regex

HARMLESS = frozenset(["assert", "printf", "CUDA_KERNEL_ASSERT", "__builtin_assume", "prefetch"])
CORE = regex(
    r"(Add|Sub|Mul|Div|Max|Min|And|Or|Shift(Left|Right)|LeakyRelu)s?|Cast|Exp|Ln|Log|Abs|Sqrt|Rsqrt|Relu|"
    r"Reciprocal|Duplicate|(Whole|Block|Pair)?Reduce(Sum|Max|Min)|Select|Compare\w*|Axpy|Gather\w*|Not|"
    r"Brcb|Transpose|Copy|PipeBarrier|SetFlag|WaitFlag|FusedMulAdd|MulAddDst|SyncAll|Sort\w*|Arange"
)
JOINS = regex(r"sync(?!warp)|barrier|wait|arrive|reduce|block|Block|Sum|cta|group", re.I)
VALUES = regex(  # functions that change none of their arguments
    r"__.*|(std|cuda|metal|cub)::.*|[a-z]+f?|.*[cC]ast.*|.*[cC]onvert.*|.*(float|half|bf16|bfloat).*"
)
MATH = (
    r"a?(sin|cos|tan)h?(pi)?|atan2|[rs]?r?sqrt|r?cbrt|exp(2|10|m1)?|log(2|10|1p|b)?|pow[nr]?|rootn|"
    r"erf(c|cx|inv|cinv)?|[tl]gamma|r?hypot|norm\w*|floor|ceil|l{0,2}(round|rint)|trunc|nearbyint|"
    r"f?abs|l{1,2}abs|f?mod|remainder|f?min|f?max|fma|mad|fdim|fdivide|div|rcp|copysign|sign(bit)?|step|"
    r"smoothstep|mix|lerp|clamp|saturate|dot|cross|length|distance|select|is[a-z]+|popc(ount)?|clz|ctz|ffs|"
    r"any|all|ballot|mul24|mad24|mul_?hi|umulhi|rotate|bitselect|ldexp|ilogb|nan|[jy][01n]|[a-z]*elu|"
    r"sigmoid|silu|swish|softplus|printf|likely|unlikely|degrees|radians|"
    r"(fast|native|half|precise|as|make|simd|sub_group)_\w+"
)
PURE = regex(  # those of them that are no one else's
    rf"__.*|(cuda|cub)::(?!std).*|((::)?(cuda::)?std::|metal::)?({MATH})f?|"
    r"std::(numeric_limits|is_|move|forward|get|bit_cast|make_|pair|tuple|array).*|"
    r".*[cC]ast.*|.*[cC]onvert.*|.*(float|half|bf16|bfloat).*|[a-z]+\d"
)
# methods that tell of a tensor's sizes, or where it begins
TELLING = frozenset(["size", "stride", "numel", "data", "data_ptr", "dim", "length", "sync"])
BRANCHES = regex(r"\?|\b(if|for|while|do|return|switch|goto)\b")
SWAPS = regex(r"(std::)?(swap|exchange|iter_swap)")
CHANGING = regex(r"\+\+|--|(?<![<>=!])=(?!=)")


class Calls(Intrinsics):
    """Lowers casts, `sizeof` and calls."""

    def _cast_expression(self, tree: Tree) -> ast.expr:
        type, value = (tree.child_by_field_name(k) for k in ("type", "value"))
        if self._is_no_type(type):
            why = f"({text_of(type)[:40]}) before an operator is not followed"
            return call("@skip", const(why), self.expression(value))
        return self._as(self.expression(value), self.read(text_of(type)))

    def _is_no_type(self, tree: Tree) -> bool:
        """Whether what the grammar takes for a type is a value: `(n) & 3 == m`, `(long(n)) - 1`."""
        below = tree.child_by_field_name("declarator")
        if below is not None and below.type == "abstract_function_declarator":
            return below.child_by_field_name("declarator") is None
        return self.variable(text_of(tree)) is not None

    def _as(self, value: ast.expr, to: CType) -> ast.expr:
        if to.is_address:
            return value
        return call("@as", value, const(to.word))

    def _sizeof_expression(self, tree: Tree) -> ast.expr:
        named = tree.child_by_field_name("type") or tree.child_by_field_name("value")
        word = text_of(named).strip("() ") if named is not None else ""
        bits = self.read(word).packed(self.source.padded).bits if word else 0
        if bits:
            return call("@as", const(bits // 8), const("size_t"))
        return call("@sizeof", const(word)) if word in self.of_types else call("@data")

    def _call_expression(self, tree: Tree) -> ast.expr:
        kids = children(tree.child_by_field_name("arguments"))
        to = self._cast_to(tree)
        if to is not None and len(kids) == 1:
            return self._as(self.expression(kids[0]), to)
        if to is not None and self.source.opencl and VECTOR.fullmatch(to.word):
            return call("@data", *[self.expression(k) for k in kids])  # `(float4)(a, b, c, d)`
        self._of_callee(tree)
        word = callee(tree)
        last = word.split("::")[-1].split(".")[-1]
        expr = self._of_opencl(last, kids) if self.source.opencl else None
        if self.source.ascend:
            expr = self.ascend(tree, word, kids)
        memory = expr or self._of_memory(tree, last, kids)
        if memory is not None:
            return memory
        if self._is_barrier(tree, last, kids):
            return call("@barrier")
        rank = self._rank(tree, last)
        if rank is not None:
            return rank
        args = [self.expression(k) for k in kids]
        if last in ("min", "max") and len(args) == 2 and self._is_of_language(tree, last):
            return call(last, *args)
        trees = self.source.functions.get(last, [])
        if is_ceiling(last) and len(args) == 2 and not trees:
            return call("cdiv", *args)
        foreign = trees and last not in self.source.loose and not is_in_space(tree, trees)
        return self._function(tree, word if foreign else last, kids, args)

    def _of_callee(self, tree: Tree) -> None:
        """What is computed to say what is called is evaluated before it."""
        at = computed_callee(tree)
        if at is None or not (comes_to_memory(at) or self.reaches(at)):
            return
        value = self.expression(at)
        if not comes_to_memory(at):
            value = call("@skip", const(f"{text_of(at)[:40]} is not followed"), value)
        self.before.append(place(ast.Expr(value), tree))

    def ascend(self, tree: Tree, word: str, kids: list[Tree]) -> ast.expr | None:
        """A call that is one of AscendC's."""
        return None

    def is_core(self, tree: Tree, word: str) -> bool:
        """Whether it is one of AscendC's functions of tensors, which change no number."""
        own = callee(tree).startswith("AscendC::") or CORE.fullmatch(word) is not None
        return self.source.ascend and own

    def _template(self, tree: Tree) -> list[ast.expr | None]:
        """The arguments of a template; those that are types are None."""
        trees = _template_arguments(tree)
        values = [t if t.type != "type_descriptor" else _plain_name(t) for t in trees]
        return [self.expression(t) if t is not None else None for t in values]

    def _template_types(self, tree: Tree) -> list[CType | None]:
        """The arguments of a template that are types, None for the others."""
        return [
            self.read(text_of(t)) if t.type == "type_descriptor" else None
            for t in _template_arguments(tree)
        ]

    def _function(self, tree: Tree, word: str, kids: list[Tree], args: list[ast.expr]) -> ast.expr:
        """A function of the file, or one that is not followed and may change its arguments."""
        known = self.source.references.get(word) if word in self.source.functions else None
        if self.variable(word) is not None:  # a lambda
            self.after += [self.forget(n, tree) for n in self.captured]
        types = [self.type_of(k) for k in kids]
        if word in self.source.reaching:
            return call("@skip", const(f"the macro {word} is not followed"), *args)
        if known is not None and self._falls_apart(word, tree, kids):
            return call("@skip", const(f"the macro {word}, whose text has too few parentheses"))
        expr = call(f"@call {word}" if known is not None else "@data", *args)
        reaches = any(t is not None and t.is_address for t in types)
        swaps = SWAPS.fullmatch(word) is not None and any(map(self.address, kids))
        harmless = word in HARMLESS or word.endswith("UNUSED")
        if known is None and (VALUES.fullmatch(word) is None or JOINS.search(word)):
            self.before.append(place(ast.Expr(call("@maybe")), tree))
        if known is None and (reaches or swaps or word.isupper()) and not harmless:
            # it may load and store there; a macro anywhere
            why = const(f"{word} is not followed")
            own = [k for k, t in zip(kids, types) if t is not None and t.is_address]
            plain = not any(op in text_of(k) for k in own for op in ("++", "--", "=", "("))
            note = call("@reach", why, *[self.expression(k) for k in own]) if plain else None
            if note is None or swaps or word.isupper():
                note = call("@skip", why)
            self.before.append(place(ast.Expr(note), tree))
        if known is None and not harmless:
            self.before += self._handed_on(tree, word, kids, types)
        if known is None and not VALUES.fullmatch(word):
            expr.args.insert(0, const(f"{word} is not followed"))
        expr.types = types  # type: ignore[attr-defined]
        if known is not None:
            expr.template = self._template(tree)  # type: ignore[attr-defined]
            expr.typed = self._template_types(tree)  # type: ignore[attr-defined]
            expr.deduced = [self.value_type(k) for k in kids]  # type: ignore[attr-defined]
        expr.key = self.source.calls  # type: ignore[attr-defined]
        self.source.calls += 1
        for k, kid in enumerate(kids):
            variable = self.identifier(kid)
            if known is not None and known.get(k):
                self.after += self._stored_by(word, kid)
            if variable is not None and variable.type.is_address and SWAPS.fullmatch(word):
                self.after.append(self.forget(variable.name, tree))
            if variable is None or variable.type.constant or variable.type.is_address:
                continue
            if known is not None and known.get(k):
                value = call("@changed", const(expr.key), const(k))  # type: ignore[attr-defined]
                self.after.append(assign(variable.name, value, tree))
            elif known is None and not PURE.fullmatch(word) and not self.is_core(tree, word):
                self.after.append(self.forget(variable.name, tree))
        return expr

    def _handed_on(
        self, tree: Tree, word: str, kids: list[Tree], types: list[CType | None]
    ) -> list[ast.stmt]:
        """Objects that a function that is not followed gets, or is one of, and places it may change."""
        called_on = tree.child_by_field_name("function")
        objects: list[tuple[str, Tree]] = []
        if called_on.type != "field_expression" or word not in TELLING:
            objects.append(("called", root_of(called_on)))
        if PURE.fullmatch(word) is None:
            objects += [
                ("given", root_of(k)) for k, t in zip(kids, types) if t is None or not t.is_plain
            ]
        notes: list[ast.stmt] = []
        for role, root in objects:
            variable = self.identifier(root)
            if variable is not None:
                note = call("@hand", const(f"{word} is not followed"), const(role))
                note.args.append(ast.Name(variable.name, ast.Load()))
                notes.append(place(ast.Expr(note), tree))
        if PURE.fullmatch(word):
            return notes
        for k, t in zip(kids, types):
            if (t is None or not (t.is_address or t.constant)) and self.address(k) is not None:
                why = f"{text_of(k)[:40]} is given to {word}, which may change it"
                notes.append(place(ast.Expr(call("@skip", const(why))), tree))
        return notes

    def _stored_by(self, word: str, tree: Tree) -> list[ast.stmt]:
        """The place in memory that a function of the file is given as a reference, and changes."""
        at = self.address(tree)
        if at is None:
            if not self.reaches(tree):
                return []
            at_all = False
        else:
            at_all = not any(BRANCHES.search(text_of(t)) for t in self.source.functions[word])
        why = const(f"{text_of(tree)[:40]} is given to {word}, which may change it")
        note = call("@store", at[0], const(at[1])) if at is not None and at_all else None
        return [place(ast.Expr(note or call("@skip", why)), tree)]

    def _falls_apart(self, word: str, tree: Tree, kids: list[Tree]) -> bool:
        """Whether the text of a macro means something else in its place than its value."""
        loose = self.source.loose.get(word)
        if loose is None:
            return False
        whole, bare = loose
        if whole and not is_whole(tree):
            return True
        changed = any(CHANGING.search(text_of(k)) for k in kids)
        return changed or any(
            k in bare and (kid.type not in ATOMS or text_of(kid) in self.source.macros)
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
