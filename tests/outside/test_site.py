"""The site in a real browser: `pytest tests/outside/test_site.py`.

It needs Chromium and the extra `docs`.  A site that is built already may be named in SYMLAYOUT_SITE.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from driven import Browser

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(p.stem for p in DOCS.glob("*.md"))
WIDTHS = (390, 820, 1280)  # a phone, a tablet, a desk


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site."""
    given = os.environ.get("SYMLAYOUT_SITE")
    folder = Path(given) if given else tmp_path_factory.mktemp("site")
    if not (folder / "index.html").is_file():
        command = [sys.executable, "-m", "sphinx", "-W", "-q", str(DOCS), str(folder)]
        subprocess.run(command, check=True, timeout=400)
    return folder


@pytest.fixture(scope="module")
def page() -> Iterator[Browser]:
    with Browser() as made:
        yield made


def opened(page: Browser, site: Path, name: str) -> None:
    page.go((site / f"{name}.html").as_uri())
    page.wait(f"document.readyState === 'complete' && location.pathname.endsWith('/{name}.html')")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_every_window_and_asks_no_other_server(
    page: Browser, site: Path, name: str
) -> None:
    page.said.clear()
    opened(page, site, name)
    for width in WIDTHS:
        page.resize(width, 900)
        assert page.value("document.documentElement.scrollWidth") <= width
    sent = [e["params"] for e in page.said if e.get("method") == "Network.requestWillBeSent"]
    assert all(s["request"]["url"].startswith(("file:", "data:")) for s in sent)
    assert [e for e in page.said if e.get("method") == "Runtime.exceptionThrown"] == []


def test_light_and_dark_have_colours_of_their_own(page: Browser, site: Path) -> None:
    opened(page, site, "gallery")
    grounds, labels = set(), set()
    for dark in (False, True):
        page.resize(1280, 900, dark)
        grounds.add(page.value("getComputedStyle(document.body).backgroundColor"))
        label = "document.querySelector('.picture svg text[fill=currentColor]')"
        labels.add(page.value(f"getComputedStyle({label}).fill"))
    assert len(grounds) == len(labels) == 2


def test_the_gallery_shows_its_pictures(page: Browser, site: Path) -> None:
    opened(page, site, "gallery")
    assert page.value("document.querySelectorAll('.picture svg').length") >= 20
    assert page.value("document.querySelectorAll('.picture svg g > title').length") > 1000
    ids = "[...document.querySelectorAll('[id]')].map(e => e.id)"
    assert page.value(f"new Set({ids}).size === {ids}.length")


def test_code_is_copied_by_a_button(page: Browser, site: Path) -> None:
    opened(page, site, "start")
    page.wait("document.querySelector('button.copybtn') !== null")


def test_sliders_work_from_the_gallery(page: Browser, site: Path) -> None:
    opened(page, site, "gallery")
    page.value("document.querySelector('.picture-links a').click(); 1")
    page.wait(
        "document.querySelector('.sliders input') && document.querySelector('.frame svg') ? 1 : 0"
    )
    page.value(
        "const s = document.querySelector('.sliders input'); s.value = '20'; "
        "s.dispatchEvent(new Event('input')); 1"
    )
    assert "shape (20, 192)" in page.value("document.querySelector('.caption').textContent")
    page.resize(390, 900)
    assert page.value("document.documentElement.scrollWidth") <= 390
