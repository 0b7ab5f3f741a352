"""Properties of internal modules; `tests/test_recheck.py` tests the public interface."""

from __future__ import annotations

import ast
import copy
import gc
import json
import re
import sys
from pathlib import Path

import certificates as campaign
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polynomials_random import NAMES, at, points, polynomials
from test_recheck import CHECKER, ROOT

from symlayout import Claim as Asked
from symlayout import prove, recheck
from symlayout.certificate import elaborator, solvers
from symlayout.certificate import kernel as module
from symlayout.certificate.codec import read_reason, seal, written_reason
from symlayout.certificate.codec import read_step as counted_step
from symlayout.certificate.exact import BEYOND, Poly, Rejected, Work, as_poly
from symlayout.certificate.exact import poly as counted_poly
from symlayout.certificate.kernel import Checker
from symlayout.certificate.ledger import Ledger
from symlayout.certificate.proof import Statement
from symlayout.certificate.semantics import Claim
from symlayout.certificate.witness import Effort, Witness, powers
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.reader import read_expression


def poly(text):
    return counted_poly(text, Work())


def read_step(data):
    return counted_step(data, "step", Work())


MODULES = [
    CHECKER / f"{n}.py"
    for n in (
        *(
            "kernel",
            "state",
            "proof",
            "codec",
            "json_text",
            "exact",
            "semantics",
            "reading",
            "definitions",
        ),
        *(
            "layouts",
            "applied",
            "algebra",
            "alternatives",
            "asking",
            "modes",
            "operands",
            "products",
            "shaping",
            "opcodes",
            "runtime",
            "enumeration",
            "solvers",
            "target",
        ),
        *(
            "bits",
            "blocks",
            "encodings",
            "shares",
            "padded",
            "units",
            "definedness",
            "functions",
            "machine",
            "script",
            "part",
        ),
        *("cases", "goals", "worlds", "moves", "renaming", "arranging", "rewriting", "words"),
        *("calls", "storage", "transfers", "tiles", "broadcasts", "broadcasting"),
        *("opening", "casewise"),
        *("inverses", "recasting", "rearranging", "composites", "swizzles"),
        *("fragments", "vectors"),
    )
] + sorted((CHECKER / "instructions").glob("*.py"))

# what a text is, and nothing that says how large, where or of which sign anything is
READERS = {
    "symlayout.layouts.vocabulary": {"CLAIMS"},
    "symlayout.errors": {"LayoutError"},
    "symlayout.expr.facts": {"Facts"},
    "symlayout.expr.relations": {"Relation", "read_relations"},
    "symlayout.programs.hlo.opcodes": {
        *("Demand", "Item", "Row", "Side", "read_side", "rows", "words")
    },
    "symlayout.programs.hlo.instruction_reader": {"read_instruction"},
    "symlayout.layouts.applied": {"Call", "applied", "tuple_value", "shape_alone", "without_marks"},
    "symlayout.layouts.cute.tuples": {"plain_tuples"},
    "symlayout.layouts.notation": {"notation_of", "parse"},
    "symlayout.layouts.doors.algebra": {"OPTION"},
    "symlayout.layouts.doors.operations": {"begins"},
    "symlayout.layouts.reading": {"arguments_of"},
    "symlayout.expr.reader": {
        *("FUNCTIONS", "Names", "Scanner", "any_name", "condition_at", "expression_at"),
        "read_expression",
    },
    "symlayout.expr.conditions": {
        *("ALWAYS", "Both", "Condition", "Conditionals", "Either", "Less"),
        *("conjuncts", "leaves", "rewritten", "sides", "weight"),
    },
    # rows of the table of operators, which are compared with plain integers
    "symlayout.expr.operators": {"Operator"},
    "symlayout.expr.lawtexts": {"arguments", "demands_of", "laws_of"},
    "symlayout.expr.ranges": {"Range"},
    "symlayout.expr.machine": {"Machine"},
    "symlayout.expr.term": {"op_of"},
    "symlayout.expr.traversal": {"fold", "length"},
    "symlayout.text.patterns": {"regex"},
    "symlayout.text.once": {"cached_property"},
    "symlayout.layouts.maps.reader": {"read_map"},
    "symlayout.layouts.maps.written": {"written_map"},
    "symlayout.expr.written": {"Spelling"},
    "symlayout.expr.terms": None,
    "symlayout.expr.tree": {  # what an expression is, as SymPy would say it
        *("Add", "Dummy", "Expr", "Integer", "Mul", "Pow", "Symbol", "exact_quotient", "expand"),
        "preorder_traversal",
    },
    "symlayout.text.solver": {"z3"},  # the solver itself, from where it is installed
    "symlayout.layouts.xla": {"Dynamic", "TupleShape", "read_shape"},
}

