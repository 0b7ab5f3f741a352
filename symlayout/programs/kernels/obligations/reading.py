"""A kernel under its contract, and what is claimed of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.term import Term
from symlayout.layouts.claim import Claim
from symlayout.layouts.maps.terms import MapText
from symlayout.programs.kernels.access import Access, Kernel, Span
from symlayout.programs.kernels.assumptions import Assumptions
from symlayout.programs.kernels.contract import Contract, Promise
from symlayout.programs.kernels.coordinates import Array, read_array
from symlayout.programs.kernels.forms import THREADS, Form, form_of
from symlayout.programs.kernels.policy import Remember, at_once
from symlayout.programs.kernels.turns import with_a_thread, with_most_turns, without_idle_turns
from symlayout.text.once import cached_property

OPEN = "how many turns a loop has depends on what is not known here"
LEFT_OUT = "a mask is left out"
PROGRAMS = frozenset(["pid", "pid1", "pid2"])  # of axes that the kernel does not name
COUNTED = ("once", "at most once")  # what is promised of an array where every store counts


Beneath = tuple[tuple[str, Claim], ...]  # claims with their names


@dataclass(frozen=True)
class Obligation:
    """A claim with its name and place; `claim` is None where `unknown` says why there is none.

    `doubt` is why a refutation of the claim would be none of the kernel, `because` says what it says;
    it `rests` on claims, each with its name: that what it is about is computed as in mathematics.
    `accesses` are those that it is about, or has the value of which it is as that of an offset.
    """

    name: str
    kind: str  # bounds, once, race, layout, fits, hint, launch
    span: Span
    claim: Claim | None
    unknown: str = ""
    doubt: str = ""
    because: str = ""
    rests: tuple[tuple[str, Claim], ...] = ()
    accesses: tuple[Access, ...] = ()


@dataclass
class Reading:
    """A kernel under its contract; `grid` are the sizes of the grid as nodes.

    `launch` is where these are said.  `masked`: threads of one block keep masks that ask for the block,
    whose number is then any one.
    """

    kernel: Kernel
    contract: Contract
    grid: tuple[Term, ...] | None
    facts: Facts
    assumed: Assumptions = field(default_factory=Assumptions)
    launch: Span = field(default_factory=lambda: Span(1))
    masked: bool = False
    remember: Remember = at_once
    # what is claimed of values, and what rests on it, by the identity of the access
    overflows: dict[int, tuple[Access | None, tuple[Obligation, ...]]] = field(
        default_factory=dict, init=False
    )
    beneath: dict[int, tuple[Access | None, Beneath]] = field(default_factory=dict, init=False)
    # the maps of accesses into arrays, and their boxes
    maps: dict[tuple[object, str], tuple[MapText, str]] = field(default_factory=dict, init=False)

    @cached_property
    def promises(self) -> dict[str, Promise]:
        """What is said of arrays: by the contract, or by the kernel of those in shared memory."""
        sizes = {n: s for n, s in self.kernel.shared.items() if s}
        own = {n: f"u8[{','.join(x.text({}) for x in s)}]" for n, s in sizes.items()}
        return {**{n: Promise(n, text) for n, text in own.items()}, **self.contract.arrays}

    @cached_property
    def arrays(self) -> dict[str, Array]:
        """The arrays; raises `LayoutError` for a layout that cannot be read, with its place."""
        return {n: _array(p) for n, p in self.promises.items()}

    def form(self, access: Access) -> Form:
        """The access over all programs of the grid."""
        return form_of(self.kernel, access, self.grid)

    def together(self, access: Access) -> tuple[Form, tuple[str, ...]]:
        """The access over all that may write at once: of shared memory the threads of one block."""
        access = with_most_turns(access)
        form = self.form(access)
        if access.array not in self.kernel.shared:
            return form, ()
        blocks = [w for k, w in self.kernel.programs.items() if k < THREADS]
        unnamed = [w for w, _, _ in form.variables if w in PROGRAMS]
        one_value = {*blocks, *unnamed, *access.turns}
        one_value -= form.each_of_its_own(one_value)
        section, facts = form.fixed(one_value)
        section = section if section.variables else with_a_thread(section)
        known = {w for w, _, _ in section.variables} | {*self.kernel.parameters}
        own = tuple(c for c in section.guard if {x.word for x in c.leaves} <= known)
        if (
            own != section.guard and not self.masked
        ):  # what holds without a mask that asks for the block holds with it
            variables, programs = section.variables, section.programs
            section, facts = replace(form, guard=own).fixed(one_value)
            section = replace(section, variables=variables, programs=programs)
        return section, facts

    def at_once(self, access: Access, p: Promise) -> tuple[Form, tuple[str, ...]]:
        """The access over all that may write one place; a thread does not race with itself."""
        form, facts = self.together(access)
        if p.written in COUNTED:
            return form, facts
        form, more = without_idle_turns(form, access)
        return form if form.variables else with_a_thread(form), (*facts, *more)

    def no_barrier_between(self, a: Access, b: Access) -> bool:
        """Whether there may be none between two accesses of several phases, in a way around it."""
        first, then = sorted((a, b), key=self._place)
        return (first.phase, then.phase) in self.kernel.meet

    def _place(self, access: Access) -> int:
        """Where an access stands in the order of the code, of several in a loop the first."""
        alike = (access.span, access.kind, access.array, access.phase)
        every = enumerate(self.kernel.accesses)
        return next(k for k, a in every if (a.span, a.kind, a.array, a.phase) == alike)

    def doubt(self, access: Access) -> str:
        """Why two lanes that meet may be none of the kernel's."""
        access = with_most_turns(access)
        form, section = self.form(access), self.together(access)[0]
        if access.open_turns:
            return access.doubt or OPEN
        why = LEFT_OUT if {*form.guard} - {*section.guard} else ""
        if {*access.turns} & {w for w, _, _ in section.variables}:
            why = "threads come to a barrier in turns that begin at different values"
        loose = self.kernel.loose & {w for w, _, _ in section.variables}
        if access.array in self.kernel.shared and loose:
            why = "a barrier may stand between two turns"
        return access.doubt or why


def _array(p: Promise) -> Array:
    try:
        return read_array(p.layout)
    except LayoutError as error:
        message = f"the layout of {p.name}: {error.message}"
        raise LayoutError(error.code, message, at=p.at, help=error.help) from None
