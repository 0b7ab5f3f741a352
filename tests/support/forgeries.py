"""Structural forgeries of certificates: does the recheck accept one for a false claim, or break?

    python benchmarks/forgeries.py [--count 100000] [--seed 0]

Certificates of random claims of every word are forged: any place gets a value of any JSON type; steps,
premises and goals are dropped, doubled, swapped, or taken from other certificates; claims, facts and
sizes of other claims, true and false ones, are put over a proof; terms that may have no value and come
to 0 are put into the claim, and what shows that they have one is left out; names collide, shadow what
there is, and leave their scope.  Every forgery is sealed anew.  What is accepted is judged by the
campaign's brute force over small sizes (`soundness/truth.py`), which shares nothing with the checker.
A false claim that is accepted, an accepted one that brute force cannot read, and an exception are
printed, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from soundness import asking, maps, typed
from soundness.arithmetic import names_in
from soundness.claims import WORDS
from soundness.judging import Claim, judged
from soundness.layouts import BITS, Nested, Tiled
from soundness.maps import OfMaps, claim_of
from soundness.truth import Relations, Several

from symlayout import parse, prove, recheck
from symlayout.certificate.casework import casework
from symlayout.certificate.codec import read_statement, seal
from symlayout.certificate.exact import Rejected
from symlayout.certificate.semantics import Claim as Asked
from symlayout.errors import LayoutError

Path = tuple[Any, ...]
Json = dict[str, Any]

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 7, 2**70, -(10**40), 1.5, float("inf"), float("nan")),
    *(
        "",
        "0",
        "1",
        "N",
        "M",
        "i",
        "offset",
        "q1",
        "x y",
        "0 == 0",
        "min",
        "N//2",
        "|) (assert false",
    ),
    *(
        "plain",
        "known",
        "identity",
        "smt",
        "positive",
        "let",
        "\u0430",
        "\x1b[2K",
        "((N+1)**64)**64",
    ),
    *([], {}, ["plain"], ["plain", "plain"], ["this", 0, "known"], {"x": "0"}, [[[[]]]], [None]),
    *(["let", {}], ["smt", "(check-sat)"], {"step": "fact", "fact": 0}, ["known", "known"]),
)
MOVES = (
    *("leaf", "cases", "split", "reindex", "weaken", "rewrite", "bits", "blocks", "xor", "apart"),
    *("power", "about", "box", "back"),
)
TEXTS = (
    "0",
    "1",
    "2",
    "8",
    "-1",
    "N",
    "M",
    "G",
    "r0",
    "r1",
    "a0",
    "true",
    "false",
    "known",
    "open",
    "blocks",
    "xor",
    "halves",
)
FACTS = (
    *("N == 1", "M == 1", "N >= 0", "M == N", "0 == 0", "0 == 1", "N % 2 == 0", "1//N == 1"),
    *("N != N", "K == 1", "N//0 == 0", "M*N <= 4", "N <= 3", "K == 2", "N - M > 0"),
)


# -- what is forged -------------------------------------------------------------------------------


@dataclass
class Pool:
    """Certificates with the claims that they prove, and false claims."""

    held: list[tuple[Json, Claim]] = field(default_factory=list)
    wrong: list[Claim] = field(default_factory=list)
    parts: dict[Any, list[Any]] = field(default_factory=dict)  # by the last name of their path

    def add(self, drawn: Claim) -> bool:
        """A drawn claim: into the certificates, or among what is false; whether it has a place."""
        if fails(drawn):
            self.wrong.append(drawn)
            return True
        try:
            verdict = getattr(prove, drawn.word)(
                *drawn.args, where=list(drawn.facts), **drawn.options
            )
        except LayoutError:
            return False
        made = verdict.certificate
        if made is None:
            return False
        made = json.loads(json.dumps(made))
        if "truncdiv" in str(made["facts"]) or "truncmod" in str(made["facts"]):
            return False  # brute force reads no such words
        assert recheck(made).ok, str(drawn)
        self.held.append((made, drawn))
        for path in places(made):
            self.parts.setdefault(kind_of(path), []).append(at(made, path))
        return True


# claims about index functions, whose proofs are scripts
MAPPED = ("injective", "bounded", "bijective", "onto", "valid", "equal")
OF_MAPS = {f"{word} of maps": claim_of(word) for word in MAPPED}
OF_MAPS["fits of maps"] = typed.claim
DRAWS = {**{word: row[1] for word, row in WORDS.items()}, **OF_MAPS}


def pool(each: int, seed: int, chosen: Iterable[str] = DRAWS) -> Pool:
    """So many true claims with certificates of each word, and as many false ones."""
    made = Pool()
    for word in chosen:
        draw = DRAWS[word]
        rng, before = random.Random(f"forgeries/{seed}/{word}"), (len(made.held), len(made.wrong))
        for _ in range(60 * each):
            drawn = draw(rng)
            full = len(made.held) - before[0] >= each, len(made.wrong) - before[1] >= each
            if all(full):
                break
            if len(str(drawn)) < (260 if word in OF_MAPS else 160) and not full[fails(drawn)]:
                made.add(drawn)
    return made


@dataclass(frozen=True)
class Accepted:
    """What the judge of verdicts is asked about: the claim is said to be true."""

    status: str = "proved"


def fails(drawn: Claim) -> bool:
    """Whether the claim is false, or undefined, at small sizes."""
    return bool(judged(drawn, Accepted())[0])


# -- places ---------------------------------------------------------------------------------------


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """The paths to everything inside."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, (dict, list)):
            yield from places(inner, (*path, key))


