"""Sharing and repeating: includes, parametrised claims, tags, settings of a project, modules."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from symlayout.__main__ import main
from symlayout.checks.claims_file import load, load_text
from symlayout.checks.config import read_config
from symlayout.checks.result import Problem, Result, Task
from symlayout.checks.runner import check
from symlayout.errors import LayoutError

SHARED = '[facts]\nwhere = ["N % 128 == 0"]\n[layouts]\nhbm = "f32[M,N]{1,0:T(8,128)}"\n'


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.layout.toml").write_text(text)


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


def test_included_mistakes_are_marked_in_their_own_file(tmp_path: Path) -> None:
    write(tmp_path, shared='[layouts]\nbad = "f32[4"\n', mine=(
        "include = ['shared.layout.toml']\n[[claim]]\nprove = 'onto bad'\n"
    ))  # fmt: skip
    assert main(["check", str(tmp_path / "mine.layout.toml"), "--no-cache"]) == 2


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


def test_what_shared_facts_say_through_other_names_holds_of_a_claim(tmp_path: Path) -> None:
    maps = ("map i < 5: i in n", "map i < 6: i in n", "map i < p: i in 7")
    write(
        tmp_path,
        a='[facts]\nwhere = ["n > m", "m >= 4", "1 <= p < q < 9"]\n'
        + "".join(f"[[claim]]\nprove = \"bounded '{m}'\"\n" for m in maps),
    )
    result = check([str(tmp_path / "a.layout.toml")])
    assert [r.outcome.status for r in result.results] == ["proved", "refuted", "proved"]
    assert [{*r.task.claim.facts} for r in result.results] == [
        {"n >= 5"},
        {"n >= 5"},
        {"1 <= p", "p <= 7"},
    ]
    assert not result.all_problems


def test_facts_that_no_fact_about_a_claim_stands_for_are_told(tmp_path: Path) -> None:
    text = "[facts]\nwhere = ['n*m <= 64']\n"
    write(tmp_path, a=text + "[[claim]]\nprove = 'onto \"(n):(1)\"'\n")
    first, second = check([str(tmp_path / "a.layout.toml")]).all_problems
    assert (first.code, first.message) == ("SL301", "unknown name 'm' in 'n*m <= 64'")
    assert (second.code, "not checked" in second.message) == ("SL500", True)


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


def checked(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, list[str]]:
    code = main(["check", *argv, "--json", "--no-cache"])
    return code, [c["name"] for c in json.loads(capsys.readouterr().out)["claims"]]


TAGGED = (
    "[[claim]]\nname = 'one'\nprove = 'onto \"(4):(1)\"'\ntags = ['fast']\n"
    "[[claim]]\nname = 'two'\nprove = 'onto \"(4):(1)\"'\ntags = ['slow', 'big']\n"
    "[[claim]]\nname = 'three'\nprove = 'onto \"(4):(1)\"'\n"
)


def test_tags_select(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, a=TAGGED)
    assert checked(capsys, ".", "--tag", "big") == (0, ["two"])
    assert checked(capsys, ".", "--tag", "big", "--tag", "fast") == (0, ["one", "two"])
    assert checked(capsys, ".") == (0, ["one", "two", "three"])


def test_facts_of_the_command_line_hold_for_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, a="[[claim]]\nname = 'n'\nprove = 'onto \"(M,2):(2,1)\"'\n")
    assert checked(capsys, str(tmp_path), "--where", "M == 2") == (0, ["n"])
    assert checked(capsys, str(tmp_path), "--where", "M = 2") == (2, ["n"])
    assert checked(capsys, str(tmp_path), "--where", "Q <= 4") == (2, ["n"])  # it fits no claim
    assert checked(capsys, str(tmp_path), "--where", "Q << 4") == (2, ["n"])


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


def test_settings_that_name_what_is_not_there_say_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, a=TAGGED)
    monkeypatch.chdir(tmp_path)
    for line, column, words in (
        ('paths = ["a.layout.tml"]', 11, "did you mean 'a.layout.toml'?"),
        ('tags = ["fsat"]', 10, "did you mean 'fast'?"),
    ):
        (tmp_path / "pyproject.toml").write_text(f"[tool.symlayout]\n{line}\n")
        assert main(["check", "--no-cache"]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"pyproject.toml:2:{column}: error: SL60")
        assert words in said


def test_without_paths_the_project_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert main(["check"]) == 2
    assert "no claims found below ..:" in capsys.readouterr().err
    write(tmp_path, a=TAGGED)
    assert checked(capsys) == (0, ["one", "two", "three"])


MODULE = """HloModule small

