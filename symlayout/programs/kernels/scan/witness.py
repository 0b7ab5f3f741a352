"""Sizes, programs and lanes at which something is so: tried at random, then made small."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING

from symlayout.errors import LayoutError
from symlayout.expr.normal import evaluated
from symlayout.expr.plain import function
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Kernel
from symlayout.programs.kernels.forms import THREADS, Form, form_of
from symlayout.programs.kernels.policy import CUDA_BLOCK, CUDA_GRID
from symlayout.text.once import cached_property
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.programs.kernels.scan.setting import Setting

TRIES = 500
LARGE = (1 << 10, 1 << 12, 1 << 15, 1 << 16, 1 << 18, 1 << 20, 1 << 24)
SIZES = (1, 2, 64, 1024, 4096, 1 << 15, 1 << 16, 1 << 18, 1 << 20, 1 << 24, 1 << 30)
CONSTANTS = (1, 64, 128, 32, 16, 2, 0)
HIGH_AXES = CUDA_GRID[1]  # programs along the second and third axis of a grid
BLOCK = CUDA_BLOCK  # threads in a block
EDGE = 1 << 31
WIDEST = 64  # bits of a number
Env = dict[str, int]
# what sizes of these names are at most: the first that fits
FEW = tuple(
    (regex(word), most)
    for word, most in (
        ("stride", 1 << 62),
        ("top_?k|experts?_per|experts?_used", 64),
        ("head_?(dim|size)|(size|dim)_per_head|dim_?head|^hdim", 1024),
        ("expert|head|group|partial|split|^nh$|num_sms", 1024),
        ("kernel_?(size|[hw]$)|^k[hw]$", 16),
        ("window|dilation|pad", 128),
    )
)


def most_of(word: str) -> int:
    """The largest realistic size of a name.

    >>> most_of("num_heads"), most_of("stride_head") > 2**40
    (1024, True)
    """
    return next((most for name, most in FEW if name.search(word.lower())), 1 << 62)


Run = Callable[[Env], int]


def run_of(node: Term, lanes: Mapping[int, str] | None = None) -> Run:
    """The node as a function to its value in unbounded integers; a condition is true or false.

    It raises KeyError for a name without a value, and `ZeroDivisionError` where there is no value.
    """
    try:
        return function(evaluated(node.written(lanes)), power=_power_of_two)
    except LayoutError:
        return lambda env: _power_of_two(-1)


def _power_of_two(n: int) -> int:
    """The power; of more bits than a number has, a shift has no value."""
    if not 0 <= n < WIDEST:
        raise ZeroDivisionError
    return 1 << n


class Runs:
    """An access as functions, each made when it is first asked for."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.known: dict[Term, Run] = {}

    def value(self, node: Term, env: Env) -> int:
        """The value of a node of the access."""
        return self.run(node)(env)

    def run(self, node: Term) -> Run:
        """The node as a function."""
        if node not in self.known:
            self.known[node] = run_of(node, self.form.lanes)
        return self.known[node]

    @cached_property
    def ranges(self) -> list[tuple[str, Run, Run]]:
        """What is no program id, with its ends."""
        rows = self.form.variables[self.form.programs :]
        return [(w, self.run(a), self.run(b)) for w, a, b in rows]

    @cached_property
    def guards(self) -> list[Run]:
        """The conditions of the access."""
        return [self.run(c) for c in self.form.guard]


