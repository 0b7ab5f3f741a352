"""Claims about large sizes: refuted from a few points, and never by a listing of all of them."""

from __future__ import annotations

import shlex
import subprocess
import sys
from time import process_time

import pytest

import symlayout as sl
from symlayout.prove import search

REFUTED = """
equal "f32[8192,8192]{1,0}" "f32[8192,8192]{0,1}"
equal "f32[65536,65536]{1,0}" "f32[65536,65536]{1,0:T(8,128)}"
equal "f32[8192,8192]{1,0:T(8,128)}" "f32[8192,8192]{1,0:T(8,129)}"
equal "(65536,65536):(65536,1)" "(65536,65536):(65537,1)"
equal "f32[M,N]{1,0}" "f32[M,N]{0,1}" --where "M >= 100000" --where "N >= 100000"
equal "f32[1000000,3]{1,0}" "f32[1000000,3]{0,1}"
injective "(8192,8192):(8191,1)"
injective "(65536,65536):(65535,1)"
injective "(8192,8192,8192):(67108864,8191,1)"
injective "(1000000,1000):(999,1)"
injective "(100000,100000):(3,5)"
injective "(M,100000):(99999,1)" --where "M >= 100000"
injective "(M,N):(N-1,1)" --where "M >= 100000" --where "N >= 100000"
bounded "(65536,65536):(65536,1)" 4294967295
bounded "f32[65536,65536]{1,0:T(8,128)}" 4294967290
bounded "(8192,8192):(8192,1)" 67108863
bounded "(100000,100000):(100000,1)" "100000*100000-1"
bounded "(M,N):(N,1)" 1000000000
bounded "strided f32[100000,100000] strides(100000,1) offset 7" 10000000000
onto "(8192,8192):(8193,1)"
onto "(8192,8192):(16384,2)"
onto "(65536,65536):(65537,1)"
onto "f32[5000,5000]{1,0:T(8,128)}"
onto "(M,100000):(100001,1)" --where "M >= 100000"
bijective "f32[5000,5000]{1,0:T(8,128)}"
bijective "f32[4000,4000]{1,0:T(8,128)}"
bijective "f32[50000,50000]{0,1:T(8,128)}"
bijective "f32[100001,1001]{1,0:T(8,128)(2,1)}"
bijective "(8192,8192):(8191,1)"
bijective "(4096,4096):(4096,2)"
bitcast "f32[8192,8192]{1,0}" "f32[8192,8192]{0,1}"
bitcast "f32[8192,8192]{1,0}" "f32[4096,16384]{0,1}"
bitcast "f32[65536,65536]{1,0:T(8,128)}" "f32[65536,65536]{1,0:T(16,128)}"
bitcast "f32[5000,5000]{1,0:T(8,128)}" "f32[25000000]{0}"
bitcast "f32[8192,4096]{1,0}" "f32[4096,8192]{1,0}" --perm 1,0
reinterpret "f32[8192,8191]{1,0}" "f32[8192,8192]{1,0}"
reinterpret "f32[5000,5000]{1,0:T(8,128)}" "f32[25000000]{0}"
reinterpret "f32[65536,65536]{1,0:T(8,128)}" "f32[65536,65537]{1,0:T(8,128)}"
reinterpret "f32[8192,8192]{1,0:T(8,128)}" "f32[8192,8191]{1,0:T(8,128)}"
reinterpret "f32[8191,8192]{1,0:T(8,128)}" "f32[8192,8191]{1,0:T(8,128)}"
formula "f32[M,N]" "(i*N+j)%2147483648"
formula "f32[M,N]{0,1}" "(i+j*M)%4294967296"
formula "f32[M,N]" "i*N+j%1000000007"
formula "f32[M,N]" "min(i*N+j, 2147483647)"
formula "f32[M,N,K]" "((i*N+j)*K+k) % 1099511627776"
formula "f32[70000,70000]" "(i*70000+j)%2147483648"
formula "f32[N]" "i//1000000000*1000000001 + i%1000000000"
tiles "f32[65536,65536]{1,0:T(8,128)}" "8,127"
aligned "f32[100000,100000,3]{2,1,0}" 16
aligned "f32[65536,65537]{1,0}" 128
aligned "f32[100000,4,100001]{2,1,0}" 8
padding "f32[M,N]{1,0:T(8,128)}" 1.0001 --where "M >= 50000" --where "N >= 50000"
padding "f32[N]{0:T(1024)}" 1.00001 --where "N >= 10000000"
fits "f32[65536,65536]{1,0}" 32
fits "f32[M,N]{1,0:T(8,128)}" 64
fits "f32[N]{0}" 128
bytes "f32[M,N]" "M*N*4%4294967296"
divides "2147483648" "N*N"
holds "N != 1000000000"
holds "N**2 != 1000000000000"
holds "M*N != 100001"
holds "M*N*K != 1000000007"
holds "2*M + 3*N != 1000000007"
holds "M != N + 1000000"
holds "M*N <= 4294967295"
holds "N//1000000 < 5"
holds "N%2147483648 == N"
holds "N == min(N, 123456789)"
"""

SMALLEST = {
    'holds "N != 1000000000"': {"N": 10**9},
    'holds "N < 1000000000"': {"N": 10**9},
    'holds "N*N < 1000000000000"': {"N": 10**6},
    'holds "N**3 - 8 != 999999999999999992"': {"N": 10**6},
    'holds "(N - 70000)*(N - 90000) > 0"': {"N": 70000},
    'holds "M*N != 100001"': {"M": 1, "N": 100001},
}

POINTS = 3_000_000  # at all expressions of a claim together


