"""Properties of internal modules; `tests/test_checks_sharing.py` tests the public interface."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_checks_sharing import MODULE, TAGGED, write

from symlayout.__main__ import main
from symlayout.checks.claims_file import load, load_text
from symlayout.checks.config import read_config
from symlayout.checks.reading import ANYWHERE
from symlayout.checks.result import Problem, Result, Task
from symlayout.errors import LayoutError

SHARED = '[facts]\nwhere = ["N % 128 == 0"]\n[layouts]\nhbm = "f32[M,N]{1,0:T(8,128)}"\n'


def tasks(file: Path) -> list[Task]:
    loaded = load(str(file))
    assert loaded.problems == ()
    made = [e for e in loaded.entries if isinstance(e, Task)]
    assert len(made) == len(loaded.entries)
    return made


def problems(file: Path) -> list[Problem]:
    loaded = load(str(file))
    own = [e.outcome.problem for e in loaded.entries if isinstance(e, Result)]
    return [*loaded.problems, *(p for p in own if p is not None)]


def test_layouts_and_facts_are_included(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()  # the root of the project
    write(tmp_path, shared=SHARED + "[[claim]]\nprove = 'onto hbm'\n")
    (tmp_path / "sub").mkdir()
    write(
        tmp_path / "sub",
        mine="include = ['../shared.layout.toml']\nfacts.where = ['M > 1']\n"
        "[layouts]\nown = '(4):(1)'\n[[claim]]\nprove = 'injective hbm'\n"
        "[[claim]]\nprove = 'onto own'\n",
    )
    one, two = tasks(tmp_path / "sub" / "mine.layout.toml")
    assert one.claim.texts == ("f32[M,N]{1,0:T(8,128)}",)
    assert one.claim.facts == ("N % 128 == 0", "M > 1")
    assert two.claim.texts == ("(4):(1)",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("include = ['nowhere.layout.toml']", "cannot be read: no such file"),
        ("include = ['a.layout.toml']", "includes this file again"),
        ("include = ['b.layout.toml']", "includes this file again"),
        ("include = 'b.layout.toml'", "include must be an array"),
        ("include = ['c.layout.toml']\n[layouts]\nx = '(5):(1)'", "'x' is another one"),
    ],
)
def test_includes_that_mean_nothing(tmp_path: Path, text: str, words: str) -> None:
    write(tmp_path, a=text + "\n[[claim]]\nprove = 'onto \"(4):(1)\"'\n")
    write(tmp_path, b="include = ['a.layout.toml']", c="[layouts]\nx = '(4):(1)'\n")
    found = problems(tmp_path / "a.layout.toml")
    assert any(words in p.message for p in found)


def test_a_claim_takes_the_shared_facts_that_speak_of_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        a='[facts]\nwhere = ["N % 8 == 0", "K == 2*N", "L > 3", "T > 1", "1 < 2"]\n'
        + "".join(
            f"[[claim]]\nprove = 'onto \"{layout}\"'\n"
            for layout in ("f32[K]{0:T(8)}", "(L):(1)", "f32[4]{0:T(2)}", "(T):(1)")
        ),
    )
    assert [t.claim.facts for t in tasks(tmp_path / "a.layout.toml")] == [
        ("N % 8 == 0", "K == 2*N", "1 < 2"),
        ("L > 3", "1 < 2"),
        ("1 < 2",),
        ("T > 1", "1 < 2"),
    ]


def test_a_fact_that_speaks_of_no_claim_is_a_mistake(tmp_path: Path) -> None:
    text = "[facts]\nwhere = ['n > 1']\n"
    write(tmp_path, a=text + "[[claim]]\nprove = 'onto \"(N):(1)\"'\n", b=text)
    (problem,) = problems(tmp_path / "a.layout.toml")
    assert (problem.code, str(problem.place).split("toml:")[1]) == ("SL301", "2:11")
    assert problems(tmp_path / "b.layout.toml") == []


def test_a_claim_over_a_table(tmp_path: Path) -> None:
    write(
        tmp_path,
        a='[layouts]\ntile = "{dtype}[M,N]{1,0:T({bm},128)}"\n[[claim]]\nname = "tiles"\n'
        'prove = "aligned tile {bm}"\nwhere = ["M % {bm} == 0"]\n'
        'for = { bm = [64, 128], dtype = ["f16", "f32"] }\n',
    )
    made = tasks(tmp_path / "a.layout.toml")
    assert [t.name for t in made] == [
        "tiles [bm=64, dtype=f16]",
        "tiles [bm=64, dtype=f32]",
        "tiles [bm=128, dtype=f16]",
        "tiles [bm=128, dtype=f32]",
    ]
    assert made[2].claim.texts == ("f16[M,N]{1,0:T(128,128)}", "128")
    assert made[2].claim.facts == ("M % 128 == 0",)


def test_a_claim_over_rows() -> None:
    text = (
        '[[claim]]\nname = "{a} by {b}"\nprove = "injective \'({a},{b}):({b},1)\'"\n'
        "for = [{ a = 2, b = 3 }, { a = 4, b = 5 }]\n"
    )
    loaded = load_text("a.layout.toml", text)
    made = [e for e in loaded.entries if isinstance(e, Task)]
    assert [(t.name, t.claim.texts) for t in made] == [
        ("2 by 3", ("(2,3):(3,1)",)),
        ("4 by 5", ("(4,5):(5,1)",)),
    ]


HUNDRED_AND_ONE = list(range(101))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("{ a = [] }", "gives no values"),
        ("{ a = 3 }", "the values of 'a' must be an array"),
        ("{ a = [1.5] }", "a number or a text"),
        ("{ a = [true] }", "a number or a text"),
        ("{ 'a b' = [1] }", "not a name"),
        ("3", "for must be a table"),
        ("[3]", "each element of for must be a table"),
        (f"{{ a = {HUNDRED_AND_ONE}, b = {HUNDRED_AND_ONE} }}", "at most 10,000 are made"),
    ],
)
def test_tables_that_mean_nothing(value: str, words: str) -> None:
    text = f"[[claim]]\nprove = 'onto \"(4):(1)\"'\nfor = {value}\n"
    (entry,) = load_text("a.layout.toml", text).entries
    assert isinstance(entry, Result)
    assert entry.outcome.problem is not None
    assert words in entry.outcome.problem.message
    assert entry.outcome.problem.place is not None
    assert entry.outcome.problem.place.line == 3


def test_settings_of_a_project(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "claims").mkdir()
    write(tmp_path / "claims", a=TAGGED.replace("(4)", "(N)"))
    (tmp_path / "pyproject.toml").write_text(
        '[tool.symlayout]\npaths = ["claims"]\nwhere = ["N > 1"]\ntags = ["fast"]\n'
        'format = "concise"\nbudget = 1000000\n'
    )
    monkeypatch.chdir(tmp_path / "claims")
    config = read_config()
    assert (config.format, config.budget, config.tags) == ("concise", 1000000, ("fast",))
    monkeypatch.chdir(tmp_path)
    assert read_config().paths == ("claims",)
    assert main(["check"]) == 0
    assert capsys.readouterr().out == "1 claim in 1 file (1 proved): all as expected\n"


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("pahts = []", "SL501", "did you mean 'paths'"),
        ("paths = 'x'", "SL503", "paths must be an array"),
        ("paths = 'x'", "SL503", 'in brackets as well: paths = ["..."]'),
        ("format = 'fulll'", "SL503", "format is one of"),
        ("jobs = 'auto'", "SL501", "cannot have 'jobs'"),
        ("jobs = 2", "SL501", "use the option --jobs N"),
        ("cache-dir = '../x'", "SL501", "use the option --cache-dir DIR or the variable"),
        ("include-outside = true", "SL501", "use the option --include-outside"),
        ("paths = ['../x']", "SL601", "../x is outside of the project's root"),
        ("paths = ['/etc/passwd']", "SL601", "name it on the command line"),
        ("paths = ['a', 'b/../../x']", "SL601", "outside of the project's root"),
        ("budget = '3'", "SL503", "budget must be a number"),
        ("budget = 0", "SL503", "not 0"),
        ("max-padding = 'abc'", "SL502", "a number such as 1.5, not 'abc'"),
        ("max-padding = -1", "SL502", "a padding ratio is positive, not -1"),
        ("max-padding = nan", "SL502", "not 'nan'"),
    ],
)
def test_settings_that_mean_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, code: str, words: str
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.symlayout]\n{line}\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LayoutError) as caught:
        read_config()
    assert caught.value.code == code
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"{code}: pyproject.toml:2:")


def test_a_module_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from symlayout.checks import module_file
    from symlayout.checks.cache import Cache
    from symlayout.programs.hlo import claims

    file = tmp_path / "small.hlo"
    file.write_text(MODULE + "nonsense\n")
    with Cache(str(tmp_path / "cache")) as cache:
        first = module_file.load(str(file), ANYWHERE, "1.5", cache)
    assert len(first.entries) > 2
    assert first.problems
    assert first.note
    assert first.padding
    monkeypatch.delattr(claims, "modules_of")
    with Cache(str(tmp_path / "cache")) as cache:
        assert module_file.load(str(file), ANYWHERE, "1.5", cache) == first
        with pytest.raises(ImportError):
            module_file.load(str(file), ANYWHERE, None, cache)
