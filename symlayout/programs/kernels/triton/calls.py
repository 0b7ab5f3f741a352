"""Triton's calls: ids, ranges, loads and stores, block pointers, and functions of the project."""

from __future__ import annotations

import ast
from abc import abstractmethod
from dataclasses import replace

from symlayout.expr.machine import INT, INT64
from symlayout.expr.term import Term
from symlayout.programs.kernels.contract import Element
from symlayout.programs.kernels.nodes import (
    FALSE,
    TRUE,
    binary,
    both,
    cast,
    compare,
    either,
    lane,
    name,
    negation,
    num,
    number_of,
)
from symlayout.programs.kernels.syntax import defaults_of, dotted_name, parameters_of, positional
from symlayout.programs.kernels.triton.expressions import Env
from symlayout.programs.kernels.triton.imports import (
    Builtin,
    at_call,
    language_path,
    may_be_of_star,
    meaning,
)
from symlayout.programs.kernels.triton.language import (
    APPLYING,
    ATOMICS,
    CORE,
    MEMORY,
    MOVING,
    VALUES,
    is_pure,
)
from symlayout.programs.kernels.triton.reductions import Arguments, Reductions
from symlayout.programs.kernels.triton.state import pointer_of
from symlayout.programs.kernels.values import (
    ADDRESS,
    ANY,
    NUMBER,
    POINTER,
    Block,
    BlockPointer,
    Constant,
    Dtype,
    Function,
    NotUnderstood,
    Opaque,
    Several,
    Value,
    known_where,
    named,
    with_new_axis,
    with_rank,
)

INLINED = 12  # functions inside one another
SIGNATURES = {
    "load": ("pointer", "mask", "other", "boundary_check"),
    "store": ("pointer", "value", "mask", "boundary_check"),
    "atomic": ("pointer", "val", "mask"),
    "atomic_cas": ("pointer", "cmp", "val"),
    "advance": ("base", "offsets"),
    "make_block_ptr": ("base", "shape", "strides", "offsets", "block_shape", "order"),
    "make_tensor_descriptor": ("base", "shape", "strides", "block_shape"),
    "cdiv": ("x", "div"),
    "min": ("x", "y"),
    "max": ("x", "y"),
    "swizzle2d": ("i", "j", "size_i", "size_j", "size_g"),
    "expand_dims": ("input", "axis"),
    "cast": ("input", "dtype"),
}
TO_NUMBERS = (Dtype("int64"), Dtype("uint64"))  # what Triton can make an address
# Python's own functions that touch no memory
PLAIN = frozenset(["str", "repr", "print", "type", "isinstance", "float", "abs", "hasattr"])
HELD = ("input", "x", "value", "cond")  # what functions call the argument that they hand on


