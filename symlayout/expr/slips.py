"""What people write by mistake in expressions and layouts, and what they should write instead."""

from __future__ import annotations

import re
from collections.abc import Callable

from symlayout.text.patterns import regex

Help = str | Callable[[re.Match[str]], str]


PROPERTY = regex(r"(?:T|PAD|D|L|E|S)\s*\(", re.ASCII)
MISSING = regex(r"expected ('[\])}]'|'\)') .*found the end of the text")


def _before(match: re.Match[str]) -> str:
    """The name that stands before a place, or N."""
    name = re.search(r"([A-Za-z_]\w{0,30})\s*\Z", match.string[: match.start()], re.ASCII)
    return name[1] if name else "N"


def _whole(match: re.Match[str]) -> str:
    """A number with an exponent, written out."""
    power = int(match[2])
    return f"write the number out: {int(match[1]) * 10**power}" if power <= 18 else "write it out"


def _bytes(match: re.Match[str]) -> str:
    """A size in units of bytes as a number: `234 KiB` as 234*1024."""
    number = re.search(r"(\d{1,18})\s*\Z", match.string[: match.start()])
    unit = (1024 if match[2] else 1000) ** ("KMGT".index(match[1]) + 1)
    return f"write a number of bytes: {number[1] if number else 4}*{unit}"


def _open_bracket(text: str) -> str:
    """The bracket that closes the innermost one that is open at the end of a text.

    >>> _open_bracket("(M,N):(N,1"), _open_bracket("f32[M]")
    (')', '')
    """
    closing: list[str] = []
    for c in text:
        if c in "([{":
            closing.append(")]}"["([{".index(c)])
        elif closing and c == closing[-1]:
            closing.pop()
    return closing[-1] if closing else ""


