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
from symlayout.programs.kernels.c.lowering.language import changes_nothing, is_harmless
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
from symlayout.programs.kernels.c.types import GROUP, VECTOR, CType
from symlayout.programs.kernels.syntax import is_ceiling
from symlayout.text.patterns import regex

CORE = regex(
    r"(Add|Sub|Mul|Div|Max|Min|And|Or|Shift(Left|Right)|LeakyRelu)s?|Cast|Exp|Ln|Log|Abs|Sqrt|Rsqrt|Relu|"
    r"Reciprocal|Duplicate|(Whole|Block|Pair)?Reduce(Sum|Max|Min)|Select|Compare\w*|Axpy|Gather\w*|Not|"
    r"Brcb|Transpose|Copy|PipeBarrier|SetFlag|WaitFlag|FusedMulAdd|MulAddDst|SyncAll|Sort\w*|Arange"
)
JOINS = regex(r"sync(?!warp)|barrier|wait|arrive|reduce|block|Block|Sum|cta|group", re.I)
# methods that tell of a tensor's sizes, or where it begins
TELLING = frozenset(["size", "stride", "numel", "data", "data_ptr", "dim", "length", "sync"])
OF_CORES = regex(  # of AscendC's queues and tensors
    r"(Alloc|Free)Tensor|EnQue|DeQue|InitBuffer|Get(WithOffset|Size|Length|Position|ShapeInfo|Value)?|"
    r"SetValue|Set(Size|ShapeInfo)|ReinterpretCast|(VacantIn|HasTensorIn)Que|Reset|Init"
)
OF_GROUPS = regex(
    r"thread_rank|size|num_threads|meta_group_\w+|sync|shfl\w*|any|all|ballot|match_any|"
    r"(group|thread)_(index|dim)|dim_threads|num_blocks|block_(rank|index)|is_valid|this_\w+|"
    r"tiled_partition|coalesced_threads|labeled_partition|(in|ex)clusive_scan|reduce|plus|less|greater|"
    r"bit_(and|or|xor)|apply_shfl_\w+"
)
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
        type = self.read(word).packed(self.source.padded) if word else CType("void")
        if type.bits and type.word != "void":
            return call("@as", const(type.bits // 8), const("size_t"))
        constant = type.word in self.of_types or (type.is_float and not type.is_address)
        return call("@sizeof", const(type.word)) if constant else call("@data")

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
        if known is None:
            self.before += self._not_defined(tree, word, kids, types)
            if not self.is_of_language(tree):
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
            elif known is None and not self.is_of_language(tree):
                self.after.append(self.forget(variable.name, tree))
        return expr

    def is_of_language(self, tree: Tree) -> bool:
        """Whether what is called takes numbers by value, and does nothing else."""
        function, word = tree.child_by_field_name("function"), callee(tree)
        last = word.split("::")[-1].split(".")[-1]
        if self.is_core(tree, last):
            return True
        if function.type == "field_expression":
            base = function.child_by_field_name("argument")
            if last in TELLING or (self.source.ascend and OF_CORES.fullmatch(last)):
                return self.identifier(base) is not None
            group = self.type_of(base)
            if group is not None and self._is_method(group, last):
                return self.identifier(base) is not None
            known = group is not None and GROUP.fullmatch(group.word) is not None
            return known and OF_GROUPS.fullmatch(last) is not None
        if self.variable(word) is not None:
            return False
        if word.startswith(("cg::", "cooperative_groups::")):
            return OF_GROUPS.fullmatch(last) is not None
        space, _, method = text_of(function).rpartition("::")
        if space and function.type == "qualified_identifier":
            if self._is_method(self.read(space), method.partition("<")[0].strip()):
                return True
        elif self._makes_an_object(function):
            return True
        return is_harmless(last) or changes_nothing(word, self.source.padded)

    def _makes_an_object(self, function: Tree) -> bool:
        """Whether a type is called, whose objects do nothing by themselves."""
        type = self.read(text_of(function))
        return not type.is_unknown and not type.is_address and self.is_certain(type)

    def _is_method(self, type: CType, word: str) -> bool:
        """Whether a class whose functions do nothing else has one of that name."""
        known = self.source.classes.get(type.word.partition("<")[0])
        contained = known is not None and not type.is_address and self.is_certain(type)
        return contained and known is not None and word in known.methods

    def _not_defined(
        self, tree: Tree, word: str, kids: list[Tree], types: list[CType | None]
    ) -> list[ast.stmt]:
        """What a function does that the files do not define: one that is not known, anything."""
        why = const(f"{word} is not followed")
        if not self.is_of_language(tree):
            return [place(ast.Expr(call("@skip", why)), tree), *self._handed_on(tree, word)]
        notes: list[ast.stmt] = []
        if JOINS.search(word):
            notes.append(place(ast.Expr(call("@maybe")), tree))
        own = [k for k, t in zip(kids, types) if t is not None and t.is_address]
        if own and not is_harmless(word):  # it may load and store there
            plain = not any(op in text_of(k) for k in own for op in ("++", "--", "=", "("))
            note = call("@reach", why, *[self.expression(k) for k in own]) if plain else None
            notes.append(place(ast.Expr(note or call("@skip", why)), tree))
        return notes

    def _handed_on(self, tree: Tree, word: str) -> list[ast.stmt]:
        """Objects that a function that is not followed is one of: nothing is known of them any more."""
        variable = self.identifier(root_of(tree.child_by_field_name("function")))
        if variable is None or variable.shared or variable.type.is_address:
            return []
        return [self.forget(variable.name, tree)] if word not in TELLING else []

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
