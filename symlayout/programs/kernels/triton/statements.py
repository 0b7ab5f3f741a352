"""Triton's statements: assignments, branches both ways, loops with what they carry in closed form."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, replace

from symlayout.expr.machine import INT, INT64, Machine, common
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Range, Span
from symlayout.programs.kernels.conditions import leaves
from symlayout.programs.kernels.nodes import (
    FALSE,
    TRUE,
    TooLarge,
    binary,
    both,
    cast,
    compare,
    either,
    least,
    name,
    negation,
    num,
    put,
    wide,
)
from symlayout.programs.kernels.recurrences import Carried, lost_value, with_marks
from symlayout.programs.kernels.syntax import (
    assigned_names,
    called,
    dotted_name,
    every_node,
    last_word,
    leaves_early,
    returns_inside,
    spoken,
)
from symlayout.programs.kernels.triton.calls import Calls
from symlayout.programs.kernels.triton.expressions import Env
from symlayout.programs.kernels.triton.imports import language_path
from symlayout.programs.kernels.triton.language import CORE
from symlayout.programs.kernels.triton.state import STATEMENTS
from symlayout.programs.kernels.triton.whiles import (
    Counter,
    counter_of,
    counter_of_all,
    with_tests,
)
from symlayout.programs.kernels.values import (
    ANY,
    NUMBER,
    POINTER,
    Block,
    Constant,
    NotUnderstood,
    Opaque,
    Several,
    Value,
    choice,
    named,
)

LOOPS = 6  # inside one another
TASKS = frozenset(["async_task", "async_tasks", "AsyncTaskContext"])
RANGES = frozenset(["range", "static_range"])


@dataclass(frozen=True)
class Loop:
    """A loop's variable, the number of its turn, its counter's value, and how many turns there are."""

    variable: Range
    turn: Term
    value: Term
    turns: Term


class Returns:
    """The values of the function that is being followed, each with its condition."""

    def __init__(self, nested: int) -> None:
        self.values: list[tuple[Term, Value]] = []
        self.nested = nested  # how many loops stand around the call
        self.turned = False  # whether one of them stands in a loop of the function


class Statements(Calls):
    """Follows statements."""

    returns: Returns
    nested = 0
    unrolled = 0  # how many of the loops around are unrolled by the compiler
    marked: dict[str, Value]  # what the marks of loops stand for

    def follow(self, function: ast.FunctionDef, bindings: Env) -> None:
        """Follows a kernel, as far as it is understood."""
        try:
            self.returned_value(function, bindings)
        except (NotUnderstood, TooLarge) as error:
            self.skip(function.lineno, str(error))
        except RecursionError:
            self.skip(function.lineno, "statements that are nested too deeply")

    def returned_value(self, function: ast.FunctionDef, bindings: Env) -> Value:
        """What a function of the file returns, its accesses noted on the way."""
        before, alive, own = getattr(self, "returns", None), self.alive, self.own
        self.marked = getattr(self, "marked", {})
        self.returns = made_here = Returns(self.nested)
        self.own = self._names_of(function)
        try:
            self.block_of(function.body, bindings)
            self._unseen(function)
        finally:
            self.alive, self.own = alive, own
            if before is not None:
                self.returns = before
        if not made_here.values:
            return Constant(None)
        if made_here.turned:
            return Opaque(f"line {function.lineno}: a return inside of a loop")
        value = made_here.values[-1][1]
        for c, v in reversed(made_here.values[:-1]):
            value = choice(c, v, value, TRUE)
        return value

    def _names_of(self, function: ast.FunctionDef) -> frozenset[str]:
        """The names that a function gives a value somewhere, which mean nothing else in it."""
        if id(function) not in self.names:
            self.names[id(function)] = frozenset(assigned_names(function.body))
        return self.names[id(function)]

    def pass_over(self, body: Iterable[ast.stmt]) -> None:
        """Notes that the calls of statements are not reached, or told of otherwise."""
        self.seen |= {id(x) for s in body for x in every_node(s) if isinstance(x, ast.Call)}

    def _unseen(self, function: ast.FunctionDef) -> None:
        """Tells of every call that nobody evaluated, as it may load and store."""
        for s in function.body:
            for x in every_node(s):
                if isinstance(x, ast.Call) and id(x) not in self.seen:
                    self.seen.add(id(x))
                    self.skip(x.lineno, f"{called(x)} is not followed there")

    def block_of(self, body: Iterable[ast.stmt], env: Env) -> None:
        """Follows statements in order; those behind a return are not reached."""
        body = list(body)
        for k, statement in enumerate(body):
            if self.alive == FALSE:
                self.pass_over(body[k:])
                return
            self.statements += 1
            if self.statements > STATEMENTS:
                raise NotUnderstood(f"more than {STATEMENTS:,} statements")
            self.line = statement.lineno
            if ":=" in self.module.text:
                self._rebind(statement, env)
            self.statement(statement, env)

    def _rebind(self, statement: ast.stmt, env: Env) -> None:
        """Nothing is known of a name that an expression of the statement gives another value."""
        own = [e for e in ast.iter_child_nodes(statement) if isinstance(e, ast.expr)]
        bindings = [x for e in own for x in every_node(e) if isinstance(x, ast.NamedExpr)]
        if bindings:
            why = "a name that is given a value inside of an expression"
            self.skip(statement.lineno, why)
            self.forget((x.target.id for x in bindings), env, f"line {statement.lineno}: {why}")

    def statement(self, node: ast.stmt, env: Env) -> None:
        """Follows one statement."""
        match node:
            case ast.Assign():
                value = self.value(node.value, env)
                for target in node.targets:
                    self.assign(target, value, env)
            case ast.AnnAssign(target=ast.Name(id=word), value=ast.expr() as expression) if (
                self.floors and (last_word(node.annotation) == "constexpr")
            ):
                env[word] = self.value(expression, env)
            case ast.AnnAssign():
                if node.value is not None:
                    self.assign(node.target, self.value(node.value, env), env)
            case ast.AugAssign():
                operation = ast.BinOp(_read(node.target), node.op, node.value)
                self.assign(node.target, self.value(ast.copy_location(operation, node), env), env)
            case ast.Expr():
                self.value(node.value, env)
            case ast.If():
                self.branch(node, env)
            case ast.For():
                self.loop(node, env)
            case ast.While():
                self.while_loop(node, env)
            case ast.Return():
                value = Constant(None) if node.value is None else self.value(node.value, env)
                value = self.handed_back(value, node.lineno) if self.floors else value
                self.returns.values.append((self.alive, value))
                self.returns.turned |= self.nested > self.returns.nested
                self.alive = FALSE
            case ast.Continue() | ast.Break():
                if isinstance(node, ast.Continue):
                    self.continued.append(dict(env))
                self.alive = FALSE
            case ast.Pass() | ast.Assert():
                pass
            case ast.Raise() if self.floors:  # no kernel is made of what comes there
                self.pass_over([node])
                self.alive = FALSE
            case ast.With() if all(map(_is_task, node.items)):
                self.pass_over([ast.Expr(i.context_expr) for i in node.items])
                self.block_of(node.body, env)
            case _:
                self.skip(node.lineno, f"a statement {type(node).__name__.lower()}")
                self.forget(assigned_names([node]), env, f"line {node.lineno}: not followed")
                self.pass_over([node])
                if leaves_early([node]):
                    self.inexact = f"line {node.lineno}: what is not followed there may return"

    def assign(self, target: ast.expr, value: Value, env: Env) -> None:
        """Gives names their values."""
        if isinstance(target, ast.Name):
            env[target.id] = named(value) if self.floors else value
        elif isinstance(target, (ast.Tuple, ast.List)):
            fits = isinstance(value, Several) and len(value.parts) == len(target.elts)
            fits = fits and not any(isinstance(t, ast.Starred) for t in target.elts)
            for k, t in enumerate(target.elts):
                if isinstance(value, Several) and fits:
                    self.assign(t, value.parts[k], env)
                else:
                    why = value.why if isinstance(value, Opaque) else "several values"
                    part = Opaque(f"line {target.lineno}: {why}", address=self.address(value))
                    self.assign(t, part, env)
        elif isinstance(target, ast.Starred):
            rest = Opaque(f"line {target.lineno}: several values", address=self.address(value))
            self.assign(target.value, rest, env)
        else:  # a part of what may have several names
            why = f"line {target.lineno}: a part of it is given a value"
            self.skip(target.lineno, "a part that is given a value")
            self.forget([n for n, v in env.items() if isinstance(v, Several)], env, why)

    def forget(self, names: Iterable[str], env: Env, why: str) -> None:
        """Nothing is known of these names any more."""
        for n in names:
            env[n] = Opaque(why)

    # -- branches ---------------------------------------------------------------------------------

    def branch(self, node: ast.If, env: Env) -> None:
        """Follows both ways, unless the condition is decided."""
        c = self.test(node.test, env)
        if c.shape:
            self.skip(node.lineno, "a branch on a block")
            word = self.fresh("branch")
            c = Block(self.flag(word, f"line {node.lineno}: a branch", True))
            self.fixed.discard(word)
        start = self.alive
        self.alive = both(start, c.node)
        entered, first = self.alive, dict(env)
        if entered != FALSE:
            self.block_of(node.body, first)
        else:
            self.pass_over(node.body)
        one = self.alive
        self.alive = both(start, negation(c.node))
        self.turn_back()
        other_entered, second = self.alive, dict(env)
        if other_entered != FALSE:
            self.block_of(node.orelse, second)
        else:
            self.pass_over(node.orelse)
        other = self.alive
        if one == entered and other == other_entered:
            self.alive = start
        else:
            self.alive = either(one, other)
        if one == FALSE or other == FALSE:
            env.update(second if one == FALSE else first)
            return
        for n in dict.fromkeys([*first, *second]):
            if n in first and n in second:
                env[n] = choice(c.node, first[n], second[n], c.known)
            else:
                env[n] = first[n] if n in first else second[n]

    def turn_back(self) -> None:
        """The second way of a branch begins where the first one began."""

    # -- loops ------------------------------------------------------------------------------------

    def loop(self, node: ast.For, env: Env) -> None:
        """`for x in range(...)`: once for all turns, what is carried in closed form."""
        names = assigned_names([node])
        loop = None if node.orelse else self._range(node, env)
        if loop is None or self.nested >= LOOPS:
            self.skip(node.lineno, f"a loop over {spoken(node.iter)}")
            self._skip_loop(node, names, env)
            return
        assert isinstance(node.target, ast.Name)
        assert isinstance(node.iter, ast.Call)
        unrolled = dotted_name(node.iter.func).split(".")[-1] == "static_range"
        self.unrolled += unrolled
        try:
            self.loop_body(node, env, loop, {node.target.id: Block(loop.value)})
        finally:
            self.unrolled -= unrolled

    def _skip_loop(self, node: ast.For | ast.While, names: set[str], env: Env) -> None:
        """A loop that is not followed: nothing is known of what it changes, nor whether it returns."""
        self.pass_over([node])
        self.forget(names, env, f"line {node.lineno}: a loop that is not followed")
        if returns_inside([node]):
            self.inexact = f"line {node.lineno}: a return inside of the loop"

    def _range(self, node: ast.For, env: Env) -> Loop | None:
        """A loop over a range."""
        call = node.iter
        if not (isinstance(call, ast.Call) and isinstance(node.target, ast.Name)):
            return None
        called = dotted_name(call.func)
        module, _, last = language_path(self.module, called).rpartition(".")
        if called.split(".")[0] in {*env, *self.own, *self.module.own} or not call.args:
            return None
        if called != "range" and not (module in CORE and last in RANGES):
            return None
        own = None if last == "static_range" else INT  # a turn is a number, or of run time
        words = ("arg1", "arg2", "step")
        args = self.arguments(call, words)
        self.seen.add(id(call))
        ends = {w: self.block(self.value(args[w], env), node.lineno) for w in words if w in args}
        if len(call.args) > 3 or any(e.shape for e in ends.values()):
            return None
        low, high = num(0), ends["arg1"].node
        if "arg2" in ends:
            low, high = high, ends["arg2"].node
        step = ends["step"].node if "step" in ends else num(1)
        word = self.fresh(node.target.id)
        kind = common([low.type, high.type, step.type, own])
        self.note_ends(node.lineno, low, high)
        if step.value == 1:
            plain = low.value == 0 and self.nonnegative(high)
            top = high if plain or goes_up(low, high, self) else binary("max", low, high)
            variable = name(word, kind)
            turn = binary("-", variable, low)
            return Loop(Range(word, low, top), turn, variable, binary("-", top, low))
        less = step.value is not None and step.value < 0
        if step.op == "-" and step.args[0].value == 0 and self.nonnegative(step.args[1]):
            less, low, high, down = True, high, low, step.args[1]
        elif step.value is not None and step.value < 0:
            low, high, down = high, low, num(-step.value)
        elif step.value != 0 and self.nonnegative(step):
            down = step
        else:
            return None
        length = binary("-", high, low)
        if not (low.value == 0 and self.nonnegative(high)):
            length = binary("max", length, num(0))
        turns = self.turns(length, down, compare("<", low, high))
        turn = name(word, kind)
        begin, sign = (high, "-") if less else (low, "+")
        value = binary(sign, begin, binary("*", turn, down))
        within = compare(">", value, low) if sign == "-" else compare("<", value, high)
        counter = Range(word, num(0), turns, within=within)
        if own and (sign == "+" or not self.stays(low, down)):
            kind = self.counter_type(call, kind)
            self.note_counter(node.lineno, counter, begin, down, kind, sign)
        return Loop(counter, turn, value, turns)

    def turns(self, length: Term, step: Term, begins: Term) -> Term:
        """How many turns a loop has; one whose step is 0 has no end, unless it has no turn at all.

        Where that may be, it has to be shown that it is not, and no turn counts by a quotient by 0.
        """
        if self.least(step) > 0:
            return binary("cdiv", length, step)
        if step.unknowns:
            self.skip(self.line, "a loop whose step may be 0")
        elif self.recording:
            guard = self.certain() if begins.unknowns else both(self.certain(), begins)
            place = Access("step", "", step, (), Span(self.line), guard, self.around(step, guard))
            self.kernel.divisors.setdefault((step, guard), place)
        return binary("cdiv", length, binary("max", step, num(1)))

    def least(self, node: Term) -> int:
        """What a value is at least, at least 0; a parameter of which no condition around asks is 1."""
        kernel = self.kernel
        mentions = {*kernel.flags, *self.alive.names} | self.signed | self.zero
        plain = {*kernel.parameters, *kernel.symbols} - mentions | {*kernel.grids.values()}
        return least(node, plain.__contains__, self.known)

    def counter_type(self, loop: ast.Call, otherwise: Machine | None) -> Machine | None:
        """The type of a loop's counter."""
        return otherwise

    def note_ends(self, line: int, *ends: Term) -> None:
        """Notes what a loop runs to: it is computed as everything is."""
        for node in ends:
            if node.args and self.recording:
                span, ranges = Span(line), self.around(node, self.alive)
                end = Access("end", "", node, (), span, self.alive, ranges, self.inexact)
                self.kernel.ends.append(end)

    def stays(self, end: Term, step: Term) -> bool:
        """Whether a counter that goes down to an end is in its type behind the last turn."""
        return step.value == 1 or (self.nonnegative(end) and step.bits <= 32)

    def note_counter(
        self,
        line: int,
        variable: Range,
        low: Term,
        step: Term,
        kind: Machine | None,
        sign: str = "+",
    ) -> None:
        """Notes the value of a counter behind a turn, at which its loop may end."""
        if self.recording and (kind is None or kind.bits < 64):
            self.ranges[variable.word] = variable
            node = self.behind(variable, low, step, kind, sign)
            guard = both(self.alive, wide(variable.within))  # what it computes is claimed beside it
            ranges = self.around(node, guard)
            del self.ranges[variable.word]
            place = Access("counter", "", node, (), Span(line), guard, ranges, self.inexact)
            self.kernel.ends.append(place)

    def behind(
        self, variable: Range, low: Term, step: Term, kind: Machine | None, sign: str = "+"
    ) -> Term:
        """The counter behind a turn, which is computed in its type."""
        turns = binary("*", name(variable.word, INT64), cast(INT64, step))
        return cast(kind, binary(sign, binary(sign, cast(INT64, low), turns), cast(INT64, step)))

    def while_loop(self, node: ast.While, env: Env) -> None:
        """`while v < end: ... v += step` is a loop over a range; of others no one knows how often."""
        if node.orelse or self.nested >= LOOPS:
            self.skip(node.lineno, "a while loop without a counter")
            self._skip_loop(node, assigned_names([node]), env)
            return
        counter, rest = counter_of(node), list[ast.expr]()
        if counter is None:
            counter, rest = counter_of_all(node)
        ends = None if counter is None else self._ends_of(counter, env)
        if counter is None or ends is None:
            self.uncounted(node, env)
            return
        start, step, end = ends
        first, last = (start, end) if counter.sign == "-" else (end, start)
        length = binary("-", first, last)
        length = binary("max", binary("+", length, num(int("=" in counter.op))), num(0))
        turns = self.turns(length, step, compare(counter.op, start, end))
        turn = self.fresh(f"{counter.word}_turn")
        self.note_ends(node.lineno, end)
        value = binary(counter.sign, start, binary("*", name(turn), step))
        variable = Range(turn, num(0), turns, within=compare(counter.op, value, end))
        self.note_counter(node.lineno, variable, start, step, start.type or INT, counter.sign)
        loop = Loop(variable, name(turn), value, turns)
        self.loop_body(with_tests(node, rest), env, loop, {})

    def _ends_of(self, c: Counter, env: Env) -> tuple[Term, Term, Term] | None:
        """A counter's first value, its step and its end."""
        start = env.get(c.word)
        if not isinstance(start, Block) or start.shape:
            return None
        step, end = self.value(c.step, env), self.value(c.end, env)
        if not (isinstance(step, Block) and isinstance(end, Block)) or step.shape or end.shape:
            return None
        if step.node.value == 0 or not self.nonnegative(step.node):
            return None
        return start.node, step.node, end.node

    def uncounted(self, node: ast.While, env: Env) -> None:
        """A loop with any number of turns: in each of them the test is made first."""
        word = self.fresh("turn")
        loop = Loop(Range(word, num(0), num(1 << 63)), name(word), name(word), num(1 << 63))
        self.loop_body(with_tests(node, [node.test]), env, loop, {})

    def loop_body(self, node: ast.For | ast.While, env: Env, loop: Loop, counter: Env) -> None:
        """A loop's body for every turn: first what it carries, then its accesses."""
        line, alive, inexact = node.lineno, self.alive, self.inexact
        body, turns = node.body, loop.turns
        own = assigned_names(body)
        names = [n for n in env if n in own and n not in counter]
        breaks, continued = leaves_early(body), self.continued
        self.ranges[loop.variable.word] = loop.variable
        self.nested += 1
        try:
            carried = self._carried_values(names, body, env, counter, line)
            inside = {**env, **counter}
            inside |= {n: self._at(c, loop.turn, n, line) for n, c in carried.items()}
            if breaks:
                self.inexact = f"line {line}: the loop may end early"
            if leaves(body, ast.Break) or returns_inside(body):
                self._doubt_counter(loop.variable)
            self.block_of(body, inside)
            if breaks and isinstance(node, ast.For) and not leaves(body, ast.Continue):
                self._note_whole_turns(loop.variable)
        finally:
            self.nested -= 1
            self.continued = continued
            del self.ranges[loop.variable.word]
            self.alive, self.inexact = alive, inexact
        if returns_inside(body):
            self.inexact = f"line {line}: a return inside of the loop"
        for n in own:
            c = carried.get(n)
            if c is not None and not (breaks or self.stops(body)):
                env[n] = self._at(c, turns, n, line)
            else:
                last = inside.get(n)
                address = (
                    c.address if c is not None else ANY if last is None else self.address(last)
                )
                env[n] = self._lost(last, n, line, address)
        for n in counter:
            env[n] = Opaque(f"line {line}: {n} behind its loop", address=NUMBER)

    def stops(self, body: list[ast.stmt]) -> bool:
        """Whether a turn may be the last one for a condition that its body has first."""
        return False

    def _doubt_counter(self, variable: Range) -> None:
        """Notes of a loop's counter that it may not come to its last turn."""
        ends = self.kernel.ends
        for k, e in enumerate(ends):
            if e.kind == "counter" and variable in e.ranges:
                ends[k] = replace(e, doubt=e.doubt or self.inexact)

    def _note_whole_turns(self, variable: Range) -> None:
        """Notes that a counter, in its type in a turn, steps behind one that nothing ends early."""
        wide = name(variable.word, INT64)
        ends = self.kernel.ends
        whole = put(self.certain(), lambda x: wide if x.word == wide.word else None)
        for k, e in enumerate(ends):
            if e.kind == "counter" and variable in e.ranges[-1:]:
                ends[k] = replace(e, guard=both(e.guard, whole))

    def _carried_values(
        self, names: list[str], body: list[ast.stmt], env: Env, counter: Env, line: int
    ) -> dict[str, Carried]:
        """How the names change from turn to turn, seen by following the body once."""
        marks = {n: self.fresh(f"{n}_before") for n in names}
        known = {*self.ranges, *self.unknowns} - {list(self.ranges)[-1]}
        known |= {*self.kernel.parameters, *self.kernel.grids.values()}
        inside = {**env, **counter}
        for n, mark in marks.items():
            inside[n] = self._with_address(with_marks(env[n], mark), self.address(env[n]))
            self.marked[mark] = env[n]
        alive, inexact = self.alive, self.inexact
        self.continued = []
        with self.silent():
            self.block_of(body, inside)
        ends = [inside, *self.continued]
        self.alive, self.inexact = alive, inexact
        known |= {*self.kernel.programs.values(), *self.kernel.symbols}
        known |= self.fixed
        levels = self._addresses_carried({n: env[n] for n in marks}, ends)
        return {
            n: Carried(env[n], mark, tuple(e.get(n) for e in ends), known, levels.get(n, ANY))
            for n, mark in marks.items()
        }

    def _at(self, c: Carried, turn: Term, word: str, line: int) -> Value:
        """The value at the beginning of a turn."""
        kind = common([c.before.node.type]) if isinstance(c.before, Block) else INT
        shape = c.before.shape if isinstance(c.before, Block) else ()

        def unknown() -> Term:
            reason = f"line {line}: {word} changes in a loop"
            node = self.unknown(shape, reason, True, type=kind or INT).node
            self.addresses |= {node.word} if c.address != NUMBER else set()
            return node

        value = c.at(turn, unknown)
        return self._lost(c.before, word, line, c.address) if value is None else value

    def _lost(self, value: Value | None, word: str, line: int, address: int) -> Value:
        return self._with_address(lost_value(value, word, line), address)

    def _with_address(self, value: Value, address: int) -> Value:
        """The value, of which it is known whether it may be an address."""
        return replace(value, address=address) if isinstance(value, Opaque) else value

    def _addresses_carried(self, before: Env, ends: list[Env]) -> dict[str, int]:
        """Which names may be addresses in some turn: variables keep their types in a loop.

        Not where the compiler unrolls it, unless no name gets there what it was not before; nor where
        a number may be made of an address.
        """
        levels = {n: self.address(v) for n, v in before.items() if v != Constant(None)}
        after = {n: max(self.address(e[n]) for e in ends if n in e) for n in levels}
        if any(after[n] > max(k, NUMBER if self.unrolled else POINTER) for n, k in levels.items()):
            return {}
        return {} if self.unrolled and len(levels) < len(before) else levels


def _is_task(item: ast.withitem) -> bool:
    """Whether it says by which warps its body is executed, which it is."""
    call = item.context_expr
    word = dotted_name(call.func).split(".")[-1] if isinstance(call, ast.Call) else ""
    return word in TASKS and item.optional_vars is None


def goes_up(low: Term, high: Term, state: Statements) -> bool:
    """Whether a range certainly does not end before it begins: `low + something`."""
    if high.op == "+" and low in high.args:
        other = high.args[1] if high.args[0] == low else high.args[0]
        return state.nonnegative(other)
    return False


def _read(target: ast.expr) -> ast.expr:
    """The target of an assignment as a value."""
    copy = deepcopy(target)  # a name of C's may be a word of Python's
    for x in ast.walk(copy):
        if isinstance(x, (ast.Name, ast.Attribute, ast.Subscript, ast.Starred)):
            x.ctx = ast.Load()
    return copy
