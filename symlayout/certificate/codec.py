"""A certificate at the door: JSON becomes frozen values of exact types, or it is malformed; and back.

Nothing behind this module sees JSON.  Keys, types, names, arity and sizes are checked here once;
polynomials come through the one reader of expressions.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from symlayout.certificate.exact import Poly, Work, poly
from symlayout.certificate.proof import (
    LARGEST_MODULUS,
    LISTS,
    METHODS,
    Argument,
    Both,
    Coordinate,
    Defined,
    Drawn,
    Fact,
    Have,
    Held,
    Instance,
    Malformed,
    Plain,
    Proof,
    Reason,
    Remainders,
    Signed,
    Solve,
    Statement,
    Step,
    Texts,
    This,
    Use,
    laws,
)
from symlayout.errors import LayoutError
from symlayout.expr.reader import FUNCTIONS
from symlayout.layouts.vocabulary import CLAIMS

FORMAT, VERSION = "symlayout-certificate", 6
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,9999}")
LONGEST_TEXT = 100_000
MOST_STEPS = 20_000
MOST_ENTRIES = 1000  # of a list or a table
MOST_PARTS = 600
MOST_POINTS = 64
DEEPEST = 100  # reasons within reasons, and brackets of the JSON text at twice that
LARGEST = 10**30  # a number
NUMBERS = r"[\[({]?\s*(?:-?\d{1,4}(?:[\s,]+-?\d{1,4})*)?\s*[\])}]?"
OPTIONS = {  # of each claim word: the form of its options
    "bitcast": {"perm": NUMBERS},
    "formula": {"coords": r"\s*[A-Za-z_]\w*(?:[\s,]+[A-Za-z_]\w*)*\s*", "language": "python|c"},
    "broadcast": {
        "dims": NUMBERS,
        "dialect": "xla|numpy|stablehlo|hlo",
        "rank_promotion": "allow|warn|raise",
    },
    "tiles": {"at": r".+"},
    "aligned": {"dim": r"-?\d{1,4}"},
    "fits": {
        "formula": r".+",  # of a layout: the values on its way are those that fit
        "types": r"[A-Za-z_]\w*=\w+(?:,[A-Za-z_]\w*=\w+)*",
        "wraps": "ok",
    },
}
ARGUMENTS = {  # what the second one of a claim word looks like, where it is no expression
    "padding": r"\d{1,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,2})?|\d{1,30}/\d{1,30}",
    "fits": r"\d{1,4}",
}


# -- leaves ---------------------------------------------------------------------------------------


def excerpt(data: Any) -> str:
    """A value in a message: short, in ASCII, without control characters."""
    kind = type(data)
    if kind in (dict, list):
        return f"a {'table' if kind is dict else 'list'} of {len(data)}"
    if kind is int and abs(data) > LARGEST:
        return "a number beyond all limits"
    return ascii(data)[:60] if kind in (str, int, float, bool, type(None)) else kind.__name__


def table(data: Any, at: str, required: Sequence[str], more: Sequence[str] = ()) -> dict[str, Any]:
    """A table with these keys and no others."""
    if type(data) is not dict:
        raise Malformed(f"{at}: {excerpt(data)} where a table is wanted")
    for key in required:
        if key not in data:
            raise Malformed(f"{at}: there is no {key!r}")
    for key in data:
        if type(key) is not str or key not in (*required, *more):
            raise Malformed(f"{at}: {excerpt(key)} is not a key here")
    return data


def entries(data: Any, at: str, most: int = MOST_ENTRIES) -> list[Any]:
    """A list that is not too long."""
    if type(data) is not list:
        raise Malformed(f"{at}: {excerpt(data)} where a list is wanted")
    if len(data) > most:
        raise Malformed(f"{at}: {len(data)} entries; the limit is {most}")
    return data


def text(data: Any, at: str, form: str = "") -> str:
    """Printable ASCII, of a form where one is given."""
    if type(data) is not str:
        raise Malformed(f"{at}: {excerpt(data)} where a text is wanted")
    if len(data) > LONGEST_TEXT:
        raise Malformed(f"{at}: {len(data)} characters; the limit is {LONGEST_TEXT}")
    if not (data.isascii() and data.isprintable()):
        raise Malformed(f"{at}: {excerpt(data)} holds what is not printable ASCII")
    if form and re.fullmatch(form, data) is None:
        raise Malformed(f"{at}: {excerpt(data)} is not of the form that is wanted")
    return data


def is_identifier(word: str) -> bool:
    """Whether it is one in ASCII, of a length that a text may have."""
    return NAME.fullmatch(word) is not None


def identifier(data: Any, at: str) -> str:
    """An ASCII identifier: sizes may have a function's name, which no bracket follows."""
    if type(data) is not str or not is_identifier(data):
        raise Malformed(f"{at}: {excerpt(data)} is not a name")
    return data