COMPUTED = {  # attributes of parsed layouts that compute; and helpers of facts that do
    *("groups", "cosize", "widths", "expression", "tile_pairs", "buffer_size", "byte_size"),
    *("tiled_sizes", "physical_order", "placed", "index_map", "domain", "leaves", "elements"),
    *("span", "lowest", "highest", "demands_of", "matrix", "source", "target", "block"),
}


@pytest.fixture(scope="module")
def tiled():
    where = ["N % 128 == 0", "M <= 4096"]
    made = prove.bijective("f32[M,N]{1,0:T(1,128)}", where=where).certificate
    return json.loads(json.dumps(made))


# -- independence --------------------------------------------


def name_of(file):
    return ".".join(file.relative_to(ROOT).with_suffix("").parts)


@pytest.mark.sample(4)
@pytest.mark.parametrize("file", MODULES, ids=lambda f: f.name)
def test_recheck_imports_readers_and_its_own_modules_alone(file):
    own = {name_of(f) for f in MODULES}
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            assert not any(a.name.startswith("symlayout") for a in node.names)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("symlayout"):
            assert node.module in own or node.module in READERS, node.module
            allowed = READERS.get(node.module)
            assert allowed is None or {a.name for a in node.names} <= allowed


@pytest.mark.parametrize("file", MODULES, ids=lambda f: f.name)
def test_recheck_takes_no_size_sign_or_domain_from_a_parsed_layout(file):
    found = {n.attr for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.Attribute)}
    ours = {f.name for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.ClassDef)
            for f in n.body if isinstance(f, ast.FunctionDef)}  # fmt: skip
    assert found & COMPUTED - ours <= set()


