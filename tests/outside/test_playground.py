"""The playground in a real browser: `pytest tests/outside/test_playground.py`.

It needs Chromium, Node and npm, and fetches what the page is built of (20 MB, once).  The folder of a
playground that is built already may be named in SYMLAYOUT_PLAYGROUND.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from driven import Browser

ROOT = Path(__file__).parents[2]
SPEC = spec_from_file_location("playground_build", ROOT / "playground" / "build.py")
assert SPEC is not None
assert SPEC.loader is not None
build = module_from_spec(SPEC)
SPEC.loader.exec_module(build)

FIRST, LATER = 10.0, 0.2  # seconds to the first verdict, and to the next ones
FOLDERS: list[Path] = []
BUSY = float(os.environ.get("SYMLAYOUT_BUSY", "1"))  # times slower than an idle machine


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of the folder that one command builds."""
    folder = Path(os.environ.get("SYMLAYOUT_PLAYGROUND") or tmp_path_factory.mktemp("playground"))
    if not (folder / "index.html").is_file():
        command = [sys.executable, str(ROOT / "playground" / "build.py"), str(folder)]
        subprocess.run(command, check=True, timeout=400)
    FOLDERS.append(folder)
    served = build.server(folder)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{served.server_address[1]}/"
    served.shutdown()


@pytest.fixture(scope="module")
def folder(address: str, page: Browser) -> Path:
    """The folder that is served."""
    return FOLDERS[-1]


@pytest.fixture(scope="module")
def page(address: str) -> Iterator[Browser]:
    """The page, once its first verdict is there."""
    with Browser() as made:
        made.go(address)
        made.wait("document.body?.dataset.first", 120)
        yield made


def typed(page: Browser, **fields: str) -> None:
    """Types into the fields and waits for the verdict, or for what is wrong with the text."""
    for name, text in {"facts": "", "arguments": "", **fields}.items():
        page.value(f"document.getElementById('{name}').value = {json.dumps(text)}; 1")
    page.value("document.body.dataset.answered = ''; 1")
    page.value("document.getElementById('layout').dispatchEvent(new Event('input')); 1")
    page.wait("document.body.dataset.answered === String(newest.judge)", 60)


def shown(page: Browser, place: str) -> str:
    return str(page.value(f"document.getElementById('{place}').innerText"))


TILES = "f32[M,N]{1,0:T(8,128)}"
ROUNDED = "((i//8)*(N//128) + j//128)*1024 + (i%8)*128 + j%128"


def test_the_first_verdict_comes_soon_after_opening(page: Browser) -> None:
    seconds = int(page.value("document.body.dataset.first")) / 1000
    assert seconds < FIRST * BUSY
    assert page.value("document.body.dataset.state") in ("ready", "complete")


def test_a_refutation_shows_its_counterexample_and_the_condition(page: Browser) -> None:
    typed(page, layout=TILES, word="formula", arguments=ROUNDED)
    assert shown(page, "status") == "refuted"
    rows = shown(page, "rows").split("\n")
    assert {"M = 9, N = 1", "(8, 0)", "1024", "0"} <= set(rows)
    page.wait("document.getElementById('condition').textContent.includes('exactly')", 120)
    assert shown(page, "condition") == "it holds exactly when N % 128 == 0 or M <= 8"


def test_a_fact_makes_it_proved_within_a_moment(page: Browser) -> None:
    typed(page, layout=TILES, word="formula", arguments=ROUNDED, facts="N % 128 == 0")
    assert shown(page, "status") == "proved"
    typed(page, layout="bf16[M,N]{1,0:T(8,128)(2,1)}", word="injective")
    assert shown(page, "status") == "proved"
    assert int(page.value("document.body.dataset.took")) < LATER * 1000 * BUSY
    assert "1024*ceildiv(N, 128)*(i//8)" in shown(page, "lines")
    assert "def offset(i, j, M, N)" in shown(page, "emitted")


def test_sliders_draw_and_are_in_the_link(page: Browser) -> None:
    typed(page, layout=TILES, word="injective")
    page.value(
        "const s = document.querySelector('.sliders input'); s.value = '20'; "
        "s.dispatchEvent(new Event('input')); 1"
    )
    assert "shape (20, 192)" in page.value("document.querySelector('.caption').textContent")
    assert "sizes=M%3D20%2CN%3D192" in page.value("location.hash")


def test_a_link_is_the_whole_question(page: Browser, address: str) -> None:
    typed(page, layout="strided f32[M,N] strides(S,1)", word="injective", facts="S >= N")
    link = page.value("location.href")
    with Browser() as other:
        other.go(link)
        other.wait("document.body?.dataset.first", 120)
        assert shown(other, "status") == "proved"
        assert other.value("document.getElementById('facts').value") == "S >= N"
        assert "f32[M,N]" in other.value("document.getElementById('layout').value")


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"layout": "zN(f16,R,C)", "word": "equal", "arguments": "f16[R,C]{0,1:T(16,16)(16,1)}"},
         "proved"),
        ({"layout": "map b < ceildiv(n, B), t < B: b*B + t in n", "word": "bounded"}, "refuted"),
        ({"layout": "(8,64):(64,1)", "word": "bijective"}, "proved"),
        ({"layout": "f32[N]", "word": "holds", "arguments": "N*N >= N"}, "proved"),
        ({"layout": "f32[N]", "word": "injective", "facts": "N > 5\nN < 3"}, "vacuous"),
    ],
)  # fmt: skip
def test_verdicts_are_those_of_the_command_line(
    page: Browser, fields: dict[str, str], status: str
) -> None:
    typed(page, **fields)
    assert shown(page, "status") == status


def test_mistakes_are_said_and_no_text_becomes_a_part_of_the_page(page: Browser) -> None:
    typed(page, layout="f32[M", word="injective")
    assert shown(page, "code") == "SL101"
    hostile = "f32[M]<img src=x onerror=document.title='no'><script>document.title='no'</script>"
    typed(page, layout=hostile, word="injective", facts="<b>N</b> > 1")
    assert page.value("document.title") == "symlayout playground"
    assert page.value("document.querySelectorAll('img, b, main script').length") == 0
    for name in ("app.js", "worker.js", "index.html"):
        text = (ROOT / "playground" / name).read_text()
        for word in ("eval(", "innerHTML", "outerHTML", "insertAdjacentHTML", "new Function"):
            assert word not in text, (name, word)


def test_nothing_is_asked_of_other_servers(page: Browser, address: str) -> None:
    sent = [e for e in page.said if e.get("method") == "Network.requestWillBeSent"]
    assert all(e["params"]["request"]["url"].startswith(address) for e in sent)
    errors = [e for e in page.said if e.get("method") == "Runtime.exceptionThrown"]
    assert errors == []


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_the_page_fits_the_window(page: Browser, width: int) -> None:
    typed(page, layout=TILES, word="injective")
    page.resize(width, 900)
    assert page.value("document.documentElement.scrollWidth") <= width
    page.resize(1280, 1000)


def test_it_opens_from_a_disk_without_any_server(folder: Path) -> None:
    with Browser() as other:
        other.go((folder / "index.html").as_uri())
        other.wait("document.body?.dataset.first", 120)
        assert shown(other, "status") == "refuted"
        sent = [e["params"] for e in other.said if e.get("method") == "Network.requestWillBeSent"]
        assert all(s["request"]["url"].startswith(("file:", "blob:", "data:")) for s in sent)