def name(data: Any, at: str) -> str:
    """An ASCII identifier that is not a function's."""
    word = identifier(data, at)
    if word in FUNCTIONS:
        raise Malformed(f"{at}: {excerpt(data)} is not a name")
    return word


def whole(data: Any, at: str, low: int = -LARGEST, high: int = LARGEST) -> int:
    """A number within limits; true and false are none."""
    if type(data) is not int or not low <= data <= high:
        raise Malformed(f"{at}: {excerpt(data)} is not a number that is allowed here")
    return data


def expression(data: Any, at: str, work: Work) -> Poly:
    """The polynomial of a text."""
    try:
        return poly(text(data, at), work)
    except LayoutError as error:
        raise Malformed(f"{at}: {error.message}") from None


# -- the parts of a certificate -------------------------------------------------------------------


def read_statement(claim: Any, facts: Any) -> Statement:
    """The whole claim, from the JSON of its text and of its facts."""
    t = table(claim, "claim", ("word", "arguments", "options"))
    word = text(t["word"], "claim/word")
    if word not in CLAIMS:
        raise Malformed(f"claim/word: {word!r} is not a claim")
    row, arguments = CLAIMS[word], entries(t["arguments"], "claim/arguments", 2)
    if not row.required <= len(arguments) <= len(row.arguments):
        raise Malformed(f"claim/arguments: {row.usage} does not take {len(arguments)}")
    results = tuple(_argument(word, k, a) for k, a in enumerate(arguments))
    options, forms = table(t["options"], "claim/options", (), tuple(OPTIONS.get(word, ()))), OPTIONS
    choices = [(k, text(v, f"claim/options/{k}", forms[word][k])) for k, v in options.items()]
    texts = [text(f, f"facts/{k}") for k, f in enumerate(entries(facts, "facts"))]
    return Statement(word, results, tuple(sorted(choices)), tuple(texts))


def _argument(word: str, k: int, data: Any) -> Argument:
    at = f"claim/arguments/{k}"
    if type(data) is list and word == "broadcast":
        return tuple(text(e, f"{at}/{n}") for n, e in enumerate(entries(data, at, 64)))
    if type(data) is dict and word not in ("broadcast", "holds", "instruction", "divides"):
        t = table(data, at, ("shape", "coords", "offset", "size", "bits"))
        shape, coords = (entries(t[key], f"{at}/{key}", 64) for key in ("shape", "coords"))
        names = tuple(name(c, f"{at}/coords") for c in coords)
        if len(set(names)) != len(names) or len(names) != len(shape):
            raise Malformed(f"{at}/coords: one name for each dimension")
        bits = None if t["bits"] is None else whole(t["bits"], f"{at}/bits", 1, 4096)
        offset, size = (text(t[key], f"{at}/{key}") for key in ("offset", "size"))
        return Drawn(tuple(text(d, f"{at}/shape") for d in shape), names, offset, size, bits)
    return text(data, at, ARGUMENTS.get(word, "") if k else "")


def read_reason(data: Any, at: str, work: Work, depth: int = 0) -> Reason:
    """Why something holds."""
    if type(data) is str and data in ("identity", "known", "plain", "smt"):
        return Plain(data)
    if depth > DEEPEST:
        raise Malformed(f"{at}: reasons are nested too deeply; the limit is {DEEPEST}")
    if type(data) is not list:
        raise Malformed(f"{at}: no reason is given: {excerpt(data)}")
    parts = entries(data, at, 8)
    if len(parts) == 2 and type(parts[0]) is str and parts[0] in ("positive", "negative"):
        return Signed(parts[0] == "positive", read_reason(parts[1], at, work, depth + 1))
    if len(parts) == 4 and parts[0] == "remainders":
        modulus, below = (
            whole(parts[1], at, 2, LARGEST_MODULUS),
            whole(parts[2], at, 0, LARGEST_MODULUS),
        )
        return Remainders(modulus, below, read_reason(parts[3], at, work, depth + 1))
    if len(parts) == 2 and not (type(parts[0]) is str and parts[0] in laws()):
        return Both(*[read_reason(p, at, work, depth + 1) for p in parts])
    if len(parts) < 2 or type(parts[0]) is not str or parts[0] not in laws():
        raise Malformed(f"{at}: no reason is given: {excerpt(data)}")
    word, law = parts[0], laws()[parts[0]]
    if [r.op for r in law.conclusions] != [">="] or len(parts) != 2 + len(law.premises):
        raise Malformed(f"{at}: the law {word} is no reason of this form")
    t = table(parts[1], f"{at}/{word}", (), law.variables)
    if len(t) < len(law.variables) - 1:
        raise Malformed(f"{at}/{word}: at most one variable may be left out")
    env = tuple((v, expression(p, f"{at}/{word}/{v}", work)) for v, p in t.items())
    return Instance(word, env, tuple(read_reason(p, at, work, depth + 1) for p in parts[2:]))