@pytest.mark.sample(1)
@pytest.mark.parametrize("folder", ["prove", "tla", "layouts", "programs", "digits", "expr"])
def test_the_prover_takes_no_meaning_from_the_checker(folder):
    """Only what writes certificates knows the checker, and stands beside it."""
    own = {name_of(f) for f in MODULES} - {"symlayout.certificate.solvers"}
    for file in (ROOT / "symlayout" / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert node.module not in own, file


@pytest.mark.explore
def test_recheck_runs_nothing_of_the_prover():
    """No function of the digit engine, the prover or the index maps is called, for any claim."""
    originals = campaign.certificates()
    package, called = str(Path(module.__file__).parents[1]), set()
    own = ("digits/", "prove/", "layouts/indexmap.py", "certificate/elaborator.py")

    def watch(frame, event, argument):
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(package):
            called.add(file.removeprefix(package + "/"))

    gc.collect()  # a generator that the prover has left behind would be closed, which is a call
    for certificate in originals:
        gc.disable()
        sys.setprofile(watch)
        try:
            answer = recheck(certificate)
        finally:
            sys.setprofile(None)
            gc.enable()
        assert answer.ok, answer
    words = "layouts/vocabulary.py"  # a table of words, and nothing that proves
    assert [file for file in called - {words} if file.startswith(own)] == []
    wanted = ("kernel", "semantics", "definitions")
    assert {f"certificate/{name}.py" for name in wanted} <= called


# -- arithmetic --------------------------------------------


@given(polynomials(5), polynomials(5), points(9))
@settings(deadline=None)
def test_arithmetic_is_that_of_integers(p, q, point):
    assert at(p + q, point) == at(p, point) + at(q, point)
    assert at(p - q, point) == at(p, point) - at(q, point)
    assert at(p * q, point) == at(p, point) * at(q, point)
    assert at(p.put({"x": q}, Work()), point) == at(p, {**point, "x": at(q, point)})
    assert at(p, point) == sum(at(c, point) * point["y"] ** k for k, c in enumerate(powers(p, "y")))


@given(polynomials(5), st.integers(-9, 9))
@settings(deadline=None)
def test_numbers_give_what_sums_do(p, n):
    assert p + n == Poly.of([*p.terms, ((), n)])
    assert p - n == p + -n


def test_a_sum_with_a_number_has_the_limit_of_all_sums():
    with pytest.raises(Rejected, match="a coefficient of more than"):
        as_poly(BEYOND - 1) + 1
    assert (as_poly("x") - 1) + 1 == as_poly("x")


@given(polynomials(5))
@settings(deadline=None)
def test_text_reads_back(p):
    assert poly(str(p)) == p


@pytest.mark.parametrize("text", ["", "x y", "3x", "2*", "x+", "2 3", "x-", "x//2", "x%y", None])
def test_what_is_no_polynomial(text):
    made = recheck_step({"step": "have", "that": text, "why": "plain"})
    assert not made.ok


def recheck_step(step):
    """The answer for a certificate with that one step in place of all."""
    made = json.loads(json.dumps(prove.bounded("f32[x]{0}").certificate))
    made["parts"]["bounds"]["steps"] = [step]
    return recheck({**made, "seal": seal(made)})


@given(polynomials(5), points(9))
@settings(max_examples=20, deadline=None)
def test_smt_text_has_the_value_of_the_polynomial(p, point):
    made = Checker((), NAMES, {})
    for n, v in point.items():
        made.value[n] = as_poly(v)
    text = made.obligation([("==", p - at(p, point))])
    assert solvers.answers(text) == {"Z3": "unsat", "cvc5": "unsat"}


def test_solvers_must_agree(monkeypatch):
    made = in_ranges(x=(1, 5))
    why = read_reason("smt", "here", Work())
    made.show(">=", poly("x - 1"), why)
    assert made.relied == {"Z3", "cvc5"}
    for z3, cvc5, message in (
        ("unsat", "sat", "do not confirm"),
        ("unsat", "unknown", "do not confirm"),
        ("unknown", "unsat", "do not confirm"),
        ("sat", "sat", "do not confirm"),
        ("unknown", "", "do not confirm"),
        ("unsat", "", None),
    ):
        monkeypatch.setattr(solvers, "z3_says", lambda text, answer=z3: answer)
        monkeypatch.setattr(solvers, "cvc5_says", lambda text, answer=cvc5: answer)
        if message is None:
            in_ranges(x=(1, 5)).show(">=", poly("x - 1"), why)
        else:
            with pytest.raises(Rejected, match=message):
                in_ranges(x=(1, 5)).show(">=", poly("x - 1"), why)


# -- inequalities --------------------------------------------


def in_ranges(**ranges):
    """A checker that knows the ranges low <= x <= high, high a text or None."""
    made = Checker((), ranges, {})
    for name, (low, high) in ranges.items():
        made.know(as_poly(name) - poly(str(low)))
        if high is not None:
            made.know(poly(str(high)) - as_poly(name))
    return made


class Ranges(Checker):
    """What a witness asks of an author: the ends of ranges, no places, no divisors."""

    @property
    def state(self):
        return self

    def __init__(self, **ranges):
        super().__init__((), ranges, {})
        self.low = {n: poly(str(low)) for n, (low, _) in ranges.items()}
        self.high = {n: poly(str(high)) for n, (_, high) in ranges.items()}
        for n in ranges:
            self.know(as_poly(n) - self.low[n])
            self.know(self.high[n] - as_poly(n))
        self.stated = list(self.known)
        self.points, self.quotients, self.either, self.effort = [], {}, {}, Effort()
        self.numbers, self.inners = {}, {}

    @property
    def ledger(self):
        return Ledger(self)

    def end(self, x, end):
        return (self.low if end == "low" else self.high).get(x)


@given(polynomials(5))
@settings(max_examples=150, deadline=None)
def test_a_reason_that_is_accepted_is_a_proof(p):
    made = Ranges(x=(0, 3), y=(1, "x + 1"), z=(-2, 2))
    why = Witness(made).reason(p, solver=False)
    box = [(x, y, z) for x in range(4) for y in range(1, x + 2) for z in range(-2, 3)]
    lowest = min(at(p, dict(zip(NAMES, v))) for v in box)
    if why is not None:
        made.show(">=", p, read_reason(written_reason(why), "here", Work()))
        assert lowest >= 0
    if lowest < 0:
        for tree in TREES:
            with pytest.raises(Rejected):
                made.show(">=", p, read_reason(tree, "here", Work()))


X, Z = {"x": "x", "low": "0", "high": "3"}, {"x": "z", "low": "-2", "high": "2"}

TREES = [
    "plain",
    "known",
    ["product", {"a": "1", "b": "x"}, "plain", "known", "plain"],
    ["product", {"a": "x", "b": "3 - x"}, "plain", "known", "plain"],
    [
        "product",
        {"a": "x", "b": "y - 1"},
        "plain",
        "known",
        ["product", {"a": "1", "b": "z + 2"}, "plain", "known", "plain"],
    ],
    ["ends", {**Z, "a": "1"}, "known", "known", "plain", "plain"],
    ["ends", {**X, "a": "-1"}, "known", "known", "plain", "plain"],
    ["cancel", {"d": "2"}, "plain", "plain"],
    ["cancel", {"d": "y"}, "known", "plain"],
    ["R2", {"d": "1"}, "plain", "plain", "plain"],
    ["let", {}],
    ["apart", {}, "known", "known"],
    None,
    [],
]


@pytest.mark.parametrize(
    ("p", "why", "message"),
    [
        ("x - 1", "plain", "no reason is given"),
        ("3 - x", "plain", "no reason is given"),
        ("4 - x", "known", "no reason is given"),
        ("4 - x", ["product", {"a": "1", "b": "4 - x"}, "plain", "known", "plain"], "premise 1"),
        ("x", ["product", {"a": "-1", "b": "x"}, "plain", "known", "plain"], "premise 0"),
        (
            "x",
            ["product", {"a": "1", "b": "x", "c": "1"}, "plain", "known", "plain"],
            "not an instance",
        ),
        ("x", ["product", {"a": "1", "b": "w"}, "plain", "known", "plain"], "not known here"),
        ("x - 1", ["ends", {**X, "a": "1"}, "known", "known", "plain", "plain"], "premise 2"),
        ("2 - x", ["ends", {**X, "a": "-1"}, "known", "known", "plain", "plain"], "premise 3"),
        ("-x", ["cancel", {"d": "0"}, "plain", "plain"], "premise 0"),
        ("x - 1", ["apart", {"x": "x"}, "known", "known"], "premise 0"),
        ("x - 1", "smt", "do not confirm"),
        ("x", ["smt", "(check-sat)"], "no reason is given"),
        ("x", ["plane", {}], "no reason is given"),
        ("x", ["product", {"a": False, "b": "x"}, "plain", "plain", "plain"], "a text is wanted"),
        ("x", ["product", {"a": "1"}, "plain", "plain", "plain"], "may be left out"),
        ("x", ["product", {"a": "1", "b": "x"}, "plain", "plain"], "no reason of this form"),
    ],
)
def test_reasons_that_do_not_hold(p, why, message):
    with pytest.raises(Rejected, match=message):
        in_ranges(x=(0, 3)).show(">=", poly(p), read_reason(why, "here", Work()))


@pytest.mark.parametrize(
    ("op", "p", "why", "true"),
    [
        ("==", "0", "identity", True),
        ("==", "x", "identity", False),
        ("==", "x - x", "identity", True),
        ("==", "3*x - 9", ["plain", "plain"], False),
        ("!=", "x + 1", ["positive", "plain"], True),
        ("!=", "-x - 1", ["negative", "plain"], True),
        ("!=", "x", ["positive", "plain"], False),
        ("!=", "x - 7", "known", True),
        ("!=", "7 - x", "known", True),
        ("!=", "x - 8", "known", False),
        (">", "x + 1", "plain", True),
        (">", "x", "plain", False),
        ("<=", "-x", "plain", True),
        ("<", "-x", "plain", False),
        ("<", "-x - 1", "plain", True),
    ],
)
def test_relations(op, p, why, true):
    made = in_ranges(x=(0, 3))
    made.nonzero[poly("x - 7")] = None
    if true:
        made.show(op, poly(p), read_reason(why, "here", Work()))
    else:
        with pytest.raises(Rejected):
            made.show(op, poly(p), read_reason(why, "here", Work()))


# -- steps --------------------------------------------

EUCLID = {"step": "law", "law": "Euclid", "why": ["plain"]}

SPLIT = {**EUCLID, "with": {"x": "N + 7", "d": "8"}, "new": {"q": "q", "r": "r"}}


def positive(*names):
    made = Checker(Facts.read([f"{n} >= 1" for n in names]).relations, names, {})
    for k in range(len(names)):
        made.apply(read_step({"step": "fact", "fact": k}))
    return made


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({**SPLIT, "with": {"x": "N", "d": "-8"}}, "Euclid, premise 0"),
        ({**SPLIT, "with": {"x": "N", "d": "0"}}, "Euclid, premise 0"),
        ({**SPLIT, "new": {"q": "N", "r": "r"}}, "'N' is not a new name"),
        ({**SPLIT, "new": {"q": "q", "r": "q"}}, "'q' is not a new name"),
        ({**SPLIT, "new": {"q": "2", "r": "r"}}, "'2' is not a name"),
        ({**SPLIT, "with": {"x": "K", "d": "8"}}, "not known here"),
        ({"step": "solve", "atom": "N", "is": "1", "why": ["plain", "plain"]}, "no reason"),
        ({"step": "solve", "atom": "N", "is": "N", "why": "identity"}, "cannot be replaced"),
        ({"step": "solve", "atom": "K", "is": "N", "why": "identity"}, "cannot be replaced"),
        ({"step": "have", "that": "N - 2", "why": "plain"}, "no reason"),
        ({"step": "have", "that": "2 - N", "why": "known"}, "no reason"),
        (
            {"step": "law", "law": "smaller", "with": {"a": "N", "b": "M"}, "why": ["plain"]},
            "premise",
        ),
        ({"step": "guess"}, "'guess' is not a step"),
    ],
)
def test_steps_that_do_not_follow(step, message):
    with pytest.raises(Rejected, match=message):
        positive("M", "N").apply(read_step(step))


