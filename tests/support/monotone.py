"""What is proved stays proved: with numbers for sizes, with more facts, and in other words.

Each proved row of the corpus is asked again: each of its sizes at nine numbers, with six more facts
for a size, and in six spellings.  A variant that is unknown is lost, and one that is refuted is wrong.

    python benchmarks/monotone.py                 # a sample of the rows
    python benchmarks/monotone.py --rows 0        # every row, which takes hours
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from random import Random
from typing import Any, NamedTuple

import corpus

import symlayout as sl

NUMBERS = (1, 2, 3, 4, 7, 8, 16, 100, 128)
FACTS = ("{n} >= 2", "{n} % 2 == 0", "{n} % 128 == 0", "{n} <= 1000000", "{n} != 7", "{m} <= {n}")
WORDS = (
    "aligned", "bijective", "bounded", "bytes", "disjoint", "divides", "equal", "fits", "formula",
    "holds", "injective", "inverse", "onto", "valid",
)  # fmt: skip
NAME = re.compile(r"(?<![\w.\"])[A-Za-z_]\w*(?![\w\"]|\s*\()")
RESERVED = {"map", "if", "else", "in", "and", "or", "not", "T", "o", "min", "max"}
BAD = ("unknown", "refuted", "crash")
Row = dict[str, Any]


class Variant(NamedTuple):
    """A row in another form: what has been changed, and how."""

    kind: str
    text: str
    row: Row


# -- numbers, facts --------------------------------------------


def sizes(row: Row) -> list[str]:
    """The sizes of a proved row: the names in the scope of its verdict that its arguments have."""
    text = " ".join(map(str, row["arguments"]))
    return [
        n for n in corpus.asked(row).least if re.search(rf"(?<![\w.]){re.escape(n)}(?!\w)", text)
    ]


def with_number(row: Row, name: str, number: int) -> Row | None:
    """The row with a number for a size; None where facts without sizes are false then."""
    word = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")

    def change(text: Any) -> Any:
        return word.sub(str(number), text) if isinstance(text, str) else text

    facts = []
    for text in map(change, row.get("where", [])):
        if NAME.search(text):
            facts.append(text)
        elif not sl.prove.holds(text).proved:
            return None
    return {**row, "arguments": [*map(change, row["arguments"])], "where": facts}


def numbers(row: Row, names: Sequence[str]) -> Iterator[Variant]:
    """Each size at each of the numbers."""
    for name in names:
        for k in NUMBERS:
            if k == 1 and "coalesce" in str(row["arguments"]):
                continue  # which leaves a dimension out that is known to be 1
            with suppress(sl.LayoutError, TypeError):
                other = with_number(row, name, k)
                if other is not None:
                    yield Variant("number", f"{name} = {k}", other)


def facts(row: Row, names: Sequence[str]) -> Iterator[Variant]:
    """One more fact."""
    for k, name in enumerate(names):
        other = names[k - 1] if len(names) > 1 else "100"
        for template in FACTS:
            fact = template.format(n=name, m=other)
            yield Variant("fact", fact, {**row, "where": [*row.get("where", []), fact]})


# -- spellings --------------------------------------------


def calls(text: str, word: str, spell: Callable[..., str]) -> str:
    """The text with each call of a function of two arguments in other words."""
    start = 0
    while (at := re.compile(rf"(?<!\w){word}\(").search(text, start)) is not None:
        depth, commas, end = 1, [], at.end()
        while depth and end < len(text):
            depth += (text[end] in "([{") - (text[end] in ")]}")
            commas += [end] if text[end] == "," and depth == 1 else []
            end += 1
        start = at.end()
        if len(commas) == 1 and not depth:
            a, b = text[start : commas[0]].strip(), text[commas[0] + 1 : end - 1].strip()
            text = text[: at.start()] + spell(a, b) + text[end:]
            start = at.start() + 1
    return text


def shifts(text: str) -> str:
    """Shifts and masks for quotients and remainders by powers of two, each in brackets."""
    operand = r"(\w+|\([^()]*\))"

    def shift(m: re.Match[str]) -> str:
        d = int(m[3])
        if d < 2 or d & (d - 1):
            return m[0]
        return f"({m[1]} >> {d.bit_length() - 1})" if m[2] == "//" else f"({m[1]} & {d - 1})"

    return re.sub(rf"(?<![\w)*/%] )(?<![\w)*/%]){operand}(//|%)(\d+)(?!\w)", shift, text)


def named(text: str) -> str:
    """A name for the first bracket of a map's results, or for the only result."""
    head, colon, tail = text.rpartition(":")
    body, *box = re.split(r"\s+in\s+", tail)
    if not text.startswith("map ") or not colon or ";" in text:
        return text
    inner = re.search(r"(?<!\w)\([^(),]*[-+*/%][^(),]*\)", body)
    part, body = inner[0] if inner else body.strip(), body.strip()
    if (part.startswith("(") and "," in part) or " if " in part:
        return text
    return f"{head}: zz = {part}; {body.replace(part, 'zz')}" + "".join(f" in {b}" for b in box)


