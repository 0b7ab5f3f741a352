"""What is known while a kernel is followed: variables, conditions, unknowns, and what was found."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce

from symlayout.expr.machine import INT, INT64, Machine
from symlayout.expr.term import DIVISIONS, Term
from symlayout.programs.kernels.access import NOT_ZERO, Access, Hint, Kernel, Range, Span
from symlayout.programs.kernels.contract import Element
from symlayout.programs.kernels.forms import RESERVED
from symlayout.programs.kernels.nodes import (
    FALSE,
    TRUE,
    WORDS,
    TooLarge,
    binary,
    both,
    cast,
    compare,
    conjuncts,
    either,
    lane,
    name,
    negation,
    nonnegative,
    num,
    number_of,
    put,
    terms,
    truth,
    under,
    where,
)
from symlayout.programs.kernels.pointers import pointer_first
from symlayout.programs.kernels.pointers import pointer_of as pointer_of
from symlayout.programs.kernels.pointers import ways_of as ways_of
from symlayout.programs.kernels.triton.module import Module as Module
from symlayout.programs.kernels.values import (
    ADDRESS,
    ANY,
    NUMBER,
    POINTER,
    Block,
    BlockPointer,
    Constant,
    Function,
    NotUnderstood,
    Opaque,
    Several,
    Value,
    common_shape,
    known_where,
    with_rank,
)

ONE_BIT = {"+": "^", "-": "^", "*": "&", "min": "&", "max": "|"}  # modulo 2
WAYS = 4  # addresses that one is chosen from
MOVES = frozenset(["+", "-", "where", "cast"])  # what an address is still one after
STATEMENTS = 40_000  # that are followed in one kernel, each as often as it is


class State:
    """A kernel that is being followed."""

    floors = True  # whether `//` and `%` of what the compiler knows round down

    def __init__(self, module: Module, kernel: Kernel, signed: frozenset[str]) -> None:
        self.home: Module = module  # the kernel's file
        self.module: Module = module  # that of the function that is followed
        self.kernel, self.signed = kernel, signed
        self.alive: Term = TRUE  # the condition under which the statement is executed
        self.reached: Term = TRUE  # what `and` and `or` ask before what is evaluated
        self.ranges: dict[str, Range] = {}  # the loops around it
        self.unknowns: dict[str, Range] = {}
        self.fixed: set[str] = set()  # flags, which are the same throughout
        self.continued: list[dict[str, Value]] = []  # what is known at each `continue` of the loop
        self.doubts: dict[str, str] = {}  # of unknowns that are not understood
        self.inexact = ""  # why not all is executed that seems to be
        self.names: dict[int, frozenset[str]] = {}  # that functions give values
        self.own: frozenset[str] = frozenset()  # names that the function gives a value somewhere
        self.recording = True
        self.line = 0  # of the statement that is followed
        self.statements = 0
        self.used = {*kernel.parameters, *RESERVED}
        self.zero: frozenset[str] = frozenset()  # parameters that facts let be less than 1
        self.in_contract: frozenset[str] = frozenset()  # pointers of which the contract speaks
        self.pointers: frozenset[str] = frozenset()  # parameters that are addresses
        self.numbers: frozenset[str] = frozenset()  # parameters that certainly are none
        self.seen: set[int] = set()  # calls that were evaluated, or are never reached
        self.harmless: dict[int, str] = {}  # calls of functions that touch no memory, which ones
        self.methods: dict[int, ast.Call] = {}  # calls of methods as those of functions
        self.addresses: set[str] = set()  # unknowns that may be addresses
        self.descriptors: dict[str, BlockPointer] = {}  # that are parameters
        self.powers: dict[Term, Term] = {}  # the next powers of two
        self.placed: dict[tuple[int, int], ast.FunctionDef] = {}  # by function and by call
        self.doubtful: dict[str, str] = {}  # flags for what some compilers know, why
        self.below: Mapping[str, Term] = {}  # of arrays: their numbers are less than that
        self.tables: Mapping[str, Element] = {}  # of arrays in the contract

    # -- names ------------------------------------------------------------------------------------

    def fresh(self, word: str) -> str:
        """A name that nothing has."""
        candidate, k = word, 1
        while candidate in self.used:
            k += 1
            candidate = f"{word}{k}"
        self.used.add(candidate)
        return candidate

    def program(self, axis: int) -> Term:
        """The program id along an axis."""
        if axis not in self.kernel.programs:
            self.kernel.programs[axis] = self.fresh(f"pid{axis}" if axis else "pid")
        return name(self.kernel.programs[axis])

    def grid(self, axis: int) -> Term:
        """How many programs there are along an axis."""
        self.program(axis)
        if axis not in self.kernel.grids:
            self.kernel.grids[axis] = self.fresh(f"grid{axis}")
        return name(self.kernel.grids[axis])

    def known(self, leaf: Term) -> bool:
        """Whether a leaf, or a divisor that is noted, is certainly not below 0."""
        if leaf.op == "lane" or self._divides(leaf):
            return True
        variable = self.unknowns.get(leaf.word) or self.ranges.get(leaf.word)
        if variable is not None:
            return nonnegative(variable.low, self.known)
        return leaf.op == "name" and leaf.word not in self.signed

    def _divides(self, node: Term) -> bool:
        """Whether it is noted as a divisor where what is followed here is executed."""
        divisors = self.kernel.divisors.items()
        noted = [c for (n, c), place in divisors if n == node and place.kind != NOT_ZERO]
        return bool(noted) and any({*conjuncts(c)} <= {*conjuncts(self.alive)} for c in noted)

    def certain(self) -> Term:
        """The condition under which the statement is executed, less what depends on unknowns."""
        return reduce(both, [c for c in conjuncts(self.alive) if not c.unknowns], TRUE)

    def nonnegative(self, node: Term) -> bool:
        """Whether a value is certainly not below 0."""
        return nonnegative(node, self.known)

    def above(self, node: Term) -> bool:
        """Whether a sum is certainly not below 0: `1 + n - 1`."""
        if self.nonnegative(node):
            return True
        parts = [(t, sign) for t, sign in terms(node) if t.op != "num"]
        number = sum(t.number * sign for t, sign in terms(node) if t.op == "num")
        return number >= 0 and all(sign > 0 and self.nonnegative(t) for t, sign in parts)

    # -- unknowns ---------------------------------------------------------------------------------

    def unknown(
        self,
        shape: tuple[Term, ...],
        reason: str,
        doubt: bool,
        low: Term | None = None,
        high: Term | None = None,
        word: str = "",
        type: Machine | None = INT,
    ) -> Block:
        """A value that nothing is known of but its range; `doubt`: because it is not understood."""
        key = word or self.fresh(f"value{len(self.unknowns) + 1}")
        edge = 1 << (WORDS if type == INT else 63)
        low = num(-edge) if low is None else low
        self.unknowns[key] = Range(key, low, num(edge) if high is None else high, reason)
        if doubt:
            self.doubts[key] = reason
        lanes = tuple(lane(k) for k, d in enumerate(shape) if d.value != 1)
        return Block(Term("unknown", lanes, key, type=type), shape)

    def flag(self, word: str, reason: str, doubt: bool = False) -> Term:
        """A condition that nothing is known of: the same for the same name."""
        if word not in self.unknowns:
            self.used.add(word)
            self.fixed.add(word)
            self.unknown((), reason, doubt, num(0), num(2), word)
        return flag_of(word)

    def perhaps(self, known: Term, reason: str) -> Term:
        """That condition, or never: Triton's versions differ in whether their compiler knows it."""
        if known == FALSE:
            return FALSE
        word = self.fresh("known")
        self.doubtful[word] = reason
        return both(known, flag_of(word))

    def note_doubts(self, c: Term) -> None:
        """Notes the flags of `perhaps` in a condition as what is not known."""
        for x in sorted(c.unknowns, key=lambda x: x.word):
            self.flag(x.word, self.doubtful[x.word], True)

    def block(self, value: Value, line: int) -> Block:
        """The value as integers; what is not followed is an unknown."""
        if isinstance(value, Block):
            return value
        if isinstance(value, Opaque):
            number = self.unknown(value.shape, value.why, not value.data)
            self.addresses |= {number.node.word} if self.reaches(value) else set()
            return number
        if isinstance(value, Constant) and isinstance(value.value, bool):
            return Block(num(int(value.value)))
        return self.unknown((), f"line {line}: a value that is no integer", True)

    def condition(self, value: Value, line: int) -> Block:
        """The value as a condition."""
        if isinstance(value, Opaque):
            block = self.unknown(value.shape, value.why, not value.data, num(0), num(2))
        elif isinstance(value, Constant):
            return Block(TRUE if value.value else FALSE, known=TRUE)
        else:
            block = self.block(value, line)
        self.ask(block.node)
        return Block(truth(block.node), block.shape, known_where(block))

    def ask(self, node: Term) -> None:
        """Notes that it matters whether a parameter is 0."""
        if node.op == "name" and node.word in self.kernel.parameters:
            self.kernel.flags.add(node.word)

    def reaches(self, value: Value) -> bool:
        """Whether whoever gets it may come to memory by it."""
        return self.address(value) != NUMBER

    def address(self, value: Value) -> int:
        """Whether a value may be an address, or contain one: a parameter not known as a number may."""
        match value:
            case Several(parts):
                return max(map(self.address, parts), default=NUMBER)
            case Block(node):
                return self._address(node)
            case Opaque(ways=(_, one, other)):
                return max(self.address(one), self.address(other))
            case Opaque():
                return value.address
        return ANY if isinstance(value, (BlockPointer, Function)) else NUMBER

    def _address(self, node: Term) -> int:
        if node.op in ("name", "unknown"):
            if node.word in self.addresses:
                return ADDRESS
            return POINTER if node.op == "name" and node.word in self.maybe_arrays else NUMBER
        if node.is_condition:
            return NUMBER
        parts = node.args[1:] if node.op == "where" else node.args
        of_parts = max(map(self._address, parts), default=NUMBER)
        return of_parts if node.op in MOVES else _as_number(of_parts)

    @property
    def maybe_arrays(self) -> frozenset[str]:
        """The parameters that may be addresses."""
        return self.arrays - self.numbers

    def computed_address(self, op: str, *values: Value) -> int:
        """Whether an operation on values may make an address: one of Triton's is added to alone."""
        of_values = max(map(self.address, values), default=NUMBER)
        return min(of_values, ADDRESS) if op in MOVES else _as_number(of_values)

    # -- arithmetic -------------------------------------------------------------------------------

    def arithmetic(self, op: str, a: Block, b: Block) -> Value:
        """The operation on two blocks: Python's where the compiler knows both, else a machine's."""
        result = self._arithmetic(op, a, b)
        if not isinstance(result, Opaque):
            return result
        return replace(result, address=self.computed_address(op, a, b))

    def _arithmetic(self, op: str, a: Block, b: Block) -> Value:
        where_known = both(known_where(a), known_where(b)) if self.floors else FALSE
        if where_known in (TRUE, FALSE):
            result = self.computed(op, a, b, where_known == TRUE)
            return replace(result, known=where_known) if isinstance(result, Block) else result
        if a.node.is_condition and b.node.is_condition and op not in ("&", "|", "^"):
            return Opaque("arithmetic of conditions that the compiler may know")
        result = self.computed(op, a, b, False)
        a, b = under_ones(a, where_known), under_ones(b, where_known)
        plain = self.computed(op, a, b, True)
        if not (isinstance(result, Block) and isinstance(plain, Block)):
            return result
        node = result.node
        rounds = op in ("//", "%", "cdiv") and not (self.above(a.node) and self.above(b.node))
        if leaves_32(plain.node) or (rounds and differs(under_ones(result, where_known), plain)):
            self.note_doubts(where_known)
            node = where(where_known, plain.node, node)
        return Block(node, result.shape, where_known)

    def computed(self, op: str, a: Block, b: Block, known: bool) -> Value:
        """The operation on two blocks; `//` and `%` of run-time values round towards 0.

        Where the dividend is not below 0 that is floor division, unless the divisor is: what may be
        is noted, as it has to be shown.
        """
        try:
            a, b, shape = self.together(a, b)
            if a.node.is_condition and b.node.is_condition:
                if op in ("&", "|", "^"):
                    return Block(self._logical(op, a.node, b.node), shape)
                if self.floors:
                    return self._of_one_bit(op, a.node, b.node, shape, known)
            x, y = number_of(a.node), number_of(b.node)
            if op == "+" and pointer_of(y, self.pointers) and not pointer_of(x, self.pointers):
                x, y = y, x  # an address begins with what it is one of
            if op == "-" and self.floors and b.node.is_condition and pointer_of(x, self.pointers):
                op = "+"  # of one bit the negative is the number itself
            if op not in ("<<", ">>"):
                x, y = self.usual(op, x, y)
            if op in ("//", "%") and not known:
                if not self.nonnegative(x):
                    op = {"//": "/", "%": "rem"}[op]
                elif not self.nonnegative(y):
                    if any(n.op in ("lane", "unknown") for n in y.leaves):
                        op = {"//": "/", "%": "rem"}[op]
                    else:
                        self._divisor(y)
            if op in DIVISIONS:
                self.note_divisor(y, shape)
            if op == "cdiv" and not (self.nonnegative(y) and (known or self.nonnegative(x))):
                # Triton's own definition, which rounds towards 0 where it runs
                whole = binary("+", x, binary("-", y, num(1)))
                return Block(binary("//" if known else "/", whole, y), shape)
            if op in ("<<", ">>"):
                if y.value is None:
                    return self._shift(op, x, y, shape)
                if not 0 <= y.value < WORDS:
                    return Opaque("a shift by what is no number", shape)
                op = "*" if op == "<<" else "//"
                return Block(binary(op, *self.usual(op, x, num(1 << y.value))), shape)
            return Block(binary(op, x, y), shape)
        except (NotUnderstood, TooLarge) as error:
            return Opaque(str(error))
        except ZeroDivisionError:
            return Opaque("a division by 0")

    def _divisor(self, y: Term) -> None:
        """Notes what divides and has to be above 0, and when it does."""
        guard = self.certain()
        place = Access("", "", y, (), Span(self.line), guard, self.around(y, guard), self._vague())
        if (noted := self.kernel.divisors.get((y, guard))) is None or noted.kind == NOT_ZERO:
            self.kernel.divisors[y, guard] = place

    def note_divisor(self, y: Term, shape: tuple[Term, ...]) -> None:
        """Notes what must not be 0, and when: a quotient is computed also where it is not used."""
        every = both(self.alive, self.reached)
        if not self.recording or y.value not in (None, 0) or y.unknowns or every == FALSE:
            return
        guard = reduce(both, [c for c in conjuncts(every) if not c.unknowns], TRUE)
        span, ranges = Span(self.line), self.around(y, guard)
        place = Access(NOT_ZERO, "", y, shape, span, guard, ranges, self._vague())
        self.kernel.divisors.setdefault((y, guard), place)

    def _vague(self) -> str:
        """Why what is computed here may not be: the conditions that are left out of `certain`."""
        vague = any(c.unknowns for c in conjuncts(both(self.alive, self.reached)))
        return self.inexact or ("what is not known decides whether it is computed" if vague else "")

    def _shift(self, op: str, x: Term, y: Term, shape: tuple[Term, ...]) -> Value:
        """A shift by a parameter, which has to be shown to be less than the bits of what is shifted.

        What 64 bits lose at their upper end is not followed.
        """
        kernel, why = self.kernel, Opaque("a shift by what is no number", shape)
        plain = y.op == "name" and y.word in kernel.parameters and y.bits <= 32
        if not plain or y.word in {*kernel.wide, *self.pointers}:
            return why
        if x.type is None and (y.type or kernel.language != "triton"):
            if x.op == "num" and not 0 <= x.number < 1 << WORDS:
                return why
            x = num(x.number, INT) if x.op == "num" else cast(INT, x)
        if op == ">>":
            x, _ = self.usual("//", x, num(2))
        elif x.bits > 32:
            return why
        self.note_shift(y, x.bits)
        return Block(binary(op, x, y), shape)

    def note_shift(self, count: Term, bits: int) -> None:
        """Notes a shift by a parameter, which has to be less than `bits`."""
        self.kernel.shifts.setdefault((count, bits), Span(self.line))

    def power(self, a: Block, b: Block, line: int) -> Value:
        """`a ** b` of numbers that the compiler knows; of 2 it is a shift."""
        if a.node.op == b.node.op == "num" and 0 <= b.node.number < 64 and a.node.type is None:
            return Block(num(a.node.number**b.node.number))
        if a.node == num(2) and b.node.op == "name" and b.node.type is None:
            return self._shift("<<", num(1), b.node, ())
        return Opaque(f"line {line}: a power", common_shape(a.shape, b.shape), address=NUMBER)

    def usual(self, op: str, x: Term, y: Term) -> tuple[Term, Term]:
        """The operands in the type that both are converted to."""
        return x, y

    def comparison(self, op: str, x: Term, y: Term) -> Term:
        """The comparison of two numbers."""
        return compare(op, *self.usual(op, x, y))

    def _of_one_bit(self, op: str, a: Term, b: Term, shape: tuple[Term, ...], known: bool) -> Value:
        """Arithmetic of two conditions, which Triton does in one bit, without a sign.

        Conditions of the compiler's are Python's numbers, unless a name has made them one bit.
        """
        if known or not (a.is_run_time or b.is_run_time):
            return Opaque("arithmetic of conditions that the compiler knows", shape)
        if op not in ONE_BIT:
            return Opaque(f"{op} of conditions", shape)
        return Block(self._logical(ONE_BIT[op], a, b), shape)

    @staticmethod
    def _logical(op: str, a: Term, b: Term) -> Term:
        if op == "&":
            return both(a, b)
        if op == "|":
            return either(a, b)
        return either(both(a, negation(b)), both(negation(a), b))

    # -- shapes -----------------------------------------------------------------------------------

    def common(self, *shapes: tuple[Term, ...]) -> tuple[Term, ...]:
        """The shape that blocks are broadcast to; that sizes written otherwise are equal is noted.

        Were one of them 1, the block would be repeated along that axis.
        """
        shape = common_shape(*shapes)
        for s in shapes:
            for d, size in zip(reversed(s), reversed(shape)):
                if d != size and d.value != 1:
                    self.hint("equal", compare("==", d, size), self.line)
        return shape

    def together(self, a: Block, b: Block) -> tuple[Block, Block, tuple[Term, ...]]:
        """Two blocks of one rank, and the shape they are broadcast to."""
        shape = self.common(a.shape, b.shape)
        return with_rank(a, len(shape)), with_rank(b, len(shape)), shape

    def lanewise(self, join: Callable[[Term, Term], Term], a: Block, b: Block) -> Block:
        """Two conditions as one, lane by lane."""
        a, b, shape = self.together(a, b)
        return Block(join(a.node, b.node), shape)

    def hint(self, kind: str, node: Term, line: int, column: int = 0, number: int = 0) -> None:
        """Notes what has to be true there."""
        if self.recording:
            place = Span(line, column)
            guard = self.certain()
            hint = Hint(kind, node, place, number, self.around(node, guard), guard)
            if all((h.kind, h.node, h.span.line) != (kind, node, line) for h in self.kernel.hints):
                self.kernel.hints.append(hint)

    # -- what is found ----------------------------------------------------------------------------

    def skip(self, line: int, why: str) -> None:
        """Notes a line that is not understood."""
        if self.recording:
            self.kernel.skipped.setdefault(line, why)

    def note_written(self, node: ast.expr, value: Value) -> None:
        """Notes the value of an expression that the kernel's own file has in one line."""
        if self.recording and isinstance(value, Block) and self.module is self.home:
            line, end = getattr(node, "lineno", 0), getattr(node, "end_col_offset", None)
            if line and end and node.end_lineno == line:
                self.kernel.written[Span(line, node.col_offset, end)] = value.node

    def record(
        self, kind: str, node: ast.expr, address: Block, mask: Block
    ) -> tuple[tuple[Term, ...], str]:
        """Notes an access; the shape of what is loaded, and the array.

        Of an address that is chosen from several arrays each has its own access.
        """
        ways = ways_of(address.node)
        if len({w for _, w, _ in ways}) > 1 and len(ways) <= WAYS:
            shape = address.shape
            for c, _, one in ways:
                seen = Block(both(c, mask.node), self.common(address.shape, mask.shape))
                shape, _ = self.record(kind, node, Block(one, address.shape), seen)
            return shape, ""
        shape = self.common(address.shape, mask.shape)
        address, mask = with_rank(address, len(shape)), with_rank(mask, len(shape))
        pointer = pointer_of(address.node, self.arrays)
        if pointer is None:
            address = replace(address, node=pointer_first(address.node, self.arrays))
            pointer = pointer_of(address.node, self.arrays)
        if pointer is None:
            self.skip(node.lineno, "an address that begins at no parameter")
            return shape, ""
        guard = both(self.alive, mask.node)
        offset = put(address.node, lambda x: num(0, INT64) if x == pointer else None)
        wide = {*self.kernel.wide}
        again = [
            x.word
            for x in offset.leaves
            if x.op == "name" and x.word in self.kernel.parameters
            if x.word == pointer.word or (x.type == INT64 and x.word not in wide)
        ]
        if again:
            reason = f"an address in which {again[0]} occurs beside {pointer.word}"
            self.skip(node.lineno, reason)
            return shape, ""
        self.note_access(kind, node, pointer.word, offset, shape, guard)
        return shape, pointer.word

    @property
    def arrays(self) -> frozenset[str]:
        """The names that may be addresses."""
        return frozenset(self.kernel.parameters) - self.constants

    @property
    def constants(self) -> frozenset[str]:
        """The parameters that the compiler knows."""
        return frozenset(self.kernel.constants)

    def note_access(
        self,
        kind: str,
        node: ast.expr,
        array: str,
        offset: Term,
        shape: tuple[Term, ...],
        guard: Term,
    ) -> None:
        """Notes an access to an array."""
        if not self.recording:
            return
        offset = under(offset, frozenset(conjuncts(guard)))
        words = self._unknown_in(offset, guard, *shape)
        doubts = [self.doubts[w] for w in sorted(words) if w in self.doubts]
        end = node.end_col_offset or 0
        if node.end_lineno != node.lineno:
            end = node.col_offset + 1
        access = Access(
            kind,
            array,
            cast(INT64, offset) if offset.type is None else offset,
            shape,
            Span(node.lineno, node.col_offset, end),
            guard,
            self.around(offset, guard, *shape),
            doubts[0] if doubts else self.inexact,
            " ".join(self.home.source(node).split()),
        )
        self.kernel.accesses.append(self.between_barriers(access))

    def between_barriers(self, access: Access) -> Access:
        """The access with what a language knows of the order in which it is executed."""
        return access

    def around(self, *nodes: Term) -> tuple[Range, ...]:
        """The loops around the statement, and the unknowns in them and in nodes."""
        words = sorted(self._unknown_in(*nodes))
        return (*self.ranges.values(), *[self.unknowns[w] for w in words])

    def _unknown_in(self, *nodes: Term) -> set[str]:
        """The unknowns in nodes, in the ranges of the loops around, and in their own ranges."""
        words: set[str] = set()
        waiting = [*nodes, *[e for r in self.ranges.values() for e in (r.low, r.high)]]
        while waiting:
            for x in waiting.pop().unknowns:
                if x.word not in words and x.word in self.unknowns:
                    words.add(x.word)
                    waiting += [self.unknowns[x.word].low, self.unknowns[x.word].high]
        return words

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Nothing is noted inside."""
        before, self.recording = self.recording, False
        try:
            yield
        finally:
            self.recording = before


def _as_number(address: int) -> int:
    """What is left of an address in arithmetic: Triton has none of its own addresses."""
    return ADDRESS if address > POINTER else NUMBER


def flag_of(word: str) -> Term:
    """The condition that a flag is set."""
    return compare("!=", Term("unknown", (), word, type=INT), num(0))


def under_ones(b: Block, c: Term) -> Block:
    """The block where arguments are 1 of which the condition says so, as Python's numbers."""
    ones = {x.args[0] for x in conjuncts(c) if x.op == "==" and x.args[1].value == 1}
    return replace(b, node=put(b.node, lambda x: num(1) if x in ones else None))


def differs(a: Block, b: Block) -> bool:
    """Whether they may be different numbers, of which types do not matter."""
    return a.node != b.node and (a.node.value is None or a.node.value != b.node.value)


def leaves_32(node: Term) -> bool:
    """Whether it is a number that 32 bits do not hold."""
    return node.op == "num" and not -(1 << WORDS) <= node.number < 1 << WORDS
