"""Properties of internal modules; `tests/test_tla_symbolic.py` tests the public interface."""

import itertools
import random

import pytest
from test_tla_symbolic import L

from symlayout import LayoutError, prove, tla
from symlayout.expr.facts import Facts
from symlayout.expr.terms import substitute, symbol
from symlayout.layouts.cute.inttuple import transform
from symlayout.tla import Layout
from symlayout.tla.known import Known

T = tla.read_inttuple

M, N, K = (symbol(x) for x in "MNK")


def at(x, **sizes):
    """The layout with numbers for its symbols."""
    put = lambda e: int(substitute(e, sizes))  # noqa: E731
    return Layout(transform(put, x.shape), transform(put, x.stride))


def offsets(x):
    return [x(i) for i in range(x.size)]


# -- what facts decide -------------------------------------------------------------------------------


def test_questions_under_facts():
    known = Known(Facts.read(["N % 4 == 0", "M >= N"]))
    assert known.divides(4, N)
    assert known.divides(2, 3 * N)
    assert not known.divides(8, N)
    assert not known.divides(4, M)
    assert known.at_most(N, M)
    assert known.at_most(4, M)
    assert not known.at_most(M, N)
    assert known.same(M * N, N * M)
    assert not known.same(M, N)
    assert known.quotient(6 * M, 3) == 2 * M
    assert not known.divides(0, N)


@pytest.mark.parametrize(
    ("a", "b", "where", "r"),
    [
        ("(N,8):(X,Y)", "(4,3):(1,N)", ["N % 4 == 0"], "(4,3):(X,Y)"),
        ("(M,N):(N,1)", "(N,M):(M,1)", [], "(N,M):(1,N)"),
        ("(M,N):(1,M)", "K:1", [], "K:1"),
        ("(4,N):(N,1)", "(2,N):(2,4)", [], "(2,N):(2*N,1)"),
        ("(M,4,N):(X,Y,1)", "8:M", ["N % 2 == 0"], "(4,2):(Y,1)"),
        ("(M,N):(X,Y)", "(M*N):(1)", [], "((M,N)):((X,Y))"),
        ("(2*M,N):(X,Y)", "(2,M*N):(1,2)", [], "(2,(M,N)):(X,(2*X,Y))"),
    ],
)
def test_compositions_hold_for_numbers(a, b, where, r):
    made = tla.composition(L(a), L(b), where=where)
    assert str(made) == r
    for m, n, k in itertools.product((1, 2, 3), (4, 8), (1, 5)):
        sizes = {"M": m, "N": n, "K": k, "X": 7, "Y": 100}
        x, y, z = at(L(a), **sizes), at(L(b), **sizes), at(made, **sizes)
        assert z.size == y.size
        for i in range(y.size):
            assert z(i) == tla.crd2offset(y(i), x.shape, x.stride)


def test_facts_about_other_symbols_are_refused_everywhere():
    for call in (
        lambda w: tla.composition(L("(M,N):(N,1)"), L("4:1"), where=w),
        lambda w: tla.coalesce(L("(M,N):(1,M)"), where=w),
        lambda w: tla.complement(L("M:1"), N, where=w),
        lambda w: tla.right_inverse(L("(M,N):(N,1)"), where=w),
        lambda w: tla.left_inverse(L("(M,N):(N,1)"), where=w),
        lambda w: tla.logical_divide(L("(M,N):(N,1)"), (4, 4), where=w),
        lambda w: tla.logical_product(L("(M,N):(N,1)"), L("4:1"), where=w),
        lambda w: tla.tile_to_shape(L("(4,4):(4,1)"), (M, N), where=w),
    ):
        with pytest.raises(LayoutError) as e:
            call("Q % 4 == 0")
        assert e.value.code == "SL301"


@pytest.mark.parametrize(
    ("a", "bound", "r"),
    [
        ("M:1", "N", "ceildiv(N, M):M"),
        ("M:4", "N", "(4,ceildiv(N, 4*M)):(1,4*M)"),
        ("(M,N):(1,M)", "K*M*N", "K:M*N"),
        ("(4,M):(1,4*K)", "4*K*M", "K:4"),
        ("(M,4):(4*K,1)", "4*K*M", "K:4"),
        ("(M,3):(1,0)", "K*M", "K:M"),
    ],
)
def test_complements_cover_for_numbers(a, bound, r):
    whole = T(bound)
    made = tla.complement(L(a), whole)
    assert str(made) == r
    for m, n, k in itertools.product((1, 2, 3), (1, 4), (1, 5)):
        sizes = {"M": m, "N": n, "K": k}
        image = set(offsets(at(L(a), **sizes)))
        sums = sorted(x + y for x in image for y in offsets(at(made, **sizes)))
        assert sums == list(range(len(sums)))
        assert len(sums) >= substitute(whole, sizes)


def test_undecided_complements():
    with pytest.raises(LayoutError, match="is a multiple of what lies below it"):
        tla.complement(L("(M,N):(1,K)"), M * N * K)
    assert str(tla.complement(L("(M,N):(1,K)"), K * N, where="K % M == 0")) == "K//M:M"


