"""Adding things as ARCHITECTURE.md says, in a copy: what is done by halves is named by a guard."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import completeness
import lemmas
import pytest

ROOT = Path(__file__).parents[1]

CODE = "import completeness; print(completeness.GUARDS[{!r}]())"

Changes = dict[str, tuple[str, str]]  # by file: the text before and after

PACKED: Changes = {
    "symlayout/layouts/notation.py": (
        "NOTATIONS: dict[",
        '_ROWS = (*_ROWS, Notation("packed", _word("packed"), "packed:read_packed", '
        '"packed f32[4]"))\nNOTATIONS: dict[',
    ),
    "symlayout/layouts/packed.py": (
        "",
        "from symlayout.layouts.strided import read_strided\n"
        "def read_packed(text):\n"
        "    return read_strided(text.replace('packed', 'strided', 1))\n",
    ),
}

FORTRAN: Changes = {
    "symlayout/render/emit/fortran.py": (
        "",
        "def emit(source):\n    return str(source.f)\n",
    ),
}

R99 = {"says": "a square is not negative", "then": ["x*x >= 0"]}

SQUARE: Changes = {
    "symlayout/certificate/lemmas.toml": (
        "[product]",
        f'[R99]\nsays = "{R99["says"]}"\nthen = ["x*x >= 0"]\n\n[product]',
    ),
}

BY_PRODUCTS = {"products": [["x", "x"], ["-x", "-x"]]}

(PROOF,) = lemmas.obligations(lemmas.lemma("R99", R99, BY_PRODUCTS))

# a polynomial of one term whose factors come in pairs
ROOT_OF = (
    "def _root(p):\n"
    "    (m, c), *more = list(p.terms.items()) or [((), -1)]\n"
    "    root = m[::2]\n"
    "    if more or c != 1 or root != m[1::2]:\n"
    "        return None\n"
    "    return Poly({root: 1})\n\n\n"
)

# an exercise: the guard, the files that change (the text before and after), what is then missing
HALVES: dict[str, tuple[str, Changes, list[str]]] = {
    "a notation": (
        "notations",
        PACKED,
        [
            "notation 'packed' has no row in docs/grammar.md: | packed | `packed f32[4]` |",
            "notation 'packed' has no definition in the checker",
            "notation 'packed' has no definition in the campaign",
        ],
    ),
    "a claim word": (
        "claim_words",
        {
            "symlayout/layouts/vocabulary.py": (
                "_ROWS = (",
                '_ROWS = (\n    ClaimWord("dense", ("A",), "no offset is left out"),',
            ),
        },
        [
            "claim word 'dense' has no function in symlayout.prove",
            "claim word 'dense' has no random claim in the campaign",
            "claim word 'dense' has no meaning in the checker",
        ],
    ),
    "a rule": (
        "laws",
        SQUARE,
        [
            "law 'R99' has no proof in proofs/lemmas",
            "rule 'R99' has no example in tests/test_rules.py",
        ],
    ),
    "an emitter without a row": (
        "outputs",
        FORTRAN,
        ["file with a function emit for a target 'fortran' that no table has"],
    ),
    "an emitter without a file": (
        "outputs",
        {"symlayout/render/emit/__init__.py": ('"affine",\n', '"affine",\n    "fortran",\n')},
        ["target 'fortran' has no file with a function emit"],
    ),
    "a report format": (
        "outputs",
        {"symlayout/checks/report/__init__.py": ('"markdown")', '"markdown", "tap")')},
        [
            "report format 'tap' has no file with a function render",
            "report format 'tap' has no golden file",
        ],
    ),
    "a notation, whole": (
        "notations",
        {
            **PACKED,
            "symlayout/certificate/layouts.py": (
                '    "strided": lambda',
                '    "packed": lambda text, layout: strides(layout),\n    "strided": lambda',
            ),
            "tests/support/soundness/drawing.py": (
                '    "strided": strided,',
                '    "strided": strided,\n    "packed": strided,',
            ),
            "docs/grammar.md": ("| strided | `", "| packed | `packed f32[4]` |\n| strided | `"),
        },
        [],
    ),
    "a claim word, whole": (
        "claim_words",
        {
            "symlayout/layouts/vocabulary.py": (
                "_ROWS = (",
                '_ROWS = (\n    ClaimWord("dense", ("A",), "no offset is left out", home="dense"),',
            ),
            "symlayout/prove/dense.py": (
                "",
                "from symlayout.prove.decide import claim_maps, map_names\n"
                "from symlayout.prove.statement import Goal, Statement\n"
                "from symlayout.prove.word import states\n"
                "@states\n"
                "def dense(a, *, where=(), budget=None):\n"
                "    facts, (m,) = claim_maps('dense', where, a)\n"
                "    goal = Goal(m.size, '==', m.elements, '{left} offsets for {right} elements')\n"
                "    return Statement(map_names(m), facts, [goal], demands=m.demanded)\n",
            ),
            "symlayout/certificate/semantics.py": (
                "    def _equal(self",
                "    def _dense(self, by: str, texts: Texts) -> Iterator[Part]:\n"
                "        (m,) = self.maps\n"
                "        yield Part('sizes', {}, [relation('==', m.size, product(m.shape))])\n\n"
                "    def _equal(self",
            ),
            "tests/support/soundness/claims.py": (
                '    "bytes": (1, occupies),',
                '    "bytes": (1, occupies),\n    "dense": (1, one("dense", Onto)),',
            ),
        },
        [],
    ),
    "a rule, whole": (
        "laws",
        {
            **SQUARE,
            "symlayout/digits/bounds.py": (
                "def _attempt(ctx: State, p: Poly, budget: list[int]) -> Why | None:\n    hit = ",
                ROOT_OF + "def _attempt(ctx: State, p: Poly, budget: list[int]) -> Why | None:\n"
                "    root = _root(p)\n"
                "    if root is not None:\n"
                "        return 'law', 'R99', {'x': root}, ()\n"
                "    hit = ",
            ),
            "proofs/lemmas/R99-1.smt2": ("", PROOF.text),
            "tests/test_rules.py": (
                "RULES = [",
                'RULES = [\n    ("R99", "max(x*x, 0)", "x*x", (), True),',
            ),
        },
        [],
    ),
    "an emitter, whole": (
        "outputs",
        {
            **FORTRAN,
            "symlayout/render/emit/__init__.py": (
                '"affine",\n',
                '"affine",\n    "fortran",\n',
            ),
        },
        [],
    ),
}

# what a thing that is added whole can do in the copy at once: proved, and the certificate rechecked
WORKS = {
    "a notation, whole": ("bijective", "packed f32[M,N]", {}),
    "a claim word, whole": ("dense", "f32[M,N]{1,0}", {}),
    # with so little of the solver only the rule proves it
    "a rule, whole": ("holds", "M*M*N*N >= 0", {"where": ["M >= -9", "N >= -9"], "budget": 1}),
}

THROWING = (
    "__global__ void f(float* x, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i >= n) throw 1;\n"
    "    x[i] = 0;\n"
    "}\n"
)
WORDY = "__tile__ void f(float* x, int n) { if (blockIdx.x < n) x[blockIdx.x] = 0; }\n"

# of the reader of C: the changes, a kernel, the guard of its store after them, what is not read before
READS: dict[str, tuple[Changes, str, list[str], list[str]]] = {
    "a statement of C": (
        {
            "symlayout/programs/kernels/c/lowering/table.py": (
                '    "type_definition": statements',
                '    "throw_statement": statements.throw_statement,\n    "type_definition": statements',
            ),
            "symlayout/programs/kernels/c/lowering/statements.py": (
                "def break_statement(",
                "def throw_statement(low: Lowering, tree: Tree) -> list[Statement]:\n"
                "    return [place(Return(), tree)]\n\n\n"
                "def break_statement(",
            ),
        },
        THROWING,
        ["blockIdx_x*blockDim_x + threadIdx_x < n"],
        ["a statement throw_statement"],
    ),
    "a dialect of C": (
        {
            "symlayout/programs/kernels/c/dialects.py": (
                '    Dialect("cuda"',
                '    Dialect("tiles", marks=("__tile__",), axes="012",\n'
                '        plain=lambda text: text.replace("__tile__", "__global__")),\n'
                '    Dialect("cuda"',
            ),
        },
        WORDY,
        ["blockIdx_0 < n"],
        [],
    ),
}

READ = (
    "import contextlib, io, json; from symlayout.__main__ import main; out = io.StringIO()\n"
    "with contextlib.redirect_stdout(out): main(['accesses', 'kernel.cpp', '--json'])\n"
    "k = [k for k in json.loads(out.getvalue())['kernels']]\n"
    "print([[a['guard'] for x in k for a in x['accesses']],"
    " [s['reason'] for x in k for s in x['skipped']]])"
)

ASKED = (
    "from symlayout import prove; from symlayout.certificate.kernel import recheck; "
    "v = prove.{}({!r}, **{!r}); print([v.status, str(recheck(v.certificate).ok)])"
)

# readings of their own each, proofs, tests and the docs
READINGS = ("symlayout/certificate/", "proofs/", "tests/", "docs/grammar.md")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository's parts that guards read."""
    root = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    for part in ("symlayout", "tests/support/soundness", "proofs/lemmas", "tests/golden"):
        shutil.copytree(ROOT / part, root / part, ignore=ignored)
    for file in ("docs/grammar.md", "tests/completeness.py", "tests/test_rules.py"):
        (root / file).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / file, root / file)
    return root


