"""Host code's expressions as Python's; what is not followed is `@opaque`."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from symlayout.expr.machine import INT, INT64
from symlayout.programs.kernels.c.lowering.trees import Tree, callee, children, number_of, text_of
from symlayout.programs.kernels.c.types import CType, read_type
from symlayout.programs.kernels.launches.c.trees import BINARY, COMPARED, place
from symlayout.programs.kernels.launches.c.uses import launched
from symlayout.programs.kernels.launches.values import Signature

AUTO = CType("auto")
UNSIGNED, OTHER = CType("unsigned"), CType("int")  # of constants without a sign, and of others


class Expressions:
    """Names of their own for variables, and the values of expressions."""

    def __init__(
        self,
        functions: Mapping[str, list[Tree]],
        kernels: Mapping[str, Signature],
        idle: frozenset[str],
        unsigned: Collection[str] = (),
    ) -> None:
        self.own = idle
        self.functions, self.kernels = functions, kernels
        self.scopes: list[dict[str, str]] = [{}]
        self.count = 0
        self.places: dict[int, tuple[int, int]] = {}
        self.types = dict.fromkeys(unsigned, UNSIGNED)  # of variables by names of their own
        self.lost: set[str] = set()  # what a lambda changes whenever it is called
        self.unsettled: set[str] = set()  # what an expression reads and changes, in no order
        self.exposed: frozenset[str] = frozenset()  # what is changed through pointers

    def declare(self, word: str, type: CType) -> str:
        """A name of its own."""
        self.count += 1
        name = f"{word}${self.count}"
        self.scopes[-1][word], self.types[name] = name, type
        if type.narrow is not None:
            self.lost.add(name)  # a number that wraps
        return name

    def type_of(self, word: str) -> CType:
        """The type of a variable by the name of its own."""
        return self.types.get(word, OTHER)

    def name_of(self, word: str) -> str:
        """What a name is called here."""
        return next((s[word] for s in reversed(self.scopes) if word in s), word)

    def opaque(self) -> ast.expr:
        """A value that nothing is known of."""
        return ast.Constant(None)

    def _of(self, word: str, args: list[ast.expr]) -> ast.expr:
        return ast.Call(ast.Name(word, ast.Load()), args, [])

    def expression(self, t: Tree) -> ast.expr:
        """The expression, standing where it stands."""
        return place(self._value(t), t)

    def _value(self, t: Tree) -> ast.expr:
        kids = children(t)
        match t.type:
            case "identifier":
                word = self.name_of(text_of(t))
                known = word not in self.lost | self.unsettled and text_of(t) not in self.exposed
                return ast.Name(word, ast.Load()) if known else self.opaque()
            case "number_literal":
                number = number_of(t)
                return ast.Constant(number[0]) if number is not None else self.opaque()
            case "true" | "false":
                return ast.Constant(t.type == "true")
            case "parenthesized_expression" | "condition_clause":
                return self.expression(kids[0]) if len(kids) == 1 else self.opaque()
            case "binary_expression":
                return self._binary(t)
            case "unary_expression":
                op = text_of(t.child_by_field_name("operator"))
                inner = self.expression(t.child_by_field_name("argument"))
                if op in ("-", "!"):
                    return ast.UnaryOp(ast.USub() if op == "-" else ast.Not(), inner)
            case "conditional_expression":
                keys = ("condition", "consequence", "alternative")
                c, a, b = (self.expression(t.child_by_field_name(k)) for k in keys)
                return ast.IfExp(c, a, b)
            case "cast_expression":
                return self._cast(_type_of(t), t.child_by_field_name("value"))
            case "field_expression":
                base, word = (t.child_by_field_name(k) for k in ("argument", "field"))
                at = {"x": 0, "y": 1, "z": 2}.get(text_of(word))
                if self.is_dim3(base) and at is not None:
                    return ast.Subscript(self.expression(base), ast.Constant(at), ast.Load())
            case "call_expression":
                return self._call(t)
        for c in kids:  # launches may stand there
            if c.type.endswith("expression"):
                self.expression(c)
        return self.opaque()

    def _binary(self, t: Tree) -> ast.expr:
        op = text_of(t.child_by_field_name("operator"))
        a, b = (self.expression(t.child_by_field_name(k)) for k in ("left", "right"))
        if op in ("&&", "||"):
            return ast.BoolOp(ast.And() if op == "&&" else ast.Or(), [a, b])
        if self.is_unsigned(t, compared=True):  # C converts both
            a, b = (self._of("@loose", [x]) for x in (a, b))
        if op in COMPARED:
            return ast.Compare(a, [COMPARED[op]()], [b])
        if op in ("/", "%"):
            return self._of("@div" if op == "/" else "@rem", [a, b])
        if op not in ("+", "-", "*", "<<"):
            return self.opaque()
        return self.in_type(ast.BinOp(a, BINARY[op](), b), self.is_unsigned(t))

    def in_type(self, value: ast.expr, unsigned: bool) -> ast.expr:
        """What is computed; in a type without a sign it may wrap around."""
        return self._of("@loose", [value]) if unsigned else value

    def is_dim3(self, t: Tree) -> bool:
        """Whether it is a variable of that type."""
        return t.type == "identifier" and self.type_of(self.name_of(text_of(t))).word == "dim3"

    def is_unsigned(self, t: Tree, compared: bool = False) -> bool:
        """Whether C computes it in a type without a sign, or (`compared`) compares in one."""
        match t.type:
            case "number_literal":
                value, suffix = number_of(t) or (0, "")
                return "u" in suffix or (value >= 1 << 31 and text_of(t)[1:2].isalpha())
            case "identifier":
                return self.type_of(self.name_of(text_of(t))).computed not in (INT, INT64)
            case "sizeof_expression":
                return True
            case "field_expression":
                return self.is_dim3(t.child_by_field_name("argument"))
            case "cast_expression":
                return _type_of(t).unsigned
        return any(map(self.is_unsigned, _operands(t, compared)))

    def is_wide(self, t: Tree) -> bool:
        """Whether a variable of 64 bits makes its type one of 64."""
        match t.type:
            case "identifier":
                return self.type_of(self.name_of(text_of(t))).is_wide
            case "cast_expression":
                return _type_of(t).is_wide
            case "call_expression":
                return False
        return any(map(self.is_wide, _operands(t)))

    def _cast(self, type: CType, value: Tree) -> ast.expr:
        """An integer in a type that is not smaller than `int`; of others nothing is known."""
        if type.word == "dim3":
            return self._of("@dims", [self.expression(value)])
        inner = self.expression(value)
        if type.word == "bool" and not type.is_address:
            return self._of("@bool", [inner])
        narrow = type.narrow is not None
        if type.machine is None or narrow or (not type.is_wide and self.is_wide(value)):
            return self.opaque()
        return inner if type.computed in (INT, INT64) else self._of("@loose", [inner])

    def _call(self, t: Tree) -> ast.expr:
        launch = launched(t, self.kernels)
        if launch is not None:
            word, template, sizes, arguments = launch
            rows = [
                ast.Tuple([self.expression(x) for x in trees], ast.Load())
                for trees in (template, sizes[:2], arguments)
            ]
            call = self._of("@launch", [ast.Constant(word), *rows])
            self.places[id(call)] = (t.start_byte, t.end_byte)
            return call
        function = t.child_by_field_name("function")
        kids = children(t.child_by_field_name("arguments"))
        text, word = text_of(function), callee(t)
        if word.endswith("_cast") and "<" in text and len(kids) == 1:
            return self._cast(read_type(text.split("<", 1)[1].rsplit(">", 1)[0]), kids[0])
        if len(kids) == 1 and (function.type == "primitive_type" or read_type(word).machine):
            return self._cast(read_type(word), kids[0])
        args = [self.expression(k) for k in kids]
        if word == "dim3":
            return self._of("@dim3", args)
        if function.type == "field_expression":
            base = self.expression(function.child_by_field_name("argument"))
            last = text_of(function.child_by_field_name("field")).split("<")[0]
            return self._of("@loose", [ast.Call(ast.Attribute(base, last, ast.Load()), args, [])])
        return ast.Call(ast.Name(word.split("::")[-1], ast.Load()), args, [])


def _type_of(t: Tree) -> CType:
    """The type that a cast spells."""
    return read_type(text_of(t.child_by_field_name("type")))


def _operands(t: Tree, compared: bool = False) -> list[Tree]:
    """The parts whose types are those of an expression, or (`compared`) in which it compares."""
    kids = children(t)
    match t.type:
        case "binary_expression":
            op = text_of(t.child_by_field_name("operator"))
            if op in ("&&", "||") or (op in COMPARED and not compared):
                return []
            return [t.child_by_field_name("left")] if op in ("<<", ">>") else kids
        case "unary_expression" | "parenthesized_expression":
            return [] if text_of(t).startswith("!") else kids
        case "conditional_expression":
            return kids[1:]
        case "call_expression":
            return children(t.child_by_field_name("arguments"))
    return []
