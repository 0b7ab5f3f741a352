"""How long modules take to read and to check, and broadcasts to decide.

`python benchmarks/hlo.py [FOLDER]`: every `.hlo` and `.mlir` file of the folder (by default the
modules of the tests), a module of 600 KB made for the purpose, a real module grown to several MB
beside XLA's own reader (where jaxlib is installed), and broadcasts by name.  Times are of this
process's own processor, warm.  Exit code 1 when a module is above 2 s, a broadcast above 50 ms, a
module of 1 MB or more takes above 5 times XLA's reader or 20 times its size in memory, or any claim
of a module is not proved.
"""

from __future__ import annotations

import re
import sys
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from timing import count_processor_time, measure, milliseconds, table

from symlayout import prove
from symlayout.programs.hlo.claims import ModuleClaims, module_claims
from symlayout.programs.hlo.padding import padding_report

NAME = re.compile(r"%[\w.\-]+")
DUMPS = Path(__file__).parent.parent / "tests" / "data" / "dumps"
MODULES = Path(__file__).parent.parent / "tests" / "data" / "hlo"
MOST_FOR_A_MODULE = 2000.0
MOST_FOR_A_BROADCAST = 50.0
LARGE = 900_000  # bytes from which on a module is compared with XLA's reader
MOST_OF_XLA = 5.0
MOST_MEMORY = 20.0

BROADCASTS = (
    ("f32[M,1]", "f32[1,N]", None, "xla"),
    ("f32[N]", "f32[M,N]", (1,), "xla"),
    ("f32[N]", "f32[M,N]", (0,), "xla"),
    ("f32[K]", "f32[M,N]", (1,), "xla"),
    ("f32[K]", "f32[M,N]", (1,), "stablehlo"),
    ("f32[K]", "f32[M,N]", None, "numpy"),
    ("f32[A,B,C,D]", "f32[E,F,G,H]", None, "xla"),
)


def large_module(kilobytes: int = 600) -> str:
    """A module of that size: computations of 50 instructions with shapes of their own."""
    parts = ["HloModule large\n"]
    size = number = 0
    while size < kilobytes * 1000:
        shape = f"f32[{number % 37 + 1},{number % 53 + 1}]{{1,0:T(8,128)}}"
        lines = [f"  %p = {shape} parameter(0)"]
        for k in range(48):
            before = f"v{k - 1}" if k else "p"
            lines.append(f'  %v{k} = {shape} negate(%{before}), metadata={{op_name="a/b/c"}}')
        lines.append(f"  ROOT %r = {shape} add(%v47, %p)")
        parts.append(f"%c{number} {{\n" + "\n".join(lines) + "\n}\n")
        size, number = size + len(parts[-1]), number + 1
    return "\n".join(parts)


def grown(text: str, times: int) -> str:
    """A real module with its computations repeated under other names, in front of its entry."""
    head, _, rest = text.partition("\n%")
    body, entry = ("%" + rest)[: rest.index("ENTRY") + 1], rest[rest.index("ENTRY") :]
    again = (NAME.sub(lambda m, k=k: f"{m[0]}.again{k}", body) for k in range(times))  # type: ignore[misc]
    return "".join([head, "\n", *again, body, entry])


def xla_seconds(text: str) -> float | None:
    """How long XLA's own reader takes, None where jaxlib is not installed."""
    try:
        from jaxlib import _hlo  # type: ignore[import-not-found]
    except ImportError:
        return None
    return median(lambda: _hlo.hlo_module_from_text(text))


def growth(texts: Iterable[str]) -> tuple[list[list[str]], bool]:
    """A row for each module: reading and checking, XLA's own reader, memory; whether all is well."""
    rows, good = [], True
    for text in texts:
        taken = median(lambda text=text: check(module_claims(text)))  # type: ignore[misc]
        own = xla_seconds(text)
        held = memory(text) / len(text)
        ratio = 0.0 if own is None else taken / own
        rows.append(
            [f"{len(text):,}", milliseconds(taken), f"{ratio:.1f}" if own else "-", f"{held:.1f}"]
        )
        good = good and (len(text) < LARGE or (ratio <= MOST_OF_XLA and held <= MOST_MEMORY))
    return rows, good


def memory(text: str) -> int:
    """The most bytes that are held while a module is read, its text apart."""
    tracemalloc.start()
    module_claims(text)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def large_texts(folder: Path | None) -> Iterator[str]:
    """A real module grown to 1, 4 and 9 MB, and the modules of a dump of 1 MB or more."""
    text = (DUMPS / "transformer.v5e.hlo").read_text()
    yield from (grown(text, times) for times in (0, 15, 60, 140))
    for file in sorted(folder.iterdir()) if folder is not None else ():
        if file.suffix in (".hlo", ".txt") and file.stat().st_size >= LARGE:
            module = file.read_text()
            if module.startswith("HloModule"):
                yield module


def median(run: Callable[[], object]) -> float:
    """The median of a few runs, in milliseconds."""
    return measure(run, most=11, seconds=0.1).median


def check(made: ModuleClaims) -> int:
    """How many claims are not proved."""
    verdicts = [getattr(prove, c.word)(*c.arguments, **dict(c.options)).status for c in made.claims]
    return len(verdicts) - verdicts.count("proved") + len(made.problems)


def modules(folder: Path) -> tuple[list[list[str]], bool]:
    """A row for each module, and whether all are proved in time."""
    files = [f for f in sorted(folder.iterdir()) if f.suffix in (".hlo", ".mlir")]
    texts = [(f.name, f.read_text()) for f in files] + [("large.hlo", large_module())]
    rows, good = [], True
    for name, text in texts:
        made = module_claims(text, name)
        read = median(partial(module_claims, text, name))
        proof = median(partial(check, made))
        report = median(partial(padding_report, text))
        open_claims = check(made)
        good = good and open_claims == 0 and read + proof < MOST_FOR_A_MODULE
        uses = sum(c.uses for c in made.claims)
        times = [milliseconds(t) for t in (read, proof, report)]
        rows.append(
            [name, f"{len(text)}", f"{uses}", f"{len(made.claims)}", *times, f"{open_claims}"]
        )
    return rows, good


def broadcasts() -> tuple[list[list[str]], bool]:
    """A row for each broadcast, and whether all are decided in time."""
    rows, good = [], True
    for a, b, dims, dialect in BROADCASTS:
        verdict = prove.broadcast(a, b, dims, dialect)
        taken = median(partial(prove.broadcast, a, b, dims, dialect))
        good = good and taken < MOST_FOR_A_BROADCAST
        listed = "" if dims is None else ",".join(map(str, dims))
        condition = verdict.details["condition"]
        rows.append([f"{a} {b}", listed, dialect, condition, milliseconds(taken)])
    return rows, good


def main(arguments: list[str]) -> int:
    """Prints both tables."""
    count_processor_time()
    folder = Path(arguments[0]) if arguments else MODULES
    rows, good = modules(folder)
    head = ("module", "bytes", "uses", "claims", "read ms", "prove ms", "padding ms", "open")
    print(table(head, rows), "\n")
    lines, quick = growth(large_texts(folder if arguments else None))
    print(table(("bytes", "read and checked, ms", "times XLA's reader", "memory"), lines), "\n")
    rows, fast = broadcasts()
    print(table(("broadcast", "dims", "dialect", "legal when", "ms"), rows, left=4))
    return 0 if good and fast and quick else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
