"""Index functions that code computes: proved for all sizes, and each with one thing wrong.

A row has a name, a claim and its facts, and refuted twins: what is replaced by what, and the sizes of
the smallest counterexample.
"""

from __future__ import annotations

from typing import NamedTuple

PIDS = (
    "map pid < M*N: first = pid//(G*N)*G; width = min(M - first, G); "
    "(first + pid%(G*N)%width, pid%(G*N)//width) in (M, N)"
)
SNAKE = "map p < M*N: i = p//N; j = p%N; (i, j if i%2 == 0 else N-1-j) in (M, N)"
SNAKES = (
    "map pid < M*N: g = pid//(G*N); width = min(M - g*G, G); n = pid%(G*N)//width; "
    "(g*G + pid%(G*N)%width, n if g%2 == 0 else N-1-n) in (M, N)"
)
DOWN = (
    "map b < M*N: first = b//(N*16)*16; k = b%(N*16); width = min(16, M - first); "
    "(first + k%width, k//width) in (M, N)"
)
ACROSS = (
    "map b < M*N: first = b//(M*16)*16; k = b%(M*16); width = min(16, N - first); "
    "(k//width, first + k%width) in (M, N)"
)
GRID = "map b < ceildiv(n, B), t < B if b*B + t < n: b*B + t in n"
TILES = (
    "map bi < ceildiv(M, B), bj < ceildiv(N, C), ti < B, tj < C "
    "if bi*B + ti < M and bj*C + tj < N: (bi*B+ti, bj*C+tj) in (M, N)"
)
WINDOW = (
    "map b < B, y < Y, x < X, u < U, v < V, c < C if 0 <= y*S + u - P and y*S + u - P < H "
    "and 0 <= x*S + v - P and x*S + v - P < W: "
    "((b*H + y*S+u-P)*W + x*S+v-P)*C + c in B*H*W*C"
)


class Twin(NamedTuple):
    """What is wrong, and the sizes at which it shows first."""

    right: str
    wrong: str
    sizes: dict[str, int]


class Row(NamedTuple):
    """A claim that is proved, and its twins that are refuted."""

    name: str
    word: str
    texts: tuple[str, ...]
    twins: tuple[Twin, ...]
    where: tuple[str, ...] = ()


def row(name: str, word: str, *texts: str, where: str = "", wrong: object = ()) -> Row:
    """A row of the table."""
    twins = tuple(Twin(*w) for w in wrong)  # type: ignore[attr-defined]
    return Row(name, word, texts, twins, tuple(where.split("; ")) if where else ())


