"""Loops of C with a counter: what each reaches is what it reaches when it is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout import check


def test_a_comparison_beside_a_number_in_a_choice_is_a_number(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text("""// symlayout: kernel grid (1,) block (1,)
//   a is f32[9]
__global__ void f(float* a, int n, int m) {
  int i = n < m ? n < 5 : 3;
  a[i] = 1;
}
""")
    report = check([str(file)])
    assert report.problems == ()
    assert {r.outcome.status for r in report.results} == {"proved"}


@pytest.mark.parametrize(
    "step",
    [
        "q -= 1",
        "q--",
        "if (m > 2) q -= 1",
        "q = q - (m > 2 ? 1 : 0)",
        "if (m > 2) q--; else q -= 1",
    ],
)
@pytest.mark.parametrize("type", ["unsigned", "size_t"])
def test_what_each_turn_takes_away_is_no_number_below_0(
    tmp_path: Path, step: str, type: str
) -> None:
    file = tmp_path / "k.cu"
    file.write_text(f"""// symlayout: kernel grid (1,) block (1,)
//   a is f32[n + u]
//   where n <= 1000, u <= 1000
__global__ void f(float* a, int n, int m, unsigned u) {{
  {type} q = n;
  for (int i = 0; i < n; i++) {{
    a[q + u - 1] = 1;
    {step};
  }}
}}
""")
    assert {r.outcome.status for r in check([str(file)]).results} == {"proved"}


LEAVING = [  # what leaves the type of a counter at large sizes, and what is fact where none does
    ("for (int i = 0; i < u; i++) a[3] = 1;", "u <= 2147483647"),
    ("for (int i = 0; i < w; i++) a[3] = 1;", "w <= 2147483647"),
    ("for (unsigned i = 0; i < w; i++) a[3] = 1;", "w <= 4294967295"),
    ("for (int i = -2; i > -5; i -= m) a[-i] = 1;", "m <= 1000"),
    ("int i = -2; while (i > -5) { a[-i] = 1; i -= m; }", "m <= 1000"),
    ("for (int i = 0; i + 4 <= n; i += 4) a[3] = 1;", "n <= 2147483643"),
    ("for (unsigned q = 0; q + 4 <= u; q += 4) a[3] = 1;", "u <= 4294967291"),
    ("for (int i = m; i + 4 < 9; i++) a[3] = 1;", "m <= 2147483643"),
    ("for (unsigned q = u; q + 4 <= 9; q++) a[3] = 1;", "u <= 4294967291"),
    ("int i = m; while (i + 4 < 9) { a[3] = 1; i += 1; }", "m <= 2147483643"),
]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("loop", "fact"), LEAVING)
def test_what_a_loop_asks_of_its_counter_stays_in_its_type(
    tmp_path: Path, loop: str, fact: str
) -> None:
    file = tmp_path / "k.cu"
    for where in ("", f"//   where {fact}\n"):
        file.write_text(f"""// symlayout: kernel grid (1,) block (1,)
//   assume none
//   a is f32[9]
{where}__global__ void f(float* a, int n, int m, unsigned u, long w) {{ {loop} }}
""")
        found = {r.task.name: r.outcome.status for r in check([str(file)]).results}
        refuted = [n for n, status in found.items() if status == "refuted"]
        assert all("of the loop in line" in n for n in refuted)
        assert {*found.values()} == {"proved"} if where else refuted


ENDING = [  # each ends the loop before its counter leaves its type, or what is asked of it does
    "i < w && i < n",
    "i < n && i < w",
    "n > i && i < w && i < u",
    "i < u && (i < w && i <= n - 1)",
    "i < w && i + 1 < n",
    "i < m && i + k < n",
    "i + k < n && i < m",
]

FORMS = [
    "for (int i = 0; {}; i++) sum += a[i];",
    "int i = 0; while ({}) {{ sum += a[i]; i++; }}",
    "int i = 0; while ({}) {{ i += 1; sum += a[i - 1]; }}",
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("test", ENDING)
def test_another_condition_may_end_a_loop_before_its_counter_leaves_its_type(
    tmp_path: Path, test: str, form: str
) -> None:
    file = tmp_path / "k.cu"
    file.write_text(f"""// symlayout: kernel grid (1,) block (1,)
