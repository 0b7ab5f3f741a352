"""What a file holds goes to the cache and comes back the same; what it includes is read each time."""

from dataclasses import replace
from pathlib import Path

import pytest

from symlayout import Claim
from symlayout.checks import claims_file, module_file, runner
from symlayout.checks.cache import Cache
from symlayout.checks.checker import judge
from symlayout.checks.packing import pack, unpack
from symlayout.checks.reading import ANYWHERE
from symlayout.checks.result import Loaded, Problem, Task

ROOT = Path(__file__).parents[2]
CLAIMS = [p for d in ("tests", "examples", "proofs") for p in (ROOT / d).rglob("*.layout.toml")]
MODULES = [
    p for d in ("tests", "examples") for s in (".hlo", ".mlir") for p in (ROOT / d).rglob("*" + s)
]
MISTAKES = """
[facts]
where = ["Q > 1"]
[layouts]
a = "f32[M,N]"
[[claim]]
name = "{k}: a name\\twith a tab"
prove = "equal a f32[M,N]"
for = { k = [1, 2] }
[[claim]]
prove = "equal a"
wher = []
[[claim]]
prove = "equal 'a"
"""


def same(loaded: Loaded) -> None:
    assert unpack(pack(loaded)) == loaded


@pytest.mark.parametrize("path", CLAIMS, ids=lambda p: p.name.removesuffix(".layout.toml"))
def test_a_claims_file_comes_back(path: Path) -> None:
    same(claims_file.load(str(path)))


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.name)
def test_a_module_comes_back(path: Path) -> None:
    loaded = module_file.load(str(path), ANYWHERE)
    texts = tuple(
        replace(e, claim=replace(e.claim, arguments=e.claim.texts)) for e in loaded.entries
    )
    assert unpack(pack(loaded)) == replace(loaded, entries=texts)


def test_mistakes_and_places_in_other_files_come_back(tmp_path: Path) -> None:
    (tmp_path / "b.layout.toml").write_text(
        '[layouts]\nb = "f32[K]{0}"\n[facts]\nwhere = ["K > 1"]\n'
    )
    file = tmp_path / "a.layout.toml"
    file.write_text('include = ["b.layout.toml"]\n' + MISTAKES.replace("equal a f", "equal b f"))
    loaded = claims_file.load(str(file))
    assert len({p.place.file for p in loaded.problems if p.place}) <= 2 < len(loaded.entries)
    same(loaded)
    same(Loaded("x", problems=(Problem("SL500", "no place", None, None, ("line", "  ^")),)))


def test_a_file_is_read_once_and_again_when_its_text_changes(tmp_path: Path, monkeypatch) -> None:
    read: list[str] = []
    load_text = claims_file.load_text
    monkeypatch.setattr(claims_file, "load_text", lambda *a: read.append(a[1]) or load_text(*a))
    file, texts = tmp_path / "a.layout.toml", [MISTAKES, MISTAKES, MISTAKES + "# more\n", MISTAKES]
    results = []
    for text in texts:
        file.write_text(text)
        with Cache(str(tmp_path / "cache")) as cache:
            results.append(claims_file.load(str(file), None, cache))
    assert read == [MISTAKES, MISTAKES + "# more\n"]
    assert results[0] == results[1] == results[3] == load_text(str(file), MISTAKES)


@pytest.mark.parametrize("key", ["include", '"incl\\u0075de"'])
def test_what_is_included_may_change(tmp_path: Path, key: str) -> None:
    other, file = tmp_path / "b.layout.toml", tmp_path / "a.layout.toml"
    file.write_text(f'{key} = ["b.layout.toml"]\n[[claim]]\nprove = "injective b"\n')
    statuses = []
    for stride in ("N", "1"):
        other.write_text(f'[layouts]\nb = "(M,N):({stride},1)"\n')
        with Cache(str(tmp_path / "cache")) as cache:
            report = runner.check([str(file)], cache=cache)
        statuses.append(report.results[0].outcome.status)
    assert statuses == ["proved", "refuted"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '["x", [[1]], []]', "null", '["x", 1, 2, 3]'])
def test_a_damaged_row_is_read_anew(tmp_path: Path, text: str) -> None:
    good = Loaded("x", note="good")
    with Cache(str(tmp_path)) as cache:
        cache.remember("content", lambda: text)
        assert cache.loaded("content", lambda: good) == good


def test_what_is_derived_from_code_and_too_large_is_unknown_and_no_bad_input() -> None:
    many = " + ".join(f"(1 if i != {k} else 0)" for k in range(120))
    claim = Claim("bounded", (f"map i < n: {many} in 200",))
    assert judge(Task("written", claim)).status == "error"
    made = judge(Task("derived", claim, derived=True))
    assert made.status == "unknown"
    assert "more than 100 comparisons" in made.reason
