"""C's expressions as Python's syntax tree, which the kernels' reader follows.

What C has and Python has not becomes a call whose name begins with `@`: `@load`, `@store`, `@place`
(a pointer moved by elements), `@as` (a cast), `@data` (a value that is not followed).
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import Any

from symlayout.programs.kernels.c.types import CType, read_type

Tree = Any  # a node of tree-sitter, which ships no types that are worth it
BINARY: dict[str, type[ast.operator]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.FloorDiv,
    "%": ast.Mod,
    "&": ast.BitAnd,
    "|": ast.BitOr,
    "^": ast.BitXor,
    "<<": ast.LShift,
    ">>": ast.RShift,
}
COMPARED: dict[str, type[ast.cmpop]] = {
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
    "==": ast.Eq,
    "!=": ast.NotEq,
}
LOADS = frozenset(["__ldg", "__ldcg", "__ldcs", "__ldca", "__ldlu", "__ldcv", "ldg"])
STORES = frozenset(["__stcs", "__stcg", "__stwt", "__stwb"])
CEILINGS = frozenset(["ceildiv", "cdiv", "divup", "divceil", "ceildivide"])
HARMLESS = frozenset(["assert", "printf", "CUDA_KERNEL_ASSERT", "__builtin_assume", "prefetch"])
MACROS = 16
BARRIERS = frozenset(["__syncthreads", "threadgroup_barrier", "barrier", "__syncthreads_or"])
VALUES = re.compile(  # functions that change none of their arguments
    r"__.*|(std|cuda|metal|cub)::.*|[a-z]+f?|.*[cC]ast.*|.*[cC]onvert.*|.*(float|half|bf16|bfloat).*"
)
RANKS = frozenset(["thread_rank", "size", "num_threads", "meta_group_rank", "meta_group_size"])
GROUP = re.compile(r"\bthread_block(?:_tile\s*<\s*(\d+)|$)")
NUMBER = re.compile(r"(0[xX][\da-fA-F]+|0[bB][01]+|\d+)([uUlLzZ]*)")


@dataclass
class Variable:
    """A declared name: what it is called in Python's tree, its type, the sizes of an array."""

    name: str
    type: CType
    sizes: tuple[ast.expr, ...] = ()
    shared: bool = False


@dataclass
class Source:
    """What the functions of a file share."""

    aliases: dict[str, str] = field(default_factory=dict)
    fields: dict[str, dict[str, CType]] = field(default_factory=dict)
    references: dict[str, dict[int, bool]] = field(
        default_factory=dict
    )  # whether changed, by place
    functions: dict[str, list[Tree]] = field(default_factory=dict)
    macros: dict[str, Tree | None] = field(default_factory=dict)  # that are no numbers


def text_of(tree: Tree) -> str:
    """The source of a node."""
    return str(tree.text.decode(errors="replace"))


def children(tree: Tree) -> list[Tree]:
    """The named children that are no comments."""
    return [c for c in tree.named_children if c.type != "comment"]


def place(node: Any, tree: Tree) -> Any:
    """The node, and what in it stands nowhere yet, standing where the tree stands."""
    if not hasattr(node, "lineno"):
        node.lineno, node.col_offset = tree.start_point[0] + 1, tree.start_point[1]
        node.end_lineno, node.end_col_offset = tree.end_point[0] + 1, tree.end_point[1]
        for x in ast.iter_child_nodes(node):
            place(x, tree)
    return node


def call(word: str, *args: ast.expr) -> ast.Call:
    """A call by name."""
    return ast.Call(ast.Name(word, ast.Load()), list(args), [])


def said(value: object) -> ast.Constant:
    """A constant of any kind."""
    return ast.Constant(value)  # type: ignore[arg-type]