def kind_of(path: Path) -> Any:
    """What stands at a path: its last key, and for an entry of a list the list's."""
    return tuple(k if isinstance(k, str) else "#" for k in path[-2:])


def at(value: Any, path: Path) -> Any:
    """What stands at the path."""
    for key in path:
        value = value[key]
    return value


def put(value: Any, path: Path, make: Callable[[Any], Any]) -> Any:
    """A copy with `make` of what stands at the path; what it does not touch is shared."""
    if not path:
        return make(value)
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(copy[path[0]], path[1:], make)
    return copy


def without(holder: Any, key: Any) -> Any:
    """A copy without that entry."""
    if isinstance(holder, dict):
        return {k: v for k, v in holder.items() if k != key}
    return holder[:key] + holder[key + 1 :]


# -- forgeries ------------------------------------------------------------------------------------


class Forger:
    """Draws forgeries of the certificates in a pool."""

    def __init__(self, rng: random.Random, known: Pool) -> None:
        self.rng, self.known = rng, known
        self.paths = {id(c): list(places(c)) for c, _ in known.held}
        self.ways: dict[str, Callable[[Json], Json | None]] = {
            "a value of another type": self.value,
            "an entry dropped": self.drop,
            "an entry doubled": self.double,
            "two entries swapped": self.swap,
            "a part of another certificate": self.take,
            "another claim over the proof": self.claim,
            "another proof under the claim": self.proof,
            "an argument or option changed": self.argument,
            "facts changed": self.facts,
            "a name that collides or is foreign": self.name,
            "a step in another place": self.move,
            "a term that may have no value": self.undefined,
            "a script with other moves": self.script,
            "a script for another claim, its parts written anew": self.retold,
        }

    def forged(self) -> tuple[str, Json]:
        """The way that was taken, and the forgery."""
        while True:
            original, _ = self.rng.choice(self.known.held)
            way = self.rng.choice(list(self.ways))
            made = self.ways[way](original)
            if made is not None and self.rng.random() < 0.2:
                with suppress(
                    KeyError, IndexError, TypeError, AttributeError
                ):  # what it needs is gone
                    made = self.ways[self.rng.choice(list(self.ways))](made) or made
            if made is not None and made != original:
                return way, {**made, "seal": seal(made)} if "seal" in made else made

    def path(self, made: Json, wanted: Callable[[Path], bool] = lambda p: True) -> Path | None:
        """A path inside, drawn evenly over its first keys."""
        paths = [p for p in self.paths.get(id(made)) or places(made) if wanted(p)]
        if not paths:
            return None
        first = self.rng.choice(sorted({p[0] for p in paths}))
        return self.rng.choice([p for p in paths if p[0] == first])

    def value(self, made: Json) -> Json | None:
        path = self.path(made)
        new = self.rng.choice(VALUES)
        if new in ("smt", ["smt", "(check-sat)"]) and self.rng.random() < 0.8:
            return None  # the solvers take their time
        return path and put(made, path, lambda old: new)

    def drop(self, made: Json) -> Json | None:
        path = self.path(made)
        return path and put(made, path[:-1], lambda holder: without(holder, path[-1]))

    def double(self, made: Json) -> Json | None:
        path = self.path(made, lambda p: isinstance(p[-1], int))
        if path is None:
            return None
        k, n = path[-1], self.rng.randint(0, 3)
        return put(made, path[:-1], lambda s: [*s[: k + n], s[k], *s[k + n :]])

    def swap(self, made: Json) -> Json | None:
        path = self.path(made)
        if path is None:
            return None
        holder = at(made, path[:-1])
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        other, key = self.rng.choice(keys), path[-1]
        both = put(made, path, lambda old: holder[other])
        return put(both, (*path[:-1], other), lambda old: holder[key])

    def take(self, made: Json) -> Json | None:
        path = self.path(made)
        if path is None:
            return None
        new = self.rng.choice(self.known.parts.get(kind_of(path)) or [None])
        return put(made, path, lambda old: new)

    def claim(self, made: Json) -> Json | None:
        """The claim of another; with its facts, its sizes, or neither."""
        rng = self.rng
        if rng.random() < 0.6 and self.known.wrong:
            wrong = [c for c in self.known.wrong if c.word == made["claim"]["word"]]
            other = rng.choice(wrong or self.known.wrong)
        else:
            other = rng.choice(self.known.held)[1]
        claim = {"word": other.word, "arguments": list(other.args), "options": dict(other.options)}
        more = {"facts": list(other.facts)} if rng.random() < 0.7 else {}
        names = sorted({n for a in (*other.args, *other.facts) for n in words(a)})
        sizes = {n: rng.randint(1, 3) for n in names}
        return {**made, "claim": claim, **more, "sizes": {**made.get("sizes", {}), **sizes}}

    def proof(self, made: Json) -> Json | None:
        other = self.rng.choice(self.known.held)[0]
        keys = [k for k in ("by", "hint", "texts", "parts") if self.rng.random() < 0.7]
        return {**made, **{k: other[k] for k in keys}}

    def argument(self, made: Json) -> Json | None:
        rng = self.rng
        texts = [a for c in self.known.wrong for a in c.args]
        texts += [a for _, c in self.known.held for a in c.args]
        path = self.path(made, lambda p: p[:2] == ("claim", "arguments") and len(p) == 3)
        if path is None or rng.random() < 0.2:
            chosen = rng.choice([c.options for _, c in self.known.held] + [{"perm": "1,0"}])
            return put(made, ("claim", "options"), lambda old: dict(chosen))
        if rng.random() < 0.2:
            return put(made, path[:2], lambda old: [*old, rng.choice(texts)])
        return put(made, path, lambda old: rng.choice(texts))

    def facts(self, made: Json) -> Json | None:
        rng, given = self.rng, made.get("facts")
        if not isinstance(given, list):
            return None
        left = [f for f in given if rng.random() < 0.6]
        more = [rng.choice(FACTS)] if rng.random() < 0.6 or left == given else []
        return {**made, "facts": [*left, *more]}

    def name(self, made: Json) -> Json | None:
        """A new name is one that there is already, or a name that is used is one from elsewhere."""
        path = self.path(made, lambda p: len(p) > 1 and p[-2:-1] in (("new",), ("with",)))
        path = path or self.path(made, lambda p: p[-1] in ("atom", "name"))
        if path is None or not isinstance(at(made, path), str):
            return None
        there = [*made.get("sizes", {}), "i", "j", "k", "i0", "offset", "0", "1", "-1", "q1", "r2"]
        names = there + [v for v in self.known.parts.get(kind_of(path), ()) if isinstance(v, str)]
        return put(made, path, lambda old: self.rng.choice(names))

    def move(self, made: Json) -> Json | None:
        """A step before or behind where it was, or in another part."""
        parts = [k for k, v in made.get("parts", {}).items() if isinstance(v, dict)]
        full = [k for k in parts if isinstance(made["parts"][k].get("steps"), list)]
        full = [k for k in full if made["parts"][k]["steps"]]
        if not full:
            return None
        source, target = self.rng.choice(full), self.rng.choice(full)
        n = self.rng.randrange(len(made["parts"][source]["steps"]))
        step = made["parts"][source]["steps"][n]
        out = put(made, ("parts", source, "steps"), lambda s: s[:n] + s[n + 1 :])
        k = self.rng.randint(0, len(out["parts"][target]["steps"]))
        return put(out, ("parts", target, "steps"), lambda s: [*s[:k], step, *s[k:]])

    def script(self, made: Json) -> Json | None:
        """Moves of a proof by cases dropped, doubled, swapped, taken from elsewhere, or changed."""
        texts = made.get("texts")
        script = texts.get("script") if isinstance(texts, dict) else None
        if not isinstance(script, list) or not script:
            return None
        return put(made, ("texts", "script"), lambda old: self.moved(list(old)))

    def undefined(self, made: Json) -> Json | None:
        """A claim about the same values, of which some are computed from what may divide by 0."""
        args = made["claim"].get("arguments") if isinstance(made.get("claim"), dict) else None
        if not isinstance(args, list) or not all(isinstance(a, str) for a in args):
            return None
        own = [k for k, a in enumerate(args) if re.match(r"map [\w-]", a)]
        if not own or (made.get("by") != "script" and self.rng.random() < 0.5):
            return None
        k = self.rng.choice(own)
        try:
            m = maps.taken_apart(" ".join(maps._words(args[k])))
            text = maps.vanished(self.rng, m).text
        except (ValueError, SyntaxError):
            return None
        if self.rng.random() < 0.3:
            text = weakened(self.rng, text, [name for name, *_ in m.domain])
        out = put(made, ("claim", "arguments", k), lambda old: text)
        out["sizes"] = {**dict.fromkeys(words(text), 1), **made.get("sizes", {})}
        kind = self.rng.random()
        return self.told(out) if kind < 0.2 else self.untold(out) if kind < 0.6 else out

    def told(self, made: Json) -> Json | None:
        """With what the author of certificates finds for the demands, at their points as they are."""
        main = self.untold(made)["texts"].get("script", [])
        try:
            claim = Asked(read_statement(made["claim"], made["facts"]))
            many = range(len(claim.duties))
            rows = [["about", *map(str, many)], ["cases"], *[["leaf"] for _ in many]]
            found = casework(claim, [*main, *rows], brief=True)
        except (LayoutError, Rejected, TypeError, ValueError, KeyError, IndexError):
            return None
        return found and {**made, "by": "script", **found, "sizes": dict.fromkeys(claim.names, 1)}

    def untold(self, made: Json) -> Json:
        """Without the moves, and some of the last parts, by which demands are shown."""
        script = made["texts"].get("script", [])
        rows = [row[:1] for row in script]
        end = rows.index(["about"]) if ["about"] in rows else len(script)
        order = sorted(made["parts"], key=lambda name: int((re.match(r"\d+", name) or "0")[0]))
        kept = order[: len(order) - self.rng.randrange(4)]
        texts = {**made["texts"], "script": script[:end]} if script else made["texts"]
        return {**made, "texts": texts, "parts": {name: made["parts"][name] for name in kept}}

    def moved(self, script: list[Any]) -> list[Any]:
        """A script with something changed."""
        if not script:  # all of its moves have been dropped
            return [["cases"]]
        rng, k = self.rng, self.rng.randrange(len(script))
        others = [c["texts"]["script"] for c, _ in self.known.held if c["by"] == "script"]
        other = rng.choice(rng.choice(others)) if others else ["leaf"]
        match rng.randrange(6):
            case 0:
                return script[:k] + script[k + 1 :]
            case 1:
                return script[: k + 1] + script[k:]
            case 2:
                n = rng.randrange(len(script))
                script[k], script[n] = script[n], script[k]
            case 3:
                script.insert(k, other)
            case 4:
                script[k] = other
            case _:
                move = script[k]
                if isinstance(move, list) and move:
                    n = rng.randrange(len(move))
                    same = [m[n] for m in script if isinstance(m, list) and len(m) > n]
                    new = rng.choice([*same, *MOVES]) if n == 0 else rng.choice([*same, *TEXTS])
                    script[k] = [*move[:n], new, *move[n + 1 :]]
        return script

    def retold(self, made: Json) -> Json | None:
        """What the author of certificates makes of a false claim, led by the script of a true one."""
        alike = [c for c in self.known.wrong if c.word == made["claim"]["word"]]
        if made.get("by") != "script" or not alike or self.rng.random() < 0.7:
            return None  # it takes its time
        other, script = self.rng.choice(alike), made["texts"]["script"]
        statement = {
            "word": other.word,
            "arguments": list(other.args),
            "options": dict(other.options),
        }
        for _ in range(self.rng.randrange(3)):
            script = self.moved(list(script))
        try:
            claim = Asked(read_statement(statement, list(other.facts)))
            found = casework(claim, script, brief=True)
        except (LayoutError, Rejected, TypeError, ValueError, KeyError, IndexError):
            return None
        if found is None:
            return None
        forged = {**made, "claim": statement, "facts": list(other.facts), **found}
        return {**forged, "sizes": dict.fromkeys(claim.names, 1)}


