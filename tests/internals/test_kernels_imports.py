"""Functions that a kernel calls from other files of its project: read as if they stood in its own, or a
line that says that they are not followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout.checks import runner
from symlayout.checks.cache import Cache
from symlayout.checks.kernel_files import reader_of
from symlayout.checks.reading import ANYWHERE
from symlayout.programs.kernels.access import Kernel

HEAD = "import triton\nimport triton.language as tl\n"
HELPERS = """
STEP = 4


@triton.jit
def inner(p, i):
    return tl.load(p + i * STEP)


@triton.jit
def place(axis, BLOCK: tl.constexpr = STEP):
    return tl.program_id(axis).to(tl.int64) * BLOCK


@triton.jit
def copy(x, y, i, n, read):
    for k in range(3):
        if i + k < n:
            tl.store(y + i + k, read(x, i + k))
"""
# what a file of a package writes, and the calls
FORMS = {
    "words of a module beside it": ("from .helpers import copy, inner, place", ""),
    "all words of a module": ("from .helpers import *", ""),
    "all words that a package hands on": ("from ..ops.helpers import *\nimport os", ""),
    "words under other names": ("from .helpers import copy as c, inner as r, place as q", "crq"),
    "a module of the folder above": ("from ..ops import helpers as h", "h."),
    "a module by its whole name": ("import proj.ops.helpers as h", "h."),
    "a word by its module's whole name": ("from proj.ops.helpers import copy, inner, place", ""),
    "what a package hands on": ("from proj import copy, inner, place", ""),
    "a module that a package hands on": ("from proj import tools as h", "h."),
    "what a package hands on under another name": ("from proj import tools2 as h", "h."),
}
KERNEL = """

@triton.jit
def f(x, y, n, STEP: tl.constexpr):
    i = {place}(0)
    {copy}(x, y, i, n, {inner})
    tl.load(x + i * STEP)
"""


def project(folder: Path, kernel: str, **files: str) -> Path:
    """A package with kernels in one of its packages."""
    ops = folder / "proj" / "ops"
    ops.mkdir(parents=True)
    (folder / ".git").mkdir()
    (ops / "__init__.py").write_text("")
    above = "from .ops import helpers as tools\nfrom proj.ops import helpers as tools2\n"
    (folder / "proj" / "__init__.py").write_text(
        above + "from .ops.helpers import copy, inner, place\n"
    )
    for name, text in files.items():
        (ops / f"{name}.py").write_text(HEAD + text)
    (ops / "kernel.py").write_text(HEAD + kernel)
    return ops / "kernel.py"


def kernel_of(file: Path) -> Kernel:
    reader = reader_of(str(file), ANYWHERE)
    assert reader is not None
    return reader.read(reader.function("f"))


def found_line(folder: Path, number: int) -> str:
    """A line of the kernel's file."""
    return (folder / "proj" / "ops" / "kernel.py").read_text().splitlines()[number - 1]


def accesses(kernel: Kernel) -> list[object]:
    """What is accessed, without the places in the text."""
    assert not kernel.skipped, kernel.skipped
    return [(a.kind, a.array, a.offset, a.shape, a.guard, a.doubt) for a in kernel.accesses]


@pytest.mark.parametrize("form", FORMS)
def test_functions_of_other_files_are_those_of_the_same_file(form: str, tmp_path: Path) -> None:
    imports, called = FORMS[form]
    words = {"copy": "copy", "inner": "inner", "place": "place"}
    if len(called) == 3:
        words = dict(zip(words, called))
    elif called:
        words = {k: called + w for k, w in words.items()}
    own = project(
        tmp_path / "own", HELPERS + KERNEL.format(copy="copy", inner="inner", place="place")
    )
    apart = project(tmp_path / "apart", imports + KERNEL.format(**words), helpers=HELPERS)
    expected = accesses(kernel_of(own))
    assert len(expected) == 3
    assert accesses(kernel_of(apart)) == expected


def test_lines_are_those_of_the_kernels_own_file(tmp_path: Path) -> None:
    text = "from .helpers import copy, inner" + KERNEL.format(
        copy="copy", inner="inner", place="tl.program_id"
    )
    file = project(tmp_path, text, helpers="\n" * 100 + HELPERS)
    called = file.read_text().splitlines().index("    copy(x, y, i, n, inner)") + 1
    assert [a.span.line for a in kernel_of(file).accesses] == [called, called, called + 1]