@pytest.mark.parametrize(
    ("given", "whys"),
    [
        ({"q": "q + 1"}, None),
        ({"r": "r - 7"}, None),
        ({"q": "q - 1", "r": "r + 8"}, None),
        ({"q": "q + 1", "r": "r - 8"}, None),
        ({"d": "-8", "q": "-q"}, None),
        ({}, ["plain", "plain", "plain"]),
        ({}, ["plain", "plain"]),
    ],
)
def test_divisions_that_do_not_hold(given, whys):
    good = {"d": "8", "q": "q", "r": "r"}

    def divided(table, reasons):
        made = positive("N")
        made.apply(read_step(SPLIT))
        step = {"step": "solve", "atom": "N", "is": "8*q + r - 7", "why": ["known", "known"]}
        made.apply(read_step(step))
        made.apply(read_step({"step": "law", "law": "R2", "with": table, "why": reasons}))
        return made

    right = ["plain", "plain", "known"]
    made = divided(good, right)
    found = [made.walk(read_expression(t)) for t in ("(8*q + r)//8", "(8*q + r)%8")]
    assert found == [as_poly("q"), as_poly("r")]
    try:
        made = divided({**good, **given}, whys or right)
    except Rejected:
        return
    other = Checker((), ("q", "r"), {})
    other.rewritten = {k: v for k, v in made.rewritten.items() if v not in found}
    with pytest.raises(Rejected):  # it says nothing of this division
        other.walk(read_expression("(8*q + r)//8"))


