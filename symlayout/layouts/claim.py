"""A claim as a value: read once, at the door, and passed along from there.

Command lines, claims files, comments and modules make it; the cache, the prover, verdicts,
certificates and reports take it.  It stands here because modules claim things, and are read below
the prover.  Nothing heavy is imported: what a cache asks of a claim needs no SymPy.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symlayout.errors import LayoutError, did_you_mean
from symlayout.layouts.vocabulary import CLAIMS, claim_word
from symlayout.text.escape import shell
from symlayout.text.names import unused
from symlayout.text.once import cached_property
from symlayout.text.patterns import regex

COMMON = ("where", "certificate", "budget", "json", "no-hints", "symbol")  # options of every claim
# options of a command that a file has as keys
BESIDE = {
    "where": 'write where = ["N > 1"] in a file, or where N > 1 in a comment,',
    **{w: f"symlayout show LAYOUT --{w}, not" for w in ("banks", "tv", "svg", "html", "size")},
    "symbol": 'write symbols = ["B"] in a file, or where symbol B in a comment,',
}
NUMBER = regex(r"\d+([./]\d+)?")
UNQUOTED = regex(r"""["$`\\!]|[^\x20-\x7e]""")  # what double quotes do not keep
COMPARED = regex(r"[<>=]")
PLAINLY = regex(r"[^\s'\"\\]+")  # characters of a word that stand for themselves
PLAIN = regex(r"[\w.,+*/%-]+")
# a name before a bracket is a function, a type or a property: T(8,128), f32[M], ceildiv(N, 8)
SYMBOL = regex(r"\b[A-Za-z_]\w*\b(?!\s*[(\[])")
VARIABLE = regex(r"\b([A-Za-z_]\w*)\s*<(?![<=])")  # of a map's domain
DEFINED = regex(r"\b([A-Za-z_]\w*)\s*=(?!=)")
INTRODUCED = regex(r"symbol\s+([A-Za-z_]\w*)", re.A)
WORDS = frozenset(["map", "if", "in", "and", "or", "not", "else"])


