"""Pictures in a real browser: `pytest tests/outside/test_pictures.py`.

It needs Chromium (`apt-get install chromium-headless-shell`), and fails without it.
`python tests/outside/test_pictures.py` takes the golden pictures anew.
"""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from chromium import opened, seen
from PIL import Image, ImageChops, ImageFilter, ImageStat

from symlayout import parse
from symlayout.__main__ import main
from symlayout.render.draw import threads
from symlayout.render.draw.interactive import json_text, page, script
from symlayout.render.draw.model import model
from symlayout.render.draw.pictures import chosen_sizes, picture

GOLDEN = Path(__file__).parent / "golden"
MOST_APART = 3.0  # of 255, over all points of two pictures
LAYOUTS = (
    ("f32[M,N]{1,0:T(8,128)}", {"M": 12, "N": 192}),
    ("f32[M,N]{1,0:T(8,128)}", {"M": 1, "N": 1}),
    ("f32[M,N]{1,0:T(8,128)}", {"M": 40, "N": 1000}),
    ("bf16[M,N]{1,0:T(8,128)(2,1)}", {"M": 12, "N": 192}),
    ("f32[4,8]{1,0:T(4,4)(2,4)(2,1)}", {}),
    ("f32[A,3,5]{2,1,0:T(2,2)}", {"A": 6}),
    ("f32[7]", {}),
    ("f32[]", {}),
    ("f32[0,3]", {}),
    ("f32[200,300]", {}),
    ("zN(f16,R,C)", {"R": 20, "C": 40}),
    ("((2,R),(4,2)):((4,16),(1,8))", {"R": 3}),
    ("strided f32[M,N] strides(S,1) offset 4", {"M": 3, "N": 4, "S": 6}),
    ("f32[2,3]{0,1:PAD(3,5)=0}", {}),
    ("Swizzle(2,0,3) o 0 o (8,8):(8,1)", {}),
    ("map i < M, j < N: i*N + j in M*N", {"M": 3, "N": 5}),
    ("map p < M*N: first = p//(G*N)*G; w = min(M - first, G); "
     "(first + p%(G*N)%w, p%(G*N)//w) in (M, N)", {"M": 5, "N": 4, "G": 2}),
    ("map i < N, j < i + 1: i*(i + 1)//2 + j", {"N": 6}),
    ("map r < R, c < 64: r*64 + ((c//8) ^ (r%8))*8 + c%8 in R*64", {"R": 4}),
    ("map s < S, i < ceildiv(K, S) if s + i*S < K: s + i*S", {"K": 10, "S": 4}),
    ("map i < N: (i, 0, N - 1 - i)", {"N": 6}),
    ("map i < 8, j < 8 if i + j < M and not i == j or i == 0: j*8 + i if i < 3 else -1 - j//3",
     {"M": 6}),
)  # fmt: skip


def still(text: str, sizes: dict[str, int]) -> str:
    """The picture that `show --svg` prints, and of a swizzle its offsets."""
    layout = parse(text)
    return picture(layout.index_map() if text.startswith("Swizzle") else layout, sizes)


def cells(root: ElementTree.Element) -> list[list[str | None]]:
    """What is said of each cell, what it shows, and its colour."""
    made = []
    for g in root.iter("{http://www.w3.org/2000/svg}g"):
        if len(g) and g[0].tag.endswith("title"):
            made.append([g[0].text, g[-1].text if g[-1].text else "", g[1].get("fill")])
    return made


READ = """
const read = (svg) => [...svg.querySelectorAll("g")].filter(g => g.firstChild?.nodeName === "title")
  .map(g => [g.firstChild.textContent, g.lastChild.textContent, g.children[1].getAttribute("fill")]);
document.body.dataset.seen = JSON.stringify(MODELS.map(([model, sizes]) => {
  const [svg] = symlayoutPicture.draw(model, new Map(sizes));
  const [wide, high] = ["width", "height"].map(name => Number(svg.getAttribute(name)));
  return {cells: read(svg), wide, high};
}));
"""