def test_what_depends_on_a_coordinate_is_remembered():
    made = Checker((), ("N",), {"i": read_expression("N")})
    made.apply(
        read_step(
            {"step": "law", "law": "let", "with": {"x": "N + 1"}, "new": {"y": "a"}, "why": []}
        )
    )
    made.apply(
        read_step(
            {"step": "law", "law": "let", "with": {"x": "a + i"}, "new": {"y": "b"}, "why": []}
        )
    )
    made.apply(
        read_step(
            {"step": "law", "law": "let", "with": {"x": "b - i"}, "new": {"y": "c"}, "why": []}
        )
    )
    assert made.varying == {"i", "b", "c"}


def test_coordinates_cannot_help_to_tell_coordinates_apart():
    # offset 0 for all: no expression of the offset and of sizes tells the elements apart
    made = json.loads(json.dumps(prove.injective("strided f32[N] strides(1)").certificate))
    made["claim"]["arguments"] = ["strided f32[N] strides(0)"]
    part = made["parts"]["offsets"]
    part["steps"] = [s for s in part["steps"] if s["step"] != "law"]
    for name, step in (("i", None), ("j", {"x": "i"})):
        made["texts"]["back"] = [name]
        if step:
            part["steps"].append(
                {"step": "law", "law": "let", "with": step, "new": {"y": "j"}, "why": []}
            )
        answer = recheck({**made, "seal": seal(made)})
        assert not answer.ok


