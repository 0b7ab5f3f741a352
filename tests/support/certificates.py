"""Mutated certificates: how many does the recheck accept whose meaning has changed?

    python benchmarks/certificates.py [--count 10000] [--seed 0]

Certificates of claims of every kind are changed in one random place: a number by one, a sign, an
operator, a name, a bound, a fact, a step dropped, two steps swapped, two values exchanged.  A mutant
is "neutral" when its claim, facts and sizes are what they were, or when the changed claim is true as
well: the prover must say "proved", or no small sizes may fail.  Every accepted mutant that is not
neutral is printed, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

from symlayout import parse, prove, recheck
from symlayout.certificate.codec import seal
from symlayout.errors import LayoutError

# (word, arguments, options, facts)
CLAIMS: tuple[tuple[str, tuple[str, ...], dict[str, str], tuple[str, ...]], ...] = (
    ("equal", ("f32[M,N]{1,0}", "strided f32[M,N] strides(N,1)"), {}, ("M >= 2",)),
    ("equal", ("f32[M,N]{1,0:T(8,128)}", "f32[M,N]{1,0:T(8,128)(1,128)}"), {}, ("N % 128 == 0",)),
    (
        "formula",
        ("f32[M,N]{1,0:T(8,128)}", "(i//8*(N//128) + j//128)*1024 + i%8*128 + j%128"),
        {},
        ("N % 128 == 0",),
    ),
    ("formula", ("f32[M,N]{0,1}", "c*M + r"), {"coords": "r c"}, ()),
    ("injective", ("bf16[M,N]{1,0:T(8,128)(2,1)}",), {}, ()),
    ("injective", ("strided f32[M,N] strides(P,1)",), {}, ("P >= N",)),
    ("bounded", ("f32[M,N]{1,0:T(8,128)}",), {}, ()),
    ("bounded", ("f32[M,N]{1,0}", "4096"), {}, ("M*N <= 4096",)),
    ("onto", ("f32[M,N]{1,0:T(8,128)}",), {}, ("M % 8 == 0", "N % 128 == 0")),
    ("bijective", ("f32[M,N,K]{0,2,1}",), {}, ()),
    ("bijective", ("f32[M,N]{1,0:T(8,128)}",), {}, ("M % 8 == 0", "N % 128 == 0")),
    ("valid", ("f32[M,N]{1,0:T(2,4)}",), {}, ()),
    ("bitcast", ("f32[M,N]{1,0}", "f32[N,M]{0,1}"), {"perm": "1,0"}, ()),
    ("bitcast", ("f32[M,N,8]{2,1,0}", "f32[M,8*N]{1,0}"), {}, ()),
    ("reinterpret", ("f32[M,N]{1,0:T(8,128)}", "f32[N,M]{0,1:T(8,128)}"), {}, ()),
    ("reinterpret", ("f32[M,N]{1,0}", "bf16[M,2*N]{1,0}"), {}, ()),
    ("padding", ("f32[M,N]{1,0:T(8,128)}", "4"), {}, ("M >= 8", "N >= 128")),
    ("divides", ("f32[M,N]{1,0:T(8,128)}",), {}, ("M % 16 == 0", "N % 128 == 0")),
    ("divides", ("6", "M*N"), {}, ("M % 2 == 0", "N % 3 == 0")),
    ("aligned", ("f32[M,N]{1,0}", "64"), {}, ("N % 16 == 0",)),
    ("bytes", ("bf16[M,N]{1,0}", "2*M*N"), {}, ()),
    ("holds", ("L*d + e < P*d",), {}, ("0 <= e < d", "0 <= L < P")),
    ("holds", ("(x//a)//b == x//(a*b)",), {}, ()),
    ("fits", ("f32[M,N]{1,0}", "32"), {}, ("M <= 4096", "N <= 4096")),
    (
        "inverse",
        ("map i < M*N: (i//N, i%N) in (M, N)", "map a < M, b < N: a*N + b in M*N"),
        {},
        (),
    ),
    ("disjoint", ("map i < N: 2*i", "map j < M: 2*j + 1"), {}, ()),
    ("bijective", ("map r < R, c < 8: (r, c ^ (r%8)) in (R, 8)",), {}, ()),
    ("bijective", ("map i < 2*N: (i//2 if i%2 == 0 else N + i//2) in 2*N",), {}, ()),
    ("bounded", ("map i < N, j < i + 1 if j > 2: i*N + j in N*N",), {}, ()),
    ("tiles", ("zN(f16, R, C)", "16,32"), {}, ("C >= 32",)),
    ("broadcast", ("f32[M,N]", "f32[K]"), {"dims": "1"}, ("K == N",)),
    ("instruction", ("f32[N,M] transpose(f32[M,N]), dimensions={1,0}",), {}, ()),
    ("padding", ("f32[M,N]{1,0}", "1"), {}, ("M <= N",)),
)


def certificates() -> list[dict[str, Any]]:
    """The certificates of the claims, as they come back from a file."""
    made = []
    for word, args, options, facts in CLAIMS:
        verdict = getattr(prove, word)(*args, where=list(facts), **options)
        certificate = json.loads(json.dumps(verdict.certificate))
        answer = recheck(certificate)
        assert answer.ok, (word, args, answer)
        made.append(certificate)
    return made


# -- mutations --------------------------------------------


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to everything inside."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, (dict, list)):
            yield from places(inner, (*path, key))


def mutant(rng: random.Random, certificate: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """What was changed, and the changed certificate."""
    changed = copy.deepcopy(certificate)
    path = rng.choice(list(places(changed)))
    holder: Any = changed
    for key in path[:-1]:
        holder = holder[key]
    key = path[-1]
    holder[key] = _changed(rng, holder, key)
    if holder[key] is None:
        del holder[key]
    return "/".join(map(str, path)), changed


def _changed(rng: random.Random, holder: Any, key: Any) -> Any:
    """Another value for the place; None: it is to be removed."""
    old = holder[key]
    if isinstance(old, bool) or old is None:
        return "0"
    if isinstance(old, int):
        return old + rng.choice((-1, 1))
    if isinstance(old, str):
        return _text(rng, old)
    if isinstance(old, list) and len(old) > 1 and rng.random() < 0.7:
        a, b = rng.sample(range(len(old)), 2)
        made = list(old)
        if rng.random() < 0.5:
            made[a], made[b] = made[b], made[a]
        else:
            del made[a]
        return made
    if isinstance(holder, (list, dict)) and len(holder) > 1 and rng.random() < 0.5:
        others = [
            k for k in (holder if isinstance(holder, dict) else range(len(holder))) if k != key
        ]
        return copy.deepcopy(holder[rng.choice(list(others))])
    return None


def _text(rng: random.Random, old: str) -> str:
    """The text with one number, operator or name changed."""
    spots = list(re.finditer(r"\d+|[-+*%<>=/]+|[A-Za-z_]+", old))
    if not spots:
        return old + "1"
    spot = rng.choice(spots)
    word = spot.group()
    if word.isdigit():
        new = str(max(0, int(word) + rng.choice((-1, 1))))
    elif re.match(r"\w", word):
        new = rng.choice([s.group() for s in spots if re.match(r"[A-Za-z_]", s.group())] + ["M"])
    else:
        new = rng.choice(["+", "-", "*", "//", "%", "==", ">=", "<=", "!=", "<", ">"])
    return old[: spot.start()] + new + old[spot.end() :]


# -- what an accepted mutant means --------------------------------------------


def meaning(certificate: dict[str, Any]) -> tuple[Any, ...]:
    """What a certificate says: the claim and its facts."""
    return json.dumps(certificate["claim"], sort_keys=True), tuple(certificate["facts"])


def true(certificate: dict[str, Any]) -> bool:
    """Whether the claim of an accepted mutant is proved on its own, or has no counterexample.

    A fact about a name that the claim has not says nothing of it.  That a layout fits by a formula
    means that the formula is right, and that its values fit.
    """
    claim, options = certificate["claim"], dict(certificate["claim"]["options"])
    arguments, formula = claim["arguments"], options.pop("formula", None)
    asked = [(claim["word"], arguments, options)]
    try:
        layouts = [parse(a).index_map() for a in arguments[:1]] if formula else []
        for m in layouts:
            domain = ", ".join(f"{c} < {d}" for c, d in zip(m.coords, m.shape))
            own = {"coords": ",".join(map(str, m.coords))}
            asked = [("formula", [arguments[0], formula], own)]
            asked += [("fits", [f"map {domain}: {formula}", *arguments[1:]], options)]
        names = {w for a in arguments for w in re.findall(r"[A-Za-z_]\w*", a)}
        facts = [f for f in certificate["facts"] if {*re.findall(r"[A-Za-z_]\w*", f)} <= names]
        verdicts = [getattr(prove, w)(*a, where=facts, **more) for w, a, more in asked]
    except LayoutError:
        return False
    return all(v.status in ("proved", "unknown") for v in verdicts)


def campaign(
    count: int, seed: int, originals: list[dict[str, Any]]
) -> tuple[Counter[str], list[str]]:
    """How many mutants were rejected, or accepted and neutral; and the others."""
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    wrong = []
    while seen.total() - seen["rejected, with the step's name"] < count:
        original = rng.choice(originals)
        where, changed = mutant(rng, original)
        if changed == original:
            continue
        if "seal" in changed and changed["seal"] == original["seal"]:
            changed["seal"] = seal(changed)  # a mutant that only a checksum finds shows nothing
        answer = recheck(changed)
        if not answer.ok:
            seen["rejected"] += 1
            seen["rejected, with the step's name"] += bool(answer.failures and answer.failures[0])
        elif meaning(changed) == meaning(original):
            seen["accepted: the same claim and facts, another proof"] += 1
        elif true(changed):
            seen["accepted: another claim or fact, proved as well"] += 1
        else:
            seen["WRONG"] += 1
            wrong.append(f"{where}: {answer.claim} where {changed['facts']}")
    return seen, wrong


def main() -> int:
    """Runs the campaign and prints the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--count", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=0)
    args = options.parse_args()
    start = time.perf_counter()
    originals = certificates()
    print(f"{len(originals)} certificates in {time.perf_counter() - start:.1f} s")
    start = time.perf_counter()
    seen, wrong = campaign(args.count, args.seed, originals)
    for name, number in sorted(seen.items()):
        print(f"{number:>8}  {name}")
    print(
        f"{time.perf_counter() - start:.1f} s; accepted although the meaning changed: {len(wrong)}"
    )
    for line in wrong:
        print(f"  {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
