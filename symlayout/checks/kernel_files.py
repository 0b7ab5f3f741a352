"""Kernels of a source file: the reader of its language, and what it finds."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from symlayout.checks.comments.places import C_SUFFIXES, LAUNCHED
from symlayout.checks.kernel_places import imported, included
from symlayout.checks.reading import Within
from symlayout.errors import LayoutError, did_you_mean
from symlayout.expr.choices import ALTERNATIVES
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Kernel
from symlayout.programs.kernels.launches.launch import Call, Fact, Launch, launch_of
from symlayout.programs.kernels.lookalikes import Lookalike, in_c, in_python
from symlayout.programs.kernels.scan.finding import Finding, Limits
from symlayout.text.endings import ends_in
from symlayout.text.limits import SOURCE_CHARACTERS
from symlayout.text.once import cached_property
from symlayout.text.patterns import regex

PYTHON = (".py",)
SUFFIXES = (*PYTHON, *LAUNCHED, ".h", ".hpp", ".cpp")
# without one of these words a file has nothing to scan
MARKS = {
    "python": ("jit",),
    "c": ("__global__", "<<<"),
    "metal": ("kernel",),
    "opencl": ("kernel",),
}

TUNED = 16  # cases of all parameters that are tuned, in which a claim is proved
LANGUAGES = {".py": "python", ".metal": "metal", ".cl": "opencl"}
CONVERSION = regex(r"def \w*\dx\d\w*_to_")


@contextmanager
def nesting_limit() -> Iterator[None]:
    """Code that is nested too deeply to be read is an error that says so: SL506."""
    try:
        yield
    except RecursionError:
        raise LayoutError("SL506", "code that is nested too deeply to be read") from None


class Reader:
    """The functions of a file, read when they are asked for.

    Raises `LayoutError`: SL601 and SL506 for a file that cannot be read, SL509 without the grammar.
    """

    file: str
    text: str

    def __init__(self, file: str, text: str, within: Within) -> None:
        self.file, self.text, self.within = file, text, within
        self.module: Any
        if ends_in(file, PYTHON):
            from symlayout.programs.kernels import triton as language
        else:
            from symlayout.programs.kernels import c as language  # type: ignore[no-redef]
        self.language: Any = language
        if ends_in(file, PYTHON):
            with nesting_limit():
                self.module = language.read_module(text, file, partial(imported, within))
        else:
            metal = ends_in(file, ".metal")
            with nesting_limit():
                self.module = self.language.read_module(
                    text, metal, file, partial(included, within)
                )

    @property
    def dialect(self) -> str:
        """The row of the table of launch limits that the file's kernels are launched under."""
        language = LANGUAGES.get(self.file[self.file.rfind(".") :].lower(), "c")
        if language != "c":
            return {"python": "triton"}.get(language, language)
        name: str = self.module.dialect.name
        hip = ends_in(self.file, (".hip",)) or "hip/hip_runtime" in self.text
        return "hip" if hip and name == "cuda" else name

    @property
    def has_threads(self) -> bool:
        """Whether a launch says how many threads a block has: not of Triton's kernels."""
        return not ends_in(self.file, PYTHON)

    def kernels(self) -> dict[str, ast.FunctionDef]:
        """The functions that are launched, of several that have one name the first."""
        table: dict[str, ast.FunctionDef] = self.module.kernels
        return table

    def launched(self) -> list[ast.FunctionDef]:
        """All functions that are launched: overloads, and one for each way of `#if`, too."""
        functions: list[ast.FunctionDef] = self.module.launched
        return functions

    def unread(self) -> list[tuple[int, str, str]]:
        """The kernels that are not read: their lines, their names where they are known, and why."""
        with nesting_limit():
            kernels: list[tuple[int, str, str]] = self.language.unread(self.module)
        return kernels

    def functions(self) -> list[ast.FunctionDef]:
        """The functions of the file that may have a contract as a decorator."""
        if not ends_in(self.file, PYTHON):
            return []
        return [f for f in self.module.definitions if isinstance(f, ast.FunctionDef)]

    def is_kernel(self, function: ast.FunctionDef) -> bool:
        """Whether a function of a Python file stands at its top, for Triton's compiler."""
        return any(f is function for f in self.module.compiled)

    def constants(self, function: ast.FunctionDef) -> dict[str, int]:
        """The numbers that the file gives names, where the function has no parameter of that name."""
        own = {x.arg for x in ast.walk(function.args) if isinstance(x, ast.arg)}
        return {n: v for n, v in self.numbers().items() if n not in own}

    def spellings(self, function: ast.FunctionDef) -> dict[str, str]:
        """The parameters that are called otherwise in claims, whose words their names are."""
        table: dict[int, dict[str, str]] = getattr(self.module, "spellings", {})
        return table.get(id(function), {})

    def numbers(self) -> dict[str, int]:
        """The numbers that the file gives names."""
        nodes = {n: getattr(v, "node", None) for n, v in self.module.values.items()}
        return {n: v.value for n, v in nodes.items() if v is not None and v.value is not None}

    def names(self) -> list[str]:
        """The names of kernels and of helpers, as far as they are known."""
        return [*dict.fromkeys([*self.kernels(), *getattr(self.module, "functions", ())])]

    def function(self, name: str) -> ast.FunctionDef:
        """A function by its name, a helper too.

        Raises `LayoutError` (SL504) where there is none.
        """
        with nesting_limit():
            hit: ast.FunctionDef | None = self.language.function(self.module, name)
        if hit is None:
            known = ", ".join(self.kernels()) or "none"
            help = did_you_mean(name, self.names()) or f"its kernels: {known}"
            raise LayoutError("SL504", f"{self.file} has no kernel called {name!r}", help=help)
        return hit

    def of_file(self, limits: Limits) -> Iterator[Finding]:
        """Defects of the file that are those of no single kernel."""
        if ends_in(self.file, PYTHON):
            from symlayout.programs.kernels.scan.inverses import disagreeing

            yield from disagreeing(self.text)
        else:
            from symlayout.programs.kernels.scan.wide import widened_late

            with nesting_limit():
                findings = list(widened_late(self.module, limits))
            yield from findings

    def below(self, line: int) -> ast.FunctionDef | None:
        """The first function that begins below a line."""
        with nesting_limit():
            hit: ast.FunctionDef | None = self.language.below(self.module, line)
        return hit

    def of_contract(self, line: int, others: Collection[int] = ()) -> list[ast.FunctionDef]:
        """The functions that a contract above them speaks of: the first, and where that stands in a
        condition below the contract its alternatives; not those with a contract of their own, in
        `others` the lines of all contracts.
        """
        first = self.below(line)
        if first is None:
            return []
        with nesting_limit():
            more: list[ast.FunctionDef] = self.language.alternatives(self.module, line, first)
        own = [self.below(n) for n in others if n != line] if more else []
        return [first, *[f for f in more if not any(f is x for x in own)]]

    def scalar(self, function: ast.FunctionDef, text: str) -> Term:
        """An expression of a contract."""
        node: Term = self.language.scalar(self.module, function, text)
        return node

    def launches(self, function: ast.FunctionDef, kernel: Kernel) -> list[Launch]:
        """The launches of a kernel in its file, each but once."""
        calls = [c for c in self.calls if c.kernel == function.name]
        if not calls or sum(f.name == function.name for f in self.launched()) > 1:
            return []
        parameters = [n for n in kernel.parameters if n not in kernel.symbols]
        pointers = {a.array for a in kernel.accesses}
        types = getattr(self.module, "parameters", {}).get(id(function), {})
        unsigned = [n for n, t in types.items() if t.unsigned]
        launches: dict[Any, Launch] = {}
        own = self.spellings(function)
        for call in calls:
            if self.dialect == "ascend":  # what stands second there is no block
                call = replace(call, block=None)
            arguments = {own.get(n, n): v for n, v in call.arguments.items()}
            call = replace(call, arguments=arguments)
            one = launch_of(call, parameters, pointers, unsigned)
            if not one.why:
                names = {f.text.split()[0] for f in one.facts if " == " in f.text}
                ends = [f for n, fs in self.tuned(function).items() if n not in names for f in fs]
                one = replace(one, facts=(*one.facts, *ends))
            launches.setdefault(one.key, one)
        return list(launches.values())

    def tuned(self, function: ast.FunctionDef) -> dict[str, tuple[Fact, Fact]]:
        """The ends of the values that `triton.autotune` gives parameters, as facts."""
        if not ends_in(self.file, PYTHON):
            return {}
        from symlayout.programs.kernels.launches.python import tuning_ranges

        ranges = tuning_ranges(function).items()
        return {
            n: (Fact(f"{n} >= {a}", line), Fact(f"{n} <= {b}", line)) for n, (a, b, line) in ranges
        }

    def tuned_values(self, function: ast.FunctionDef) -> dict[str, str]:
        """The values that `triton.autotune` gives parameters, where they are few, as facts."""
        if not ends_in(self.file, PYTHON):
            return {}
        from symlayout.programs.kernels.launches.python import tuned_values

        values, cases = dict[str, str](), 1
        for n, numbers in sorted(tuned_values(function).items(), key=lambda row: len(row[1])):
            cases *= len(numbers)
            if len(numbers) > 1 and len(numbers) <= ALTERNATIVES and cases <= TUNED:
                values[n] = f"{n} in {{{', '.join(map(str, numbers))}}}"
        return values

    @cached_property
    def calls(self) -> list[Call]:
        """The launches in the file, by the host's own names."""
        with suppress(RecursionError):  # host code that is nested too deeply launches nothing known
            if ends_in(self.file, PYTHON):
                from symlayout.programs.kernels.launches import python

                return python.calls(ast.parse(self.text), self.module.functions, self.numbers())
            if "<<<" in self.text or "LaunchKernelGGL" in self.text:
                from symlayout.programs.kernels.launches import c

                return c.calls(self.module, self.numbers())
        return []

    def read(self, function: ast.FunctionDef, **known: Any) -> Kernel:
        """The accesses of a function."""
        result: Kernel = self.language.read_kernel(self.module, function, **known)
        return result


