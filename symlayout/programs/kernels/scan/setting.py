"""What the launches of a file say of sizes, programs and threads: a witness has to fit one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts, Relation
from symlayout.expr.term import Term
from symlayout.expr.terms import value
from symlayout.programs.kernels.access import Kernel
from symlayout.programs.kernels.forms import THREADS
from symlayout.programs.kernels.launches.launch import Launch
from symlayout.programs.kernels.nodes import num
from symlayout.programs.kernels.scan.witness import run_of
from symlayout.text.once import cached_property

MOST = 8  # launches of one kernel that are tried
ROUNDS = 3  # of equations that are followed from one name to the next
AXES = 3


class Setting:
    """One launch of a kernel; without one, nothing is known.

    `sizes` are the counts of programs and threads along the axes that the launch gives.
    """

    def __init__(self, kernel: Kernel, launch: Launch | None = None) -> None:
        self.facts = Facts.read([f.text for f in launch.facts] if launch is not None else None)
        self.sizes: dict[int, Term] = {}
        self.programs = dict(kernel.programs)
        known = frozenset(kernel.parameters)
        for first, sizes in ((0, launch.grid), (THREADS, launch.block)) if launch else ():
            every = () if sizes is None else (*sizes, num(1), num(1))[:AXES]
            self.sizes |= {first + k: n for k, n in enumerate(every) if n.names <= known}

    @cached_property
    def equations(self) -> list[tuple[str, Relation]]:
        """The facts that give a name its value."""
        rows = [r for r in self.facts.relations if r.op == "=="]
        return [(str(r.left), r) for r in rows if r.left.is_Symbol]

    @cached_property
    def fixed(self) -> frozenset[str]:
        """The names whose value follows from others."""
        return frozenset(n for n, _ in self.equations)

    @property
    def numbers(self) -> dict[str, int]:
        """The names that have one value."""
        return {n: int(r.right) for n, r in self.equations if r.right.is_Integer}

    def related(self, names: Iterable[str], axes: Iterable[int]) -> set[str]:
        """More names that decide whether the launch has these names' values, and such axes."""
        every = {*names, *(n for k in axes if k in self.sizes for n in self.sizes[k].names)}
        groups = [r.names for r in self.facts.relations]
        for _ in groups:
            more = {n for g in groups if g & every for n in g}
            if more <= every:
                break
            every |= more
        return every

    def settle(self, env: Mapping[str, int]) -> dict[str, int]:
        """The assignment where each name that follows from others has its value."""
        result = dict(env)
        for _ in range(ROUNDS if self.equations else 0):
            before = dict(result)
            for n, r in self.equations:
                if n in result:
                    number = _value(r, result)
                    result[n] = result[n] if number is None else number
            if result == before:
                break
        return result

    def size(self, axis: int, env: Mapping[str, int]) -> int | None:
        """How many programs or threads there are along an axis; None where that is not known."""
        node = self.sizes.get(axis)
        if node is None or not node.names <= {*env}:
            return None
        try:
            return int(run_of(node)(dict(env)))
        except ZeroDivisionError:
            return 0

    def allows(self, env: Mapping[str, int]) -> bool:
        """Whether the launch may have these values: all that it says of them alone is true."""
        facts = (r for r in self.facts.relations if r.names <= {*env})
        if not all(r.holds(env) for r in facts):
            return False
        for axis, word in self.programs.items():
            size = self.size(axis, env) if word in env else None
            if size is not None and env[word] >= size:
                return False
        return True


def _value(r: Relation, env: Mapping[str, int]) -> int | None:
    try:
        return int(value(r.right, env))
    except (LayoutError, KeyError):
        return None


def settings(kernel: Kernel, launches: Sequence[Launch]) -> list[Setting]:
    """A setting for each launch of the file.

    Without a launch, or with one that is not understood, there is one that knows nothing.
    """
    known = [Setting(kernel, x) for x in launches if not x.why]
    if len(known) == len(launches) > 0:
        return known[:MOST]
    return [*known[: MOST - 1], Setting(kernel)]
