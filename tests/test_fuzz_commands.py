"""No input brings a traceback: random arguments, random files, and files with a few changes."""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symlayout.__main__ import main

quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def ends_well(argv: list[str]) -> None:
    """An exit code that is documented, and no word of a failure of ours."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(argv)
    said = out.getvalue() + err.getvalue()
    assert code in (0, 1, 2), argv
    assert "Traceback" not in said, argv
    assert "internal error: " not in said, (argv, said)
    if code == 2:
        assert said, argv


VALID = """include = []
[facts]
where = ["N % 128 == 0"]
[layouts]
a = "(4,N):(N,1)"
[[claim]]
name = "one {k}"
prove = "injective a"
where = ["N > {k}"]
expect = "proved"
because = "it is"
tags = ["x"]
for = { k = [1, 2] }
[[claim]]
prove = "bounded '(4):(2)' 8"
expect = "refuted"
because = "6 is reached"
"""

PARTS = ['"', "'", '"""', "[", "]", "{", "}", "[[", "]]", "=", ".", "\n", "#", "1", "\\", "\r"]

PARTS += ["\\ud800", "\u202e", "\x00", "nan", "1979-05-27", "0x", "for", "claim", "include", ".."]

PARTS += ["/dev/zero", "\u00e9"]


@st.composite
def changed(draw: st.DrawFn, text: str, parts: list[str]) -> str:
    """The text with a few pieces replaced, dropped, doubled or put in."""
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        end = min(len(text), at + draw(st.integers(0, 12)))
        piece = draw(st.one_of(st.sampled_from(parts), st.just(""), st.just(text[at:end] * 2)))
        text = text[:at] + piece + text[end:]
    return text


def checked(name: str, data: bytes, *more: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_bytes(data)
        ends_well([*(more or ("check", "--no-cache")), str(file)])


@quick
@given(st.one_of(st.binary(max_size=60), changed(VALID, PARTS).map(lambda t: t.encode())))
def test_claims_files(data: bytes) -> None:
    checked("a.layout.toml", data)


@quick
@given(st.text("[]{}=.\"'\n#ax1- \\,:", max_size=40))
def test_signs_of_toml(text: str) -> None:
    checked("a.layout.toml", text.encode())


SOURCE = """# symlayout: formula "(4,N):(N,1)" coords r, c with p = 0 where N > 1
#   expect proved because 'it is'
x[p + r * N + c] = a[1:, None]
"""

C_SOURCE = """// symlayout: formula "(4,N):(N,1)" coords r, c with p = 0 of x where N > 1
/* more */ x[p + r * N + c] = (int)a["x"];
"""


@quick
@given(changed(SOURCE, [*PARTS, "(", ")", "lambda", "of x", "coords", "with"]))
def test_python_sources(text: str) -> None:
    checked("a.py", text.encode())


@quick
@given(changed(C_SOURCE, [*PARTS, "(", ")", "/*", "*/", "//", "of x", "coords", ";"]))
def test_c_sources(text: str) -> None:
    checked("a.cu", text.encode())


CERTIFICATE = """{"format": "symlayout-certificate", "version": 3, "claim": {"word": "injective",
"arguments": ["(4):(1)"], "options": {}, "where": []}, "texts": {}, "parts": [], "sha256": ""}"""


@quick
@given(changed(CERTIFICATE, [*PARTS, "null", "true", "-1", "1e999", "NaN", "{}", "[]"]))
def test_certificates(text: str) -> None:
    checked("a.json", text.encode(), "recheck")