def test_sizes_are_at_least_one_unless_a_fact_says_otherwise():
    for fact, least in (
        ("N >= 0", False),
        ("N > -3", False),
        ("N == 5", False),
        ("0 <= N", False),
        ("-2*N <= 6", False),
        ("N <= 9", True),
        ("N % 4 == 0", True),
        ("N != 0", True),
        ("N*N >= 0", True),
        ("N + M >= 0", True),
        ("N//2 >= 0", True),
    ):
        made = Claim(Statement("bounded", ("f32[M,N]{1,0}",), (), (fact,)))
        assert ("N >= 1" in map(str, made.facts)) == least, fact


# -- whole certificates --------------------------------------------


def changed(certificate, path, value):
    made = copy.deepcopy(certificate)
    holder = made
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return {**made, "seal": seal(made)}


def test_what_it_relied_on(tiled):
    made = recheck(tiled)
    assert made.ok
    assert not made.failures
    laws = {f"law {name}" for name in ("Euclid", "R2", "cancel", "ceiling", "product")}
    assert set(made.relied) == {"exact arithmetic", *laws}
    assert made.claim == (
        'bijective "f32[M,N]{1,0:T(1,128)}" --where "N%128 == 0" --where "M <= 4096"'
    )


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        (("claim", "word"), "onto", "by: 'count' is not a proof of 'onto'"),
        (("claim", "word"), "surjective", "'surjective' is not a claim"),
        (("claim", "arguments", 0), "f32[M,N]{1,0:T(8,128)}", "bounds"),
        (("claim", "arguments", 0), "f32[M,N]{1,0:T(1,64)}", "bounds"),
        (("facts", 0), "N % 127 == 0", "certificate: the sizes"),
        (("facts", 0), "N % 64 == 0", "step"),
        (("facts",), ["M <= 4096"], "step"),
        (("sizes", "N"), 127, "certificate: the sizes"),
        (("sizes", "M"), 0, "certificate: the sizes"),
        (("sizes",), {}, "certificate: "),
        (("version",), 1, "not a symlayout-certificate of version 6"),
        (("format",), "proof", "not a symlayout-certificate"),
        (("by",), "no gaps", "there is no 'inverse'"),
        (("by",), "cases", "has no bound"),
        (("parts",), {}, "bounds, offsets, sizes are wanted"),
        (("texts", "offset"), "M", "M has a meaning already"),
        (("texts", "offset"), "i", "i has a meaning already"),
        (("texts", "back", 0), "i", "offsets"),
        (("facts", 1), "M <<= 4096", "certificate"),
    ],
)
def test_another_claim_or_fact_is_rejected(tiled, path, value, where):
    made = recheck(changed(tiled, path, value))
    assert not made.ok
    assert where in made.failures[0], made.failures