def weakened(rng: random.Random, text: str, names: list[str]) -> str:
    """A map's text with a divisor that may be 0."""
    places = [m.end() for m in re.finditer(r"// \(?|% \(?", text)]
    if not places:
        return text
    at = rng.choice(places)
    new = f"0*{rng.choice(names)} + " if text[at - 1] == "(" else f"{rng.choice(names)} * "
    return text[:at] + new + text[at:]


def words(text: str) -> list[str]:
    """The names in the text of an argument, none where it is no expression."""
    found = re.findall(r"(?<![\w\[])[A-Za-z_]\w*(?![\w(\[{:])", text)
    return [w for w in found if w not in ("strided", "strides", "offset", "o", "L", "T", "and")]


# -- judging --------------------------------------------------------------------------------------

TEXT_FIELDS = {
    "bounded": "limit",
    "bytes": "expression",
    "formula": "written",
    "aligned": "bytes",
}
FLAT = r"\(([^():]*)\):\(([^():]*)\)"  # shape:stride without modes in modes


def emitted_formula(text: str, facts: list[str]) -> str | None:
    """The formula that is emitted for a layout; None where its text cannot be read."""
    try:
        return str(parse(text).index_map().under(facts))
    except LayoutError:
        return None


class Judge:
    """What brute force says of an accepted certificate's claim."""

    def __init__(self, known: Pool) -> None:
        self.drawn = [c for _, c in known.held] + known.wrong
        self.layouts = {}
        for c in self.drawn:
            for f in fields(c.truth):
                held = getattr(c.truth, f.name)
                if hasattr(held, "text"):
                    self.layouts[held.text] = held
        self.said: dict[str, bool | None] = {}

    def false(self, made: Json) -> bool | None:
        """Whether the claim is false at small sizes; None where it cannot be judged."""
        key = json.dumps([made["claim"], made["facts"]], sort_keys=True)
        if key not in self.said:
            claim = self.claim(made["claim"], made["facts"])
            self.said[key] = None if claim is None else fails(claim)
        return self.said[key]

    def alike(self, c: Claim, options: dict[str, str]) -> bool:
        """Whether a claim's meaning has these options, or takes them from its arguments."""
        loose = {"formula": ("language",), "aligned": ("dim",)}.get(c.word, ())
        free = ("coords",) if c.word == "formula" else ()
        own = {k: v for k, v in c.options.items() if k not in loose or k in options}
        both = ({k: v for k, v in o.items() if k not in free} for o in (own, options))
        return next(both) == next(both)

    def broadcast(self, args: tuple[str, ...], options: dict[str, str]) -> Any:
        """What a broadcast of static shapes demands; None for bounds and other notations."""
        texts = [shape_of(a) for a in args]
        found = [re.fullmatch(r"(\w+)\[([^\[\]<?]*)\](\{.*\})?", a) for a in texts]
        if None in found:
            return None
        types = [m[1] for m in found if m]
        a, b = ([w for w in m[2].split(",") if w] for m in found if m)
        dialect, text = options.get("dialect", "xla"), options.get("dims", "")
        dims, rank = [int(w) for w in re.findall(r"-?\d+", text)], max(len(a), len(b))
        if dialect == "numpy":
            fits, both = not dims, list(zip(a[::-1], b[::-1]))
        elif dialect == "xla" and len(a) == len(b):
            fits, both = dims in ([], list(range(rank))), list(zip(a, b))
        else:
            small, large = (a, b) if dialect != "xla" or len(a) < len(b) else (b, a)
            fits = len(dims) == len(small) == len(set(dims))
            fits = fits and all(0 <= d < len(large) for d in dims)
            fits = fits and (dialect != "xla" or dims == sorted(dims))
            both = [(x, large[d]) for x, d in zip(small, dims)] if fits else []
        floats = all(re.match(r"b?f\d", t) for t in types) and dialect != "stablehlo"
        fits = fits and (dialect == "numpy" or floats or types[0] == types[1] or "f0" in types)
        one = {"hlo": "", "stablehlo": "({x}) == 1 or "}.get(
            dialect, "({x}) == 1 or ({y}) == 1 or "
        )
        needs = [(one + "({x}) == ({y})").format(x=x, y=y) for x, y in both]
        needs += [f"({d}) >= 0" for d in (*a, *b)] + ([] if fits else ["0 == 1"])
        return Relations(tuple(names_in(*a, *b)), tuple(needs))

    def claim(self, claim: Json, facts: list[str]) -> Claim | None:
        """The drawn claim of these texts, or one whose parts are exchanged as the texts are."""
        word, args = claim["word"], tuple(claim["arguments"])
        options = {k: v for k, v in claim["options"].items() if (k, v) != ("dialect", "xla")}
        formula = options.pop("formula", None) if word == "fits" else None
        if formula is not None and formula != emitted_formula(args[0], facts):
            return None  # what is drawn is about the emitted one
        options = {k: v.replace(" ", ",") for k, v in options.items()}
        for c in self.drawn:
            own = {k: v for k, v in c.options.items() if (k, v) != ("dialect", "xla")}
            own = {k: v.replace(" ", ",") for k, v in own.items()}
            if (c.word, c.args, own) == (word, args, options):
                return replace(c, facts=tuple(facts))
        if args[0].startswith("map ") and not options:
            with suppress(ValueError, SyntaxError):
                truth = of_maps(word, args)
                return truth and Claim(word, args, tuple(facts), truth, "map", options)
        if word == "broadcast":
            truth = self.broadcast(args, claim["options"])
            return truth and Claim(word, args, tuple(facts), truth, "", claim["options"])
        for c in self.drawn:
            if c.word == word and len(c.args) == len(args):
                given = replace(c, options=options) if word in ("formula", "aligned") else c
                given = given if "dim" not in c.options or "dim" not in options else c
                truth = self.truth(given, args, facts) if self.alike(c, options) else None
                if truth is not None:
                    return replace(c, args=args, facts=tuple(facts), truth=truth)
        return None

    def meant(self, text: str) -> None:
        """Takes up a layout that no claim was drawn with and that says all in few words."""
        plain = re.fullmatch(r"(\w+)\[([^\]\[]*)\](?:\{([\d,]*)(?::T((?:\([^()]*\))+))?\})?", text)
        if re.fullmatch(r"\d{1,3}", text):  # one mode, compact
            self.layouts.setdefault(text, Nested.of([text], ["1"]))
        elif plain and plain[1] in BITS:  # row-major, or in the order that it says
            dims = plain[2].split(",") if plain[2].strip() else []
            order = [int(k) for k in plain[3].split(",")] if plain[3] else range(len(dims))[::-1]
            tiles = [t.split(",") for t in re.findall(r"\(([^()]*)\)", plain[4] or "")]
            made = Tiled.of(plain[1], dims, order, tiles)
            self.layouts.setdefault(text, replace(made, text=text))

    def truth(self, c: Claim, args: tuple[str, ...], facts: list[str]) -> Any:
        """The meaning of a claim with other arguments, where they are known."""
        made = c.truth
        names = dict.fromkeys(c.truth.names)
        for k, (old, new) in enumerate(zip(c.args, args)):
            if old == new:
                continue
            key = ("a", "b")[k]
            self.meant(new)
            if k and c.word == "fits":
                made = replace(made, bits=int(new))
            elif k and c.word == "tiles" and (flat_tile := re.fullmatch(FLAT, new)):
                tile = Nested.of(flat_tile[1].split(","), flat_tile[2].split(","))
                made = replace(made, tile=tile)
                names.update(dict.fromkeys(names_in(flat_tile[1], flat_tile[2])))
            elif k and c.word == "tiles" and not re.search(r"[:()\[]", new):
                made = replace(made, tile=tuple(new.split(",")))
                names.update(dict.fromkeys(names_in(new)))
            elif new in self.layouts and hasattr(made, key) and hasattr(getattr(made, key), "text"):
                made = self.exchanged(made, key, self.layouts[new])
                names.update(dict.fromkeys(order(self.layouts[new])))
            elif k and c.word in TEXT_FIELDS:
                made = replace(made, **{TEXT_FIELDS[c.word]: new})
                names.update(dict.fromkeys(names_in(new)))
            elif c.word == "divides" and len(args) == 2:
                made = replace(made, **{("d", "x")[k]: new})
                names.update(dict.fromkeys(names_in(new)))
            elif k and c.word == "padding":
                made = replace(made, ratio=Fraction(new))
            elif c.word == "holds":
                made = replace(made, needs=tuple(new.split(" and ")))
                names.update(dict.fromkeys(names_in(new)))
            else:
                return None
        if c.word == "fits":  # of the code that is emitted for this layout
            lines, coords = asking.emitted(made.a.text, facts)
            made = replace(made, lines=lines, coords=coords)
        if c.word == "formula" and "coords" in c.options:
            made = replace(made, coords=tuple((n,) for n in c.options["coords"].split(",")))
        elif c.word == "formula":
            short = "ijk" if len(made.a.dims) <= 3 else ""
            known = [(f"i{k}", *short[k : k + 1]) for k in range(len(made.a.dims))]
            made = replace(made, coords=tuple(known))
        if c.word == "formula" and "language" not in c.options:
            made = replace(made, c=bool(re.search(r"(?<!/)/(?!/)", made.written)))
        if c.word == "aligned" and "dim" not in c.options:
            made = replace(made, dim=rows_of(made.a))
        return replace(made, names=tuple(names))

    def exchanged(self, truth: Any, key: str, layout: Any) -> Any:
        """The meaning with another layout in all of it."""
        if isinstance(truth, Several):
            parts = tuple(self.exchanged(p, key, layout) for p in truth.parts)
            return replace(truth, a=layout, parts=parts)
        return replace(truth, **{key: layout})