def test_a_page_draws_what_the_command_line_draws(tmp_path: Path) -> None:
    models = [[model(parse(text), sizes), list(sizes.items())] for text, sizes in LAYOUTS]
    file = tmp_path / "models.html"
    code = f"{script()}const MODELS = {json_text(models)};{READ}"
    file.write_text(f'<!doctype html><meta charset="utf-8"><body><script>{code}</script></body>')
    for (text, sizes), drawn in zip(LAYOUTS, json.loads(seen(file)), strict=True):
        root = ElementTree.fromstring(still(text, sizes))
        assert drawn["cells"] == cells(root), text
        assert drawn["high"] == pytest.approx(float(root.get("height", 0)), abs=2), text
        assert drawn["wide"] == pytest.approx(float(root.get("width", 0)), abs=2), text


MOVE = """<script>
const slider = document.querySelector("input[type=range]");
const before = document.querySelectorAll(".frame svg g g").length;
slider.value = "30";
slider.dispatchEvent(new Event("input"));
document.body.dataset.seen = JSON.stringify({
  before, after: document.querySelectorAll(".frame svg g g").length,
  caption: document.querySelector(".caption").textContent,
  number: document.querySelector("input[type=number]").value,
  wide: document.documentElement.scrollWidth, window: innerWidth,
  asked: performance.getEntriesByType("resource").map(r => r.name),
});
</script></body>"""


def test_a_slider_draws_anew_and_the_page_asks_for_nothing(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    assert main(["show", "f32[M,N]{1,0:T(8,128)}", "--output", str(file)]) == 0
    text = file.read_text(encoding="utf-8").replace("</body>", MOVE)
    # the page's policy lets no other script run: this one is the test's
    file.write_text(re.sub(r'<meta http-equiv="Content-Security-Policy".*?>', "", text))
    found = json.loads(seen(file))
    assert found["before"] != found["after"]
    assert found["caption"].startswith("shape (30, 192), 8192 offsets")
    assert (found["number"], found["asked"]) == ("30", [])
    assert found["wide"] <= found["window"]


def test_the_policy_of_a_page_stops_other_scripts(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    made = page(parse("f32[M,N]"), {"M": 2, "N": 3})
    file.write_text(made.replace("</body>", MOVE))
    shown = opened(file, "--dump-dom")
    assert "data-seen" not in shown
    assert "shape (2, 3), 6 offsets" in shown


# -- golden pictures ------------------------------------------------------------------------------


def drawn() -> dict[str, str]:
    """The pictures that are compared, by name."""
    swizzle = parse("Swizzle(3,3,3) o 0 o (8,64):(64,1)")
    grouped = parse(LAYOUTS[16][0])
    return {
        "tiles": picture(parse("f32[M,N]{1,0:T(8,128)}")),
        "two-levels": picture(parse("bf16[M,N]{1,0:T(8,128)(2,1)}")),
        "zn": picture(parse("zN(f16,R,C)")),
        "swizzle": picture(swizzle, chosen_sizes(swizzle)[0]),
        "threads": threads.svg(
            parse("((4,8),(2,2)):((32,1),(16,8))").index_map(), {}, (16, 8)
        ),
        "grouped": picture(grouped, LAYOUTS[16][1]),
    }  # fmt: skip


def taken(name: str, svg: str, folder: Path) -> Image.Image:
    """A picture as Chromium draws it, at a quarter of its size: letters become grey."""
    file, shot = folder / f"{name}.html", folder / f"{name}.png"
    file.write_text(f'<!doctype html><meta charset="utf-8"><body style="margin:0">{svg}</body>')
    opened(file, "--window-size=900,720", f"--screenshot={shot}")
    whole = Image.open(shot).convert("RGB").filter(ImageFilter.BoxBlur(4))
    return whole.resize((225, 180), Image.Resampling.BOX)


@pytest.mark.parametrize("name", list(drawn()))
def test_a_picture_is_near_its_golden_one(name: str, tmp_path: Path) -> None:
    made = taken(name, drawn()[name], tmp_path)
    golden = Image.open(GOLDEN / f"{name}.png").convert("RGB")
    apart = ImageStat.Stat(ImageChops.difference(made, golden)).mean
    assert max(apart) < MOST_APART
    other = Image.open(GOLDEN / f"{'zn' if name != 'zn' else 'grouped'}.png").convert("RGB")
    assert max(ImageStat.Stat(ImageChops.difference(made, other)).mean) > MOST_APART


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for each, text in drawn().items():
        taken(each, text, Path(sys.argv[1])).save(GOLDEN / f"{each}.png", optimize=True)