def ask(line):
    """The verdict on a line as it stands on the command line."""
    word, *rest = shlex.split(line)
    arguments, where, options = [], [], {}
    given_ = iter(rest)
    for part in given_:
        if part == "--where":
            where.append(next(given_))
        elif part.startswith("--"):
            options[part[2:]] = next(given_)
        else:
            arguments.append(part)
    return getattr(sl.prove, word)(*arguments, where=where, **options)


@pytest.fixture
def looked_at(monkeypatch):
    """How many values have been computed on arrays."""
    count = [0]
    plain = search.Numeric.__call__

    def counted(self, env, work=None):
        count[0] += max([len(env[n]) for n in self.names], default=1)
        return plain(self, env, work)

    monkeypatch.setattr(search.Numeric, "__call__", counted)
    return count


@pytest.mark.sample(15)
@pytest.mark.parametrize("line", REFUTED.strip().splitlines())
def test_large_sizes_are_refuted_from_a_few_points(line, looked_at):
    verdict = ask(line)
    assert verdict.refuted, verdict
    assert looked_at[0] < POINTS


@pytest.mark.parametrize("line", SMALLEST)
def test_the_smallest_one_is_solved_for(line):
    assert ask(line).counterexample.sizes == SMALLEST[line]


def test_sizes_whose_product_has_more_than_64_bits():
    facts = ["M != K", "M == 3", f"K == {2**62 - 1}"]
    verdict = sl.prove.fits("f32[3,M]{1,0:T(2*K)L(3)}", 64, where=facts)
    assert verdict.counterexample.sizes == {"M": 3, "K": 2**62 - 1}
    assert "M" in sl.when.fits("f32[3,M]{1,0:T(2*K)L(3)}", 64, where="M != K").text


def test_the_first_places_of_a_large_box_come_first():
    found = ask('equal "f32[8192,8192]{1,0}" "f32[8192,8192]{0,1}"')
    assert found.counterexample.coords == (0, 1)
    assert "smaller" not in found.reason
    last = ask('bounded "(8192,8192):(8192,1)" 67108863')
    assert last.counterexample.coords == (8191, 8191)


def test_a_failure_in_digits_is_the_first_one_where_that_is_not_far():
    claim = "map i < ceildiv(n, 256), j < 256: 64*i + j in 256*k"
    found = ask(f'bounded "{claim}" --where "n <= 4096" --where "k <= 64"')
    assert found.counterexample.sizes == {"n": 257, "k": 1}
    assert found.counterexample.coords == (1, 192)
    assert "smaller" not in found.reason


def test_the_least_gap_of_a_large_buffer():
    gap = ask('bijective "f32[4000,4000]{1,0:T(8,128)}"').counterexample
    assert gap.left == 31 * 1024 + 32  # the first place beyond the row's end, in its last tile


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "line",
    [
        "bijective('f32[4000,4000]{1,0:T(8,128)}')",
        "injective('(4000,4000):(3999,1)')",
        "onto('strided f32[4000,4000] strides(4000,1) offset 3')",
        "bijective('strided f32[2,4000000] strides(2,3)')",
        "bounded('(4000,4000):(4000,1)', 15999998)",
    ],
)
def test_a_large_buffer_costs_little_memory(line):
    code = (
        "import symlayout as sl, resource as r; r.setrlimit(r.RLIMIT_DATA, (300 << 20, 300 << 20));"
        "import numpy as np;"
        f"v = sl.prove.{line}; print(v.status)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "refuted\n", done.stderr


UNDECIDED = """
bijective "Swizzle(3,3,3) o 0 o (M,N):(N,1)" --where "M*N % 64 == 0"
bijective "Swizzle(3,3,3) o 0 o (M,N):(N,1)" --where "M*N % 64 == 0" --where "M <= 64" --where "N >= 8"
onto "Swizzle(3,4,3) o 0 o (M,N,K):(N*K,K,1)" --where "M*N*K % 1024 == 0" --where "N <= 64"
bijective "Swizzle(3,3,3) o 0 o (P,Q):(1,P)" --where "(P*Q) % 512 == 0" --where "4 <= P <= 640"
bijective "Swizzle(5,0,8) o 0 o (M,N,K):(N*K,1,N)" --where "(M*N) % 64 == 0"
bijective "((2,36893488147419103232),N):((1,2),1)"
injective "map i < 36893488147419103232, j < N: i//36893488147419103231 + j in 36893488147419103232"
bounded "map -4 <= i < N, -3 <= j < 3: (((j % N) >> 1) >> 3) in 7" --where "N*N <= 9"
"""


@pytest.mark.explore
@pytest.mark.parametrize("line", UNDECIDED.strip().splitlines())
def test_what_stays_unknown_costs_few_seconds(line):
    start = process_time()
    assert ask(line).status == "unknown"
    assert process_time() - start < 15


def test_an_answer_does_not_depend_on_the_memory_that_z3_holds() -> None:
    """Z3's own tactics give up sooner where the contexts of a process hold more memory."""
    code = """
import symlayout as sl
import z3

def answers():
    overflow = "map pid < n//B, lane < B + 1: pid*B + (lane ^ 1)"
    facts = ["n % B == 0", "B >= 2", "n <= 2**31 - 1", "B <= 2**31 - 1", "n//B <= 2**31 - 1"]
    yield sl.prove.holds("M*M*N*N >= 0", where=["M >= -9", "N >= -9"]).status
    yield sl.prove.holds("b%c + a%c >= (b + a)%c", where=["-1 <= a <= 4", "b >= 0"]).status
    yield sl.prove.fits(overflow, where=facts).status

first = [*answers()]
contexts = [z3.Context() for _ in range(8)]
print(first, [*answers()] == first)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['proved', 'proved', 'proved'] True\n"
