"""Properties of internal modules; `tests/test_prove_laws.py` tests the public interface."""

from __future__ import annotations

import random
import re

from plain_judge import assignments
from test_prove_laws import ask, claims, renamed

from symlayout import IndexMap, LayoutError, parse, prove
from symlayout.expr.facts import Facts
from symlayout.expr.terms import symbol


def test_numbers_for_sizes_never_turn_a_verdict():
    rng = random.Random(5)
    for word, args, where, verdict in claims(5):
        facts = Facts.read(where)
        names = sorted({*re.findall(r"\b[MNKstPSE]\b", " ".join(args))} | facts.names)
        points = list(zip(range(60), assignments(names, facts)))
        if not names or not points:
            continue
        _, sizes = rng.choice(points)
        if verdict.refuted:
            sizes = {n: verdict.counterexample.sizes.get(n, 1) for n in names}
        table = {n: str(v) for n, v in sizes.items()}
        if word in ("formula", "aligned") or 0 in sizes.values():
            continue  # which dimension a row runs along may change where a size is 1
        code = ""
        try:
            other = ask(word, [renamed(a, table) for a in args], [])
        except LayoutError as error:
            code, other = error.code, None
        assert code in ("", "SL102", "SL105", "SL107", "SL200"), (word, args, where, sizes)
        assert not (code and verdict.proved), (
            word,
            args,
            where,
            sizes,
        )  # numbers that are no sizes
        if other is not None:
            wrong = "refuted" if verdict.proved else "proved"
            assert other.status != wrong, (word, args, where, sizes)


# -- what goes in and what comes out ----------------------------------------------------------------


def test_a_text_a_layout_and_an_index_map_are_one_argument():
    text = "f32[M,N]{1,0:T(8,128)}"
    for given in (text, parse(text), parse(text).index_map()):
        assert prove.injective(given).proved
        assert prove.equal(given, text).proved
        assert prove.bytes(given, "4096*ceildiv(M,8)*ceildiv(N,128)").proved
    assert prove.equal(parse("(M,N):(N,1)"), IndexMap.row_major((symbol("M"), symbol("N")))).proved
