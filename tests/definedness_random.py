"""Random maps whose definitions cancel: what is undefined in them leaves no trace in their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Pick = Callable[[Sequence[Any]], Any]
WORDS = ("bounded", "injective", "onto", "bijective", "valid", "equal", "disjoint", "inverse")
# what has no value at some places, of an operand
PARTIAL = (
    "(5 // {})",
    "(7 % {})",
    "ceildiv(3, {})",
    "truncdiv(5, {})",
    "truncmod(-7, {})",
    "(1 << {})",
    "(6 >> {})",
    "2**{}",
    "(9 // (3 // {}))",
    "(4 // ({} - 1))",
    "(8 % ({} * {}))",
    "(5 // ({} * {} + 1))",
    "(6 >> ({} & 3))",
    "(9 % (abs({}) + 2))",
)
# what leaves nothing of an operand, with a definition that is 0 (zero), 1 (one) or the operand's (same)
VANISHING = (
    "{p} * {zero}",
    "{zero} * {p}",
    "{p} % {one}",
    "{p} - {p}",
    "{p} - {same}",
    "({p} & {zero})",
    "({p} ^ {same})",
    "(({p} | -1) + 1)",
    "min({p} * {zero}, 0)",
    "max({p}, {same}) - max({same}, {p})",
    "({p} * 3 + {zero}) % {one}",
    "({p} if {c} else 0) * {zero}",
    "(0 if {c} else {p}) * {zero}",
    "(({p} if {c} else 1) - ({same} if {c} else 1))",
    "(0 if {zero} < {one} else {p})",
    "({p} if {zero} < {one} else 0) * {zero}",
    "(1 if {p} * {zero} < {one} else 2) - {one}",
    "({p})**0 - {one}",
    "5 // ({p} * {zero} + {one}) - 5",
    "({p} << {zero}) - {same}",
)
CONDITIONS = (
    "x > 0",
    "x != 1",
    "x < {one}",
    "not (x == {zero})",
    "x > {zero} and 5 // x < 9",
    "x <= {zero} or 7 % x < 9",
    "x == 0 or x > 2",
    "K > 0",
    "K > 1 and x > 0",
    "x + K > {one}",
    "0 < x <= K",
)
OF_SIZES = ("K > 0", "K != 1", "K > 1 and 5 // K < 9", "K == 0 or 7 % K < 9", "not (K < 2)")
GUARDS = (
    "",
    "",
    "",
    " if x > 0",
    " if x != 1",
    " if x > 0 and 5 // x > 0",
    " if K > 0",
    " if x >= 1",
)
DOMAINS = ("x < 3", "-1 <= x < 2", "1 <= x < 3", "0 <= x < 1 + K", "K <= x < K + 2", "x < K")
OPERANDS = ("x", "x", "x", "K", "(x - 1)", "(x + K)", "(K - x)", "x*K", "-x", "same")
# a word, a layout and more arguments: true wherever what stands for ? is 0
LAYOUTS = (
    ("holds", "? == 0", ()),
    ("holds", "offset((3,4):(0,1), ?, 2) == 2", ()),
    ("holds", "size((3,1 + ?)) == 3", ()),
    ("injective", "strided f32[3 + ?] strides(1)", ()),
    ("injective", "strided f32[1,3] strides(?,1)", ()),
    ("bounded", "strided f32[3] strides(1) offset ?", ()),
    ("bijective", "(3,1 + ?):(1,3)", ()),
    ("bounded", "f32[3]", ("3 + ?",)),
    ("bytes", "f32[3]", ("12 + ?",)),
    ("formula", "f32[3]{0}", ("i + ?",)),
    ("injective", "f32[3,1 + ?]{1,0:T(2,2)}", ()),
    ("bounded", "map y < 3 + ?: y in 3", ()),
    ("bounded", "map ? <= y < 3: y in 3 + ?", ()),
    ("tiles", "f32[4]{0}", ("(2 + ?)",)),
)


class Drawn:
    """A map's text, of parts that are picked; without coordinates, of what sizes alone come to."""

    def __init__(
        self, pick: Pick, operands: Sequence[str] = OPERANDS, coordinates: bool = True
    ) -> None:
        self.pick, self.operands = pick, operands
        self.conditions = CONDITIONS if coordinates else OF_SIZES
        self.domain, self.guard = pick(DOMAINS), pick(GUARDS)
        self.lets: list[str] = []
        self.names = {"zero": "0", "one": "1"}
        for word in ("zero", "one"):
            if coordinates and pick((True, True, False)):
                self.names[word] = self.define(
                    {"zero": ("0", "x - x", "K - K"), "one": ("1", "0 + 1")}[word]
                )

    def define(self, texts: Sequence[str]) -> str:
        """A name for one of the texts."""
        name = f"t{len(self.lets)}"
        self.lets.append(f"{name} = {self.pick(texts)}")
        return name

    def vanishing(self) -> str:
        """An expression that is 0 wherever it has a value."""
        pick = self.pick
        operand = pick(self.operands)
        if operand == "same":
            operand = self.define(("x", "K", "x - 1", "x + K - K"))
        p = pick(PARTIAL).replace("{}", operand)
        named = self.conditions is CONDITIONS
        same = self.define((p,)) if named and pick((True, False)) else p
        p = self.define((p,)) if named and pick((False, False, True)) else p
        parts = {**self.names, "p": p, "same": same}
        parts["c"] = pick(self.conditions).format(**parts)
        return str(pick(VANISHING).format(**parts))

    def text(self, results: Sequence[str], box: str = "") -> str:
        """The map with those results, to which something vanishing is added, or defined beside them."""
        rows = list(results)
        for _ in range(self.pick((1, 1, 2))):
            e = self.vanishing()
            if self.pick((True, False)):
                e = self.define((e,))
            where = self.pick(("unused", "result", "result"))
            if where == "result":
                k = self.pick(range(len(rows)))
                rows[k] = f"{rows[k]} + {e}"
            elif e[0] != "t":
                self.define((e,))
        lets = "".join(f"{t}; " for t in self.lets)
        row = rows[0] if len(rows) == 1 else f"({', '.join(rows)})"
        return f"map {self.domain}{self.guard}: {lets}{row}{box and ' in ' + box}"


def drawn_claim(pick: Pick) -> tuple[str, list[str]]:
    """A word, and the texts of its maps."""
    word = pick(WORDS)
    drawn = Drawn(pick)
    results, box = pick(
        ((["0"], "1"), (["x"], "3"), (["x", "0"], "(3, 1)"), (["x + 1"], "K + 3"), (["2"], "3"))
    )
    text = drawn.text(results, box if word in WORDS[:5] or pick((True, False)) else "")
    if word not in WORDS[5:]:
        return word, [text]
    plain = results[0] if len(results) == 1 else f"({', '.join(results)})"
    other = f"map {drawn.domain}{drawn.guard}: {plain}"
    if word == "disjoint":
        other = "map y < 2: y - 5" if len(results) == 1 else "map y < 2: (y - 5, 0)"
    elif word == "inverse":
        text, other = Drawn(pick).text(["x"], ""), f"map {drawn.domain}: x"
    if pick((True, False)):
        other = Drawn(pick).text([plain]) if len(results) == 1 and word == "equal" else other
    texts = [text, other]
    return word, texts if pick((True, False)) else texts[::-1]
