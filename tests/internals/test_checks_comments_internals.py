"""Properties of internal modules; `tests/test_checks_comments.py` tests the public interface."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_checks_comments import HEAD

from symlayout import check
from symlayout.checks.comments.loader import SUFFIXES, load
from symlayout.checks.discover import discover
from symlayout.checks.reading import ANYWHERE
from symlayout.checks.result import Problem, Result, Task


def entries(tmp_path: Path, text: str, suffix: str = ".py") -> list[Task | Result]:
    file = tmp_path / f"kernel{suffix}"
    file.write_text(text)
    loaded = load(str(file), ANYWHERE)
    assert loaded.problems == ()
    return list(loaded.entries)


def expression(tmp_path: Path, text: str, suffix: str = ".py") -> str:
    (entry,) = entries(tmp_path, text, suffix)
    assert isinstance(entry, Task), entry
    return entry.claim.arguments[1]


@pytest.mark.parametrize(
    ("clause", "code", "found"),
    [
        ("", "x = i * N + j", "i * N + j"),
        ("", "x: int = i * N + j", "i * N + j"),
        ("of x", "x += i * N + j", "i * N + j"),
        ("of p", "x += load(p + i * N + j)", "(0) + i * N + j"),
        ("of p", "p[i * N + j] += p[i * N + j]", "i * N + j"),
        ("", "x[i * N + j] = 0", "i * N + j"),
        ("", "x = y[i * N + j]", "i * N + j"),
        ("", "x = i[:, None] * N + j[None, :]", "i * N + j"),
        ("", "x = (i *\n     N  # why\n     + j)", "i * N + j"),
        ("", "def f():\n    return i * N + j", None),
        ("of p", "x = load(p + i * N + j, mask=m)", "(0) + i * N + j"),
        ("of p", "x = load(i * N + p + j)", "i * N + (0) + j"),
        ("of b", "a[7] = b[i * N + j]", "i * N + j"),
        ("with r = i, tl.program_id(0) = j", "x = r * N + tl.program_id(axis=0)", None),
        ("with r = i, tl.program_id(0) = j", "x = r*N + tl.program_id( 0 )", "(i) * N + (j)"),
        ("with p.stride = N + 1, t = i - 1", "x = t * p.stride", "(i - 1) * (N + 1)"),
        ("with x[0] = i", "y = x[0] * N", "(i) * N"),
    ],
)
def test_pythons_expressions(tmp_path: Path, clause: str, code: str, found: str | None) -> None:
    text = f"# {HEAD} {clause}\n{code}\n"
    if found is None:
        (entry,) = entries(tmp_path, text)
        assert isinstance(entry, Result) or "program_id" in entry.claim.arguments[1]
    else:
        assert expression(tmp_path, text) == found


@pytest.mark.parametrize(
    ("clause", "code", "found"),
    [
        ("", "int x = i * N + j;", "i * N + j"),
        ("", "x = i * N + j, y = 3;", "i * N + j"),
        ("of x", "x += f(i, j);", "f(i, j)"),
        ("of p", "x += *(p + i * N + j);", "i * N + j"),
        ("", "x[i * N + j] += 1;", "i * N + j"),
        ("", "\n#pragma unroll\n  x = i * N + j;", "i * N + j"),
        ("", "return i * N + j;", "i * N + j"),
        ("", "*x[i * N + j] = 0;", "i * N + j"),
        ("", "const T v = y[i * N + j];", "i * N + j"),
        ("", "T v = y[i] + y[j];", "y[i] + y[j]"),
        ("", "long x = (size_t)i * N\n  // why; really\n  + static_cast<int>(j);", "i * N + (j)"),
        ("", "x = (const unsigned long)(i) * N + (std::size_t) j;", "(i) * N + j"),
        ("of p", "v = *(p + i * N + j);", "i * N + j"),
        ("of p", "q[0] = pp[1] + p [i * N + j];", "i * N + j"),
        ("with threadIdx.x = i, N1 = N", "x = threadIdx . x * N1 + N11;", "(i) * (N) + N11"),
        ("with p->s = N", "x = i * p->s + q.p->s;", "i * (N) + q.p->s"),
    ],
)
@pytest.mark.parametrize("mark", ["// %s", "/* %s */"])
def test_cs_expressions(tmp_path: Path, clause: str, code: str, found: str, mark: str) -> None:
    text = f"void f() {{\n  {mark % f'{HEAD} {clause}'}\n  {code}\n}}\n"
    assert expression(tmp_path, text, ".cpp") == found


def test_the_clauses(tmp_path: Path) -> None:
    text = (
        f"# {HEAD} coords r , c where N % 8 == 0 and M > 1 expect refuted\n"
        "#   because \"the kernel is a draft\" name 'a draft'\n"
        "#\n# an explanation\nx = r * N\n"
    )
    (task,) = entries(tmp_path, text)
    assert isinstance(task, Task)
    assert (task.name, task.expect, task.because) == ("a draft", "refuted", "the kernel is a draft")
    assert task.claim.facts == ("N % 8 == 0 and M > 1",)
    assert dict(task.claim.options) == {"language": "python", "coords": "r,c"}
    assert task.place is not None
    assert (task.place.line, task.place.column, task.place.width) == (5, 5, 5)


def test_other_claims_need_no_code(tmp_path: Path) -> None:
    text = '# symlayout: bitcast "f32[M,N]" "f32[N,M]{0,1}" --perm 1,0 where M > 1\n'
    (task,) = entries(tmp_path, text)
    assert isinstance(task, Task)
    assert (task.claim.word, task.claim.options) == ("bitcast", (("perm", "1,0"),))


def test_only_comments_count(tmp_path: Path) -> None:
    python = f'x = \'# {HEAD}\'\n"""\n# {HEAD}\n"""\n# about symlayout: it is good\n'
    assert entries(tmp_path, python) == []
    assert entries(tmp_path, f'const char* s = "// {HEAD}";\n', ".c") == []
    assert entries(tmp_path, "x = 1\n") == []