# what stands where the reader stopped; the first that matches is meant
HERE: tuple[tuple[re.Pattern[str], Help], ...] = tuple(
    (regex(pattern, re.ASCII), help)
    for pattern, help in (
        ("[\u00d7\u2715\u2716]", "write a comma between sizes, * for a product"),
        ("[\u00b7\u22c5\u2217]", "write * for a product"),
        ("[\u2212\u2010-\u2015]", "write - for minus"),
        ("\u2265", "write >="),
        ("\u2264", "write <="),
        ("\u2260", "write !="),
        (
            "[\u00f7\u230a\u2308]",
            "write a//b for a quotient rounded down, ceildiv(a, b) rounded up",
        ),
        ("[\u2018-\u201f]", "write plain quotes: ' or \""),
        ("[\u00b2\u00b3]", "write x**2 or x**3"),
        (r"(\d{1,18})[eE]\+?(\d{1,3})(?!\w)", _whole),
        (
            r"(\d{1,18}(?:_\d{1,18})+)(?!\w)",
            lambda m: f"write it without _: {m[1].replace('_', '')}",
        ),
        (
            r"(?!0x)(\d{1,18})x([A-Z0-9]\w{0,30})(?!\w)",
            lambda m: f"write a comma between sizes: {m[1]},{m[2]}",
        ),
        (r"\d{1,18}[BKMG]i?B?(?!\w)", "a number of bytes, such as 4096, or a product, such as 4*N"),
        (
            r"(?!0[xX])(\d{1,18})([A-Za-z_]\w{0,30})(?!\w)",
            lambda m: f"write {m[1]}*{m[2]} for a product",
        ),
        (r"[xX]\s+\w", "write a comma between sizes"),
        (
            r"(?:static|reinterpret|const)_cast\b"
            r"|(?:(?:un)?signed|long|short|char|s?size_t|ptrdiff_t|u?int(?:8|16|32|64)?(?:_t)?)"
            r"(?:\s+\w+)*\s*\)",
            "a cast is written int64(x)",
        ),
        (r"\.\.", "write out what the dots stand for"),
        (r"\.\d", "sizes and coordinates are whole numbers"),
        (r";", "leave out the ';'"),
        (
            r"(?:is\s+)?(?:a\s+)?(?:multiple|multiples|divisible)\s+(?:of|by)\s+(\w{1,30})",
            lambda m: f"write {_before(m)} % {m[1]} == 0",
        ),
        (r"(?:multiple|multiples|divisible)\b", "write N % 4 == 0"),
        (r"(?:divides)\b", "write N % 4 == 0"),
        (r"=>", "write >="),
        (r"=<", "write <="),
        (r"=(?!=)", "write == for equality"),
        (r"(?<=<)>", "write !="),
        (r"is\s+even\b", "write M % 2 == 0"),
        (r"is\s+odd\b", "write M % 2 == 1"),
        (r"mod\b", "write % for the remainder: M % 8"),
        (r"div\b", "write // for the quotient: M // 8"),
        (
            r"\|\||or\b",
            "`or` joins facts of a claim, as N == 4 or N % 8 == 0; else claim each side by itself",
        ),
        (r"in\b", "the values of a size stand in braces, in the facts of a claim: N in {4, 8}"),
        (r"\|", "there is no |x|: write max(x, -x)"),
        (r"(?<!\w)\[\s*[\d\w*+-]+\s*,", "write the numbers without brackets: 1,2"),
        (
            r"(?:ROOT\s+)?%[\w.-]{1,200}\s*=",
            "give the shape alone; `prove instruction` takes a whole instruction",
        ),
        (r"\{[A-Za-z_][\w.-]*\}", "no `for` of the claim gives that name a value"),
        (r"\*\s*[,\]]|_\s*[,\]]", "give a size that is not known a name: f32[M,N]"),
        (
            r"(?:row|col(?:umn)?)[-_ ]?major",
            "row-major is f32[M,N]{1,0}, column-major f32[M,N]{0,1}",
        ),
        (r":\s*T\(", "tiles stand inside of the braces: f32[M,N]{1,0:T(8,128)}"),
        (r"\?", "give an unknown size or stride a name, such as S"),
    )
)
# between two sizes
BETWEEN: tuple[tuple[re.Pattern[str], Help], ...] = (
    (regex(r"[A-Za-z0-9_(]", re.ASCII), "write a comma between sizes"),
)
# behind a whole shape
AFTER: tuple[tuple[re.Pattern[str], Help], ...] = (
    (regex(r"\[", re.ASCII), "all sizes stand in one pair of brackets: f32[M,N]"),
    (regex(r"[-+*/]", re.ASCII), "an operation is written add(f32[M,N], f32[M,N])"),
)
# behind a whole fact
FACTS: tuple[tuple[re.Pattern[str], Help], ...] = (
    (regex(r",", re.ASCII), "one fact each: --where 'N > 1' --where 'M > 1'"),
)
# behind a whole expression
BEHIND: tuple[tuple[re.Pattern[str], Help], ...] = tuple(
    (regex(pattern, re.ASCII), help)
    for pattern, help in (
        (r"\[", "give the index alone, without the array: i*N + j of A[i*N + j]"),
        (r"==|!=|<=|>=|<|>", "a comparison is for `prove holds`, or a fact behind --where"),
        (r"([KMGT])(i?)B\b", _bytes),
        (r"\w", "write * for a product, a comma between numbers"),
    )
)


def _atom_of_swizzle(match: re.Match[str]) -> str:
    """CUTLASS's layout of an operand in shared memory, as it prints it."""
    bits = {"half": 16, "bfloat16": 16, "tfloat32": 32, "float": 32, "int8": 8, "uint8": 8}
    number, width = ATOM_BITS[match[2]], bits.get(match[3] or "", 16)
    row = (16 << number) * 8 // width
    layout = f"(8,{row}):({row},1)" if match[1] == "K" else f"({row},8):(1,{row})"
    return f"write Sw<{number},4,3> o smem_ptr[{width}b](unset) o {layout}"