ENTRY main {
  x = f32[4,128]{1,0:T(8,128)} parameter(0)
  ROOT y = f32[4,128]{1,0:T(8,128)} copy(x)
}
"""


def test_modules_are_checked_and_their_waste_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "small.hlo"
    file.write_text(MODULE)
    assert main(["check", str(tmp_path), "--no-cache"]) == 0
    out = capsys.readouterr().out
    assert f"padding of {file}, the most wasted bytes first:" in out
    assert "f32[4,128]{1,0:T(8,128)}" in out
    assert main(["check", str(file), "--json", "--no-cache"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["claims"][0]["line"] == 4
    assert data["padding"]
    assert main(["check", str(file), "--no-cache", "--max-padding", "1.5"]) == 1
    assert "refuted" in capsys.readouterr().out
    file.write_text(MODULE.replace("copy(x)", "copy(x"))
    assert main(["check", str(file), "--no-cache"]) == 2
    got = capsys.readouterr()
    assert "small.hlo:5:" in got.err
    assert got.out.splitlines()[-1].endswith("1 error")


STABLEHLO = """func.func @main(%a: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""
# none of these holds an operation of StableHLO; some are no text at all
OTHERS = {
    "affine.mlir": b"func.func @f(%a: memref<3x!x.y>) { affine.for %i = 0 to 3 {} return }\n",
    "broken.mlir": b"func.func @main(%a: tensor<3x {\n",
    "bytes.mlir": b"ML\xefR\x0dStableHLO_v1.0\x00\xff",
    "empty.mlir": b"",
}


def test_stablehlo_is_found_in_folders_and_other_dialects_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "main.mlir").write_text(STABLEHLO)
    assert main(["check", ".", "--no-cache"]) == 0
    alone = capsys.readouterr()
    confirmed = "Z3 confirms 2 of 2 proofs of bijectivity, bounds and broadcasts for all sizes\n\n"
    about = "claims made of compiler modules: 2 shapes\n"
    assert alone.out == f"{confirmed}{about}2 claims in 1 file (2 proved): all as expected\n"
    for number, (name, content) in enumerate(OTHERS.items(), 1):
        (tmp_path / name).write_bytes(content)
        if (
            name == "bytes.mlir" and find_spec("jaxlib") is not None
        ):  # which reads it, and says why not
            assert main(["check", ".", "--no-cache"]) == 2
            assert "bytes.mlir is not text: it is MLIR bytecode" in capsys.readouterr().err
            (tmp_path / name).unlink()
            continue
        assert main(["check", ".", "--no-cache"]) == 0
        got = capsys.readouterr()
        assert got.err == ""
        note, _, rest = got.out.partition("\n\n")
        assert rest == alone.out
        texts = [n for n in list(OTHERS)[:number] if n != "bytes.mlir"]
        lines = [f"passed over: {len(texts)} .mlir files hold no StableHLO ({', '.join(texts)})"]
        if number == 1:
            lines = ["passed over: affine.mlir holds no StableHLO"]
        if (tmp_path / "bytes.mlir").exists():
            cure = "`pip install 'symlayout[jax]'` lets symlayout read bytecode"
            lines.append(f"passed over: bytes.mlir is MLIR bytecode; {cure}")
        assert note.splitlines() == lines


@pytest.mark.parametrize("name", OTHERS)
def test_another_dialect_that_is_named_is_read(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.write_bytes(OTHERS[name])
    main(["check", str(tmp_path), str(file), "--no-cache"])
    got = capsys.readouterr()
    assert "passed over" not in got.out
    assert " in 1 file" in got.out


def test_a_mistake_in_stablehlo_is_not_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "main.mlir").write_text(STABLEHLO.replace("tensor<2x3xf32> {", "tensor<2x3 {"))
    assert main(["check", str(tmp_path), "--no-cache"]) == 2
    assert "main.mlir:1:" in capsys.readouterr().err


def test_a_module_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from symlayout.checks import module_file
    from symlayout.checks.cache import Cache
    from symlayout.programs.hlo import claims

    file = tmp_path / "small.hlo"
    file.write_text(MODULE + "nonsense\n")
    with Cache(str(tmp_path / "cache")) as cache:
        first = module_file.load(str(file), "1.5", cache)
    assert len(first.entries) > 2
    assert first.problems
    assert first.note
    assert first.padding
    monkeypatch.delattr(claims, "modules_of")
    with Cache(str(tmp_path / "cache")) as cache:
        assert module_file.load(str(file), "1.5", cache) == first
        with pytest.raises(ImportError):
            module_file.load(str(file), None, cache)


def test_a_layout_that_cannot_be_read_costs_its_own_claims_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.layout.toml"
    file.write_text(
        '[layouts]\nhbm = 5\nrow = "f32[N]{0}"\n[maps.g]\nreslt = ["i"]\n'
        '[[claim]]\nprove = "injective hbm"\n[[claim]]\nprove = "injective row"\n'
        '[[claim]]\nprove = "injective g"\n[[claim]]\nprove = "injective h"\n'
    )
    report = check([str(file)])
    reasons = [r.outcome.reason if r.outcome.problem else r.outcome.status for r in report.results]
    assert reasons == [
        "not checked: the layout 'hbm' cannot be read",
        "proved",
        "not checked: the layout 'g' cannot be read",
        "no layout is called 'h'",
    ]