# what a kernel imports and calls, and its helper: another meaning than the words have at first sight
ANOTHER = {
    "a helper with the name of a function of Triton's": (
        "from .helpers import cdiv",
        "tl.load(x + cdiv(n, 4))",
        "@triton.jit\ndef cdiv(a, b):\n    return a // b\n",
        "tl.load(x + n // 4)",
    ),
    "a module with the name of Triton's language": (
        "from . import helpers as language",
        "tl.load(x + language.cdiv(n, 4))",
        "@triton.jit\ndef cdiv(a, b):\n    return a // b\n",
        "tl.load(x + n // 4)",
    ),
    "a function of the same name in both files": (
        "from .helpers import g\n\n@triton.jit\ndef h(i):\n    return i + 1\n",
        "tl.load(x + g(n) + h(n))",
        "@triton.jit\ndef h(i):\n    return i * 2\n\n@triton.jit\ndef g(i):\n    return h(i)\n",
        "tl.load(x + n * 2 + (n + 1))",
    ),
    "a number of the same name in both files": (
        "from .helpers import g\nK: tl.constexpr = 3\n",
        "tl.load(x + g(n) * K)",
        "K: tl.constexpr = 5\n\n@triton.jit\ndef g(i, k=K):\n    return i * K + k\n",
        "tl.load(x + (n * 5 + 5) * 3)",
    ),
    "a number of another file": (
        "from .helpers import K",
        "tl.load(x + n * K)",
        "K = tl.constexpr(5)\n",
        "tl.load(x + n * 5)",
    ),
    "a local name that hides a module": (
        "from . import helpers as g",
        "g = n\ntl.load(x + g)",
        "",
        "tl.load(x + n)",
    ),
    "an alias of a function of Triton's": (
        "from .helpers import cdiv",
        "tl.load(x + cdiv(n, 4))",
        "cdiv = triton.cdiv\n",
        "tl.load(x + triton.cdiv(n, 4))",
    ),
}


def of_body(folder: Path, above: str, body: str, helpers: str) -> Kernel:
    rows = "".join(f"    {x}\n" for x in body.splitlines())
    text = f"{above}\n\n@triton.jit\ndef f(x, n):\n{rows}"
    return kernel_of(project(folder, text, helpers=helpers))


@pytest.mark.parametrize("case", ANOTHER)
def test_names_mean_what_they_mean_where_they_stand(case: str, tmp_path: Path) -> None:
    above, body, helpers, same = ANOTHER[case]
    found = of_body(tmp_path / "apart", above, body, helpers)
    assert accesses(found) == accesses(of_body(tmp_path / "own", "", same, ""))


DOUBLE = "@triton.jit\ndef g(i):\n    return i\n"
# what an import leaves open: which definition it is, or whether it is a function at all
OPEN = {
    "two definitions": ("from .helpers import g", f"{DOUBLE}{DOUBLE}"),
    "a definition for some": (
        "from .helpers import g",
        f"if triton.__version__ > '3':\n    from .other import g\nelse:\n    g = None\n{DOUBLE}",
    ),
    "a wrapped function": ("from .helpers import g", f"{DOUBLE}g = wrap(g)\n"),
    "a function of Python's": ("from .helpers import g", "def g(i):\n    return i\n"),
    "a name that another file binds again": (
        "from .helpers import g\ng = g",
        DOUBLE,
    ),
    "a star of a list of names": ("from .helpers import *", f"__all__ = []\n{DOUBLE}"),
    "a star of two files": ("from .helpers import *\nfrom .helpers import *", DOUBLE),
    "a star beside one from elsewhere": ("from .helpers import *\nfrom torch import *", DOUBLE),
    "a star below what it hides": (f"{DOUBLE}from .helpers import *", DOUBLE),
    "a star that brings the name by another one": (
        "from .helpers import *",
        "from .kernel import *\n",
    ),
    "a name that is made when it is asked for": (
        "from .helpers import g",
        "def __getattr__(name):\n    return None\n",
    ),
    "a file that is not Python": ("from .helpers import g", "def g(:\n"),
    "no such file": ("from .nothing import g", DOUBLE),
    "a file outside": ("from ........other import g", DOUBLE),
    "two files that import one another": ("from .helpers import g", "from .kernel import g\n"),
}