ATOM_BITS = {"INTER": 0, "SW32": 1, "SW64": 2, "SW128": 3}  # the bits that are swizzled
SCOPE = regex(r"\s*+(?:(?>\w++\s*+::\s*+))++", re.ASCII)
# what stands in place of a whole layout
OF_CUTE: tuple[tuple[re.Pattern[str], Help], ...] = (
    (
        regex(
            r"Layout_(K|MN)_(INTER|SW32|SW64|SW128)_Atom(?:\s*<\s*(?:\w+\s*::\s*)?"
            r"([a-z0-9]+?)(?:_t)?\s*>)?",
            re.ASCII,
        ),
        _atom_of_swizzle,
    ),
    (
        regex(r"((?:SM\d{2,3}|MMA|MFMA|WMMA|GFX\d+)_\w{1,60})\s*\Z", re.ASCII),
        lambda m: f"the layout of an operand of an instruction is written: atom {m[1]} A",
    ),
)


def slip(text: str, at: int, message: str) -> str | None:
    """What to write instead of what stands at a place, where that is known.

    >>> slip("f32[1e3]", 4, "expected a number"), slip("2i + j", 0, "expected a number")
    ('write the number out: 1000', 'write 2*i for a product')
    """
    rows = HERE
    if message.startswith(("nothing may follow the expression", "a fact compares two sides")):
        rows += BEHIND
    if message.startswith("nothing may follow the fact"):
        rows += FACTS
    if message.startswith("expected ']' to close the sizes"):
        rows += BETWEEN
    if message.startswith("nothing may follow the shape"):
        rows += AFTER
    if rows != HERE and re.search(r"\bnot\s*\Z", text[:at]):
        return "there is no `not`: write the opposite comparison, >= for <"
    for pattern, help in rows:
        match = pattern.match(text, at)
        if match is not None:
            return help if isinstance(help, str) else help(match)
    if message.startswith("nothing may follow the layout, found ','"):
        return "several sizes, or strides, stand in parentheses: (M,N):(N,1)"
    if message.startswith("expected ',' between the modes, found ':'"):
        if text.count("(") > text.count(")"):
            return "the parentheses do not match: add the missing ')' before ':'"
        return "no parentheses stand around a whole layout: (M,N):(N,1)"
    missing = MISSING.match(message)
    if missing is not None:
        return f"add the missing {missing[1]}"
    if message.endswith("found the end of the text") and _open_bracket(text):
        return f"add the missing '{_open_bracket(text)}'"
    if message.startswith("expected '{' after layout") and "::" in text[max(0, at - 1) : at + 2]:
        return "a layout of C++ is written RowMajor(M,N), zN(f16,M,N) or f32[M,N]"
    if message.startswith("expected a whole number") and PROPERTY.match(text, at):
        return "a colon stands before the properties: f32[M,N]{1,0:T(8,128)}"
    if message.startswith("a fact compares two sides") and not text[at:].strip():
        return _lone(text)
    scope = SCOPE.match(text)
    if message.endswith("is not an element type") or (scope and scope.start() <= at <= scope.end()):
        for pattern, help in OF_CUTE:
            match = pattern.match(text, scope.end() if scope else at)
            if match is not None:
                return help if isinstance(help, str) else help(match)
    if message.endswith("is not an element type") and not re.search(r"[\[({<:]", text):
        if re.search(r"[-+*/%]", text):
            return "an expression of your own is a map: map i < M, j < N: i*N + j"
        return "a layout is written f32[M,N]{1,0}, (M,N):(N,1) or zN(f16,R,C)"
    return None


def _lone(text: str) -> str:
    """What a fact without a comparison was meant to be."""
    if "%" in text and len(text) < 60:
        return f"write {text.strip()} == 0"
    return "a fact is a comparison such as 'S >= N': in a shell quote it, or > writes to a file"
