"""Triton kernels that an adversary wrote: nothing of them is proved that does not hold."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path

import pytest

from symlayout import Report, check

IMPORTS = "import triton\nimport triton.language as tl\n"
HELPERS = """

@triton.jit
def h(p):
    tl.store(p, 1.0)
    return p


@triton.jit
def puts(a, b):
    tl.store(a, 1.0)
    return a


@triton.jit
def puts_there(a, b):
    tl.store(a.to(tl.pointer_type(tl.float32)), 1.0)
    return a


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def eighth(t):
    return 8 // t
"""
LINES = ("x is f32[n]", "y is f32[n] written once")
MASKED = """
pid = tl.program_id(0)
i = pid * B + tl.arange(0, B)
m = i < n
v = tl.load(x + i, mask=m)
"""
STORE = "tl.store(y + i, 1.0, mask=m)"


def kernel(
    body: str,
    lines: Iterable[str] = LINES,
    where: str = "n <= 1048576",
    parameters: str = "x, y, n, B: tl.constexpr",
    grid: str = "(cdiv(n, B),)",
    head: str = IMPORTS + HELPERS,
) -> str:
    """A file with one kernel and its contract."""
    rows = [f"# symlayout: kernel grid {grid}", *[f"#   {line}" for line in lines]]
    rows += [f"#   where {where}"] if where else []
    inside = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    return "\n".join([head, "", *rows, "@triton.jit", f"def k({parameters}):", inside, ""])


def report(folder: Path, text: str, suffix: str = ".py") -> Report:
    """What a check of a file with that text says."""
    file = folder / f"k{suffix}"
    file.write_text(text)
    return check([str(file)])


def statuses(one: Report, part: str = "") -> set[str]:
    """The verdicts of the claims whose names have that part."""
    assert not one.all_problems, one.all_problems
    return {r.outcome.status for r in one.results if part in r.task.name}


# -- functions that may touch memory ---------------------------------------------------------------

TOUCHING = {
    "a function that applies another one": "tl.map_elementwise(h, y + i + n)",
    "a keyword": "tl.map_elementwise(h, ptr=y + i)",
    "no function of the language": "tl.foo(y + i + n)",
    "an address in a list": "tl.foo([1, y + i])",
    "an address in tuples": "t = ((y, 1), n)\ntl.foo(t)",
    "assembly": 'tl.inline_asm_elementwise("st.global", "=r,l", [y + i], tl.int32, False, 1)',
    "assembly with a product": (
        'tl.inline_asm_elementwise("st", "=r,l", [y.to(tl.int64) * 1], tl.int32, False, 1)'
    ),
    "an address without its last bits": "a = y.to(tl.int64) & -2\ntl.foo(a)",
    "the larger of two addresses": "a = tl.maximum(y.to(tl.int64), 0)\ntl.foo(a)",
    "an extra module": "tl.extra.cuda.foo(y + i + n)",
    "libdevice": "tl.extra.libdevice.modf(v, y + i + n)",
    "a reduction that stores": "tl.reduce(y + i, 0, puts)",
    "a scan that stores": "tl.associative_scan(y + i, axis=0, combine_fn=puts)",
    "a scan of addresses as numbers": "tl.associative_scan(y.to(tl.int64) + i, 0, puts_there)",
    "a method that stores": "(y + i).reduce(0, puts)",
    "a reduction by what is not followed": "tl.reduce(v, 0, unknown_function)",
    "a method": "(y + i + n).foo()",
    "an atomic method": "(y + i + n).atomic_add(1.0)",
    "a storing method": "(y + i + n).store(1.0)",
    "getattr of the language": 'getattr(tl, "store")(y + i + n, 1.0)',
    "getattr of an address": 'getattr(y + n, "store")(1.0)',
    "another name": "f = tl.store\nf(y + i + n, 1.0)",
    "a method by another name": "f = (y + n).store\nf(1.0)",
    "a subscript": "fs = (tl.load, tl.store)\nfs[1](y + i + n, 1.0)",
    "a dictionary": 'd = {"f": tl.store}\nd["f"](y + i + n, 1.0)',
    "a choice of functions": "(tl.store if n > 3 else tl.load)(y + i + n, 1.0)",
    "a lambda": "f = lambda p: tl.store(p, 1.0)\nf(y + i + n)",
    "a star": "a = (y + i + n, 1.0)\ntl.store(*a)",
    "two stars": 'a = {"pointer": y + i + n, "value": 1.0}\ntl.store(**a)',
    "a function of the file with a star": "a = (y + i + n,)\nh(*a)",
    "a module that is not found": "helpers.f(y + i + n)",
    "a module's cast": "helpers.to(y + i + n)",
    "a module's sum": "helpers.sum(y + i + n)",
    "a name that is not found": "foo(y + i + n)",
    "a comprehension": "[tl.store(y + i + k, 1.0) for k in range(3)]",
    "a text": 'z = f"{foo(y + n)}"',
    "a choice of addresses": "p = tl.where(i > 3, y + i + n, x + i)\ntl.foo(p)",
    "an address that a loop changes": (
        "p = y + i\nfor k in range(3):\n    p = tl.where(p > x, x + i, p)\n    tl.foo(p)"
    ),
    "an address from an unrolled loop": (
        "a = 0\nb = y\nfor k in tl.static_range(2):\n    foo(a)\n    a = b"
    ),
    "a number that a loop makes an address": (
        "a = tl.zeros([], tl.int64)\nfor k in range(2):\n    foo(a)\n    a = y.to(tl.int64)"
    ),
    "a number as an address": "a = tl.load(x).to(tl.pointer_type(tl.float32))\nfoo(a)",
    "the type of an address": "a = tl.cast(tl.load(x), y.dtype)\nfoo(a)",
    "a view": "foo(tl.view(y + i, [B]))",
    "a reshaped address": "tl.store(tl.reshape(y + i + n, [B]), 1.0)",
    "half of two": "a, b = tl.split(tl.join(y + i, y + i))\nfoo(a)",
    "a block pointer": "p = tl.make_block_ptr(y, (n,), (1,), (0,), (B,), (0,))\nfoo(p)",
    "a descriptor": "d = tl.make_tensor_descriptor(y, [n], [1], [B])\ntl.foo(d)",
    "a descriptor's method": "d = tl.make_tensor_descriptor(y, [n], [1], [B])\nd.atomic_add([n], v)",
    "an object": "o = Obj(y)\no.run()",
    "a loop's end": "for k in range(foo(y + n)):\n    pass",
    "an operand": "z = n > 3 and foo(y + n)",
    "a mask": "tl.load(x + i, mask=foo(y + n))",
    "a keyword that is not read": "tl.load(x + i, mask=m, eviction_policy=foo(y + n))",
    "a function in a function": "def q(p):\n    tl.store(p, 1.0)\nq(y + n)",
}


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", TOUCHING)
def test_a_function_that_may_touch_memory_is_told_of(tmp_path: Path, name: str) -> None:
    text = kernel(f"{MASKED}{STORE}\n{TOUCHING[name]}")
    assert "unknown" in statuses(report(tmp_path, text), "understood")


HARMLESS = {
    "arithmetic": "z = tl.exp(v) + tl.maximum(v, 0.0) * tl.sigmoid(v)",
    "a reduction": "z = tl.reduce(v, 0, add)\nw = v.sum(0) + tl.sum(v, axis=0)",
    "a scan": "z = tl.associative_scan((v, v), 0, add)",
    "a mapped function": "z = tl.map_elementwise(add, v, v)",
    "shapes": "z = tl.trans(v[:, None]).reshape(B).to(tl.float16)",
    "an unknown function of numbers": "z = foo(v, n, 1.0)",
    "assembly of numbers": 'z = tl.inline_asm_elementwise("cvt", "=r,r", [v], tl.int32, True, 1)',
    "random numbers": "z = tl.rand(n, i) + tl.randn(3, i)",
    "a type": "z = v.to(y.dtype.element_ty)",
    "a loop": "z = v\nfor k in range(3):\n    z = foo(z) + v",
    "an unrolled loop": "z = v\nfor k in tl.static_range(3):\n    z = foo(z) + v",
}


@pytest.mark.parametrize("name", HARMLESS)
def test_a_function_that_touches_no_memory_is_none_of_them(tmp_path: Path, name: str) -> None:
    assert statuses(report(tmp_path, kernel(f"{MASKED}{HARMLESS[name]}\n{STORE}"))) == {"proved"}


COPY = MASKED + "tl.store(y + i, tl.exp(v), mask=m)"
NAMES = {
    "a module by another name": ("import triton\nimport triton.language as t", "t."),
    "the whole path": ("import triton\nimport triton.language", "triton.language."),
    "a module that is imported": ("import triton\nfrom triton import language as lang", "lang."),
    "a star": ("import triton\nfrom triton.language import *", ""),
    "names": (
        "import triton\nfrom triton.language import program_id, arange, load, store, exp",
        "",
    ),
    "where an import fails": (
        "try:\n    import triton\n    import triton.language as tl\n"
        "except ImportError:\n    triton = tl = None",
        "tl.",
    ),
    "another module where it fails": (
        "try:\n    import triton\n    import triton.language as tl\n"
        "except ImportError:\n    from dummies import triton, tl",
        "tl.",
    ),
    "None before": ("tl = None\nimport triton\nimport triton.language as tl", "tl."),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_language_goes_by_what_is_imported(tmp_path: Path, name: str) -> None:
    head, prefix = NAMES[name]
    text = kernel(
        COPY.replace("tl.", prefix), head=f"{head}\n", parameters="x, y, n, B: 'constexpr'"
    )
    assert statuses(report(tmp_path, text)) == {"proved"}


MISNAMED = {
    "store by the name of exp": ("from triton.language import store as exp", "exp(y + i + n, 1.0)"),
    "store by the name of load": (
        "from triton.language import store as load",
        "load(y + i + n, 1.0)",
    ),
    "another module later": ("import mine as tl", ""),
    "a value later": ("tl = mine()", ""),
    "another module in a branch": ("if True:\n    import mine as tl", ""),
    "a class": ("class tl:\n    exp = 1", ""),
    "a function that changes it": ("def f():\n    global tl\n    tl = 3", ""),
    "a package of the project": ("from .triton.language import exp", "exp(y + i + n)"),
    "two meanings": (
        "try:\n    from triton.language import store as f\n"
        "except ImportError:\n    from triton.language import exp as f",
        "f(y + i + n, 1.0)",
    ),
    "a function of another module": ("from mine import exp", "exp(y + i + n)"),
}


@pytest.mark.parametrize("name", MISNAMED)
def test_a_name_of_the_language_that_means_something_else(tmp_path: Path, name: str) -> None:
    more, line = MISNAMED[name]
    text = kernel(f"{COPY}\n{line}", head=f"{IMPORTS}{more}\n")
    assert statuses(report(tmp_path, text)) != {"proved"}


def test_a_star_may_bring_another_meaning_of_the_language(tmp_path: Path) -> None:
    text = kernel(COPY, head=f"{IMPORTS}from helpers import *\n")
    for helpers, status in (("import triton.language as tl", True), ("import mine as tl", False)):
        (tmp_path / "helpers.py").write_text(f"{helpers}\n")
        assert (statuses(report(tmp_path, text)) == {"proved"}) == status


def test_a_parameter_may_be_called_as_the_language(tmp_path: Path) -> None:
    text = kernel(COPY, parameters="x, y, tl, n, B: 'constexpr'")
    assert statuses(report(tmp_path, text)) != {"proved"}


# -- quotients -------------------------------------------------------------------------------------

BLOCK = "pid = tl.program_id(0)\ni = pid * B + tl.arange(0, B)\nm = i < n\n"
DIVIDED = "x, y, t, z, n, B: tl.constexpr"
SIZES = "n <= 1048576, t >= 0, t <= 100, z >= 0, z <= 100"
UNDEFINED = {
    "times 0": "tl.store(y + i + 8 // t * 0, 1.0, mask=m)",
    "times what is 0": "q = 0\ntl.store(y + i + 8 // t * q, 1.0, mask=m)",
    "less itself": "tl.store(y + i + (5 // t - 5 // t), 1.0, mask=m)",
    "modulo 1": f"u = (5 // t) % 1\n{STORE}",
    "a local that is not used": f"u = 8 // t\n{STORE}",
    "a remainder": f"u = 8 % t\n{STORE}",
    "an expression": f"8 // t\n{STORE}",
    "rounded up": f"u = tl.cdiv(8, t)\n{STORE}",
    "rounded up by the host's function": f"u = triton.cdiv(8, t)\n{STORE}",
    "a side of where": f"u = tl.where(t > 0, 8 // t, 0)\n{STORE}",
    "a value": "tl.store(y + i, 8 // t, mask=m)",
    "a mask": "tl.store(y + i, 1.0, mask=m & (8 // t >= 0))",
    "below 0": f"u = -8 // t\n{STORE}",
    "a sum of sizes": f"u = 8 // (t + z)\n{STORE}",
    "a product of sizes": f"u = 8 // (t * n)\n{STORE}",
    "the smaller size": f"u = 8 // tl.minimum(t, n)\n{STORE}",
    "a loop's counter": f"for k in range(n):\n    u = 8 // k\n{STORE}",
    "a program's number": f"u = 8 // pid\n{STORE}",
    "the right side of or": f"c = t == 0 or 8 // z > 1\n{STORE}",
    "the right side of and": f"c = t > 0 and 8 // z > 1\n{STORE}",
    "a number": f"q = 0\nu = 8 // q\n{STORE}",
    "a branch that is taken": f"if t >= 0:\n    u = 8 // t\n{STORE}",
    "a function of the file": f"u = eighth(t)\n{STORE}",
    "an assignment": f"u = 8\nu //= t\n{STORE}",
    "an assertion": f"tl.static_assert(8 // t > 0)\n{STORE}",
    "data": f"u = foo(3) // t\n{STORE}",
    "a test": f"if 8 // t > 9:\n    pass\n{STORE}",
    "a loop's end": f"for k in range(8 // t):\n    pass\n{STORE}",
    "what is returned": f"{STORE}\nreturn 8 // t",
}


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", UNDEFINED)
def test_a_quotient_by_0_is_refuted(tmp_path: Path, name: str) -> None:
    text = kernel(BLOCK + UNDEFINED[name], where=SIZES, parameters=DIVIDED)
    assert statuses(report(tmp_path, text), "no division by 0") == {"refuted"}


LANES = {
    "unused": f"u = 8 // i\n{STORE}",
    "times 0": "tl.store(y + i + 8 // i * 0, 1.0, mask=m)",
    "times 0 of what was loaded": "k = tl.load(x)\ntl.store(y + i + 8 // k * 0, 1.0, mask=m)",
    "a shift": f"u = 8 >> t\n{STORE}",
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", LANES)
def test_a_lane_that_divides_by_0_is_not_proved(tmp_path: Path, name: str) -> None:
    lines = ("x is i32[n]", "y is f32[n]")
    text = kernel(BLOCK + LANES[name], lines, SIZES.replace(", t <= 100", ""), DIVIDED)
    assert statuses(report(tmp_path, text)) != {"proved"}


DEFINED = {
    "a branch": f"if t > 0:\n    u = 8 // t\n{STORE}",
    "a return": f"if t == 0:\n    return\nu = 8 // t\n{STORE}".replace("return", "t = 1"),
    "a choice": f"u = 8 // t if t > 0 else 1\n{STORE}",
    "behind and": f"c = t > 0 and 8 // t > 1\n{STORE}",
    "behind or": f"c = t == 0 or 8 // t > 1\n{STORE}",
    "at least 1": f"u = 8 // tl.maximum(t, 1)\n{STORE}",
    "and 1": f"u = 8 // (t + 1)\n{STORE}",
    "a size": f"u = 8 // n\n{STORE}",
    "lanes of a mask": f"tl.load(x + (n - 1) // i, mask=(i > 0) & m)\n{STORE}",
    "a counter from 1 on": f"for k in range(1, n):\n    u = 8 // k\n{STORE}",
    "a branch that is never taken": f"if t < 0:\n    u = 8 // t\n{STORE}",
}


@pytest.mark.parametrize("name", DEFINED)
def test_a_quotient_that_is_not_computed_has_no_claim(tmp_path: Path, name: str) -> None:
    text = kernel(BLOCK + DEFINED[name], where=SIZES, parameters=DIVIDED)
    if name == "a return":
        text = text.replace("t = 1", "return").replace(" written once", "")
    assert statuses(report(tmp_path, text)) == {"proved"}


# -- tables ----------------------------------------------------------------------------------------

NUMBERS = {  # a table's type, an index, how many elements there are, and whether all is proved
    "32 bits without a sign": ("u32[1]", "v.to(tl.int64)", "4294967296", True),
    "one element less": ("u32[1]", "v.to(tl.int64)", "4294967295", False),
    "8 bits without a sign": ("u8[1]", "v.to(tl.int32)", "256", True),
    "8 bits": ("i8[1]", "v.to(tl.int32) + 128", "256", True),
    "8 bits below 0": ("i8[1]", "v.to(tl.int32)", "256", False),
    "16 bits": ("i16[1]", "v.to(tl.int32) + 32768", "65536", True),
    "a truth value": ("pred[1]", "v.to(tl.int32)", "2", True),
    "64 bits": ("i64[1]", "v + 2147483648", "4294967296", False),
    "64 bits without a sign": ("u64[1]", "v", "4294967296", False),
    "32 bits": ("i32[1]", "v.to(tl.int64) + 2147483648", "4294967296", True),
    "a fraction": ("f32[1]", "v.to(tl.int64) + 2147483648", "4294967296", False),
    "below a product": ("i32[1] below n*B", "v", "n*B", True),
    "below a product, and one more": ("i32[1] below n*B + 1", "v", "n*B", False),
    "a quotient of what is below a product": ("i32[1] below n*B + 1", "v // n", "B + 1", True),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_a_table_are_those_of_its_type(tmp_path: Path, name: str) -> None:
    table, index, count, proved = NUMBERS[name]
    lines = (f"x is {table}", f"y is f32[{count}]")
    text = kernel(f"v = tl.load(x)\ntl.load(y + ({index}))", lines, "", grid="(1,)")
    assert (statuses(report(tmp_path, text)) == {"proved"}) == proved


def test_a_fraction_may_lie_between_two_integers(tmp_path: Path) -> None:
    load = "v = tl.load(x + i, mask=m, other=0)\ntl.load(y + i + n, mask=m & (v > 0) & (v < 1))"
    one = report(tmp_path, kernel(BLOCK + load, ("x is f32[n]", "y is f32[n]")))
    assert statuses(one, "in bounds: load of y") == {"refuted"}
    good = report(
        tmp_path, kernel(BLOCK + load.replace("i + n", "i"), ("x is f32[n]", "y is f32[n]"))
    )
    assert statuses(good) == {"proved"}


def test_an_address_of_a_table_is_one(tmp_path: Path) -> None:
    for table, status in (("i64[n]", "unknown"), ("i32[n]", "proved")):
        lines = (f"x is {table}", "y is f32[n]")
        text = kernel("v = tl.load(x)\nfoo(v)\ntl.load(y)", lines, grid="(1,)")
        assert statuses(report(tmp_path, text)) - {"proved"} == {status} - {"proved"}


JAGGED = """
p = tl.program_id(0)
b = tl.load(off + p)
e = tl.load(off + p + 1)
i = tl.arange(0, BLOCK)
tl.load(x + b * s + i * s, mask={mask})
"""
MASKS = {
    "a difference": ("i < e - b", True),
    "a difference that has a name": ("i < d", True),
    "the other way round": ("e - b > i", True),
    "a sum": ("i + b < e", True),
    "with another condition": ("(i >= 0) & (i < e - b)", True),
    "no mask": ("i >= 0", False),
    "the wrong way": ("i < b - e + S", False),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", MASKS)
def test_a_mask_of_64_bits_counts(tmp_path: Path, name: str) -> None:
    mask, proved = MASKS[name]
    lines = ("off is i64[G+1] below S+1", "x is f32[S,H] strides(s,1)")
    body = JAGGED.format(mask=mask)
    if mask.endswith("d"):
        body = body.replace("i = tl", "d = e - b\ni = tl")
    parameters = "x, off, s, G, S, H, BLOCK: tl.constexpr"
    text = kernel(body, lines, "s >= H, S*s < 2**31", parameters, "(G,)")
    assert (statuses(report(tmp_path, text)) == {"proved"}) == proved


def test_a_condition_of_what_was_loaded_is_no_reason_for_a_race(tmp_path: Path) -> None:
    body = "v = tl.load(x)\nif pid >= v:\n    return\n"
    lines = ("x is i32[1]", "y is f32[n] written at most once")
    text = kernel(BLOCK + body + STORE, lines)
    assert statuses(report(tmp_path, text)) == {"proved"}


# -- claims that rest on others --------------------------------------------------------------------

WRAPPING = {  # an index of an array of eight by a number without a sign, and what holds of it
    "a wrap that stays in the array": ("(u - 1) % 8", True),
    "a wrap in a condition": ("u - 2 < 2u ? u - 2 : 0", True),
    "a difference of wraps": ("(u - 3) - (u - 5)", True),
    "a wrap to 0": ("((u - 1) + 1) % 8", True),
    "an index behind the array": ("u % 9", False),
    "behind the array where nothing wraps": ("(u + 1) % 9", False),
}


@pytest.mark.parametrize("name", WRAPPING)
def test_a_refutation_that_rests_on_a_wrap_is_unknown(tmp_path: Path, name: str) -> None:
    index, holds = WRAPPING[name]
    text = (
        "// symlayout: kernel grid (1,) block (1,)\n//   y is f32[8]\n//   where u >= 0\n"
        f"__global__ void k(float* y, unsigned u) {{\n  y[{index}] = 1;\n}}\n"
    )
    (r,) = [r for r in report(tmp_path, text, ".cu").results if "in bounds" in r.task.name]
    assert (r.outcome.status == "refuted") == (not holds), r.outcome
    assert (r.outcome.counterexample is None) == holds, r.outcome


def test_a_refutation_at_sizes_that_overflow_is_unknown(tmp_path: Path) -> None:
    text = kernel("tl.load(y + (n * 65536) // 65536)", ("y is f32[32768]",), grid="(1,)")
    one = report(tmp_path, text)
    (r,) = [r for r in one.results if "in bounds" in r.task.name]
    assert "rests on 'no overflow: load of y" in r.outcome.reason
    assert statuses(one, "no overflow") == {"refuted"}
    below = report(tmp_path, kernel("tl.load(y + n // 32)", ("y is f32[32768]",), grid="(1,)"))
    assert statuses(below, "in bounds") == {"refuted"}


# -- shared memory, many stores --------------------------------------------------------------------

SHARED = {  # a body after `s[t] = x[t]`, and what the claims about races are
    "no barrier": ("out[t] = s[63 - t];", {"proved", "refuted"}),
    "a barrier": ("__syncthreads();\n  out[t] = s[63 - t];", {"proved"}),
    "its own place": ("out[t] = s[t];", {"proved"}),
    "threads of one warp": ("out[t] = s[t ^ 1];", {"proved", "unknown"}),
    "a barrier in a branch": (
        "if (n > 3) __syncthreads();\n  out[t] = s[63 - t];",
        {"proved", "refuted"},
    ),
    "the next turn": (
        "for (int k = 0; k < n; k++) {\n    s[t] = k;\n    __syncthreads();\n"
        "    out[t] = s[63 - t];\n  }",
        {"proved", "unknown"},
    ),
    "two barriers in each turn": (
        "for (int k = 0; k < n; k++) {\n    s[t] = k;\n    __syncthreads();\n"
        "    out[t] = s[63 - t];\n    __syncthreads();\n  }",
        {"proved"},
    ),
    "a load before the store": ("float v = s[63 - t];\n  s[t] = v;", {"proved", "refuted"}),
    "a place that was loaded": ("atomicAdd(&s[at[t]], 1);\n  out[t] = s[t];", {"unknown"}),
}


@pytest.mark.parametrize("name", SHARED)
def test_what_is_read_of_shared_memory_has_a_claim(tmp_path: Path, name: str) -> None:
    body, expected = SHARED[name]
    text = (
        "// symlayout: kernel grid (1,) block (64,)\n//   x is f32[64]\n//   out is f32[64]\n"
        "//   at is i32[64] below 64\n//   where n >= 1, n <= 100\n"
        "__global__ void k(const float* x, float* out, const int* at, int n) {\n"
        f"  __shared__ float s[64];\n  int t = threadIdx.x;\n  s[t] = x[t];\n  {body}\n}}\n"
    )
    one = report(tmp_path, text, ".cu")
    assert statuses(one, " of s ") - {"proved"} <= expected
    assert (statuses(one) == {"proved"}) == (expected == {"proved"})


COUNT = 120
UNROLLED = {  # the place of a store by its number, a layout, and whether all is proved
    "a row": (lambda k: f"i*{COUNT} + {k}", f"f32[n,{COUNT}] written once", True),
    "a column": (lambda k: f"i + n*{k}", f"f32[{COUNT},n] written once", True),
    "a tile": (
        lambda k: f"i*{COUNT} + {k // 12}*12 + {k % 12}",
        f"f32[n,{COUNT}] written once",
        True,
    ),
    "steps of 2": (lambda k: f"i*{2 * COUNT} + {2 * k}", f"f32[n,{2 * COUNT}]", True),
    "one twice": (lambda k: f"i*{COUNT} + {max(k, 1)}", f"f32[n,{COUNT}]", True),  # one program
    "the next row": (lambda k: f"i*{COUNT} + {k + 1}", f"f32[n+1,{COUNT}] written once", False),
    "places without order": (lambda k: f"i*99999 + {k * k * k % 9973}", "f32[n,99999]", False),
}


@pytest.mark.explore
@pytest.mark.parametrize("name", UNROLLED)
def test_many_stores_are_one_claim(tmp_path: Path, name: str) -> None:
    place, layout, proved = UNROLLED[name]
    stores = "\n".join(f"tl.store(y + {place(k)}, 1.0, mask=m)" for k in range(COUNT))
    text = kernel(BLOCK + stores, (f"y is {layout}",), "n <= 10000", "y, n, B: tl.constexpr")
    one = report(tmp_path, text)
    # the first store, whose place has no number, may be kept apart from the others
    assert statuses(one) <= ({"proved", "unknown"} if proved else {"proved", "unknown", "refuted"})
    assert len(one.results) < 4 * COUNT