//   a is f32[n]
//   where k >= 0
__global__ void f(float* a, int n, int m, int k, unsigned u, long w) {{
  float sum = 0;
  {form.format(test)}
}}
""")
    assert {r.outcome.status for r in check([str(file)]).results} == {"proved"}


NOT_ENDING = {  # what leaves its type though a second condition stands there, and what is found
    "both ends are larger": ("for (int i = 0; i < w && i < u; i++) s += a[0];", "refuted"),
    "by turns": ("int i = 0; while (i < w && i < u) { s += a[0]; i++; }", "refuted"),
    "the first sum": ("for (int i = m; i < w && i + 5 < n; i++) s += a[0];", "refuted"),
    "a sum behind": ("for (int i = 0; m > 3 && i + 4 <= n; i += 4) s += a[0];", "refuted"),
    "an end that is the largest": (
        "for (int i = 0; i + 1 <= n && i < w; i++) s += a[i];",
        "refuted",
    ),
    "a step by 2": ("for (int i = 0; i < m && i + k < n; i += 2) s += a[0];", "refuted"),
    "an end that is not seen": ("for (int i = 0; i < w && i != n; i++) s += a[0];", "unknown"),
    "a way out": ("for (int i = 0; i < w; i++) { if (a[0] > 2) break; s += a[0]; }", "unknown"),
    "a way out behind its step": (
        "int i = 0; while (i < n) { i += 1000; if (i >= n) break; s += a[0]; }",
        "unknown",
    ),
    "a way out that is none": (
        "for (int i = 0; i < w; i++) { for (int j = 0; j < n; j++) if (j > 3) break; s += a[0]; }",
        "refuted",
    ),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", NOT_ENDING)
def test_a_second_condition_may_end_a_loop_too_late(tmp_path: Path, name: str) -> None:
    file = tmp_path / "k.cu"
    loop, status = NOT_ENDING[name]
    file.write_text(f"""// symlayout: kernel grid (1,) block (1,)
//   assume none
//   a is f32[n]
__global__ void f(float* a, int n, int m, int k, unsigned u, long w) {{
  float s = 0;
  {loop}
}}
""")
    statuses = {r.outcome.status for r in check([str(file)]).results}
    assert status in statuses
    assert "refuted" not in statuses or status == "refuted"


@pytest.mark.parametrize("way", ["if (i >= n) break;", "if (i >= n) return;", "if (n <= i) break;"])
def test_a_way_out_may_end_a_loop_before_its_counter_leaves_its_type(
    tmp_path: Path, way: str
) -> None:
    file = tmp_path / "k.cu"
    file.write_text(f"""// symlayout: kernel grid (1,) block (1,)
//   a is f32[n]
__global__ void f(float* a, int n, long w) {{
  float sum = 0;
  for (int i = 0; i < w; i++) {{ {way} sum += a[i]; }}
}}
""")
    assert {r.outcome.status for r in check([str(file)]).results} == {"proved"}


BEHIND = {  # a counter behind a loop that several conditions end, and of how many numbers `a` is
    "one of the ends": ("i", "n + 1", "proved"),
    "not the first end": ("i - n", "1", "unknown"),
    "not the second one": ("i", "m + 1", "unknown"),
}


@pytest.mark.parametrize("loop", ["for (; i < n && i < m; i++)", "while (i < n && i < m) i++"])
@pytest.mark.parametrize("name", BEHIND)
def test_behind_a_loop_its_counter_is_where_a_condition_ends_it(
    tmp_path: Path, name: str, loop: str
) -> None:
    file = tmp_path / "k.cu"
    place, size, status = BEHIND[name]
    file.write_text(f"""// symlayout: kernel grid (1,) block (1,)
//   a is f32[{size}]
__global__ void f(float* a, int n, int m) {{
  int i = 0;
  {loop};
  a[{place}] = 1;
}}
""")
    (bounds,) = [r for r in check([str(file)]).results if "in bounds" in r.task.name]
    assert bounds.outcome.status == status


@pytest.mark.parametrize("form", FORMS[:2])
@pytest.mark.parametrize(
    "test", ["i + k < n && i < m", "i <= n && i < m", "i + k <= n && i < m", "i + k < -2"]
)
def test_what_a_condition_does_not_compute_leaves_no_type(
    tmp_path: Path, test: str, form: str
) -> None:
    """`i + k < n` is i < n - k, which no code computes: with k = -1 that is 2**31."""
    file = tmp_path / "k.cu"
    file.write_text(f"""// symlayout: kernel grid (1,) block (1,)