def shape_of(text: str) -> str:
    """The array of an operand of a broadcast, where its text is no array of XLA itself."""
    to = re.search(r"\bto=(\w+\[[^\]]*\])", text)
    if to:
        return to[1]
    if text.isdigit():
        return f"f0[{text}]"
    if word := re.fullmatch(r"(?:Vector|RowMajor|ColumnMajor)\((?:[a-z]+\d+, )?([^()]+)\)", text):
        return f"f0[{word[1]}]"
    shape = text.partition(":")[0] if re.fullmatch(r"[\w,():*+ ]+", text) else ""
    if not shape.startswith("("):
        return text
    modes = ast.parse(shape.replace(")", ",)"), mode="eval").body
    assert isinstance(modes, ast.Tuple)
    return f"f0[{','.join('*'.join(flat(mode)) for mode in modes.elts)}]"


def flat(mode: ast.expr) -> list[str]:
    """The sizes of a mode, which may have modes of its own."""
    if isinstance(mode, ast.Tuple):
        return [x for part in mode.elts for x in flat(part)]
    return [f"({ast.unparse(mode)})" if isinstance(mode, ast.BinOp) else ast.unparse(mode)]


def of_maps(word: str, args: tuple[str, ...]) -> Any:
    """The meaning of a claim about index functions; None for one that these are not judged by."""
    if word == "bounded" and len(args) == 2 and not args[1].startswith("map "):
        args = (f"{args[0].rpartition(' in ')[0]} in {args[1]}",)  # the limit, instead of the box
    maps_of = args[:1] if word == "fits" else args
    texts = tuple(" ".join(maps._words(a)) for a in maps_of)
    sizes = tuple(sorted({w for a in texts for w in maps._words(a) if w in ("M", "N", "G")}))
    for text in texts:
        maps.taken_apart(text)
    if word == "fits":  # the width is one of the arguments, and may be left out
        return typed.OfTypes(sizes, texts, int(args[1]) if len(args) > 1 else None)
    if word not in (*MAPPED, *maps.PAIRS) or not all(a.startswith("map ") for a in args):
        return None
    return OfMaps(sizes, word, texts)


