"""Every snippet of the documentation runs, and prints what the page says."""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

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
    for language, caption, body in snippets(page):
        if caption:
            (tmp_path / caption).parent.mkdir(exist_ok=True)
            (tmp_path / caption).write_text(body)
        elif language == "console":
            for command in re.split(r"^\$ ", body, flags=re.M)[1:]:
                line, _, expected = command.partition("\n")
                line, redirected = re.subn(r" > \S+$", "", line)
                argv = shlex.split(line)
                assert argv[0] == "symlayout"
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
    table = (DOCS / "index.md").read_text().partition("```{toctree}")[2].split("```")[0]
    assert {f"{line}.md" for line in table.split()[2:]} == set(PAGES) - {"index.md"}


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([\w-]+\.md)", (DOCS / page).read_text()):
            assert (DOCS / target).is_file(), (page, target)
