"""Random index functions in other systems' notations, and what each computes in plain integers."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from typing import NamedTuple


class Function(NamedTuple):
    """A text; the sizes of its domain by the package's names for them; and what it computes.

    `domain` gives the range of each coordinate, `keeps` whether a point is in the domain.
    """

    text: str
    sizes: dict[str, int]
    domain: tuple[range, ...]
    keeps: Callable[[tuple[int, ...]], bool]
    at: Callable[[tuple[int, ...]], tuple[int, ...]]


def _term(rng: random.Random, names: list[str]) -> tuple[str, Callable[[dict[str, int]], int]]:
    """A random expression of MLIR's affine ones, and its value by Python's operators."""
    a, n = rng.choice(names), rng.randint(1, 5)
    b = rng.choice(names)
    return rng.choice(
        [
            (a, lambda e: e[a]),
            (f"{a} floordiv {n}", lambda e: e[a] // n),
            (f"{a} mod {n} + {b}", lambda e: e[a] % n + e[b]),
            (f"{a} ceildiv {n}", lambda e: -(-e[a] // n)),
            (f"({a} - {b}) mod {n}", lambda e: (e[a] - e[b]) % n),
            (f"{a} * {n} - {b}", lambda e: e[a] * n - e[b]),
            (f"-{a} floordiv {n}", lambda e: -e[a] // n),
            (f"({a} + {b} * {n}) floordiv {n} mod 3", lambda e: (e[a] + e[b] * n) // n % 3),
        ]
    )


def affine(rng: random.Random) -> Function:
    """An affine map; a dimension d0 has the size D0."""
    dims = [f"d{k}" for k in range(rng.randint(1, 2))]
    symbols = rng.choice([[], ["s0"], ["s0", "s1"], ["N", "M"]])
    terms = [_term(rng, [*dims, *symbols]) for _ in range(rng.randint(1, 2))]
    head = f"({', '.join(dims)})" + (f"[{', '.join(symbols)}]" if symbols else "")
    text = f"affine_map<{head} -> ({', '.join(t for t, _ in terms)})>"
    sizes = {d.upper(): rng.randint(1, 4) for d in dims} | {s: rng.randint(1, 3) for s in symbols}

    def at(point: tuple[int, ...]) -> tuple[int, ...]:
        env = {**sizes, **dict(zip(dims, point))}
        return tuple(f(env) for _, f in terms)

    return Function(text, sizes, tuple(range(sizes[d.upper()]) for d in dims), lambda p: True, at)


def indexing(rng: random.Random) -> Function:
    """An indexing map with a domain of numbers, some below 0, values of run time, constraints."""
    names = ["d0", "d1", "s0", "rt0"]
    names = [n for n in names if n == "d0" or rng.random() < 0.5]
    kinds = {k: [n for n in names if n.startswith(k)] for k in ("d", "s", "rt")}
    terms = [_term(rng, names) for _ in range(rng.randint(1, 2))]
    ends = [(low := rng.randint(-3, 2), low + rng.randint(0, 4)) for _ in names]
    bounds = [f"{n} in [{a}, {b}]" for n, (a, b) in zip(names, ends)]
    limits: list[tuple[str, Callable[[dict[str, int]], int], int, int]] = []
    for _ in range(rng.choice([0, 0, 1, 2])):
        text, value = _term(rng, names)
        if text not in names:
            low = rng.randint(-1, 1)
            limits.append((text, value, low, low + rng.randint(0, 2)))
            bounds.append(f"{text} in [{low}, {limits[-1][3]}]")
    head = f"({', '.join(kinds['d'])})"
    braces = f"{{{', '.join(kinds['rt'])}}}" if kinds["rt"] else ""
    brackets = f"[{', '.join(kinds['s'])}]" if kinds["s"] else ""
    order = rng.random() < 0.5 or not kinds["rt"]
    head += brackets + braces if not order else braces + brackets
    given = [*kinds["d"], *(kinds["rt"] + kinds["s"] if order else kinds["s"] + kinds["rt"])]
    text = f"{head} -> ({', '.join(t for t, _ in terms)}), domain: {', '.join(bounds)}"

    def keeps(point: tuple[int, ...]) -> bool:
        env = dict(zip(given, point))
        return all(low <= value(env) <= high for _, value, low, high in limits)

    def at(point: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(f(dict(zip(given, point))) for _, f in terms)

    table = dict(zip(names, ends))
    ranges = tuple(range(table[n][0], table[n][1] + 1) for n in given)
    return Function(text, {}, ranges, keeps, at)


def einops(rng: random.Random) -> Function:
    """A pattern of two to four axes, in groups on both sides; an axis is dropped at times.

    Here and there stands a 1 alone or in a group, or a group of nothing.
    """
    axes = list("abcd"[: rng.randint(2, 4)])
    sizes = {a: rng.randint(1, 3) for a in axes}
    left = _groups(rng, rng.sample(axes, len(axes)))
    kept = rng.sample(axes, len(axes) - (rng.random() < 0.2))
    right = _groups(rng, kept)
    units = {"1": 1} if rng.random() < 0.3 else {}
    for side in (left, right) if units else ():
        side.insert(rng.randint(0, len(side)), rng.choice([["1"], []]))
        group = rng.choice(side)
        group.insert(rng.randint(0, len(group)), "1")

    both = sizes | units

    def flat(group: list[str], env: dict[str, int]) -> int:
        total = 0
        for a in group:
            total = total * both[a] + env.get(a, 0)
        return total

    def at(point: tuple[int, ...]) -> tuple[int, ...]:
        env: dict[str, int] = {}
        for x, group in zip(point, left):
            for a in reversed(group):
                x, env[a] = divmod(x, both[a])
        return tuple(flat(g, env) for g in right)

    def count(group: list[str]) -> range:
        total = 1
        for a in group:
            total *= both[a]
        return range(total)

    text = f"einops {_spelled(left)} -> {_spelled(right)}"
    return Function(text, sizes, tuple(map(count, left)), lambda p: True, at)


def _groups(rng: random.Random, axes: list[str]) -> list[list[str]]:
    groups: list[list[str]] = []
    for a in axes:
        if groups and rng.random() < 0.4:
            groups[-1].append(a)
        else:
            groups.append([a])
    return groups


def _spelled(groups: list[list[str]]) -> str:
    return " ".join(g[0] if len(g) == 1 else f"({' '.join(g)})" for g in groups)


def linear(rng: random.Random) -> Function:
    """Vectors of bits, at times dependent, at times with sizes that they do not fill."""
    axes, names = rng.randint(1, 3), rng.sample(["register", "lane", "warp", "block"], 2)
    sizes = [2 ** rng.randint(0, 2) for _ in range(axes)]
    rows = {n: [[rng.randrange(d) for d in sizes] for _ in range(rng.randint(0, 3))] for n in names}
    units = [
        [(1 << k) * (axis == a) for axis in range(axes)]
        for a, d in enumerate(sizes)
        for k in range(d.bit_length() - 1)
    ]
    if rng.random() < 0.6:  # a permutation of bits, as layouts mostly are
        rng.shuffle(units)
        cut = rng.randint(0, len(units))
        rows = dict(zip(names, (units[:cut], units[cut:])))

    def at(point: tuple[int, ...]) -> tuple[int, ...]:
        place = [0] * axes
        for x, vectors in zip(point, rows.values()):
            for k, v in enumerate(vectors):
                if x // 2**k % 2:
                    place = [a ^ b for a, b in zip(place, v)]
        return tuple(place)

    spelled = ", ".join(f"{n} {v}" for n, v in rows.items())
    text = f"linear {spelled} -> {', '.join(f'd{k} {d}' for k, d in enumerate(sizes))}"
    return Function(text, {}, tuple(range(2 ** len(v)) for v in rows.values()), lambda p: True, at)


def _powers(rng: random.Random, bits: int, rank: int) -> list[int]:
    """Powers of two whose product has so many bits."""
    made = [1] * rank
    for _ in range(bits):
        made[rng.randrange(rank)] *= 2
    return made


def _dealt(sizes: list[int], order: list[int], digits: list[int]) -> int:
    """The number whose digits these are, the first of the order the fastest."""
    total = 0
    for d in reversed(order):
        total = total * sizes[d] + digits[d]
    return total


Dealt = tuple[str, list[int], list[int], dict[tuple[int, ...], tuple[int, ...]]]


def _blocked(rng: random.Random) -> Dealt:
    """A blocked encoding: each element of the tensor, or of what is larger, is dealt to its owner."""
    rank = rng.randint(1, 2)
    shape, order = _powers(rng, rng.randint(0, 5), rank), rng.sample(range(rank), rank)
    s, t, w = _powers(rng, 2, rank), _powers(rng, 2, rank), _powers(rng, 1, rank)
    reach = [max(n, a * b * c) for n, a, b, c in zip(shape, s, t, w)]
    held = [min(n, a) for n, a in zip(shape, s)]
    again = [n // (a * b * c) for n, a, b, c in zip(reach, s, t, w)]
    owners: dict[tuple[int, ...], tuple[int, ...]] = {}
    for element in product(*map(range, reach)):
        own = [x % a for x, a in zip(element, s)]
        if any(x >= n for x, n in zip(own, held)):
            continue  # a register beyond the tensor is none
        lane = [x // a % b for x, a, b in zip(element, s, t)]
        warp = [x // (a * b) % c for x, a, b, c in zip(element, s, t, w)]
        rest = [x // (a * b * c) for x, a, b, c in zip(element, s, t, w)]
        many = _dealt(held, order, [n - 1 for n in held]) + 1
        register = _dealt(held, order, own) + many * _dealt(again, order, rest)
        owner = register, _dealt(t, order, lane), _dealt(w, order, warp), 0
        owners[owner] = tuple(x % n for x, n in zip(element, shape))
    text = f"sizePerThread = {s}, threadsPerWarp = {t}, warpsPerCTA = {w}, order = {order}"
    counts = [max(o[k] for o in owners) + 1 for k in range(4)]
    return f"#ttg.blocked<{{{text}}}>", shape, counts, owners


def _swizzled(rng: random.Random) -> Dealt:
    """A swizzle of shared memory: where each element lies."""
    shape, order = _powers(rng, rng.randint(0, 6), 2), rng.sample(range(2), 2)
    vec, per, most = (2 ** rng.randint(0, 2) for _ in range(3))
    columns = shape[order[0]]
    owners = {}
    for element in product(*map(range, shape)):
        column, row = (element[d] for d in order)
        phase = row // per % most * vec % columns
        owners[row * columns + (column ^ phase), 0] = element
    text = f"vec = {vec}, perPhase = {per}, maxPhase = {most}, order = {order}"
    return f"#ttg.swizzled_shared<{{{text}}}>", shape, [len(owners), 1], owners


def _fragments(rng: random.Random) -> Dealt:
    """Ampere's accumulators: two columns a lane, eight rows apart."""
    w = _powers(rng, rng.randint(0, 1), 2)
    shape = [16 * w[0] * 2 ** rng.randint(0, 1), 8 * w[1] * 2 ** rng.randint(0, 1)]
    owners = {}
    down, across = shape[0] // (16 * w[0]), shape[1] // (8 * w[1])
    for i, j in product(*map(range, shape)):
        inner = j % 2 + i // 8 % 2 * 2
        rest = j // (8 * w[1]) + across * (i // (16 * w[0]))
        lane, warp = i % 8 * 4 + j % 8 // 2, j // 8 % w[1] + w[1] * (i // 16 % w[0])
        owners[inner + 4 * rest, lane, warp, 0] = i, j
    text = f"versionMajor = 2, versionMinor = 0, warpsPerCTA = {w}, instrShape = [16, 8]"
    return f"#ttg.nvidia_mma<{{{text}}}>", shape, [4 * down * across, 32, w[0] * w[1], 1], owners


