"""Functions and methods that are called, and what C has and Python has not."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from symlayout.expr.machine import INT, INT64, UINT32, UINT64, common
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Span
from symlayout.programs.kernels.c.memory import Memory
from symlayout.programs.kernels.c.types import PROMOTED, UNDEDUCED, CType
from symlayout.programs.kernels.c.values import REGISTERS, Struct
from symlayout.programs.kernels.nodes import TRUE, binary, cast, lane, name, num, number_of, put
from symlayout.programs.kernels.syntax import assigned_names, returns_inside
from symlayout.programs.kernels.triton.expressions import Env
from symlayout.programs.kernels.triton.state import pointer_of
from symlayout.programs.kernels.values import Block, Constant, NotUnderstood, Opaque, Value

WORDS = {INT: "int", UINT32: "unsigned", INT64: "long", UINT64: "size_t"}
REACHING = frozenset(["@load", "@store", "@atomic", "@copy", "@reach", "@call", "@method"])


class Calls(Memory):
    """Calls."""

    # -- calls ------------------------------------------------------------------------------------

    def call(self, node: ast.Call, env: Env) -> Value:
        """What C has and Python has not, and what both have."""
        assert isinstance(node.func, ast.Name)
        self.seen.add(id(node))
        word = node.func.id
        if word.startswith("@call "):
            return self._called(node, word[6:], env)
        if word.startswith("@"):
            method: Callable[[ast.Call, Env], Value] = getattr(self, f"c_{word[1:]}")
            return method(node, env)
        return super().call(node, env)

    def note_failure(self, node: ast.expr, why: str) -> None:
        """Tells of an access or a function that is not understood."""
        word = (
            node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        )
        if word.partition(" ")[0] in REACHING:
            self.skip(node.lineno, why)

    def _called(self, node: ast.Call, word: str, env: Env) -> Value:
        types: tuple[CType | None, ...] = getattr(node, "types", ())
        function = self.module.lower(word, len(node.args), types)
        values = [self.value(a, env) for a in node.args]
        if function is None:
            why = f"{word} has several definitions"
            if any(map(self.reaches, values)) or not self.module.only_compute(word):
                self.skip(node.lineno, why)
            for k in range(len(values)):
                self.returned[getattr(node, "key", -1), k] = Opaque(why)
            return Opaque(f"line {node.lineno}: {why}", data=True)
        bindings = {n.arg: v for n, v in zip(function.args.args, values)}
        return self._body_value(node, word, function, bindings, env)

    def _body_value(
        self, node: ast.Call, word: str, function: ast.FunctionDef, bindings: Env, env: Env
    ) -> Value:
        """What a function comes to, and what its parameters are behind it."""
        for n, e in self.module.omitted.get(id(function), {}).items():
            if n not in bindings:
                bindings[n] = self.value(e, {})
        values = [bindings[n.arg] for n in function.args.args]
        bindings |= self._template(node, function, env)
        bound, self.bound = self.bound, self._template_types(node, function, values)
        if self.depth >= 12:
            raise NotUnderstood("more than 12 functions inside one another")
        self.depth += 1
        site = self.site
        if id(function) in self.module.foreign and site is None:
            self.site = node
        try:
            value = self.returned_value(function, bindings)
        finally:
            self.depth -= 1
            self.site = site
            self.bound = bound
        early = returns_early(function.body)
        parameters = self.module.parameters.get(id(function), {})
        for k, parameter in enumerate(function.args.args):
            changed = parameters[parameter.arg].reference
            last: Value = bindings[parameter.arg] if changed else values[k]
            if early and changed:  # what it is at each of the returns is not kept
                why = f"line {node.lineno}: changed by {word}, which returns early"
                last = Opaque(why, data=False)
            self.returned[getattr(node, "key", -1), k] = last
        return value

    def c_method(self, node: ast.Call, env: Env) -> Value:
        """A method, with the fields of its object."""
        prefix, cls, word = (str(self._text(a)) for a in node.args[:3])
        values = [self.value(a, env) for a in node.args[3:]]
        function = self.module.method(cls, word, len(values))
        head, key = f"{prefix}.", getattr(node, "key", -1)
        fields = {f"this.{n[len(head) :]}": v for n, v in env.items() if n.startswith(head)}
        if function is None:
            self.skip(node.lineno, f"{word} is no method that is known")
            self.objects[key] = {}
            return Opaque(f"line {node.lineno}: {word} is not followed")
        bindings = {n.arg: v for n, v in zip(function.args.args, values)} | fields
        value = self._body_value(node, word, function, bindings, env)
        stored = assigned_names(function.body)
        early = returns_early(function.body)
        lost = Opaque(f"line {node.lineno}: changed by {word}, which returns early")
        after = {n: v for n, v in bindings.items() if n.startswith("this.")}
        after = {n: lost if early and n in stored else v for n, v in after.items()}
        numbered = {str(k): self.returned.get((key, k), lost) for k in range(len(values))}
        self.objects[key] = after | numbered
        return value

    def c_field(self, node: ast.Call, env: Env) -> Value:
        """A field of an object behind a method's call."""
        key, word = (self._text(a) for a in node.args)
        lost = Opaque(f"line {node.lineno}: {word} has no value yet")
        return self.objects.get(key, {}).get(str(word), lost)

    def c_core(self, node: ast.Call, env: Env) -> Value:
        """A core's number, or how many there are."""
        return Block(cast(INT64, self.grid(0) if self._text(node.args[0]) else self.program(0)))

    def c_struct(self, node: ast.Call, env: Env) -> Value:
        return Constant(Struct(str(self._text(node.args[0]))))

    def c_copy(self, node: ast.Call, env: Env) -> Value:
        """So many elements, from a place on."""
        kind, element = str(self._text(node.args[0])), self._text(node.args[2])
        address, count = (self.value(node.args[k], env) for k in (1, 3))
        try:
            start, array = self.base(address, node.lineno)
            if self.factor(array, element).value != 1:
                raise NotUnderstood(f"elements of {array} taken as others")
            if not isinstance(count, Block) or count.shape:
                raise NotUnderstood(f"line {node.lineno}: a count that is not known")
            blocks = self.value(node.args[5], env)
            if not isinstance(blocks, Block) or blocks.node.value != 1:
                raise NotUnderstood(f"line {node.lineno}: a DataCopyPad of several blocks")
        except NotUnderstood as error:
            self.skip(node.lineno, str(error))
            return Constant(None)
        number, parts = number_of(count.node), list[tuple[str, Term]]()
        if self._text(node.args[4]) == "bytes":
            number = binary("cdiv", number, num(max(1, self.elements[array].bits // 8)))
        else:
            parts = [("address", self._offset_in(array, start.node)), ("length", number)]
        block = Block(binary("+", start.node, lane(0)), (number,))
        self.record(kind, self.site or node, block, Block(TRUE))
        local = self.value(node.args[6], env) if len(node.args) > 6 else None
        if isinstance(local, Block):
            parts.append(("local address", number_of(local.node)))
        self._note_blocks(self.site or node, array, parts)
        return Constant(None)

    @staticmethod
    def _offset_in(array: str, start: Term) -> Term:
        """How many elements of an array are before an address."""
        return put(start, lambda x: num(0, INT64) if x.op == "name" and x.word == array else None)

    def _note_blocks(self, node: ast.expr, array: str, parts: list[tuple[str, Term]]) -> None:
        """Notes that a copy is of whole blocks, between addresses that are multiples of one.

        A tensor of a core's memory begins at such an address itself.  `DataCopyPad` copies any number
        of bytes, from any address in global memory.
        """
        size = num(self.elements[array].bits // 8, INT64)
        end = node.end_col_offset if node.end_lineno == node.lineno else None
        span = Span(node.lineno, node.col_offset, end or 0)
        for kind, elements in parts:
            if size.value:
                self._note(kind, binary("*", cast(INT64, elements), size), span=span)

    def _template(self, node: ast.Call, function: ast.FunctionDef, env: Env) -> Env:
        """The numbers that a template is given, or has as defaults."""
        numbers: Env = {}
        order = self.module.templates.get(id(function), ())
        arguments: list[ast.expr | None] = getattr(node, "template", [])
        for k, (word, default) in enumerate(order):
            e = arguments[k] if k < len(arguments) else default
            if not word or e is None:
                continue
            value = self.value(e, env if k < len(arguments) else {})
            if not isinstance(value, Block):
                continue
            known = value.node.value is not None or value.node.word in self.kernel.symbols
            if k < len(arguments) or known:
                numbers[word] = value
        return numbers

    def _template_types(
        self, node: ast.Call, function: ast.FunctionDef, values: list[Value]
    ) -> dict[str, CType | None]:
        """The types that a template is given, or that C++ deduces of the arguments."""
        by_name: dict[str, CType | None] = {}
        arguments: list[CType | None] = getattr(node, "typed", [])
        types: list[CType | None] = getattr(node, "deduced", [])
        parameters = self.module.parameters.get(id(function), {})
        for k, (word, default) in enumerate(self.module.typed.get(id(function), ())):
            if not word:
                continue
            ctype = arguments[k] if k < len(arguments) else None
            places = [j for j, p in enumerate(parameters.values()) if p.word == word]
            if ctype is None and places and max(places) < min(len(types), len(values)):
                parameter = list(parameters.values())[places[0]]
                ctype = self._argument_type(parameter, types[places[0]], values[places[0]])
            elif ctype is None:
                ctype = default
            if ctype is None and not hasattr(node, "deduced"):
                continue  # a method: it is the class that has the type
            by_name[word] = self.actual_type(ctype) if ctype is not None else None
        return by_name

    def _argument_type(self, formal: CType, actual: CType | None, value: Value) -> CType | None:
        """What a parameter's type of a template is, of one argument."""
        if actual is None:
            return None
        actual = self.actual_type(actual)
        if actual == PROMOTED:
            return _type_of(value.node) if isinstance(value, Block) and not formal.depth else None
        depth = actual.depth + actual.array - formal.depth
        return CType(actual.word, depth) if depth >= 0 else None

    def c_again(self, node: ast.Call, env: Env) -> Value:
        """Another value of a variable whose type is that of its first."""
        old, new = (self.value(a, env) for a in node.args[:2])
        if not isinstance(new, Block) or pointer_of(new.node, self.arrays) is not None:
            return new
        if self._text(node.args[2]) != PROMOTED or not isinstance(old, Block):
            return Opaque(f"line {node.lineno}: a number of a type that is not known")
        return self.cast_to(new, _type_of(old.node), node.lineno)

    def c_part(self, node: ast.Call, env: Env) -> Value:
        """A variable of which a part has changed: a structure's fields are not followed then."""
        value = self.value(node.args[0], env)
        known = value == REGISTERS or (isinstance(value, Opaque) and value.data)
        return value if known else Opaque(f"line {node.lineno}: a part of it is given a value")

    def reaches(self, value: Value) -> bool:
        """Whether a function that gets the value may come to memory by it."""
        if isinstance(value, Constant):
            return isinstance(value.value, Struct)
        if isinstance(value, Opaque):
            return not value.data
        return isinstance(value, Block) and any(x.word in self.elements for x in value.node.leaves)

    def c_reach(self, node: ast.Call, env: Env) -> Value:
        """A function that is not followed gets addresses: of a thread's own variables they are none."""
        values = [self.value(a, env) for a in node.args[1:]]
        if not all(v == REGISTERS for v in values):
            self.skip(node.lineno, str(self._text(node.args[0])))
        return Constant(None)

    def c_registers(self, node: ast.Call, env: Env) -> Value:
        return REGISTERS

    def returned_value(self, function: ast.FunctionDef, bindings: Env) -> Value:
        """What a function returns, its parameters of their types."""
        before, self.types = self.types, self.module.types.get(id(function), {})
        try:
            for n, t in self.module.parameters.get(id(function), {}).items():
                is_narrow = not self.depth and t.narrow is not None
                if n in bindings and not is_narrow and self.actual_type(t) != UNDEDUCED:
                    bindings[n] = self.cast_to(bindings[n], t, function.lineno)
            for n in self.module.constants.get(id(function), {}):
                if n not in bindings and self.depth:
                    bindings[n] = Opaque(f"line {function.lineno}: {n} of a template")
            for line in self.module.bad.get(id(function), ()):
                self.skip(line, "this is no C++ that is understood")
            return super().returned_value(function, bindings)
        finally:
            self.types = before

    def c_as(self, node: ast.Call, env: Env) -> Value:
        value = self.value(node.args[0], env)
        return self.cast_to(value, CType(str(self._text(node.args[1]))), node.lineno)

    def c_moved(self, node: ast.Call, env: Env) -> Value:
        """A sum of an end that the code does not compute: no type of 32 bits with a sign ends it."""
        both = node.args[0]
        assert isinstance(both, ast.BinOp)
        a, b = self.value(both.left, env), self.value(both.right, env)
        if not (isinstance(a, Block) and isinstance(b, Block)):
            return self.value(both, env)
        op = "+" if isinstance(both.op, ast.Add) else "-"
        if common([a.node.type, b.node.type]) == INT:
            a, b = (replace(x, node=cast(INT64, number_of(x.node))) for x in (a, b))
        return self.arithmetic(op, a, b)

    def c_signed(self, node: ast.Call, env: Env) -> Value:
        """A number of elements, which may be taken from a pointer."""
        value = self.value(node.args[0], env)
        if isinstance(value, Block):
            return replace(value, node=cast(INT64, number_of(value.node)))
        return value

    def c_data(self, node: ast.Call, env: Env) -> Value:
        values = tuple(self.value(a, env) for a in node.args)
        texts = [v.value for v in values if isinstance(v, Constant) and isinstance(v.value, str)]
        why = texts[0] if texts else "a value"
        data = all(isinstance(v, Opaque) and v.data for v in values) and bool(values)
        return Opaque(f"line {node.lineno}: {why[:60]}", data=data)

    def c_sizeof(self, node: ast.Call, env: Env) -> Value:
        """The bytes of a template's type: a constant."""
        type = self.actual_type(CType(str(self._text(node.args[0]))))
        if type == UNDEDUCED:
            raise NotUnderstood("the size of a type that is not known")
        if type.bits:
            return Block(num(type.bits // 8, UINT64))
        return self.symbol(f"sizeof_{type.spelling}", None, True)

    def c_skip(self, node: ast.Call, env: Env) -> Value:
        for a in node.args[1:]:
            self.value(a, env)
        self.skip(node.lineno, str(self._text(node.args[0])))
        return Opaque(f"line {node.lineno}: not followed")

    def statement(self, node: ast.stmt, env: Env) -> None:
        """A statement; behind a jump nothing is followed any more."""
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            function = node.value.func
            if isinstance(function, ast.Name) and function.id == "@stop":
                self.skip(node.lineno, str(self._text(node.value.args[0])))
                raise NotUnderstood(f"what follows line {node.lineno}, a jump by goto")
        super().statement(node, env)

    def c_flag(self, node: ast.Call, env: Env) -> Value:
        word = str(self._text(node.args[0]))
        return Block(self.flag(word, f"line {node.lineno}: whether it is compiled"))

    def c_changed(self, node: ast.Call, env: Env) -> Value:
        key, place = (self._text(a) for a in node.args)
        value = self.returned.get((key, place))  # type: ignore[arg-type]
        return value or Opaque(f"line {node.lineno}: changed by a function")

    def c_coordinate(self, node: ast.Call, env: Env) -> Value:
        """`get_global_id(0)` and its like, of type `size_t`; the launch's offset is 0."""
        word, axis = str(self._text(node.args[0])), int(str(self._text(node.args[1])))
        match word:
            case "get_group_id":
                number = self.program(axis)
            case "get_local_id":
                number = self.program(axis + 3)
            case "get_num_groups":
                number = self.grid(axis)
            case "get_local_size" | "get_enqueued_local_size":
                number = self.grid(axis + 3)
            case "get_global_size":
                number = binary("*", cast(UINT64, self.grid(axis)), self.grid(axis + 3))
            case "get_global_id":
                whole = binary("*", cast(UINT64, self.program(axis)), self.grid(axis + 3))
                number = binary("+", whole, self.program(axis + 3))
            case "get_global_offset":
                number = num(0)
            case _:  # of a sub-group, whose size is the device's
                what = f"{word} in line {node.lineno}"
                return self.unknown((), what, False, num(0), type=UINT32)
        return Block(cast(UINT64, number))

    def thread(self) -> Term:
        """A thread's number in its block, along x first."""
        number = self.program(5)
        for axis in (4, 3):
            number = binary("+", self.program(axis), binary("*", self.grid(axis), number))
        return number

    def c_thread(self, node: ast.Call, env: Env) -> Value:
        return Block(self.thread())

    def c_threads(self, node: ast.Call, env: Env) -> Value:
        return Block(binary("*", binary("*", self.grid(3), self.grid(4)), self.grid(5)))

    def c_barrier(self, node: ast.Call, env: Env) -> Value:
        """A barrier, if all threads of the block come to it; of any other nothing is known."""
        self.joins += 1
        self.waits += 1
        if not self.is_met():
            self.note_wait(self.site or node)
            return Constant(None)
        self.barriers += 1
        if self.recording:
            self.kernel.joined[self.joins] = self.alive
        self.phase = self.barriers
        return Constant(None)

    def c_maybe(self, node: ast.Call, env: Env) -> Value:
        """A function that is not followed, in which a barrier may stand."""
        self.joins += 1
        return Constant(None)

    def c_shared(self, node: ast.Call, env: Env) -> Value:
        word, element = str(self._text(node.args[0])), self._text(node.args[1])
        sizes = [self.value(a, env) for a in node.args[2:]]
        assert isinstance(element, CType)
        element = self.actual_type(element)
        known = [s.node for s in sizes if isinstance(s, Block) and not s.shape]
        whole = len(known) == len(sizes)
        if word not in self.kernel.shared:
            self.kernel.shared[word] = tuple(known) if whole else ()
            self.used.add(word)
        self.elements[word] = element.packed(self.module.padded)
        return Block(name(word, INT64))


def returns_early(body: list[ast.stmt]) -> bool:
    """Whether a `return` stands anywhere but last."""
    below = (y for s in body[-1:] for x in ast.iter_child_nodes(s) for y in ast.walk(x))
    return returns_inside(body[:-1]) or any(isinstance(x, ast.Return) for x in below)


def _type_of(node: Term) -> CType:
    """The type of a variable whose first value is a number: a constant's is `int`."""
    return CType(WORDS[common([node.type]) or INT])