class Search(Runs):
    """An access, what is free in it, and the launch that its values have to fit."""

    def __init__(
        self,
        form: Form,
        parameters: tuple[str, ...],
        constants: tuple[str, ...],
        programs: dict[str, int],  # the axis of each
        counts: dict[str, int],  # of how many programs and threads there are
        setting: Setting,
    ) -> None:
        super().__init__(form)
        self.parameters, self.constants = parameters, constants
        self.programs, self.counts = programs, counts
        self.setting = setting

    def complete(self, env: Env, choose: Callable[[int, int], int]) -> Env | None:
        """The assignment with loops, lanes and what is loaded; None where one has no value."""
        assignment = dict(env)
        for word, low, high in self.ranges:
            a, b = low(assignment), high(assignment)
            if b <= a:
                return None
            # what was loaded from anywhere says nothing: 0 is as good as any
            assignment[word] = 0 if a < -EDGE // 2 else choose(a, b)
        return assignment

    def holds(self, env: Env, test: Callable[[Env], bool]) -> bool:
        """Whether the access is executed there, and the test is true."""
        try:
            fits = self.launched(env) and self.setting.allows(env)
            return fits and test(env) and all(c(env) for c in self.guards)
        except (ZeroDivisionError, KeyError):  # a mask may speak of what is not here
            return False

    def launched(self, env: Env) -> bool:
        """Whether the programs and threads are such as can be launched."""
        axes = {axis: env[n] + 1 for n, axis in self.programs.items()}
        for n, axis in self.counts.items():
            if env[n] < axes.get(axis, 1):
                return False
            axes[axis] = env[n]
        threads = 1
        for axis, size in axes.items():
            threads *= size if axis >= THREADS else 1
            if 0 < axis < THREADS and size > HIGH_AXES:
                return False
        return threads <= BLOCK

    def find(
        self, test: Callable[[Env], bool], seed: Sequence[int] = SIZES, large: Collection[str] = ()
    ) -> Env | None:
        """A small assignment at which the access is executed and the test is true.

        The names in `large` are tried with large numbers only.
        """
        random = Random(0)
        sizes = self.setting.sizes
        axes = [axis for n, axis in self.programs.items() if n in large and axis in sizes]
        many = {*large, *(n for axis in axes for n in sizes[axis].names)}
        for _ in range(TRIES):
            try:
                env = self._draw(random, seed, many)
                assignment = env and self.complete(env, lambda a, b: random.choice((a, b - 1)))
            except ZeroDivisionError:
                continue
            if assignment and self.holds(assignment, test):
                return self.smaller(assignment, test)
        return None

    def _draw(self, random: Random, seed: Sequence[int], large: Collection[str]) -> Env | None:
        """Random sizes and programs that the launch may have; None where it has no program."""
        domain = self.setting.facts.domain
        env: Env = {}
        for n in self.parameters:
            env[n] = domain(n).near(min(random.choice(LARGE if n in large else seed), most_of(n)))
        env |= {n: domain(n).near(random.choice(CONSTANTS)) for n in self.constants}
        env = self.setting.settle(env)
        for n, axis in self.programs.items():
            most = HIGH_AXES if axis else LARGE[-1]
            if axis >= THREADS:
                most = random.choice((1, 32, 256, 1024))
            size = self.setting.size(axis, env)
            if size is not None:
                most = min(most, size)
            if most < 1:
                return None
            env[n] = min(random.choice(LARGE if n in large else seed), most) - 1
        return self._with_counts(env)

    def _with_counts(self, env: Env) -> Env:
        """The assignment with how many programs and threads there are along each axis."""
        for n, axis in self.counts.items():
            own = [env[p] + 1 for p, k in self.programs.items() if k == axis]
            size = self.setting.size(axis, env)
            env[n] = max(own, default=1) if size is None else size
        return env

    def smaller(self, env: Env, test: Callable[[Env], bool]) -> Env:
        """The assignment made smaller, the largest number first, then evened out."""
        fixed = self.setting.fixed
        names = [n for n in (*self.parameters, *self.programs) if n not in fixed]
        turns = True
        while turns:
            turns = False
            for n in sorted(names, key=lambda n: -env[n]):
                example = self._trial({**env, n: env[n] // 2}, test) if env[n] > 1 else None
                if example is not None:
                    env, turns = example, True
                    break
        for _ in range(64):
            order = sorted(names, key=lambda n: env[n])
            for low in order[:-1] if env else ():
                most = order[-1]
                trial = {**env, most: env[most] // 2, low: 2 * env[low] or 1}
                if low in self.parameters and trial[low] > most_of(low):
                    continue
                example = self._trial(trial, test) if max(trial[low], 2) < env[most] else None
                if example is not None:
                    env = example
                    break
            else:
                break
        return env

    def _trial(self, env: Env, test: Callable[[Env], bool]) -> Env | None:
        """The assignment with its loops and lanes at an end, where the test is true."""
        if self.setting.sizes or self.setting.fixed:
            env = self._with_counts(self.setting.settle(env))
        ends: tuple[Callable[[int, int], int], ...] = (lambda a, b: b - 1, lambda a, b: a)
        for choose in ends:
            try:
                assignment = self.complete(env, choose)
            except ZeroDivisionError:
                continue
            if assignment is not None and self.holds(assignment, test):
                return assignment
        return None


def search_of(kernel: Kernel, access: Access, setting: Setting, *more: Term) -> Search:
    """What is free in an access, and in more conditions, as a launch has it."""
    form = form_of(kernel, access)
    own = {w for w, _, _ in form.variables}
    used = {n for node in (*access.nodes, *more) for n in node.names} - own
    names = sorted(setting.related(used, kernel.programs))
    constants = tuple(n for n in names if n in kernel.constants)
    programs = {kernel.programs[k]: k for k in sorted(kernel.programs)}
    counts = {n: k for k, n in kernel.grids.items() if n in names}
    rest = tuple(n for n in names if n not in constants and n not in counts)
    return Search(form, rest, constants, programs, counts, setting)
