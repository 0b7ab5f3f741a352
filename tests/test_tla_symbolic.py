import pytest

from symlayout import LayoutError, tla

L = tla.read_layout

# -- each operation against numbers ------------------------------------------------------------------


def test_composition_of_the_first_multiple():
    made = tla.composition(L("(N,8):(X,Y)"), L("4:1"), where="N % 4 == 0")
    assert str(made) == "4:X"
    assert str(tla.composition(L("(N,8):(X,Y)"), L("4:1"), where="N >= 4")) == "4:X"


@pytest.mark.parametrize(
    ("a", "b", "where", "rule"),
    [
        ("(N,8):(X,Y)", "4:1", [], "N divides 4, or 4 <= N, and no fact says so"),
        ("(N,8):(X,Y)", "4:1", ["N % 2 == 0"], r"the facts \(N%2 == 0\) do not say so"),
        ("(N,8):(X,Y)", "4:3", [], "3 divides N, or N divides 3"),
        ("(M,N):(1,M)", "4:1", ["M >= 4", "M <= 3"], "undecided|contradict"),
    ],
)
def test_undecided_compositions_say_what_they_need(a, b, where, rule):
    with pytest.raises(LayoutError, match=rule) as e:
        tla.composition(L(a), L(b), where=where)
    assert e.value.code == "SL801"


def test_coalesce_of_dynamic_sizes():
    assert str(tla.coalesce(L("(M,N):(1,M)"))) == "M*N:1"
    assert str(tla.coalesce(L("(M,N,K):(1,M,M*N)"))) == "K*M*N:1"
    assert str(tla.coalesce(L("(M,N):(1,K)"))) == "(M,N):(1,K)"
    assert str(tla.coalesce(L("(M,N):(1,K)"), where="K == M")) == "M*N:1"
    assert str(tla.coalesce(L("(M,1,N):(1,5,M)"))) == "M*N:1"
    assert str(tla.coalesce(L("((M,N),(4,K)):((1,M),(1,5))"), (1, 1))) == "(M*N,(4,K)):(1,(1,5))"


def test_layouts_too_large_to_look_at_are_still_composed():
    made = tla.composition(L("(1048576,4096):(4096,1)"), L("(4096,1048576):(1048576,1)"))
    assert str(made) == "(4096,1048576):(1,4096)"
    with pytest.raises(LayoutError, match="undecided"):
        tla.composition(L("(6,8):(1,10)"), L("(4,10000000):(1,1)"))
    assert str(tla.left_inverse(L("(1048576,4096):(4096,1)"))) == "(4096,1048576):(1048576,1)"