def lookalikes(file: str, within: Within) -> list[Lookalike]:
    """What looks like a kernel in a file, and is not read, in the order of lines."""
    text = text_of(file, within)
    return lookalikes_beside(file, text, reader_of(file, within, text=text))


def lookalikes_beside(file: str, text: str, reader: Reader | None) -> list[Lookalike]:
    """What looks like a kernel in a file beside those that its reader has."""
    python = ends_in(file, PYTHON)
    rows = [] if reader is None else reader.unread()
    hits = [Lookalike(n, "Triton" if python else "CUDA", name, why) for n, name, why in rows]
    known = () if reader is None else {f.name for f in reader.launched()}
    hits += in_python(text) if python else in_c(file, text, known)
    return sorted(hits, key=lambda x: x.line)


def text_of(file: str, within: Within) -> str:
    """The text of a file that may have kernels.

    Raises `LayoutError`: SL601 and SL506 for a file that cannot be read.
    """
    text = within.text(file)
    if not ends_in(file, (*PYTHON, *C_SUFFIXES)):
        raise LayoutError("SL601", f"{file} is in no language whose kernels are read")
    if len(text) > SOURCE_CHARACTERS:
        raise LayoutError("SL506", f"{file} has more than {SOURCE_CHARACTERS:,} characters")
    return text