def test_each_change_of_a_step_is_rejected_and_named(tiled):
    for part in ("bounds", "offsets"):
        for n, step in enumerate(tiled["parts"][part]["steps"]):
            path = ("parts", part, "steps", n)
            fields = [("with", k) for k in step.get("with", ())] + [("is",)] * ("is" in step)
            for field in fields:
                old = step
                for key in field:
                    old = old[key]
                made = recheck(changed(tiled, (*path, *field), f"{old} + 1"))
                if made.ok:  # an instance that is as true, and that nothing depends on
                    assert step["step"] == "law"
                    continue
                found = re.match(rf"{part}: (?:step (\d+)|goal|malformed)", made.failures[0])
                assert found
                assert found[1] is None or int(found[1]) >= n


def test_a_step_that_is_needed_is_missed(tiled):
    for part in ("bounds", "offsets", "sizes"):
        steps = tiled["parts"][part]["steps"]
        without = [
            recheck(changed(tiled, ("parts", part, "steps"), steps[:n] + steps[n + 1 :]))
            for n in range(len(steps))
        ]
        kinds = {s.get("law", s["step"]) for s, made in zip(steps, without) if not made.ok}
        assert {"solve", "Euclid"} <= kinds
        turned = list(reversed(steps))
        assert not recheck(changed(tiled, ("parts", part, "steps"), turned)).ok


def test_each_goal_needs_its_reason(tiled):
    for part, held in tiled["parts"].items():
        for n, why in enumerate(held["goals"]):
            for worse in (None, ["this", 1, why[2]], ["this", -1, why[2]], ["this", 0, "guess"]):
                made = recheck(changed(tiled, ("parts", part, "goals", n), worse))
                assert f"{part}: goal {n}: " in made.failures[0]
        fewer = held["goals"][:-1]
        assert not recheck(changed(tiled, ("parts", part, "goals"), fewer)).ok


def test_the_expressions_must_give_the_coordinates_back(tiled):
    for n, old in enumerate(tiled["texts"]["back"]):
        assert not recheck(changed(tiled, ("texts", "back", n), f"{old} + 1")).ok
    swapped = tiled["texts"]["back"][::-1]
    assert not recheck(changed(tiled, ("texts", "back"), swapped)).ok


def test_the_seal_finds_what_no_step_needs(tiled):
    made = copy.deepcopy(tiled)
    made["sizes"]["M"] = 2  # as good a witness
    assert recheck({**made, "seal": seal(made)}).ok
    assert recheck(made).failures == ("seal: the certificate has been changed after it was made",)


def test_for_which_claim(tiled):
    facts = ["M<=4096", "N % 128 == 0"]
    said = "bijective f32[M,N]{1,0:T(1,128)}"
    assert recheck(tiled, recheck(tiled).claim).ok
    assert recheck(tiled, said, facts).ok
    assert recheck(tiled, f"{said} --where 'N%128 == 0 and M <= 4096'").ok
    for claim, where in (
        (said, []),
        (said, facts[:1]),
        (said, [*facts, "M == 1"]),
        (said, ["M <= 4096", "N % 64 == 0"]),
        ("onto f32[M,N]{1,0:T(1,128)}", facts),
        ("bijective f32[N,M]{1,0:T(1,128)}", facts),
        (f"{said} --perm 1,0", facts),
    ):
        assert "it is for" in recheck(tiled, claim, where).failures[0]
    with pytest.raises(LayoutError):
        recheck(tiled, "bijective 'f32")