def read_goal(data: Any, at: str, work: Work) -> This:
    """Which relation of a goal holds and why, or "smt"."""
    if type(data) is str and data == "smt":
        return This(None, Plain("smt"))
    parts = data if type(data) is list else []
    if len(parts) != 3 or type(parts[0]) is not str or parts[0] != "this":
        raise Malformed(f"{at}: no reason is given: {excerpt(data)}")
    return This(whole(parts[1], at, 0, MOST_ENTRIES), read_reason(parts[2], at, work))


def read_step(data: Any, at: str, work: Work) -> Step:
    """One step of a part."""
    kind = data.get("step") if type(data) is dict else None
    match kind:
        case "fact":
            t = table(data, at, ("step", "fact"))
            return Fact(whole(t["fact"], at, 0, MOST_STEPS))
        case "defined":
            t = table(data, at, ("step", "fact"))
            return Defined(whole(t["fact"], at, 0, MOST_STEPS))
        case "coordinate":
            return Coordinate(name(table(data, at, ("step", "name"))["name"], at))
        case "have":
            t = table(data, at, ("step", "that", "why"))
            return Have(expression(t["that"], at, work), read_reason(t["why"], at, work))
        case "solve":
            t = table(data, at, ("step", "atom", "is", "why"))
            return Solve(
                identifier(t["atom"], at),
                expression(t["is"], at, work),
                read_reason(t["why"], at, work),
            )
        case "law":
            return _read_use(data, at, work)
        case _:
            raise Malformed(f"{at}: {excerpt(kind)} is not a step")


def _read_use(data: Any, at: str, work: Work) -> Use:
    t = table(data, at, ("step", "law", "with", "why"), ("new",))
    word = text(t["law"], at)
    if word not in laws():
        raise Malformed(f"{at}: {excerpt(word)} is not a law")
    law = laws()[word]
    env = table(t["with"], f"{at}/with", law.variables)
    new = table(t.get("new", {}), f"{at}/new", tuple(law.new))
    names = {v: name(n, f"{at}/new/{v}") for v, n in new.items()}
    if len(set(names.values())) != len(names):
        raise Malformed(f"{at}/new: {excerpt(sorted(names.values())[0])} is not a new name")
    whys = entries(t["why"], f"{at}/why", 8)
    if len(whys) != len(law.premises):
        raise Malformed(f"{at}/why: {word} has {len(law.premises)} premises, not {len(whys)}")
    values = {v: expression(p, f"{at}/with/{v}", work) for v, p in env.items()}
    reasons = tuple(read_reason(w, f"{at}/why/{k}", work) for k, w in enumerate(whys))
    return Use(word, values, names, reasons)


def read_texts(data: Any) -> Texts:
    """The expressions that a certificate supplies."""
    t = table(data, "texts", (), ("offset", "script", *LISTS))
    lists = {}
    for key in t.keys() - {"offset", "script"}:
        many = entries(t[key], f"texts/{key}", 64)
        lists[key] = tuple(text(e, f"texts/{key}/{k}") for k, e in enumerate(many))
    offset = name(t.get("offset", "offset"), "texts/offset")
    script = []
    for k, row in enumerate(entries(t.get("script", []), "texts/script")):
        move = entries(row, f"texts/script/{k}", 64)
        if not move:
            raise Malformed(f"texts/script/{k}: a move without a word")
        script.append(tuple(text(e, f"texts/script/{k}") for e in move))
    return Texts(offset, lists, tuple(script))


def _read_part(data: Any, at: str, work: Work) -> Held:
    t = table(data, at, ("steps", "goals"))
    steps = entries(t["steps"], f"{at}/steps", MOST_STEPS)
    goals = entries(t["goals"], f"{at}/goals")
    return Held(
        tuple(read_step(s, f"{at}: step {k}", work) for k, s in enumerate(steps)),
        tuple(read_goal(g, f"{at}: goal {k}", work) for k, g in enumerate(goals)),
    )


def _read_sizes(data: Any, at: str) -> dict[str, int]:
    """Sizes by name."""
    sizes = data if type(data) is dict else table(data, at, ())
    if len(sizes) > MOST_ENTRIES:
        raise Malformed(f"{at}: {len(sizes)} entries; the limit is {MOST_ENTRIES}")
    return {identifier(n, at): whole(v, at) for n, v in sizes.items()}