@pytest.mark.parametrize("case", OPEN)
def test_what_an_import_leaves_open_is_not_followed(case: str, tmp_path: Path) -> None:
    above, helpers = OPEN[case]
    found = of_body(tmp_path, above, "tl.load(x + g(n))\ng(x)", helpers)
    doubts = [a.doubt for a in found.accesses]
    assert all("not followed" in d or "several definitions" in d for d in doubts), doubts
    assert any("g(x)" in found_line(tmp_path, n) for n in found.skipped)


HANDED = {
    "the address": "g(x)",
    "beside a number": "g(n, x)",
    "behind a place": "g(x + n)",
    "of a module": "h.g(x)",
    "in a tuple": "g((x, n))",
    "one of two": "g(x if n > 3 else y)",
    "spread": "g(*[x, n])",
    "by names": "g(**{'p': x})",
    "in a dictionary": "d = {'p': x}\ng(d)",
    "of a part": "g(x.part)",
    "in a condition": "if g(x):\n    pass",
    "to a parameter": "z(x)",
    "in a text": "s = f'{g(x)}'",
    "by a function of its own": "s = lambda: g(x)",
    "through a method": "x.g()",
}


@pytest.mark.parametrize("case", HANDED)
def test_what_may_be_an_address_is_not_handed_on_in_silence(case: str, tmp_path: Path) -> None:
    body = HANDED[case].replace("\n", "\n    ")
    head = f"{HEAD}from other import g\nimport other as h\n\n\n@triton.jit\n"
    file = tmp_path / "k.py"
    file.write_text(f"{head}def f(x, y, z: tl.constexpr, n):\n    {body}\n")
    assert kernel_of(file).skipped


NUMBERS = ["n: tl.int32", "n: float", "n=1.0", "n: tl.constexpr"]


@pytest.mark.parametrize("given", [*NUMBERS, "n"])
def test_a_number_is_handed_on(given: str, tmp_path: Path) -> None:
    """What has a number's type or default is none's address, nor is what the kernel computes with."""
    used = "" if given in NUMBERS else "    m = n * 2\n"
    head = f"{HEAD}from other import g\n\n\n@triton.jit\n"
    file = tmp_path / "k.py"
    file.write_text(f"{head}def f({given}):\n{used}    g(n)\n")
    assert not kernel_of(file).skipped


def test_a_module_that_lies_in_two_folders_is_not_followed(tmp_path: Path) -> None:
    file = project(
        tmp_path,
        "from tools import g\n\n@triton.jit\ndef f(x, n):\n    g(x)\n    tl.load(x)\n",
        tools=DOUBLE,
    )
    assert not kernel_of(file).skipped
    (tmp_path / "tools.py").write_text(HEAD + DOUBLE)
    assert kernel_of(file).skipped


def test_verdicts_follow_the_files_that_a_kernel_imports(tmp_path: Path) -> None:
    """Also those from the cache: the claims are others."""
    contract = "# symlayout: kernel grid (n,)\n#   x is f32[n]\n"
    body = "@triton.jit\ndef f(x, n):\n    tl.load(x + g(tl.program_id(0)))\n"
    file = project(tmp_path, f"from .helpers import g\n\n{contract}{body}", helpers=DOUBLE)
    cache = Cache(tmp_path / "cache")
    for more, status in ((0, "proved"), (1, "refuted"), (0, "proved")):
        changed = DOUBLE.replace("return i", f"return i + {more}")
        (file.parent / "helpers.py").write_text(HEAD + changed)
        report = runner.check([str(file)], cache=cache)
        assert [r.outcome.status for r in report.results if "in bounds" in r.task.name] == [status]


def test_a_name_below_a_star_is_the_files_own(tmp_path: Path) -> None:
    found = of_body(
        tmp_path,
        f"from .helpers import *\n{DOUBLE}",
        "tl.load(x + g(n))",
        "@triton.jit\ndef g(i):\n    return i + 5\n",
    )
    assert [str(a.offset.text({})) for a in found.accesses] == ["n"]
    assert not found.skipped


def test_a_name_with_a_stroke_is_brought_by_no_star(tmp_path: Path) -> None:
    found = of_body(tmp_path, "from .helpers import *\n", "_g(x)", DOUBLE.replace("g(", "_g("))
    assert found.skipped
