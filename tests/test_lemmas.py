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

from symlayout.certificate.proof import laws
from symlayout.certificate.solvers import answers
from symlayout.expr.facts import read_relations

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "proofs" / "lemmas"
UNSAT = {"Z3": "unsat", "cvc5": "unsat"}
SAT = {"Z3": "sat", "cvc5": "sat"}


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


def asked(name: str, row: dict[str, Any]) -> list[dict[str, str]]:
    """What the solvers say of a row's obligations."""
    given = lemmas.lemma(name, row, BY.get(name, {}))
    return [answers(o.text) for o in lemmas.obligations(given)]


# -- the laws ------------------------------------------------------------------------------------


@pytest.mark.parametrize("obligation", OBLIGATIONS, **by_name)
def test_both_solvers_prove_it(obligation: Any) -> None:
    assert answers(obligation.text) == UNSAT


@pytest.mark.parametrize("name", ROWS)
def test_a_law_is_true_at_all_small_points(name: str) -> None:
    assert failure(ROWS[name]) is None


def test_the_proofs_are_of_the_laws_that_recheck_reads() -> None:
    given = {g.name: g for g in lemmas.lemmas()}
    assert list(given) == list(laws()) == list(ROWS)
    for name, law in laws().items():
        assert {*law.variables} <= {*variables(ROWS[name])}
        assert law.new == given[name].new
        for relations, texts in (
            (law.premises, given[name].premises),
            (law.conclusions, given[name].conclusions),
        ):
            assert list(relations) == [r for t in texts for r in read_relations(t)]
        parts = {o.name for o in OBLIGATIONS if o.name.rpartition("-")[0] == name}
        divides = any(w in t for t in ROWS[name]["then"] for w in ("//", "%", "div", "trunc"))
        divides |= any("//" in t for t in ROWS[name].get("new", {}).values())
        numbers = {f"{name}-{k}" for k in range(1, len(law.conclusions) + 1)}
        assert parts == numbers | ({f"{name}-divisors"} if divides else set())


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


# -- what is not a law ---------------------------------------------------------------------------

FOLLOWS = {("R2", 0), ("R6", 0)}  # 0 <= r < d says that d >= 1
PREMISES = [(name, k) for name, row in ROWS.items() for k in range(len(row.get("if", ())))]


@pytest.mark.parametrize(("name", "k"), PREMISES)
def test_a_premise_is_needed(name: str, k: int) -> None:
    row = {**ROWS[name], "if": [p for n, p in enumerate(ROWS[name]["if"]) if n != k]}
    if (name, k) in FOLLOWS:
        assert failure(row) is None
        assert all(said == UNSAT for said in asked(name, row))
    else:
        assert failure(row) is not None
        assert SAT in asked(name, row)


WRONG = [
    ("product", "b >= 0", "b >= -1"),
    ("square", "a*a + b >= 0", "a*a - a + b >= 1"),
    ("cancel", "d - 1 >= 0", "d >= 0"),
    ("ends", "a*low + b >= 0", "a*low + b >= -1"),
    ("either", "u*b + v >= 0", "u*b + v + 1 >= 0"),
    ("apart", "x - 1 >= 0", "x - 2 >= 0"),
    ("Euclid", "r < d", "r < d - 1"),
    ("Euclid", "d >= 1", "d != 0"),
    ("Euclid", "d >= 1", "d >= 0"),
    ("min", "m <= b", "m < b"),
    ("max", "(m - a)*(m - b) == 0", "(m - a)*(m - b) == 1"),
    ("power", "p >= k + 1", "p >= k + 2"),
    ("power", "p >= 1", "p >= 2"),
    ("powers", "(1 << a)*(1 << b)", "(1 << a)*(2 << b)"),
    ("difference", "b + g*min(e, 0)", "b + min(g, e)"),
    ("R1", "u + v//d", "u - v//d"),
    ("R2", "r < d", "r <= d"),
    ("R3", "x + a*c", "x + b*c"),
    ("R4", "(x//a)%b", "(x//b)%a"),
    ("R5", "x%(a*b)", "x%(a + b)"),
    ("R6", "r < g", "r <= g"),
    ("R7", "q*s + r < k*s", "q*s + r < k*s - 1"),
    ("R8", "c*k)*x", "c*k)*x + 1"),
    ("R9", "(x + c)//d + k", "(x + c)//d + k*d"),
    ("R10", "x//t <= (n - 1)//t", "x//t < (n - 1)//t"),
    ("R11", "t == s*n", "t == s + n"),
    ("ceiling", "x + d - 1", "x + d"),
    ("ceiling_by_negative", "0 - (0 - x)//d", "(0 - x)//d"),
    ("negative", "0 - (0 - x)%(0 - d)", "(0 - x)%(0 - d)"),
    ("towards_zero", "x >= 0", "x >= -1"),
    ("towards_zero_from_below", "0 - (0 - x)%d", "(0 - x)%d"),
    ("towards_zero_signs", "truncmod(x, 0 - d)", "0 - truncmod(x, 0 - d)"),
]


@pytest.mark.parametrize(("name", "old", "new"), WRONG)
def test_a_wrong_law_is_turned_down(name: str, old: str, new: str) -> None:
    row = {
        key: [t.replace(old, new) for t in value] if isinstance(value, list) else value
        for key, value in ROWS[name].items()
    }
    assert row != ROWS[name]
    assert failure(row) is not None
    assert SAT in asked(name, row)


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


def one_value(given: list[str], word: str, value: int) -> None:
    """The premises leave a word this value, and no other one."""
    row = {"says": "", "if": given, "then": [f"{word} == {value}"]}
    assert asked("value", row)[-1] == UNSAT
    assert asked("value", {**row, "then": [f"{word} != {value}"]})[-1] == SAT


@pytest.mark.parametrize("d", [-3, -1, 2, 5])
@pytest.mark.parametrize("word", ["x//{}", "x%{}", *(f"{w}(x, {{}})" for w in [*WORDS][2:])])
def test_a_definition_leaves_one_value(word: str, d: int) -> None:
    text = word.format(f"({d})")
    for x in (-7, -6, 0, 6, 7):
        one_value([f"x == {x}"], text, eval(text, {**WORDS, "x": x}))


@pytest.mark.parametrize("word", ["min", "max"])
def test_the_least_and_the_greatest_of_three(word: str) -> None:
    for a, b, c in product((0, 1), repeat=3):
        given = [f"a == {a}", f"b == {b}", f"c == {c}"]
        one_value(given, f"{word}(a, b, c)", WORDS[word](a, b, c))


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
