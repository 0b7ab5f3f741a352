"""Every snippet of the documentation runs, and prints what the page says."""

from __future__ import annotations

import doctest
import re
import runpy
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from symlayout import parse
from symlayout.__main__ import main

DUMPS = Path(__file__).parent / "data" / "dumps"

DOCS = Path(__file__).parents[1] / "docs"

PAGES = sorted(p.name for p in DOCS.glob("*.md"))

FENCE = re.compile(r"^```(\S+)(?: (\S+))?\n(?::caption: (\S+)\n)?(.*?)^```$", re.M | re.S)

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def snippets(page: str) -> Iterator[tuple[str, str | None, str]]:
    for found in FENCE.finditer((DOCS / page).read_text()):
        kind, language, caption, body = found.groups()
        yield (language or "") if kind == "{code-block}" else kind, caption, body


@pytest.mark.sample(1)
@pytest.mark.parametrize("page", PAGES)
def test_the_snippets_run(
    page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    if page == "module.md":  # which reads real dumps
        for name in ("transformer.v5e", "transformer.v6e", "gather.v5e", "whilecond.v5e"):
            (tmp_path / f"{name}.hlo").write_text((DUMPS / f"{name}.hlo").read_text())
        for name, folder in (("v5e.chain", "dump"), ("v5e.chained", "dump.fixed")):
            shutil.copytree(DUMPS / "folders" / name, tmp_path / folder)
    for language, caption, body in snippets(page):
        if caption:
            (tmp_path / caption).parent.mkdir(exist_ok=True)
            (tmp_path / caption).write_text(body)
        elif language == "console":
            for command in re.split(r"^\$ ", body, flags=re.M)[1:]:
                line, _, expected = command.partition("\n")
                line, redirected = re.subn(r" > \S+$", "", line)
                argv = shlex.split(line)
                assert argv[0] in ("symlayout", "python")
                if argv[0] == "python":
                    runpy.run_path(str(tmp_path / argv[1]), run_name="__main__")
                else:
                    main(argv[1:])
                got = capsys.readouterr()
                assert got.err == ""
                if expected and not redirected:
                    same = doctest.OutputChecker().check_output(expected, got.out, FLAGS)
                    assert same, f"{line}\n{got.out}"
        elif language == "python":
            parsed = doctest.DocTestParser().get_doctest(body, {}, page, page, 0)
            failed = doctest.DocTestRunner(optionflags=FLAGS).run(parsed).failed
            assert not failed, capsys.readouterr().out


def test_every_page_is_in_the_table_of_contents() -> None:
    tables = re.findall(r"```{toctree}\n(.*?)```", (DOCS / "index.md").read_text(), re.S)
    names = [line for t in tables for line in t.splitlines() if line and not line.startswith(":")]
    assert len(names) == len(set(names))
    assert {f"{name}.md" for name in names} == set(PAGES) - {"index.md"}


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([\w-]+\.md)", (DOCS / page).read_text()):
            assert (DOCS / target).is_file(), (page, target)


def lines_of(kind: str) -> list[str]:
    """The examples of the page of the grammar that are to be read as that."""
    text = (DOCS / "grammar.md").read_text()
    blocks = re.findall(rf"^:class: reads {kind}\n(.*?)^```", text, re.M | re.S)
    return [line for block in blocks for line in block.splitlines()]


@pytest.mark.parametrize("text", lines_of("layout"))
def test_a_layout_of_the_grammar_reads_and_reads_back(text: str) -> None:
    made = parse(text)
    assert str(parse(str(made))) == str(made)


@pytest.mark.parametrize("text", lines_of("claim"))
def test_a_claim_of_the_grammar_is_proved(text: str) -> None:
    assert main(["prove", *shlex.split(text)]) == 0


DRAWN = [
    (page, " ".join(text.split()), dict(re.findall(r"^:(\w+): (.*)$", options, re.M)))
    for page in PAGES
    for text, options in re.findall(
        r"^```{picture} (.*)\n((?::.*\n)*)```", (DOCS / page).read_text(), re.M
    )
]


def test_the_gallery_has_twenty_layouts_and_schedules() -> None:
    assert len({text for page, text, _ in DRAWN if page == "gallery.md"}) >= 20


@pytest.mark.parametrize(("page", "text", "options"), DRAWN)
def test_a_picture_of_the_pages_is_drawn_and_its_claim_proved(
    page: str, text: str, options: dict[str, str]
) -> None:
    argv = ["show", text, "--svg"]
    argv += [f"--{k}={options[k]}" for k in ("size", "tv", "bits") if k in options]
    assert main(argv) == 0
    if "claim" in options:
        where = ["--where", options["where"]] if "where" in options else []
        claim = shlex.split(options["claim"].replace("@", shlex.quote(text)))
        assert main(["prove", *claim, *where]) == 0, (page, claim)


def test_the_proof_for_rocq_is_what_is_printed(tmp_path: Path) -> None:
    file = tmp_path / "claim.v"
    assert main(["prove", "holds", "(8*x + 3)//8 == x", "--rocq", str(file)]) == 0
    blocks = [body for kind, _, body in snippets("trusted.md") if kind == "text"]
    assert file.read_text() in blocks


def test_the_library_for_rocq_lists_all_of_its_files() -> None:
    folder = DOCS.parent / "proofs" / "coq"
    files = re.findall(r"^\w+\.v$", (folder / "_CoqProject").read_text(), re.M)
    assert sorted(files) == sorted(path.name for path in folder.glob("*.v"))
    for k, name in enumerate(files):  # each after those that it requires
        text = (folder / name).read_text()
        assert {f"{word}.v" for word in re.findall(r"Symlayout\.(\w+)", text)} <= {*files[:k]}