def read_proof(data: Any, work: Work) -> Proof:
    """A certificate's JSON as values; raises `Malformed` for what is none."""
    keys = ("format", "version", "claim", "facts", "sizes", "by", "hint", "texts", "parts", "seal")
    if type(data) is dict and "format" in data and "version" in data:
        form, version = data["format"], data["version"]
        typed = (type(form), type(version)) == (str, int)
        if not typed or (form, version) != (FORMAT, VERSION):
            raise Malformed(f"not a {FORMAT} of version {VERSION}")
    t = table(data, "certificate", keys, ("points",))
    claim = read_statement(t["claim"], t["facts"])
    by = text(t["by"], "by")
    if by not in (*METHODS.get(claim.word, ("definition",)), "cases", "sizes"):
        raise Malformed(f"by: {excerpt(by)} is not a proof of {claim.word!r}")
    hint = None if t["hint"] is None else text(t["hint"], "hint", r"\d{1,4}(?:,\d{1,4})*")
    if hint is not None and not by.startswith("order"):
        raise Malformed("hint: there is nothing to hint at")
    at = _read_sizes(t["sizes"], "sizes")
    points = entries(t.get("points", []), "points", MOST_POINTS)
    values = t["parts"] if type(t["parts"]) is dict else table(t["parts"], "parts", ())
    if len(values) > MOST_PARTS:
        raise Malformed(f"parts: {len(values)} entries; the limit is {MOST_PARTS}")
    parts = {text(n, "parts", r"[A-Za-z0-9, ]+"): _read_part(p, n, work) for n, p in values.items()}
    sealed = text(t["seal"], "seal", r"[0-9a-f]{64}")
    return Proof(
        claim,
        at,
        by,
        hint,
        read_texts(t["texts"]),
        parts,
        sealed,
        tuple(_read_sizes(p, f"points/{k}") for k, p in enumerate(points)),
    )


# -- and back -------------------------------------------------------------------------------------


def written_polynomial(p: Poly) -> str:
    """The text of a polynomial; raises `Malformed` where it is too long."""
    result = str(p)
    return result if len(result) <= LONGEST_TEXT else text(result, "polynomial")


def written_reason(why: Reason, depth: int = 0) -> Any:
    """The JSON of a reason; raises `Malformed` where it is nested too deeply."""
    if depth > DEEPEST:
        raise Malformed(f"reasons are nested too deeply; the limit is {DEEPEST}")
    match why:
        case Plain(word):
            return word
        case Both(least, most):
            return [written_reason(w, depth + 1) for w in (least, most)]
        case Signed(positive, inner):
            return ["positive" if positive else "negative", written_reason(inner, depth + 1)]
        case Remainders(modulus, below, inner):
            return ["remainders", modulus, below, written_reason(inner, depth + 1)]
        case Instance(law, arguments, whys):
            env = {v: written_polynomial(p) for v, p in arguments}
            return [law, env, *[written_reason(w, depth + 1) for w in whys]]


def written_goal(this: This) -> Any:
    """The JSON of which relation of a goal holds and why."""
    return "smt" if this.which is None else ["this", this.which, written_reason(this.why)]


def written_step(step: Step) -> dict[str, Any]:
    """The JSON of a step; raises `Malformed` for a name that is none."""
    match step:
        case Fact(number):
            return {"step": "fact", "fact": number}
        case Defined(number):
            return {"step": "defined", "fact": number}
        case Coordinate(x):
            return {"step": "coordinate", "name": name(x, "step")}
        case Have(that, why):
            return {"step": "have", "that": written_polynomial(that), "why": written_reason(why)}
        case Solve(x, p, why):
            row = {"step": "solve", "atom": identifier(x, "step"), "is": written_polynomial(p)}
            return {**row, "why": written_reason(why)}
        case Use(law, arguments, new, whys):
            env = {v: written_polynomial(p) for v, p in arguments.items()}
            names = {v: name(n, "step") for v, n in new.items()}
            reasons = [written_reason(w) for w in whys]
            return {"step": "law", "law": law, "with": env, "new": names, "why": reasons}


def written_part(values: Held) -> dict[str, Any]:
    """The JSON of a part; raises `Malformed` for more steps than are read."""
    entries(list(values.steps), "steps", MOST_STEPS)
    return {
        "steps": [written_step(s) for s in values.steps],
        "goals": [written_goal(g) for g in values.goals],
    }


def seal(certificate: Mapping[str, Any]) -> str:
    """A checksum of all that a certificate holds: whoever changes it by accident is told."""
    content = {k: v for k, v in certificate.items() if k != "seal"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
