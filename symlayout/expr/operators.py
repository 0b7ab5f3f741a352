"""The one table of operators: what each means, where it has a value, and how others spell it.

A row says everything about an operator that needs no algorithm of its own.  The classes of `terms`
and of `edge` are made from the rows, and the reader, evaluation, NumPy, bounds, the digit engine, the
checker, Z3 and the emitters read them.  `tests/internals/test_operators.py` compares every row with
plain integers, so a wrong bound or law in a row fails a test.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import gcd, inf
from typing import TYPE_CHECKING, Any, TypeVar

from symlayout.errors import LayoutError
from symlayout.expr import folding
from symlayout.expr.printing import PRECEDENCE
from symlayout.text.limits import VALUE_BITS

if TYPE_CHECKING:
    from symlayout.expr.ranges import Range

T = TypeVar("T")
ARGUMENTS = "xyzw"  # the names of arguments in laws; the result is r


class TooLarge(LayoutError):
    """A power of two that nobody computes with: it has a value, and refutes nothing."""


@dataclass(frozen=True, eq=False)
class Operator:
    """An operator of integers; `name` is that of its class.

    - `op` is its word in trees of texts and in programs, `words` are those of calls in texts, and
      `sign` stands between the operands.
    - `value` is what it is at integers.  It has a value where the argument `divisor` is not 0, and
      the arguments `natural` are at least 0.
    - `arity` None: any number of arguments, which are joined from the left.
    - `form` names what algorithms know it as: "quotient", "remainder", "extreme", "bits", "power",
      "choice", "comparison" or "joined".  A row without a form needs nothing but the table.
    - `laws` are texts about the result r and the arguments x, y, ..., true wherever it has a value;
      premises stand before `=>`.  The prover and the checker know nothing else of such an operator.
    - `interval` gives the bounds of the result, `folded` what an application is where that is
      simpler, `text` its text, and `precedence` how tightly that binds.
    - `ufunc` is NumPy's function, or `numpy` computes on arrays; without either, `value` does so.
    - `smt` is its term in Z3, the first argument being what chooses by a formula.
    - `sympy` makes it of SymPy's own functions, the library being the first argument.
    - `latex` is a template, and `code` has one for each language by its name; of MLIR an operation.
      `brackets`: LaTeX needs no parentheses around it.
    """

    name: str
    op: str
    value: Callable[..., int]
    arity: int | None = 2
    words: tuple[str, ...] = ()
    sign: str = ""
    form: str = ""
    divisor: int | None = None
    natural: tuple[int, ...] = ()
    laws: tuple[str, ...] = ()
    interval: Callable[..., Range] = lambda *args: (-inf, inf)
    folded: Callable[..., Any] = folding.of_numbers
    text: Callable[[Any, Any], str] = folding.called
    precedence: int = PRECEDENCE["Atom"]
    ufunc: str = ""
    numpy: Callable[..., Any] | None = None
    smt: Callable[..., Any] | None = None
    sympy: Callable[..., Any] | None = None
    latex: str = ""
    brackets: bool = False
    code: Mapping[str, str] = field(default_factory=dict)
    undefined: str = ""  # what is wrong where there is no value; {0}, {1}, ... are the arguments

    def defined(self, *args: int) -> bool:
        """Whether it has a value."""
        for k in self.natural:
            if args[k] < 0:
                return False
        return self.divisor is None or args[self.divisor] != 0

    def at(self, *args: int) -> int:
        """The value; raises `LayoutError` (SL202) where there is none."""
        if not self.defined(*args):
            text = self.undefined or f"{self.op}({', '.join(map(str, args))}) has no value"
            raise LayoutError("SL202", text.format(*args))
        return int(self.joined(self.value, args))

    def joined(self, apply: Callable[..., T], args: Sequence[Any]) -> T:
        """What `apply` makes of the arguments: of any number of them pairwise, from the left."""
        return apply(*args) if self.arity is not None else reduce(apply, args)

    def on_arrays(self, np: Any, *args: Any) -> Any:
        """The values on arrays of NumPy."""
        if self.numpy is not None:
            return self.numpy(np, *args)
        if self.ufunc:
            return getattr(np, self.ufunc)(*args)
        whole = np.frompyfunc(lambda *values: self.value(*map(int, values)), len(args), 1)(*args)
        exact = any(np.asarray(a).dtype.kind == "O" for a in args)
        return whole if exact or not hasattr(whole, "astype") else whole.astype(np.int64)


def _truncated(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a >= 0) == (b > 0) else -q


def _power_of_two(n: int) -> int:
    if n > VALUE_BITS:
        raise TooLarge("SL204", f"2**{n} is a value of too many bits; the limit is {VALUE_BITS}")
    return 1 << n


def _numpy_truncated(np: Any, a: Any, b: Any) -> Any:
    return np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))


def _sympy_truncated(s: Any, a: Any, b: Any) -> Any:
    return s.sign(a) * s.sign(b) * s.floor(s.Abs(a) / s.Abs(b))


def _range(name: str) -> Callable[..., Range]:
    """The bounds of a function of `ranges`, which is imported when bounds are asked for."""

    def bounds(*args: Range) -> Range:
        from symlayout.expr import ranges

        result: Range = getattr(ranges, name)(*args)
        return result

    return bounds


# whether something is left, and the signs of both differ or are alike
APART = "{0}%{1} != 0 && ({0} < 0) != ({1} < 0)"
ALIKE = "{0}%{1} != 0 && ({0} < 0) == ({1} < 0)"
NATURAL = "x >= 0, y >= 0 => "
QUOTIENT: dict[str, Any] = {"form": "quotient", "divisor": 1, "folded": folding.quotient}
REST: dict[str, Any] = {"form": "remainder", "divisor": 1, "folded": folding.remainder}
INFIX: dict[str, Any] = {"text": folding.divided, "precedence": PRECEDENCE["Mul"] - 1}
TRUNCATING: dict[str, Any] = {"text": folding.called_truncating}
EXTREME: dict[str, Any] = {"form": "extreme", "arity": None, "folded": folding.extreme}
BITS: dict[str, Any] = {"form": "bits", "folded": folding.bits, "text": folding.between}

OPERATORS: tuple[Operator, ...] = (
    Operator(
        "FloorDiv",
        "//",
        operator.floordiv,
        words=("floordiv",),
        sign="//",
        laws=("y >= 1 => r*y <= x", "y >= 1 => r*y >= x - y + 1"),
        interval=_range("floor"),
        numpy=lambda np, a, b: a // b,
        ufunc="floor_divide",
        latex=r"\left\lfloor \frac{{{0}}}{{{1}}} \right\rfloor",
        brackets=True,
        sympy=lambda s, a, b: s.floor(a / b),
        code={"Python": "{0}//{1}", "C": f"({{0}}/{{1}} - ({APART}))"},
        **QUOTIENT,
        **INFIX,
    ),
    Operator(
        "Mod",
        "%",
        operator.mod,
        words=("mod",),
        sign="%",
        laws=("y >= 1 => r >= 0", "y >= 1 => r <= y - 1"),
        interval=_range("floor_rest"),
        numpy=lambda np, a, b: a % b,
        latex=r"\left({0:*} \bmod {1:*}\right)",
        brackets=True,
        sympy=lambda s, a, b: a - b * s.floor(a / b),
        code={"Python": "{0}%{1}", "C": f"({{0}}%{{1}} + ({APART} ? {{1}} : 0))"},
        **REST,
        **INFIX,
    ),
    Operator(
        "CeilDiv",
        "ceildiv",
        lambda a, b: -(-a // b),
        words=("ceildiv", "ceil_div", "cdiv", "tl.cdiv", "pl.cdiv", "triton.cdiv"),
        sign="ceildiv",
        laws=("y >= 1 => r*y >= x", "y >= 1 => r*y <= x + y - 1"),
        interval=_range("ceiling"),
        numpy=lambda np, a, b: -(-a // b),
        latex=r"\left\lceil \frac{{{0}}}{{{1}}} \right\rceil",
        brackets=True,
        sympy=lambda s, a, b: s.ceiling(a / b),
        code={"Python": "(-(-{0}//{1}))", "C": f"({{0}}/{{1}} + ({ALIKE}))"},
        **QUOTIENT,
    ),
    Operator(
        "TruncDiv",
        "c/",
        _truncated,
        words=("truncdiv",),
        sign="/",
        laws=("x >= 0, y >= 1 => r*y <= x", "x <= 0, y >= 1 => r*y >= x"),
        interval=_range("truncated"),
        numpy=_numpy_truncated,
        sympy=_sympy_truncated,
        code={
            "Python": "((1 - 2*(({0} < 0) != ({1} < 0)))*(abs({0})//abs({1})))",
            "C": "({0}/{1})",
        },
        **QUOTIENT,
        **TRUNCATING,
    ),
    Operator(
        "TruncMod",
        "c%",
        lambda a, b: a - b * _truncated(a, b),
        words=("truncmod",),
        sign="%",
        laws=("x >= 0 => r >= 0", "x >= 0 => r <= x", "x <= 0 => r <= 0", "x <= 0 => r >= x"),
        interval=_range("truncated_rest"),
        numpy=lambda np, a, b: a - b * _numpy_truncated(np, a, b),
        sympy=lambda s, a, b: a - b * _sympy_truncated(s, a, b),
        code={"Python": "((1 - 2*({0} < 0))*(abs({0})%abs({1})))", "C": "({0}%{1})"},
        **REST,
        **TRUNCATING,
    ),
    Operator(
        "Min",
        "min",
        min,
        words=("min",),
        laws=("r <= x", "r <= y"),
        interval=_range("least"),
        ufunc="minimum",
        latex=r"\min\left({0}\right)",
        smt=lambda choose, a, b: choose(a <= b, a, b),
        sympy=lambda s, *args: s.Min(*args),
        code={"C": "({0} < {1} ? {0} : {1})", "MLIR": "min{s}i"},
        **EXTREME,
    ),
    Operator(
        "Max",
        "max",
        max,
        words=("max",),
        laws=("r >= x", "r >= y"),
        interval=_range("greatest"),
        ufunc="maximum",
        latex=r"\max\left({0}\right)",
        smt=lambda choose, a, b: choose(a >= b, a, b),
        sympy=lambda s, *args: s.Max(*args),
        code={"C": "({0} > {1} ? {0} : {1})", "MLIR": "max{s}i"},
        **EXTREME,
    ),
    Operator(
        "Exp2",
        "2**",
        _power_of_two,
        1,
        form="power",
        natural=(0,),
        laws=("r >= 1", "r >= x + 1"),
        interval=_range("raise_two"),
        text=folding.raised,
        precedence=PRECEDENCE["Pow"],
        latex="2^{{{0}}}",
        undefined="2**({0}): a shift by less than 0 has no value",
        sympy=lambda s, k: s.Pow(2, k),
        code={"Python": "2**{0}", "C": "(1 << {0})"},
    ),
    Operator(
        "BitXor",
        "^",
        operator.xor,
        sign="^",
        laws=(NATURAL + "r <= x + y", NATURAL + "r >= 0"),
        interval=_range("exclude"),
        numpy=lambda np, a, b: a ^ b,
        ufunc="bitwise_xor",
        code={"Python": "({0} ^ {1})", "MLIR": "xori"},
        latex=r"\left({0} \oplus {1}\right)",
        brackets=True,
        **{**BITS, "folded": folding.exclusive},
    ),
    Operator(
        "BitOr",
        "|",
        operator.or_,
        sign="|",
        laws=(NATURAL + "r <= x + y", NATURAL + "r >= x", NATURAL + "r >= y"),
        interval=_range("unite"),
        numpy=lambda np, a, b: a | b,
        ufunc="bitwise_or",
        code={"Python": "({0} | {1})", "MLIR": "ori"},
        latex=r"\left({0} \mathbin{{|}} {1}\right)",
        brackets=True,
        **BITS,
    ),
    Operator(
        "BitAnd",
        "&",
        operator.and_,
        sign="&",
        laws=(NATURAL + "r <= x", NATURAL + "r <= y", NATURAL + "r >= 0"),
        interval=_range("mask"),
        numpy=lambda np, a, b: a & b,
        ufunc="bitwise_and",
        code={"Python": "({0} & {1})", "MLIR": "andi"},
        latex=r"\left({0} \mathbin{{\&}} {1}\right)",
        brackets=True,
        **BITS,
    ),
    Operator(
        "Gcd",
        "gcd",
        gcd,
        words=("gcd", "math.gcd", "std::gcd"),
        laws=(
            "r >= 0",
            "x >= 1 => r >= 1",
            "y >= 1 => r >= 1",
            "x >= 1 => r <= x",
            "y >= 1 => r <= y",
        ),
        interval=_range("common"),
        folded=folding.common_divisor,
        latex=r"\gcd\left({0}, {1}\right)",
        brackets=True,
        code={"Python": "__import__('math').gcd({0}, {1})", "NumPy": "np.gcd({0}, {1})"},
    ),
    Operator(
        "Where",
        "if",
        lambda p, q, a, b: a if p < q else b,
        4,
        form="choice",
        laws=("x < y => r == z", "x >= y => r == w"),
        interval=_range("choose"),
        folded=folding.choice,
        text=folding.conditional,
        latex=r"\begin{{cases}} {2} & {0} < {1} \\ {3} & \text{{else}} \end{{cases}}",
        smt=lambda choose, p, q, a, b: choose(p < q, a, b),
        sympy=lambda s, p, q, a, b: s.Piecewise((a, p < q), (b, True)),
    ),
)

# what is true or false: its value is 1 or 0.  An operand of the last two that does not matter has none
CONDITIONS: dict[str, Operator] = {
    row.op: row
    for row in (
        Operator(
            "Less",
            "<",
            lambda a, b: (a < b) * 1,
            form="comparison",
            interval=lambda a, b: (0, 1),
            text=folding.compared,
            numpy=lambda np, a, b: (a < b) * 1,
            smt=lambda choose, a, b: a < b,
            sympy=lambda s, a, b: s.StrictLessThan(a, b, evaluate=False),
            code={"Python": "({0} < {1})"},
        ),
        Operator(
            "Both",
            "and",
            operator.and_,
            form="joined",
            text=folding.joined,
            sympy=lambda s, a, b: s.And(a, b, evaluate=False),
        ),
        Operator(
            "Either",
            "or",
            operator.or_,
            form="joined",
            text=folding.joined,
            sympy=lambda s, a, b: s.Or(a, b, evaluate=False),
        ),
    )
}
BY_NAME: dict[str, Operator] = {row.name: row for row in OPERATORS}
BY_OP: dict[str, Operator] = {row.op: row for row in OPERATORS}
# the words of calls in texts
CALLS: dict[str, Operator] = {word: row for row in OPERATORS for word in row.words}


def members(row: Operator) -> dict[str, Any]:
    """What every class of an operator has, on each side of the edge."""
    return {
        "row": row,
        "eval": classmethod(row.folded),
        "_sympystr": row.text,
        "precedence": row.precedence,
        "__doc__": f"The operator `{row.op}`; see `operators`.",
    }


def names(args: Sequence[Any]) -> dict[str, Any]:
    """The arguments under the names that laws have for them."""
    return dict(zip(ARGUMENTS, args))
