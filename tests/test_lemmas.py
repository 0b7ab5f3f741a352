"""The laws of certificates: proved by two solvers, and true where plain integers say so."""

from __future__ import annotations

import ast
import operator
import random
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import product
from math import prod, trunc
from pathlib import Path
from types import CodeType
from typing import Any

import cvc5
import lemmas
import pytest

ROOT = Path(__file__).parents[1]

KEPT = ROOT / "proofs" / "lemmas"

UNSAT = {"Z3": "unsat", "cvc5": "unsat"}

ROWS = tomllib.loads((ROOT / "symlayout" / "certificate" / "lemmas.toml").read_text())

BY = tomllib.loads((KEPT / "by.toml").read_text())

OBLIGATIONS = [o for made in lemmas.everything().values() for o in made]

OF_INTEGERS = [o for o in OBLIGATIONS if not o.name.startswith("R12")]

by_name = {"ids": lambda o: o.name}

# -- plain integers, without our reader ----------------------------------------------------------

WORDS = {
    "min": min,
    "max": max,
    "ceildiv": lambda a, b: -(-a // b),
    "truncdiv": lambda a, b: trunc(Fraction(a, b)),
    "truncmod": lambda a, b: a - b * trunc(Fraction(a, b)),
}

REACH = {1: 30, 2: 12, 3: 6, 4: 4, 5: 3}


@cache
def compiled(text: str) -> CodeType:
    return compile(text, text, "eval")


def variables(row: dict[str, Any]) -> list[str]:
    text = " ".join([*row.get("if", ()), *row["then"], *row.get("new", {}).values()])
    return sorted(set(re.findall(r"[A-Za-z_]\w*", text)) - {*WORDS, *row.get("new", {})})


def points(row: dict[str, Any]) -> Iterator[dict[str, int]]:
    names = variables(row)
    reach = range(-REACH[len(names)], REACH[len(names)] + 1)
    for values in product(reach, repeat=len(names)):
        yield dict(zip(names, values))


def failure(row: dict[str, Any]) -> dict[str, int] | None:
    """A point where the premises hold and a conclusion does not, or divides by zero."""
    premises = [compiled(t) for t in row.get("if", ())]
    new = {v: compiled(t) for v, t in row.get("new", {}).items()}
    conclusions = [compiled(t) for t in row["then"]]
    tried = 0
    for point in points(row):
        env: dict[str, Any] = {**WORDS, **point}
        if all(eval(p, env) for p in premises):
            tried += 1
            try:
                env.update({v: eval(e, env) for v, e in new.items()})
                if not all(eval(c, env) for c in conclusions):
                    return point
            except (ZeroDivisionError, ValueError):  # the latter of a shift by less than 0
                return point
    assert tried >= 20, "the premises leave too little to try"
    return None


@pytest.mark.parametrize("name", ROWS)
def test_a_law_is_true_at_all_small_points(name: str) -> None:
    assert failure(ROWS[name]) is None


RULES = {
    "R1": ["d >= 1"],
    "R2": ["d >= 1", "r >= 0", "r < d"],
    "R3": ["a >= 1", "b >= 1"],
    "R4": ["a >= 1", "b >= 1"],
    "R5": ["a >= 1", "b >= 1"],
    "R6": ["g >= 1", "y >= 1", "r >= 0", "r < g"],
    "R7": ["q >= 0", "q < k", "r >= 0", "r < s"],
    "R8": ["c >= 1"],
    "R9": ["d >= 1"],
    "R10": ["t >= 1", "x < n"],
    "R11": ["n >= 1", "t == s*n"],
}


def test_every_rule_is_in_the_table_with_its_conditions() -> None:
    assert {n: row["if"] for n, row in ROWS.items() if re.fullmatch(r"R\d+", n)} == RULES


# -- what the solvers are asked ------------------------------------------------------------------


def expressions(text: str) -> list[Any]:
    """S-expressions as nested lists, without comments; `name` for `|name|`, -1 for (- 1)."""
    text = re.sub(r";.*", "", text)
    done: list[list[Any]] = [[]]
    for token in re.findall(r"\|[^|]*\||[()]|[^\s()|]+", text):
        if token == "(":
            done.append([])
        elif token == ")":
            last = done.pop()
            negative = len(last) == 2 and last[0] == "-" and last[1].__class__ is int
            done[-1].append(-last[1] if negative else last)
        else:
            number = re.fullmatch(r"-?\d+", token)
            done[-1].append(int(token) if number else token.strip("|"))
    return done[0]


OPERATIONS = {
    "+": lambda *args: sum(args),
    "*": lambda *args: prod(args),
    "-": operator.neg,
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "not": operator.not_,
    "and": lambda *args: all(args),
    "or": lambda *args: any(args),
    "=>": lambda a, b: b or not a,
}


class Meant(dict[str, Any]):
    """The values of unknowns by what the text says that they stand for, a product by its name."""

    meanings: Mapping[str, str]

    def __missing__(self, word: str) -> Any:
        self[word] = eval(compiled(self.meanings[word] or word), {}, self)
        return self[word]


def meant(e: Any, env: Mapping[str, Any]) -> Any:
    if isinstance(e, list):
        return OPERATIONS[e[0]](*[meant(a, env) for a in e[1:]])
    return e if isinstance(e, int) else env[e]


@pytest.mark.parametrize("obligation", OF_INTEGERS, **by_name)
def test_the_text_says_what_the_law_says(obligation: Any) -> None:
    """Read back at points: what is taken for granted is true, the rest is the law as it is written."""
    name, _, part = obligation.name.rpartition("-")
    row = ROWS[name]
    declared = re.findall(r"\(declare-const (\S+) Int\)(?: ; (.*))?", obligation.text)
    sections = dict(re.findall(r"^; (.*)\n((?:\(assert .*\n)+)", obligation.text, re.M))
    premises, contrary = (expressions(sections.pop(t, "")) for t in ("premises", "the contrary"))
    granted = expressions("".join(sections.values()))
    dice = random.Random(name)
    for _ in range(30):
        values = [0, 1, 2, 3, 8] if "<<" in str(row) else [-7, -3, -2, -1, 1, 2, 3, 8]
        point: dict[str, Any] = {v: dice.choice(values) for v in variables(row)}
        env = Meant({**WORDS, **point})
        env.update({v: eval(compiled(e), {}, env) for v, e in row.get("new", {}).items()})
        env.meanings = {word.strip("|"): meaning for word, meaning in declared}
        for e in granted:
            assert meant(e[1], env), (point, e)
        given = [eval(compiled(p), {}, env) for p in row.get("if", ())]
        assert [meant(e[1], env) for e in premises] == given
        conclusion = part == "divisors" or eval(compiled(row["then"][int(part) - 1]), {}, env)
        assert [meant(e[1], env) for e in contrary] == [not conclusion], point


def test_only_the_law_of_products_speaks_of_products() -> None:
    for o in OF_INTEGERS:
        assert ("QF_LIA" in o.text) == (o.name != "product-1")
        assert bool(re.search(r"\(\* [^\d]", o.text)) == (o.name == "product-1")


def test_it_imports_nothing_of_the_prover() -> None:
    tree = ast.parse((ROOT / "proofs" / "lemmas.py").read_text())
    modules = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    ours = {m for m in modules if m and m.startswith("symlayout")}
    assert ours == {
        f"symlayout.{m}"
        for m in (
            "certificate.solvers",
            *[f"expr.{e}" for e in ("facts", "reader", "terms", "tree")],
        )
    }


def test_names_in_the_hints_are_new() -> None:
    for name, by in BY.items():
        assert set(by) <= {"names", "products", "multiples", "induction", "powers"}
        assert set(by.get("names", {})).isdisjoint(variables(ROWS[name]))


@pytest.mark.parametrize("width", lemmas.WIDTHS)
def test_the_exclusive_or_of_words(width: int) -> None:
    top, dice = 2**width, random.Random(width)
    for _ in range(500):
        x, y, k = dice.randrange(top), dice.randrange(top), dice.randrange(width)
        moved = y << k & top - 1
        assert (x ^ moved) ^ moved == x
        bit = (y & 1) << k
        assert x ^ bit == (x - bit if x & 1 << k else x + bit)
        for shift in (partial(down, k), partial(up, k, top)):
            mask = y & ~shift(y)  # what is left does not reach itself
            while mask & shift(mask):
                mask &= ~shift(mask)
            once = x ^ shift(x & mask)
            assert once ^ shift(once & mask) == x


def down(k: int, z: int) -> int:
    return z >> k


def up(k: int, top: int, z: int) -> int:
    return z << k & top - 1


# -- what is kept --------------------------------------------------------------------------------

PROOFS = {p.stem: p for p in sorted(KEPT.glob("*.alethe"))}


def test_the_files_are_what_the_command_writes() -> None:
    assert {p.stem: p.read_text() for p in KEPT.glob("*.smt2")} == {
        o.name: o.text for o in OBLIGATIONS
    }
    assert set(PROOFS) <= {o.name for o in OBLIGATIONS}
    readme = (KEPT / "README.md").read_text()
    made_with = re.findall(r"^Made with cvc5 (\S+) by$", readme, re.M)
    assert [lemmas.index(set(PROOFS), version) for version in made_with] == [readme]


@pytest.mark.sample(13)
@pytest.mark.parametrize("obligation", OF_INTEGERS, **by_name)
def test_a_proof_is_kept_where_it_is_whole(obligation: Any) -> None:
    made = lemmas.alethe(obligation.text)
    whole = lemmas.Proved(obligation, {}, made, 0).kept
    if f"Made with cvc5 {cvc5.__version__} by" in (KEPT / "README.md").read_text():
        assert whole == (obligation.name in PROOFS)
        assert not whole or made == PROOFS[obligation.name].read_text()
    else:  # another version says it in other words
        assert obligation.name not in PROOFS or made


def test_all_laws_of_integers_have_whole_proofs() -> None:
    assert {o.name for o in OF_INTEGERS} <= set(PROOFS)


@pytest.mark.parametrize("name", PROOFS)
def test_a_kept_proof_is_one_of_its_obligation(name: str) -> None:
    """It assumes what the obligation asserts, it has no hole, and it ends in the empty clause."""
    proof = PROOFS[name].read_text()
    assert not re.search(r":rule (hole|trust|undefined)\b", proof)
    first, *lines, last = proof.strip().splitlines()
    assert (first, last) == ("(", ")")
    assert re.match(r"\(step t\d+ \(cl\) :rule ", lines[-1])
    asserted = [e[1] for e in expressions((KEPT / f"{name}.smt2").read_text()) if e[0] == "assert"]
    words: dict[str, Any] = {}

    def full(e: Any) -> Any:
        if not isinstance(e, list):
            return words.get(e, e)
        if e[0] == "!":
            words[e[3]] = full(e[1])
            return words[e[3]]
        return [full(a) for a in e]

    known: set[str] = set()
    for line in lines:
        kind, at = re.match(r"\((assume|step|anchor :step) ([\w.]+)", line).groups()
        if kind == "assume" and "." not in at:
            assert full(expressions(line)[0][2]) in asserted
        for used in re.findall(r":premises \(([^)]*)\)", line):
            for premise in used.split():
                assert premise in known
                inside = premise.rpartition(".")[0]  # the part of the proof that it belongs to
                assert not inside or f"{at}.".startswith(f"{inside}.")
        if kind != "anchor :step":
            assert at not in known
            known.add(at)


def test_a_hole_is_seen() -> None:
    whole = lemmas.Proved(OBLIGATIONS[0], UNSAT, "(step t1 (cl) :rule resolution)", 0)
    assert whole.kept
    for rule in ("hole", "trust", "undefined"):
        holed = replace(whole, proof=f"(step t1 (cl) :rule {rule} :args (1))")
        assert holed.holes == 1
        assert not holed.kept
    assert not replace(whole, proof="").kept


def test_the_command_writes_and_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    some = {name: made for name, made in lemmas.everything().items() if name in ("apart", "R7")}
    monkeypatch.setattr(lemmas, "HERE", tmp_path)
    monkeypatch.setattr(lemmas, "everything", lambda: some)
    (tmp_path / "old-1.alethe").write_text("()")
    assert lemmas.main() == 0
    assert "3 obligations, 3 with a proof in Alethe without holes" in capsys.readouterr().out
    names = [f"{n}.{end}" for n in ("apart-1", "R7-1", "R7-2") for end in ("alethe", "smt2")]
    assert {p.name for p in tmp_path.iterdir()} == {*names, "README.md"}
    for n in names:
        if n.endswith("smt2"):
            assert (tmp_path / n).read_text() == (KEPT / n).read_text()
    wrong = replace(some["R7"][0], text=some["R7"][0].text.replace("(assert (>= q 0))", ""))
    monkeypatch.setattr(lemmas, "everything", lambda: {"R7": (wrong,)})
    before = sorted(tmp_path.iterdir())
    assert lemmas.main() == 1
    assert "not proved: R7-1" in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before
