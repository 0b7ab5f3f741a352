"""Whatever comes in, there is one clear error and exit code 2, at once and in little memory."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from symlayout import prove
from symlayout.__main__ import main


def refused(capsys: pytest.CaptureFixture[str], *argv: str, seconds: float = 5) -> str:
    """The one error of a command that ends with exit code 2 in time."""
    start = time.process_time()
    code = main(list(argv))
    spent = time.process_time() - start
    seen = capsys.readouterr()
    assert code == 2, seen
    assert spent < seconds
    assert "Traceback" not in seen.err + seen.out
    assert "SL900" not in seen.err + seen.out
    assert len(seen.err) < 5_000
    return seen.err


def special(folder: Path, kind: str) -> str:
    """A path at which there is no file that can be read, ever."""
    path = folder / f"{kind}.layout.toml"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.relpath(path))
    elif kind == "folder":
        path.mkdir()
    elif kind == "sparse":
        path.touch()
        os.truncate(path, 10_000_000_000)
    elif kind == "zeros":
        return "/dev/zero"
    elif kind == "random":
        path.symlink_to("/dev/urandom")
    return str(path)


SPECIAL = {
    "fifo": "is a pipe",
    "loop": "symbolic links",
    "socket": "no such device",
    "folder": "holds no certificate",
    "sparse": "is too large",
    "zeros": "is a device",
    "random": "is outside of the project's root",
    "missing": "no such file",
}


@pytest.mark.parametrize("kind", SPECIAL)
def test_what_is_no_file_is_not_read(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = special(tmp_path, kind)
    assert SPECIAL[kind] in refused(capsys, "recheck", path)
    (tmp_path / "a.layout.toml").write_text(f"include = ['{path}']\n")
    assert "SL601" in refused(capsys, "check", "a.layout.toml", "--no-cache")
    if kind != "folder":
        assert "SL601" in refused(capsys, "check", path, "--no-cache")
    for ending in (".hlo", ".mlir", ".py", ".cu"):
        link = tmp_path / f"link{ending}"
        link.symlink_to(path)
        if kind != "folder":
            assert "SL601" in refused(capsys, "check", str(link), "--no-cache")
        link.unlink()


def test_a_byte_order_mark_is_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.layout.toml"
    file.write_bytes(b"\xef\xbb\xbf[[claim]]\nprove = 'injective \"(4):(1)\"'\n")
    assert main(["check", str(file), "--no-cache"]) == 0


def test_a_name_with_a_zero_byte(capsys: pytest.CaptureFixture[str]) -> None:
    refused(capsys, "recheck", "a\0b")
    refused(capsys, "check", "a\0b", "--no-cache")


DEEP = 100_000

TEXTS = {
    "an array": ("a = " + "[" * DEEP + "]" * DEEP, "nested more than 50 deep", 1),
    "a table": ("\na = " + "{a = " * DEEP + "1" + "}" * DEEP, "nested more than 50 deep", 2),
    "dots": ("\n\n" + ".".join("a" * 20_000) + " = 1", "a key of more than 20 parts", 3),
    "a header": (f"[{' . '.join('a' * 20_000)}]", "a key of more than 20 parts", 1),
    "quoted dots": ("'a'." * 20_000 + "a = 1", "a key of more than 20 parts", 1),
    "digits": ("a = " + "9" * 100_000, "a word of more than 1,000 characters", 1),
    "hexadecimal": ("a = 0x" + "f" * 100_000, "a word of more than 1,000 characters", 1),
    "an exponent": ("a = 1e" + "9" * 100_000, "a word of more than 1,000 characters", 1),
    "values": ("a = [" + "1," * 600_000 + "]", "words and signs", 1),
    "escapes": ('a = "' + "\\n" * 1_000_000 + '"', "escapes", 1),
    "open strings": ('a = "' * 1_000, "not TOML", 1),
    "an open string": ("a = 'b\nc = 1", "a quote is missing", 1),
    "an open string of escapes": ('a = 1\nb = "c\nd = "e"', "a quote is missing", 2),
    "a key twice": ("[facts]\nwhere = []\nwhere = []", "not TOML: cannot overwrite a value", 3),
    "a table twice": ("[facts]\n[facts]", "not TOML", 2),
    "no day": ("include = 2024-02-30", "not TOML: invalid date", 1),
    "a day": ("include = 2024-12-31", "include must be an array", 1),
    "no number": ("include = nan", "include must be an array", 1),
    "facts": ("facts = 5", "facts must be a table", 1),
    "layouts": ("layouts = [1]", "layouts must be a table", 1),
    "a layout": ("layouts.a = 9223372036854775808", "the layout 'a' must be a text", 1),
    "claims": ("claim = 'x'", "claim must be an array", 1),
    "a claim": ("claim = [1]", "a claim must be a table", 1),
    "claims within": ("claim = [[]]", "a claim must be a table", 1),
    "an inclusion": ("include = [[]]", "each element of include must be a text", 1),
    "a fact": ("facts.where = [inf]", "each element of where must be a text", 1),
    "a key": (f"{'a' * 1000} = 1", "has no key", 1),
    "a long key": (f"'{'a' * 1_000_000}' = 1", "has no key", 1),
    "a long line": (f"claim = 1 #{'a' * 3_000_000}", "claim must be an array", 1),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_a_claims_file_has_an_error_at_its_line(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text, message, line = TEXTS[kind]
    file = tmp_path / "a.layout.toml"
    file.write_text(text)
    seen = refused(capsys, "check", str(file), "--no-cache")
    assert message in seen
    assert f"{file}:{line}:" in seen


ROWS = ", ".join(f"k{n} = [1,2,3,4,5,6,7,8,9,0]" for n in range(9))

CLAIMS = {
    "rows": (f"for = {{{ROWS}}}", "1,000,000,000"),
    "names": ("for = {'a b' = [1]}", "is not a name"),
    "fractions": ("for = {a = [1.5]}", "a number or a text"),
    "tables": ("for = [1]", "each element of for"),
    "text": ("for = 'a'", "for must be a table"),
    "nothing": ("for = []", "gives no values"),
    "where": ("where = 'N > 1'", "where must be an array"),
    "expect": ("expect = 1", "expect must be a text"),
    "tags": ("tags = [1]", "each element of tags"),
    "because": ("because = 1979-05-27", "because must be a text"),
    "name": ("name = {}", "name must be a text"),
}


@pytest.mark.parametrize("kind", CLAIMS)
def test_a_claim_has_an_error_at_its_line(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text, message = CLAIMS[kind]
    file = tmp_path / "a.layout.toml"
    file.write_text(f"[[claim]]\nprove = 'injective \"(4):(1)\"'\n{text}\n")
    seen = refused(capsys, "check", str(file), "--no-cache")
    assert message in seen
    assert f"{file}:3:" in seen


def test_files_that_include_ever_more_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for n in range(12):
        more = f"'{n + 1}.toml', '{n + 1}.toml'" if n < 11 else ""
        (tmp_path / f"{n}.toml").write_text(f"include = [{more}]\n")
    assert "too many files" in refused(capsys, "check", str(tmp_path / "0.toml"), "--no-cache")
    for n in range(30):
        (tmp_path / f"{n}.toml").write_text(f"include = ['{n + 1}.toml']\n")
    assert "too many files" in refused(capsys, "check", str(tmp_path / "0.toml"), "--no-cache")


JSON = {
    "Infinity": '{"sizes": {"N": Infinity}}',
    "NaN": '{"a": NaN}',
    "digits": '{"a": ' + "9" * 100_000 + "}",
    "nesting": "[" * 100_000,
    "objects": '{"a":' * 100_000,
    "a key twice": '{"a": 1, "a": 1}',
    "values": "[" + "1," * 600_000 + "1]",
    "an open string": '{"a',
    "an array": "[]",
    "nothing": "",
    "a number": "1",
}


@pytest.mark.parametrize("kind", JSON)
def test_a_certificate_that_is_none(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.json"
    file.write_text(JSON[kind])
    assert "SL601" in refused(capsys, "recheck", str(file))


NUMBERS = (
    ("prove", "padding", "f32[N]{0}", "1e999999999"),
    ("prove", "padding", "f32[N]{0}", "1e-999999999"),
    ("prove", "padding", "f32[N]{0}", "9" * 100_000),
    ("prove", "padding", "f32[N]{0}", "nan"),
    ("prove", "padding", "f32[N]{0}", "inf"),
    ("prove", "padding", "f32[N]{0}", "-1"),
    ("prove", "padding", "f32[N]{0}", "0"),
    ("prove", "padding", "f32[N]{0}", "1/0"),
    ("prove", "padding", "f32[N]{0}", "\u0661"),
    ("prove", "bytes", "f32[N]{0}", "9" * 100_000),
    ("prove", "--budget", "9" * 100_000, "injective", "(4):(1)"),
    ("prove", "--budget", "-1", "injective", "(4):(1)"),
    ("prove", "--budget", "0", "injective", "(4):(1)"),
    ("prove", "--budget", "1e3", "injective", "(4):(1)"),
    ("prove", "--budget", "\u00b2", "injective", "(4):(1)"),
    ("check", "a", "--budget", "\u00b2"),
    ("check", "a", "--jobs", "0"),
    ("check", "a", "--jobs", "-1"),
    ("check", "a", "--jobs", "1025"),
    ("check", "a", "--jobs", "9" * 100_000),
    ("check", "a", "--jobs", "\u00b2"),
    ("check", "a", "--top", "9" * 100_000),
    ("check", "a", "--top", "-1"),
    ("check", "a", "--max-padding", "1e999999999"),
    ("check", "a", "--max-padding", "nan"),
    ("check", "a", "--max-padding", "-1"),
    ("formula", "(4):(1)", "--at", "9" * 100_000),
    ("formula", "(4):(1)", "--at", ","),
    ("formula", "(4):(1)", "--at", "," * 100_000),
    ("formula", "(4):(1)", "--at", "2**2**2**2**2**2"),
    ("show", "(N):(1)", "--size", "N=\u00b2"),
    ("show", "(N):(1)", "--size", "N=" + "9" * 100_000),
    ("explain", "x" * 100_000),
    ("x" * 100_000,),
    ("prove", "x" * 100_000),
    ("show", "(N):(1)", "--size", "N=1000000000000"),
    ("show", "(N):(1)", "--size", "N=-1"),
)


@pytest.mark.parametrize("number", range(len(NUMBERS)))
def test_numbers_of_the_command_line(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    refused(capsys, *NUMBERS[number])


def test_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for text in (
        "tool = 'symlayout'",
        "tool.symlayout = 1",
        "tool.symlayout.budget = 0",
        "tool.symlayout.budget = 99999999999999999",
        "tool.symlayout.jobs = 2",
        "tool.symlayout.jobs = nan",
        "tool.symlayout.cache-dir = 'x'",
        "tool.symlayout.max-padding = 1e300",
        "tool.symlayout.paths = [1]",
        "tool.symlayout.paths = ['a\\u0000b']",
        "tool.symlayout.include-outside = 1",
        "tool.symlayout.format = 'x'",
        "tool.symlayout." + "a." * 20_000 + "b = 1",
        "symlayout = " + "[" * 20_000,
    ):
        (tmp_path / "pyproject.toml").write_text(f"{text}\n")
        paths = [] if "paths" in text else ["."]
        refused(capsys, "check", *paths, "--no-cache")


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file outside of the project `p`, with lines that nobody is to see."""
    (tmp_path / "p" / "sub").mkdir(parents=True)
    (tmp_path / "passwd").write_text("root:x:0:0:secret\n[facts]\n")
    return tmp_path