//   a is f32[2147483648]
//   where k >= -9, k <= 0, m <= 99, n >= -9
__global__ void f(float* a, int n, int m, int k) {{
  float sum = 0;
  {form.format(test)}
}}
""")
    assert {r.outcome.status for r in check([str(file)]).results} == {"proved"}


def test_no_grid_has_so_many_threads_that_an_int_does_not_count_them(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text("""// symlayout: kernel grid (1,) block (B,)
//   a is f32[B]
//   where B <= 1024
__global__ void f(float* a) {
  float sum = 0;
  for (int i = 0; i < blockDim.x; i++) sum += a[i];
}
""")
    assert {r.outcome.status for r in check([str(file)]).results} == {"proved"}


def test_a_step_that_may_be_0_is_no_place_outside(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text("""// symlayout: kernel grid (1,) block (1,)
//   a is f32[n]
//   where n <= 1000, s <= 1000, s >= 0
__global__ void f(float* a, int n, int s) {
  for (int i = 0; i < n; i += s) a[i] = 1;
}
""")
    found = {r.task.name: r.outcome.status for r in check([str(file)]).results}
    assert found["f: in bounds: store of a in line 5"] == "proved"
    assert found["f: no step below 1: s in line 5"] == "refuted"


AWAY = {  # steps that lead away from the end, or out of the counter's type
    "a number below 0": "int k = -2; for (int i = 0; i < 9; i += k) a[i] = 1;",
    "a constant below 0": "for (int i = 0; i < 9; i = i + BACK) a[i] = 1;",
    "a number that is taken away": "for (int i = 0; i < 9; i += -n) a[i] = 1;",
    "a constant below 0 that is taken away": "for (int i = 8; i >= 0; i -= BACK) a[i] = 1;",
    "an end that is passed": "for (int8_t i = 0; i < 126; i += 10) a[i] = 1;",
    "an end that is the largest": "for (unsigned char i = 0; i <= 255; i++) a[i] = 1;",
    "no end at 0": "for (unsigned char i = 5; i >= 0; i--) a[i] = 1;",
    "an end that is passed below 0": "for (unsigned char i = 8; i > 1; i -= 5) a[i] = 1;",
    "a truth value": "for (bool i = 0; i < 1; i++) a[0] = 1;",
    "a first turn": "int i = m; do { a[0] = 1; i -= 3; } while (i > n);",
}

SIGNS = {  # a second condition that is false at first, of a counter below 0 and an end without a sign
    "a number": ("for (int i = -1; i < m && i < n; i++) if (i >= 0) a[i] = 1;", False),
    "a size": ("for (int i = k; i < m && i < n; i++) if (i >= 0) a[i] = 1;", False),
    "a sum": ("for (int i = 0; i < m && i + k < n; i++) if (i + k >= 0) a[i + k] = 1;", False),
    "none below 0": ("for (int i = 0; i < m && i < n; i++) a[i] = 1;", True),
    "none without a sign": (
        "for (int i = k; i < m && i < (int)n; i++) if (i >= 0) a[i] = 1;",
        True,
    ),
}


@pytest.mark.parametrize("name", SIGNS)
def test_a_second_condition_without_a_sign_ends_its_loop(tmp_path: Path, name: str) -> None:
    file = tmp_path / "k.cu"
    loop, proved = SIGNS[name]
    file.write_text(f"""// symlayout: kernel grid (1,) block (1,)
//   a is f32[n] written once
//   where n <= 1000, m >= n + 3, m <= 2000, k >= -3, k <= 0
__global__ void f(float* a, unsigned n, int m, int k) {{
  {loop}
}}
""")
    statuses = {r.outcome.status for r in check([str(file)]).results}
    assert (statuses == {"proved"}) == proved, statuses


FITS = {
    "unsigned char": "for (unsigned char i = 0; i < 250; i += 5) a[i] = 1;",
    "int8_t": "for (int8_t i = 100; i > 0; i -= 50) a[i] = 1;",
    "a do loop": "int i = n; do { a[0] = 1; i -= 3; } while (i > 5);",
}


@pytest.mark.parametrize("name", [*AWAY, *FITS])
def test_a_step_leads_to_the_end_within_the_counters_type(tmp_path: Path, name: str) -> None:
    file = tmp_path / "k.cu"
    file.write_text(f"""constexpr int BACK = -1;
// symlayout: kernel grid (1,) block (1,)
//   a is f32[256]
//   where m >= -2147483648
__global__ void f(float* a, int n, int m) {{
  {(AWAY | FITS)[name]}
}}
""")
    statuses = {r.outcome.status for r in check([str(file)]).results}
    assert (statuses == {"proved"}) == (name in FITS), statuses
    assert "error" not in statuses