class Calls(Reductions):
    """Evaluates calls; what the body of a function comes to, whoever follows statements says."""

    depth = 0

    @abstractmethod
    def returned_value(self, function: ast.FunctionDef, bindings: Env) -> Value:
        """What a function of the file returns."""

    def call(self, node: ast.Call, env: Env) -> Value:
        """The value of a call; arguments that are not followed are evaluated all the same."""
        self.seen.add(id(node))
        self.harmless.pop(id(node), None)
        word = dotted_name(node.func)
        root = word.split(".")[0]
        if root in {"", *self.own, *env}:
            return self._of_value(node, env)
        callee, path = meaning(self.module, word), language_path(self.module, word)
        if isinstance(callee, Function):
            return self._function(node, callee, env)
        if isinstance(callee, Builtin):
            return self._language(node, env, f"triton.language.{word}")
        if path:
            return self._language(node, env, path)
        if isinstance(node.func, ast.Name):
            if word in self.module.functions:
                return self._unknown_call(node, env, f"{word} has several definitions")
            if word in self.module.bound or word in self.module.language:
                return self._unknown_call(node, env, f"{word} is not followed")
            if word in PLAIN:
                self.harmless[id(node)] = word
                return self._unknown_call(node, env, f"{word} is not followed")
            if word in ("min", "max") and len(node.args) > 1 and not node.keywords:
                self.harmless[id(node)] = word
                return self._fold(word, node, env)
            if word in ("cdiv", "range", "len", "int", "bool"):
                self.harmless[id(node)] = word
                return self._builtin(word, node, env)
            if not may_be_of_star(self.module, word):
                return self._language(node, env, f"triton.language.{word}")
        return self._unknown_call(node, env, f"{word} is not followed")

    def _of_value(self, node: ast.Call, env: Env) -> Value:
        """The value of a call of what an expression is: a function, or a method of a value."""
        word = dotted_name(node.func)
        if isinstance(node.func, ast.Attribute):
            return self._method(node, node.func, env)
        callee = self.value(node.func, env)
        if isinstance(callee, Function):
            return self._function(node, callee, env)
        return self._unknown_call(node, env, f"{word or 'a call'} is not followed", callee)

    def _language(self, node: ast.Call, env: Env, path: str) -> Value:
        """The value of a call of the function at a path in Triton's modules."""
        module, _, word = path.rpartition(".")
        if is_pure(path):
            self.harmless[id(node)] = word
        if module in CORE and word in ATOMICS:
            return self._atomic(node, env, word)
        method = getattr(self, f"tl_{word}", None)
        if module in CORE and method is not None:
            value: Value = method(node, env)
            return value
        why = f"{dotted_name(node.func) or f'.{word}()'} is not followed"
        if module in CORE and word in APPLYING:
            return self._application(node, env, why)
        return self._unknown_call(node, env, why)

    def note_failure(self, node: ast.expr, why: str) -> None:
        """Tells of a call that is not understood, unless its function touches no memory."""
        if isinstance(node, ast.Call) and id(node) not in self.harmless:
            self.skip(node.lineno, why)

    def _unknown_call(
        self, node: ast.Call, env: Env, why: str, callee: Value | None = None
    ) -> Opaque:
        """What a function returns that is not followed.

        With an address or a function it may load and store anywhere, unless it touches no memory.
        """
        args = [*node.args, *[k.value for k in node.keywords]]
        values = tuple(self.value(a, env) for a in args)
        shape = self.opaque(values[: len(node.args)], why).shape
        values = values if callee is None else (callee, *values)
        pure = self.harmless.get(id(node))
        of_memory = isinstance(node.func, ast.Attribute) and node.func.attr in MEMORY
        if pure is None and (of_memory or any(map(self.reaches, values))):
            self.skip(node.lineno, why)
        address = NUMBER  # what is not followed is operand of already
        if pure is not None and pure not in VALUES:
            address = self.computed_address("+" if pure in MOVING else "", *values)
        why = f"line {node.lineno}: {why}"
        return Opaque(why, shape, address=address, address_type=pure is None)

    def _application(self, node: ast.Call, env: Env, why: str) -> Opaque:
        """What a function returns that applies another one to elements: that is followed once."""
        args = [*node.args, *[k.value for k in node.keywords]]
        values = [self.value(a, env) for a in args]
        pure = any(is_pure(language_path(self.module, dotted_name(a))) for a in args)
        functions = [v for v in values if isinstance(v, Function)]
        reaching = any(self.reaches(v) for v in values if not isinstance(v, Function))
        if len(functions) + pure != 1:
            self.skip(node.lineno, f"{why}, nor which function it applies")
        why = f"line {node.lineno}: {why}"
        element = Opaque(why, address=ADDRESS if reaching else NUMBER)
        for f in functions:
            names = [a.arg for a in parameters_of(f.node) if a.arg not in defaults_of(f.node)]
            self._body(f, self._placed(f, node), dict.fromkeys(names, element))
        return replace(element, shape=self.opaque(tuple(values), why).shape)

    def _builtin(self, word: str, node: ast.Call, env: Env) -> Value:
        if word == "cdiv":
            return self.tl_cdiv(node, env)
        if word == "bool" and len(node.args) == 1:
            return self.test(node.args[0], env)
        if word == "int" and len(node.args) == 1:
            return self.value(node.args[0], env)
        value = self.value(node.args[0], env) if node.args else Constant(None)
        if word == "len" and isinstance(value, Several):
            return Block(num(len(value.parts)))
        return self.opaque((value,), f"line {node.lineno}: {word} is not followed")

    def _function(self, node: ast.Call, called: Function, env: Env) -> Value:
        function = self._placed(called, node)
        names = [a.arg for a in positional(function)]
        if len(node.args) > len(names) or any(isinstance(a, ast.Starred) for a in node.args):
            raise NotUnderstood(f"the arguments of {function.name}")
        bindings: Env = {n: self.value(a, env) for n, a in zip(names, node.args)}
        for k in node.keywords:
            if k.arg is None:
                raise NotUnderstood(f"the arguments of {function.name}")
            bindings[k.arg] = self.value(k.value, env)
        return self._body(called, function, bindings)

    def _body(self, called: Function, function: ast.FunctionDef, bindings: Env) -> Value:
        """What the body of a function returns, which its defaults complete."""
        if self.depth >= INLINED:
            raise NotUnderstood(f"more than {INLINED} functions inside one another")
        defaults, before, own = defaults_of(function), self.module, self.own
        self.depth, self.module, self.own = self.depth + 1, called.module, frozenset()
        try:
            for n in (a.arg for a in parameters_of(function)):
                if n not in bindings:
                    if n not in defaults:
                        raise NotUnderstood(f"{function.name} without {n}")
                    bindings[n] = self.value(defaults[n], {})
            return self.returned_value(function, bindings)
        finally:
            self.depth, self.module, self.own = self.depth - 1, before, own

    def _placed(self, called: Function, node: ast.Call) -> ast.FunctionDef:
        """The function, one of another file as if it stood where it is called."""
        if called.module is self.home:
            return called.node
        key = id(called.node), id(node)
        if key not in self.placed:
            self.placed[key] = at_call(called.node, node)
        return self.placed[key]

    def _method(self, node: ast.Call, func: ast.Attribute, env: Env) -> Value:
        """The value of a method's call: one of a block is the function of that name."""
        value, word = self.value(func.value, env), func.attr
        if isinstance(value, Block) and value.is_constexpr:
            function = "cast" if word == "to" else word
            call = f"tl.{function}({ast.unparse(func.value)}, ...)"
            raise NotUnderstood(f"a constexpr has no method .{word}(): write {call}")
        if word in ("load", "store") and node.args:
            value = self._of_host(value, node.args[0])
        if word in ("load", "store", "gather") and isinstance(value, BlockPointer):
            if word == "gather":
                raise NotUnderstood("a gather through a descriptor")
            args = self.arguments(node, ("offsets", "value"))
            values = {k: self.value(a, env) for k, a in args.items()}  # each may load as well
            offsets = self._scalars(values["offsets"], len(value.block), node.lineno)
            moved = BlockPointer(value.base, value.sizes, value.strides, offsets, value.block, True)
            return self._through(node, word, moved, tuple(range(len(value.block))))
        why = f".{word}() is not followed"
        if not isinstance(value, Block) and self.address(value) == ANY:
            return self._unknown_call(node, env, why, value)
        path = f"triton.language.{word}"
        if is_pure(path):
            self.harmless[id(node)] = word
        if word not in APPLYING and not (is_pure(path) and hasattr(self, f"tl_{word}")):
            return self._unknown_call(node, env, why, value)
        if id(node) not in self.methods:
            of_block = ast.Call(func, [ast.Name("@block", ast.Load()), *node.args], node.keywords)
            self.methods[id(node)] = ast.copy_location(of_block, node)
        return self._language(self.methods[id(node)], {**env, "@block": value}, path)

    def _cast(self, value: Value, to: Value, line: int) -> Value:
        if isinstance(value, Opaque) and isinstance(to, Dtype) and to.machine:
            number = self.unknown(value.shape, value.why, not value.data, type=to.machine)
            if self.address(value) >= ADDRESS or (self.reaches(value) and to in TO_NUMBERS):
                self.addresses.add(number.node.word)
            return number
        if isinstance(value, Block) and to in TO_NUMBERS and self.address(value) == POINTER:
            self.addresses |= value.node.names & self.maybe_arrays
        if not isinstance(value, Block) or not isinstance(to, Dtype):
            address = self.address(value)
            if isinstance(to, Dtype):  # Triton makes no other number of an address
                address = self.computed_address("", value)
            elif isinstance(to, Opaque) and (to.address_type or to.address != NUMBER):
                address = ADDRESS
            return replace(self.opaque((value,), f"line {line}: a cast"), address=address)
        if value.node.is_condition and to.word != "int1":
            value = Block(number_of(value.node), value.shape)
        if to.word == "int1":
            return self.condition(value, line)
        if to.machine:
            return Block(cast(to.machine, value.node), value.shape)
        if to.word == "uint64" and self.nonnegative(value.node):
            return Block(cast(INT64, value.node), value.shape)
        address = self.computed_address("", value)
        return Opaque(f"line {line}: a cast to {to.word}", value.shape, address=address)

    # -- numbers ----------------------------------------------------------------------------------

    def arguments(self, node: ast.Call, names: tuple[str, ...]) -> Arguments:
        """The arguments by name."""
        args = dict(zip(names, node.args))
        if any(k.arg is None for k in node.keywords):
            raise NotUnderstood("arguments by `**`")
        return args | {k.arg: k.value for k in node.keywords if k.arg is not None}

    def axis(self, node: ast.Call, env: Env) -> int:
        """The axis that a call names."""
        argument = self.arguments(node, ("axis",)).get("axis")
        axis = self.number(argument, env) if argument is not None else 0
        if axis is None or not 0 <= axis < 3:
            raise NotUnderstood("an axis that is no number")
        return axis

    def tl_program_id(self, node: ast.Call, env: Env) -> Value:
        return Block(self.program(self.axis(node, env)))

    def tl_num_programs(self, node: ast.Call, env: Env) -> Value:
        return Block(self.grid(self.axis(node, env)))

    def tl_arange(self, node: ast.Call, env: Env) -> Value:
        args = self.arguments(node, ("start", "end"))
        low, high = (self.value(args[k], env) for k in ("start", "end"))
        if not (isinstance(low, Block) and isinstance(high, Block)):
            raise NotUnderstood("arange of what is no number")
        size = binary("-", high.node, low.node)
        return Block(binary("+", lane(0), low.node), (size,))

    def tl_cdiv(self, node: ast.Call, env: Env) -> Value:
        quotient = self._fold("cdiv", node, env)
        word = dotted_name(node.func)
        if word == "cdiv" or language_path(self.module, word) == "triton.cdiv":
            return quotient
        return self.handed_back(quotient, node.lineno)

    def handed_back(self, value: Value, line: int) -> Value:
        """What a function returns: a number of run time, or of some versions' compilers."""
        result = named(value)
        if isinstance(value, Several) and isinstance(result, Several):
            return Several(tuple(self.handed_back(v, line) for v in value.parts))
        if isinstance(value, Block) and isinstance(result, Block) and not value.shape:
            reason = f"line {line}: whether what a function returns is a constant"
            return replace(result, known=self.perhaps(known_where(value), reason))
        return result

    def tl_cast(self, node: ast.Call, env: Env) -> Value:
        args = self.arguments(node, SIGNATURES["cast"])
        to = self.value(args["dtype"], env)
        return self._cast(self.value(args["input"], env), to, node.lineno)

    tl_to = tl_cast

    def tl_minimum(self, node: ast.Call, env: Env) -> Value:
        return named(self._fold("min", node, env))

    def tl_maximum(self, node: ast.Call, env: Env) -> Value:
        return named(self._fold("max", node, env))

    def _fold(self, op: str, node: ast.Call, env: Env) -> Value:
        """The operation on a call's arguments in the order of its signature, of any number of them."""
        args = self.arguments(node, SIGNATURES[op])
        words = [w for w in SIGNATURES[op] if w in args]
        result, *others = [self.value(args[w], env) for w in words]
        values = [result, *others, *[self.value(a, env) for a in node.args[len(words) :]]]
        if len(values) < 2:
            raise NotUnderstood("an argument is missing")
        for v in values[1:]:
            if not (isinstance(result, Block) and isinstance(v, Block)):
                return self.opaque((result, v), f"line {node.lineno}: {op} of data")
            result = self.arithmetic(op, result, v)
        return result

    def tl_where(self, node: ast.Call, env: Env) -> Value:
        args = self.arguments(node, ("condition", "x", "y"))
        c, a, b = (self.value(args[k], env) for k in ("condition", "x", "y"))
        return self.where(self.condition(c, node.lineno), named(a), named(b), node.lineno)

    def tl_full(self, node: ast.Call, env: Env) -> Value:
        args = self.arguments(node, ("shape", "value", "dtype"))
        shape = self.nodes(self.value(args["shape"], env))
        value = self.value(args["value"], env) if "value" in args else Block(num(0))
        to = self.value(args["dtype"], env) if "dtype" in args else Dtype("int32")
        if isinstance(value, Block) and not value.shape and isinstance(to, Dtype) and to.machine:
            return Block(cast(to.machine, value.node), shape)
        if isinstance(value, Constant) and to == Dtype("int1"):
            return Block(TRUE if value.value else FALSE, shape)
        return Opaque(f"line {node.lineno}: a block of data", shape, address=NUMBER)

    def tl_zeros(self, node: ast.Call, env: Env) -> Value:
        args = self.arguments(node, ("shape", "dtype"))
        shape = self.nodes(self.value(args["shape"], env))
        to = self.value(args["dtype"], env) if "dtype" in args else None
        if isinstance(to, Dtype) and to.machine:
            return Block(num(0, to.machine), shape)
        return Opaque(f"line {node.lineno}: a block of data", shape, address=NUMBER)

    def tl_zeros_like(self, node: ast.Call, env: Env) -> Value:
        value = self.value(self.arguments(node, ("input",))["input"], env)
        if not isinstance(value, Block) or pointer_of(value.node, self.arrays) is not None:
            return self.opaque((value,), f"line {node.lineno}: a block of data")
        if value.node.is_condition:
            return Block(FALSE, value.shape)
        return Block(num(0, value.node.type or INT), value.shape)

    def tl_expand_dims(self, node: ast.Call, env: Env) -> Value:
        args = self.arguments(node, SIGNATURES["expand_dims"])
        value, axis = self.value(args["input"], env), self.number(args["axis"], env)
        if isinstance(value, Block) and axis is not None and 0 <= axis <= len(value.shape):
            return with_new_axis(value, axis)
        raise NotUnderstood("expand_dims of data")

    def tl_broadcast_to(self, node: ast.Call, env: Env) -> Value:
        if node.keywords:
            raise NotUnderstood("a shape by keywords")
        value = self.value(node.args[0], env)
        parts = Several(tuple(self.value(a, env) for a in node.args[1:]))
        shape = self.nodes(parts.parts[0] if len(parts.parts) == 1 else parts)
        if not isinstance(value, Block):
            return self.opaque((value,), "")
        return Block(with_rank(value, len(shape)).node, self.common(value.shape, shape))

    def tl_trans(self, node: ast.Call, env: Env) -> Value:
        value, *rest = (self.value(a, env) for a in node.args)
        return self._permutation(value, rest, node)

    tl_permute = tl_trans

    def _permutation(self, value: Value, order: list[Value], node: ast.Call) -> Value:
        """The block with its axes in that order; without one the last two change places."""
        if node.keywords:
            raise NotUnderstood("a permutation by keywords")
        if not isinstance(value, Block):
            return self.transpose(value)
        n = len(value.shape)
        if not order:
            return self.transpose(value, (*range(n - 2), n - 1, n - 2) if n > 1 else None)
        axes = self.nodes(order[0] if len(order) == 1 else Several(tuple(order)))
        return self.transpose(value, tuple(-1 if k.value is None else k.value for k in axes))

    def tl_swizzle2d(self, node: ast.Call, env: Env) -> Value:
        args = self.arguments(node, SIGNATURES["swizzle2d"])
        values = [self.value(args[w], env) for w in SIGNATURES["swizzle2d"]]
        if len(node.args) > 5 or not all(isinstance(v, Block) for v in values):
            raise NotUnderstood("swizzle2d of what is no integer")
        i, j, rows, columns, group = (v.node for v in values if isinstance(v, Block))
        number = binary("+", binary("*", i, columns), j)
        whole = binary("*", group, columns)
        first = binary("*", binary("//", number, whole), group)
        height = binary("min", binary("-", rows, first), group)
        rest = binary("%", number, whole)
        row = binary("+", first, binary("%", rest, height))
        return Several((Block(row), Block(binary("//", rest, height))))

    # -- hints ------------------------------------------------------------------------------------

    def _same(self, node: ast.Call, env: Env) -> Value:
        if node.args:
            return self.value(node.args[0], env)
        operands = [k.value for k in node.keywords if k.arg in HELD]
        return self.value(operands[0], env) if operands else Constant(None)

    tl_max_contiguous = tl_max_constancy = tl_constexpr = _same

    def tl_to_tensor(self, node: ast.Call, env: Env) -> Value:
        return named(self._same(node, env))

    def tl_multiple_of(self, node: ast.Call, env: Env) -> Value:
        value = self._same(node, env)
        by = self.arguments(node, ("input", "values")).get("values")
        number = None if by is None else self.number(by, env)
        operand = self.block(value, node.lineno) if isinstance(value, Opaque) else value
        if isinstance(operand, Block) and not operand.shape and number:
            self.hint("multiple", operand.node, node.lineno, node.col_offset, number)
        return value

    def tl_assume(self, node: ast.Call, env: Env) -> Value:
        if not (node.args or node.keywords):
            raise NotUnderstood("an assumption of nothing")
        c = self.condition(self._same(node, env), node.lineno)
        if not c.shape:
            self.hint("assume", c.node, node.lineno, node.col_offset)
        return Constant(None)

    def tl_static_assert(self, node: ast.Call, env: Env) -> Value:
        for a in (*node.args, *[k.value for k in node.keywords]):
            self.value(a, env)  # what is loaded for it is an access as well
        return Constant(None)

    tl_device_assert = tl_static_print = tl_device_print = tl_debug_barrier = tl_static_assert

    # -- memory -----------------------------------------------------------------------------------

    def _mask(self, args: Arguments, env: Env, line: int) -> Block:
        if "mask" not in args:
            return Block(TRUE)
        return self._as_mask(self.value(args["mask"], env), line)

    def _as_mask(self, value: Value, line: int) -> Block:
        """A value as a mask: where there is none, every lane is taken."""
        if value == Constant(None):
            return Block(TRUE)
        if isinstance(value, Opaque) and value.ways is not None:
            c, *ways = value.ways
            a, b = (self._as_mask(v, line) for v in ways)
            a, b, shape = self.together(a, b)
            return Block(either(both(c, a.node), both(negation(c), b.node)), shape)
        return self.condition(value, line)

    def tl_load(self, node: ast.Call, env: Env) -> Value:
        return self._memory("load", node, SIGNATURES["load"], env)

    def tl_store(self, node: ast.Call, env: Env) -> Value:
        args = self.arguments(node, SIGNATURES["store"])
        if "value" in args:
            self.value(args["value"], env)  # what is loaded there is an access as well
        return self._memory("store", node, SIGNATURES["store"], env)

    def _atomic(self, node: ast.Call, env: Env, word: str) -> Value:
        names = SIGNATURES["atomic_cas" if word == "atomic_cas" else "atomic"]
        args = self.arguments(node, names)
        for operand in ("cmp", "val"):
            if operand in args:
                self.value(args[operand], env)
        return self._memory("atomic", node, names, env)

    def _memory(self, kind: str, node: ast.Call, names: tuple[str, ...], env: Env) -> Value:
        args = self.arguments(node, names)
        if "pointer" not in args:
            raise NotUnderstood(f"a {kind} without a pointer")
        address = self.value(args["pointer"], env)
        mask = self._mask(args, env, node.lineno)
        if isinstance(address, BlockPointer):
            if mask.node != TRUE:
                raise NotUnderstood("a mask beside a block pointer")
            axes = self.value(args.get("boundary_check", ast.Tuple([])), env)
            checked = tuple(-1 if x.value is None else x.value for x in self.nodes(axes))
            if not set(checked) <= set(range(len(address.block))):
                raise NotUnderstood("a boundary check along what is no axis")
            return self._through(node, kind, address, checked)
        if not isinstance(address, Block):
            why = address.why if isinstance(address, Opaque) else "an address that is none"
            self.skip(node.lineno, why)
            shape = address.shape if isinstance(address, Opaque) else ()
            return self._loaded_value(node, (shape, ""))
        other = self.value(args["other"], env) if "other" in args else None
        return self._loaded_value(node, self.record(kind, node, address, mask), mask, other)

    def _loaded_value(
        self,
        node: ast.Call,
        access: tuple[tuple[Term, ...], str],
        mask: Block | None = None,
        other: Value | None = None,
    ) -> Value:
        """What is loaded: any number of its type, or one that the contract bounds.

        Where the mask is false it is `other`, and where there is none anything at all.
        """
        shape, array = access
        reason = f"loaded from {array or 'memory'} in line {node.lineno}"
        element = self.tables.get(array, Element(32, INT))
        whole = element.numbers is not None or (element.bits == 0 and array in self.below)
        if not whole:
            return Opaque(reason, shape, True, address=NUMBER)
        low, high, kind = num(0), self.below.get(array), element.type
        if element.numbers is not None and high is None:
            low, high = num(element.numbers.start), num(element.numbers.stop)
        value = self.unknown(shape, reason, False, low, high, type=kind)
        if element.bits == 64:  # some programs store addresses there
            self.addresses.add(value.node.word)
        if array not in self.below:
            return value
        if mask is None or mask.node == TRUE:
            return value
        if not isinstance(other, Block):
            other = self.unknown(shape, f"{reason} where its mask is false", False, type=kind)
        return self.where(mask, value, other, node.lineno)

    def _through(
        self, node: ast.Call, kind: str, p: BlockPointer, checked: tuple[int, ...]
    ) -> Value:
        """An access through a block pointer, whose `checked` axes are masked by the array's sizes."""
        offset, guard = cast(INT64, p.base.node), self.alive
        for k, (size, stride, start) in enumerate(zip(p.sizes, p.strides, p.offsets)):
            at = binary("+", cast(INT64, start.node), lane(k))
            offset = binary("+", offset, binary("*", at, cast(INT64, stride.node)))
            if k in checked or p.checked:
                if not self.nonnegative(at):
                    guard = both(guard, compare(">=", at, num(0)))
                guard = both(guard, compare("<", at, size.node))
        kind = kind if kind in ("load", "store") else "atomic"
        mask = Block(guard, p.block)
        access = self.record(kind, node, Block(offset, p.block), mask)
        return self._loaded_value(node, access, Block(guard, p.block))

    def _scalars(self, value: Value, count: int, line: int) -> tuple[Block, ...]:
        parts = value.parts if isinstance(value, Several) else (value,)
        if len(parts) != count:
            raise NotUnderstood(f"{len(parts)} numbers for {count} axes")
        return tuple(self.block(p, line) for p in parts)

    def tl_make_block_ptr(self, node: ast.Call, env: Env) -> Value:
        args = self.arguments(node, SIGNATURES["make_block_ptr"])
        return self._block_pointer(args, node, env, False)

    def tl_make_tensor_descriptor(self, node: ast.Call, env: Env) -> Value:
        args = self.arguments(node, SIGNATURES["make_tensor_descriptor"])
        return self._block_pointer(args, node, env, True)

    def _of_host(self, value: Value, offsets: ast.expr) -> Value:
        """A descriptor that is a parameter: its sizes, strides and block have names of their own.

        The last stride is 1, as hardware demands.
        """
        plain = isinstance(value, Block) and value.node.op == "name" and not value.shape
        if not plain or not isinstance(offsets, (ast.List, ast.Tuple)):
            return value
        assert isinstance(value, Block)
        word, n = value.node.word, len(offsets.elts)
        if word not in self.kernel.parameters or word in self.constants:
            return value
        if word not in self.descriptors:
            names = [
                [self.fresh(f"{word}_{part}{k}") for k in range(n)]
                for part in ("shape", "stride", "block")
            ]
            self.kernel.parameters += (*names[0], *names[1][:-1], *names[2])
            self.kernel.constants += tuple(names[2])
            self.kernel.wide += tuple(names[1][:-1])
            strides = [*[Block(name(w, INT64)) for w in names[1][:-1]], Block(num(1))]
            sizes = tuple(Block(name(w)) for w in names[0])
            block = tuple(name(w, None) for w in names[2])
            start = (Block(num(0)),) * n
            base = Block(name(word, INT64))
            descriptor = BlockPointer(base, sizes, tuple(strides), start, block, True)
            self.descriptors[word] = descriptor
        return self.descriptors[word]

    def _block_pointer(self, args: Arguments, node: ast.Call, env: Env, checked: bool) -> Value:
        values = {k: self.value(e, env) for k, e in args.items()}
        base = values["base"]
        if not isinstance(base, Block) or base.shape:
            raise NotUnderstood("a block pointer whose base is no address")
        block = self.nodes(values["block_shape"])
        n = len(block)
        sizes, strides = (self._scalars(values[k], n, node.lineno) for k in ("shape", "strides"))
        offsets = (Block(num(0)),) * n
        if "offsets" in values:
            offsets = self._scalars(values["offsets"], n, node.lineno)
        return BlockPointer(base, sizes, strides, offsets, block, checked)

    def tl_advance(self, node: ast.Call, env: Env) -> Value:
        args = self.arguments(node, SIGNATURES["advance"])
        p, by = self.value(args["base"], env), self.value(args["offsets"], env)
        if not isinstance(p, BlockPointer):
            raise NotUnderstood("advance of what is no block pointer")
        steps = self._scalars(by, len(p.block), node.lineno)
        sums = [self.arithmetic("+", a, b) for a, b in zip(p.offsets, steps)]
        offsets = tuple(self.block(v, node.lineno) for v in sums)
        return BlockPointer(p.base, p.sizes, p.strides, offsets, p.block, p.checked)