def _waves(rng: random.Random) -> Dealt:
    """MFMA's accumulators: four rows a lane, lanes along a row; transposed, the other way around."""
    across, edge = rng.random() < 0.5, rng.choice([16, 32])
    w = _powers(rng, rng.randint(0, 2), 2)
    shape = [edge * w[0] * 2 ** rng.randint(0, 1), edge * w[1] * 2 ** rng.randint(0, 1)]
    lanes, owners = 64 // edge, {}
    columns, held = shape[1] // (edge * w[1]), edge // lanes
    for i, j in product(*map(range, shape)):
        slow, fast = (j, i) if across else (i, j)
        lane = fast % edge + edge * (slow // 4 % lanes)
        inner = slow % 4 + 4 * (slow % edge // (4 * lanes))
        rest = j // (edge * w[1]) + columns * (i // (edge * w[0]))
        warp = j // edge % w[1] + w[1] * (i // edge % w[0])
        owners[inner + held * rest, lane, warp, 0] = i, j
    counts = [held * columns * (shape[0] // (edge * w[0])), 64, w[0] * w[1], 1]
    text = f"version = 3, warpsPerCTA = {w}, instrShape = [{edge}, {edge}, 8]"
    text += f", isTransposed = {str(across).lower()}"
    return f"#ttg.amd_mfma<{{{text}}}>", shape, counts, owners


def _exchanged(rng: random.Random) -> Dealt:
    """Tiles of shared memory of eight rows, whose vectors of 16 bytes are exchanged by the row."""
    width, bits, across = rng.choice([32, 64, 128]), rng.choice([8, 16, 32, 64]), rng.random() < 0.4
    tile, vector = 8 * width // bits, 128 // bits
    long, high = tile * 2 ** rng.randint(0, 1), 8 * 2 ** rng.randint(0, 1)
    shape, owners = [long, high] if across else [high, long], {}
    for i, j in product(*map(range, shape)):
        row, column = (j, i) if across else (i, j)
        turn = row % 8 // (128 // width) * vector
        inner = (column % tile ^ turn) + tile * row
        owners[inner + tile * high * (column // tile), 0] = i, j
    text = f"swizzlingByteWidth = {width}, transposed = {str(across).lower()}"
    return (
        f"#ttg.nvmma_shared<{{{text}, elementBitWidth = {bits}}}>",
        shape,
        [len(owners), 1],
        owners,
    )


def _turning(rng: random.Random) -> Dealt:
    """AMD's rotating swizzle: the phase, exchanged with the number of the block of rows."""
    shape, order = [2 ** rng.randint(2, 5) for _ in range(2)], rng.sample(range(2), 2)
    vec, per, most = (2 ** rng.randint(0, 2) for _ in range(3))
    columns, owners = shape[order[0]], {}
    for element in product(*map(range, shape)):
        column, row = (element[d] for d in order)
        phase = (row // per % most ^ row // per // most % most) * vec % columns
        owners[row * columns + (column ^ phase), 0] = element
    text = f"vec = {vec}, perPhase = {per}, maxPhase = {most}, order = {order}"
    return f"#ttg.amd_rotating_shared<{{{text}}}>", shape, [len(owners), 1], owners


def padded(rng: random.Random) -> Function:
    """Shared memory with empty places behind every so many elements, told off one by one."""
    shape, order = [2 ** rng.randint(0, 3) for _ in range(2)], rng.sample(range(2), 2)
    pads = [(2 ** rng.randint(0, 4), 2 ** rng.randint(0, 3)) for _ in range(rng.randint(1, 2))]
    offsets: dict[tuple[int, ...], tuple[int, ...]] = {}
    end = 0
    for number, digits in enumerate(product(*[range(shape[d]) for d in reversed(order)])):
        end += sum(many for every, many in pads if number and number % every == 0)
        place = dict(zip(reversed(order), digits))
        offsets[place[0], place[1]] = (end,)
        end += 1
    pairs = ", ".join(f"{every}:+{many}" for every, many in pads)
    text = f"#ttg.padded_shared<[{pairs}] {{order = {order}, shape = {shape}}}>"
    whole = f"{text} on {shape[0]}x{shape[1]}"
    ranges = tuple(map(range, shape))
    return Function(whole, {}, ranges, lambda p: True, lambda p: offsets[p])


def triton(rng: random.Random) -> Function:
    """An encoding of Triton's on a small tensor, or shared memory with padding."""
    return padded(rng) if rng.random() < 0.12 else encoded(rng)


def encoded(rng: random.Random) -> Function:
    """An encoding that is a linear layout."""
    text, shape, counts, owners = rng.choice(DEALT)(rng)
    dims = "x".join(map(str, shape))
    whole = rng.choice([f"{text} on {dims}", f"tensor<{dims}xf16, {text}>"])
    return Function(whole, {}, tuple(map(range, counts)), lambda p: True, lambda p: owners[p])


DEALT: tuple[Callable[[random.Random], Dealt], ...] = (
    *(_blocked, _blocked, _swizzled, _fragments),
    *(_waves, _exchanged, _turning),
)


def thread_value(rng: random.Random) -> Function:
    """Threads and values of two or three modes, a permutation of a tile's digits most of the time."""
    many = [2 ** rng.randint(0, 2) if rng.random() < 0.7 else 3 for _ in range(4)]
    strides, below = [0] * 4, 1
    for k in rng.sample(range(4), 4):
        strides[k] = below if rng.random() < 0.93 else rng.choice([0, 1, 2, below + 1])
        below *= many[k]
    cut = rng.choice([d for d in range(1, below + 1) if below % d == 0])
    tile = rng.choice([[below], [cut, below // cut], [cut, below // cut + 1]])

    def at(point: tuple[int, ...]) -> tuple[int, ...]:
        number = 0
        for x, modes in zip(point, ((0, 1), (2, 3))):
            number += x % many[modes[0]] * strides[modes[0]]
            number += x // many[modes[0]] * strides[modes[1]]
        place = []
        for d in tile[:-1]:
            place.append(number % d)
            number //= d
        return (*place, number)

    sizes, steps = (f"(({a},{b}),({c},{d}))" for a, b, c, d in (many, strides))
    text = f"tv {sizes}:{steps} on ({','.join(map(str, tile))})"
    ranges = range(many[0] * many[1]), range(many[2] * many[3])
    return Function(text, {}, ranges, lambda p: True, at)


def directions(rng: random.Random) -> Function:
    """Modes in two groups, each going some steps along a coordinate, or along a mode of one."""
    many = [rng.randint(1, 4) for _ in range(4)]
    paths = rng.choice([[(0,), (1,)], [(0,), (1, 0), (1, 1)], [(0, 1), (1,), (0, 0)], [(2,), (0,)]])
    where = [rng.choice(paths) for _ in many]
    steps, below = [], dict.fromkeys(paths, 1)
    for n, path in zip(many, where):
        steps.append(below[path] if rng.random() < 0.9 else rng.randint(0, 3))
        below[path] *= n
    used = sorted({p for p, n in zip(where, steps) if n})

    def at(point: tuple[int, ...]) -> tuple[int, ...]:
        found = dict.fromkeys(used, 0)
        for x, modes in zip(point, ((0, 1), (2, 3))):
            for k, digit in zip(modes, (x % many[modes[0]], x // many[modes[0]])):
                if steps[k]:
                    found[where[k]] += digit * steps[k]
        return tuple(found.values())

    def spelled(n: int, path: tuple[int, ...]) -> str:
        if n == 1 and rng.random() < 0.3:
            return f"E<{','.join(map(str, path))}>"
        return f"{n}{''.join(f'@{k}' for k in reversed(path))}" if n else "0"

    a, b, c, d = map(spelled, steps, where)
    shape = "(({},{}),({},{}))".format(*many)
    ranges = range(many[0] * many[1]), range(many[2] * many[3])
    if not used:
        return directions(rng)
    return Function(f"{shape}:(({a},{b}),({c},{d}))", {}, ranges, lambda p: True, at)


FUNCTIONS: dict[str, Callable[[random.Random], Function]] = {
    "affine map": affine,
    "indexing map": indexing,
    "einops": einops,
    "linear": linear,
    "Triton": triton,
    "thread-value": thread_value,
    "directions": directions,
}