class Expressions:
    """Lowers the expressions of one function; `before` and `after` are what its statement does."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.scopes: list[dict[str, Variable]] = [{}]
        self.types: dict[str, CType] = {}
        self.before: list[ast.stmt] = []
        self.after: list[ast.stmt] = []
        self.calls = 0
        self.nested = 0  # macros inside one another

    def variable(self, word: str) -> Variable | None:
        """What a name means here."""
        for scope in reversed(self.scopes):
            if word in scope:
                return scope[word]
        return None

    # -- types ------------------------------------------------------------------------------------

    def type_of(self, tree: Tree) -> CType | None:
        """The type of an expression; None where it is not known."""
        kids = children(tree)
        match tree.type:
            case "identifier":
                found = self.variable(text_of(tree))
                return found.type if found else None
            case "parenthesized_expression":
                return self.type_of(kids[0]) if kids else None
            case "subscript_expression":
                base = self.type_of(tree.child_by_field_name("argument"))
                return base.element if base is not None and base.is_address else None
            case "pointer_expression":
                inner = self.type_of(tree.child_by_field_name("argument"))
                if inner is None:
                    return None
                return inner.pointer if text_of(tree).startswith("&") else inner.element
            case "binary_expression":
                for side in ("left", "right"):
                    found_type = self.type_of(tree.child_by_field_name(side))
                    if found_type is not None and found_type.is_address:
                        return found_type
            case "conditional_expression":
                return self.type_of(tree.child_by_field_name("consequence"))
            case "cast_expression":
                return self.read(text_of(tree.child_by_field_name("type")))
            case "field_expression":
                return self._field_type(tree)
            case "call_expression":
                to = self._cast_to(tree)
                if to is not None:
                    return to
                if self._called(tree).split("::")[-1] in LOADS:
                    inner = self.type_of(children(tree.child_by_field_name("arguments"))[0])
                    return inner.element if inner else None
        return None

    def read(self, text: str) -> CType:
        """The type that a text spells."""
        return read_type(text, self.source.aliases)

    def _field_type(self, tree: Tree) -> CType | None:
        base = self.type_of(tree.child_by_field_name("argument"))
        word = text_of(tree.child_by_field_name("field"))
        return None if base is None else self.source.fields.get(base.word, {}).get(word)

    def _called(self, tree: Tree) -> str:
        """The name of a function, template arguments left out."""
        return re.sub(r"<.*", "", text_of(tree.child_by_field_name("function")), flags=re.S).strip()

    def _cast_to(self, tree: Tree) -> CType | None:
        """The type that a call casts to: `static_cast<T>(x)`, `int(x)`."""
        function = tree.child_by_field_name("function")
        word = self._called(tree)
        if word.endswith("_cast") and "<" in text_of(function):
            return self.read(text_of(function).split("<", 1)[1].rsplit(">", 1)[0])
        if function.type == "primitive_type" or word in ("size_t", "int64_t", "uint32_t", "uint"):
            return self.read(word)
        return None

    # -- expressions ------------------------------------------------------------------------------

    def expression(self, tree: Tree) -> ast.expr:
        """The expression, with its place."""
        method = getattr(self, f"_{tree.type}", None)
        made: ast.expr = method(tree) if method else self.data(tree)
        place(made, tree)
        return made

    def data(self, tree: Tree) -> ast.expr:
        """A value that is not followed; what stands in it is."""
        if tree.type in ("lambda_expression", "gnu_asm_expression", "ERROR"):
            word = {"lambda_expression": "a lambda", "gnu_asm_expression": "assembly"}.get(
                tree.type
            )
            return call("@skip", said(f"{word or 'what'} is not followed"))
        return call("@data", *[self.expression(c) for c in children(tree) if _is_value(c)])

    def _identifier(self, tree: Tree) -> ast.expr:
        word = text_of(tree)
        found = self.variable(word)
        if found is None and word in self.source.macros:
            value = self.source.macros[word]
            if value is None or self.nested > MACROS:
                return call("@skip", said(f"the macro {word} is not followed"))
            self.nested += 1
            try:
                return self.expression(value)
            finally:
                self.nested -= 1
        return ast.Name(found.name if found else word, ast.Load())

    def _qualified_identifier(self, tree: Tree) -> ast.expr:
        return ast.Name("".join(text_of(tree).split()), ast.Load())

    def _parenthesized_expression(self, tree: Tree) -> ast.expr:
        kids = children(tree)
        return self.expression(kids[0]) if kids else call("@data")

    def _condition_clause(self, tree: Tree) -> ast.expr:
        return self.expression(tree.child_by_field_name("value"))

    def _number_literal(self, tree: Tree) -> ast.expr:
        found = NUMBER.fullmatch(text_of(tree).replace("'", ""))
        if found is None:
            return said(0.5)
        digits, suffix = found[1], found[2].lower()
        octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
        number = said(int(digits, 8 if octal else 0))
        if not suffix:
            return number
        word = ("unsigned " if "u" in suffix else "") + ("long" if "l" in suffix else "int")
        return call("@as", number, said(word))

    def _char_literal(self, tree: Tree) -> ast.expr:
        return said(text_of(tree))

    _string_literal = _char_literal

    def _true(self, tree: Tree) -> ast.expr:
        return said(tree.type == "true")

    _false = _true

    def _null(self, tree: Tree) -> ast.expr:
        return said(None)

    def _field_expression(self, tree: Tree) -> ast.expr:
        base, word = (tree.child_by_field_name(k) for k in ("argument", "field"))
        if text_of(base) in ("threadIdx", "blockIdx", "blockDim", "gridDim"):
            return ast.Name(f"{text_of(base)}.{text_of(word)}", ast.Load())
        made = ast.Attribute(self.expression(base), text_of(word), ast.Load())
        made.ctype = self._field_type(tree)  # type: ignore[attr-defined]
        return made

    def _binary_expression(self, tree: Tree) -> ast.expr:
        left, right = (tree.child_by_field_name(k) for k in ("left", "right"))
        op = text_of(tree.child_by_field_name("operator"))
        if op in ("&&", "||", "and", "or"):
            a, b = self.expression(left), self._alone(right)
            return ast.BoolOp(ast.And() if op in ("&&", "and") else ast.Or(), [a, b])
        a, b = self.expression(left), self.expression(right)
        if op in COMPARED:
            return ast.Compare(a, [COMPARED[op]()], [b])
        return self.operation(op, a, b, self.type_of(left), self.type_of(right))

    def operation(
        self, op: str, a: ast.expr, b: ast.expr, left: CType | None, right: CType | None
    ) -> ast.expr:
        """An arithmetic operation; with a pointer it counts elements."""
        if op not in BINARY:
            return call("@data", a, b)
        if left is not None and left.is_address and op in ("+", "-"):
            if right is not None and right.is_address:
                return call("@data", a, b)
            by = b if op == "+" else ast.UnaryOp(ast.USub(), b)
            return call("@place", a, by, said(left.element))
        if right is not None and right.is_address and op == "+":
            return call("@place", b, a, said(right.element))
        return ast.BinOp(a, BINARY[op](), b)

    def _unary_expression(self, tree: Tree) -> ast.expr:
        op = text_of(tree.child_by_field_name("operator"))
        inner = self.expression(tree.child_by_field_name("argument"))
        signs: dict[str, ast.unaryop] = {
            "-": ast.USub(),
            "+": ast.UAdd(),
            "!": ast.Not(),
            "~": ast.Invert(),
        }
        return ast.UnaryOp(signs[op], inner) if op in signs else call("@data", inner)

    def _conditional_expression(self, tree: Tree) -> ast.expr:
        c = self.expression(tree.child_by_field_name("condition"))
        a, b = (self._alone(tree.child_by_field_name(k)) for k in ("consequence", "alternative"))
        return ast.IfExp(c, a, b)

    def _alone(self, tree: Tree) -> ast.expr:
        """An expression that is not always evaluated: what it changes is lost."""
        before, after, self.before, self.after = self.before, self.after, [], []
        made = self.expression(tree)
        lost = [
            s for s in (*self.before, *self.after) if isinstance(s, (ast.Assign, ast.AugAssign))
        ]
        self.before, self.after = before, after
        for s in lost:
            target = s.targets[0] if isinstance(s, ast.Assign) else s.target
            self.before.append(self.lost(target, tree))
            self.after.append(self.lost(target, tree))
        return made

    def lost(self, target: ast.expr, tree: Tree) -> ast.stmt:
        """Nothing is known of a variable any more."""
        assert isinstance(target, ast.Name)
        new = ast.Name(target.id, ast.Store())
        made: ast.stmt = place(ast.Assign([new], call("@data", said(target.id))), tree)
        return made

    # -- memory -----------------------------------------------------------------------------------

    def address(self, tree: Tree) -> tuple[ast.expr, CType] | None:
        """Where a subscript, `*p` or a parenthesis lies, and what lies there; None: not in memory."""
        if tree.type == "parenthesized_expression" and children(tree):
            return self.address(children(tree)[0])
        if tree.type == "pointer_expression" and text_of(tree).startswith("*"):
            inner = tree.child_by_field_name("argument")
            base = self.type_of(inner)
            made = self.expression(inner)
            return (made, base.element) if base is not None and base.is_address else None
        if tree.type == "identifier":
            found = self.variable(text_of(tree))
            if found is not None and found.shared and not found.type.array:
                return self.expression(tree), found.type
            return None
        if tree.type != "subscript_expression":
            return None
        base_tree = tree.child_by_field_name("argument")
        base = self.type_of(base_tree)
        if base is None or not base.is_address:
            return None
        under = self.address(base_tree) if base_tree.type == "subscript_expression" else None
        start = under[0] if under is not None and base.array else self.expression(base_tree)
        kids = children(tree.child_by_field_name("indices"))
        index = self.expression(kids[0]) if len(kids) == 1 else call("@data")
        sizes = self._sizes(base_tree)
        if base.array and sizes is None:
            return None  # an array in registers
        rest = (sizes or ())[len(sizes or ()) - base.array + 1 :] if base.array else ()
        made = call("@place", start, index, said(base.element), *rest)
        return place(made, tree), base.element

    def _sizes(self, tree: Tree) -> tuple[ast.expr, ...] | None:
        """The sizes of the shared array that subscripts begin with."""
        while tree.type in ("subscript_expression", "parenthesized_expression"):
            tree = tree.child_by_field_name("argument") or children(tree)[0]
        found = self.variable(text_of(tree)) if tree.type == "identifier" else None
        return found.sizes if found is not None and found.shared else None

    def _subscript_expression(self, tree: Tree) -> ast.expr:
        found = self.address(tree)
        if found is None:
            return self.data(tree)
        return found[0] if found[1].array else call("@load", found[0], said(found[1]))

    def _pointer_expression(self, tree: Tree) -> ast.expr:
        inner = tree.child_by_field_name("argument")
        if text_of(tree).startswith("*"):
            found = self.address(tree)
            return call("@load", found[0], said(found[1])) if found else self.data(tree)
        found = self.address(inner)
        if found is not None:
            return found[0]
        variable = self.variable(text_of(inner)) if inner.type == "identifier" else None
        if variable is not None:
            self.after.append(self.lost(ast.Name(variable.name), tree))
        return self.data(tree)

    # -- casts and calls --------------------------------------------------------------------------

    def _cast_expression(self, tree: Tree) -> ast.expr:
        to = self.read(text_of(tree.child_by_field_name("type")))
        return self._as(self.expression(tree.child_by_field_name("value")), to)

    def _as(self, value: ast.expr, to: CType) -> ast.expr:
        if to.is_address:
            return value
        return call("@as", value, said(to.word))

    def _sizeof_expression(self, tree: Tree) -> ast.expr:
        named = tree.child_by_field_name("type") or tree.child_by_field_name("value")
        bits = self.read(text_of(named).strip("() ")).bits if named is not None else 0
        return call("@as", said(bits // 8), said("size_t")) if bits else call("@data")

    def _call_expression(self, tree: Tree) -> ast.expr:
        arguments = tree.child_by_field_name("arguments")
        kids = children(arguments) if arguments is not None else []
        to = self._cast_to(tree)
        if to is not None and len(kids) == 1:
            return self._as(self.expression(kids[0]), to)
        word = self._called(tree)
        last = word.split("::")[-1].split(".")[-1]
        memory = self._memory(last, kids)
        if memory is not None:
            return memory
        if last in BARRIERS or word.endswith(("block.sync", "cta.sync")):
            return call("@barrier")
        rank = self._rank(tree, last)
        if rank is not None:
            return rank
        args = [self.expression(k) for k in kids]
        if last in ("min", "max") and len(args) == 2:
            return call(last, *args)
        own = last in self.source.functions
        if last.replace("_", "").lower() in CEILINGS and len(args) == 2 and not own:
            return call("cdiv", *args)
        return self._function(tree, last, kids, args)

    def _rank(self, tree: Tree, word: str) -> ast.expr | None:
        """A thread's number in a cooperative group: in the block, or in a part of it of known size."""
        function = tree.child_by_field_name("function")
        if word not in RANKS or function.type != "field_expression":
            return None
        group = self.type_of(function.child_by_field_name("argument"))
        found = GROUP.search(group.word) if group is not None else None
        if found is None:
            return None
        size = said(int(found[1])) if found[1] else None
        whole, count = call("@thread"), call("@threads")
        if size is None:
            return {"thread_rank": whole, "size": count, "num_threads": count}.get(word)
        op: dict[str, ast.expr] = {
            "thread_rank": ast.BinOp(whole, ast.Mod(), size),
            "meta_group_rank": ast.BinOp(whole, ast.FloorDiv(), size),
            "meta_group_size": ast.BinOp(count, ast.FloorDiv(), size),
        }
        return op.get(word, size)

    def _memory(self, word: str, kids: list[Tree]) -> ast.expr | None:
        """A load, a store or an atomic by a function of its own."""
        if not kids or not (word in LOADS or word in STORES or word.startswith("atomic")):
            return None
        to = self.type_of(kids[0])
        if to is None or not to.is_address:
            return call("@skip", said(f"{word} at a place whose type is not known"))
        args = [self.expression(k) for k in kids]
        kind = "@load" if word in LOADS else "@store" if word in STORES else "@atomic"
        return call(kind, args[0], said(to.element), *args[1:])

    def _function(self, tree: Tree, word: str, kids: list[Tree], args: list[ast.expr]) -> ast.expr:
        """A function of the file, or one that is not followed and may change its arguments."""
        known = self.source.references.get(word) if word in self.source.functions else None
        given = [self.type_of(k) for k in kids]
        made = call(f"@call {word}" if known is not None else "@data", *args)
        reaches = any(t is not None and t.is_address for t in given)
        if known is None and (reaches or word.isupper()) and word not in HARMLESS:
            # it may load and store there; a macro anywhere
            self.before.append(
                place(ast.Expr(call("@skip", said(f"{word} is not followed"))), tree)
            )
        if known is None and not VALUES.fullmatch(word):
            made.args.insert(0, said(f"{word} is not followed"))
        made.key = self.calls  # type: ignore[attr-defined]
        self.calls += 1
        for k, kid in enumerate(kids):
            found = self.variable(text_of(kid)) if kid.type == "identifier" else None
            if found is None or found.type.constant or found.type.is_address:
                continue
            if known is not None and known.get(k):
                value = call("@changed", said(made.key), said(k))  # type: ignore[attr-defined]
                new = ast.Assign([ast.Name(found.name, ast.Store())], value)
                self.after.append(place(new, tree))
            elif known is None and not VALUES.fullmatch(word):
                self.after.append(self.lost(ast.Name(found.name), tree))
        return made

    # -- what changes variables inside of expressions ----------------------------------------------

    def _assignment_expression(self, tree: Tree) -> ast.expr:
        self.before += self.assignment(tree)
        left = tree.child_by_field_name("left")
        return self.expression(left) if left.type == "identifier" else call("@data")

    def _update_expression(self, tree: Tree) -> ast.expr:
        inner = tree.child_by_field_name("argument")
        changed = self.update(tree)
        if text_of(tree).startswith(("++", "--")):
            self.before += changed
        else:
            self.after += changed
        return self.expression(inner) if inner.type == "identifier" else call("@data")

    def _comma_expression(self, tree: Tree) -> ast.expr:
        left, right = (tree.child_by_field_name(k) for k in ("left", "right"))
        self.before.append(place(ast.Expr(self.expression(left)), left))
        return self.expression(right)

    def update(self, tree: Tree) -> list[ast.stmt]:
        """`++x` and `x--`."""
        op = text_of(tree.child_by_field_name("operator"))[0]
        return self.changed(tree, tree.child_by_field_name("argument"), op, said(1), None)

    def assignment(self, tree: Tree) -> list[ast.stmt]:
        """`x = e`, `x += e`, `a[i] = e`."""
        left, right = (tree.child_by_field_name(k) for k in ("left", "right"))
        op = text_of(tree.child_by_field_name("operator")).removesuffix("=")
        value = self.expression(right)
        return self.changed(tree, left, op, value, self.type_of(right))

    def changed(
        self, tree: Tree, left: Tree, op: str, value: ast.expr, right: CType | None
    ) -> list[ast.stmt]:
        """A variable or a place in memory that gets another value."""
        while left.type == "parenthesized_expression":
            left = children(left)[0]
        if left.type == "identifier":
            found = self.variable(text_of(left))
            if found is not None and not found.shared:
                return [place(self._assigned(found, op, value, right), tree)]
        at = self.address(left)
        if at is not None:
            made: list[ast.stmt] = []
            if op:
                made.append(ast.Expr(place(call("@load", at[0], said(at[1])), left)))
            made.append(ast.Expr(place(call("@store", at[0], said(at[1]), value), left)))
            return [place(s, tree) for s in made]
        made_of = call("@data", value)
        known = self.type_of(left)
        if left.type == "identifier" or (known is not None and known.reference):
            made_of = call("@skip", said("a value is given to what is not declared here"))
        elif left.type not in ("subscript_expression", "field_expression"):
            made_of = call("@skip", said(f"a value is given to {text_of(left)[:40]}"))
        elif not self._in_registers(left):
            made_of = call("@skip", said(f"a value is stored to {text_of(left)[:40]}"))
        return [place(ast.Expr(made_of), tree)]

    def _in_registers(self, tree: Tree) -> bool:
        """Whether it is a part of a local array or of a vector."""
        while tree.type in ("subscript_expression", "field_expression", "parenthesized_expression"):
            tree = tree.child_by_field_name("argument") or children(tree)[0]
        found = self.variable(text_of(tree)) if tree.type == "identifier" else None
        return found is not None and not found.shared and found.type.depth == 0

    def _assigned(self, found: Variable, op: str, value: ast.expr, right: CType | None) -> ast.stmt:
        name = ast.Name(found.name, ast.Store())
        if not op:
            return ast.Assign([name], value)
        if found.type.is_address or op not in BINARY:
            old = ast.Name(found.name, ast.Load())
            return ast.Assign([name], self.operation(op, old, value, found.type, right))
        return ast.AugAssign(name, BINARY[op](), value)


def _is_value(tree: Tree) -> bool:
    """Whether a node inside of an expression is one itself."""
    word = str(tree.type)
    return word.endswith(("expression", "literal", "list")) or word == "identifier"