def test_too_deep_a_reason(tiled):
    why = "plain"
    for _ in range(100_000):
        why = ["cancel", {"d": "1"}, "plain", why]
    part = {**tiled["parts"]["bounds"], "goals": [["this", 0, why]] * 2}  # no JSON text holds it
    assert not recheck({**tiled, "parts": {**tiled["parts"], "bounds": part}}).ok


def test_which_unknowns_are_natural():
    for text, natural in (
        ("x", True),
        ("x - 3", True),
        ("x + 1", False),
        ("2*x", False),
        ("3 - x", False),
    ):
        made = Checker((), ("x",), {})
        made.know(poly(text))
        assert (made.natural == {"x"}) == natural, text


def test_numerals_of_smt_lib_have_no_sign():
    for number in (-3, -1, 0, 1, 3):
        text = (as_poly("x") * number + number).smt({"x": "x0"})
        assert re.search(r"(?<!\()-", text) is None
        assert number >= 0 or f"(- {-number})" in text


def test_the_seal_is_of_what_is_said_not_of_the_order(tiled):
    turned = dict(reversed(tiled.items()))
    assert list(turned) != list(tiled)
    assert seal(turned) == tiled["seal"]


def test_a_layout_may_fit_by_another_formula_than_the_emitted_one(monkeypatch):
    """`k + 2*j + 2*N*i` leaves 32 bits on its way; a certificate says whose values it is about."""
    layout, facts = "(M,N,2):(2*N,2,1)", ["M*N <= 1073741824"]
    assert prove.fits(layout, 32, where=facts).refuted
    monkeypatch.setattr(elaborator, "emitted_formula", lambda claim: "2*max(j + N*i, 0) + k")
    made = elaborator.certificate(Asked("fits", (layout, "32"), (), tuple(facts)))
    line = f'fits "{layout}" 32'
    assert recheck(made, f'{line} --formula "2*max(j + N*i, 0) + k"', facts).ok
    for text in (line, f'{line} --formula "k + 2*j + 2*N*i"'):
        (failure,) = recheck(made, text, facts).failures
        assert "max(j + N*i, 0)" in failure


def test_a_map_is_its_own_formula():
    made = dict(prove.fits("map r < R, c < 8: int64(r)*8 + c", where=["R <= 9"]).certificate)
    made["claim"] = {**made["claim"], "options": {"formula": "8*r + c"}}
    answer = recheck({**made, "seal": seal(made)})
    assert answer.failures == ("certificate: a map is its own formula",)


def test_an_argument_that_a_certificate_lacks_is_no_exception():
    made = dict(prove.fits("f32[4]", "32").certificate)
    made["claim"] = {**made["claim"], "arguments": ["f32[4]"]}
    del made["seal"]
    answer = recheck({**made, "seal": seal(made)})
    assert not answer.ok
    assert "no argument 2" in answer.failures[0]


@pytest.mark.parametrize(
    "text",
    [
        "((1,2,3),N):((8//p,1,2),6)",
        "(1,N):(8//p,1)",
        "strided f32[1,N] strides(8//p,1)",
        "Strided(1,N,8//p,1)",
        "broadcast_in_dim(strided f32[1,N] strides(8//p,1), dims=(0,1), to=f32[1,N])",
        "MakeLayout(MakeShape(1,N),MakeStride(8//p,1))",
    ],
)
def test_a_stride_of_no_use_has_a_value_for_the_checker_too(text):
    made = json.loads(json.dumps(prove.injective(text).certificate))
    assert recheck(made).ok
    for fact in ("p >= 0", "p >= -3"):
        forged = {**made, "claim": {**made["claim"]}, "facts": [fact]}
        answer = recheck({**forged, "seal": seal(forged)})
        assert not answer.ok
        assert answer.failures[0].startswith("defined")