ROWS = [
    row(
        *("grouped program ids", "bijective", PIDS),
        wrong=[
            ("min(M - first, G)", "G", {"M": 1, "N": 2, "G": 2}),
            (
                "pid%(G*N)%width, pid%(G*N)//width",
                "pid%(G*N)//width, pid%(G*N)%width",
                {"M": 1, "N": 2, "G": 1},
            ),
            ("pid//(G*N)*G", "pid//(G*N)", {"M": 3, "N": 1, "G": 2}),
        ],
    ),
    row(
        "grouped by 8",
        "bijective",
        PIDS.replace("G", "8"),
        wrong=[("M - first, 8", "M, 8", {"M": 9, "N": 2})],
    ),
    row(
        *("the older form", "bijective", PIDS.replace("pid%(G*N)%width", "pid%width")),
        where="M % G == 0",
        wrong=[("pid//(G*N)*G", "pid//(G*N)", {"M": 4, "N": 1, "G": 2})],
    ),
    row(
        "serpentine",
        "bijective",
        SNAKE,
        wrong=[("N-1-j", "N-j", {"M": 2, "N": 1}), ("i%2", "j%2", {"M": 1, "N": 2})],
    ),
    row(
        *("serpentine offsets", "bijective"),
        "map i < M, j < N: i*N + (j if i%2 == 0 else N-1-j) in M*N",
        wrong=[("N-1-j", "N-j", {"M": 2, "N": 1})],
    ),
    row(
        "grouped serpentine",
        "bijective",
        SNAKES,
        wrong=[("N-1-n", "N-n", {"M": 2, "N": 1, "G": 1})],
    ),
    row(
        "blocks of 16 down",
        "bijective",
        DOWN,
        wrong=[("min(16, M - first)", "16", {"M": 1, "N": 2})],
    ),
    row("blocks of 16 across", "bijective", ACROSS, wrong=[("N - first", "N", {"M": 2, "N": 17})]),
    row(
        *("stream-K, evenly", "bijective"),
        "map w < W, t < T//W + (1 if w < T%W else 0): w*(T//W) + min(w, T%W) + t in T",
        wrong=[
            ("min(w, T%W)", "w", {"W": 2, "T": 2}),
            ("(1 if w < T%W else 0)", "1", {"W": 1, "T": 1}),
        ],
    ),
    row(
        *("stream-K, rounded up", "bijective"),
        "map w < W, k < ceildiv(T, W) if w*ceildiv(T, W) + k < T: w*ceildiv(T, W) + k in T",
        wrong=[(" if w*ceildiv(T, W) + k < T", "", {"W": 2, "T": 1})],
    ),
    row(
        *("split-K", "bijective", "map s < S, k < K//S: s*(K//S) + k in K"),
        where="K % S == 0",
        wrong=[("s*(K//S) + k", "s*S + k", {"S": 2, "K": 2})],
    ),
    row(
        *("interleaved split-K", "bijective"),
        "map s < S, k < ceildiv(K, S) if k*S + s < K: k*S + s in K",
        wrong=[("k*S + s in", "k*S + 1 in", {"S": 1, "K": 1})],
    ),
    row(
        *("xor of columns", "bijective"),
        "map r < R, c < 64: r*64 + ((c//8) ^ (r%8))*8 + c%8 in R*64",
        wrong=[("64", "56", {"R": 2}), ("^", "|", {"R": 2})],
    ),
    row(
        *("xor by half the row", "bijective"),
        "map r < R, c < 64: (r, ((c//8) ^ (r//2%4))*8 + c%8) in (R, 64)",
        wrong=[("+ c%8", "+ c%4", {"R": 1})],
    ),
    row(
        "xor within an offset",
        "bijective",
        "map x < 64*R: x ^ (x//8%8) in 64*R",
        wrong=[("64*R: x ^ (x//8%8) in 64*R", "60*R: x ^ (x//8%8) in 60*R", {"R": 1})],
    ),
    row(
        "xor of a field",
        "bijective",
        "map x < 512*R: x ^ ((x//64%8)*8) in 512*R",
        wrong=[("x//64%8", "x//8%8", {"R": 1})],
    ),
    row(
        "two xors",
        "bijective",
        "map r < R, c < 8: r*8 + (c ^ (r%8) ^ (r//8%8)) in 8*R",
        wrong=[("c < 8: r*8", "c < 6: r*6", {"R": 1})],
    ),
    row(
        "skew",
        "bijective",
        "map i < M, j < N: (i, (i+j)%N) in (M, N)",
        wrong=[("(i+j)%N", "(i*j)%N", {"M": 1, "N": 2}), ("(i+j)%N", "i+j", {"M": 2, "N": 1})],
    ),
    row(
        "skew of offsets",
        "bijective",
        "map i < M, j < N: i*N + (i+j)%N in M*N",
        wrong=[("(i+j)%N", "(i+j)%M", {"M": 1, "N": 2})],
    ),
    row(
        "rotation",
        "bijective",
        "map i < N: (i+s)%N in N",
        wrong=[("(i+s)", "(i*s)", {"N": 2, "s": 2})],
    ),
    row(
        "rotation back",
        "bijective",
        "map i < N: (i-s)%N in N",
        wrong=[("i-s", "i//s", {"N": 2, "s": 2})],
    ),
    row(
        "reflection",
        "bijective",
        "map i < M, j < N: (M-1-i, N-1-j) in (M, N)",
        wrong=[("N-1-j", "N-j", {"M": 1, "N": 1})],
    ),
    row(
        "even and odd",
        "bijective",
        "map i < N: (i//2 if i%2 == 0 else (N+1)//2 + i//2) in N",
        wrong=[("(N+1)//2", "N//2", {"N": 3})],
    ),
    row(
        "a triangle",
        "bijective",
        "map i < N, j < i + 1: i*(i+1)//2 + j in N*(N+1)//2",
        wrong=[("i*(i+1)//2 +", "i*(i-1)//2 +", {"N": 2})],
    ),
    row(
        "below the diagonal",
        "bijective",
        "map i < N, j < i: i*(i-1)//2 + j in N*(N-1)//2",
        wrong=[("j < i:", "j <  i + 1:", {"N": 1})],
    ),
    row(
        "above the diagonal",
        "bijective",
        "map i < N, i <= j < N: i*N - i*(i-1)//2 + j - i in N*(N+1)//2",
        wrong=[("j - i in", "j in", {"N": 2})],
    ),
    row("a guarded grid", "bijective", GRID, wrong=[(" if b*B + t < n", "", {"n": 1, "B": 2})]),
    row(
        "a guarded grid of tiles",
        "bijective",
        TILES,
        wrong=[(" and bj*C + tj < N", "", {"M": 1, "B": 1, "N": 1, "C": 2})],
    ),
    row(
        "im2col",
        "bounded",
        WINDOW,
        wrong=[
            (
                " and y*S + u - P < H",
                "",
                {"B": 1, "Y": 1, "X": 1, "U": 3, "V": 2, "C": 1, "S": 1, "P": 1, "W": 1, "H": 1},
            )
        ],
    ),
    row(
        "fragments",
        "inverse",
        "map l < 32, r < 4: (l//4 + 8*(r//2), l%4*2 + r%2) in (16, 8)",
        "map i < 16, j < 8: (i%8*4 + j//2, i//8*2 + j%2) in (32, 4)",
        wrong=[("i//8*2 + j%2", "i//8 + j%2*2", {})],
    ),
    row(
        "rows and columns",
        "inverse",
        "map i < M*N: (i//N, i%N) in (M, N)",
        "map a < M, b < N: a*N + b in M*N",
        wrong=[("a*N + b", "b*M + a", {"M": 2, "N": 2})],
    ),
    row(
        "a rotation undone",
        "inverse",
        "map i < N: (i+s)%N in N",
        "map j < N: (j-s)%N in N",
        wrong=[("j-s", "j+s", {"N": 3, "s": 1})],
    ),
    row(
        "an xor undone",
        "inverse",
        "map r < R, c < 8: (r, c ^ (r%8)) in (R, 8)",
        "map r < R, c < 8: (r, (r%8) ^ c) in (R, 8)",
        wrong=[("(r%8) ^ c", "(r%4) ^ c", {"R": 5})],
    ),
    row(
        "even and odd together again",
        "inverse",
        "map i < 2*N: (i//2 if i%2 == 0 else N + i//2) in 2*N",
        "map i < 2*N: (2*i if i < N else 2*(i-N)+1) in 2*N",
        wrong=[("(i-N)+1", "(i-N)", {"N": 1})],
    ),
    row(
        "two halves",
        "disjoint",
        "map i < N: i",
        "map j < M: N + j",
        wrong=[("N + j", "j", {"N": 1, "M": 1})],
    ),
    row(
        "two parities",
        "disjoint",
        "map i < N: 2*i",
        "map j < M: 2*j + 1",
        wrong=[("2*j + 1", "3*j + 1", {"N": 3, "M": 2})],
    ),
    row(
        "bits apart",
        "bijective",
        "map a < M, b < 8: (a << 3) | b in M*8",
        wrong=[("<< 3", "<< 2", {"M": 2})],
    ),
    row(
        "the same order",
        "equal",
        SNAKE,
        "map p < M*N: i = p//N; j = p%N; (i, N-1-j if i%2 != 0 else j) in (M, N)",
        wrong=[("i%2 != 0", "i%2 == 0", {"M": 1, "N": 2})],
    ),
    row(
        "a mask",
        "bounded",
        "map a < M, b < 8: (a % 8) & b in 8",
        wrong=[("in 8", "in 6", {"M": 7})],
    ),
    row(
        "interleaved split-K, each its own count",
        "bijective",
        "map s < S, i < ceildiv(K - s, S): s + i*S in K",
        wrong=[("ceildiv(K - s, S)", "(K - s)//S", {"S": 2, "K": 1})],
    ),
    row(
        *("stream-K, tiles and steps", "bijective"),
        "map w < W, i < ceildiv(T*K, W) if w*ceildiv(T*K, W) + i < T*K: "
        "x = w*ceildiv(T*K, W) + i; (x//K, x%K) in (T, K)",
        wrong=[
            ("x%K)", "x%T)", {"W": 1, "T": 1, "K": 2}),
            (" if w*ceildiv(T*K, W) + i < T*K", "", {"W": 2, "T": 1, "K": 1}),
        ],
    ),
    row(
        *("stream-K, evenly, tiles and steps", "bijective"),
        "map w < W, i < T*K//W + (1 if w < T*K%W else 0): "
        "x = w*(T*K//W) + min(w, T*K%W) + i; (x//K, x%K) in (T, K)",
        wrong=[
            ("x%K)", "x%T)", {"W": 1, "T": 1, "K": 2}),
            ("min(w, T*K%W)", "w", {"W": 2, "T": 1, "K": 2}),
        ],
    ),
    row(
        "vectors of four below a guard",
        "bounded",
        "map b < ceildiv(n, 1024), t < 256, l < 4 if (b*256 + t)*4 < n: (b*256 + t)*4 + l in n",
        where="n % 4 == 0",
        wrong=[("l < 4", "l < 5", {"n": 4})],
    ),
    row(
        "vectors of any length below a guard",
        "bounded",
        "map b < ceildiv(n, 64*V), t < 64, l < V if (b*64 + t)*V < n: (b*64 + t)*V + l in n",
        where="n % V == 0",
        wrong=[("+ l in", "+ l + 1 in", {"n": 1, "V": 1})],
    ),
    row(
        "bits of a row and an xor, or-ed",
        "bijective",
        "map r < R, c < 8: (r << 3) | (c ^ (r & 7)) in R << 3",
        wrong=[("r & 7", "r & 15", {"R": 9}), ("r << 3) |", "r << 2) |", {"R": 2})],
    ),
    row(
        "a row of 2**K columns, swizzled",
        "bijective",
        "map r < R, c < 1 << K: (r << K) | (c ^ (r & ((1 << K) - 1))) in R << K",
        wrong=[("(r & ((1 << K) - 1))", "r", {"R": 3, "K": 1})],
    ),
    row(
        "gray codes of columns",
        "bijective",
        "map c < 64, r < R: (r, c ^ (c//2) ^ (r%64)) in (R, 64)",
        wrong=[("(c//2)", "c", {"R": 1}), ("c < 64", "c < 60", {"R": 1})],
    ),
    row(
        "xor with the digits above",
        "bijective",
        "map x < 1024*R: x ^ (x//8%32*4) in 1024*R",
        wrong=[("x//8%32*4", "x//8%32*8", {"R": 1})],
    ),
    row(
        "xor with the digits below",
        "bijective",
        "map x < 64*R: x ^ (x*2%64) in 64*R",
        wrong=[("x*2%64", "x*2%128", {"R": 1})],
    ),
    row(
        *("skew without a box", "injective", "map i < M, j < N, k < K: (i - j - 2*k, j - k, k)"),
        wrong=[("j - k, k)", "j - k, 0)", {"M": 4, "N": 2, "K": 2})],
    ),
    row(
        *("blocks of a table", "bounded"),
        "map s < S, v < B*P + 1, p < ceildiv(v, B): p in P",
        wrong=[("B*P + 1", "B*P + 2", {"S": 1, "B": 1, "P": 1})],
    ),
    row(
        *("heads that share a group", "onto", "map h < H: h//G in ceildiv(H, G)"),
        wrong=[
            ("ceildiv(H, G)", "ceildiv(H, G) + 1", {"H": 1, "G": 1}),
            ("h//G in", "h//G*2 in", {"H": 2, "G": 1}),
        ],
    ),
    row(
        *("the places of a ring", "onto", "map i < N: i % S in S"),
        where="N >= S",
        wrong=[("i % S in", "i % S*2 in", {"N": 2, "S": 2})],
    ),
    row(
        *("a load that is clamped", "onto", "map i < ceildiv(T, B)*B: min(i, T - 1) in T"),
        wrong=[("min(i, T - 1)", "min(i, T - 2)", {"T": 1, "B": 1})],
    ),
    row(
        *("the multiplier of a permutation", "bijective"),
        "map r < R, c < 64: r*64 + (c*37 + r) % 64 in R*64",
        wrong=[("c*37", "c*36", {"R": 1}), ("% 64 in", "% 63 in", {"R": 1})],
    ),
    row(
        *("every other place of an odd ring", "bijective", "map i < N: 2*i % N in N"),
        where="N % 2 == 1",
        wrong=[("2*i", "i*i", {"N": 3})],
    ),
    row(
        *("a ring that is not full", "injective", "map k < L: (t + k) % S"),
        where="L <= S",
        wrong=[("t + k", "t + k//2", {"L": 2, "t": 1, "S": 2})],
    ),
    row(
        *("diagonals and their places", "injective", "map i < M, j < N: (i - j, min(i, j))"),
        wrong=[("min(i, j)", "min(i, j, 1)", {"M": 3, "N": 3})],
    ),
    row(
        *("distances below the diagonal", "injective", "map i < N, j < N if j <= i: (i - j, i)"),
        wrong=[("i - j, i", "i - j, i//2", {"N": 2})],
    ),
    row(
        *("a band by rows", "injective"),
        "map i < N, j < N if abs(i - j) <= W: (i, j - i + W) in (N, 2*W + 1)",
        wrong=[("j - i", "j//2 - i", {"N": 2, "W": 1})],
    ),
    row(
        *("a place of its own", "valid", "map k < K, i < 8: (k, i*5 % 8) in (K, 8)"),
        wrong=[("i*5", "i*6", {"K": 1}), ("in (K, 8)", "in (K, 7)", {"K": 1})],
    ),
    row(
        *("windows of a shifted picture", "bijective"),
        "map b < B, h < H*P, w < W*P: y = (h + s) % (H*P); x = (w + s) % (W*P); "
        "((b*H + y//P)*W + x//P)*P*P + y%P*P + x%P in B*H*W*P*P",
        wrong=[
            ("(h + s) % (H*P)", "(h*s) % (H*P)", {"B": 1, "H": 1, "P": 2, "W": 1, "s": 2}),
            ("y%P*P", "y%P*W", {"B": 1, "H": 1, "P": 2, "W": 1, "s": 1}),
        ],
    ),
    row(
        *("a skew, swizzled", "bijective"),
        "map r < R, c < 32: t = (c + r) % 32; (r, t//4*4 + (t%4 ^ (r%4))) in (R, 32)",
        wrong=[("t//4*4", "t//4*3", {"R": 1}), ("(c + r) % 32", "(c + r) % 31", {"R": 1})],
    ),
    row(
        *("edges alone", "injective", "map i < N if i < s or i > t: i - s"),
        wrong=[("i - s", "i//s", {"N": 2, "s": 2, "t": 1})],
    ),
    row(
        "edges, said in two ways",
        "equal",
        "map i < N if i < s or i >= N - s: i",
        "map i < N if not (s <= i and i < N - s): i",
        wrong=[("i >= N - s", "i > N - s", {"N": 2, "s": 1})],
    ),
    row(
        *("rows of a product", "bijective", "map x < N*T: (x//K, x%K) in (N*T//K, K)"),
        where="N*T % K == 0",
        wrong=[("x%K) in", "x%T) in", {"N": 1, "T": 2, "K": 1})],
    ),
    row(
        *(
            "lanes that exchange",
            "inverse",
            "map t < W*L: t ^ m in W*L",
            "map t < W*L: t ^ m in W*L",
        ),
        where="L & (L - 1) == 0; m >= 0; m < L",
        wrong=[("map t < W*L: t ^ m", "map t < W*L: t | m", {"W": 1, "L": 2, "m": 1})],
    ),
    row(
        *("one bit of many", "bijective", "map t < N << k: t ^ (1 << j) in N << k"),
        where="k >= 0; j >= 0; j < k",
        wrong=[("(1 << j)", "(2 << j)", {"N": 1, "k": 1, "j": 0})],
    ),
    row(
        "halves of a head, side by side",
        "inverse",
        "map i < D: i//2 + (i%2)*(D//2) in D",
        "map i < D: (2*i if i < D//2 else 2*(i - D//2) + 1) in D",
        where="D % 2 == 0",
        wrong=[("(i%2)*(D//2)", "(i%2)*(D//4)", {"D": 2})],
    ),
]
