"""The checker's rules of factors, transforms, statistics, random numbers and the largest elements."""

from __future__ import annotations

from symlayout.certificate.instructions.call import (
    Call,
    Rule,
    array_of,
    entries,
    fits,
    fixed,
    identical,
    is_array,
    of_kinds,
    unknown,
)
from symlayout.certificate.shaping import Rules

REAL_OR_COMPLEX = "floating complex"
WIDER = {"f32": "c64", "f64": "c128"}


def _square(r: Rules, c: Call) -> None:
    (a,) = c.arrays(r, 1)
    r.alike(a, c.result(r))
    of_kinds(r, REAL_OR_COMPLEX, a)
    r.need(len(a.dims) >= 2)
    r.equal(a.dims[-2], a.dims[-1])


def _solve(r: Rules, c: Call) -> None:
    a, b = c.arrays(r, 2)
    r.alike(b, c.result(r))
    r.one_type(a, b)
    of_kinds(r, REAL_OR_COMPLEX, a)
    r.need(len(a.dims) == len(b.dims) >= 2)
    r.equal(a.dims[-2], a.dims[-1])
    left = c.attributes.get("left_side") == "true"
    r.equal(a.dims[-1], b.dims[-2] if left else b.dims[-1])
    r.same_sizes(a.dims[:-2], b.dims[:-2])


def _batch_norm(r: Rules, c: Call) -> None:
    """The first as the operand, and for all the rest one number for each feature."""
    a, *rest = c.arrays(r, 3 if c.opcode == "batch-norm-training" else 5)
    first, *others = [array_of(r, s) for s in c.results(r)]
    r.need(len(others) == (0 if c.opcode == "batch-norm-inference" else 2))
    of_kinds(r, "floating", a)
    axis = c.axis(r, "feature_index", len(a.dims))
    r.alike(a, first)
    for k, x in enumerate(rest):
        r.same_type(a, x)
        whole = c.opcode == "batch-norm-grad" and k == 3
        r.same_sizes(a.dims if whole else [a.dims[axis]], x.dims)
    for out in others:
        r.alike(rest[0], out)


def _fft(r: Rules, c: Call) -> None:
    """A transform keeps sizes; of a real one's spectrum the last dimension has the first half."""
    (a,), out, lengths = c.arrays(r, 1), c.result(r), c.numbers(r, "fft_length")
    kind = c.at(r, "fft_type")
    r.need(kind in ("FFT", "IFFT", "RFFT", "IRFFT") and 1 <= len(lengths) <= 3)
    r.need(len(a.dims) == len(out.dims) >= len(lengths))
    real, spectrum = (a, out) if kind == "RFFT" else (out, a)
    of_kinds(r, "complex", spectrum)
    r.need((WIDER.get(real.dtype) if "R" in kind else real.dtype) == spectrum.dtype)
    if "R" not in kind:  # what a complex transform goes over changes no size
        r.same_sizes(real.dims, spectrum.dims)
        return
    lead = len(a.dims) - len(lengths)
    r.same_sizes(real.dims[:lead], spectrum.dims[:lead])
    for k, length in enumerate(lengths):
        last = k == len(lengths) - 1
        r.need(length >= 0)
        r.equal(real.dims[lead + k], fixed(length))
        if last and length == 0 and kind == "IRFFT":  # of no spectrum, or of one element
            fits(r, spectrum.dims[lead + k], fixed(1))
        else:
            r.equal(spectrum.dims[lead + k], fixed(length // 2 + 1 if last and length else length))


def _top(r: Rules, c: Call) -> None:
    """The k largest of the last dimension, and their places."""
    (a,), out = c.arrays(r, 1), entries(r, c.out, 2, 2)
    values, where = (array_of(r, s) for s in out)
    last = c.number(r, "k")
    r.need(len(a.dims) >= 1 and last >= 0)
    fits(r, fixed(last), a.dims[-1])
    for x in (values, where):
        r.same_sizes([*a.dims[:-1], fixed(last)], x.dims)
    r.same_type(a, values)
    r.need(where.dtype == "s32")


def _random(r: Rules, c: Call) -> None:
    """Two scalars of one type say which numbers."""
    both, out = c.arrays(r, 2), c.result(r)
    kind = c.attributes.get("distribution", "rng_uniform")
    if kind not in ("rng_uniform", "rng_normal"):
        unknown(f"distribution {kind}")
    r.one_type(*both)
    of_kinds(r, "floating" if kind == "rng_normal" else "pred signed unsigned floating", *both)
    for a in both:
        r.need(not a.dims)
        r.same_type(a, out)


def _generator(r: Rules, c: Call) -> None:
    """The new state is as the old one."""
    r.need(len(c.operands) == 1)
    if hasattr(c.out, "__len__"):
        identical(r, c.operands[0], entries(r, c.out, 2, 2)[0])


def _state(r: Rules, c: Call) -> None:
    r.need(not c.operands)
    is_array(r, c.out, "u64", 2)


NUMBERS: dict[str, Rule] = {
    "batch-norm-grad": _batch_norm,
    "batch-norm-inference": _batch_norm,
    "batch-norm-training": _batch_norm,
    "cholesky": _square,
    "fft": _fft,
    "rng": _random,
    "rng-bit-generator": _generator,
    "rng-get-and-update-state": _state,
    "topk": _top,
    "triangular-solve": _solve,
}