def problem(tmp_path: Path, text: str, suffix: str = ".py") -> Problem:
    (result,) = entries(tmp_path, text, suffix)
    assert isinstance(result, Result)
    assert result.outcome.problem is not None
    return result.outcome.problem


@pytest.mark.parametrize(
    ("text", "code", "place", "words"),
    [
        (f"# {HEAD}\n", "SL505", "1:14", "no statement follows"),
        (f"# {HEAD}\nfor x in y:\n    pass\n", "SL505", "2:1", "has no expression"),
        (f"# {HEAD} of q\nx = p[i]\n", "SL505", "2:1", "index of q"),
        ("# symlayout: formla 'f32[4]'\nx = 1\n", "SL502", "1:14", "did you mean 'formula'"),
        (f"# {HEAD} expect maybe\nx = 1\n", "SL502", "1:40", "not 'maybe'"),
        (f"# {HEAD} where\nx = 1\n", "SL502", "1:33", "nothing follows 'where'"),
        (f"# {HEAD} of a of b\nx = 1\n", "SL502", "1:38", "given twice"),
        (f"# {HEAD} with a\nx = 1\n", "SL502", "1:38", "NAME = EXPRESSION"),
        (f"# {HEAD} with a+ = 1\nx = 1\n", "SL505", "1:14", "no Python expression"),
        (f"# {HEAD} 'f32[M,N]'\nx = 1\n", "SL502", "1:33", "takes 2 arguments, not 3"),
        ('# symlayout: formula "f32[M,N]\nx = 1\n', "SL502", "1:22", "never closed"),
        ("# symlayout:\nx = 1\n", "SL502", "1:13", "empty"),
        (f"# {HEAD} coord i, j\nx = i\n", "SL502", "1:33", "did you mean 'coords'?"),
        # behind a line: the claim would be about the next one
        (f"x = 3 * i  # {HEAD}\ny = i\n", "SL505", "1:25", "a line of its own"),
        (f"x = 3 * i  # {HEAD}\n", "SL505", "1:25", "a line of its own"),
        # inside of a statement: the claim would be about the next one
        (f"x = (\n  # {HEAD}\n  i * N)\ny = i\n", "SL505", "2:16", "inside of a statement"),
        (f"f(1,  # {HEAD}\n  i * N)\ny = i\n", "SL505", "1:20", "inside of a statement"),
        (f"if (a and\n    # {HEAD}\n    b):\n  y = i\n", "SL505", "2:18", "inside of a statement"),
        # what is added is no value, and two indices are no single one
        (f"# {HEAD}\nx += i\n", "SL505", "2:1", "`of x` speaks of what is added"),
        (f"# {HEAD} of x\nx -= i\n", "SL505", "2:1", "changes x"),
        (f"# {HEAD} of p\np[i] = p[i + 1]\n", "SL505", "2:1", "2 indices of p: i, i + 1"),
    ],
)
def test_comments_that_mean_nothing(
    tmp_path: Path, text: str, code: str, place: str, words: str
) -> None:
    found = problem(tmp_path, text)
    assert words in f"{found.message} {found.help}"
    assert found.code == code
    assert found.place is not None
    line, column = place.split(":")
    assert found.place.line == int(line)
    assert found.place.column == int(column)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"// {HEAD}\n", "no statement follows"),
        (f"// {HEAD}\nf(x);\n", "no assigned or returned value"),
        (f"// {HEAD} of q\nx = qq[1];\n", "no index of q"),
        (f"x = 3 * i;  // {HEAD}\ny = i;\n", "behind code"),
        (f"x = 3 * i;  /* {HEAD} */\ny = i;\n", "behind code"),
        (f"f(\n  // {HEAD}\n  x = 1, 2);\ny = i;\n", "inside of a statement"),
        (f"#define F f(\nvoid g(\n  // {HEAD}\n  int x = 1);\n", "inside of a statement"),
        (f"// {HEAD}\nx += i;\n", "changes x"),
        (f"// {HEAD} of x\nx <<= i;\n", "changes x"),
        (f"// {HEAD} of p\np[i] = p[i+1];\n", "2 indices of p: i, i+1"),
        (f"// {HEAD}\n#if 0\nx = i;\n#endif\n", "a line of the preprocessor"),
        (f"#define S N + 1  // why\n// {HEAD}\nx = i * S;\n", "S is a macro for N + 1, which has"),
        (f"#define S (N)+(1)\n// {HEAD}\nx = i * S;\n", "S is a macro for (N)+(1), which has"),
    ],
)
def test_c_without_an_expression(tmp_path: Path, text: str, words: str) -> None:
    found = problem(tmp_path, text, ".cu")
    assert (found.code, words in found.message) == ("SL505", True)