@pytest.mark.parametrize("mark", [".git", "pyproject.toml", None])
@pytest.mark.parametrize("way", ["../../passwd", "absolute", "link", "folder"])
def test_what_is_included_is_the_projects_own(
    secret: Path,
    mark: str | None,
    way: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project = secret / "p"
    monkeypatch.chdir(project)
    if mark:
        (project / mark).touch()
    (project / "sub" / "link").symlink_to(secret / "passwd")
    (project / "sub" / "folder").symlink_to(secret)
    target = {"absolute": str(secret / "passwd"), "folder": "folder/passwd"}.get(way, way)
    (project / "sub" / "a.layout.toml").write_text(f"include = ['{target}']\n")
    (project / "own.toml").write_text("facts.where = ['N > 1']\n")
    for path in (".", "sub", "sub/a.layout.toml"):
        seen = refused(capsys, "check", path, "--no-cache")
        assert "SL601" in seen
        assert "is outside of the project's root" in seen
        assert "secret" not in seen
    (project / "sub" / "a.layout.toml").write_text(
        "include = ['../own.toml']\n[[claim]]\nprove = 'injective \"(4,N):(N,1)\"'\n"
    )
    assert main(["check", ".", "--no-cache"]) == 0


def test_an_option_allows_more_but_shows_nothing(
    secret: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = secret / "p"
    monkeypatch.chdir(project)
    (project / "pyproject.toml").touch()
    file = project / "a.layout.toml"
    claim = "[[claim]]\nprove = 'injective \"(4,O):(O,1)\"'\n"
    file.write_text(f"include = ['../passwd']\n{claim}")
    for text in (
        "root:x:0:0:secret\n",
        "[facts]\nwhere = 1 # secret\n",
        "what = 1 # secret\n",
        "layouts.a = [1] # secret\n",
        "[" * 100 + "# secret",
        "[facts]\nwhere = ['O == '] # secret\n[layouts]\na = 'f32[4]' # secret\n",
    ):
        (secret / "passwd").write_text(text)
        seen = refused(capsys, "check", ".", "--no-cache", "--include-outside")
        assert "passwd" in seen
        assert "secret" not in seen
    (secret / "passwd").write_text("[layouts]\na = '(4):(1)'\n")
    file.write_text("include = ['../passwd']\n[[claim]]\nprove = 'injective a'\n")
    assert main(["check", ".", "--no-cache", "--include-outside"]) == 0


@pytest.mark.parametrize("ending", [".layout.toml", ".py", ".cu", ".hlo", ".mlir"])
def test_a_link_that_a_folder_holds_leads_nowhere_else(
    secret: Path, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (secret / "passwd").write_text('secret = "stablehlo.add" # symlayout: secret\n')
    (secret / "p" / f"link{ending}").symlink_to(secret / "passwd")
    seen = refused(capsys, "check", str(secret / "p"), "--no-cache")
    assert "is outside of the project's root" in seen
    assert "secret" not in seen


def test_the_settings_of_another_project_are_not_shown(
    secret: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(secret / "p")
    (secret / "passwd").write_text("root:x:0:0:secret symlayout\n")
    (secret / "p" / "pyproject.toml").symlink_to(secret / "passwd")
    assert "secret" not in refused(capsys, "check", ".", "--no-cache")


def command(line: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    """What a shell makes of a line in which SYMLAYOUT is the command."""
    line = line.replace("SYMLAYOUT", f"{shlex.quote(sys.executable)} -m symlayout")
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        env=os.environ | env,
        capture_output=True,
        timeout=60,
        check=False,
    )


CLOSED = "symlayout: the output cannot be written: it is closed (>/dev/null throws it away)\n"


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("SYMLAYOUT show 'f32[100,200]' | true", 141, ""),
        ("SYMLAYOUT completion bash | true", 141, ""),
        ("SYMLAYOUT explain SL202 >&-", 2, CLOSED),
        ("SYMLAYOUT explain SL202 >&- 2>&- <&-", 2, ""),
        ("SYMLAYOUT show '(4):(1)' --svg >&- <&-", 2, CLOSED),
        ("SYMLAYOUT explain SL999 2>&-", 2, ""),
        ("SYMLAYOUT explain SL999 >&- 2>&-", 2, ""),
        ("SYMLAYOUT prove equal '(4):(1)' '(4):(2)' >&-", 2, CLOSED),
        (
            "SYMLAYOUT explain >/dev/full",
            2,
            "symlayout: the output cannot be written: no space left on device\n",
        ),
        ("SYMLAYOUT explain SL999 2>/dev/full", 2, ""),
    ],
)
def test_streams_that_take_nothing(line: str, code: int, said: str) -> None:
    done = command(line)
    assert (done.returncode, done.stderr.decode()) == (code, said)


@pytest.mark.sample(1)
@pytest.mark.parametrize("format", ["full", "json", "junit", "sarif", "github", "concise"])
def test_letters_that_a_terminal_lacks(tmp_path: Path, format: str) -> None:
    file = tmp_path / "\u00fc.layout.toml"
    file.write_text('[[claim]]\nname = "\u00fc\u4e2d"\nprove = "onto (4):(2)"\n', encoding="utf-8")
    done = command(
        f"SYMLAYOUT check {shlex.quote(str(tmp_path))} --no-cache --format {format}",
        PYTHONIOENCODING="ascii",
    )
    assert done.returncode == 1
    assert done.stderr == b""
    assert done.stdout.isascii()
    if format in ("json", "sarif"):
        assert "\u00fc" in json.dumps(json.loads(done.stdout), ensure_ascii=False)
    if format == "junit":
        assert "\u00fc" in "".join(ElementTree.fromstring(done.stdout).itertext()) or any(
            "\u00fc" in (case.get("name") or "")
            for case in ElementTree.fromstring(done.stdout).iter("testcase")
        )


def test_the_documentation_has_every_limit() -> None:
    root = Path(__file__).parents[1]
    code = (root / "symlayout" / "text" / "limits.py").read_text()
    rows = [
        f"| {what} | {int(number):,} |"
        for number, what in re.findall(r"^\w+: Final = ([\d_]+)  # (.*)$", code, re.M)
    ]
    assert len(rows) == len(re.findall("^[A-Z]", code, re.M))
    page = (root / "docs" / "limitations.md").read_text().splitlines()
    assert [line for line in page if re.fullmatch(r"\| [^*].* \| [\d,]+ \|", line)] == rows


PYTHON_CLAIM = "# symlayout: formula '(4):(1)' coords i of x with p = 0\n"

C_CLAIM = "// symlayout: formula '(4):(1)' coords i of x\n"

SOURCES = {
    "deep.py": (PYTHON_CLAIM + "x[" + "(" * 100_000 + "1]", "not Python"),
    "minus.py": (PYTHON_CLAIM + "x[" + "-" * 100_000 + "1]\n", "not Python"),
    "sum.py": (PYTHON_CLAIM + "x[" + "i+" * 1_000 + "1]\n", "more than 1,000 parts"),
    "powers.py": (PYTHON_CLAIM + "x[" + "**2" * 300 + "]\n", "not Python"),
    "indented.py": (PYTHON_CLAIM + "".join(f"{' ' * n}if x:\n" for n in range(900)), "not Python"),
    "long.py": (PYTHON_CLAIM + "a = 1\n" * 400_000, "at most 500,000 characters"),
    "comments.py": (PYTHON_CLAIM * 3_000, "no statement follows"),
    "sum.cu": (C_CLAIM + "x[" + "i+" * 200_000 + "1] = 0;", "more than 1,000 parts"),
    "deep.cu": (C_CLAIM + "x[" + "(" * 100_000 + "1] = 0;", "more than 1,000 parts"),
    "open.cu": (C_CLAIM + "/* " * 150_000, "no statement"),
    "quotes.cu": (C_CLAIM + '"\\' * 200_000, "no index of x"),
    "letters.cu": (C_CLAIM + "'" * 400_000, "more than 1,000 parts"),
    "long.cu": (C_CLAIM + "a" * 2_000_000, "at most 500,000 characters"),
    "comments.cu": (C_CLAIM * 1_000, "no statement follows"),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", SOURCES)
def test_source_code(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text, message = SOURCES[name]
    file = tmp_path / name
    file.write_text(text)
    start = time.process_time()
    assert main(["check", str(file), "--no-cache", "--format", "concise"]) == 2
    assert time.process_time() - start < 15
    seen = capsys.readouterr().out
    assert message in seen
    assert "internal error" not in seen


@pytest.mark.parametrize("kind", ["fifo", "zeros", "loop", "folder", "socket"])
def test_a_cache_that_is_no_file(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cache").mkdir()
    path = special(tmp_path, kind)
    if kind == "zeros":
        (tmp_path / "cache" / "verdicts.sqlite3").symlink_to(path)
    else:
        os.rename(path, tmp_path / "cache" / "verdicts.sqlite3")
    (tmp_path / "b.layout.toml").write_text("[[claim]]\nprove = 'injective \"(4):(1)\"'\n")
    assert main(["check", "b.layout.toml", "--cache-dir", "cache"]) == 0


NAMES = [f"a{k}" for k in range(300)]


@pytest.mark.explore
@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("holds", f"min({','.join(NAMES)}) <= b"),
        ("holds", f"max({','.join(NAMES)}) <= {'+'.join(NAMES)}"),
        ("holds", f"({'+'.join(NAMES)})*b % 7 != a0*a1"),
        ("injective", f"({','.join(NAMES[:60])}):({','.join(f'b*{n}' for n in NAMES[:60])})"),
    ],
    ids=["least", "greatest", "remainder", "strides"],
)
def test_claims_of_very_many_symbols(word: str, text: str) -> None:
    start = time.process_time()
    assert getattr(prove, word)(text).status in ("unknown", "refuted")
    assert time.process_time() - start < 15
