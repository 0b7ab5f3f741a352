"""The page of `check --html` in a real browser: `pytest tests/outside/test_browser.py`.

It needs Chromium (`apt-get install chromium-headless-shell`), and fails without it.
"""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
from chromium import opened

from symlayout.__main__ import main

DUMPS = Path(__file__).parents[1] / "data" / "dumps"
# what a person would see: where things stand, how large they are, what sticks out
MEASURE = """<script>
const box = e => e.getBoundingClientRect();
const area = e => box(e).width * box(e).height;
const maps = [...document.querySelectorAll('svg[role=img]')].filter(m => m.querySelector('g title'));
document.body.dataset.seen = JSON.stringify({
  wide: document.documentElement.scrollWidth, window: innerWidth,
  heads: [...document.querySelectorAll('h2')].map(h => h.innerText),
  rows: [...document.querySelectorAll('tr')].map(r => r.innerText),
  maps: maps.map(m => ({
    whole: area(m),
    areas: [...m.querySelectorAll('g')].map(g => ({
      title: g.querySelector('title').textContent,
      held: area(g.querySelectorAll('rect')[0]),
      wasted: area(g.querySelectorAll('rect')[1]),
      sticks: [...g.querySelectorAll('text')].filter(t =>
        box(t).right > box(g.querySelector('rect')).right + 1).length,
    })),
  })),
  asked: performance.getEntriesByType('resource').map(r => r.name),
});
</script></body>"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What a browser measures on the page of two modules, and the page's own numbers."""
    folder = tmp_path_factory.mktemp("page")
    page, numbers = folder / "page.html", folder / "report.json"
    files = [str(DUMPS / name) for name in ("transformer.v5e.hlo", "gather.v5e.hlo")]
    assert main(["check", *files, "--no-cache", "--html", str(page)]) == 0
    text = page.read_text()
    assert text.count("</body>") == 1
    policy = "script-src 'unsafe-inline'"  # the page's own allows no script but its own
    text = re.sub(r"script-src 'sha256-[^']*'", policy, text)
    numbers.write_text(text.replace("</body>", MEASURE))
    numbers = numbers.rename(folder / "measured.html")
    found = re.search(r'data-seen="([^"]*)"', opened(numbers, "--dump-dom"))
    assert found is not None
    return page, json.loads(unescape(found[1]))


def test_the_page_asks_for_nothing_else_and_fits_the_window(seen):
    page, found = seen
    assert found["asked"] == []
    assert found["wide"] <= found["window"]
    assert re.findall(r"(?:src|href)=", page.read_text()) == []


def test_each_module_has_its_heading_and_its_totals(seen):
    _, found = seen
    assert [h.split()[0] for h in found["heads"]] == ["jit_block", "jit__lambda"]
    assert "S(0) HBM\t4,020,224\t18,944\t10\t4,020,224\t0\t4,020,224" in found["rows"]


def test_areas_of_the_map_are_the_shares_of_the_buffers(seen):
    _, found = seen
    assert len(found["maps"]) == 2
    for m in found["maps"]:
        assert sum(a["held"] for a in m["areas"]) == pytest.approx(m["whole"], rel=0.03)
        rows = [re.search(r": ([\d,]+) bytes, ([\d,]+) wasted", a["title"]) for a in m["areas"]]
        sizes = [[int(n.replace(",", "")) for n in row.groups()] for row in rows if row]
        total = sum(size for size, _ in sizes)
        for a, (size, wasted) in zip(m["areas"], sizes, strict=True):
            if size * 200 > total:  # smaller ones are mostly their outline
                assert a["held"] / m["whole"] == pytest.approx(size / total, rel=0.1)
                assert a["wasted"] / a["held"] == pytest.approx(wasted / size, abs=0.05)


def test_no_label_sticks_out_of_its_area(seen):
    _, found = seen
    assert sum(a["sticks"] for m in found["maps"] for a in m["areas"]) == 0


def test_a_picture_of_the_page_has_colours(seen):
    page, _ = seen
    picture = page.with_suffix(".png")
    opened(page, f"--screenshot={picture}")
    assert picture.stat().st_size > 50_000  # an empty page of that size has a tenth of it