@pytest.mark.parametrize(
    "text",
    [
        'const char* s = R"(\n /* \n)";\n',
        'const char* s = u8R"x(a )" /* )x";\n',
        "#define OPEN f(\n#define S (N)\n",
        '#define ALL "/*"\n#define SITE "http://x"\n#define Q \'"\' + "/*" /* one " */\n',
        '#error don\'t /* say */ it\n#define LONG a \\\n  "/*"\n',
        "int a[3] = {f(1), 2, 3}; // it's (\n",
    ],
)
def test_what_stands_above_hides_no_claim(tmp_path: Path, text: str) -> None:
    assert expression(tmp_path, f"{text}// {HEAD}\nx = i * S + j;\n", ".cu") == "i * S + j"


def test_a_raw_string_without_an_end_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(f'const char* s = R"(\n// {HEAD}\nx = i;\n')
    (found,) = load(str(tmp_path / "k.cu"), ANYWHERE).problems
    assert (found.code, found.message) == ("SL506", "a raw string is never closed")


@pytest.mark.parametrize(
    ("above", "known"),
    [
        ("int q = i * N;", True),
        ("int q = i * N; int k = min(q, 3); if (q) f(q + 1, g[q]);", True),
        ("const int q = i * N; f(q);", True),
        ("int q = i * N; f(q);", False),
        ("int q = i * N; a.swap(k, q);", False),
        ("int q = i * N; f<int>(q);", False),
        ("int q = i * N; int& z = q; z = 5;", False),
        ("int q = i * N; std::cin >> q;", False),
        ("float q = i * N;", False),
        ("bool q = i * N;", False),
    ],
)
def test_a_definition_is_followed_where_it_is_sure(tmp_path: Path, above: str, known: bool) -> None:
    text = f"void g() {{ {above}\n  // {HEAD} coords i, j\n  int x = q + j;\n}}\n"
    assert expression(tmp_path, text, ".cu") == ("(i * N) + j" if known else "q + j")


def test_folders_are_searched_for_sources(tmp_path: Path) -> None:
    for suffix in SUFFIXES:
        (tmp_path / f"k{suffix}").write_text("")
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv" / "k.py").write_text(f"# {HEAD}\n")
    assert len(discover([str(tmp_path)], ANYWHERE)) == len(SUFFIXES)
    report = check([str(tmp_path)])
    assert report.files == ()
    assert [p.code for p in report.problems] == ["SL602"]  # nothing was checked


def test_meanings_replace_whole_words_only() -> None:
    from symlayout.checks.comments.c import put_in

    text = put_in("a + aa + b.a + a.b", {"a": "1"})
    assert re.sub(r"\s", "", text) == "(1)+aa+b.a+(1).b"


def test_warnings_of_the_source_stay_silent(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    assert expression(tmp_path, f'x = "\\d"\n# {HEAD}\nx = i * N\n') == "i * N"
    assert len(recwarn) == 0