def inlined(text: str) -> str:
    """The definitions of a map in place of their names."""
    head, colon, tail = text.partition(":")
    parts = [p.strip() for p in tail.split(";")]
    if not text.startswith("map ") or not colon or len(parts) < 2:
        return text
    table: dict[str, str] = {}
    for part in parts[:-1]:
        name, equals, value = part.partition("=")
        if not equals or not name.strip().isidentifier():
            return text
        table[name.strip()] = f"({replaced(value.strip(), table)})"
    return f"{head}: {replaced(parts[-1], table)}"


def replaced(text: str, table: dict[str, str]) -> str:
    """The text with other texts for names."""
    return re.sub(r"(?<![\w.])[A-Za-z_]\w*", lambda m: table.get(m[0], m[0]), text)


SPELLINGS: dict[str, Callable[[str], str]] = {
    "min": lambda t: calls(t, "min", lambda a, b: f"({a} if {a} <= {b} else {b})"),
    "max": lambda t: calls(t, "max", lambda a, b: f"({a} if {a} >= {b} else {b})"),
    "ceildiv": lambda t: calls(t, "ceildiv", lambda a, b: f"((({a}) + ({b}) - 1)//({b}))"),
    "shifts": shifts,
    "named": named,
    "inlined": inlined,
}


def spellings(row: Row) -> Iterator[Variant]:
    """The row in other words."""
    for kind, spell in SPELLINGS.items():
        other = [spell(a) if isinstance(a, str) else a for a in row["arguments"]]
        if other != row["arguments"]:
            yield Variant(kind, "", {**row, "arguments": other})


def variants(row: Row) -> list[Variant]:
    """All forms of a row."""
    names = sizes(row)
    return [*numbers(row, names), *facts(row, names), *spellings(row)]


# -- what becomes of them --------------------------------------------


def outcome(v: Variant) -> str:
    """The status of a variant, or the error's code: not every form is one of the language."""
    try:
        return str(corpus.asked(v.row).status)
    except sl.LayoutError as error:
        return error.code
    except Exception as error:
        return f"crash {type(error).__name__}"


def outcomes(row: Row, most: int = 0, seed: int = 0) -> list[tuple[Variant, str, float]]:
    """Some variants of a row, with what becomes of each and the seconds that it takes."""
    try:
        rows = variants(row)
    except sl.LayoutError:
        return []
    some = Random(f"{seed}{corpus.key(row)}").sample(rows, most) if 0 < most < len(rows) else rows
    results = []
    for v in some:
        start = time.process_time()
        result = outcome(v)
        results.append((v, result, time.process_time() - start))
    return results


def sample(many: int, seed: int, words: Sequence[str] = WORDS) -> list[Row]:
    """Proved rows of the corpus that are not slow; all of them for 0."""
    proved = [r for r in corpus.rows() if r.get("verdict") == "proved" and r["word"] in words]
    proved = [r for r in proved if sum(map(len, map(str, r["arguments"]))) < 400]
    return Random(seed).sample(proved, many) if 0 < many < len(proved) else proved


def text_of(v: Variant) -> str:
    """A variant as a command."""
    where = "".join(f' --where "{f}"' for f in v.row.get("where", []))
    options = "".join(f" --{k} {x}" for k, x in v.row.get("options", {}).items())
    arguments = " ".join(f'"{a}"' for a in v.row["arguments"])
    return f"{v.row['word']} {arguments}{where}{options}   # {v.kind} {v.text}".rstrip()


def lost(rows: Iterable[Row], most: int, seed: int = 0) -> list[str]:
    """The variants that are not proved, as commands."""
    return [
        f"{status}: {text_of(v)}"
        for row in rows
        for v, status, _ in outcomes(row, most, seed)
        if status.startswith(BAD)
    ]


def main(arguments: Sequence[str] | None = None, say: Callable[[str], None] = print) -> int:
    """Counts what is lost; 1 where it is anything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=300, help="proved rows of the corpus (0: all)")
    parser.add_argument("--most", type=int, default=12, help="variants of each (0: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--words", default=",".join(WORDS))
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    rows = sample(options.rows, options.seed, options.words.split(","))
    counts, kinds = Counter[str](), Counter[str]()
    with ProcessPoolExecutor(options.jobs) as pool:
        many = [options.most] * len(rows), [options.seed] * len(rows)
        for results in pool.map(outcomes, rows, *many):
            for v, status, seconds in results:
                counts[status] += 1
                if status.startswith(BAD):
                    kinds[v.kind] += 1
                    say(f"{seconds:5.1f} s {status}: {text_of(v)}")
    asked = sum(n for status, n in counts.items() if status in ("proved", "unknown", "refuted"))
    bad = sum(n for status, n in counts.items() if status.startswith(BAD))
    say(f"{asked:,} variants of {len(rows):,} rows: {bad} lost {dict(kinds)}; {dict(counts)}")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