def sentences(root: Path, code: str) -> list[str]:
    """What code prints in the copy, in a process of its own: the sentences of a guard."""
    paths = [str(root), str(root / "tests"), str(root / "tests" / "support")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=root, env=env, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    found: list[str] = ast.literal_eval(done.stdout)
    return found


@contextmanager
def changed(copy: Path, changes: Changes) -> Iterator[None]:
    """The copy with texts replaced, and as it was before afterwards."""
    before = {name: (copy / name).read_text() if (copy / name).exists() else None
              for name in changes}  # fmt: skip
    assert sum(not name.startswith(READINGS) for name in changes) <= 2
    try:
        for name, (old, new) in changes.items():
            text = before[name] or ""
            assert old in text
            (copy / name).write_text(text.replace(old, new, 1))
        yield
    finally:
        for name, kept in before.items():
            if kept is None:
                (copy / name).unlink()
            else:
                (copy / name).write_text(kept)


@pytest.mark.sample(1)
@pytest.mark.parametrize("what", HALVES)
def test_what_is_missing_is_named(what: str, copy: Path) -> None:
    guard, changes, missing = HALVES[what]
    with changed(copy, changes):
        assert sentences(copy, CODE.format(guard)) == missing
        if what in WORKS:
            assert sentences(copy, ASKED.format(*WORKS[what])) == ["proved", "True"]


@pytest.mark.parametrize("what", READS)
def test_the_reader_of_c_learns_by_a_row(what: str, copy: Path) -> None:
    changes, text, guards, unread = READS[what]
    (copy / "kernel.cpp").write_text(text)
    assert sentences(copy, READ) == [[""] * bool(unread), unread]
    with changed(copy, changes):
        assert sentences(copy, READ) == [guards, []]


def test_nobody_knows_the_rule_of_the_exercise_here() -> None:
    word, claim, options = WORKS["a rule, whole"]
    asked = f"prove.{word}({claim!r}, **{options!r}).status"
    assert sentences(ROOT, f"from symlayout import prove; print([{asked}])") == ["unknown"]


@pytest.mark.parametrize("guard", completeness.GUARDS)
def test_nothing_else_is_missing_here(guard: str) -> None:
    assert completeness.GUARDS[guard]() == []