def _is_marked(text: str) -> bool:
    """Whether a word stands there by which a dialect of C is known."""
    from symlayout.programs.kernels.c.dialects import DIALECTS

    return any(m in text for d in DIALECTS for m in d.marks)


def reader_of(
    file: str, within: Within, function: str | None = None, text: str | None = None
) -> Reader | None:
    """The reader of a file that may have kernels; its `text` may be known.

    Raises `LayoutError`: SL601, SL506 and SL509 for a file that cannot be read.
    """
    text = text_of(file, within) if text is None else text
    language = LANGUAGES.get(file[file.rfind(".") :].lower(), "c")
    marked = any(m in text for m in MARKS[language]) or (language == "c" and _is_marked(text))
    marked = marked and (language != "python" or "triton" in text)
    marked = marked or (language == "python" and CONVERSION.search(text) is not None)
    if function is None and not marked:
        return None
    return Reader(file, text, within)


def read_kernels(
    file: str, within: Within, function: str | None = None
) -> Iterator[tuple[Kernel, list[Launch]]]:
    """The kernels of a file with their launches in it; of a function that is named also a helper.

    Raises `LayoutError` as `reader_of`, and SL504 for a function that is not there.
    """
    reader = reader_of(file, within, function)
    if reader is None:
        return
    functions = [f for f in reader.launched() if function in (None, f.name)]
    if not functions and function is not None:
        functions = [reader.function(function)]
    for node in functions:
        kernel = reader.read(node)
        yield kernel, reader.launches(node, kernel)


def launch_text(one: Mapping[str, Any]) -> str:
    """A launch for people, with the facts that its host code gives."""
    head = f"{one['file']}:{one['line']}: note: {one['function']} is launched"
    if "not_understood" in one:
        return f"{head} in a way that is not understood: {one['not_understood']}"
    return f"{head} with {sizes_of(one)}"


def sizes_of(launch: Mapping[str, Any]) -> str:
    """The grid and the block of a launch, and the facts about them."""
    sizes = " ".join(f"{k} ({', '.join(launch[k])})" for k in ("grid", "block") if k in launch)
    facts = ", ".join(f"{f['text']} (line {f['line']})" for f in launch["facts"])
    return f"{sizes}{f'; {facts}' if facts else ''}"