@dataclass(frozen=True)
class Claim:
    """What is claimed: a claim word, its arguments in order, its options, and the facts.

    An argument is a text, at best a `Text` that is read once, or a value that Python was given.
    The facts are texts or relations.

    >>> claim = Claim.parse("bitcast 'f32[M,N]' 'f32[N,M]{0,1}' --perm=1,0 --where 'M > 1'")
    >>> print(claim)
    bitcast 'f32[M,N]' 'f32[N,M]{0,1}' --perm 1,0 --where 'M > 1'
    >>> claim == Claim.from_json(claim.to_json())
    True
    """

    word: str
    arguments: tuple[Any, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()
    facts: tuple[Any, ...] = ()

    @staticmethod
    def parse(text: str) -> Claim:
        """The claim that a text spells, facts behind `--where`.

        Raises `LayoutError` (SL502) with the place of the mistake.
        """
        return read_claim(split(text), text, facts=True)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The arguments as texts."""
        return tuple(_spelling(self.word, a) for a in self.arguments)

    @property
    def line(self) -> str:
        """The claim as a shell has it, without its facts."""
        return self.command(())

    def __str__(self) -> str:
        return self.command(self.facts)

    def at(self, sizes: Mapping[str, int]) -> str:
        """The claim at these sizes alone.

        >>> Claim("injective", ("(M):(S)",)).at({"M": 2, "S": 0})
        "injective '(M):(S)' --where 'M == 2 and S == 0'"
        """
        fact = " and ".join(f"{name} == {value}" for name, value in sizes.items())
        return self.command(self.facts if fact in map(str, self.facts) else (*self.facts, fact))

    def command(self, facts: Sequence[Any], *more: str) -> str:
        """The claim as a shell has it behind `symlayout prove`, with these facts and options."""
        flags = [part for name, argument in self.options for part in (f"--{name}", str(argument))]
        flags += [part for fact in facts for part in fact_words(str(fact))]
        if any(map(_option, self.texts)):
            return shell([self.word, *flags, *more, "--", *self.texts])
        return shell([self.word, *self.texts, *flags, *more])

    @property
    def quoted(self) -> str:
        """The claim as a verdict has it: without facts, texts in double quotes; a shell reads it.

        >>> Claim("tiles", ("zN(f16,R,C)", (16, 32)), (("at", "p,q"),)).quoted
        'tiles "zN(f16,R,C)" "16,32" --at p,q'
        """
        known = [(n, str(o)) for n, o in self.options if n in CLAIMS[self.word].options]
        flags = [f"--{n} {o if PLAIN.fullmatch(o) else _quotation(o)}" for n, o in known]
        if any(map(_option, self.texts)):
            return " ".join([self.word, *flags, "--", *map(_quotation, self.texts)])
        return " ".join([self.word, *map(_quotation, self.texts), *flags])

    @cached_property
    def key(self) -> str:
        """A digest of all that is claimed."""
        options = sorted((n, str(o)) for n, o in self.options)
        content = [self.word, self.texts, options, list(map(str, self.facts))]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """The claim's keys in the JSON of a report."""
        return {
            "claim": self.word,
            "arguments": list(self.texts),
            "options": {n: str(o) for n, o in self.options},
            "where": list(map(str, self.facts)),
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Claim:
        """The inverse of `to_json`; other keys do not count."""
        arguments, options = tuple(data["arguments"]), tuple(data["options"].items())
        return Claim(data["claim"], arguments, options, tuple(data["where"]))

    def __reduce__(self) -> tuple[Any, ...]:
        """To another process goes text: it is shorter than what was read of it."""
        return Claim.from_json, (self.to_json(),)


def fact_words(fact: str) -> tuple[str, str]:
    """A fact as two words of a command line.

    >>> fact_words("N > 1"), fact_words("symbol B")
    (('--where', 'N > 1'), ('--symbol', 'B'))
    """
    match = INTRODUCED.fullmatch(fact)
    return ("--symbol", match[1]) if match else ("--where", fact)


def _spelling(word: str, argument: Any) -> str:
    """The text of a layout, of sizes, or what stands for a map that has none."""
    if isinstance(argument, tuple):
        entry = ",".join(map(str, argument))
        return f"[{entry}]" if word == "broadcast" else entry
    text = None if isinstance(argument, str) else getattr(argument, "text", None)
    if text != "":
        return str(text or argument)
    from symlayout.layouts.maps.function import function_of

    return str(function_of(argument))


def _option(text: str) -> bool:
    """Whether a command line would take an argument for an option."""
    return text.startswith("--") or text == "-h"


def _quotation(text: str) -> str:
    """In double quotes, unless it is a number (or a shell would read something in them)."""
    if NUMBER.fullmatch(text):
        return text
    return shell([text]) if UNQUOTED.search(text) else f'"{text}"'


def names_in(*texts: str) -> frozenset[str]:
    """The names in texts that may be symbols.

    >>> sorted(names_in("bf16[M,N]{1,0:T(8,128)}", "K == 2*N"))
    ['K', 'M', 'N']
    """
    return frozenset(n for text in texts for n in SYMBOL.findall(text))


def sizes_in(text: str) -> frozenset[str]:
    """The names in a layout that may be sizes: not the variables and definitions of a map.

    >>> sorted(sizes_in("map i < M, 0 <= j < N if j < i: q = i*M; q + j in M*N"))
    ['M', 'N']
    """
    if not text.lstrip().startswith("map "):
        return names_in(text)
    head, _, body = text.partition(":")
    own = {*VARIABLE.findall(head.partition(" if ")[0]), *DEFINED.findall(body)}
    return names_in(text) - own - WORDS


def with_names(word: str, texts: tuple[str, ...], names: Mapping[str, str]) -> tuple[str, ...]:
    """The texts of a claim, in which these names are mentioned as well, each as it is written.

    >>> with_names("bounded", ("map i < 3: i in n",), {"m": "m"})
    ('map i < 3: also_m = m; i in n',)
    """
    if not names:
        return texts
    first, *rest = texts
    if word == "holds":
        return (" and ".join([first, *[f"{n} == {n}" for n in names]]), *rest)
    head, _, body = first.partition(": ")
    lets = "".join(f"{own} = {text}; " for own, text in definitions(texts, names).values())
    return (f"{head}: {lets}{body}", *rest)


def definitions(texts: tuple[str, ...], names: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """For each name a definition that mentions it: what is defined, and the name as it is written.

    >>> definitions(("map i < 3: i in n",), {"m": "int64(m)"})
    {'m': ('also_m', 'int64(m)')}
    """
    every = {*names_in(*texts), *names}
    lets = dict[str, tuple[str, str]]()
    for n, written in names.items():
        own = unused(f"also_{n}", every)
        every.add(own)
        lets[n] = own, written
    return lets


class Word(str):
    """One word of a line, its characters [at, end) there, and whether any of it was quoted."""

    at: int
    end: int
    quoted: bool

    def __new__(cls, text: str, at: int = 0, end: int = 0, quoted: bool = False) -> Word:
        """The text, with its place."""
        result = super().__new__(cls, text)
        result.at, result.end, result.quoted = at, end, quoted
        return result


def split(line: str) -> tuple[Word, ...]:
    """The words of a line: blanks separate, single or double quotes and a backslash keep.

    >>> split("equal hbm 'f32[M, N]{1,0}' --perm 1,0")
    ('equal', 'hbm', 'f32[M, N]{1,0}', '--perm', '1,0')

    Raises `LayoutError` (SL502) at a quote that is not closed.
    """
    words: list[Word] = []
    at = 0
    while at < len(line):
        if line[at].isspace():
            at += 1
            continue
        word = _word(line, at)
        words.append(word)
        at = word.end
    return tuple(words)


def _word(line: str, at: int) -> Word:
    start, text, quoted = at, [], False
    while at < len(line) and not line[at].isspace():
        c = line[at]
        if c in "'\"":
            close = line.find(c, at + 1)
            if close < 0:
                raise LayoutError("SL502", f"the quote {c} is never closed", text=line, at=at)
            text.append(line[at + 1 : close])
            quoted, at = True, close + 1
        elif c == "\\" and at + 1 < len(line):
            text.append(line[at + 1])
            quoted, at = True, at + 2
        else:
            run = PLAINLY.match(line, at)
            text.append(run[0] if run else c)
            at += len(text[-1])
    return Word("".join(text), start, at, quoted)


def read_claim(words: Sequence[Word], line: str, *, facts: bool = False) -> Claim:
    """The claim that the words spell, which it keeps; `line` is their text, for messages.

    >>> line = "bitcast hbm tile --perm=1,0"
    >>> read_claim(split(line), line)
    Claim(word='bitcast', arguments=('hbm', 'tile'), options=(('perm', '1,0'),), facts=())

    `facts`: whether `--where` and `--symbol` may stand there.  Raises `LayoutError` (SL502): an
    unknown word or option, a wrong number of arguments.
    """
    if not words:
        help = f"the claim words are {', '.join(CLAIMS)}"
        raise LayoutError("SL502", "the claim is empty", text=line, at=0, help=help)
    head, *rest = words
    try:
        row = claim_word(head)
    except LayoutError as error:
        inside = split(head) if " " in head else ()
        if len(inside) > 1 and inside[0] in CLAIMS:
            message = f"the claim word stands alone: {inside[0]} {shell(inside[1:])}"
            raise error_at(f"unknown claim {str(head)!r}", line, head, message) from None
        later = next((w for w in rest if w in CLAIMS), None)
        first = later and f"the claim word comes first: {CLAIMS[later].usage}"
        raise error_at(error.message, line, head, first or error.help) from None
    arguments: list[Word] = []
    options: dict[str, Word] = {}
    where: list[Word] = []
    while rest:
        word = rest.pop(0)
        if word == "--" and not word.quoted:
            arguments += rest
            break
        if not word.startswith("--") or line[word.at] != "-":  # quoted: an argument
            arguments.append(word)
            continue
        name, equals, text = word[2:].partition("=")
        fact = facts and name in ("where", "symbol")
        if name not in row.options and not fact:
            known = [*row.options, *[c for c in COMMON if c != name]]
            hint = did_you_mean(name, [*known])
            hint = hint and re.sub(r"'(\w)", r"'--\1", hint)
            hint = hint or f"usage: {row.usage}; of every claim: --{', --'.join(COMMON)}"
            if name in BESIDE:
                hint = f"{BESIDE[name]} beside the claim"
            raise error_at(f"{row.word!r} has no option --{name}", line, word, hint)
        if name in options:
            raise error_at(f"the option --{name} is given twice", line, word)
        if not equals and not rest:
            raise error_at(f"the option --{name} needs a value", line, word, f"usage: {row.usage}")
        at = word.at + len(name) + 3
        argument = Word(text, at, word.end, word.quoted) if equals else rest.pop(0)
        if fact:
            more = f"symbol {argument}" if name == "symbol" else argument
            where.append(Word(more, argument.at, argument.end))
        else:
            options[name] = argument
    _check_count(row.word, arguments, line, words[-1])
    return Claim(row.word, tuple(arguments), tuple(options.items()), tuple(where))


def _check_count(word: str, arguments: Sequence[Word], line: str, last: Word) -> None:
    row = CLAIMS[word]
    least, most = row.required, len(row.arguments)
    if least <= len(arguments) <= most:
        return
    target = f"{least}" if least == most else f"{least} to {most}"
    plural = "" if target == "1" else "s"
    mark = arguments[most] if len(arguments) > most else last
    text = f"{word!r} takes {target} argument{plural}, not {len(arguments)}"
    raise error_at(text, line, mark, _torn(word, arguments, most) or f"usage: {row.usage}")


def _torn(word: str, arguments: Sequence[str], most: int) -> str | None:
    """What helps where one argument has become several."""
    if len(arguments) > most and (layout := _spread_layout(arguments, most)):
        return f"write a layout with blanks as one argument, in quotes: '{layout[:60]}'"
    if len(arguments) > most and (text := _expression(word, arguments, most)):
        return f"write it as one argument, in quotes: '{text[:60]}'"
    if any(q in a for a in arguments for q in "\u2018\u2019\u201c\u201d"):
        return "write plain quotes around each layout: ' or \""
    opened = any(a.count(o) != a.count(c) for a in arguments for o, c in ("()", "[]", "{}"))
    spread = any(re.fullmatch(r".*\]\d+", a) for a in arguments)  # what a shell makes of {1,0}
    if len(arguments) > most and (opened or spread):
        return "quote each layout: a shell takes {1,0} and (8,128) apart"
    if len(arguments) > most and all(a.isdigit() for a in arguments[most - 1 :]):
        return f"write the numbers as one argument: {','.join(arguments[most - 1 :])}"
    if len(arguments) > most and all(a.isdigit() for a in arguments[most:]):
        return "write several numbers with commas, as one word: 1,0"
    more = arguments[most:]
    if more and (more[0] == "where" or COMPARED.search(" ".join(more))):
        fact = " ".join(m for m in more if m != "where")
        return f"a fact stands behind --where, in quotes: --where '{fact[:60]}'"
    if more and more[0].lower() in ("bytes", "bits", "b", "byte", "elements"):
        return f"write the number alone: {arguments[most - 1]}"
    return None


def _spread_layout(arguments: Sequence[str], most: int) -> str | None:
    """The layout that blanks took apart, if one begins: `map i < N: i` is several words."""
    from symlayout.layouts.notation import NOTATIONS

    begins = {row.example.partition(" ")[0] for row in NOTATIONS.values()}
    first = next((k for k, a in enumerate(arguments) if a.isalpha() and a in begins), None)
    if first is None:
        return None
    return " ".join(arguments[first:]) if first >= most - 1 else f"{arguments[first]} ..."


def _expression(word: str, arguments: Sequence[str], most: int) -> str | None:
    """The relation or the expression that blanks took apart, if it is that."""
    kind, rest = CLAIMS[word].arguments[-1], arguments[most:]
    if kind not in ("RELATION", "EXPR") or COMPARED.search(arguments[most - 1]):
        return None
    text = " ".join(arguments[most - 1 :])
    whole = all(not re.search(r"\s", a) for a in rest) and "where" not in rest
    whole = whole and bool(COMPARED.search(text)) == (kind == "RELATION")
    joined = rest[0][:1] in "+-*/%<>=!&|^" or arguments[most - 1][-1:] in "+-*/%<>=!&|^"
    return text if whole and joined else None


def error_at(message: str, line: str, word: Word, help: str | None = None) -> LayoutError:
    """An error about a word of a claim's line."""
    return LayoutError("SL502", message, text=line, at=word.at, end=word.end, help=help)