@pytest.mark.parametrize("a", ["(M,N):(N,1)", "(M,N,4):(1,4*M,M)", "(M,(2,N)):(2*N,(N,1))"])
def test_inverses_of_compact_layouts(a):
    for made in (tla.right_inverse(L(a)), tla.left_inverse(L(a))):
        for m, n in itertools.product((1, 2, 3), (1, 2, 5)):
            x, y = at(L(a), M=m, N=n), at(made, M=m, N=n)
            assert [x(y(i)) for i in range(x.size)] == list(range(x.size))


def test_inverses_with_holes():
    made = tla.left_inverse(L("(M,N):(2*N,2)"))
    for m, n in itertools.product((1, 2, 3), (1, 2, 5)):
        x, y = at(L("(M,N):(2*N,2)"), M=m, N=n), at(made, M=m, N=n)
        assert [y(v) for v in offsets(x)] == list(range(x.size))
    assert str(tla.right_inverse(L("(M,N):(2*N,2)"))) == "1:0"
    made = tla.right_inverse(L("(M,N):(2*N,1)"))
    for m, n in itertools.product((1, 2, 3), (1, 2, 5)):
        largest = tla.right_inverse(at(L("(M,N):(2*N,1)"), M=m, N=n))
        assert at(made, M=m, N=n).size == largest.size
    with pytest.raises(LayoutError, match=r"may give more"):
        tla.right_inverse(L("(M,N):(1,K)"))
    with pytest.raises(LayoutError, match="undecided"):
        tla.left_inverse(L("(M,N):(K,1)"))


def test_divides_with_divisibility_and_ragged():
    a, tiler = L("(M,N):(1,M)"), T("(BM,BN)")
    exact = tla.logical_divide(a, tiler, where=["M % BM == 0", "N % BN == 0"])
    assert str(exact) == "((BM,M//BM),(BN,N//BN)):((1,BM),(M,BN*M))"
    ragged = tla.logical_divide(a, tiler)
    assert str(ragged) == "((BM,ceildiv(M, BM)),(BN,ceildiv(N, BN))):((1,BM),(M,BN*M))"
    zipped = tla.zipped_divide(a, tiler)
    for m, n, p, q in itertools.product((1, 4, 6), (2, 3), (2, 4), (2, 3)):
        x = at(L("(M,N):(1,M)"), M=m, N=n)
        z = at(zipped, M=m, N=n, BM=p, BN=q)
        for i, j in itertools.product(range(m), range(n)):
            assert z((i % p, j % q), (i // p, j // q)) == x(i, j)


def test_products_of_symbols():
    made = tla.blocked_product(L("(M,N):(N,1)"), L("(P,Q):(Q,1)"))
    assert str(made) == "((M,P),(N,Q)):((N,M*N*Q),(1,M*N))"
    x = at(made, M=2, N=3, P=2, Q=2)
    assert sorted(offsets(x)) == list(range(24))
    filled = tla.tile_to_shape(L("(4,8):(8,1)"), (M, N), where=["M % 4 == 0", "N % 8 == 0"])
    x = at(filled, M=8, N=16)
    assert sorted(offsets(x)) == list(range(128))
    with pytest.raises(LayoutError, match="needs that 4 divides M"):
        tla.tile_to_shape(L("(4,8):(8,1)"), (M, N))


def test_random_symbolic_layouts_hold_for_numbers():
    rng = random.Random(20)
    names = ("M", "N", "K")
    answers = 0
    for _ in range(60):
        sizes = [rng.choice((M, N, 2 * M, 4, 2)) for _ in range(2)]
        a = Layout(tuple(sizes), tuple(rng.choice((1, K, sizes[0], sizes[1])) for _ in range(2)))
        b = Layout(rng.choice((2, M, 4)), rng.choice((1, 2, sizes[0])))
        try:
            made = tla.composition(a, b)
        except LayoutError:
            continue
        answers += 1
        for numbers in itertools.product((1, 2, 3, 5), repeat=3):
            env = dict(zip(names, numbers))
            x, y, z = at(a, **env), at(b, **env), at(made, **env)
            assert offsets(z) == [tla.crd2offset(v, x.shape, x.stride) for v in offsets(y)]
    assert answers > 15


@pytest.mark.parametrize(
    "text",
    [
        "complement(4*M:1, 16*M)",
        "right_inverse((M,3):(3,1))",
        "composition((2*M,4):(3,1), 1:0)",
        "composition((M,1):(0,0), 1:1)",
    ],
)
def test_operands_have_elements_at_all_sizes_or_are_refused(text):
    """As of numbers: a layout without elements has neither a complement nor an inverse.

    Nor does a mode without elements give an index a digit, behind which others have theirs.
    """
    with pytest.raises(LayoutError) as error:
        prove.injective(text, where="M >= 0")
    assert error.value.code == "SL801"
    assert error.value.needs
    assert prove.injective(text).proved
    with pytest.raises(LayoutError) as error:
        prove.injective(text.replace("M", "0"))
    assert error.value.code == "SL800"