def rows_of(layout: Any) -> int | None:
    """The dimension whose coordinate 1 lies nearest to coordinate 0, all sizes being 64."""
    rank, env = len(layout.dims), {n: np.array([64]) for n in order(layout)}
    unit = [[np.array([int(j == k)]) for j in range(rank)] for k in range(-1, rank)]
    first, *others = [int(np.asarray(layout.offsets(c, env)).flat[0]) for c in unit[:1] + unit[1:]]
    steps = [(abs(v - first), -k) for k, v in enumerate(others) if layout.dims[k] != "1"]
    return -min((s for s in steps if s[0]), default=(0, 1))[1] if any(s for s, _ in steps) else None


@lru_cache(maxsize=1000)
def order(layout: Any) -> tuple[str, ...]:
    """The sizes of a layout."""
    from soundness.truth import order_of

    return order_of(layout)


# -- the run --------------------------------------------------------------------------------------


def run(count: int, seed: int, known: Pool) -> tuple[Counter[str], list[str]]:
    """How many forgeries of each kind were rejected or accepted; and what is wrong."""
    forger, judge = Forger(random.Random(f"forger/{seed}"), known), Judge(known)
    originals = {json.dumps([c["claim"], c["facts"]], sort_keys=True) for c, _ in known.held}
    seen: Counter[str] = Counter()
    wrong = []
    for n in range(count):
        way, made = forger.forged()
        try:
            answer = recheck(made)
        except Exception as error:  # a finding, not the end of the run
            wrong.append(f"{n}: {way}: {type(error).__name__}: {str(error)[:200]}")
            seen["EXCEPTION"] += 1
            continue
        if not answer.ok:
            seen[f"rejected: {way}"] += 1
            continue
        if json.dumps([made["claim"], made["facts"]], sort_keys=True) in originals:
            seen["accepted: a claim that has a proof, another proof"] += 1
            continue
        try:
            false = judge.false(made)
        except (IndexError, KeyError, NameError, AssertionError, LayoutError) as error:
            wrong.append(f"{n}: {way}: the judge has {error!r}: {answer.claim}")
            seen["NOT JUDGED"] += 1
            continue
        if false is False:
            seen["accepted: another claim or other facts, true by brute force"] += 1
            continue
        seen["FALSE" if false else "NOT JUDGED"] += 1
        wrong.append(f"{n}: {way}: {'false' if false else 'not judged'}: {answer.claim}")
    return seen, wrong


def main() -> int:
    """Runs and prints the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--count", type=int, default=100_000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--each", type=int, default=3, help="claims of each word")
    args = options.parse_args()
    start = time.perf_counter()
    known = pool(args.each, args.seed)
    spent = time.perf_counter() - start
    print(f"{len(known.held)} certificates, {len(known.wrong)} false claims, {spent:.0f} s")
    start = time.perf_counter()
    seen, wrong = run(args.count, args.seed, known)
    for name, number in sorted(seen.items()):
        print(f"{number:>8}  {name}")
    print(f"{time.perf_counter() - start:.0f} s; wrong: {len(wrong)} of {args.count}")
    for line in wrong[:40]:
        print(f"  {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
